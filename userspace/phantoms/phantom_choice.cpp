// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/phantom_choice.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <zlib.h>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/lib/tables/described_func.h"
#include "userspace/lib/tables/unknown_func.h"
#include "userspace/text/c_type.h"
#include "userspace/text/func_text.h"

namespace btf_extra::phantoms {
namespace {

constexpr uint32_t kMaxParams = 32;

// An object and a function of it.
using FuncKey = std::pair<uint32_t, uint32_t>;

FuncKey key_of(const FoundFunc &func) {
    return {func.object->id, func.id};
}

bool begins_inlined(const btf_extra_site &site) {
    return site.site_class == BTF_EXTRA_CLASS_INLINE && (site.flags & BTF_EXTRA_SITE_PART) == 0;
}

bool is_inlined(const FoundFunc &func) {
    return std::ranges::any_of(func.sites, begins_inlined);
}

// A function of the source, in all objects that have it.
struct SourceFunc {
    std::vector<DescribedFunc> funcs;

    bool inlined() const {
        return std::ranges::any_of(funcs, [](const auto &each) { return is_inlined(each.found); });
    }
    bool has_body() const {
        return std::ranges::any_of(funcs, [](const DescribedFunc &each) {
            return std::ranges::any_of(each.found.sites, [](const btf_extra_site &site) {
                return site.site_class == BTF_EXTRA_CLASS_BODY;
            });
        });
    }
    std::optional<std::string> file() const {
        for (const DescribedFunc &each : funcs)
            if (each.file)
                return each.file;
        return std::nullopt;
    }
};

const btf_blob &blob_of(const DescribedFunc &func) {
    return func.view().locations().blob();
}

// Are the types of all parameters vmlinux's, and the same?
bool same_base_types(const DescribedFunc &one, const DescribedFunc &other) {
    const FuncParams a = func_params(blob_of(one), one.found.id);
    const FuncParams b = func_params(blob_of(other), other.found.id);
    if (a.count != b.count)
        return false;
    for (uint32_t i = 0; i < a.count; i++) {
        const btf_blob *level = btf_blob_level(&blob_of(one), a.params[i].type);
        if (a.params[i].type != b.params[i].type || (level != nullptr && level->base != nullptr))
            return false;
    }
    return true;
}

// If the file of one is not known, its types must leave no doubt.
bool may_be_same(const SourceFunc &known, const DescribedFunc &func) {
    const DescribedFunc &first = known.funcs.front();
    if (first.prototype != func.prototype || first.found.object == func.found.object)
        return false;
    const auto file = known.file();
    return file && func.file ? *file == *func.file : same_base_types(first, func);
}

// All functions of that name, each once, in order of object and id.
Result<std::vector<SourceFunc>> namesakes(SiteTables &tables, const std::string &name) {
    FuncText text = {};
    text.name = name;
    std::vector<SourceFunc> out;
    for (FoundFunc &found : TRY(tables.find(text))) {
        if (!found.all_sites)
            continue;
        DescribedFunc func(std::move(found));
        std::vector<SourceFunc *> same;
        for (SourceFunc &known : out)
            if (may_be_same(known, func))
                same.push_back(&known);
        if (same.size() != 1)
            same = {&out.emplace_back()};
        same.front()->funcs.push_back(std::move(func));
    }
    return out;
}

// Returns why there can be no stub; empty: there can.
std::string refusal(const DescribedFunc &func, uint32_t without) {
    const FuncParams params = func_params(blob_of(func), func.found.id);
    if (params.params == nullptr || !has_known_prototype(blob_of(func), func.found.id))
        return "its prototype is not known";
    if (params.variadic)
        return "it is variadic";
    if (params.count > kMaxParams)
        return fmt::format("it has more than {} parameters", kMaxParams);
    arg_place places[kMaxParams];
    const int known = arg_places_of_stub(loc_arch_running(), &blob_of(func), func.found.id, without,
                                         places, kMaxParams);
    if (known < 0)
        return "the types of its parameters are not supported";
    for (uint32_t i = 0; i < params.count; i++)
        if ((without >> i & 1) == 0 && places[i].nr_registers == 0)
            return fmt::format("{} is not passed in integer registers",
                               func.params[i].empty() ? fmt::format("arg{}", i) : func.params[i]);
    return "";
}

void count_sites(const FoundFunc &func, uint32_t without, const PhantomChoice &choice,
                 StubState &state) {
    const ObjectView &view = *func.object->view;
    const uint32_t params = func_params(view.locations().blob(), func.id).count;
    const uint64_t all = (uint64_t{1} << std::min(params, kMaxParams)) - 1;
    for (const btf_extra_site &site : func.sites) {
        if (!begins_inlined(site))
            continue;
        state.sites++;
        const uint64_t missing = all & ~uint64_t{without} & ~located_params(view, site);
        if ((site.flags & BTF_EXTRA_SITE_FREED) != 0)
            state.leave_out(BTF_EXTRA_REASON_NO_TEXT);
        else if ((site.flags & BTF_EXTRA_SITE_LOOP_HEAD) != 0)
            state.leave_out(BTF_EXTRA_REASON_LOOP_HEAD);
        else if ((site.flags & BTF_EXTRA_SITE_NO_ENTRY) != 0)
            state.leave_out(BTF_EXTRA_REASON_NO_ENTRY);
        else if (missing != 0)
            state.leave_out(BTF_EXTRA_REASON_PARAMETER, missing);
        else if (const uint32_t reason = choice.refusal ? choice.refusal(*func.object, site) : 0)
            state.leave_out(reason);
        else
            state.usable++;
    }
}

class Chooser {
  public:
    Chooser(SiteTables &tables, const PhantomChoice &choice, const std::vector<Stub> &exposed,
            std::unordered_set<std::string> taken)
        : tables_(tables), choice_(choice), exposed_(exposed), names_(std::move(taken)) {
        for (const Stub &stub : exposed)
            names_.add_stub(stub.name);
    }

