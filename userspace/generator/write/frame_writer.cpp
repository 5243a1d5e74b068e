// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/frame_writer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "userspace/format/byte_writer.h"
#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

// The code of a function without its gaps: the instances in it are counted from its first byte.
class Code {
  public:
    Code() = default;
    // ranges are in order and do not touch.
    explicit Code(std::vector<CodeRange> ranges) : ranges_(std::move(ranges)) {
        for (const CodeRange &range : ranges_) {
            starts_.push_back(size_);
            size_ += range.end - range.begin;
        }
    }
    const std::vector<CodeRange> &ranges() const { return ranges_; }
    uint64_t size() const { return size_; }

    // Returns the parts of a range that are in the code.
    void clip(const CodeRange &range, std::vector<CodeRange> &out) const {
        auto at = std::ranges::upper_bound(ranges_, range.begin, {}, &CodeRange::end);
        for (; at != ranges_.end() && at->begin < range.end; ++at)
            if (range.begin < range.end)
                out.push_back({std::max(range.begin, at->begin), std::min(range.end, at->end)});
    }
    // Where an address in the code is, counted from the first byte.
    uint64_t offset_of(uint64_t address) const {
        const auto at = std::ranges::upper_bound(ranges_, address, {}, &CodeRange::end);
        return starts_[static_cast<size_t>(at - ranges_.begin())] + (address - at->begin);
    }

  private:
    std::vector<CodeRange> ranges_;
    std::vector<uint64_t> starts_;
    uint64_t size_ = 0;
};

// Code of a body without a gap.
struct Piece {
    uint32_t section = 0;
    uint64_t begin = 0;  // address
    uint64_t end = 0;
    uint32_t body = 0;  // number in FrameWriter::bodies_

    auto operator<=>(const Piece &) const = default;
};

struct Body {
    uint32_t unit = 0;
    uint32_t first = 0;  // its frames in the unit
    uint32_t end = 0;
    std::vector<Piece> pieces;
};

class FrameWriter {
  public:
    FrameWriter(const std::vector<UnitSites> &units, const MergedUnits &merged,
                const std::vector<uint32_t> &func_ids, std::span<const ElfSection> sections)
        : units_(units), merged_(merged), func_ids_(func_ids), sections_(sections) {}

    WrittenFrames run() {
        find_bodies();
        choose_bodies();
        number_functions();
        number_calls();
        write_pieces();
        return {.bytes = section(), .left_out = left_out_};
    }

  private:
    // A call is worth a place in the table if it was inlined that often: what it takes there, each
    // of them saves a part of.
    static constexpr uint32_t kKnownCalls = 4;
    // Likewise for a function with so many instances.
    static constexpr uint32_t kListedInstances = 8;

    // An instance with its code, and the places of that in the code of its caller.
    struct Instance {
        uint32_t frame = 0;
        Code code;
        std::vector<CodeRange> places;
    };
    // The call that was written last, from which the next one is counted.
    struct LastCall {
        uint64_t start = 0;
        uint32_t file = 0, line = 0;
    };

    uint32_t function_of(const Body &body, uint32_t frame) const {
        return merged_.function_numbers[body.unit][units_[body.unit].frames[frame].function];
    }
    std::span<const CodeRange> ranges_of(uint32_t unit, const CodeFrame &frame) const {
        return std::span(units_[unit].frame_ranges).subspan(frame.first_range, frame.nr_ranges);
    }

    void find_bodies();
    std::vector<Piece> pieces_of(const CodeFrame &body, uint32_t unit) const;
    void choose_bodies();
    void number_functions();
    void number_calls();
    std::optional<inline_frames_call> known_call(const Body &body, uint32_t frame) const;
    void write_pieces();
    void write_body(const Piece &first);
    std::vector<Instance> instances_of(const Body &body, uint32_t caller, const Code &code,
                                       uint32_t depth);
    // Returns the records of the instances that a function calls. depth is that of the function.
    ByteWriter calls_of(const Body &body, uint32_t caller, const Code &code, uint32_t file,
                        uint32_t depth);
    void write_instance(const Body &body, const Instance &instance, LastCall &last, uint32_t depth,
                        ByteWriter &out);
    uint32_t file_number(const CodeFrame &frame) const {
        return frame.call_file.empty() ? 0 : files_.at(frame.call_file);
    }
    std::vector<std::byte> section() const;

