// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko loaded, and a manifest that names only btf_extra_rows: the rows
// of tests/core, which GoogleTest and KUnit run too, against the running kernel.
//
//   core_guest btf_extra_rows.ko
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tests/vm/core/running.h"
#include "userspace/format/elf_image.h"

using namespace btf_extra;

namespace rows {

Running::Running(std::string module) : module_(std::move(module)) {
    utsname kernel;
    uname(&kernel);
    firmware_ =
        std::string("/lib/firmware/btf_extra/") + kernel.release + "/" + kModule + ".btf_extra";
    log_ = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log_ < 0 || lseek(log_, 0, SEEK_END) < 0)
        guest::die("/dev/kmsg");

    build_id_ = need(ElfImage::open(module_)).build_id_note();
    if (build_id_.size() != 16 + CONTAINER_BUILD_ID_SIZE)
        guest::die(module_ + ": its build-id");
    build_id_.erase(build_id_.begin(), build_id_.begin() + 16);

    base_ = need(open_base_btf("/sys/kernel/btf/vmlinux"));
    const auto &bytes = base_->bytes();
    sum_.size = static_cast<u32>(bytes.size());
    sum_.crc32 = container_crc32(reinterpret_cast<const u8 *>(bytes.data()), bytes.size());
    const btf_blob &blob = base_->blob();
    for (u32 id = 1; id < btf_blob_end_id(&blob) && base_func_ == 0; id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (loc_kind(type) == BTF_KIND_FUNC &&
            std::strcmp(btf_blob_string(&blob, type->name_off), kBaseFunc) == 0)
            base_func_ = id;
    }
    if (base_func_ == 0)
        guest::die(std::string("vmlinux has no ") + kBaseFunc);
}

void Running::shift(core_row_images &images) const {
    const btf_blob &blob = base_->blob();
    images.more_ids = btf_blob_end_id(&blob) - 4;
    images.more_strings = btf_blob_end_string(&blob) - 15;
    images.more_func = base_func_ - 3;
}

void Running::adapt(u8 *file, u32 size, const extra_base *sum, bool build_id) const {
    const auto replace = [&](const void *old, const void *with, size_t length) {
        for (u8 *at = file; at + length <= file + size; at++)
            if (std::memcmp(at, old, length) == 0)
                std::memcpy(at, with, length);
    };
    if (sum != nullptr)
        replace(sum, &sum_, sizeof(*sum));
    if (build_id)
        replace(CONTAINER_BUILD_ID, build_id_.data(), build_id_.size());
}

// A record is "PRIORITY,...;TEXT", and lines of what it is about.
std::vector<std::string> Running::said() {
    constexpr std::string_view ours = "btf_extra: ";
    std::vector<std::string> lines;
    char record[8192];
    for (ssize_t size; (size = read(log_, record, sizeof(record))) > 0;) {
        std::string_view text(record, static_cast<size_t>(size));
        text.remove_prefix(text.find(';') + 1);
        text = text.substr(0, text.find('\n'));
        if (text.starts_with(ours))
            lines.emplace_back(text.substr(ours.size()));
    }
    return lines;
}

std::vector<std::string> Running::load(const u8 *file, u32 size) {
    std::ofstream(firmware_, std::ios::binary).write(reinterpret_cast<const char *>(file), size);
    said();
    const int module = open(module_.c_str(), O_RDONLY | O_CLOEXEC);
    if (module < 0 || syscall(SYS_finit_module, module, "", 0) != 0)
        guest::die(module_);
    close(module);
    return said();
}

// A program that reads the files of the module may hold it for a moment.
void Running::unload() {
    for (int i = 0; syscall(SYS_delete_module, kModule, O_NONBLOCK) != 0; i++) {
        if (i == 50)
            guest::die(std::string("rmmod ") + kModule);
        usleep(100000);
    }
}

std::vector<std::byte> Running::shown() const {
    auto bytes = read_whole_file(std::string("/sys/kernel/btf_extra/") + kModule);
    return bytes ? std::move(*bytes) : std::vector<std::byte>();
}

}  // namespace rows

int main(int argc, char **argv) {
    if (argc != 2)
        guest::die("usage: core_guest btf_extra_rows.ko");
    rows::Running running(argv[1]);
    rows::container(running);
    rows::queries(running);
    return guest::Row::failed != 0;
}
