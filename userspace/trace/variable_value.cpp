// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/variable_value.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include <bpf/btf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "userspace/format/file_descriptor.h"
#include "userspace/text/c_type.h"
#include "userspace/text/value_text.h"
#include "userspace/trace/member_path.h"

namespace btf_extra {
namespace {

// A variable of the kernel may have megabytes, and nobody reads them as text.
constexpr size_t kMaxBytes = 1 << 20;

struct FreeBtf {
    void operator()(btf *types) const { btf__free(types); }
    void operator()(btf_dump *dump) const { btf_dump__free(dump); }
};

// libbpf's view of the types of an object.
class LibbpfTypes {
  public:
    static Result<LibbpfTypes> open(const ObjectView &view) {
        LibbpfTypes out;
        for (const auto &level : view.base().levels())
            TRY(out.add(*level));
        TRY(out.add(view.types()));
        return out;
    }

    // Returns a C initializer.
    Result<std::string> text(uint32_t type_id, std::span<const uint8_t> bytes) const {
        std::string out;
        const auto print = [](void *context, const char *format, va_list arguments) {
            char *line = nullptr;
            if (vasprintf(&line, format, arguments) >= 0) {
                static_cast<std::string *>(context)->append(line);
                std::free(line);
            }
        };
        const std::unique_ptr<btf_dump, FreeBtf> dump(
            btf_dump__new(levels_.back().get(), print, &out, nullptr));
        LIBBPF_OPTS(btf_dump_type_data_opts, options);
        options.indent_str = "    ";
        options.emit_zeroes = true;
        const int length = dump ? btf_dump__dump_type_data(dump.get(), type_id, bytes.data(),
                                                           bytes.size(), &options)
                                : -errno;
        if (length < 0)
            return Error{fmt::format("its type cannot be printed: {}", std::strerror(-length)),
                         -length};
        return out;
    }

    size_t size(uint32_t type_id) const {
        return static_cast<size_t>(
            std::max<int64_t>(0, btf__resolve_size(levels_.back().get(), type_id)));
    }

  private:
    Result<void> add(const BtfImage &image) {
        // libbpf 1.1 exports no function that takes split BTF from memory.
        const btf_blob &blob = image.blob();
        const FileDescriptor file(memfd_create("btf", MFD_CLOEXEC));
        if (!file || write(file.get(), blob.data, blob.size) != static_cast<ssize_t>(blob.size))
            return Error{fmt::format("memfd: {}", std::strerror(errno)), errno};
        btf *types = btf__parse_raw_split(fmt::format("/proc/self/fd/{}", file.get()).c_str(),
                                          levels_.empty() ? nullptr : levels_.back().get());
        if (types == nullptr)
            return Error{fmt::format("{}: {}", image.place(), std::strerror(errno)), errno};
        levels_.emplace_back(types);
        return {};
    }

    std::vector<std::unique_ptr<btf, FreeBtf>> levels_;  // each is the base of the next
};

class Reader {
  public:
    Reader(const FoundVariable &variable, const Operand &path, const ReadMemory &read)
        : variable_(variable), path_(path), read_(read) {}

    Result<VariableValue> value() {
        const ObjectView &view = *variable_.object->view;
        const btf_blob &blob = view.types().blob();
        const MemberPath found = TRY(
            find_in_variable({&blob, variable_.type_id, *variable_.address}, path_, true, true));
        VariableValue out = {};
        out.address = TRY(address_of(found.value));
        out.type = c_declaration(blob, found.type_id, "");
        if (found.value.is_text != 0) {
            const std::string text = TRY(text_at(out.address, found.value.bits));
            out.json = text;
            out.text = out.json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
        } else if (found.value.bits != 0) {
            TRY(number_at(found, blob, out));
        } else {
            TRY(struct_at(found.type_id, view, out));
        }
        return out;
    }

  private:
    Error unreadable(uint64_t address) const {
        return Error{fmt::format("{}: memory at {:#x} cannot be read", path_.text, address),
                     EFAULT};
    }

    Result<std::vector<uint8_t>> bytes_at(uint64_t address, size_t size) const {
        auto bytes = read_(address, size);
        if (bytes.size() != size)
            return unreadable(address);
        return bytes;
    }

    // Follows the pointers.
    Result<uint64_t> address_of(const trace_value &value) const {
        uint64_t address = value.base;
        for (uint32_t i = 0; i < value.nr_steps; i++) {
            address += static_cast<uint64_t>(int64_t{value.offsets[i]});
            if (i + 1 == value.nr_steps)
                break;
            const auto pointer = TRY(bytes_at(address, sizeof(address)));
            std::memcpy(&address, pointer.data(), sizeof(address));
        }
        return address;
    }

    // The text ends before `size` bytes, or is cut there.
    Result<std::string> text_at(uint64_t address, size_t size) const {
        const auto bytes = read_(address, size - 1);
        if (bytes.empty())
            return unreadable(address);
        return std::string(bytes.begin(), std::ranges::find(bytes, uint8_t{0}));
    }

    Result<void> number_at(const MemberPath &found, const btf_blob &blob,
                           VariableValue &out) const {
        const trace_value &value = found.value;
        const auto bytes = TRY(bytes_at(out.address, (value.shift + value.bits + 7u) / 8));
        uint64_t words[2] = {};
        std::memcpy(words, bytes.data(), bytes.size());
        if (value.bits <= 64) {
            const uint64_t high = words[0] << (64 - value.shift - value.bits);
            words[0] = value.is_signed != 0
                           ? static_cast<uint64_t>(static_cast<int64_t>(high) >> (64 - value.bits))
                           : high >> (64 - value.bits);
        }
        const ValueFormat format(blob, found.type_id);
        format.append_text(out.text, words);
        std::string json;
        format.append_json(json, words);
        out.json = ordered_json::parse(json);
        return {};
    }

    Result<void> struct_at(uint32_t type_id, const ObjectView &view, VariableValue &out) const {
        const auto types = TRY(LibbpfTypes::open(view));
        const size_t size = types.size(type_id);
        if (size == 0 || size > kMaxBytes)
            return Error{fmt::format("{}: it has {} bytes: name a member", path_.text, size)};
        const auto bytes = TRY(bytes_at(out.address, size));
        out.text = TRY(types.text(type_id, bytes));
        out.json = out.text;
        return {};
    }

    const FoundVariable &variable_;
    const Operand &path_;
    const ReadMemory &read_;
};

}  // namespace

Result<VariableValue> read_variable(const FoundVariable &variable, const Operand &path,
                                    const ReadMemory &read) {
    return Reader(variable, path, read).value();
}

}  // namespace btf_extra
