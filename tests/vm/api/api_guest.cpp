// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko, btf_extra_vmlinux.ko and api_test.ko loaded. The answers of
// the functions of <linux/btf_extra.h> are compared with /dev/btf_extra, the list of all sites and
// kallsyms.
#include <map>
#include <set>
#include <sstream>

#include <bpf/btf.h>

#include "tests/vm/api/api_test.h"
#include "tests/vm/function_hook.h"
#include "tests/vm/guest_sites.h"

using namespace guest;

namespace {

constexpr int kAsked = 1000;  // questions of each kind
const char *const kVmlinux = "vmlinux";

int device, api;
Random any;

struct ApiAnswer : Answer {
    int returned = 0;  // return value of the function
};

ApiAnswer by_api(btf_extra_lookup lookup, uint32_t how = 0, uint32_t stop = 0) {
    ApiAnswer answer;
    lookup.reserved[0] = stop;
    lookup.reserved[1] = how;
    answer.returned = ask_in_full(api, API_TEST_LOOKUP, lookup, answer.sites);
    if (answer.returned < 0)
        answer.error = errno;
    answer.total = answer.error ? 0 : lookup.total;
    return answer;
}

// Both must give the same answer, with as many sites as wanted.
void check(Row &row, const btf_extra_lookup &lookup, size_t wanted, const std::string &what) {
    const Answer from_device = by_ioctl(device, lookup);
    row.expect(by_api(lookup) == from_device, what + ": not what the ioctl says");
    row.equal(from_device.total, static_cast<int64_t>(wanted), what + ", sites");
    row.expect(by_api(lookup, API_TEST_IRQS_OFF) == from_device,
               what + ": something else without interrupts");
}

// ---- names, ids and addresses ----

using Named = std::unordered_map<std::string, std::vector<const ListedFunc *>>;

// Counts the sites of all functions of that name, in that file if one is given.
size_t count_named(const Named &named, const std::string &name, const std::string &file = "") {
    size_t sites = 0;
    for (const ListedFunc *func : named.at(name))
        if (file.empty() || (func->file != "-" && ("/" + func->file).ends_with("/" + file)))
            sites += func->sites;
    return sites;
}

void what_is_there(const List &list) {
    Named named;
    std::vector<const ListedFunc *> with_file;
    for (const ListedFunc &func : list.funcs) {
        named[func.name].push_back(&func);
        if (func.file != "-")
            with_file.push_back(&func);
    }
    {
        Row row("by id");
        for (int i = 0; i < kAsked; i++) {
            const ListedFunc &func = list.draw_func(any);
            check(row, of_id(kVmlinux, func.id), func.sites, std::to_string(func.id));
        }
    }
    {
        Row row("by name");
        for (int i = 0; i < kAsked; i++) {
            const ListedFunc &func = list.draw_func(any);
            check(row, of_name(func.name.c_str()), count_named(named, func.name), func.name);
        }
    }
    {
        Row row("by name, of one object");
        for (int i = 0; i < 100; i++) {
            const ListedFunc &func = list.draw_func(any);
            btf_extra_lookup lookup = of_name(func.name.c_str());
            lookup.object = pointer(kVmlinux);
            check(row, lookup, count_named(named, func.name), func.name);
        }
    }
    {
        Row row("by address");
        for (int i = 0; i < kAsked; i++) {
            const ListedSite &site = list.draw_site(any);
            check(row, at_address(site.address), list.at_address(site.address),
                  list.func(site).name);
        }
    }
    Row whole("by name and file"), end("by name and the end of a file's path"),
        half("by name and half a file's name");
    for (int i = 0; i < 500 && !with_file.empty(); i++) {
        const auto &[id, name, file, sites] = *with_file[any.below(with_file.size())];
        const std::string base = file.substr(file.rfind('/') + 1);
        check(whole, of_name(name.c_str(), file.c_str()), count_named(named, name, file),
              name + " " + file);
        check(end, of_name(name.c_str(), base.c_str()), count_named(named, name, base),
              name + " " + base);
        half.equal(by_api(of_name(name.c_str(), &base[1])).total,
                   static_cast<int64_t>(count_named(named, name, &base[1])), name + " " + base);
    }
}

// ---- symbols with a suffix ----

void suffixes() {
    Row row("by the name of a symbol with a suffix");
    std::map<std::string, std::set<uint64_t>> symbols;
    std::ifstream list("/proc/kallsyms");
    std::string address, type, name;
    for (std::string line; std::getline(list, line);) {
        std::istringstream words(line);
        words >> address >> type >> name;
        if (type == "t" && line.find('[') == std::string::npos &&
            (name.ends_with(".isra.0") || name.ends_with(".constprop.0")))
            symbols[name].insert(std::stoull(address, nullptr, 16));
    }
    unsigned found = 0;
    for (const auto &[symbol, addresses] : symbols) {
        const btf_extra_lookup lookup = of_name(symbol.c_str());
        const ApiAnswer answer = by_api(lookup);
        row.expect(answer == by_ioctl(device, lookup), symbol + ": not what the ioctl says");
        for (const btf_extra_site &site : answer.sites)
            row.expect(site.site_class == BTF_EXTRA_CLASS_BODY &&
                           (addresses.contains(site.address) ||
                            addresses.contains(site.address - kFunctionHook)),
                       symbol + ": a site that is none of its bodies");
        found += answer.sites.size() >= addresses.size();
        if (found == 400)
            break;
    }
    row.expect(found > 100, std::to_string(found) + " symbols found");
}

// ---- errors ----

void errors(const List &list) {
    btf_extra_lookup unknown = {};
    unknown.by = BTF_EXTRA_BY_ADDRESS + 1;
    struct {
        const char *name;
        btf_extra_lookup lookup;
        int error;
    } rows[] = {
        {"an unknown name", of_name("no_such_function"), ENOENT},
        {"an unknown symbol with a suffix", of_name("no_such_function.isra.0"), ENOENT},
        {"a known name with a suffix that no symbol has", of_name("schedule.isra.77"), ENOENT},
        {"an unknown file", of_name(list.funcs[0].name.c_str(), "no/such/file.c"), ENOENT},
        {"an address without site", at_address(1), ENOENT},
        {"an address of no kernel", at_address(~0ULL), ENOENT},
        {"an id without site", of_id(kVmlinux, 1), ENOENT},
        {"id 0", of_id(kVmlinux, 0), ENOENT},
        {"an id past the last", of_id(kVmlinux, ~0U), ENOENT},
        {"an unknown object", of_id("no_such_object", list.sites[0].func_id), ENOENT},
        {"by id without object", of_id(nullptr, list.sites[0].func_id), EINVAL},
        {"by name without name", of_name(nullptr), EINVAL},
        {"an empty name", of_name(""), EINVAL},
        {"an unknown flag", at_address(list.sites[0].address, 1U << 2), EINVAL},
        {"both classes alone", at_address(list.sites[0].address, 3), EINVAL},
        {"by nothing", {}, EINVAL},
        {"by something unknown", unknown, EINVAL},
    };
    for (const auto &[name, lookup, error] : rows) {
        Row row(name);
        row.equal(by_api(lookup).error, error, "the function's error");
        row.equal(by_ioctl(device, lookup).error, error, "the ioctl's error");
    }
}

// ---- how it is called ----

void calls(const List &list) {
    const ListedFunc &most = *std::ranges::max_element(list.funcs, {}, &ListedFunc::sites);
    const btf_extra_lookup lookup = of_id(kVmlinux, most.id);
    const auto sites = static_cast<int64_t>(most.sites);
    {
        Row row("fn ends the walk");
        const ApiAnswer answer = by_api(lookup, 0, 3);
        row.equal(answer.returned, API_TEST_STOPPED, "returned");
        row.equal(static_cast<int64_t>(answer.sites.size()), 3, "sites seen");
        row.equal(answer.total, API_TEST_UNTOUCHED, "total");
    }
    {
        Row row("without fn");
        const ApiAnswer answer = by_api(lookup, API_TEST_NO_FN);
        row.equal(answer.returned, 0, "returned");
        row.equal(answer.total, sites, "total");
    }
    {
        Row row("without total");
        const ApiAnswer answer = by_api(lookup, API_TEST_NO_TOTAL);
        row.equal(answer.returned, 0, "returned");
        row.equal(static_cast<int64_t>(answer.sites.size()), sites, "sites seen");
        row.equal(answer.total, API_TEST_UNTOUCHED, "total");
    }
    Row row("one class alone");
    for (int i = 0; i < 300; i++) {
        const ListedSite &site = list.draw_site(any);
        const std::string &name = list.func(site).name;
        std::vector<btf_extra_lookup> asked = {of_name(name.c_str()), at_address(site.address),
                                               of_id(kVmlinux, site.func_id)};
        for (btf_extra_lookup &query : asked) {
            const ApiAnswer all = by_api(query);
            for (uint32_t flags : {BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY}) {
                const uint32_t wanted = flags == BTF_EXTRA_BODY_ONLY;
                ApiAnswer expected = all;
                std::erase_if(expected.sites,
                              [&](const auto &one) { return one.site_class != wanted; });
                expected.total = static_cast<uint32_t>(expected.sites.size());
                expected.error = expected.total == 0 ? ENOENT : 0;
                query.flags = flags;
                row.expect(by_api(query) == expected, name);
            }
        }
    }
}

// ---- btf_extra_func_name() ----

int func_name(uint32_t object, uint32_t func_id, std::string &name, uint64_t size) {
    name.assign(BTF_EXTRA_NAME_MAX, '?');
    api_test_func_name request = {
        .object = object, .func_id = func_id, .name = pointer(name.data()), .size = size};
    const int returned = ioctl(api, API_TEST_FUNC_NAME, &request);
    if (returned < 0)
        return -errno;
    name.resize(std::strlen(name.c_str()));
    return returned;
}

void func_names(const List &list) {
    const uint32_t object = by_ioctl(device, at_address(list.sites[0].address)).sites[0].object;
    const ListedFunc &first = list.funcs[0];
    std::string name;
    {
        Row row("the name of a function");
        for (int i = 0; i < kAsked; i++) {
            const ListedFunc &func = list.draw_func(any);
            const int length = func_name(object, func.id, name, BTF_EXTRA_NAME_MAX);
            row.equal(length, static_cast<int64_t>(func.name.size()), func.name);
            row.expect(name == func.name, func.name + ": " + name);
        }
    }
    {
        Row row("the name of a function, into a buffer that just fits");
        row.equal(func_name(object, first.id, name, first.name.size() + 1),
                  static_cast<int64_t>(first.name.size()), "returned");
    }
    {
        Row row("the name of a function, into a buffer that is too small");
        row.equal(func_name(object, first.id, name, first.name.size()), -E2BIG, "a byte short");
        row.equal(func_name(object, first.id, name, 0), -E2BIG, "no byte");
    }
    Row row("the name of what is no function");
    row.equal(func_name(object, 0, name, BTF_EXTRA_NAME_MAX), -ENOENT, "id 0");
    row.equal(func_name(object, ~0U, name, BTF_EXTRA_NAME_MAX), -ENOENT, "an id past the last");
    row.equal(func_name(object + 1, first.id, name, BTF_EXTRA_NAME_MAX), -ENOENT,
              "an object that never was");
    btf *vmlinux = btf__load_vmlinux_btf();
    for (const char *type : {"int", "task_struct", "__schedule"}) {
        const int id = btf__find_by_name(vmlinux, type);
        const bool is_func = btf_is_func(btf__type_by_id(vmlinux, id));
        row.equal(func_name(object, id, name, BTF_EXTRA_NAME_MAX),
                  is_func ? static_cast<int64_t>(std::strlen(type)) : -ENOENT, type);
    }
    btf__free(vmlinux);
}

}  // namespace

int main() {
    device = open_device(BTF_EXTRA_DEVICE);
    api = open_device(API_TEST_DEVICE);
    const List list = list_sites();
    what_is_there(list);
    suffixes();
    errors(list);
    calls(list);
    func_names(list);
    return Row::failed != 0;
}