    Result<ChosenPhantoms> run();

  private:
    Result<void> find(const std::string &text);
    Result<void> choose(const std::string &name);
    uint32_t without(const DescribedFunc &func);
    void add(const SourceFunc &func, std::string name);
    PhantomFunc row_of(const DescribedFunc &func, uint32_t without);
    const Stub *exposed(const PhantomFunc &func) const;

    SiteTables &tables_;
    const PhantomChoice &choice_;
    const std::vector<Stub> &exposed_;
    StubNames names_;
    std::set<std::string> wanted_names_;
    std::set<FuncKey> wanted_;
    std::set<std::string> left_out_params_;
    std::map<uint32_t, uint32_t> sums_;  // CRC-32 of the func_info of an object
    ChosenPhantoms out_;
};

Result<void> Chooser::find(const std::string &text) {
    const FuncText parsed = TRY(parse_func_text(text));
    auto found = TRY(tables_.find(parsed));
    std::erase_if(found, [](const FoundFunc &each) { return !is_inlined(each); });
    for (const FoundFunc &each : found) {
        wanted_names_.emplace(each.object->view->func_name(each.id));
        wanted_.insert(key_of(each));
    }
    if (!found.empty())
        return {};
    const auto sites = TRY(tables_.find(parsed));
    if (sites.empty())
        return unknown_func(tables_, parsed, text);
    out_.refused.push_back({text, "it is not inlined"});
    return {};
}

uint32_t Chooser::without(const DescribedFunc &func) {
    uint32_t out = 0;
    for (size_t i = 0; i < std::min<size_t>(func.params.size(), kMaxParams); i++)
        if (std::ranges::count(choice_.without, func.params[i]) != 0) {
            out |= 1u << i;
            left_out_params_.insert(func.params[i]);
        }
    return out;
}

PhantomFunc Chooser::row_of(const DescribedFunc &func, uint32_t without) {
    const btf_blob &blob = blob_of(func);
    const auto [sum, is_new] = sums_.emplace(func.found.object->id, 0);
    if (is_new)
        sum->second = static_cast<uint32_t>(crc32_z(0, blob.data, blob.size));
    return {func.found.object->name, blob.size, sum->second, func.found.id, without};
}

const Stub *Chooser::exposed(const PhantomFunc &func) const {
    for (const Stub &stub : exposed_)
        for (const PhantomFunc &each : stub.funcs)
            if (each.object == func.object && each.func_id == func.func_id &&
                each.func_info_size == func.func_info_size &&
                each.func_info_crc32 == func.func_info_crc32)
                return &stub;
    return nullptr;
}

void Chooser::add(const SourceFunc &source, std::string name) {
    ChosenPhantom out = {};
    const Stub *there = nullptr;
    bool complete = true;
    for (const DescribedFunc &func : source.funcs) {
        if (!wanted_.contains(key_of(func.found)))
            continue;
        const uint32_t mask = without(func);
        std::string reason = refusal(func, mask);
        if (!reason.empty()) {
            out_.refused.push_back({func.text(), std::move(reason)});
            return;
        }
        Stub &stub = out.phantom.stub;
        stub.funcs.push_back(row_of(func, mask));
        if (const Stub *known = exposed(stub.funcs.back()))
            there = known;
        else
            complete = false;
        count_sites(func.found, mask, choice_, out.state);
        if (out.phantom.prototype.types == nullptr)
            out.phantom.prototype = {func.found.object, &blob_of(func), func.found.id, mask};
    }
    out.there = there != nullptr;
    out.phantom.stub.name = there != nullptr ? there->name : std::move(name);
    const std::vector<PhantomFunc> &funcs = out.phantom.stub.funcs;
    if (there != nullptr && (!complete || there->funcs.front().without != funcs.front().without)) {
        out_.refused.push_back(
            {source.funcs.front().text(),
             fmt::format("its stub has {}: expose --remove {}",
                         complete ? "other parameters" : "fewer objects", there->name)});
        return;
    }
    out_.phantoms.push_back(std::move(out));
}

Result<void> Chooser::choose(const std::string &name) {
    auto sources = TRY(namesakes(tables_, name));
    std::erase_if(sources, [](const SourceFunc &each) { return !each.inlined(); });
    std::vector<NamedFunc> named;
    std::vector<bool> asked;
    for (const SourceFunc &each : sources) {
        named.push_back(
            {name, each.file().value_or(each.funcs.front().found.object->name), each.has_body()});
        asked.push_back(std::ranges::any_of(each.funcs, [&](const DescribedFunc &func) {
            return wanted_.contains(key_of(func.found)) && exposed(row_of(func, 0)) == nullptr;
        }));
    }
    const std::vector<std::string> names = names_.name(named, asked);
    for (size_t i = 0; i < sources.size(); i++)
        if (std::ranges::any_of(sources[i].funcs, [&](const DescribedFunc &func) {
                return wanted_.contains(key_of(func.found));
            }))
            add(sources[i], names[i]);
    return {};
}

Result<ChosenPhantoms> Chooser::run() {
    for (const std::string &text : choice_.funcs)
        TRY(find(text));
    for (const std::string &name : wanted_names_)
        TRY(choose(name));
    for (const std::string &param : choice_.without)
        if (!left_out_params_.contains(param))
            return Error{fmt::format("none of the functions has a parameter {}", param)};
    std::ranges::sort(out_.phantoms, {}, [](const auto &each) { return each.phantom.stub.name; });
    return std::move(out_);
}

// The names of symbols, and of the FUNCs of vmlinux's BTF.
Result<std::unordered_set<std::string>> taken_names(SiteTables &tables) {
    const std::vector<SharedObject> &objects = *TRY(tables.objects());
    if (objects.empty())
        return Error{tables.name() + ": no objects"};
    const loc_arch *arch = loc_arch_running();
    if (arch == nullptr || objects.front()->view->file().machine != arch->machine)
        return Error{tables.name() + ": for another architecture"};
    if (tables.source() == SiteTables::Source::kForeign || tables.symbols() == nullptr)
        return Error{fmt::format("{}: the names of the kernel's symbols are not known: {}",
                                 tables.name(),
                                 tables.running() ? kHiddenAddresses : "--vmlinux has them")};
    std::unordered_set<std::string> out;
    for (const std::string_view name : tables.symbols()->all_names())
        out.emplace(name);
    const btf_blob *base = &objects.front()->view->locations().blob();
    while (base->base != nullptr)
        base = base->base;
    if (base->data == nullptr)
        return Error{tables.name() + ": vmlinux BTF is missing"};
    for (uint32_t id = 1; id < btf_blob_end_id(base); id++) {
        const btf_type *type = btf_blob_type(base, id);
        const char *name = type != nullptr && loc_kind(type) == BTF_KIND_FUNC
                               ? btf_blob_string(base, type->name_off)
                               : nullptr;
        if (name != nullptr)
            out.emplace(name);
    }
    return out;
}

}  // namespace

Result<ChosenPhantoms> choose_phantoms(SiteTables &tables, const PhantomChoice &choice,
                                       const std::vector<Stub> &exposed) {
    auto taken = TRY(taken_names(tables));
    taken.insert(choice.taken.begin(), choice.taken.end());
    return Chooser(tables, choice, exposed, std::move(taken)).run();
}

}  // namespace btf_extra::phantoms
