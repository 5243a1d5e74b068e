// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra loaded. Compares the answers of /dev/btf_extra for every function
// id, name, symbol and address of every object with the .btf_extra files that the objects were
// loaded from.
//
//   running_compare [--every N] OBJECT=FILE...
//
// --every asks only for each Nth id, name and address of vmlinux.
//
// Prints "pass NAME" or "fail NAME" for each row, and before a failure up to 20 lines of what was
// wrong. The expected sites come from the records of the LOCSECs, not from the core's look-ups,
// because the kernel uses those too.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "tests/vm/function_hook.h"
#include "tests/vm/running_compare.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/running_kernel.h"

extern "C" {
#include "kernel/core/extra_elf.h"
}

using namespace btf_extra;

// ---- rows ----

static uint64_t bad_rows = 0, row_bad_lines = 0;
static auto row_begin = std::chrono::steady_clock::now();

void bad(const std::string &what) {
    if (++row_bad_lines <= 20)
        fmt::print("{}\n", what);
}

void end_row(const std::string &name, uint64_t count, bool may_be_none) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - row_begin).count();
    if (count == 0 && !may_be_none)
        bad(name + ": nothing was compared");
    bad_rows += row_bad_lines != 0;
    fmt::print("# {}: {} in {:.1f} s, {} wrong\n{} {}\n", name, count, seconds, row_bad_lines,
               row_bad_lines == 0 ? "pass" : "fail", name);
    std::fflush(stdout);
    row_bad_lines = 0;
    row_begin = now;
}

namespace {

// Ends the program without a value: nothing can be compared then.
template <class T> T need(Result<T> result) {
    if (result)
        return std::move(*result);
    fmt::print("fail running_compare: {}\n", result.error().message);
    std::fflush(stdout);
    std::exit(1);
}

// ---- requests ----

Site to_site(const btf_extra_site &site) {
    return {site.address, site.object,     site.func_id, site.loc_proto,
            site.number,  site.site_class, site.flags};
}

class Kernel {
  public:
    explicit Kernel(QueryDevice &device) : device_(device), page_(kFirstPage) {}

    // Returns the sites, none for -ENOENT. Asks for a second page if the first is not enough.
    const std::vector<Site> &ask(btf_extra_lookup request, const std::string &what) {
        sites_.clear();
        for (;;) {
            request.sites = reinterpret_cast<uintptr_t>(page_.data());
            request.capacity = static_cast<uint32_t>(page_.size());
            request.first = static_cast<uint32_t>(sites_.size());
            calls++;
            int error = device_.lookup(request);
            if (error == ENOENT && sites_.empty())
                return sites_;
            if (error != 0 || request.count == 0) {
                bad(fmt::format("{}: {}, {} sites in a page of {}", what, std::strerror(error),
                                request.count, request.total));
                return sites_;
            }
            for (uint32_t i = 0; i < request.count; i++)
                sites_.push_back(to_site(page_[i]));
            if (sites_.size() >= request.total)
                break;
            page_.resize(std::max<size_t>(page_.size(), request.total));
        }
        page_.resize(kFirstPage);
        return sites_;
    }

    uint64_t calls = 0;

