// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The model of an object between reading its DWARF and writing its BTF: plain structures, which the
// reader fills and the writer uses.
#ifndef BTF_EXTRA_SITE_MODEL_H
#define BTF_EXTRA_SITE_MODEL_H

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/provenance.h"
#include "userspace/format/variable_list.h"
#include "userspace/generator/model/code_range.h"
#include "userspace/generator/model/hash.h"
#include "userspace/generator/model/interned_lists.h"

namespace btf_extra::generator {

// A LOC_PARAM record of the wire format: where a value is.
struct LocParam {
    uint32_t size = 0;   // bytes of the value, 1..16
    uint32_t flags = 0;  // LOC_* of kernel/core/loc_entry.h
    uint32_t vlen = 0;   // values in use
    std::array<uint32_t, 3> values{};

    auto operator<=>(const LocParam &) const = default;
};

struct LocParamHash {
    size_t operator()(const LocParam &param) const {
        uint64_t hash = hash_mix(param.size, param.flags);
        hash = hash_mix(hash, param.vlen);
        for (const uint32_t value : param.values)
            hash = hash_mix(hash, value);
        return hash;
    }
};

// The bytes of an expression: see kernel/core/loc_expression.h.
using ExpressionCode = std::vector<uint8_t>;

// A parameter at a site: a LOC_PARAM, or the reason why it has none. It may then have an
// expression.
struct Location {
    LocParam param;          // meaningful if there is no reason
    MissingReason reason{};  // 0: available
    ExpressionCode code{};   // only with a reason; empty: it has none

    bool available() const { return reason == MissingReason{}; }
    static Location missing(MissingReason why) { return {.param = {}, .reason = why}; }
    bool operator==(const Location &) const = default;
};

// A type of the output: an id of the base BTF (0: void), or with kNewType set the number of a type
// that the base lacks (see type_map.h).
using TypeId = uint32_t;
constexpr TypeId kNewType = 0x80000000u;

// A type of the input: the .debug_info offset of its DIE; 0 is void.
using TypeRef = uint64_t;

enum class TypeKind : uint8_t {
    kVoid,
    kInt,
    kFloat,
    kPtr,
    kConst,
    kVolatile,
    kRestrict,
    kTypedef,
    kStruct,
    kUnion,
    kEnum,
    kArray,
    kFuncProto,
    kUnsupported,  // C and BTF have no such type
};

struct SourceMember {
    std::string_view name;
    TypeRef type = 0;
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;  // 0: not a bit field
};

struct SourceEnumerator {
    std::string_view name;
    uint64_t value = 0;  // sign-extended
};

struct SourceParam {
    std::string_view name;
    TypeRef type = 0;
};

// One type as the debug information describes it. The types that it refers to are described on
// request. Strings live as long as the input file.
struct SourceType {
    TypeKind kind = TypeKind::kVoid;
    std::string_view name;              // empty: anonymous
    uint64_t size = 0;                  // bytes: int, float, struct, union, enum
    bool declaration = false;           // struct, union, enum without a body here
    bool is_signed = false;             // int, enum
    bool is_char = false;               // int
    bool is_bool = false;               // int
    bool variadic = false;              // function prototype
    TypeRef target = 0;                 // pointer, qualifier, typedef, array element, return type
    uint64_t elements = 0;              // array
    std::vector<SourceMember> members;  // struct, union
    std::vector<std::string_view> type_tags;    // pointer: btf_type_tag of what it points to
    std::vector<SourceEnumerator> enumerators;  // enum
    std::vector<SourceParam> params;            // function prototype
};

// Describes types. Each thread has its own.
class TypeSource {
  public:
    virtual ~TypeSource() = default;
    // Describes the type at ref. Members, enumerators and parameters are there only with details.
    virtual SourceType describe(TypeRef ref, bool details) = 0;
};

// A source function, as one unit sees it. Names live as long as the input file, paths as long as
// the UnitSites.
struct SourceFunction {
    std::string_view name;
    std::string_view file;  // DW_AT_decl_file, normalised, relative to the source tree
    std::string_view unit;  // DW_AT_name of the unit, likewise
    bool external = false;
    bool variadic = false;
    bool declared_inline = false;  // as far as this unit knows
    TypeId return_type = 0;
    uint32_t first_param = 0;  // in the unit's param_types and param_names
    uint32_t nr_params = 0;    // without the void of a variadic function
    uint32_t base_id = 0;      // the FUNC of the base with that name and prototype, or 0
    // The location lists of its instances and bodies show this, if the unit has last values. Bit n
    // is for parameter n, and the last bit for all that follow, too.
    struct {
        uint64_t assigned = 0;  // it has more than one value in one of them
        uint64_t placed = 0;    // one of them has it in a register or in memory
        uint64_t again = 0;     // another one, too
    } values;
    // Set if this is not a function of the source but a body that the compiler has changed: name is
    // then its symbol (foo.isra.0), and section << 32 | offset distinguishes it from others of that
    // name.
    std::optional<uint64_t> only_body;
};

enum class SiteClass : uint8_t { kInline, kBody };

// A parameter at a site: the number of a LocParam, or with kMissing set a MissingReason. With
// kComputed set, too, it has an expression, whose number is below the reason.
using ParamSlot = uint32_t;
constexpr ParamSlot kMissing = 0x80000000u;
constexpr ParamSlot kComputed = 0x40000000u;
constexpr uint32_t kComputedReasonShift = 24;
constexpr uint32_t kMaxExpressions = 1u << kComputedReasonShift;
// The void that ends a variadic prototype is no parameter, and its place has no reason.
constexpr ParamSlot kVariadicEnd = kMissing;
constexpr ParamSlot missing_slot(MissingReason why) {
    return kMissing | static_cast<ParamSlot>(why);
}
constexpr ParamSlot computed_slot(uint32_t expression, MissingReason why) {
    return kMissing | kComputed | static_cast<ParamSlot>(why) << kComputedReasonShift | expression;
}
constexpr bool is_computed(ParamSlot slot) {
    return (slot & kComputed) != 0;
}
constexpr uint32_t expression_of(ParamSlot slot) {
    return slot & (kMaxExpressions - 1);
}
// slot has kMissing set.
constexpr MissingReason reason_of(ParamSlot slot) {
    const ParamSlot why = slot & ~(kMissing | kComputed);
    return static_cast<MissingReason>(is_computed(slot) ? why >> kComputedReasonShift : why);
}

// A place where a call of a function begins: an inlined instance or an out-of-line body.
struct Site {
    uint32_t function = 0;  // number of a SourceFunction
    uint32_t section = 0;   // number of an executable section
    uint32_t offset = 0;    // bytes from the start of that section
    SiteClass site_class = SiteClass::kInline;
    uint8_t marks = 0;      // SITE_MARK_*
    bool no_probe = false;  // kprobes refuse the site
    // ftrace does not know the function around it. Unless marks say already what that means, the
    // site is unlisted if that function is inline in any unit, and else closed. body is the number
    // of its SourceFunction + 1, or 0: it is not inline.
    bool untraced = false;
    uint32_t body = 0;
    uint32_t params = 0;  // number of the list of its ParamSlots, in order of the prototype
};

// The code of a body or of an inlined instance.
struct CodeFrame {
    static constexpr uint32_t kNoCaller = UINT32_MAX;

