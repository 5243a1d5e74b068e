// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Every variable that libdw finds in a real kernel is in the types or has a reason, and no other
// is. nm shows what the kernel finds by each name.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <bpf/btf.h>

#include "tests/support/libdw_variables.h"
#include "tests/support/vmlinux_suite.h"
#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

using test::DwarfVariable;
using test::NmSymbol;

struct FreeBtf {
    void operator()(btf *p) const { btf__free(p); }
};

class VmlinuxVariables : public test::VmlinuxSuite {
  protected:
    static void SetUpTestSuite() {
        VmlinuxSuite::SetUpTestSuite();
        if (kernel_path_.empty())
            return;
        dwarf_ = test::dwarf_variables(kernel_path_);
        symbols_of_ = test::nm_symbols(kernel_path_);
    }
    static void TearDownTestSuite() {
        dwarf_.clear();
        symbols_of_.clear();
        VmlinuxSuite::TearDownTestSuite();
    }
    static const VariableList &list() { return *view_->file().variables; }

    // Returns what kallsyms_lookup_name() finds. nullptr: nothing.
    static const NmSymbol *first_symbol(const std::string &name) {
        const auto found = symbols_of_.find(name);
        if (found == symbols_of_.end())
            return nullptr;
        return &*std::ranges::min_element(found->second, {}, &NmSymbol::address);
    }
    static uint64_t address_of(const char *symbol) {
        const NmSymbol *found = first_symbol(symbol);
        return found ? found->address : 0;
    }
    static uint64_t address_of(const VariableList::LeftOut &variable) {
        return list().sections[variable.section].address + variable.offset;
    }
    static std::string_view section_of(uint64_t address) {
        for (const ElfSection &section : kernel_->sections())
            if (section.allocated() && address - section.address < section.size)
                return section.name;
        return "";
    }
    // Returns the reason that the definition must have; 0: the types contain it.
    static VariableReason reason_of(const DwarfVariable &variable) {
        if (!variable.address)
            return variable.no_location ? VariableReason::kOptimizedOut : VariableReason::kComputed;
        const NmSymbol *symbol = first_symbol(variable.name);
        if (!symbol)
            return VariableReason::kNoSymbol;
        if (symbol->address != *variable.address || symbol->type == 'A' || symbol->type == 'a')
            return VariableReason::kOtherSymbol;
        const uint64_t address = *variable.address;
        if (address >= address_of("__per_cpu_start") && address < address_of("__per_cpu_end"))
            return VariableReason::kPerCpu;
        // .init.scratch of x86 comes after the kernel, and the page allocator gets its memory.
        if ((address >= address_of("__init_begin") && address < address_of("__init_end")) ||
            section_of(address).starts_with(".init"))
            return VariableReason::kFreed;
        if (symbol->size != 0 && variable.size > symbol->size)
            return VariableReason::kSize;
        return variable.type.empty() ? VariableReason::kNoType : VariableReason{};
    }

    static inline std::vector<DwarfVariable> dwarf_;
    static inline std::map<std::string, std::vector<NmSymbol>> symbols_of_;
};