  private:
    static constexpr size_t kFirstPage = 32;
    QueryDevice &device_;
    std::vector<btf_extra_site> page_;
    std::vector<Site> sites_;
};

// ---- expected answers ----

uint64_t read_module_section(const std::string &module, const std::string &section) {
    std::ifstream file("/sys/module/" + module + "/sections/" + section);
    uint64_t address = 0;
    file >> std::hex >> address;
    return address;
}

// Returns the flags of the sites that have marks, read from the bytes of the file by the definition
// of the marks.
std::map<uint32_t, uint32_t> read_marks(const extra_elf &elf) {
    const auto *bytes = static_cast<const uint8_t *>(elf.site_marks.data);
    const auto *pages = reinterpret_cast<const uint32_t *>(bytes);
    const uint32_t nr_pages = elf.site_marks.size != 0 ? pages[0] / 4 : 0;
    std::map<uint32_t, uint32_t> out;
    for (uint32_t page = 0; page < nr_pages; page++) {
        const uint32_t end = page + 1 < nr_pages ? pages[page + 1] : elf.site_marks.size;
        uint32_t site = page * 256;
        for (uint32_t at = pages[page]; at < end;) {
            site += bytes[at++];
            const uint8_t head = bytes[at++];
            uint32_t length = head >> 4 & 3;
            if (length == 0)
                length = bytes[at++] + 1;
            for (; length != 0; length--)
                out[site++] = ((head & 1) != 0 ? BTF_EXTRA_SITE_LOOP_HEAD : 0) |
                              ((head & 2) != 0 ? BTF_EXTRA_SITE_PART : 0) |
                              ((head & 4) != 0 ? BTF_EXTRA_SITE_NO_ENTRY : 0) |
                              ((head & 8) != 0 ? BTF_EXTRA_SITE_UNLISTED : 0) |
                              ((head & 0x40) != 0 ? BTF_EXTRA_SITE_CLOSED : 0) |
                              ((head & 0x80) != 0 ? BTF_EXTRA_SITE_AFTER_KEY : 0);
        }
    }
    return out;
}

void list_sites(Object &object, const std::string &path) {
    const auto bytes = need(read_whole_file(path));
    std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    extra_elf elf;
    btf_fault fault = {};
    extra_section text;
    if (extra_elf_open(&elf, aligned.data(), bytes.size(), &fault) != 0 ||
        !extra_elf_find(&elf, ".text", &text))
        need<int>(Error{path + ": " + btf_fault_text(fault.code)});

    const std::map<uint32_t, uint32_t> marks = read_marks(elf);
    const loc_index &index = object.view->index();
    for (uint32_t i = 0; i < index.nr_sections; i++) {
        const loc_section &section = index.sections[i];
        const std::string name = index.elf_sections[section.elf].name;
        extra_section place;
        if (!extra_elf_find(&elf, name.c_str(), &place))
            need<int>(Error{path + ": no section " + name});
        uint64_t base;
        bool freed;
        if (object.name == "vmlinux") {
            base = object.info.text + (place.address - text.address);
            freed = name.starts_with(".init.") || name.starts_with(".exit.");
        } else {
            base = read_module_section(object.name, name);
            freed = name.starts_with(".init.");
        }
        for (uint32_t j = 0; j < section.nr_sites; j++) {
            const loc_site &site = section.sites[j];
            const bool gone = base == 0 || (freed && object.name != "vmlinux");
            const auto mark = marks.find(section.first_site + j);
            object.sites.emplace_back(gone ? 0 : base + site.offset, object.info.id, site.func,
                                      site.loc_proto, section.first_site + j, section.loc_class,
                                      (freed ? BTF_EXTRA_SITE_FREED : 0) |
                                          (section.loc_class == LOC_CLASS_BODY &&
                                                   object.view->is_true_signature(site.func)
                                               ? BTF_EXTRA_SITE_TRUE_SIGNATURE
                                               : 0) |
                                          (mark != marks.end() ? mark->second : 0));
        }
    }
    for (uint32_t i = 0; i < object.sites.size(); i++)
        object.by_func.push_back(i);
    object.by_place = object.by_func;
    auto func = [&](uint32_t i) { return std::tuple(std::get<2>(object.sites[i]), i); };
    auto place = [&](uint32_t i) { return std::tuple(std::get<0>(object.sites[i]), i); };
    std::ranges::sort(object.by_func, {}, func);
    std::ranges::sort(object.by_place, {}, place);
    for (uint32_t number : object.by_func)
        if (object.funcs.empty() || object.funcs.back() != std::get<2>(object.sites[number]))
            object.funcs.push_back(std::get<2>(object.sites[number]));
}

std::vector<Site> sites_of(const Object &object, uint32_t func) {
    auto key = [&](uint32_t number) { return std::get<2>(object.sites[number]); };
    std::vector<Site> out;
    for (uint32_t number : std::ranges::equal_range(object.by_func, func, {}, key))
        out.push_back(object.sites[number]);
    return out;
}

Object open_object(const btf_extra_object &info, const std::string &path) {
    Object object = {};
    object.info = info;
    object.name = object_name(info);
    ExtraFile file = need(read_extra_file(path));
    const auto marks = std::as_bytes(std::span(file.site_marks.value().bytes()));
    for (const auto &[suffix, mine] :
         {std::pair("", std::as_bytes(std::span(file.func_info))),
          std::pair(".types", std::as_bytes(std::span(file.types))), std::pair(".marks", marks)}) {
        const std::string shown = "/sys/kernel/btf_extra/" + object.name + suffix;
        if (!std::ranges::equal(need(read_whole_file(shown)), mine))
            bad(shown + ": other bytes than those of " + path);
    }
    if (object_build_id(info) != build_id_text(file.build_id_note))
        bad(object.name + ": another build-id");
    end_row(object.name + ": blobs and marks are those of the file", 4);

    BaseStack base(need(open_base_btf("/sys/kernel/btf/vmlinux")));
    if (file.base.size() == 2) {
        auto added = base.add_file("/sys/kernel/btf/" + object.name);
        if (!added)
            need<int>(added.error());
    }
    object.view = need(ObjectView::open_content(path, std::move(file), std::move(base)));
    list_sites(object, path);
    return object;
}

// ---- comparisons ----

std::string line_of(const Site &site) {
    return fmt::format("{:#x} func {} proto {} number {} class {} flags {}", std::get<0>(site),
                       std::get<2>(site), std::get<3>(site), std::get<4>(site), std::get<5>(site),
                       std::get<6>(site));
}

void compare(const std::vector<Site> &wanted, const std::vector<Site> &got,
             const std::string &what) {
    if (wanted == got)
        return;
    size_t at = 0;
    while (at < wanted.size() && at < got.size() && wanted[at] == got[at])
        at++;
    bad(fmt::format("{}: {} sites, not {}; number {} is {}, not {}", what, got.size(),
                    wanted.size(), at, at < got.size() ? line_of(got[at]) : "absent",
                    at < wanted.size() ? line_of(wanted[at]) : "absent"));
}

uint64_t vmlinux_step = 1;

// Returns true if the device is asked for that one of the ids, names, ... of an object.
bool is_asked(const Object &object, uint64_t number) {
    return object.name != "vmlinux" || number % vmlinux_step == 0;
}

btf_extra_lookup request(btf_extra_by by, const Object &object) {
    btf_extra_lookup out = {};
    out.by = by;
    out.object = reinterpret_cast<uintptr_t>(object.name.c_str());
    return out;
}

void compare_ids(Kernel &kernel, const Object &object) {
    uint64_t asked = 0, number = 0;
    for (uint32_t func : object.funcs) {
        if (!is_asked(object, number++))
            continue;
        btf_extra_lookup lookup = request(BTF_EXTRA_BY_ID, object);
        lookup.func_id = func;
        const std::string what = fmt::format("{}: id {}", object.name, func);
        std::vector<Site> wanted = sites_of(object, func);
        compare(wanted, kernel.ask(lookup, what), what);
        asked++;
        if (asked % 16 != 0)
            continue;
        for (uint32_t wanted_class : {BTF_EXTRA_CLASS_INLINE, BTF_EXTRA_CLASS_BODY}) {
            std::vector<Site> some = wanted;
            std::erase_if(some,
                          [&](const Site &site) { return std::get<5>(site) != wanted_class; });
            lookup.flags = wanted_class == BTF_EXTRA_CLASS_INLINE ? BTF_EXTRA_INLINE_ONLY
                                                                  : BTF_EXTRA_BODY_ONLY;
            compare(some, kernel.ask(lookup, what), what + " of one class");
        }
    }
    end_row(object.name + ": every function id", asked);
    // Asks for all other ids of the types, and for some below.
    asked = number = 0;
    for (uint32_t id = object.info.first_func_id;
         id < btf_blob_end_id(&object.view->locations().blob()); id += 7) {
        if (std::ranges::binary_search(object.funcs, id) || !is_asked(object, number++))
            continue;
        btf_extra_lookup lookup = request(BTF_EXTRA_BY_ID, object);
        lookup.func_id = id;
        const std::string what = fmt::format("{}: id {} without sites", object.name, id);
        compare({}, kernel.ask(lookup, what), what);
        asked++;
    }
    end_row(object.name + ": ids without sites", asked);
}

using Names = std::map<std::string_view, std::vector<uint32_t>>;

std::vector<Site> sites_of_all(const Object &object, const std::vector<uint32_t> &funcs) {
    std::vector<Site> out;
    for (uint32_t func : funcs)
        std::ranges::copy(sites_of(object, func), std::back_inserter(out));
    return out;
}

// Returns the symbols of a body there.
auto symbols_of_body(const Kallsyms &symbols, uint64_t address) {
    const auto there = symbols.at({0, address});
    return there.empty() ? symbols.at({0, address - kFunctionHook}) : there;
}

// Returns the bodies with that symbol (foo.isra.0) whose function is foo. One that has a function
// of the symbol's name is among the sites of that function.
std::vector<Site> bodies_with_symbol(const Object &object, const Names &names,
                                     std::string_view symbol, const Kallsyms &symbols) {
    std::vector<Site> out;
    const auto source = names.find(symbol.substr(0, symbol.find('.')));
    if (source == names.end() || source->first == symbol)
        return out;
    const std::vector<Site> named = sites_of_all(object, names.at(symbol));
    for (const Site &site : sites_of_all(object, source->second)) {
        const uint64_t address = std::get<0>(site);
        const auto there = symbols_of_body(symbols, address);
        if (std::get<5>(site) == BTF_EXTRA_CLASS_BODY && address != 0 &&
            std::ranges::find(there, symbol, &KernelSymbol::name) != there.end() &&
            std::ranges::none_of(named,
                                 [&](const Site &each) { return std::get<0>(each) == address; }))
            out.push_back(site);
    }
    return out;
}

Names compare_names(Kernel &kernel, const Object &object, const Kallsyms &symbols) {
    Names names;
    for (uint32_t func : object.funcs)
        names[object.view->func_name(func)].push_back(func);
    uint64_t several = 0, asked = 0, number = 0;
    for (const auto &[name, funcs] : names) {
        if (!is_asked(object, number++))
            continue;
        btf_extra_lookup lookup = request(BTF_EXTRA_BY_NAME, object);
        lookup.name = reinterpret_cast<uintptr_t>(name.data());
        const std::string what = fmt::format("{}: name {}", object.name, name);
        std::vector<Site> wanted = sites_of_all(object, funcs);
        std::ranges::copy(bodies_with_symbol(object, names, name, symbols),
                          std::back_inserter(wanted));
        compare(wanted, kernel.ask(lookup, what), what);
        several += funcs.size() > 1;
        asked++;
    }
    end_row(object.name + ": every name", asked);
    fmt::print("# {}: {} names of several functions\n", object.name, several);
    return names;
}

// Returns the paths as the types have them. The kernel does not see the provenance.
std::map<uint32_t, std::string> tagged_files(const Object &object) {
    std::map<uint32_t, std::string> out;
    const btf_blob &types = object.view->types().blob();
    for (uint32_t id = types.first_id; id < btf_blob_end_id(&types); id++) {
        const btf_type *tag = btf_blob_type(&types, id);
        if (loc_kind(tag) != BTF_KIND_DECL_TAG)
            continue;
        std::string_view text = btf_blob_string(&types, tag->name_off);
        if (text.starts_with("file:"))
            out[tag->type] = text.substr(5);
    }
    return out;
}

void compare_files(Kernel &kernel, const Object &object, const Names &names) {
    const auto files = tagged_files(object);
    uint64_t asked = 0, number = 0;
    for (const auto &[func, file] : files) {
        auto named = names.find(object.view->func_name(func));
        if (named == names.end() || !is_asked(object, number++))
            continue;
        for (const std::string &path : {file, file.substr(file.rfind('/') + 1)}) {
            std::vector<uint32_t> funcs;
            for (uint32_t each : named->second)
                if (auto other = files.find(each);
                    other != files.end() &&
                    (other->second == path || other->second.ends_with("/" + path)))
                    funcs.push_back(each);
            btf_extra_lookup lookup = request(BTF_EXTRA_BY_NAME, object);
            lookup.name = reinterpret_cast<uintptr_t>(named->first.data());
            lookup.file = reinterpret_cast<uintptr_t>(path.c_str());
            const std::string what =
                fmt::format("{}: name {} in {}", object.name, named->first, path);
            compare(sites_of_all(object, funcs), kernel.ask(lookup, what), what);
            asked++;
        }
    }
    end_row(object.name + ": every name with its file", asked, object.name != "vmlinux");
}

// No source function has a name like foo.isra.0: the answer is the body of foo at that symbol. If
// the compiler has made one body of several functions, the kernel only knows one of the symbols
// there, and the others are not found.
void compare_symbols(Kernel &kernel, const Object &object, const Names &names,
                     const Kallsyms &symbols) {
    std::map<std::string, std::vector<Site>> wanted;
    for (const KernelSymbol &symbol : symbols.all()) {
        const std::string name(symbol.name);
        const std::string source = name.substr(0, func_suffix_strip(name.c_str()));
        auto named = names.find(source);
        if (source == name || names.contains(name) || named == names.end())
            continue;
        std::vector<Site> &sites = wanted[name];
        for (const Site &site : sites_of_all(object, named->second))
            if (std::get<5>(site) == BTF_EXTRA_CLASS_BODY &&
                (std::get<0>(site) == symbol.address ||
                 std::get<0>(site) == symbol.address + kFunctionHook))
                sites.push_back(site);
    }
    auto aliased = [&](const Site &site) {
        return symbols_of_body(symbols, std::get<0>(site)).size() > 1;
    };
    uint64_t found = 0, unknown = 0;
    for (auto &[name, sites] : wanted) {
        btf_extra_lookup lookup = request(BTF_EXTRA_BY_NAME, object);
        lookup.name = reinterpret_cast<uintptr_t>(name.c_str());
        const std::string what = fmt::format("{}: symbol {}", object.name, name);
        std::ranges::sort(sites, {}, [](const Site &site) {
            return std::tuple(std::get<2>(site), std::get<4>(site));
        });
        const std::vector<Site> &got = kernel.ask(lookup, what);
        found += !sites.empty();
        if (got.empty() && !sites.empty() && std::ranges::all_of(sites, aliased))
            unknown++;
        else
            compare(sites, got, what);
    }
    end_row(object.name + ": every symbol with a suffix", wanted.size(), object.name != "vmlinux");
    fmt::print("# {}: {} of these symbols are bodies, {} not found as another one is there too\n",
               object.name, found, unknown);
}

void compare_addresses(Kernel &kernel, const Object &object) {
    uint64_t asked = 0, number = 0;
    const auto &order = object.by_place;
    for (size_t i = 0, end; i < order.size(); i = end) {
        const uint64_t address = std::get<0>(object.sites[order[i]]);
        std::vector<Site> wanted;
        for (end = i; end < order.size() && std::get<0>(object.sites[order[end]]) == address; end++)
            wanted.push_back(object.sites[order[end]]);
        if (address == 0 || !is_asked(object, number++))
            continue;
        btf_extra_lookup lookup = request(BTF_EXTRA_BY_ADDRESS, object);
        lookup.object = 0;
        lookup.address = address;
        const std::string what = fmt::format("{}: address {:#x}", object.name, address);
        compare(wanted, kernel.ask(lookup, what), what);
        asked++;
        const uint64_t next =
            end < order.size() ? std::get<0>(object.sites[order[end]]) : UINT64_MAX;
        if (asked % 64 != 0 || address + 1 == next)
            continue;
        lookup.address = address + 1;
        compare({}, kernel.ask(lookup, what), what + " and one byte");
    }
    end_row(object.name + ": every address", asked);
}

uint64_t address_of(const Kallsyms &symbols, const char *name) {
    const auto places = symbols.places(name);
    return places.empty() ? 0 : places[0].offset;
}

// Bodies of overridden weak functions are left out: the linker keeps their code and drops their
// symbol, and the name belongs to the other body. On arm64 their code has another symbol, foo_base.
void compare_kallsyms(const Object &object, const Kallsyms &symbols) {
    uint64_t bodies = 0, overridden = 0, unnamed = 0;
    // The kernel leaves the symbols of arm64's EFI stub out, which is init text.
    const std::pair init = {address_of(symbols, "_sinittext"), address_of(symbols, "_einittext")};
    for (const Site &site : object.sites) {
        const uint64_t site_address = std::get<0>(site);
        if (std::get<5>(site) != BTF_EXTRA_CLASS_BODY || site_address == 0)
            continue;
        bodies++;
        const std::string name(object.view->func_name(std::get<2>(site)));
        const auto there = symbols_of_body(symbols, std::get<0>(site));
        const bool same = std::ranges::any_of(there, [&](const KernelSymbol &symbol) {
            const std::string each(symbol.name);
            // Code that runs before the kernel is at its linked address has symbols with a prefix,
            // and so has that of arm64's hypervisor.
            const std::string source = each.substr(0, func_suffix_strip(each.c_str()));
            return source == name || each == name || source == "__pi_" + name ||
                   source == "__kvm_nvhe_" + name || each == "__kvm_nvhe_" + name ||
                   each == name + "_base";
        });
        if (same)
            continue;
        if (there.empty() && !symbols.places(name).empty())
            overridden++;
        else if (there.empty() && site_address >= init.first && site_address < init.second)
            unnamed++;
        else
            bad(fmt::format("{}: body of {} at {:#x}, where /proc/kallsyms has {}", object.name,
                            name, std::get<0>(site), there.empty() ? "nothing" : there[0].name));
    }
    fmt::print("# {}: {} bodies of overridden weak functions, {} in init text without symbols\n",
               object.name, overridden, unnamed);
    end_row(object.name + ": every body is a symbol", bodies);
}

}  // namespace

