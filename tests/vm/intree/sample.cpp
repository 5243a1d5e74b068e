// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Each line of the list of sites has an id and an address. The id must attach to that address.
#include <map>
#include <set>
#include <sstream>

#include <bpf/bpf.h>
#include <unistd.h>

#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

constexpr size_t kSample = 500;

// A line for a body: "address t name\t[object] btf_id file\tsymbol\tBTF:ID". Instead of BTF:ID
// there may be a reason that begins with '-'.
struct Line {
    uint64_t address = 0;
    std::string text, symbol, types, reason;
    uint32_t id = 0;
};

std::vector<Line> read_lines() {
    std::vector<Line> lines;
    std::ifstream file("/sys/kernel/debug/btf_extra/sites");
    for (Line line; std::getline(file, line.text); line = Line()) {
        std::vector<std::string> columns;
        std::istringstream words(line.text);
        for (std::string column; std::getline(words, column, '\t');)
            columns.push_back(column);
        line.address = std::stoull(columns.at(0), nullptr, 16);
        if (columns[0].find(" t ") == std::string::npos)
            continue;
        if (columns.size() != 4)
            die("the list of sites: " + line.text);
        line.symbol = columns[2];
        if (columns[3].starts_with("-")) {
            line.reason = columns[3];
        } else {
            const size_t colon = columns[3].find(':');
            line.types = columns[3].substr(0, colon);
            line.id = static_cast<uint32_t>(std::stoul(columns[3].substr(colon + 1)));
        }
        lines.push_back(line);
    }
    return lines;
}

// Attaches an fentry program that does nothing to that id. Returns the error, and what the log says
// about it; or 0, and the bytes at the address while it was attached.
int attach_nothing(const Func &func, uint64_t address, std::array<uint8_t, SEEN_TEXT> &text,
                   std::string &why) {
    static std::array<char, 4096> log;
    const bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                                {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_TRACE_FENTRY;
    options.attach_btf_obj_fd = func.btf_fd;
    options.attach_btf_id = func.id;
    options.log_buf = log.data();
    options.log_size = log.size();
    const int program =
        bpf_prog_load(BPF_PROG_TYPE_TRACING, "nothing", "GPL", nothing, 2, &options);
    if (program < 0) {
        why = log.data();
        return errno;
    }
    const int link = bpf_raw_tracepoint_open(nullptr, program);
    const int error = link < 0 ? errno : 0;
    if (error == 0)
        text = text_at(address);
    close(link);
    close(program);
    return error;
}

// Returns the addresses whose first instruction may be traced, or the one after an endbr64.
std::set<uint64_t> traceable() {
    std::set<uint64_t> addresses;
    std::ifstream file("/sys/kernel/tracing/available_filter_functions_addrs");
    for (std::string line; std::getline(file, line);)
        addresses.insert(std::stoull(line, nullptr, 16));
    if (addresses.empty())
        die("available_filter_functions_addrs");
    return addresses;
}

size_t traced_functions() {
    size_t lines = 0;
    std::ifstream file("/sys/kernel/tracing/enabled_functions");
    for (std::string line; std::getline(file, line);)
        lines++;
    return lines;
}

}  // namespace

void sample() {
    const std::vector<Line> lines = read_lines();
    std::map<std::string, size_t> reasons;
    std::vector<const Line *> with_id;
    for (const Line &line : lines) {
        if (line.reason.empty())
            with_id.push_back(&line);
        else
            reasons[line.reason]++;
    }
    std::printf("# %zu bodies, %zu with an id\n", lines.size(), with_id.size());
    for (const auto &[reason, count] : reasons)
        std::printf("# %zu %s\n", count, reason.c_str());

    {
        Row row("the list of sites: most symbols have an id, the others a reason");
        row.expect(with_id.size() > lines.size() / 2, "few: " + std::to_string(with_id.size()));
        for (const Line &line : lines) {
            if (line.symbol != "-" && line.text.find("[vmlinux]") != std::string::npos)
                row.expect(std::ranges::count(symbols(line.symbol), line.address) > 0,
                           "no such symbol: " + line.text);
        }
    }
    std::map<std::string, std::unique_ptr<Types>> types;
    std::map<std::string, size_t> attached_of;
    std::map<int, size_t> refused;
    Random any;
    size_t attached = 0;
    Row row("a sample of 500 ids of the list is attached exactly where it says");
    // It would take long to attach them to their inlined calls, too.
    const Completing off("off");
    row.expect(with_id.size() > kSample, "few lines");
    const std::set<uint64_t> can_be = traceable();
    for (size_t i = 0; i < 3 * kSample && attached < kSample && !with_id.empty(); i++) {
        const Line &line = *with_id[any.below(with_id.size())];
        std::unique_ptr<Types> &of = types[line.types];
        if (!of)
            of = std::make_unique<Types>(line.types);
        Func func = of->func(line.id);
        row.expect(func.id != 0, "no such FUNC: " + line.text);
        const std::array<uint8_t, SEEN_TEXT> before = text_at(line.address);
        std::array<uint8_t, SEEN_TEXT> during = before;
        std::string why;
        const int error = attach_nothing(func, line.address, during, why);
        if (error != 0) {
            // ftrace cannot trace it, or fentry refuses it: it returns a structure, for one.
            row.expect((!can_be.contains(line.address) && !can_be.contains(line.address + 4)) ||
                           why.starts_with("The function ") ||
                           why.starts_with("Attaching tracing") ||
                           std::ranges::find(kUntraceable, func.name) != std::end(kUntraceable),
                       std::strerror(error) + (": " + line.text + "\n" + why));
            refused[error]++;
            continue;
        }
        attached++;
        attached_of[line.types]++;
        row.expect(is_traced(before, during), "elsewhere: " + line.text);
        row.expect(text_at(line.address) == before, "not as it was: " + line.text);
    }
    row.equal(static_cast<int64_t>(attached), kSample, "attached");
    row.equal(static_cast<int64_t>(traced_functions()), 0, "still traced");
    for (const auto &[name, count] : attached_of)
        std::printf("# %zu of %s\n", count, name.c_str());
    for (const auto &[error, count] : refused)
        std::printf("# %zu refused: %s\n", count, std::strerror(error));
}
