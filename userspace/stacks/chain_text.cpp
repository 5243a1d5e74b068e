// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/stacks/chain_text.h"

#include <fmt/format.h>

#include "userspace/text/json_text.h"

namespace btf_extra {

std::string inlined_text(const ChainFrame &frame) {
    return fmt::format("{} (inlined)", frame.name);
}

std::string inlined_text_with_call(const ChainFrame &frame) {
    std::string out = inlined_text(frame);
    if (!frame.call_file.empty())
        out += fmt::format(" {}:{}", frame.call_file, frame.call_line);
    return out;
}

std::string line_text(const Symbolizer::Named &place) {
    return place.line ? fmt::format(" at {}:{}", place.line->file, place.line->line)
                      : std::string();
}

std::string place_text(const Symbolizer::Named &place, std::string_view indent) {
    std::string out;
    for (size_t i = 0; place.chain && i + 1 < place.chain->frames.size(); i++)
        out += fmt::format("{}{}\n", indent, inlined_text_with_call(place.chain->frames[i]));
    const bool in_module = place.chain && place.chain->object->name != "vmlinux";
    out += fmt::format("{}{}{}\n", indent,
                       place.symbol.empty() ? fmt::format("{:#x}", place.address.value_or(0))
                                            : place.symbol,
                       in_module ? " [" + place.chain->object->name + "]" : std::string());
    return out;
}

std::string place_json(const Symbolizer::Named &place, const std::string &name) {
    ordered_json frames = ordered_json::array();
    if (place.chain) {
        for (const ChainFrame &frame : place.chain->frames) {
            ordered_json each = {{"name", frame.name}};
            if (!frame.call_file.empty()) {
                each["file"] = frame.call_file;
                each["line"] = frame.call_line;
            }
            frames.push_back(std::move(each));
        }
    } else if (!place.symbol.empty()) {
        frames.push_back({{"name", place.function()}});
    }
    ordered_json at = nullptr;
    if (place.line)
        at = {{"file", place.line->file}, {"line", place.line->line}};
    const ordered_json object = {
        {"address", place.address ? fmt::format("{:#x}", *place.address) : name},
        {"symbol", place.symbol.empty() ? ordered_json(nullptr) : ordered_json(place.symbol)},
        {"object", place.chain ? ordered_json(place.chain->object->name) : ordered_json(nullptr)},
        {"at", std::move(at)},
        {"frames", std::move(frames)}};
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace btf_extra
