// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/kallsyms.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "userspace/format/btf_image.h"

namespace btf_extra {
namespace {

int rank_of(char type) {
    if (type == 'w' || type == 'W' || type == 'v' || type == 'V')
        return 1;
    return std::isupper(static_cast<unsigned char>(type)) != 0 ? 0 : 2;
}

bool is_better(const KernelSymbol &a, const KernelSymbol &b) {
    return std::tuple(rank_of(a.type), a.name) < std::tuple(rank_of(b.type), b.name);
}

// The kernel lists its symbols by address, but those of one address in any order, and modules after
// them.
void sort_symbols(std::vector<KernelSymbol> &symbols) {
    const auto tail = std::ranges::is_sorted_until(symbols, {}, &KernelSymbol::place);
    std::ranges::sort(tail, symbols.end(), {}, &KernelSymbol::place);
    std::ranges::inplace_merge(symbols, tail, {}, &KernelSymbol::place);
    for (auto begin = symbols.begin(); begin != symbols.end();) {
        const auto end = std::find_if(begin + 1, symbols.end(), [&](const KernelSymbol &symbol) {
            return symbol.place() != begin->place();
        });
        std::sort(begin, end, is_better);
        begin = end;
    }
}

// Reads "ffffffff81000000 T _text". In a module's line a tab and "[module]" follow.
std::optional<KernelSymbol> parse_line(std::string_view line) {
    KernelSymbol symbol = {};
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), symbol.address, 16);
    if (error != std::errc{})
        return {};
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    if (line.size() < 4 || line[0] != ' ' || line[2] != ' ')
        return {};
    symbol.type = line[1];
    const size_t tab = line.find('\t');
    symbol.name = line.substr(3, tab - 3);
    if (tab != line.npos && line.size() > tab + 2 && line[tab + 1] == '[' && line.ends_with(']'))
        symbol.module = line.substr(tab + 2, line.size() - tab - 3);
    return symbol;
}

// The names are in the text.
Result<std::vector<KernelSymbol>> symbols_of(std::span<const std::byte> text) {
    std::string_view rest(reinterpret_cast<const char *>(text.data()), text.size());
    std::vector<KernelSymbol> out;
    constexpr size_t kShortLine = 32;  // few are shorter
    out.reserve(rest.size() / kShortLine);
    for (size_t number = 1; !rest.empty(); number++) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto symbol = parse_line(line);
        if (!symbol)
            return Error{fmt::format("line {}: not an address, a type and a name", number)};
        out.push_back(*symbol);
    }
    return out;
}

bool is_code_type(char type) {
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

}  // namespace

Result<Kallsyms> Kallsyms::load(const std::string &path) {
    auto bytes = TRY(read_whole_file(path));
    auto out = parse(std::move(bytes));
    if (!out)
        return Error{path + ": " + out.error().message};
    return out;
}

Result<Kallsyms> Kallsyms::parse(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return parse(std::vector(bytes.begin(), bytes.end()));
}

Result<Kallsyms> Kallsyms::parse(std::vector<std::byte> text) {
    Kallsyms out;
    out.text_ = std::move(text);
    out.symbols_ = TRY(symbols_of(out.text_));
    out.hidden_ = std::ranges::all_of(
        out.symbols_, [](const KernelSymbol &symbol) { return symbol.address == 0; });
    if (out.hidden_)
        out.symbols_.clear();
    sort_symbols(out.symbols_);
    return out;
}

// A line names its section after its module: "[xfs .text]".
Result<void> Kallsyms::add_modules(const std::string &path) {
    modules_text_ = TRY(read_whole_file(path));
    auto added = symbols_of(modules_text_);
    if (!added)
        return Error{path + ": " + added.error().message};
    for (KernelSymbol &symbol : *added) {
        const size_t space = symbol.module.find(' ');
        if (space == symbol.module.npos)
            return Error{fmt::format("{}: {}: no module and section", path, symbol.name)};
        const std::string_view section = symbol.module.substr(space + 1);
        symbol.module = symbol.module.substr(0, space);
        symbol.section =
            sections_.try_emplace({symbol.module, section}, sections_.size() + 1).first->second;
    }
    std::ranges::move(*added, std::back_inserter(symbols_));
    sort_symbols(symbols_);
    return {};
}

uint32_t Kallsyms::section_number(std::string_view module, std::string_view section) const {
    const auto found = sections_.find({module, section});
    return found != sections_.end() ? found->second : 0;
}

std::span<const KernelSymbol> Kallsyms::at(Place place) const {
    auto range = std::ranges::equal_range(symbols_, place, {}, &KernelSymbol::place);
    return {range.begin(), range.end()};
}

std::vector<KernelSymbol>::const_iterator Kallsyms::first_after(Place place) const {
    return std::ranges::upper_bound(symbols_, place, {}, &KernelSymbol::place);
}

std::optional<Symbols::Distance> Kallsyms::around(Place place) const {
    const auto after = first_after(place);
    if (after == symbols_.begin() || (after - 1)->section != place.section)
        return {};
    const KernelSymbol &best = at((after - 1)->place()).front();
    return Distance{best.name, place.offset - best.address};
}

std::vector<std::string_view> Kallsyms::names(Place place) const {
    std::vector<std::string_view> out;
    for (const KernelSymbol &symbol : at(place))
        out.push_back(symbol.name);
    return out;
}

// The code of a module ends where its data begins or before that, at the end of a page.
Symbols::Extent Kallsyms::extent(Place begin, std::string_view) const {
    const auto here = at(begin);
    const auto next = first_after(begin);
    if (here.empty() || next == symbols_.end() || next->module != here.front().module ||
        next->section != begin.section)
        return {0, 0, true};
    const bool ends = !next->module.empty() && !is_code_type(next->type);
    return {0, ends ? 0 : next->address - begin.offset, ends};
}

std::string_view Kallsyms::object_of(Place place) const {
    const auto after = first_after(place);
    if (after == symbols_.begin() || (after - 1)->module.empty() ||
        (after - 1)->section != place.section)
        return "vmlinux";
    return (after - 1)->module;
}

std::string_view Kallsyms::module_of(std::string_view name, Place place) const {
    for (const KernelSymbol &symbol : at(place))
        if (symbol.name == name)
            return symbol.module;
    return {};
}

bool Kallsyms::is_code(std::string_view name, Place place) const {
    return std::ranges::any_of(at(place), [&](const KernelSymbol &symbol) {
        return symbol.name == name &&
               std::string_view("tTwW").find(symbol.type) != std::string::npos;
    });
}

void Kallsyms::for_each(const Visit &visit) const {
    for (const KernelSymbol &symbol : symbols_)
        visit(symbol.name, symbol.place());
}

}  // namespace btf_extra
