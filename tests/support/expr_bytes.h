// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes DWARF expressions as they are read: breg(5, 8) + Op::kStackValue. Opcode numbers are those
// of DWARF 5, 7.7.1, and of GNU's extensions.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace btf_extra::test {

enum class Op : uint8_t {
    kAddr = 0x03,
    kDeref = 0x06,
    kConst1u = 0x08,
    kConst1s = 0x09,
    kConst2u = 0x0a,
    kConst2s = 0x0b,
    kConst4u = 0x0c,
    kConst4s = 0x0d,
    kConst8u = 0x0e,
    kConst8s = 0x0f,
    kConstu = 0x10,
    kConsts = 0x11,
    kDup = 0x12,
    kDrop = 0x13,
    kOver = 0x14,
    kPick = 0x15,
    kSwap = 0x16,
    kRot = 0x17,
    kXderef = 0x18,
    kAbs = 0x19,
    kAnd = 0x1a,
    kDiv = 0x1b,
    kMinus = 0x1c,
    kMod = 0x1d,
    kMul = 0x1e,
    kNeg = 0x1f,
    kNot = 0x20,
    kOr = 0x21,
    kPlus = 0x22,
    kPlusUconst = 0x23,
    kShl = 0x24,
    kShr = 0x25,
    kShra = 0x26,
    kXor = 0x27,
    kBra = 0x28,
    kEq = 0x29,
    kGe = 0x2a,
    kGt = 0x2b,
    kLe = 0x2c,
    kLt = 0x2d,
    kNe = 0x2e,
    kSkip = 0x2f,
    kLit0 = 0x30,
    kReg0 = 0x50,
    kBreg0 = 0x70,
    kRegx = 0x90,
    kFbreg = 0x91,
    kBregx = 0x92,
    kPiece = 0x93,
    kDerefSize = 0x94,
    kXderefSize = 0x95,
    kNop = 0x96,
    kPushObjectAddress = 0x97,
    kCall2 = 0x98,
    kCall4 = 0x99,
    kCallRef = 0x9a,
    kFormTlsAddress = 0x9b,
    kCallFrameCfa = 0x9c,
    kBitPiece = 0x9d,
    kImplicitValue = 0x9e,
    kStackValue = 0x9f,
    kImplicitPointer = 0xa0,
    kAddrx = 0xa1,
    kConstx = 0xa2,
    kEntryValue = 0xa3,
    kConstType = 0xa4,
    kRegvalType = 0xa5,
    kDerefType = 0xa6,
    kXderefType = 0xa7,
    kConvert = 0xa8,
    kReinterpret = 0xa9,
    kGnuPushTlsAddress = 0xe0,
    kGnuUninit = 0xf0,
    kGnuImplicitPointer = 0xf2,
    kGnuEntryValue = 0xf3,
    kGnuConstType = 0xf4,
    kGnuRegvalType = 0xf5,
    kGnuDerefType = 0xf6,
    kGnuConvert = 0xf7,
    kGnuReinterpret = 0xf9,
    kGnuParameterRef = 0xfa,
    kGnuAddrIndex = 0xfb,
    kGnuConstIndex = 0xfc,
};

struct Expr {
    std::vector<uint8_t> bytes;

    Expr() = default;
    Expr(Op op)
        : bytes{static_cast<uint8_t>(op)} {}  // implicit because most operations are one byte
    explicit Expr(std::vector<uint8_t> raw) : bytes(std::move(raw)) {}

    Expr &operator+=(const Expr &other) {
        bytes.insert(bytes.end(), other.bytes.begin(), other.bytes.end());
        return *this;
    }
};

inline Expr operator+(Expr first, const Expr &then) {
    first += then;
    return first;
}
inline Expr operator+(Op first, Op then) {
    return Expr(first) + Expr(then);
}

// ---- operands ----

inline Expr raw(std::vector<uint8_t> bytes) {
    return Expr(std::move(bytes));
}

inline Expr fixed(uint64_t value, uint32_t bytes) {
    Expr result;
    for (uint32_t i = 0; i < bytes; i++)
        result.bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
    return result;
}

inline Expr uleb(uint64_t value) {
    Expr result;
    for (; value >= 0x80; value >>= 7)
        result.bytes.push_back(static_cast<uint8_t>(value | 0x80));
    result.bytes.push_back(static_cast<uint8_t>(value));
    return result;
}

