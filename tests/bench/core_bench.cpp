// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Measures the core on real data: how long it takes to validate and index a blob, and to look up an
// address, a name or an id, and the chain of inlined functions at an address. For comparison each
// look-up also runs as std::lower_bound on a plain sorted array (a table made only for this
// question) and as a linear scan of that array.
//
//   BTF_EXTRA_VMLINUX   a kernel with .BTF
//   BTF_EXTRA_FILE      its .btf_extra file, in the split layout
//
// Keys are drawn at random from the data, so each of them is found.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/core_api.h"
#include "userspace/format/extra_file.h"

namespace {

using btf_extra::BtfImage;

constexpr size_t kKeys = 1 << 14;  // a power of two

[[noreturn]] void die(const std::string &message) {
    std::fprintf(stderr, "core_bench: %s\n", message.c_str());
    std::exit(1);
}

std::string from_environment(const char *name) {
    const char *value = std::getenv(name);
    if (value == nullptr)
        die(std::string(name) + " is not set");
    return value;
}

template <class T> T unwrap(btf_extra::Result<T> result) {
    if (!result)
        die(result.error().message);
    return std::move(*result);
}

// The index needs memory that is aligned to 8 bytes.
using Words = std::vector<uint64_t>;
size_t words(size_t bytes) {
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

// The two blobs, with the memory that belongs to them. load() fills it.
struct Object {
    btf_blob types, func_info;
    std::vector<uint32_t> types_offsets, func_info_offsets;
    Words memory, scratch;
    loc_index index;
    inline_frames frames;
};

// Does everything that a consumer must do with bytes that it does not trust yet.
void load(const btf_extra::ExtraFile &file, const btf_blob &base, Object &object) {
    btf_fault fault = {};
    auto check = [&](int error) {
        if (error != 0)
            die(btf_fault_text(fault.code));
    };
    auto open = [&](btf_blob &blob, std::vector<uint32_t> &offsets, const auto &bytes,
                    const btf_blob *below) {
        check(
            btf_blob_open(&blob, bytes.data(), static_cast<uint32_t>(bytes.size()), below, &fault));
        offsets.resize(btf_blob_nr_offsets(&blob));
        btf_blob_index(&blob, offsets.data());
    };
    open(object.types, object.types_offsets, file.types, &base);
    check(loc_validate_types(&object.types, &fault));
    open(object.func_info, object.func_info_offsets, file.func_info, &object.types);
    check(loc_validate(&object.func_info, file.machine, &fault));
    loc_index_room room = {};
    loc_index_measure(&object.func_info, &room);
    object.memory.resize(words(room.memory));
    object.scratch.resize(words(room.scratch));
    if (loc_index_build(&object.index, &object.func_info, object.memory.data(),
                        object.memory.size() * sizeof(uint64_t), object.scratch.data(),
                        object.scratch.size() * sizeof(uint64_t)) != 0)
        die("the index could not be built");
}

void load_frames(const btf_extra::ExtraFile &file, Object &object) {
    const extra_bytes bytes = {file.frames.data(), static_cast<uint32_t>(file.frames.size())};
    const extra_elf no_file = {};
    btf_fault fault = {};
    if (inline_frames_open(&object.frames, &bytes, &object.func_info, &no_file, &fault) != 0)
        die(btf_fault_text(fault.code));
}

// An address, as offset in a section.
struct Address {
    uint32_t elf_section, offset;
    auto operator<=>(const Address &) const = default;
};

struct Data {
    std::unique_ptr<BtfImage> base;
    btf_extra::ExtraFile file;
    Object object;

    // Sorted plain arrays, for comparison.
    std::vector<Address> addresses;       // one for each site
    std::vector<std::string_view> names;  // one for each function with sites
    std::vector<uint32_t> ids;            // one for each site

    std::vector<Address> address_keys;
    std::vector<const char *> name_keys;
    std::vector<uint32_t> id_keys;
    std::vector<uint32_t> code_keys;  // offsets in .text that are in a body
};

const char *func_name(const Object &object, uint32_t func) {
    return btf_blob_string(&object.func_info, btf_blob_type(&object.func_info, func)->name_off);
}

template <class T, class Random>
void draw(std::vector<T> &keys, const std::vector<T> &from, Random &random) {
    std::uniform_int_distribution<size_t> any(0, from.size() - 1);
    for (size_t i = 0; i < kKeys; i++)
        keys.push_back(from[any(random)]);
}

// Draws from all bytes of .text, as the samples of a profile would.
void draw_code(Data &data, std::mt19937 &random) {
    const auto text =
        std::ranges::find(data.file.sections, ".text", &btf_extra::ObjectSection::name);
    const int section = inline_frames_find_section(&data.object.frames, ".text");
    if (text == data.file.sections.end() || section < 0)
        die("no frames of .text");
    std::uniform_int_distribution<uint32_t> any(0, static_cast<uint32_t>(text->size - 1));
    while (data.code_keys.size() < kKeys)
        if (const uint32_t offset = any(random);
            inline_frames_at(&data.object.frames, static_cast<uint32_t>(section), offset, nullptr,
                             0) != 0)
            data.code_keys.push_back(offset);
}

const Data &data() {
    static const Data *const data = [] {
        auto *made = new Data;
        made->base = unwrap(btf_extra::open_base_btf(from_environment("BTF_EXTRA_VMLINUX")));
        made->file = unwrap(btf_extra::read_extra_file(from_environment("BTF_EXTRA_FILE")));
        load(made->file, made->base->blob(), made->object);
        load_frames(made->file, made->object);

        const loc_index &index = made->object.index;
        std::vector<const char *> names;
        for (uint32_t i = 0; i < index.nr_sections; i++) {
            const loc_section &section = index.sections[i];
            for (uint32_t j = 0; j < section.nr_sites; j++) {
                made->addresses.push_back({section.elf, section.sites[j].offset});
                made->ids.push_back(section.sites[j].func);
            }
        }
        for (uint32_t i = 0; i < index.nr_funcs; i++)
            names.push_back(func_name(made->object, index.funcs[i]));
        if (made->addresses.empty())
            die("no sites");

        std::mt19937 random(1);
        draw(made->address_keys, made->addresses, random);
        draw(made->name_keys, names, random);
        draw(made->id_keys, made->ids, random);
        draw_code(*made, random);
        std::ranges::sort(made->addresses);
        std::ranges::sort(made->ids);
        made->names.assign(names.begin(), names.end());
        std::ranges::sort(made->names);
        return made;
    }();
    return *data;
}

// ---- loading: once for each object ----

void open_base(benchmark::State &state) {
    const btf_blob &base = data().base->blob();
    std::vector<uint32_t> offsets(btf_blob_nr_offsets(&base));
    for (auto _ : state) {
        btf_blob blob;
        btf_fault fault;
        if (btf_blob_open(&blob, base.data, base.size, nullptr, &fault) != 0)
            die(btf_fault_text(fault.code));
        btf_blob_index(&blob, offsets.data());
        benchmark::DoNotOptimize(offsets.data());
    }
}

// The length of the table that the kernel has of these types.
uint32_t nr_offsets(btf_blob blob) {
    blob.step_bits = BTF_BLOB_STEP_BITS;
    return btf_blob_nr_offsets(&blob);
}

void validate_and_index(benchmark::State &state) {
    const Data &d = data();
    Object object;
    for (auto _ : state) {
        load(d.file, d.base->blob(), object);
        benchmark::DoNotOptimize(object.index.by_offset);
    }
    loc_index_room room = {};
    loc_index_measure(&object.func_info, &room);
    state.counters["sites"] = object.index.nr_sites;
    state.counters["bytes a site"] =
        static_cast<double>(d.file.types.size() + d.file.func_info.size() + room.memory +
                            4u * (nr_offsets(d.base->blob()) + nr_offsets(object.types) +
                                  nr_offsets(object.func_info))) /
        object.index.nr_sites;
}

void check_frames(benchmark::State &state) {
    const Data &d = data();
    Object object = {};
    object.func_info = d.object.func_info;
    for (auto _ : state) {
        load_frames(d.file, object);
        benchmark::DoNotOptimize(object.frames.records);
    }
    const auto instances = static_cast<double>(object.frames.counts.nr_instances);
    state.counters["instances"] = instances;
    state.counters["bytes an instance"] = static_cast<double>(d.file.frames.size()) / instances;
}

// ---- look-ups: each takes the next key and returns the number of matches ----

template <class T, class Find>
void look_up(benchmark::State &state, const std::vector<T> &keys, Find find) {
    size_t next = 0;
    for (auto _ : state) {
        auto found = find(keys[next++ & (kKeys - 1)]);
        if (found == 0)
            die("a key was not found");
        benchmark::DoNotOptimize(found);
    }
}

uint32_t length(loc_range range) {
    return range.end - range.first;
}

auto sorted(const auto &array, const auto &key) {
    return std::upper_bound(array.begin(), array.end(), key) -
           std::lower_bound(array.begin(), array.end(), key);
}

auto scanned(const auto &array, const auto &key) {
    return std::count(array.begin(), array.end(), key);
}

uint32_t sites_of(const loc_index &index, uint32_t func) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < index.nr_sections; i++)
        count += length(loc_index_by_func(&index, i, func));
    return count;
}