int main(int argc, char **argv) {
    std::map<std::string, std::string> files;
    for (int i = 1; i < argc; i++) {
        const std::string argument = argv[i];
        if (argument == "--every" && i + 1 < argc) {
            vmlinux_step = std::max(1ul, std::strtoul(argv[++i], nullptr, 10));
            continue;
        }
        const size_t equal = argument.find('=');
        if (equal == argument.npos)
            need<int>(Error{argument + ": not OBJECT=FILE"});
        files[argument.substr(0, equal)] = argument.substr(equal + 1);
    }
    auto device = need(open_query_device());
    const RunningObjects running = need(RunningKernel(need(open_query_device())).objects());
    const Kallsyms symbols = need(Kallsyms::load());
    Kernel kernel(*device);

    std::vector<Object> objects;
    for (const btf_extra_object &info : running.objects) {
        auto path = files.find(object_name(info));
        if (path == files.end())
            need<int>(Error{object_name(info) + ": loaded, but no file was given"});
        objects.push_back(open_object(info, path->second));
        files.erase(path);
    }
    for (const auto &[name, path] : files)
        bad(name + ": not loaded");
    end_row("objects are those that were loaded", objects.size());

    for (const Object &object : objects) {
        uint32_t bodies = 0;
        for (const Site &site : object.sites)
            bodies += std::get<5>(site) == BTF_EXTRA_CLASS_BODY;
        if (object.info.nr_bodies != bodies ||
            object.info.nr_inline != object.sites.size() - bodies ||
            object.info.nr_funcs != object.funcs.size() ||
            object.info.first_func_id != object.view->types().blob().first_id)
            bad(object.name + ": other counts in its struct btf_extra_object");
        end_row(object.name + ": counts", object.sites.size());
        compare_kallsyms(object, symbols);
        compare_ids(kernel, object);
        const Names names = compare_names(kernel, object, symbols);
        compare_files(kernel, object, names);
        compare_symbols(kernel, object, names, symbols);
        compare_addresses(kernel, object);
    }
    compare_listing(objects);
    fmt::print("# {} look-ups\n", kernel.calls);
    std::fflush(stdout);
    return bad_rows == 0 ? 0 : 1;
}