    const std::vector<UnitSites> &units_;
    const MergedUnits &merged_;
    const std::vector<uint32_t> &func_ids_;
    std::span<const ElfSection> sections_;

    std::vector<Body> bodies_;
    std::vector<Piece> pieces_;                   // in order
    std::map<std::string_view, uint32_t> files_;  // number + 1
    std::vector<uint32_t> funcs_;         // those in the list, as numbers of merged functions
    std::vector<uint16_t> func_files_;    // that most of their calls are in
    std::vector<uint32_t> func_numbers_;  // as the records have it, by number of a merged function
    std::vector<inline_frames_call> calls_;
    std::unordered_map<uint64_t, uint32_t> call_numbers_;  // by key_of()
    std::vector<inline_frames_block> blocks_;
    std::vector<std::vector<uint32_t>> callees_;    // of the body that is being written, by frame
    std::map<uint32_t, uint32_t> section_numbers_;  // by number in sections_, of those with pieces
    ByteWriter out_;                                // records
    uint32_t nr_bodies_ = 0, nr_instances_ = 0;
    LeftOutFrames left_out_;
};

void FrameWriter::find_bodies() {
    for (uint32_t u = 0; u < units_.size(); ++u) {
        const std::vector<CodeFrame> &frames = units_[u].frames;
        for (uint32_t first = 0, end = 0; first < frames.size(); first = end) {
            for (end = first + 1;
                 end < frames.size() && frames[end].caller != CodeFrame::kNoCaller;)
                ++end;
            auto pieces = pieces_of(frames[first], u);
            if (pieces.empty())
                continue;
            for (Piece &piece : pieces)
                piece.body = static_cast<uint32_t>(bodies_.size());
            bodies_.push_back({.unit = u, .first = first, .end = end, .pieces = std::move(pieces)});
        }
    }
}

// The parts of a body's ranges that are in executable sections, in order.
std::vector<Piece> FrameWriter::pieces_of(const CodeFrame &body, uint32_t unit) const {
    const auto given = ranges_of(unit, body);
    std::vector<CodeRange> ranges(given.begin(), given.end());
    join(ranges);
    std::vector<Piece> pieces;
    for (const CodeRange &range : ranges) {
        const auto number = executable_section(sections_, range.begin);
        if (!number)
            continue;
        const ElfSection &section = sections_[*number];
        const uint64_t end = std::min(range.end, section.address + section.size);
        if (end - section.address <= UINT32_MAX)
            pieces.push_back({.section = *number, .begin = range.begin, .end = end});
    }
    return pieces;
}

// Of two bodies that have code in common the one with the lower pieces stays.
void FrameWriter::choose_bodies() {
    std::vector<Piece> all;
    for (const Body &body : bodies_)
        all.insert(all.end(), body.pieces.begin(), body.pieces.end());
    std::ranges::sort(all);
    std::vector<bool> dropped(bodies_.size());
    for (uint32_t n = 0; n < bodies_.size(); ++n)
        dropped[n] = bodies_[n].pieces.size() > INLINE_FRAMES_PIECES;
    const Piece *before = nullptr;
    for (const Piece &piece : all) {
        if (dropped[piece.body])
            continue;
        if (before && before->section == piece.section && piece.begin < before->end &&
            !dropped[before->body])
            dropped[piece.body] = true;
        else
            before = &piece;
    }
    for (const Piece &piece : all)
        if (!dropped[piece.body])
            pieces_.push_back(piece);
    left_out_.bodies = static_cast<uint64_t>(std::ranges::count(dropped, true));
    for (const Piece &piece : pieces_)
        section_numbers_.try_emplace(piece.section, static_cast<uint32_t>(section_numbers_.size()));
}