    uint32_t function = 0;        // number of a SourceFunction
    uint32_t caller = kNoCaller;  // number of the frame that it is inlined in; a body has none
    uint32_t first_range = 0;     // in the unit's frame_ranges
    uint32_t nr_ranges = 0;       // as DWARF has them
    uint32_t call_file = 0;       // of an instance: number in the unit's call_files
    uint32_t call_line = 0;       // 0: not known
};

// A variable of static storage. Its file is like that of a SourceFunction.
struct Variable {
    std::string_view name;
    std::string_view file;            // empty: it is not known
    std::optional<uint64_t> address;  // link-time; none: it has no place of its own in memory
    TypeId type = 0;                  // if there is no reason
    VariableReason reason{};          // 0: the types contain it
    bool external = false;
};

// All that was read of one unit.
struct UnitSites {
    std::deque<std::string> paths;  // that functions refer to
    std::vector<SourceFunction> functions;
    std::vector<TypeId> param_types;            // of all functions
    std::vector<std::string_view> param_names;  // of the same parameters
    std::vector<Site> sites;
    std::vector<CodeFrame> frames;  // a body, then all that is inlined in it, callers first
    std::vector<CodeRange> frame_ranges;
    // Frames are called in these, like SourceFunction::file; empty: none is, or it is not known.
    std::vector<std::string_view> call_files{1};
    std::vector<Variable> variables;  // definitions
    std::vector<LocParam> loc_params;
    std::vector<ExpressionCode> expressions;
    InternedLists param_lists;
    uint64_t inline_instances = 0;   // DW_TAG_inlined_subroutine with an address
    uint64_t overridden_bodies = 0;  // left out, and all that is inlined there
    uint64_t outside_sections = 0;   // sites at an address in no executable section
    uint64_t contradicted = 0;       // other sites that are left out: their address cannot be true
    bool skipped_rust = false;
    // A location at an inlined site may be the one of a value that the function assigns.
    bool has_last_values = false;
    bool knows_traced = false;  // the file says which functions ftrace knows
    std::string error;          // not empty: the unit is malformed

    std::span<const TypeId> types_of(const SourceFunction &function) const {
        return std::span(param_types).subspan(function.first_param, function.nr_params);
    }
    std::span<const std::string_view> names_of(const SourceFunction &function) const {
        return std::span(param_names).subspan(function.first_param, function.nr_params);
    }
};

}  // namespace btf_extra::generator

#endif
