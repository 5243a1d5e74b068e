// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra_vmlinux.ko loaded. Programs of BPF read variables by the VARs of
// its BTF. The addresses are compared with /proc/kallsyms and nm, and the values with /proc/kcore.
//
//   globals_guest globals.bpf.o SYMBOLS      SYMBOLS: nm of vmlinux
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "tests/vm/guest_attach.h"
#include "tests/vm/kernel_btf.h"
#include "userspace/code/running_code.h"

using namespace guest;

namespace {

constexpr size_t kDrawn = 1000;
constexpr size_t kTogether = 25;  // variables of a program

struct Variable {
    uint32_t id;
    std::string name;
    uint32_t kind;  // of its type, without typedefs and qualifiers
    uint32_t size;
};

// The address and the value of a variable, as a program sees them.
struct Seen {
    uint64_t address;
    uint64_t value;  // its first bytes, at most 8
};

uint32_t stripped(const btf *types, uint32_t id) {
    for (const btf_type *type = btf__type_by_id(types, id);
         type != nullptr && (btf_is_mod(type) || btf_is_typedef(type));
         type = btf__type_by_id(types, id))
        id = type->type;
    return id;
}

std::vector<Variable> variables_of(const btf *types, uint32_t first) {
    std::vector<Variable> out;
    for (uint32_t id = first; id < btf__type_cnt(types); id++) {
        const btf_type *type = btf__type_by_id(types, id);
        if (!btf_is_var(type))
            continue;
        const uint32_t of = stripped(types, type->type);
        out.push_back({id, btf__name_by_offset(types, type->name_off),
                       btf_kind(btf__type_by_id(types, of)),
                       static_cast<uint32_t>(btf__resolve_size(types, type->type))});
    }
    return out;
}

// ---- the program ----

void load_address(std::vector<bpf_insn> &code, uint8_t to, uint8_t source, uint32_t low,
                  uint32_t high) {
    code.push_back({BPF_LD | BPF_IMM | BPF_DW, to, source, 0, static_cast<int32_t>(low)});
    code.push_back({0, 0, 0, 0, static_cast<int32_t>(high)});
}

// Stores address and value of each variable in the map, one after the other.
int load_program(int map, int types, std::span<const Variable> variables, std::string *log) {
    std::vector<bpf_insn> code;
    uint32_t offset = 0;
    for (const Variable &variable : variables) {
        load_address(code, BPF_REG_6, BPF_PSEUDO_MAP_VALUE, static_cast<uint32_t>(map), offset);
        load_address(code, BPF_REG_3, BPF_PSEUDO_BTF_ID, variable.id, static_cast<uint32_t>(types));
        code.push_back({BPF_STX | BPF_MEM | BPF_DW, BPF_REG_6, BPF_REG_3, 0, 0});
        code.push_back({BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0});
        code.push_back({BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, sizeof(uint64_t)});
        code.push_back({BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0,
                        static_cast<int32_t>(std::min<uint32_t>(variable.size, 8))});
        code.push_back({BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel});
        offset += sizeof(Seen);
    }
    code.push_back({BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0});
    code.push_back({BPF_JMP | BPF_EXIT, 0, 0, 0, 0});
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.prog_flags = BPF_F_SLEEPABLE;
    std::string text(log != nullptr ? 4096 : 0, '\0');
    if (log != nullptr) {
        options.log_level = 1;
        options.log_buf = text.data();
        options.log_size = static_cast<uint32_t>(text.size());
    }
    const int fd =
        bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "read", "GPL", code.data(), code.size(), &options);
    if (log != nullptr)
        *log = text.c_str();
    return fd;
}

// Empty: the program does not load.
std::vector<Seen> read_variables(int types, std::span<const Variable> variables) {
    const auto size = static_cast<uint32_t>(variables.size() * sizeof(Seen));
    const int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "seen", 4, size, 1, nullptr);
    if (map < 0)
        die("map");
    std::vector<Seen> out;
    const int program = load_program(map, types, variables, nullptr);
    LIBBPF_OPTS(bpf_test_run_opts, run);
    const uint32_t key = 0;
    if (program >= 0 && bpf_prog_test_run_opts(program, &run) == 0) {
        out.resize(variables.size());
        if (bpf_map_lookup_elem(map, &key, out.data()) != 0)
            die("look-up");
    }
    close(program);
    close(map);
    return out;
}

