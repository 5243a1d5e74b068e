// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/context_reads.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

#include <linux/bpf.h>

namespace btf_extra::audit {
namespace {

// The kernel loads no longer program (BPF_COMPLEXITY_LIMIT_INSNS).
constexpr size_t kMaxInstructions = 1000000;
// A real program is a fixed point after a few visits of each instruction.
constexpr size_t kVisits = 64;

struct Value {
    enum class Kind : uint8_t { kNone, kOther, kNumber, kContext, kMixed };
    Kind kind = Kind::kNone;
    int32_t offset = 0;  // from the context; or the number

    bool operator==(const Value &) const = default;
    bool may_be_context() const { return kind == Kind::kContext || kind == Kind::kMixed; }
};
using Kind = Value::Kind;

constexpr Value kOther = {Kind::kOther, 0}, kMixed = {Kind::kMixed, 0};

// Returns the value on two ways that meet.
Value joined(const Value &a, const Value &b) {
    if (a == b || b.kind == Kind::kNone)
        return a;
    if (a.kind == Kind::kNone)
        return b;
    return a.may_be_context() || b.may_be_context() ? kMixed : kOther;
}

struct State {
    std::array<Value, 11> registers;
    std::map<int16_t, Value> stack;  // 8 bytes each, by offset from R10: those that may be context

    // Returns true if this changes the state.
    bool join(const State &other) {
        bool changed = false;
        const auto take = [&changed](Value &to, const Value &from) {
            const Value both = joined(to, from);
            changed |= both != to;
            to = both;
        };
        for (size_t i = 0; i < registers.size(); i++)
            take(registers[i], other.registers[i]);
        for (const auto &[offset, value] : other.stack) {
            const Value from = stack.contains(offset) ? value : kMixed;
            take(stack[offset], from);
        }
        for (auto &[offset, value] : stack)
            if (!other.stack.contains(offset))
                take(value, kMixed);
        return changed;
    }
};

class Follower {
  public:
    explicit Follower(std::span<const bpf_insn> program) : program_(program) {}

    ContextReads follow();

  private:
    // Runs one instruction, and appends where it goes on. Returns false if the context is lost.
    bool step(size_t at, State &state, std::vector<size_t> &next);
    bool calculate(const bpf_insn &insn, State &state);
    bool load(const bpf_insn &insn, State &state);
    bool store(const bpf_insn &insn, State &state);
    bool call(const bpf_insn &insn, State &state);
    bool read_memory(const Value &size, const Value &source);

