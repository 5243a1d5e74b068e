// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra value: what variables of the running kernel contain.
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "userspace/cli/command.h"
#include "userspace/cli/object_options.h"
#include "userspace/code/running_code.h"
#include "userspace/lib/tables/variables.h"
#include "userspace/trace/variable_value.h"

namespace btf_extra {
namespace {

constexpr char kMemory[] = "/proc/kcore";

struct Options {
    std::vector<std::string> texts;
    TablesChoice tables;
    bool json = false;
};

Result<Operand> parse(const std::string &text) {
    auto paths = TRY(parse_paths(text));
    if (paths.size() != 1)
        return Error{fmt::format("'{}': more than one variable", text), EINVAL};
    return std::move(paths[0]);
}

Result<void> print_values(const Options &options) {
    if (access(kMemory, R_OK) != 0)
        return Error{fmt::format("{}: open: {}{}", kMemory, std::strerror(errno),
                                 errno == EACCES || errno == EPERM ? "; run as root" : ""),
                     errno};
    const RunningCode memory(kMemory);
    const ReadMemory read = [&](uint64_t address, size_t size) {
        return memory.read(address, size);
    };
    const auto tables = TRY(open_tables(options.tables));
    ordered_json list = ordered_json::array();
    for (const std::string &text : options.texts) {
        const Operand path = TRY(parse(text));
        const FoundVariable variable = TRY(find_typed_variable(*tables, path.object, path.name));
        const VariableValue value = TRY(read_variable(variable, path, read));
        if (options.json)
            list.push_back({{"object", variable.object->name},
                            {"variable", path.text},
                            {"type", value.type},
                            {"address", fmt::format("{:#x}", value.address)},
                            {"value", value.json}});
        else
            fmt::print("{} = {}\n", path.text, value.text);
    }
    if (options.json)
        print_object({{"values", std::move(list)}});
    return {};
}

}  // namespace

void add_value(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "value", "Print variables of the running kernel, or members that they lead to");
    command
        ->add_option("VARIABLE", options->texts,
                     "[OBJECT:]NAME, and members of it: init_task.comm, init_task.mm->pgd, a[3].b")
        ->required();
    add_running_tables_options(*command, options->tables);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] { exit_code = finish(print_values(*options)); });
}

}  // namespace btf_extra