// The functions with the most instances get the lowest numbers, which take the fewest bytes.
void FrameWriter::number_functions() {
    std::vector<uint32_t> instances(merged_.functions.size());
    std::unordered_map<uint64_t, uint32_t> calls;  // (function, file) -> how many of its calls
    for (const Body &body : bodies_) {
        const std::vector<CodeFrame> &frames = units_[body.unit].frames;
        for (uint32_t n = body.first; n < body.end; ++n) {
            if (n == body.first)
                continue;
            ++instances[function_of(body, n)];
            if (!frames[n].call_file.empty())
                files_.try_emplace(frames[n].call_file);
        }
    }
    // A file that the tables have no number for is not known.
    uint32_t file = 0;
    for (auto &[name, number] : files_)
        number = file < UINT16_MAX ? ++file : 0;
    for (const Body &body : bodies_)
        for (uint32_t n = body.first + 1; n < body.end; ++n) {
            const CodeFrame &frame = units_[body.unit].frames[n];
            ++calls[uint64_t{function_of(body, frame.caller)} << 32 | file_number(frame)];
        }
    std::vector<uint32_t> order;
    for (uint32_t function = 0; function < instances.size(); ++function)
        if (instances[function] != 0)
            order.push_back(function);
    std::ranges::stable_sort(order, std::greater(),
                             [&](uint32_t function) { return instances[function]; });
    std::erase_if(order, [&](uint32_t function) { return instances[function] < kListedInstances; });
    funcs_ = std::move(order);
    func_numbers_.resize(instances.size());
    for (uint32_t function = 0; function < instances.size(); ++function)
        func_numbers_[function] = static_cast<uint32_t>(funcs_.size()) + func_ids_[function];
    for (uint32_t number = 0; number < funcs_.size(); ++number)
        func_numbers_[funcs_[number]] = number;
    std::vector<std::pair<uint32_t, uint32_t>> most(funcs_.size());  // count, ~file
    for (const auto &[key, count] : calls)
        if (const uint32_t function = func_numbers_[key >> 32]; function < most.size()) {
            auto &known = most[function];
            known = std::max(known, std::pair(count, ~static_cast<uint32_t>(key)));
        }
    for (const auto &[count, file] : most)
        func_files_.push_back(static_cast<uint16_t>(count != 0 ? ~file : 0));
}

uint64_t key_of(const inline_frames_call &call) {
    return uint64_t{call.func} << 32 | uint64_t{call.file} << 16 | call.line;
}

// Returns nothing if the line is too high for the table.
std::optional<inline_frames_call> FrameWriter::known_call(const Body &body, uint32_t frame) const {
    const CodeFrame &call = units_[body.unit].frames[frame];
    if (call.call_line > UINT16_MAX)
        return {};
    return inline_frames_call{.func = func_numbers_[function_of(body, frame)],
                              .file = static_cast<uint16_t>(file_number(call)),
                              .line = static_cast<uint16_t>(call.call_line)};
}

// The most frequent calls get the lowest numbers, too.
void FrameWriter::number_calls() {
    std::unordered_map<uint64_t, uint32_t> counts;
    std::vector<inline_frames_call> known;
    for (const Body &body : bodies_)
        for (uint32_t n = body.first + 1; n < body.end; ++n)
            if (const auto call = known_call(body, n); call && ++counts[key_of(*call)] == 1)
                known.push_back(*call);
    std::erase_if(known, [&](const auto &call) { return counts[key_of(call)] < kKnownCalls; });
    std::ranges::sort(known, [&](const auto &a, const auto &b) {
        const auto order = [&](const auto &call) {
            return std::pair(UINT32_MAX - counts[key_of(call)], key_of(call));
        };
        return order(a) < order(b);
    });
    calls_ = std::move(known);
    for (const inline_frames_call &call : calls_)
        call_numbers_.emplace(key_of(call), static_cast<uint32_t>(call_numbers_.size()));
}