TEST_F(VmlinuxVariables, EachIsInTheTypesOrHasItsReason) {
    ASSERT_GT(dwarf_.size(), 10000u);
    std::set<std::string> written;
    const btf_blob &blob = view_->types().blob();
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (loc_kind(type) != BTF_KIND_VAR)
            continue;
        EXPECT_TRUE(written.insert(btf_blob_string(&blob, type->name_off)).second);
    }
    using Left = std::tuple<std::string, uint8_t, uint64_t>;
    std::set<Left> left_out;
    for (const VariableList::LeftOut &each : list().left_out)
        left_out.emplace(each.name, static_cast<uint8_t>(each.reason),
                         each.section == VariableList::kNone ? 0 : address_of(each));

    std::set<std::string> expected;
    std::set<Left> expected_left_out;
    for (const DwarfVariable &each : dwarf_) {
        const VariableReason reason = reason_of(each);
        if (reason == VariableReason{})
            expected.insert(each.name);
        else  // the address of one that the linker has discarded is in no section
            expected_left_out.emplace(
                each.name, static_cast<uint8_t>(reason),
                each.address && !section_of(*each.address).empty() ? *each.address : 0);
    }
    EXPECT_GT(expected.size(), 1000u);
    size_t shown = 0;
    for (const std::string &name : expected)
        if (!written.contains(name) && shown++ < 10)
            ADD_FAILURE() << name << " is missing";
    for (const std::string &name : written)
        if (!expected.contains(name) && shown++ < 20)
            ADD_FAILURE() << name << " must not be in the types";
    for (const Left &each : expected_left_out)
        if (!left_out.contains(each) && shown++ < 30)
            ADD_FAILURE() << std::get<0>(each) << " has no reason " << int{std::get<1>(each)}
                          << " at " << std::hex << std::get<2>(each);
    for (const Left &each : left_out)
        if (!expected_left_out.contains(each) && shown++ < 40)
            ADD_FAILURE() << std::get<0>(each) << " must not have reason " << int{std::get<1>(each)}
                          << " at " << std::hex << std::get<2>(each);
    EXPECT_EQ(shown, 0u);
}

// libbpf sees the size of each type and the kind of DWARF.
TEST_F(VmlinuxVariables, HaveTheTypesOfDwarf) {
    const std::unique_ptr<btf, FreeBtf> base(btf__parse(kernel_path_.c_str(), nullptr));
    ASSERT_NE(base, nullptr);
    const std::unique_ptr<btf, FreeBtf> types(btf__parse_split(file().c_str(), base.get()));
    ASSERT_NE(types, nullptr);
    std::map<std::string, const DwarfVariable *> by_name;
    for (const DwarfVariable &each : dwarf_)
        if (reason_of(each) == VariableReason{})
            by_name.emplace(each.name, &each);
    size_t compared = 0, shown = 0;
    for (uint32_t id = btf__type_cnt(base.get()); id < btf__type_cnt(types.get()); id++) {
        const btf_type *var = btf__type_by_id(types.get(), id);
        if (!btf_is_var(var))
            continue;
        const std::string name = btf__name_by_offset(types.get(), var->name_off);
        const auto found = by_name.find(name);
        if (found == by_name.end())
            continue;  // the other test shows it
        const DwarfVariable &dwarf = *found->second;
        compared++;
        const int64_t size = btf__resolve_size(types.get(), var->type);
        uint32_t at = var->type;
        std::string text;
        for (const btf_type *type = btf__type_by_id(types.get(), at); text.empty();
             type = btf__type_by_id(types.get(), at)) {
            const std::string its_name = btf__name_by_offset(types.get(), type->name_off);
            if (btf_is_mod(type) || btf_is_typedef(type))
                at = type->type;
            else if (btf_is_array(type))
                text = "[] of";
            else
                text = btf_is_ptr(type)        ? "pointer"
                       : btf_is_struct(type)   ? "struct " + its_name
                       : btf_is_union(type)    ? "union " + its_name
                       : btf_is_any_enum(type) ? "enum " + its_name
                                               : its_name;
        }
        const uint32_t linkage = btf_var(var)->linkage;
        const bool agrees = static_cast<uint64_t>(size) == dwarf.size &&
                            dwarf.type.substr(0, text == "[] of" ? 5 : std::string::npos) == text &&
                            (linkage == BTF_VAR_GLOBAL_ALLOCATED) == dwarf.external;
        if (!agrees && shown++ < 20)
            ADD_FAILURE() << name << ": " << text << " of " << size << " bytes, linkage " << linkage
                          << "; DWARF: " << dwarf.type << " of " << dwarf.size;
    }
    EXPECT_EQ(shown, 0u);
    EXPECT_EQ(compared, by_name.size());
}

}  // namespace
}  // namespace btf_extra
