// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// These sites of a real kernel were read by hand.
#include <fmt/format.h>

#include "tests/support/libdw_location.h"
#include "tests/support/vmlinux_suite.h"

namespace btf_extra {
namespace {

struct Pin {
    const char *function;
    loc_class site_class;
    const char *symbol;
    uint64_t offset;
    struct Param {
        test::PlainLocation location;  // if size is 0, there is no location, for this reason
        MissingReason reason{};
    };
    std::vector<Param> params;
};

Pin::Param reg(uint32_t number, uint32_t size = 8) {
    return {{size, LOC_REG, {number}}};
}
Pin::Param pair(uint32_t low, uint32_t high) {
    return {{16, LOC_REG, {low, high}}};
}
Pin::Param value(uint32_t number, uint32_t offset, uint32_t size = 8) {
    return {{size, LOC_REG | LOC_OFFSET, {number, offset}}};
}
Pin::Param memory(uint32_t number, uint32_t offset, uint32_t size = 8) {
    if (offset == 0)
        return {{size, LOC_REG | LOC_DEREF, {number}}};
    return {{size, LOC_REG | LOC_DEREF | LOC_OFFSET, {number, offset}}};
}
Pin::Param constant(uint32_t number, uint32_t size = 8) {
    return size > 4 ? Pin::Param{{size, LOC_CONST, {number, 0}}}
                    : Pin::Param{{size, LOC_CONST, {number}}};
}
Pin::Param address(uint32_t from_text) {
    return {{8, LOC_CONST | LOC_ADDR, {from_text, 0}}};
}
Pin::Param sign_extended(Pin::Param param) {
    param.location.flags |= LOC_SIGNED;
    return param;
}
Pin::Param none(MissingReason reason) {
    return {{}, reason};
}

// Each was read by hand from llvm-dwarfdump --debug-info=OFFSET and from the bytes of
// .debug_loclists of Debian's kernel 6.1.192-2 cloud-amd64, and compared with objdump -d. None was
// taken from btf-extra.
constexpr char kPinnedBuildId[] = "3b43fad5034874490492495d552c0af6a5fab235";

std::vector<Pin> pins() {
    using enum MissingReason;
    return {
        // The entry view is 11. The list entry [+0x98, +0x98) is valid from view 11 up to 13.
        {"skb_headlen", LOC_CLASS_INLINE, "audit_log_nf_skb", 0x98, {reg(5)}},
        // The list has one entry, of zero length, at +0x0.
        {"skb_headlen", LOC_CLASS_INLINE, "__skb_to_sgvec", 0x5, {none(kNoLocationHere)}},
        // &sgx_encl_release, 0xffffffff8105ae70
        {"kref_put", LOC_CLASS_INLINE, "sgx_mmu_notifier_free", 0x1a, {reg(5), address(0x5ae70)}},
        // &rchan_buf->kref: the instruction after next is lea 0x70(%rdi),%rdx
        {"kref_put",
         LOC_CLASS_INLINE,
         "relay_file_release",
         0xc,
         {value(5, 0x70), none(kOptimizedOut)}},
        // DWARF has flags before size.
        {"kmalloc",
         LOC_CLASS_INLINE,
         "attribute_container_add_device",
         0x54,
         {constant(0x310), constant(0xdc0, 4)}},
        // fbreg -216 and -360; six pushes, sub $0x130,%rsp; mov 0x90(%rsp),%rdi
        {"set_pte_at",
         LOC_CLASS_INLINE,
         "try_to_unmap_one",
         0x9eb,
         {reg(12), memory(7, 0), memory(7, 0x90), none(kOptimizedOut)}},
        // fbreg -136 as a value; six pushes, sub $0xa0,%rsp
        {"crypto_wait_req",
         LOC_CLASS_INLINE,
         "fscrypt_crypt_block",
         0x24f,
         {reg(0, 4), value(7, 0x50)}},
        // breg1 0, const1u 0xff, and
        {"is_pointer_value", LOC_CLASS_INLINE, "check_cond_jmp_op", 0x4dd, {reg(13), reg(1, 1)}},
        // This is the same with r15, in an entry of zero length.
        {"op_is_write", LOC_CLASS_INLINE, "blk_rq_map_kern", 0x22, {reg(15, 1)}},
        // (int)(r14 + 1), sign-extended; the code is lea 0x1(%r14),%edx
        {"find_next_bit",
         LOC_CLASS_INLINE,
         "sched_init_numa",
         0x5fa,
         {none(kNoLocationHere), constant(0x400), sign_extended(value(14, 1, 4))}},
        // movslq 0x90(%rsp),%rdx
        {"count_vm_events",
         LOC_CLASS_INLINE,
         "migrate_pages",
         0x560,
         {constant(0x38, 4), sign_extended(memory(7, 0x90, 4))}},
        // &alarmtimer_nsleep_wakeup, 0xffffffff8114e0b0
        {"alarm_init",
         LOC_CLASS_INLINE,
         "alarm_timer_nsleep_restart",
         0x34,
         {reg(3), reg(6, 4), address(0x14e0b0)}},
        // cpu_info + 0x28, per-CPU: DW_OP_addr 0x19068
        {"x86_this_cpu_constant_test_bit",
         LOC_CLASS_INLINE,
         "native_play_dead",
         0x3c,
         {constant(0x83, 4), constant(0x19068)}},
        // DW_OP_entry_value(rsi), 0x2f bytes into the function
        {"sugov_iowait_apply",
         LOC_CLASS_INLINE,
         "sugov_iowait_apply",
         0x2f,
         {reg(5), none(kEntryValue)}},
        // The compiler made the third parameter a constant, DW_AT_const_value 0x80.
        {"i8042_pnp_id_to_string",
         LOC_CLASS_BODY,
         "i8042_pnp_id_to_string.constprop.0",
         0x0,
         {reg(5), reg(4), constant(0x80, 4)}},
        // Three instances, one inside the other, are at one instruction. DWARF has a3 first.
        {"audit_syscall_entry",
         LOC_CLASS_INLINE,
         "syscall_trace_enter.constprop.0",
         0x105,
         {reg(12, 4), reg(4), reg(5), memory(13, 0x60), reg(8)}},
        {"audit_context", LOC_CLASS_INLINE, "syscall_trace_enter.constprop.0", 0x105, {}},
        {"get_current", LOC_CLASS_INLINE, "syscall_trace_enter.constprop.0", 0x105, {}},
        // the code is mov (%rdx),%rax; mov 0x8(%rdx),%rcx; then comes the site
        {"timespec64_to_ktime", LOC_CLASS_INLINE, "do_sys_poll", 0x4e2, {pair(0, 2)}},
    };
}

class VmlinuxPins : public test::VmlinuxSuite {
  protected:
    // Returns the number of the only site of the function at this place.
    static std::optional<uint32_t> find(const Pin &pin) {
        std::vector<uint32_t> found;
        for (const Symbol *symbol : symbols_->named(pin.symbol)) {
            for (uint32_t i = 0; i < view_->index().nr_elf_sections; i++) {
                const ElfSection *elf = kernel_->find(view_->index().elf_sections[i].name);
                if (!elf || elf->index != symbol->section)
                    continue;
                const uint64_t offset = symbol->offset + pin.offset;
                const loc_range range =
                    loc_index_by_offset(&view_->index(), i, static_cast<uint32_t>(offset));
                for (uint32_t at = range.first; at < range.end; at++) {
                    const uint32_t number = view_->index().by_offset[at];
                    const loc_section *section = nullptr;
                    const loc_site *site = loc_index_site(&view_->index(), number, &section);
                    if (section->loc_class == uint32_t{pin.site_class} &&
                        view_->func_name(site->func) == pin.function)
                        found.push_back(number);
                }
            }
        }
        return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
    }
};

TEST_F(VmlinuxPins, SitesReadByHand) {
    if (view_->build_id() != kPinnedBuildId)
        GTEST_SKIP() << "they were read from the kernel with build-id " << kPinnedBuildId
                     << " (6.1.192-2), this is " << view_->build_id();
    for (const Pin &pin : pins()) {
        SCOPED_TRACE(fmt::format("{} at {}+{:#x}", pin.function, pin.symbol, pin.offset));
        const std::optional<uint32_t> number = find(pin);
        ASSERT_TRUE(number) << "no such site, or several";
        const std::vector<Parameter> params = view_->parameters(*number);
        ASSERT_EQ(params.size(), pin.params.size());
        for (size_t i = 0; i < params.size(); i++) {
            SCOPED_TRACE(params[i].name);
            const Pin::Param &expected = pin.params[i];
            if (expected.location.size == 0) {
                EXPECT_EQ(params[i].loc, nullptr);
                EXPECT_EQ(params[i].reason, expected.reason);
                continue;
            }
            ASSERT_NE(params[i].loc, nullptr);
            const uint32_t *values = loc_param_values(params[i].loc);
            EXPECT_EQ(params[i].loc->size, expected.location.size);
            EXPECT_EQ(loc_param_flags(params[i].loc), expected.location.flags);
            EXPECT_EQ(std::vector<uint32_t>(values, values + loc_vlen(params[i].loc)),
                      expected.location.values);
        }
    }
}

}  // namespace
}  // namespace btf_extra
