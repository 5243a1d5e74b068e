// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_oracle.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "tests/support/libdw_copies.h"
#include "tests/support/libdw_list.h"
#include "tests/support/type_text.h"
#include "userspace/format/core_api.h"

namespace btf_extra::test {

namespace {

constexpr unsigned kGnuEntryView = 0x2138;  // DW_AT_GNU_entry_view

[[noreturn]] void fail(const std::string &what) {
    const char *message = dwarf_errmsg(-1);
    throw std::runtime_error(what + ": " + (message ? message : "malformed"));
}

struct LinkedSection {
    std::string_view name;
    uint64_t address;
    uint64_t size;
    bool executable;
};

}  // namespace

struct LibdwOracle::Handle {
    explicit Handle(const std::string &path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
        if (!dwarf)
            fail(path);
        Elf *elf = dwarf_getelf(dwarf);
        size_t names = 0;
        elf_getshdrstrndx(elf, &names);
        for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
            GElf_Shdr header;
            if (!gelf_getshdr(section, &header))
                fail(path);
            const std::string_view name = elf_strptr(elf, names, header.sh_name);
            if (header.sh_flags & SHF_ALLOC)
                sections.push_back(
                    {name, header.sh_addr, header.sh_size, (header.sh_flags & SHF_EXECINSTR) != 0});
            if (name == ".symtab")
                note_symbols(section);
            const bool version4 = name == ".debug_loc";
            if (!version4 && name != ".debug_loclists")
                continue;
            const Elf_Data *data = elf_getdata(section, nullptr);
            if (data && data->d_buf)
                (version4 ? loc : loclists) = {static_cast<const uint8_t *>(data->d_buf),
                                               data->d_size};
        }
    }
    ~Handle() {
        dwarf_end(dwarf);
        if (fd >= 0)
            close(fd);
    }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    void note_symbols(Elf_Scn *section) {
        Elf_Data *data = elf_getdata(section, nullptr);
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
            if (symbol.st_shndx != SHN_UNDEF && (GELF_ST_TYPE(symbol.st_info) == STT_FUNC ||
                                                 GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE))
                add_symbol(symbol);
    }

    // The largest one at an address counts.
    void add_symbol(const GElf_Sym &symbol) {
        uint64_t &end = symbols[symbol.st_value];
        end = std::max(end, symbol.st_value + std::max<uint64_t>(symbol.st_size, 1));
    }
    // Returns true if a symbol has its code there, or the file has no symbols.
    bool in_symbol(uint64_t address) const {
        const auto behind = symbols.upper_bound(address);
        return symbols.empty() ||
               (behind != symbols.begin() && address < std::prev(behind)->second);
    }

    int fd;
    Dwarf *dwarf = nullptr;
    std::map<uint64_t, uint64_t> symbols;  // of code: where each begins and ends
    std::vector<LinkedSection> sections;
    std::span<const uint8_t> loc, loclists;
};

class LibdwOracle::Walk {
  public:
    Walk(LibdwOracle &oracle, const ObjdumpFlow &flow, std::span<const Machine> machines,
         Image image)
        : oracle_(oracle), flow_(flow), machines_(machines), image_(image),
          cfi_(dwarf_getcfi(oracle.handle_->dwarf)) {
        for (const LinkedSection &section : oracle.handle_->sections)
            if (section.name == ".text")
                text_ = section.address;
    }

    void all_units() {
        Dwarf_CU *unit = nullptr;
        Dwarf_Die top;
        int more;
        while ((more = dwarf_get_units(oracle_.handle_->dwarf, unit, &unit, &version_, nullptr,
                                       &top, nullptr)) == 0) {
            const int language = dwarf_srclang(&top);
            if (language == DW_LANG_Rust)
                oracle_.counts_.rust_units++;
            else if (language != DW_LANG_Mips_Assembler)
                unit_sites(top);
        }
        if (more < 0)
            fail("units");
    }

  private:
    static constexpr uint32_t kNoSite = UINT32_MAX;

    struct Enclosing {  // the out-of-line function
        uint64_t entry = 0;
        bool frame_base_is_cfa = false;
    };
    struct Scope {
        uint32_t site = kNoSite;  // the site whose child is visited
        bool in_block = false;    // the child is in a block of that site
        uint64_t address = 0;
        uint64_t view = 0;
        const Enclosing *enclosing = nullptr;
    };