    std::span<const bpf_insn> program_;
    ContextReads reads_;
};

ContextReads Follower::follow() {
    if (program_.empty() || program_.size() > kMaxInstructions)
        return {};
    std::map<size_t, State> before;
    State first;
    first.registers[BPF_REG_1] = {Kind::kContext, 0};
    first.registers[BPF_REG_10] = kOther;
    before.emplace(0, std::move(first));
    std::vector<size_t> open = {0}, next;
    for (size_t visits = 0; !open.empty(); visits++) {
        if (visits > kVisits * program_.size())
            return {};
        const size_t at = open.back();
        open.pop_back();
        State state = before[at];
        next.clear();
        if (!step(at, state, next))
            return {};
        for (const size_t target : next) {
            if (target >= program_.size())
                return {};
            const auto [entry, fresh] = before.try_emplace(target, state);
            if (fresh || entry->second.join(state))
                open.push_back(target);
        }
    }
    reads_.known = true;
    return std::move(reads_);
}

bool Follower::step(size_t at, State &state, std::vector<size_t> &next) {
    const bpf_insn &insn = program_[at];
    if (insn.dst_reg > BPF_REG_10 || insn.src_reg > BPF_REG_10)
        return false;
    const uint8_t kind = BPF_CLASS(insn.code);
    if (insn.code == (BPF_LD | BPF_IMM | BPF_DW)) {
        state.registers[insn.dst_reg] = insn.src_reg == 0 ? Value{Kind::kNumber, insn.imm} : kOther;
        next.push_back(at + 2);
        return true;
    }
    if (kind != BPF_JMP && kind != BPF_JMP32) {
        next.push_back(at + 1);
        switch (kind) {
        case BPF_ALU:
        case BPF_ALU64:
            return calculate(insn, state);
        case BPF_LDX:
            return load(insn, state);
        case BPF_ST:
        case BPF_STX:
            return store(insn, state);
        default:
            return false;  // packets, which no tracing program has
        }
    }
    const auto jump = [&](int64_t distance) {
        next.push_back(static_cast<size_t>(static_cast<int64_t>(at) + 1 + distance));
    };
    switch (BPF_OP(insn.code)) {
    case BPF_EXIT:
        return true;
    case BPF_CALL:
        next.push_back(at + 1);
        return call(insn, state);
    case BPF_JA:
        if (BPF_SRC(insn.code) != BPF_K)
            return false;  // a jump by a table
        jump(kind == BPF_JMP32 ? insn.imm : insn.off);
        return true;
    default:
        jump(0);
        jump(insn.off);
        return true;
    }
}

bool Follower::calculate(const bpf_insn &insn, State &state) {
    Value &to = state.registers[insn.dst_reg];
    const bool wide = BPF_CLASS(insn.code) == BPF_ALU64;
    const Value from = BPF_SRC(insn.code) == BPF_X ? state.registers[insn.src_reg]
                                                   : Value{Kind::kNumber, insn.imm};
    const uint8_t op = BPF_OP(insn.code);
    if (op == BPF_MOV) {
        // A move of fewer bits keeps no address.
        to = wide && insn.off == 0 ? from : (from.kind == Kind::kNumber ? from : kOther);
        return true;
    }
    if ((op == BPF_ADD || op == BPF_SUB) && wide) {
        const auto add = [&](const Value &base, int32_t number) {
            return Value{
                base.kind,
                static_cast<int32_t>(
                    static_cast<uint32_t>(base.offset) +
                    static_cast<uint32_t>(op == BPF_SUB ? -static_cast<int64_t>(number) : number))};
        };
        if (from.kind == Kind::kNumber && (to.kind == Kind::kContext || to.kind == Kind::kNumber)) {
            to = add(to, from.offset);
            return true;
        }
        if (op == BPF_ADD && to.kind == Kind::kNumber && from.kind == Kind::kContext) {
            to = add(from, to.offset);
            return true;
        }
    }
    to = to.may_be_context() || from.may_be_context() ? kMixed : kOther;
    return true;
}

bool Follower::load(const bpf_insn &insn, State &state) {
    constexpr std::array<uint32_t, 4> kSizes = {4, 2, 1, 8};  // BPF_W, BPF_H, BPF_B, BPF_DW
    const uint32_t size = kSizes[BPF_SIZE(insn.code) >> 3];
    const Value from = state.registers[insn.src_reg];
    Value loaded = kOther;
    if (insn.src_reg == BPF_REG_10) {
        const auto slot = state.stack.find(insn.off);
        if (slot != state.stack.end() && size == 8)
            loaded = slot->second;
    } else if (from.kind == Kind::kContext) {
        const int64_t offset = int64_t{from.offset} + insn.off;
        if (offset < 0 || offset > UINT16_MAX)
            return false;
        reads_.bytes.emplace(static_cast<uint32_t>(offset), size);
    } else if (from.kind == Kind::kMixed) {
        return false;
    }
    state.registers[insn.dst_reg] = loaded;
    return true;
}

bool Follower::store(const bpf_insn &insn, State &state) {
    const bool atomic = BPF_CLASS(insn.code) == BPF_STX && BPF_MODE(insn.code) != BPF_MEM;
    const Value from = BPF_CLASS(insn.code) == BPF_STX ? state.registers[insn.src_reg] : kOther;
    if (atomic) {
        if (from.may_be_context() || state.registers[insn.dst_reg].may_be_context())
            return false;
        if ((insn.imm & BPF_FETCH) != 0)
            state.registers[insn.imm == BPF_CMPXCHG ? 0 : insn.src_reg] = kOther;
        return true;
    }
    if (insn.dst_reg != BPF_REG_10)
        return !from.may_be_context();
    // A store of any size into a slot replaces its address.
    for (int16_t slot = static_cast<int16_t>(insn.off - 7); slot < insn.off + 8; slot++)
        state.stack.erase(slot);
    if (from.may_be_context()) {
        if (BPF_SIZE(insn.code) != BPF_DW)
            return true;
        state.stack[insn.off] = from;
    }
    return true;
}

// Notes what a helper copies from the context.
bool Follower::read_memory(const Value &size, const Value &source) {
    if (source.kind != Kind::kContext || size.kind != Kind::kNumber)
        return false;
    if (source.offset < 0 || source.offset > UINT16_MAX || size.offset < 0 ||
        size.offset > UINT16_MAX)
        return false;
    reads_.bytes.emplace(static_cast<uint32_t>(source.offset), static_cast<uint32_t>(size.offset));
    return true;
}

bool Follower::call(const bpf_insn &insn, State &state) {
    auto &r = state.registers;
    const bool helper = insn.src_reg == 0;
    bool others = false;  // than R1 have the context
    for (int i = BPF_REG_2; i <= BPF_REG_5; i++)
        others |= r[static_cast<size_t>(i)].may_be_context();
    if (helper && others) {
        switch (insn.imm) {
        case BPF_FUNC_probe_read:
        case BPF_FUNC_probe_read_kernel:
            if (!read_memory(r[BPF_REG_2], r[BPF_REG_3]) || r[BPF_REG_1].may_be_context())
                return false;
            break;
        default:
            return false;
        }
    } else if (!helper && (others || r[BPF_REG_1].may_be_context())) {
        return false;
    } else if (r[BPF_REG_1].may_be_context()) {
        if (insn.imm == BPF_FUNC_tail_call)
            return false;
        if (insn.imm == BPF_FUNC_get_func_arg) {
            if (r[BPF_REG_2].kind != Kind::kNumber || r[BPF_REG_2].offset < 0)
                return false;
            reads_.arguments.insert(static_cast<uint32_t>(r[BPF_REG_2].offset));
        }
    }
    for (int i = BPF_REG_0; i <= BPF_REG_5; i++)
        r[static_cast<size_t>(i)] = kOther;
    return true;
}

}  // namespace

ContextReads context_reads(std::span<const bpf_insn> program) {
    return Follower(program).follow();
}

}  // namespace btf_extra::audit
