// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions that an address is in, as people and programs read them.
#ifndef BTF_EXTRA_CHAIN_TEXT_H
#define BTF_EXTRA_CHAIN_TEXT_H

#include <string>
#include <string_view>

#include "userspace/lib/tables/symbolizer.h"

namespace btf_extra {

// Returns "skb_headlen (inlined)".
std::string inlined_text(const ChainFrame &frame);
// Returns the same with the call after it, if that is known: " include/linux/skbuff.h:2684".
std::string inlined_text_with_call(const ChainFrame &frame);

// Returns " at include/linux/skbuff.h:2684": the line of the instruction there; empty: not known.
std::string line_text(const Symbolizer::Named &place);

// Returns a line for each inlined function, innermost first, and one for the symbol.
std::string place_text(const Symbolizer::Named &place, std::string_view indent);

// Returns the same as an object of JSON, in one line without its end. name: what the place is
// called if it has no address.
std::string place_json(const Symbolizer::Named &place, const std::string &name = "");

}  // namespace btf_extra

#endif
