// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A parameter at a site as other tracers write it: tracefs kprobe_events and
// perf probe ("len=+8(%sp):u32"), bpftrace ("*(uint32 *)(reg("sp")+8)").
#ifndef BTF_EXTRA_PROBE_TEXT_H
#define BTF_EXTRA_PROBE_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

#include "userspace/format/core_api.h"

namespace btf_extra {

// How a value is read and shown.
struct ProbeValue {
    uint32_t size = 8;  // of the parameter's type
    enum { kSigned, kUnsigned, kHex } form = kHex;
};
ProbeValue probe_value(const btf_blob &blob, uint32_t type_id);

// A field of an event: "skb=%di:x64". Probes of one event agree in names and types.
struct ProbeField {
    std::string name, place, type;

    std::string text() const { return name + "=" + place + ":" + type; }
};

struct ProbeArg {
    std::vector<ProbeField> fields;  // of a pair two of them; empty: why
    const char *why = nullptr;       // "a sum is no value"
};

// Returns the argument for kprobe_events, from 6.1 on, and perf probe. loc: a LOC_PARAM.
ProbeArg kprobe_arg(const std::string &name, const btf_type *loc, uint16_t machine,
                    ProbeValue value);
// The same of an expression. Only one that follows pointers from a register can be expressed.
ProbeArg kprobe_arg(const std::string &name, const loc_expression &expression, uint16_t machine,
                    ProbeValue value);

struct BpftraceArg {
    std::string format;               // "skb=0x%lx"
    std::vector<std::string> values;  // "reg("di")", one for each % in the format; none: why
    const char *why = nullptr;
};

// text: the symbol that locations which are addresses count from.
BpftraceArg bpftrace_arg(const std::string &name, const btf_type *loc, uint16_t machine,
                         ProbeValue value, const std::string &text);
BpftraceArg bpftrace_arg(const std::string &name, const loc_expression &expression,
                         uint16_t machine, ProbeValue value, const std::string &text);

}  // namespace btf_extra

#endif
