// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/frame_writer.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "userspace/format/byte_writer.h"
#include "userspace/format/core_api.h"
#include "userspace/generator/model/interned_lists.h"

namespace btf_extra::generator {

namespace {

// The code of a function without its gaps: the instances in it are counted from its first byte.
class Code {
  public:
    // ranges are in order and do not touch. The caller owns them.
    explicit Code(std::span<const CodeRange> ranges) : ranges_(ranges) {}

    // Returns the parts of a range that are in the code.
    void clip(const CodeRange &range, std::vector<CodeRange> &out) const {
        auto at = std::ranges::upper_bound(ranges_, range.begin, {}, &CodeRange::end);
        for (; at != ranges_.end() && at->begin < range.end; ++at)
            if (range.begin < range.end)
                out.push_back({std::max(range.begin, at->begin), std::min(range.end, at->end)});
    }
    // Appends where ranges are, counted from the first byte. They are in the code and in order.
    void count(std::span<const CodeRange> ranges, std::vector<CodeRange> &out) const {
        uint64_t before = 0;
        auto at = ranges_.begin();
        for (const CodeRange &range : ranges) {
            for (; at->end <= range.begin; ++at)
                before += at->end - at->begin;
            const uint64_t begin = before + (range.begin - at->begin);
            out.push_back({begin, begin + (range.end - range.begin)});
        }
    }

  private:
    std::span<const CodeRange> ranges_;
};

// Code of a body without a gap.
struct Piece {
    uint32_t section = 0;
    uint64_t begin = 0;  // address
    uint64_t end = 0;
    uint32_t body = 0;  // number in FrameWriter::bodies_

    auto operator<=>(const Piece &) const = default;
};

constexpr uint32_t kNone = UINT32_MAX;
// Six blocks of a kernel begin in a page of code, and a page takes 4 bytes.
constexpr uint32_t kPageBits = 13;

struct Body {
    uint32_t unit = 0;
    uint32_t first = 0;  // its frames in the unit
    uint32_t end = 0;
    std::vector<Piece> pieces;
};

// Lists of numbers, and how often each was met.
struct CountedLists {
    InternedLists lists;
    std::vector<uint32_t> counts;

    uint32_t add(std::span<const uint32_t> words) {
        const uint32_t number = lists.add(words);
        counts.resize(lists.size());
        ++counts[number];
        return number;
    }
};

class FrameWriter {
  public:
    FrameWriter(const std::vector<UnitSites> &units, const MergedUnits &merged,
                const std::vector<uint32_t> &func_ids, std::span<const ElfSection> sections)
        : units_(units), merged_(merged), func_ids_(func_ids), sections_(sections) {}

    WrittenFrames run() {
        find_bodies();
        choose_bodies();
        number_files();
        number_functions();
        number_calls();
        write_pieces();
        return {.bytes = section(), .left_out = left_out_};
    }

  private:
    // A call is worth a place in the table if it was inlined that often: what it takes there, each
    // of them saves a part of.
    static constexpr uint32_t kKnownCalls = 4;
    // Likewise for a function with this number of instances.
    static constexpr uint32_t kListedInstances = 8;

    // An instance, and where its code is: in ranges, and in places in the code of its caller.
    struct Instance {
        uint32_t frame = 0;
        uint32_t first_range = 0, nr_ranges = 0;
        uint32_t first_place = 0, nr_places = 0;
        uint64_t begin = 0;  // of the first place
    };
    // The calls of one function. There is one Level at a time for each depth, which keeps its
    // memory.
    struct Level {
        std::vector<Instance> instances;
        std::vector<CodeRange> ranges, places;
        ByteWriter out;  // the records
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
    std::vector<Piece> pieces_of(const CodeFrame &body, uint32_t unit);
    void choose_bodies();
    template <class Visit> void for_each_instance(const Visit &visit) const;
    void number_files();
    void number_functions();
    void number_calls();
    void write_pieces();
    void write_body(const Piece &first);
    void link_callees(const Body &body);
    uint32_t file_of_callees(const Body &body);
    void find_instances(const Body &body, uint32_t caller, const Code &code, uint32_t depth);
    // Returns the records of the instances that a function calls, which are there until the next
    // call with that depth. depth is that of the function.
    const ByteWriter &calls_of(const Body &body, uint32_t caller, const Code &code, uint32_t file,
                               uint32_t depth);
    void write_instance(const Body &body, const Instance &instance, LastCall &last, uint32_t depth);
    uint32_t file_number(const Body &body, uint32_t frame) const {
        return file_numbers_[body.unit][units_[body.unit].frames[frame].call_file];
    }
    // Returns the first frame that is called by one, or what is called by its caller after it;
    // kNone: there is none.
    uint32_t first_callee(const Body &body, uint32_t frame) const {
        return first_callees_[frame - body.first];
    }
    uint32_t next_callee(const Body &body, uint32_t frame) const {
        return next_callees_[frame - body.first];
    }
    std::vector<std::byte> section() const;

