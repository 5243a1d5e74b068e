// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The rows of the queries: the library and /dev/btf_extra are asked each of them of the object of
// btf_extra_rows.ko, which has the symbols of the rows.
#include "tests/vm/core/running.h"
#include "userspace/lib/tables/site_tables.h"

using namespace btf_extra;

namespace rows {
namespace {

using Numbers = std::vector<uint32_t>;

std::string text_of(const Numbers &numbers) {
    std::string out;
    for (uint32_t number : numbers)
        out += " " + std::to_string(number);
    return out.empty() ? " none" : out;
}

class Asked {
  public:
    Asked(const Running &running, const core_row_images &images)
        : base_func_(running.base_func()), more_ids_(images.more_ids),
          tables_(need(open_tables({}))), device_(guest::open_device(BTF_EXTRA_DEVICE)) {
        std::ifstream symbols("/proc/kallsyms");
        for (std::string line; std::getline(symbols, line);)
            if (line.ends_with(std::string(" tcp_ack\t[") + kModule + "]"))
                text_ = std::stoull(line, nullptr, 16) - 0x40;
        if (text_ == 0)
            guest::die("no symbol tcp_ack of the module");
    }

    void expect(const query_row &row);

  private:
    std::string text(const query_row &row) const;
    uint64_t address(const query_row &row) const;
    Numbers by_library(const query_row &row, guest::Row &test);
    Numbers by_device(const query_row &row) const;

    uint32_t base_func_, more_ids_;
    std::unique_ptr<SiteTables> tables_;
    int device_;
    uint64_t text_ = 0;
};

// Translates a row: here its object has another name, and the base has other ids.
std::string Asked::text(const query_row &row) const {
    std::string out = row.text;
    const auto replace = [&](const std::string &old, const std::string &with) {
        if (out.starts_with(old))
            out = with + out.substr(old.size());
    };
    replace("vmlinux:", std::string(kModule) + ":");
    replace("vm*:", "btf_e*:");
    replace("sys_read", kBaseFunc);
    const size_t hash = out.find('#');
    if (row.refused != nullptr || hash == out.npos)
        return out;
    const auto id = static_cast<uint32_t>(std::stoull(out.substr(hash + 1)));
    if (id < 1000)
        out = out.substr(0, hash + 1) + std::to_string(id == 3 ? base_func_ : more_ids_ + id);
    return out;
}

// .text is at 0x1000 in the rows.
uint64_t Asked::address(const query_row &row) const {
    return row.address == 0 || row.address == ~u64{0} ? row.address : text_ + row.address - 0x1000;
}

Numbers Asked::by_library(const query_row &row, guest::Row &test) {
    std::vector<FoundFunc> found;
    if (row.text == nullptr) {
        char hex[32];
        std::snprintf(hex, sizeof(hex), "%#lx", static_cast<unsigned long>(address(row)));
        found = need(tables_->find_at(hex));
    } else {
        auto some = tables_->find(need(parse_func_text(text(row))));
        if (some)
            found = std::move(*some);
        else
            test.equal(some.error().code, ENOENT, "the error of the library");
    }
    Numbers out;
    uint32_t by_symbol = 0;
    for (const FoundFunc &func : found)
        for (const btf_extra_site &site : func.sites)
            if (row.classes == 0 || (row.classes >> site.site_class & 1) != 0) {
                out.push_back(site.number);
                by_symbol += !func.all_sites && row.text != nullptr;
            }
    test.equal(by_symbol, row.by_symbol, "sites by symbol");
    return out;
}

Numbers Asked::by_device(const query_row &row) const {
    btf_extra_lookup lookup = guest::at_address(address(row));
    FuncText text;
    if (row.text != nullptr) {
        text = need(parse_func_text(this->text(row)));
        const char *object = text.object.empty() ? kModule : text.object.c_str();
        lookup = text.id ? guest::of_id(object, *text.id)
                         : guest::of_name(text.name.c_str(),
                                          text.file.empty() ? nullptr : text.file.c_str());
        lookup.object = guest::pointer(object);
    }
    // Both classes are all of them, and the device takes only one.
    lookup.flags = row.classes == 3 ? 0 : row.classes;
    const guest::Answer answer = guest::by_ioctl(device_, lookup);
    if (answer.error != 0 && answer.error != ENOENT)
        return {~0u, static_cast<uint32_t>(answer.error)};
    Numbers out;
    for (const btf_extra_site &site : answer.sites)
        out.push_back(site.number);
    return out;
}

bool is_glob(const std::string &text) {
    return text.find_first_of("*?[\\") != text.npos;
}

void Asked::expect(const query_row &row) {
    guest::Row test(std::string("query: ") + row.name);
    if (row.refused != nullptr) {
        const auto parsed = parse_func_text(row.text);
        test.expect(!parsed && parsed.error().message.ends_with(row.refused), "it is not refused");
        return;
    }
    Numbers wanted;
    for (u32 i = 0; i < QUERY_MAX_SITES && row.sites[i] != 0; i++)
        wanted.push_back(row.sites[i] - 1u);
    // A module's text of init is freed and has no address.
    if (row.text == nullptr && row.address >= 0x4000)
        wanted.clear();
    const Numbers library = by_library(row, test);
    test.expect(library == wanted, "the library:" + text_of(library) + ", not" + text_of(wanted));
    if (row.text != nullptr && is_glob(row.text))
        return;
    // The kernel sees one of several symbols at an address: there it is drop.part.0.
    if (row.text != nullptr && std::string(row.text).ends_with("drop.cold"))
        wanted.clear();
    const Numbers device = by_device(row);
    test.expect(device == wanted, "the device:" + text_of(device) + ", not" + text_of(wanted));
}

}  // namespace

void queries(Running &running) {
    const auto images = std::make_unique<core_row_images>();
    running.shift(*images);
    core_input blobs;
    query_rows_input(images.get(), &blobs);
    File words(CONTAINER_MAX_SIZE / 8);
    u8 *file = reinterpret_cast<u8 *>(words.data());
    const u32 size = container_write(file, &blobs, nullptr, "tli1TI", 0);
    const extra_base own = container_base(&blobs);
    running.adapt(file, size, &own);
    {
        guest::Row test("query: the object is taken");
        for (const std::string &line : running.load(file, size))
            test.expect(false, line);
        test.expect(!running.shown().empty(), "it is no object");
    }
    Asked asked(running, *images);
    for (u32 i = 0; i < query_nr_rows; i++)
        asked.expect(query_rows[i]);
    running.unload();
}

}  // namespace rows
