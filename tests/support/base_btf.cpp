// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/base_btf.h"

#include <cstdarg>
#include <cstdio>
#include <stdexcept>

#include "tests/support/command_run.h"

namespace btf_extra::test {
namespace {

void append_text(void *out, const char *format, va_list arguments) {
    char text[1024];
    const int size = vsnprintf(text, sizeof(text), format, arguments);
    if (size < 0 || static_cast<size_t>(size) >= sizeof(text))
        throw std::runtime_error("libbpf's text is too long");
    *static_cast<std::string *>(out) += text;
}

}  // namespace

int BaseBtf::checked(int result) {
    if (result < 0)
        throw std::runtime_error("libbpf refuses a type");
    return result;
}

std::vector<std::byte> BaseBtf::bytes() const {
    uint32_t size = 0;
    const auto *data = static_cast<const std::byte *>(btf__raw_data(handle(), &size));
    return {data, data + size};
}

std::unique_ptr<BtfImage> BaseBtf::image(const BtfImage *below) const {
    auto image = BtfImage::open("base", bytes(), below);
    if (!image)
        throw std::runtime_error(image.error().message);
    return std::move(*image);
}

BtfHandle split_btf(const std::vector<std::byte> &blob, const BaseBtf &base) {
    // The blob goes through a file, because libbpf 1.1 declares btf__new_split() but does not
    // export it.
    const TemporaryFolder folder;
    write_file(folder.path("split"), blob);
    return BtfHandle(btf__parse_raw_split(folder.path("split").c_str(), base.handle()));
}

std::string c_definition(const btf *handle, uint32_t id) {
    std::string text;
    const std::unique_ptr<btf_dump, decltype(&btf_dump__free)> dump(
        btf_dump__new(handle, append_text, &text, nullptr), &btf_dump__free);
    if (!dump || btf_dump__dump_type(dump.get(), id) != 0)
        throw std::runtime_error("libbpf cannot write the type as C");
    return text;
}

}  // namespace btf_extra::test