    static bool attribute(Dwarf_Die &die, unsigned name, Dwarf_Attribute &result) {
        return dwarf_attr(&die, name, &result) != nullptr;
    }
    static bool refers(Dwarf_Die &die, unsigned name, Dwarf_Die &target) {
        Dwarf_Attribute reference;
        return attribute(die, name, reference) && dwarf_formref_die(&reference, &target);
    }

    void unit_sites(Dwarf_Die &top) {
        bodies_.clear();
        children(top, {});
        for (const LibdwCopy &copy : libdw_entries(top, &flow_).copies)
            add_copy(copy);
    }

    // If several instances share a copy, the site gets what all of them say.
    void add_copy(const LibdwCopy &copy) {
        uint32_t first = kNoSite;
        for (Dwarf_Die instance : copy.instances) {
            const auto body = bodies_.find(dwarf_dieoffset(&instance));
            if (body == bodies_.end())
                return;  // it is in an overridden function
            Scope scope{.address = copy.address, .view = copy.view, .enclosing = &body->second};
            scope.site = add_site(instance, copy.address, false);
            if (scope.site == kNoSite)
                return;
            Dwarf_Die child;
            for (int end = dwarf_child(&instance, &child); end == 0;
                 end = dwarf_siblingof(&child, &child))
                if (dwarf_tag(&child) == DW_TAG_formal_parameter)
                    parameter(child, scope);
            if (first == kNoSite) {
                first = scope.site;
                continue;
            }
            merge_params(first, scope.site);
            oracle_.params_.resize(oracle_.sites_[scope.site].first_param);
            oracle_.sites_.pop_back();
        }
        oracle_.counts_.copies++;
    }

    void merge_params(uint32_t into, uint32_t from) {
        OracleParam *const a = &oracle_.params_[oracle_.sites_[into].first_param];
        const OracleParam *const b = &oracle_.params_[oracle_.sites_[from].first_param];
        for (uint32_t i = 0; i < oracle_.sites_[into].param_count; i++)
            if (!same(a[i], b[i]))
                a[i].kind = a[i].kind == b[i].kind && a[i].kind == OracleParam::kComputed
                                ? OracleParam::kNoValue
                                : OracleParam::kNoEntry;
    }

    bool same(const OracleParam &a, const OracleParam &b) const {
        if (a.kind != b.kind)
            return false;
        if (a.kind == OracleParam::kComputed)
            return oracle_.computed_[a.number].values == oracle_.computed_[b.number].values;
        return a.kind != OracleParam::kPlain || a.number == b.number;
    }

    void children(Dwarf_Die &parent, const Scope &scope) {
        Dwarf_Die die;
        int end = dwarf_child(&parent, &die);
        for (; end == 0; end = dwarf_siblingof(&die, &die))
            visit(die, scope);
        if (end < 0)
            fail("children");
    }

