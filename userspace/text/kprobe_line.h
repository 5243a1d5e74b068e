// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A line of kprobe_events as tracefs shows it: a probe of an event that perf probe or somebody else
// has made.
#ifndef BTF_EXTRA_KPROBE_LINE_H
#define BTF_EXTRA_KPROBE_LINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace btf_extra {

struct KprobeLine {
    struct Field {
        std::string name;
        std::string type;  // "s32"; "": the default, 64 bits in hex
    };

    std::string group, event;
    bool at_return;      // the probe is where a function returns
    std::string module;  // "": of vmlinux, or not said
    std::string place;   // "foo+16", "_text+1234"; "0x..." is no address, but a hash of it
    std::vector<Field> fields;
};

// Returns nothing if the line is none.
std::optional<KprobeLine> parse_kprobe_line(std::string_view line);

// Returns the bits of a number of this type; 0: the type is a string, an array or a part of a
// number.
uint32_t bits_of_kprobe_type(std::string_view type);

}  // namespace btf_extra

#endif