// ---- the expectation ----

// The first symbol of each name, which kallsyms_lookup_name() returns.
std::map<std::string, uint64_t> first_symbols(const char *path) {
    std::map<std::string, uint64_t> out;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string address, type, name, module;
        words >> address >> type >> name >> module;
        if (module.empty())
            out.try_emplace(name, std::stoull(address, nullptr, 16));
    }
    return out;
}

// Addresses as linked.
std::multimap<std::string, uint64_t> linked_symbols(const char *path) {
    std::multimap<std::string, uint64_t> out;
    std::ifstream in(path);
    std::string address, type, name;
    while (in >> address >> type >> name)
        out.emplace(name, std::stoull(address, nullptr, 16));
    return out;
}

uint64_t number(const std::vector<uint8_t> &bytes) {
    uint64_t out = 0;
    std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof(out)));
    return out;
}

class Comparison {
  public:
    Comparison(const char *linked)
        : running_(first_symbols("/proc/kallsyms")), linked_(linked_symbols(linked)) {
        if (linked_.count("init_task") != 1)
            die("init_task in nm");
        moved_ = running_.at("init_task") - linked_.find("init_task")->second;
    }

    void compare(const Variable &variable, const Seen &seen, uint64_t before, uint64_t after) {
        const auto running = running_.find(variable.name);
        places_.expect(running != running_.end() && running->second == seen.address,
                       variable.name + " is not at its first symbol");
        const auto [first, end] = linked_.equal_range(variable.name);
        places_.expect(
            std::any_of(first, end,
                        [&](const auto &symbol) { return symbol.second + moved_ == seen.address; }),
            variable.name + " is not where nm has it");
        // Another processor may change it.
        if (before == after)
            values_.expect(seen.value == before, variable.name + " has another value");
        compared_ += before == after;
    }

    uint64_t address(const Variable &variable) const { return running_.at(variable.name); }
    size_t compared() const { return compared_; }

  private:
    Row places_{"a program has the address of kallsyms and nm"};
    Row values_{"a program reads the value that /proc/kcore has"};
    std::map<std::string, uint64_t> running_;
    std::multimap<std::string, uint64_t> linked_;
    uint64_t moved_;
    size_t compared_ = 0;
};

// Draws variables, but the first ones of each kind first.
std::vector<Variable> draw(std::vector<Variable> all) {
    Random any;
    for (size_t i = all.size(); i > 1; i--)
        std::swap(all[i - 1], all[any.below(i)]);
    std::map<uint32_t, size_t> of_kind;
    std::stable_partition(all.begin(), all.end(), [&](const Variable &variable) {
        return of_kind[variable.kind]++ < kDrawn / 10;
    });
    all.resize(std::min(all.size(), kDrawn));
    return all;
}

void compare_all(int types, const std::vector<Variable> &drawn, const char *linked) {
    Row row("each variable can be read by a program");
    Comparison comparison(linked);
    const btf_extra::RunningCode memory;
    const auto now = [&](const Variable &variable) {
        return number(memory.read(comparison.address(variable),
                                  std::min<size_t>(variable.size, sizeof(uint64_t))));
    };
    std::map<uint32_t, size_t> kinds;
    for (size_t i = 0; i < drawn.size(); i += kTogether) {
        const auto together = std::span(drawn).subspan(i, std::min(kTogether, drawn.size() - i));
        std::vector<uint64_t> before;
        for (const Variable &variable : together)
            before.push_back(now(variable));
        std::vector<Seen> seen = read_variables(types, together);
        for (size_t k = 0; k < together.size(); k++) {
            const Variable &variable = together[k];
            kinds[variable.kind]++;
            if (seen.empty()) {
                std::string log;
                const int map =
                    bpf_map_create(BPF_MAP_TYPE_ARRAY, "seen", 4, sizeof(Seen), 1, nullptr);
                const int program = load_program(map, types, {&variable, 1}, &log);
                row.expect(program >= 0, variable.name + " does not load: " + log);
                close(program);
                close(map);
                continue;
            }
            row.expect(true, "");
            comparison.compare(variable, seen[k], before[k], now(variable));
        }
    }
    for (const auto &[kind, count] : kinds)
        std::printf("# %zu variables of kind %u\n", count, kind);
    std::printf("# %zu of %zu values compared\n", comparison.compared(), drawn.size());
    row.expect(comparison.compared() * 10 >= drawn.size() * 9, "too few values keep still");
    row.expect(drawn.size() == kDrawn, "there are too few variables");
}

