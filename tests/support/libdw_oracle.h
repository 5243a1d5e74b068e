// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads all inlined instances and out-of-line bodies of a linked kernel with libdw and libelf: what
// the .btf_extra file of that kernel must say. Written from the description of the wire format; it
// shares no code with the generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_ORACLE_H
#define BTF_EXTRA_TESTS_LIBDW_ORACLE_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/libdw_location.h"
#include "tests/support/objdump_flow.h"

namespace btf_extra::test {

// One parameter at one site.
struct OracleParam {
    enum Kind : uint8_t {
        kNoAttribute,  // neither DW_AT_location nor DW_AT_const_value
        kNoEntry,      // no list entry is valid at the site
        kBadSize,      // there is a location, but the size is 0 or more than 16 bytes
        kPlain,        // number is an index of plain()
        kComputed,     // number is an index of computed()
        kUndecoded,    // the list has an operation that libdw does not know
        kNoValue,      // registers and memory at the site do not give the value
    };
    Kind kind = kNoAttribute;
    uint8_t entries = 0;  // number of entries of the site for it
    uint32_t number = 0;
    uint64_t die = 0;  // offset of the entry with the location; 0: none
};

struct OracleSite {
    std::string_view section;
    uint64_t offset = 0;
    std::string_view function;
    bool body = false;
    bool variadic = false;
    uint64_t die = 0;
    uint32_t first_param = 0;  // index in params(), in the order of the prototype
    uint32_t param_count = 0;
    uint32_t function_number = 0;  // number of its abstract instance
};

struct OracleCounts {
    uint64_t rust_units = 0;
    uint64_t inline_instances =
        0;                    // DW_TAG_inlined_subroutine with an address, in bodies that count
    uint64_t copies = 0;      // entries of instances that only the line table has
    uint64_t overridden = 0;  // bodies without a symbol, which are left out
    uint64_t outside_sections = 0;    // sites at an address outside all executable sections
    uint64_t without_name = 0;        // sites of a function without a name
    uint64_t unknown_origin = 0;      // parameters of a site that its prototype does not have
    uint64_t two_entries = 0;         // parameters of a site with more than one entry
    uint64_t two_locations = 0;       // ... and more than one entry with a location there
    uint64_t plain_behind_other = 0;  // ... the first is not in a plain shape, and a later one is
    uint64_t in_blocks = 0;           // formal parameters in lexical blocks of a site
    uint64_t variables = 0;           // DW_TAG_variable whose origin is a formal parameter
    uint64_t variables_located = 0;   // ... with a location at the site
    uint64_t not_stored_yet =
        0;                     // in the function's own frame, by one expression for the whole scope
    uint64_t later_view = 0;   // the location is from an entry that begins at a later view
    uint64_t zero_length = 0;  // the location is from an entry of zero length
};

class LibdwOracle {
  public:
    // Says what is at a fixed distance from .text wherever the object is loaded.
    enum Image : uint8_t {
        kKernel,  // everything but per-CPU data
        kModule,  // nothing
    };

    // computed() has values for machines. They and the flow of the file must outlive only this
    // call. Throws std::runtime_error.
    LibdwOracle(const std::string &path, const ObjdumpFlow &flow, std::span<const Machine> machines,
                Image image = kKernel);
    ~LibdwOracle();
    LibdwOracle(const LibdwOracle &) = delete;
    LibdwOracle &operator=(const LibdwOracle &) = delete;

    struct Computed {
        std::vector<std::optional<ParamValue>> values;  // on each machine
        std::string operations;                         // opcodes as text: "70 08 1a 9f "
    };

    const std::vector<OracleSite> &sites() const { return sites_; }
    std::span<const OracleParam> params(const OracleSite &site) const {
        return std::span(params_).subspan(site.first_param, site.param_count);
    }
    const std::vector<PlainLocation> &plain() const { return plain_; }
    const std::vector<Computed> &computed() const { return computed_; }
    // These are those of the abstract instance. A type is text like "*const struct sk_buff", down
    // to the first name.
    std::string_view param_name(const OracleSite &site, size_t param) const;
    uint64_t param_size(const OracleSite &site, size_t param) const;
    const std::string &param_type(const OracleSite &site, size_t param) const;
    const std::string &return_type(const OracleSite &site) const;
    // Returns DW_AT_decl_file as it is written, or "" if there is none. Reads the unit's line
    // table.
    std::string_view declared_file(const OracleSite &site) const;
    const OracleCounts &counts() const { return counts_; }

  private:
    class Walk;
    struct FunctionParam {
        uint64_t die = 0;
        std::string_view name;
        uint64_t size = 0;
        std::string type;
    };
    struct Function {
        uint64_t die = 0;
        std::string_view name;
        std::string return_type;
        bool variadic = false;
        std::vector<FunctionParam> params;
    };

    struct Handle;  // owns the file that the names point into
    std::unique_ptr<Handle> handle_;
    std::vector<Function> functions_;
    std::vector<OracleSite> sites_;
    std::vector<OracleParam> params_;
    std::vector<PlainLocation> plain_;
    std::vector<Computed> computed_;
    OracleCounts counts_;
};

}  // namespace btf_extra::test

#endif