void by_address_index(benchmark::State &state) {
    const loc_index &index = data().object.index;
    look_up(state, data().address_keys, [&](const Address &key) {
        return length(loc_index_by_offset(&index, key.elf_section, key.offset));
    });
}

void by_name_index(benchmark::State &state) {
    const loc_index &index = data().object.index;
    look_up(state, data().name_keys,
            [&](const char *key) { return length(loc_index_by_name(&index, key)); });
}

// Finds all sites of the functions of a name, in every LOCSEC.
void by_name_to_sites(benchmark::State &state) {
    const loc_index &index = data().object.index;
    look_up(state, data().name_keys, [&](const char *key) {
        uint32_t count = 0;
        loc_range range = loc_index_by_name(&index, key);
        for (uint32_t i = range.first; i < range.end; i++)
            count += sites_of(index, index.funcs[i]);
        return count;
    });
}

// Searches every LOCSEC.
void by_id_index(benchmark::State &state) {
    const loc_index &index = data().object.index;
    look_up(state, data().id_keys, [&](uint32_t key) { return sites_of(index, key); });
}

// The module does this for a question: it describes each site. Sections are somewhere.
section_place some_place(const site_tables *, uint32_t elf) {
    return {.address = uint64_t{elf + 1} << 32, .size = uint64_t{1} << 32, .freed = false};
}