// ---- libbpf ----

std::set<int> processes() {
    std::set<int> out;
    for (const auto &entry : std::filesystem::directory_iterator("/proc"))
        if (std::isdigit(static_cast<unsigned char>(entry.path().filename().string()[0])) != 0)
            out.insert(std::stoi(entry.path().filename()));
    return out;
}

std::string text_of(const bpf_object *object, const char *map, const char *name) {
    const bpf_map *data = bpf_object__find_map_by_name(object, map);
    const btf *types = bpf_object__btf(object);
    const auto *memory = static_cast<const char *>(memory_of<char>(object, map));
    const int section = btf__find_by_name_kind(types, map, BTF_KIND_DATASEC);
    const btf_type *type = btf__type_by_id(types, static_cast<uint32_t>(section));
    for (int i = 0; data != nullptr && i < btf_vlen(type); i++) {
        const btf_var_secinfo &each = btf_var_secinfos(type)[i];
        const btf_type *variable = btf__type_by_id(types, each.type);
        if (std::string(btf__name_by_offset(types, variable->name_off)) == name)
            return {memory + each.offset, each.size};
    }
    die(name);
}

void read_by_libbpf(const char *path) {
    Row row("libbpf: extern variables of the kernel");
    bpf_object *object = bpf_object__open_file(path, nullptr);
    row.expect(object != nullptr && bpf_object__load(object) == 0, "it does not load");
    const int program = bpf_program__fd(bpf_object__find_program_by_name(object, "read_globals"));
    LIBBPF_OPTS(bpf_test_run_opts, run);
    std::set<int> before, seen, after;
    // A process may come or go meanwhile.
    for (int tries = 0; tries < 20 && (before.empty() || before != after); tries++) {
        before = processes();
        row.expect(bpf_prog_test_run_opts(program, &run) == 0 && run.retval == 0,
                   "it does not run");
        after = processes();
    }
    uint32_t count = 0;
    std::memcpy(&count, text_of(object, ".bss", "nr_tasks").data(), sizeof(count));
    const std::string tgids = text_of(object, ".bss", "tgids");
    for (uint32_t i = 0; i < count; i++) {
        int tgid = 0;
        std::memcpy(&tgid, &tgids[i * sizeof(int)], sizeof(tgid));
        seen.insert(tgid);
    }
    row.expect(seen == after, std::to_string(seen.size()) + " processes by the list, " +
                                  std::to_string(after.size()) + " in /proc");
    row.expect(text_of(object, ".bss", "comm").starts_with("swapper/0"), "comm");
    std::string release, line;
    std::getline(std::ifstream("/proc/sys/kernel/osrelease"), release);
    std::getline(std::ifstream("/proc/cmdline"), line);
    row.expect(text_of(object, ".bss", "release").c_str() == release, "release");
    row.expect(text_of(object, ".bss", "command_line").c_str() == line.substr(0, 255),
               "command line");
    bpf_object__close(object);
}

}  // namespace

int main(int, char **arguments) {
    libbpf_set_print([](libbpf_print_level level, const char *format, va_list values) {
        return level == LIBBPF_WARN ? vfprintf(stderr, format, values) : 0;
    });
    for_each_kernel_btf([&](uint32_t id, const std::string &name, int fd) {
        if (name != "btf_extra_vmlinux")
            return false;
        btf *base = btf__load_vmlinux_btf();
        btf *types = btf__load_from_kernel_by_id_split(id, base);
        if (base == nullptr || types == nullptr)
            die(name);
        const auto all = variables_of(types, btf__type_cnt(base));
        std::printf("# %zu variables\n", all.size());
        compare_all(fd, draw(all), arguments[2]);
        return true;
    });
    read_by_libbpf(arguments[1]);
    return Row::failed != 0;
}