void FrameWriter::write_pieces() {
    uint32_t in_section = 0;
    const Piece *before = nullptr;
    for (const Piece &piece : pieces_) {
        if (!before || before->section != piece.section) {
            before = nullptr;
            in_section = 0;
        }
        const auto offset = static_cast<uint32_t>(piece.begin - sections_[piece.section].address);
        const bool begins_block = in_section++ % INLINE_FRAMES_BLOCK == 0;
        if (begins_block)
            blocks_.push_back({.offset = offset, .record = out_.size()});
        out_.uleb(begins_block ? 0 : piece.begin - before->end);
        const Piece &first = bodies_[piece.body].pieces.front();
        if (first != piece) {
            out_.uleb(uint64_t{section_numbers_.at(first.section)} << INLINE_FRAMES_PIECE_BITS |
                      INLINE_FRAMES_ELSEWHERE);
            out_.uleb(piece.end - piece.begin);
            out_.uleb(first.begin - sections_[first.section].address);
        } else {
            write_body(piece);
        }
        before = &piece;
    }
}

void FrameWriter::write_body(const Piece &first) {
    const Body &body = bodies_[first.body];
    const UnitSites &unit = units_[body.unit];
    ++nr_bodies_;
    const size_t nr_more = body.pieces.size() - 1;
    out_.uleb(uint64_t{func_ids_[function_of(body, body.first)]} << INLINE_FRAMES_PIECE_BITS |
              (nr_more != 0 ? INLINE_FRAMES_SEVERAL : 0));
    out_.uleb(first.end - first.begin);
    if (nr_more != 0)
        out_.uleb(nr_more);
    std::vector<CodeRange> ranges{{first.begin, first.end}};
    for (const Piece &piece : std::span(body.pieces).subspan(1)) {
        out_.uleb(section_numbers_.at(piece.section));
        out_.uleb(piece.begin - sections_[piece.section].address);
        out_.uleb(piece.end - piece.begin);
        ranges.push_back({piece.begin, piece.end});
    }
    callees_.assign(body.end - body.first, {});
    std::map<uint32_t, uint32_t> files;  // how many of its calls are in each
    for (uint32_t frame = body.first + 1; frame < body.end; ++frame) {
        callees_[unit.frames[frame].caller - body.first].push_back(frame);
        if (unit.frames[frame].caller == body.first)
            ++files[file_number(unit.frames[frame])];
    }
    const auto most = std::ranges::max_element(
        files, {}, [](const auto &each) { return std::pair(each.second, ~each.first); });
    const uint32_t file = most == files.end() ? 0 : most->first;
    const uint32_t nr_before = nr_instances_;
    ByteWriter calls = calls_of(body, body.first, Code(std::move(ranges)), file, 1);
    if (calls.size() > INLINE_FRAMES_BODY_MAX) {
        left_out_.instances += nr_instances_ - nr_before;
        nr_instances_ = nr_before;
        calls = {};
    }
    out_.uleb(calls.size());
    if (calls.size() != 0)
        out_.uleb(file);
    out_.items(calls.bytes());
}

// In order of where they begin.
std::vector<FrameWriter::Instance> FrameWriter::instances_of(const Body &body, uint32_t caller,
                                                             const Code &code, uint32_t depth) {
    const UnitSites &unit = units_[body.unit];
    std::vector<Instance> instances;
    for (const uint32_t frame : callees_[caller - body.first]) {
        std::vector<CodeRange> ranges;
        for (const CodeRange &range : ranges_of(body.unit, unit.frames[frame]))
            code.clip(range, ranges);
        join(ranges);
        if (ranges.empty() || depth == INLINE_FRAMES_DEPTH) {
            ++left_out_.instances;
            continue;
        }
        std::vector<CodeRange> places;
        for (const CodeRange &range : ranges) {
            const uint64_t begin = code.offset_of(range.begin);
            places.push_back({begin, begin + (range.end - range.begin)});
        }
        join(places);
        instances.push_back(
            {.frame = frame, .code = Code(std::move(ranges)), .places = std::move(places)});
    }
    std::ranges::stable_sort(instances, {},
                             [](const Instance &each) { return each.places.front().begin; });
    return instances;
}

ByteWriter FrameWriter::calls_of(const Body &body, uint32_t caller, const Code &code, uint32_t file,
                                 uint32_t depth) {
    ByteWriter out;
    LastCall last{.file = file};
    for (const Instance &instance : instances_of(body, caller, code, depth))
        write_instance(body, instance, last, depth, out);
    return out;
}