void by_text(benchmark::State &state) {
    const site_tables_ops ops = {.place = some_place,
                                 .symbol_begins = [](auto...) { return false; },
                                 .func_file = [](auto...) -> const char * { return nullptr; }};
    const SiteMarkList &marks = data().file.site_marks.value();
    const site_tables tables = {.index = &data().object.index,
                                .marks = marks.data(),
                                .marks_size = marks.size(),
                                .ops = &ops};
    struct Walk {
        const site_tables &tables;
        uint32_t count = 0;
    };
    const auto describe = [](const found_site *site, void *walk) {
        auto &to = *static_cast<Walk *>(walk);
        benchmark::DoNotOptimize(site_describe(&to.tables, site));
        ++to.count;
        return 0;
    };
    look_up(state, data().name_keys, [&](const char *key) {
        func_text text = {};
        text.name = key;
        text.name_size = static_cast<uint32_t>(std::strlen(key));
        Walk walk = {tables};
        site_query_text(&tables, &text, 0, describe, &walk);
        return walk.count;
    });
}

void by_address_sorted(benchmark::State &state) {
    look_up(state, data().address_keys, [](auto &key) { return sorted(data().addresses, key); });
}

void by_address_scan(benchmark::State &state) {
    look_up(state, data().address_keys, [](auto &key) { return scanned(data().addresses, key); });
}

void by_name_sorted(benchmark::State &state) {
    look_up(state, data().name_keys,
            [](const char *key) { return sorted(data().names, std::string_view(key)); });
}

void by_name_scan(benchmark::State &state) {
    look_up(state, data().name_keys,
            [](const char *key) { return scanned(data().names, std::string_view(key)); });
}

void by_id_sorted(benchmark::State &state) {
    look_up(state, data().id_keys, [](auto &key) { return sorted(data().ids, key); });
}

void by_id_scan(benchmark::State &state) {
    look_up(state, data().id_keys, [](auto &key) { return scanned(data().ids, key); });
}

// The functions that an address is in, with the places that they are called from.
void chain_of_frames(benchmark::State &state) {
    const inline_frames &frames = data().object.frames;
    const auto text = static_cast<uint32_t>(inline_frames_find_section(&frames, ".text"));
    inline_frame chain[INLINE_FRAMES_DEPTH];
    look_up(state, data().code_keys, [&](uint32_t key) {
        const uint32_t found = inline_frames_at(&frames, text, key, chain, INLINE_FRAMES_DEPTH);
        benchmark::DoNotOptimize(chain[0]);
        return found;
    });
}

BENCHMARK(open_base)->Unit(benchmark::kMillisecond);
BENCHMARK(validate_and_index)->Unit(benchmark::kMillisecond);
BENCHMARK(check_frames)->Unit(benchmark::kMillisecond);
BENCHMARK(chain_of_frames)->Name("frames/chain");
BENCHMARK(by_address_index)->Name("by_address/index");
BENCHMARK(by_address_sorted)->Name("by_address/lower_bound");
BENCHMARK(by_address_scan)->Name("by_address/scan");
BENCHMARK(by_name_index)->Name("by_name/index");
BENCHMARK(by_name_to_sites)->Name("by_name/index_to_sites");
BENCHMARK(by_text)->Name("by_name/described_sites");
BENCHMARK(by_name_sorted)->Name("by_name/lower_bound");
BENCHMARK(by_name_scan)->Name("by_name/scan");
BENCHMARK(by_id_index)->Name("by_id/index");
BENCHMARK(by_id_sorted)->Name("by_id/lower_bound");
BENCHMARK(by_id_scan)->Name("by_id/scan");

}  // namespace