inline Expr sleb(int64_t value) {
    Expr result;
    for (; value < -0x40 || value > 0x3f; value >>= 7)
        result.bytes.push_back(static_cast<uint8_t>((value & 0x7f) | 0x80));
    result.bytes.push_back(static_cast<uint8_t>(value & 0x7f));
    return result;
}

inline Expr block(const Expr &inner) {
    return uleb(inner.bytes.size()) + inner;
}

// ---- operations with operands ----

inline Expr numbered(Op first, uint32_t number) {
    return Expr(static_cast<Op>(static_cast<uint32_t>(first) + number));
}
inline Expr lit(uint32_t number) {
    return numbered(Op::kLit0, number);
}
inline Expr reg(uint32_t number) {
    return numbered(Op::kReg0, number);
}
inline Expr regx(uint64_t number) {
    return Op::kRegx + uleb(number);
}
inline Expr breg(uint32_t number, int64_t offset) {
    return numbered(Op::kBreg0, number) + sleb(offset);
}
inline Expr bregx(uint64_t number, int64_t offset) {
    return Op::kBregx + uleb(number) + sleb(offset);
}
inline Expr fbreg(int64_t offset) {
    return Op::kFbreg + sleb(offset);
}
inline Expr const1u(uint8_t value) {
    return Op::kConst1u + fixed(value, 1);
}
inline Expr const1s(int8_t value) {
    return Op::kConst1s + fixed(static_cast<uint64_t>(value), 1);
}
inline Expr const2u(uint16_t value) {
    return Op::kConst2u + fixed(value, 2);
}
inline Expr const2s(int16_t value) {
    return Op::kConst2s + fixed(static_cast<uint64_t>(value), 2);
}
inline Expr const4u(uint32_t value) {
    return Op::kConst4u + fixed(value, 4);
}
inline Expr const4s(int32_t value) {
    return Op::kConst4s + fixed(static_cast<uint64_t>(value), 4);
}
inline Expr const8u(uint64_t value) {
    return Op::kConst8u + fixed(value, 8);
}
inline Expr const8s(int64_t value) {
    return Op::kConst8s + fixed(static_cast<uint64_t>(value), 8);
}
inline Expr constu(uint64_t value) {
    return Op::kConstu + uleb(value);
}
inline Expr consts(int64_t value) {
    return Op::kConsts + sleb(value);
}
inline Expr addr(uint64_t address) {
    return Op::kAddr + fixed(address, 8);
}
inline Expr addrx(uint64_t index) {
    return Op::kAddrx + uleb(index);
}
inline Expr plus_uconst(uint64_t value) {
    return Op::kPlusUconst + uleb(value);
}
inline Expr pick(uint8_t index) {
    return Op::kPick + fixed(index, 1);
}
inline Expr deref_size(uint8_t bytes) {
    return Op::kDerefSize + fixed(bytes, 1);
}
inline Expr skip(int16_t bytes) {
    return Op::kSkip + fixed(static_cast<uint64_t>(bytes), 2);
}
inline Expr bra(int16_t bytes) {
    return Op::kBra + fixed(static_cast<uint64_t>(bytes), 2);
}
inline Expr piece(uint64_t bytes) {
    return Op::kPiece + uleb(bytes);
}
inline Expr bit_piece(uint64_t bits, uint64_t from) {
    return Op::kBitPiece + uleb(bits) + uleb(from);
}
inline Expr implicit_value(std::vector<uint8_t> bytes) {
    return Op::kImplicitValue + block(raw(std::move(bytes)));
}
inline Expr entry_value(const Expr &inner) {
    return Op::kEntryValue + block(inner);
}
inline Expr const_type(uint64_t type, std::vector<uint8_t> bytes) {
    const auto size = static_cast<uint8_t>(bytes.size());
    return Op::kConstType + uleb(type) + fixed(size, 1) + raw(std::move(bytes));
}
inline Expr regval_type(uint64_t reg, uint64_t type) {
    return Op::kRegvalType + uleb(reg) + uleb(type);
}
inline Expr deref_type(uint8_t bytes, uint64_t type) {
    return Op::kDerefType + fixed(bytes, 1) + uleb(type);
}
inline Expr convert(uint64_t type) {
    return Op::kConvert + uleb(type);
}
inline Expr reinterpret(uint64_t type) {
    return Op::kReinterpret + uleb(type);
}

}  // namespace btf_extra::test