    const std::vector<UnitSites> &units_;
    const MergedUnits &merged_;
    const std::vector<uint32_t> &func_ids_;
    std::span<const ElfSection> sections_;

    std::vector<Body> bodies_;
    std::vector<Piece> pieces_;                        // in order
    std::vector<std::string_view> files_;              // in order
    std::vector<std::vector<uint32_t>> file_numbers_;  // + 1, by unit and its call_files; 0: none
    std::vector<uint32_t> funcs_;         // those in the list, as numbers of merged functions
    std::vector<uint16_t> func_files_;    // that most of their calls are in
    std::vector<uint32_t> func_numbers_;  // as the records have it, by number of a merged function
    std::vector<inline_frames_call> calls_;
    std::vector<std::vector<uint32_t>> call_numbers_;  // by unit and frame; kNone: not in calls_
    std::vector<inline_frames_block> blocks_;
    std::vector<uint32_t> pages_;  // how many blocks of their section are before them
    std::vector<uint32_t> first_callees_, next_callees_;  // of the body that is being written
    std::vector<uint32_t> callees_in_;              // how many of its callees are in each file
    std::map<uint32_t, uint32_t> section_numbers_;  // by number in sections_, of those with pieces
    ByteWriter out_;                                // records
    std::array<Level, INLINE_FRAMES_DEPTH + 1> levels_;  // by depth
    std::vector<CodeRange> clipped_;                     // of one instance
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
std::vector<Piece> FrameWriter::pieces_of(const CodeFrame &body, uint32_t unit) {
    const auto given = ranges_of(unit, body);
    clipped_.assign(given.begin(), given.end());
    join(clipped_);
    std::vector<Piece> pieces;
    for (const CodeRange &range : clipped_) {
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

// If two bodies have code in common, the one with the lower pieces stays.
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

template <class Visit> void FrameWriter::for_each_instance(const Visit &visit) const {
    for (const Body &body : bodies_)
        for (uint32_t n = body.first + 1; n < body.end; ++n)
            visit(body, n);
}

// They are in order of their names.
void FrameWriter::number_files() {
    for (const UnitSites &unit : units_)
        file_numbers_.emplace_back(unit.call_files.size());
    for_each_instance([&](const Body &body, uint32_t n) {
        file_numbers_[body.unit][units_[body.unit].frames[n].call_file] = 1;
    });
    std::unordered_map<std::string_view, uint32_t> found{{"", 0}};  // in order of appearance
    for (uint32_t u = 0; u < units_.size(); ++u)
        for (uint32_t n = 0; n < file_numbers_[u].size(); ++n)
            if (uint32_t &number = file_numbers_[u][n]; number != 0) {
                const std::string_view name = units_[u].call_files[n];
                const auto [entry, fresh] = found.try_emplace(name, found.size());
                if (fresh)
                    files_.push_back(name);
                number = entry->second;
            }
    std::ranges::sort(files_);
    // A file that the tables have no number for is not known.
    std::vector<uint32_t> places(found.size());
    for (uint32_t n = 0; n < std::min<size_t>(files_.size(), UINT16_MAX); ++n)
        places[found.at(files_[n])] = n + 1;
    for (auto &of_unit : file_numbers_)
        for (uint32_t &number : of_unit)
            number = places[number];
}

// The functions with the most instances get the lowest numbers, which take the fewest bytes.
void FrameWriter::number_functions() {
    std::vector<uint32_t> instances(merged_.functions.size());
    CountedLists calls;  // a function, and the file of calls in it
    for_each_instance([&](const Body &body, uint32_t n) {
        ++instances[function_of(body, n)];
        const uint32_t caller = units_[body.unit].frames[n].caller;
        calls.add(std::array<uint32_t, 2>{function_of(body, caller), file_number(body, n)});
    });
    std::vector<uint32_t> order;
    for (uint32_t function = 0; function < instances.size(); ++function)
        if (instances[function] >= kListedInstances)
            order.push_back(function);
    std::ranges::stable_sort(order, std::greater(),
                             [&](uint32_t function) { return instances[function]; });
    funcs_ = std::move(order);
    func_numbers_.resize(instances.size());
    for (uint32_t function = 0; function < instances.size(); ++function)
        func_numbers_[function] = static_cast<uint32_t>(funcs_.size()) + func_ids_[function];
    for (uint32_t number = 0; number < funcs_.size(); ++number)
        func_numbers_[funcs_[number]] = number;
    std::vector<std::pair<uint32_t, uint32_t>> most(funcs_.size());  // count, ~file
    for (uint32_t n = 0; n < calls.lists.size(); ++n) {
        const std::span<const uint32_t> call = calls.lists.at(n);
        if (const uint32_t function = func_numbers_[call[0]]; function < most.size())
            most[function] = std::max(most[function], std::pair(calls.counts[n], ~call[1]));
    }
    for (const auto &[count, file] : most)
        func_files_.push_back(static_cast<uint16_t>(count != 0 ? ~file : 0));
}

// The most frequent calls get the lowest numbers, too. The table has no room for high lines.
void FrameWriter::number_calls() {
    CountedLists calls;  // function, file, line
    for (const UnitSites &unit : units_)
        call_numbers_.emplace_back(unit.frames.size(), kNone);
    for_each_instance([&](const Body &body, uint32_t n) {
        const uint32_t line = units_[body.unit].frames[n].call_line;
        if (line <= UINT16_MAX)
            call_numbers_[body.unit][n] = calls.add(std::array<uint32_t, 3>{
                func_numbers_[function_of(body, n)], file_number(body, n), line});
    });
    std::vector<uint32_t> order;
    for (uint32_t n = 0; n < calls.lists.size(); ++n)
        if (calls.counts[n] >= kKnownCalls)
            order.push_back(n);
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
        if (calls.counts[a] != calls.counts[b])
            return calls.counts[a] > calls.counts[b];
        return std::ranges::lexicographical_compare(calls.lists.at(a), calls.lists.at(b));
    });
    std::vector<uint32_t> places(calls.lists.size(), kNone);
    for (const uint32_t n : order) {
        const std::span<const uint32_t> call = calls.lists.at(n);
        places[n] = static_cast<uint32_t>(calls_.size());
        calls_.push_back({.func = call[0],
                          .file = static_cast<uint16_t>(call[1]),
                          .line = static_cast<uint16_t>(call[2])});
    }
    for (auto &of_unit : call_numbers_)
        for (uint32_t &number : of_unit)
            number = number == kNone ? kNone : places[number];
}

void FrameWriter::write_pieces() {
    uint32_t in_section = 0;
    uint32_t last_page = 0;
    const Piece *before = nullptr;
    for (const Piece &piece : pieces_) {
        if (!before || before->section != piece.section) {
            before = nullptr;
            in_section = 0;
            last_page = 0;
        }
        const auto offset = static_cast<uint32_t>(piece.begin - sections_[piece.section].address);
        const bool begins_block = in_section++ % INLINE_FRAMES_BLOCK == 0;
        if (begins_block) {
            const uint32_t page = offset >> kPageBits;
            pages_.insert(pages_.end(), page - last_page, in_section / INLINE_FRAMES_BLOCK);
            last_page = page;
            blocks_.push_back({.offset = offset, .record = out_.size()});
        }
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
    link_callees(body);
    const uint32_t file = file_of_callees(body);
    const uint32_t nr_before = nr_instances_;
    const ByteWriter &calls = calls_of(body, body.first, Code(ranges), file, 1);
    if (calls.size() > INLINE_FRAMES_BODY_MAX) {
        left_out_.instances += nr_instances_ - nr_before;
        nr_instances_ = nr_before;
        out_.uleb(0);
        return;
    }
    out_.uleb(calls.size());
    if (calls.size() != 0)
        out_.uleb(file);
    out_.items(calls.bytes());
}

void FrameWriter::link_callees(const Body &body) {
    const std::vector<CodeFrame> &frames = units_[body.unit].frames;
    first_callees_.assign(body.end - body.first, kNone);
    next_callees_.resize(body.end - body.first);
    for (uint32_t frame = body.end - 1; frame > body.first; --frame)
        next_callees_[frame - body.first] =
            std::exchange(first_callees_[frames[frame].caller - body.first], frame);
}

// Returns the file that most of a body's callees are called in; of several, the first one.
uint32_t FrameWriter::file_of_callees(const Body &body) {
    uint32_t most = 0;
    const auto order = [&](uint32_t file) { return std::pair(callees_in_[file], ~file); };
    callees_in_.resize(files_.size() + 1);
    for (uint32_t frame = first_callee(body, body.first); frame != kNone;
         frame = next_callee(body, frame)) {
        const uint32_t file = file_number(body, frame);
        ++callees_in_[file];
        if (order(file) > order(most))
            most = file;
    }
    for (uint32_t frame = first_callee(body, body.first); frame != kNone;
         frame = next_callee(body, frame))
        callees_in_[file_number(body, frame)] = 0;
    return most;
}

// Appends ranges, in order and joined, to others. Returns how many those are.
uint32_t append_joined(std::vector<CodeRange> &ranges, std::vector<CodeRange> &to) {
    if (ranges.size() > 1 || (!ranges.empty() && ranges[0].begin >= ranges[0].end))
        join(ranges);
    to.insert(to.end(), ranges.begin(), ranges.end());
    return static_cast<uint32_t>(ranges.size());
}

// Fills the level with them, in order of where they begin.
void FrameWriter::find_instances(const Body &body, uint32_t caller, const Code &code,
                                 uint32_t depth) {
    const UnitSites &unit = units_[body.unit];
    Level &level = levels_[depth];
    level.instances.clear();
    level.ranges.clear();
    level.places.clear();
    for (uint32_t frame = first_callee(body, caller); frame != kNone;
         frame = next_callee(body, frame)) {
        clipped_.clear();
        for (const CodeRange &range : ranges_of(body.unit, unit.frames[frame]))
            code.clip(range, clipped_);
        const auto first_range = static_cast<uint32_t>(level.ranges.size());
        const uint32_t nr_ranges = append_joined(clipped_, level.ranges);
        if (nr_ranges == 0 || depth == INLINE_FRAMES_DEPTH) {
            ++left_out_.instances;
            continue;
        }
        clipped_.clear();
        code.count(std::span(level.ranges).subspan(first_range), clipped_);
        const auto first_place = static_cast<uint32_t>(level.places.size());
        const uint32_t nr_places = append_joined(clipped_, level.places);
        level.instances.push_back({.frame = frame,
                                   .first_range = first_range,
                                   .nr_ranges = nr_ranges,
                                   .first_place = first_place,
                                   .nr_places = nr_places,
                                   .begin = clipped_.front().begin});
    }
    std::ranges::sort(level.instances, {}, [](const Instance &instance) {
        return std::pair(instance.begin, instance.frame);
    });
}

const ByteWriter &FrameWriter::calls_of(const Body &body, uint32_t caller, const Code &code,
                                        uint32_t file, uint32_t depth) {
    Level &level = levels_[depth];
    level.out.clear();
    if (first_callee(body, caller) == kNone)
        return level.out;
    find_instances(body, caller, code, depth);
    LastCall last{.file = file};
    for (const Instance &instance : level.instances)
        write_instance(body, instance, last, depth);
    return level.out;
}

void FrameWriter::write_instance(const Body &body, const Instance &instance, LastCall &last,
                                 uint32_t depth) {
    Level &level = levels_[depth];
    ByteWriter &out = level.out;
    const auto places = std::span(level.places).subspan(instance.first_place, instance.nr_places);
    const Code code(std::span(level.ranges).subspan(instance.first_range, instance.nr_ranges));
    const CodeFrame &frame = units_[body.unit].frames[instance.frame];
    const uint32_t func = func_numbers_[function_of(body, instance.frame)];
    const uint32_t file = file_number(body, instance.frame);
    const uint32_t known = call_numbers_[body.unit][instance.frame];
    const bool is_known = known != kNone;
    const uint32_t inner_file = func < func_files_.size() ? func_files_[func] : 0;
    const ByteWriter &inner = calls_of(body, instance.frame, code, inner_file, depth + 1);
    ++nr_instances_;
    out.uleb(uint64_t{is_known ? known : func} << INLINE_FRAMES_INSTANCE_BITS |
             (is_known ? INLINE_FRAMES_KNOWN : 0) | (places.size() > 1 ? INLINE_FRAMES_RANGES : 0) |
             (inner.size() != 0 ? INLINE_FRAMES_CALLS : 0));
    const CodeRange &first = places.front();
    out.uleb(first.begin - last.start);
    if (!is_known && file != last.file) {
        out.uleb(0);
        out.uleb(file);
        last.file = file;
    }
    out.uleb(first.end - first.begin);
    if (places.size() > 1)
        out.uleb(places.size() - 1);
    for (size_t i = 1; i < places.size(); ++i) {
        out.uleb(places[i].begin - places[i - 1].end);
        out.uleb(places[i].end - places[i].begin);
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
    for (const std::string_view name : files_)
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
                                         .page_bits = pages_.empty() ? 0 : kPageBits};
    ByteWriter out;
    out.item(header);
    out.items(sections);
    out.items(blocks_);
    out.items(pages_);
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