    void visit(Dwarf_Die &die, const Scope &scope) {
        Scope inner = scope;
        Enclosing enclosing;
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram: {
            inner = {};
            if (!code_start(die, inner.address))
                break;
            // This is the body of an overridden weak definition: nothing calls it.
            if (!oracle_.handle_->in_symbol(inner.address)) {
                oracle_.counts_.overridden++;
                return;
            }
            enclosing.entry = inner.address;
            Dwarf_Attribute base;
            Dwarf_Op *ops = nullptr;
            size_t count = 0;
            enclosing.frame_base_is_cfa = attribute(die, DW_AT_frame_base, base) &&
                                          dwarf_getlocation(&base, &ops, &count) == 0 &&
                                          count == 1 && ops[0].atom == DW_OP_call_frame_cfa;
            inner.enclosing = &enclosing;
            inner.site = add_site(die, inner.address, true);
            break;
        }
        case DW_TAG_inlined_subroutine: {
            inner.site = kNoSite;
            inner.in_block = false;
            inner.view = 0;
            if (!code_start(die, inner.address))
                break;
            Dwarf_Attribute view;
            Dwarf_Word number = 0;
            if (attribute(die, kGnuEntryView, view) && dwarf_formudata(&view, &number) == 0)
                inner.view = number;
            oracle_.counts_.inline_instances++;
            if (inner.enclosing)
                bodies_.emplace(dwarf_dieoffset(&die), *inner.enclosing);
            inner.site = add_site(die, inner.address, false);
            break;
        }
        case DW_TAG_formal_parameter:
            if (scope.site != kNoSite && scope.in_block)
                oracle_.counts_.in_blocks++;
            else if (scope.site != kNoSite)
                parameter(die, scope);
            return;
        case DW_TAG_variable:
            if (scope.site != kNoSite)
                variable(die, scope);
            return;
        case DW_TAG_lexical_block:
            inner.in_block = true;
            break;
        default:
            inner.site = kNoSite;
        }
        children(die, inner);
    }

    static bool code_start(Dwarf_Die &die, uint64_t &address) {
        const auto entry = libdw_entry(&die);
        address = entry.value_or(0);
        return entry.has_value();
    }

    uint32_t add_site(Dwarf_Die &die, uint64_t address, bool body) {
        const auto &sections = oracle_.handle_->sections;
        const auto section = std::find_if(sections.begin(), sections.end(), [&](const auto &s) {
            return s.executable && address - s.address < s.size;
        });
        if (section == sections.end()) {
            oracle_.counts_.outside_sections++;
            return kNoSite;
        }
        const uint32_t function = function_of(die);
        const Function &source = oracle_.functions_[function];
        if (source.name.empty()) {
            oracle_.counts_.without_name++;
            return kNoSite;
        }
        OracleSite site;
        site.section = section->name;
        site.offset = address - section->address;
        site.function = source.name;
        site.body = body;
        site.variadic = source.variadic;
        site.die = dwarf_dieoffset(&die);
        site.first_param = static_cast<uint32_t>(oracle_.params_.size());
        site.param_count = static_cast<uint32_t>(source.params.size());
        site.function_number = function;
        oracle_.params_.resize(oracle_.params_.size() + site.param_count);
        oracle_.sites_.push_back(site);
        return static_cast<uint32_t>(oracle_.sites_.size() - 1);
    }

    uint32_t function_of(Dwarf_Die die) {
        Dwarf_Die origin;
        while (refers(die, DW_AT_abstract_origin, origin))
            die = origin;
        const auto [known, fresh] = functions_.try_emplace(
            dwarf_dieoffset(&die), static_cast<uint32_t>(oracle_.functions_.size()));
        if (!fresh)
            return known->second;
        Function function;
        function.die = dwarf_dieoffset(&die);
        function.return_type = dwarf_type_text(die);
        if (const char *name = dwarf_diename(&die))
            function.name = name;
        Dwarf_Die child;
        int end = dwarf_child(&die, &child);
        for (; end == 0; end = dwarf_siblingof(&child, &child)) {
            if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
                function.variadic = true;
            if (dwarf_tag(&child) != DW_TAG_formal_parameter)
                continue;
            FunctionParam param;
            param.die = dwarf_dieoffset(&child);
            if (const char *name = dwarf_diename(&child))
                param.name = name;
            Dwarf_Die type;
            Dwarf_Word size = 0;
            if (refers(child, DW_AT_type, type) && dwarf_aggregate_size(&type, &size) == 0)
                param.size = size;
            param.type = dwarf_type_text(child);
            function.params.push_back(param);
        }
        oracle_.functions_.push_back(std::move(function));
        return known->second;
    }

    const Function &function_of_site(uint32_t site) const {
        return oracle_.functions_[oracle_.sites_[site].function_number];
    }

    // Returns the position in the prototype, or -1.
    int position(Dwarf_Die die, const Function &function) {
        for (;;) {
            const uint64_t offset = dwarf_dieoffset(&die);
            for (size_t i = 0; i < function.params.size(); i++)
                if (function.params[i].die == offset)
                    return static_cast<int>(i);
            Dwarf_Die origin;
            if (!refers(die, DW_AT_abstract_origin, origin))
                return -1;
            die = origin;
        }
    }

    void parameter(Dwarf_Die &die, const Scope &scope) {
        const Function &function = function_of_site(scope.site);
        const int at = position(die, function);
        if (at < 0) {
            oracle_.counts_.unknown_origin++;
            return;
        }
        OracleParam &param =
            oracle_.params_[oracle_.sites_[scope.site].first_param + static_cast<uint32_t>(at)];
        const OracleParam found =
            located(die, function.params[static_cast<size_t>(at)].size, scope);
        // A parameter can have two DIEs. The first one with a location at the address counts.
        const bool nothing_yet = param.kind <= OracleParam::kNoEntry;
        if (param.entries++ > 0) {
            oracle_.counts_.two_entries++;
            if (!nothing_yet && found.kind > OracleParam::kNoEntry) {
                oracle_.counts_.two_locations++;
                if (found.kind == OracleParam::kPlain && param.kind != OracleParam::kPlain)
                    oracle_.counts_.plain_behind_other++;
            }
        }
        if (nothing_yet && found.kind != OracleParam::kNoAttribute) {
            const uint8_t entries = param.entries;
            param = found;
            param.entries = entries;
        }
    }

    void variable(Dwarf_Die &die, const Scope &scope) {
        Dwarf_Die origin;
        if (!refers(die, DW_AT_abstract_origin, origin) ||
            dwarf_tag(&origin) != DW_TAG_formal_parameter)
            return;
        oracle_.counts_.variables++;
        if (located(die, 8, scope).kind > OracleParam::kNoEntry)
            oracle_.counts_.variables_located++;
    }

    OracleParam located(Dwarf_Die &die, uint64_t size, const Scope &scope) {
        OracleParam param;
        Dwarf_Attribute location, constant;
        if (!attribute(die, DW_AT_location, location)) {
            if (!attribute(die, DW_AT_const_value, constant))
                return param;
            param.die = dwarf_dieoffset(&die);
            return in_constant(constant, size, param);
        }
        param.die = dwarf_dieoffset(&die);
        LocationOps ops{.attribute = &location, .ops = {}};
        const auto &lists = version_ >= 5 ? oracle_.handle_->loclists : oracle_.handle_->loc;
        const InForce found = operations_in_force(die, location, lists, scope.address, scope.view);
        if (!found.decoded || !found.found) {
            param.kind = found.decoded ? OracleParam::kNoEntry : OracleParam::kUndecoded;
            return param;
        }
        oracle_.counts_.later_view += found.later_view;
        oracle_.counts_.zero_length += found.zero_length;
        ops.ops = found.ops;
        if (ops.ops.empty()) {  // the standard: the same as no location
            param.kind = OracleParam::kNoValue;
            return param;
        }
        if (size < 1 || size > 16) {
            param.kind = OracleParam::kBadSize;
            return param;
        }
        LocationPlace place;
        place.cfa = [&] { return cfa(scope.address); };
        if (scope.enclosing && scope.enclosing->frame_base_is_cfa)
            place.frame_base = {{.op = Op::kCallFrameCfa}};
        place.registers = kRegisters;
        place.at_function_entry = scope.enclosing && scope.enclosing->entry == scope.address;
        place.linked_address = [this](uint64_t address) { return linked(address); };
        const auto plain = plain_location(ops, size, place);
        if (plain && !is_location_list(location) && in_own_frame(*plain, place)) {
            oracle_.counts_.not_stored_yet++;
            param.kind = OracleParam::kNoEntry;
            return param;
        }
        if (plain)
            return add_plain(*plain, param);
        Computed computed;
        computed.values = location_values(ops, size, place, machines_);
        param.kind = computed.values.empty() ? OracleParam::kNoValue : OracleParam::kComputed;
        for (const Dwarf_Op &op : ops.ops) {
            char text[32];
            std::snprintf(text, sizeof text, "%02x ", op.atom);
            computed.operations += text;
        }
        param.number = static_cast<uint32_t>(oracle_.computed_.size());
        oracle_.computed_.push_back(std::move(computed));
        return param;
    }

    // The memory is below the CFA. A single expression for the whole scope does not say when it is
    // written: the store may be at the site or after it.
    static bool in_own_frame(const PlainLocation &plain, const LocationPlace &place) {
        const std::optional<CfaRule> cfa = place.cfa();
        if (!(plain.flags & LOC_DEREF) || !cfa || plain.values[0] != cfa->reg)
            return false;
        int64_t offset = 0;
        if (plain.values.size() == 2)
            offset = plain.flags & LOC_SIGNED ? static_cast<int32_t>(plain.values[1])
                                              : int64_t{plain.values[1]};
        return offset < cfa->offset;
    }

    OracleParam in_constant(Dwarf_Attribute &constant, uint64_t size, OracleParam param) {
        Dwarf_Word number = 0;
        Dwarf_Sword signed_number = 0;
        Dwarf_Block block;
        param.kind = OracleParam::kNoValue;
        if (size < 1 || size > 16) {
            param.kind = OracleParam::kBadSize;
            return param;
        }
        switch (dwarf_whatform(&constant)) {
        case DW_FORM_sdata:
        case DW_FORM_implicit_const:
            if (dwarf_formsdata(&constant, &signed_number) != 0)
                fail("DW_AT_const_value");
            number = static_cast<Dwarf_Word>(signed_number);
            break;
        case DW_FORM_block:
        case DW_FORM_block1:
        case DW_FORM_block2:
        case DW_FORM_block4:
        case DW_FORM_exprloc:
        case DW_FORM_data16:
            if (dwarf_formblock(&constant, &block) != 0 || block.length != size || size > 8)
                return param;
            std::copy_n(block.data, size, reinterpret_cast<uint8_t *>(&number));
            break;
        case DW_FORM_string:
        case DW_FORM_strp:
        case DW_FORM_line_strp:
        case DW_FORM_strx:
            return param;
        default:
            if (dwarf_formudata(&constant, &number) != 0)
                fail("DW_AT_const_value");
        }
        const auto plain = plain_constant(number, size);
        return plain ? add_plain(*plain, param) : param;
    }

    OracleParam add_plain(const PlainLocation &plain, OracleParam param) {
        const auto [known, fresh] = plain_numbers_.try_emplace(
            {plain.size, plain.flags, plain.values}, static_cast<uint32_t>(oracle_.plain_.size()));
        if (fresh)
            oracle_.plain_.push_back(plain);
        param.kind = OracleParam::kPlain;
        param.number = known->second;
        return param;
    }

    std::optional<CfaRule> cfa(uint64_t address) {
        Dwarf_Frame *frame = nullptr;
        if (!cfi_ || dwarf_cfi_addrframe(cfi_, address, &frame) != 0)
            return std::nullopt;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        std::optional<CfaRule> rule;
        if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1) {
            if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
                rule = {uint64_t{ops[0].atom} - DW_OP_breg0, static_cast<int64_t>(ops[0].number)};
            else if (ops[0].atom == DW_OP_bregx)
                rule = {ops[0].number, static_cast<int64_t>(ops[0].number2)};
        }
        free(frame);
        return rule;
    }

    // Addresses of vmlinux are relative to the base of .text. Per-CPU data is linked at 0 and does
    // not move.
    LinkedAddress linked(uint64_t address) const {
        if (image_ == kModule)
            return {};
        uint64_t image_end = 0;
        for (const LinkedSection &section : oracle_.handle_->sections) {
            if (section.address == 0) {
                if (address <= section.size)
                    return {.kind = LinkedAddress::kFixed};
                continue;
            }
            image_end = std::max(image_end, section.address + section.size);
        }
        if (address < text_ || address > image_end)
            return {};
        return {.kind = LinkedAddress::kMoves, .relative = address - text_};
    }

    LibdwOracle &oracle_;
    const ObjdumpFlow &flow_;
    std::span<const Machine> machines_;
    Image image_;
    Dwarf_CFI *cfi_;
    uint64_t text_ = 0;
    Dwarf_Half version_ = 0;
    std::unordered_map<uint64_t, Enclosing> bodies_;    // bodies around the instances of a unit
    std::unordered_map<uint64_t, uint32_t> functions_;  // by the offset of the abstract instance
    std::map<std::tuple<uint32_t, uint32_t, std::vector<uint32_t>>, uint32_t> plain_numbers_;
};

LibdwOracle::LibdwOracle(const std::string &path, const ObjdumpFlow &flow,
                         std::span<const Machine> machines, Image image)
    : handle_(std::make_unique<Handle>(path)) {
    Walk(*this, flow, machines, image).all_units();
}

LibdwOracle::~LibdwOracle() = default;

std::string_view LibdwOracle::param_name(const OracleSite &site, size_t param) const {
    return functions_[site.function_number].params[param].name;
}

uint64_t LibdwOracle::param_size(const OracleSite &site, size_t param) const {
    return functions_[site.function_number].params[param].size;
}

const std::string &LibdwOracle::param_type(const OracleSite &site, size_t param) const {
    return functions_[site.function_number].params[param].type;
}

const std::string &LibdwOracle::return_type(const OracleSite &site) const {
    return functions_[site.function_number].return_type;
}

std::string_view LibdwOracle::declared_file(const OracleSite &site) const {
    Dwarf_Die die;
    const char *file = nullptr;
    if (dwarf_offdie(handle_->dwarf, functions_[site.function_number].die, &die))
        file = dwarf_decl_file(&die);
    return file ? file : "";
}

}  // namespace btf_extra::test
