// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/phantom.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <zlib.h>

namespace btf_extra::phantoms {
namespace {

constexpr size_t kSummed = offsetof(phantom_table, nr_objects);

uint32_t sum_of(std::span<const std::byte> table) {
    const auto rest = table.subspan(kSummed);
    return static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef *>(rest.data()), rest.size()));
}

template <class Item> void append(std::vector<std::byte> &bytes, const std::vector<Item> &items) {
    const auto span = std::as_bytes(std::span(items));
    bytes.insert(bytes.end(), span.begin(), span.end());
}

}  // namespace

void sort_phantoms(std::vector<Phantom> &phantoms) {
    std::ranges::sort(phantoms, {}, [](const Phantom &each) { return each.stub.name; });
}

std::vector<std::byte> phantom_table_bytes(std::span<const Phantom> phantoms) {
    std::vector<char> strings;
    const auto string = [&](const std::string &text) {
        const auto at = static_cast<uint32_t>(strings.size());
        strings.insert(strings.end(), text.c_str(), text.c_str() + text.size() + 1);
        return at;
    };
    using Key = std::tuple<std::string, uint32_t, uint32_t>;
    std::map<Key, uint32_t> numbers;
    std::vector<phantom_object> objects;
    std::vector<phantom_stub> stubs;
    std::vector<phantom_func> funcs;
    for (const Phantom &phantom : phantoms) {
        const Stub &stub = phantom.stub;
        stubs.push_back({string(stub.name), static_cast<uint32_t>(stub.funcs.size())});
        for (const PhantomFunc &func : stub.funcs) {
            const auto [known, is_new] =
                numbers.emplace(Key(func.object, func.func_info_size, func.func_info_crc32),
                                static_cast<uint32_t>(objects.size()));
            if (is_new)
                objects.push_back({string(func.object), func.func_info_size, func.func_info_crc32});
            funcs.push_back({known->second, func.func_id, func.without});
        }
    }
    phantom_table header = {};
    header.magic = PHANTOM_MAGIC;
    header.version = PHANTOM_VERSION;
    header.nr_objects = static_cast<uint32_t>(objects.size());
    header.nr_stubs = static_cast<uint32_t>(stubs.size());
    header.nr_funcs = static_cast<uint32_t>(funcs.size());
    header.strings_size = static_cast<uint32_t>(strings.size());
    std::vector<std::byte> out(sizeof(header));
    append(out, objects);
    append(out, stubs);
    append(out, funcs);
    append(out, strings);
    header.size = static_cast<uint32_t>(out.size());
    std::memcpy(out.data(), &header, sizeof(header));
    header.crc32 = sum_of(out);
    std::memcpy(out.data(), &header, sizeof(header));
    return out;
}

Result<std::vector<Stub>> read_phantom_table(const std::string &place,
                                             std::span<const std::byte> bytes) {
    // The check asks for aligned bytes.
    std::vector<uint32_t> words(bytes.size() / 4 + 1);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    phantom_parts parts;
    if (const char *wrong =
            phantom_table_open(words.data(), static_cast<uint32_t>(bytes.size()), &parts))
        return Error{fmt::format("{}: {}", place, wrong)};
    if (reinterpret_cast<const phantom_table *>(words.data())->crc32 != sum_of(bytes))
        return Error{fmt::format("{}: its CRC-32 is wrong", place)};
    std::vector<Stub> out;
    const phantom_func *func = parts.funcs;
    for (uint32_t i = 0; i < parts.nr_stubs; i++) {
        Stub stub = {parts.strings + parts.stubs[i].name, {}};
        for (uint32_t n = 0; n < parts.stubs[i].nr_funcs; n++, func++) {
            const phantom_object &object = parts.objects[func->object];
            stub.funcs.push_back({parts.strings + object.name, object.func_info_size,
                                  object.func_info_crc32, func->func_id, func->without});
        }
        out.push_back(std::move(stub));
    }
    return out;
}

}  // namespace btf_extra::phantoms