void FrameWriter::write_instance(const Body &body, const Instance &instance, LastCall &last,
                                 uint32_t depth, ByteWriter &out) {
    const CodeFrame &frame = units_[body.unit].frames[instance.frame];
    const uint32_t func = func_numbers_[function_of(body, instance.frame)];
    const uint32_t file = file_number(frame);
    const auto call = known_call(body, instance.frame);
    const auto known = call ? call_numbers_.find(key_of(*call)) : call_numbers_.end();
    const bool is_known = known != call_numbers_.end();
    const uint32_t inner_file = func < func_files_.size() ? func_files_[func] : 0;
    const ByteWriter inner = calls_of(body, instance.frame, instance.code, inner_file, depth + 1);
    ++nr_instances_;
    out.uleb(uint64_t{is_known ? known->second : func} << INLINE_FRAMES_INSTANCE_BITS |
             (is_known ? INLINE_FRAMES_KNOWN : 0) |
             (instance.places.size() > 1 ? INLINE_FRAMES_RANGES : 0) |
             (inner.size() != 0 ? INLINE_FRAMES_CALLS : 0));
    const CodeRange &first = instance.places.front();
    out.uleb(first.begin - last.start);
    if (!is_known && file != last.file) {
        out.uleb(0);
        out.uleb(file);
        last.file = file;
    }
    out.uleb(first.end - first.begin);
    if (instance.places.size() > 1)
        out.uleb(instance.places.size() - 1);
    for (size_t i = 1; i < instance.places.size(); ++i) {
        out.uleb(instance.places[i].begin - instance.places[i - 1].end);
        out.uleb(instance.places[i].end - instance.places[i].begin);
    }
    if (!is_known)
        out.zigzag(int64_t{frame.call_line} - int64_t{last.line});
    if (inner.size() != 0)
        out.uleb(inner.size());
    out.items(inner.bytes());
    last.start = first.begin;
    last.line = frame.call_line;
}

std::vector<std::byte> FrameWriter::section() const {
    ByteWriter strings;
    std::vector<inline_frames_section> sections;
    std::vector<uint32_t> func_ids;
    std::vector<uint16_t> func_files = func_files_;
    std::vector<uint32_t> files;
    for (const auto &[section, number] : section_numbers_)
        sections.push_back({.name = strings.text(sections_[section].name), .nr_pieces = 0});
    for (const Piece &piece : pieces_)
        ++sections[section_numbers_.at(piece.section)].nr_pieces;
    for (const uint32_t function : funcs_)
        func_ids.push_back(func_ids_[function]);
    if (func_files.size() % 2 != 0)
        func_files.push_back(0);
    for (const auto &[name, number] : files_)
        files.push_back(strings.text(name));
    strings.align(sizeof(uint32_t));
    const inline_frames_header header = {.magic = INLINE_FRAMES_MAGIC,
                                         .version = INLINE_FRAMES_VERSION,
                                         .nr_sections = static_cast<uint32_t>(sections.size()),
                                         .nr_blocks = static_cast<uint32_t>(blocks_.size()),
                                         .nr_calls = static_cast<uint32_t>(calls_.size()),
                                         .nr_funcs = static_cast<uint32_t>(func_ids.size()),
                                         .nr_files = static_cast<uint32_t>(files.size()),
                                         .strings_size = strings.size(),
                                         .records_size = out_.size(),
                                         .nr_bodies = nr_bodies_,
                                         .nr_instances = nr_instances_,
                                         .reserved = 0};
    ByteWriter out;
    out.item(header);
    out.items(sections);
    out.items(blocks_);
    out.items(calls_);
    out.items(func_ids);
    out.items(func_files);
    out.items(files);
    out.items(strings.bytes());
    out.items(out_.bytes());
    return out.take();
}

}  // namespace

WrittenFrames write_frames(const std::vector<UnitSites> &units, const MergedUnits &merged,
                           const std::vector<uint32_t> &func_ids,
                           std::span<const ElfSection> sections) {
    return FrameWriter(units, merged, func_ids, sections).run();
}

}  // namespace btf_extra::generator
