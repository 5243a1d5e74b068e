// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra expose: functions that are inlined become functions that any tool can trace.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "userspace/cli/command.h"
#include "userspace/cli/expose_text.h"
#include "userspace/cli/object_options.h"
#include "userspace/format/temporary_file.h"
#include "userspace/lib/probing/placed_site.h"
#include "userspace/phantoms/loaded_modules.h"
#include "userspace/phantoms/module_holders.h"
#include "userspace/phantoms/module_plan.h"
#include "userspace/phantoms/module_signature.h"
#include "userspace/phantoms/phantom_choice.h"
#include "userspace/phantoms/template_module.h"

namespace btf_extra {
namespace {

using namespace phantoms;

struct Options {
    PhantomChoice choice;
    TablesChoice tables;
    std::string template_path, output;
    std::vector<std::string> sign;  // key and certificate
    bool best_effort = false, arm = false, list = false, json = false, remove = false;
};

Result<TemplateModule> open_template(const Options &options) {
    utsname running = {};
    uname(&running);
    std::string path = options.template_path;
    if (path.empty())
        path = TRY(TemplateModule::find(fmt::format("/lib/modules/{}", running.release)));
    return TemplateModule::open(path, options.tables.elf.vmlinux.empty() ? running.release : "");
}

// The module as it can be loaded; nothing: it has no stubs.
Result<std::vector<std::byte>> make_module(const Options &options, const TemplateModule &from,
                                           const std::string &name,
                                           const std::vector<Phantom> &phantoms) {
    if (phantoms.empty())
        return std::vector<std::byte>();
    auto bytes = TRY(from.with_stubs(name, phantoms));
    if (!options.sign.empty())
        TRY(sign_module(bytes, options.sign[0], options.sign[1]));
    return bytes;
}

// Reports functions that cannot be exposed: an error, unless the others are sufficient.
Result<void> report_refused(const ChosenPhantoms &chosen, bool best_effort) {
    if (!best_effort && !chosen.refused.empty())
        return Error{
            fmt::format("{}: {}{}", chosen.refused[0].func, chosen.refused[0].reason,
                        chosen.phantoms.empty() ? "" : "; --best-effort exposes the others")};
    for (const RefusedFunc &each : chosen.refused)
        fmt::print(stderr, "btf-extra: left out: {}: {}\n", each.func, each.reason);
    if (chosen.phantoms.empty())
        return Error{"no function can be exposed"};
    return {};
}

// The first module has the name that was asked for, the others are out_2.ko, out_3.ko, ...
std::filesystem::path output_path(const Options &options, size_t number) {
    std::filesystem::path out = options.output;
    if (number > 0)
        out.replace_filename(
            fmt::format("{}_{}{}", out.stem().string(), number + 1, out.extension().string()));
    return out;
}

Result<void> write_modules(const Options &options, const ChosenPhantoms &chosen) {
    std::vector<Phantom> all;
    std::vector<ExposedStub> stubs;
    for (const ChosenPhantom &each : chosen.phantoms) {
        all.push_back(each.phantom);
        stubs.push_back({each.phantom, each.state, ""});
    }
    const TemplateModule from = TRY(open_template(options));
    const auto plan = plan_more({}, std::move(all));
    for (size_t i = 0; i < plan.size(); i++) {
        const auto bytes = TRY(make_module(options, from, plan[i].name, plan[i].after));
        TRY(write_whole_file(output_path(options, i), bytes));
    }
    print_stubs_text(stubs, false);
    return {};
}

// Makes the change. Stubs that were armed by hand are armed again.
Result<void> carry_out(const Options &options, const std::vector<PlannedModule> &plan) {
    std::vector<std::string> held;
    std::vector<ModuleChange> changes;
    for (const PlannedModule &each : plan) {
        changes.push_back({each.name, {}, {}});
        if (each.before.empty() && each.after.empty())
            continue;
        const TemplateModule from = TRY(open_template(options));
        changes.back().before = TRY(make_module(options, from, each.name, each.before));
        changes.back().after = TRY(make_module(options, from, each.name, each.after));
        for (const Phantom &phantom : each.before) {
            const auto state = TRY(read_stub_state(phantom.stub.name));
            if (state.state == "held" &&
                std::ranges::count(each.after, phantom.stub.name,
                                   [](const Phantom &other) { return other.stub.name; }) != 0)
                held.push_back(phantom.stub.name);
        }
    }
    TRY(change_modules(changes, kernel_loader(!options.sign.empty())));
    for (const std::string &stub : held)
        TRY(arm_stub(stub));
    return {};
}

// BPF programs attach to a stub by ftrace's direct calls, which arm64 has from 6.4 on (Linux commit
// 2aa6ac03516d). The function exists if the kernel has them.
void warn_without_fentry(const SiteTables &tables) {
    const Symbols *symbols = tables.symbols();
    if (symbols != nullptr && symbols->places("register_ftrace_direct").empty())
        fmt::print(stderr,
                   "btf-extra: this kernel has no fentry: BPF programs cannot attach to the "
                   "stubs; use btf-extra trace or the library\n");
}

// Chooses the functions. loaded: the modules with stubs that the kernel of the tables has.
Result<ChosenPhantoms> choose(const Options &options, SiteTables &tables,
                              const std::vector<LoadedModule> &loaded) {
    std::vector<Stub> there;
    for (const LoadedModule &module : loaded)
        for (const Phantom &phantom : module.phantoms)
            there.push_back(phantom.stub);
    PhantomChoice choice = options.choice;
    std::optional<SitePlacer> placer;
    if (tables.running()) {
        choice.taken = funcs_of_modules();
    } else if (auto opened = SitePlacer::open(tables)) {
        placer.emplace(std::move(*opened));
        choice.refusal = [&](const SiteObject &object, const btf_extra_site &site) {
            return placer->refusal(object, site).reason;
        };
    }
    auto chosen = TRY(choose_phantoms(tables, choice, there));
    TRY(report_refused(chosen, options.best_effort));
    return chosen;
}

// The files may be for another kernel, and this one may have no module.
Result<void> expose_in_files(const Options &options, SiteTables &tables) {
    auto loaded = loaded_modules();
    if (!loaded && loaded.error().code != ENOENT)
        return loaded.error();
    std::vector<LoadedModule> modules;
    if (loaded && tables.running())
        modules = std::move(*loaded);
    const auto chosen = TRY(choose(options, tables, modules));
    return write_modules(options, chosen);
}

Result<void> expose_here(const Options &options, SiteTables &tables) {
    const auto loaded = TRY(loaded_modules());
    if (!tables.running())
        return Error{tables.name() + ": not the running kernel: --output writes a module for it"};
    const auto chosen = TRY(choose(options, tables, loaded));
    std::vector<Phantom> more;
    for (const ChosenPhantom &each : chosen.phantoms)
        if (!each.there)
            more.push_back(each.phantom);
    TRY(carry_out(options, plan_more(loaded, std::move(more))));
    std::vector<ExposedStub> stubs;
    for (const ChosenPhantom &each : chosen.phantoms) {
        const std::string &name = each.phantom.stub.name;
        if (options.arm)
            TRY(arm_stub(name));
        const auto state = TRY(read_stub_state(name));
        stubs.push_back({each.phantom, state, ""});
    }
    print_stubs_text(stubs, options.arm);
    warn_without_fentry(tables);
    return {};
}

Result<void> expose(const Options &options) {
    const auto tables = TRY(open_tables(options.tables));
    return options.output.empty() ? expose_here(options, *tables)
                                  : expose_in_files(options, *tables);
}

Result<void> list(const Options &options) {
    std::vector<ExposedStub> stubs;
    for (const LoadedModule &module : TRY(loaded_modules()))
        for (const Phantom &phantom : module.phantoms) {
            const auto state = TRY(read_stub_state(phantom.stub.name));
            stubs.push_back({phantom, state, module.name});
        }
    if (options.json)
        print_stubs_json(stubs);
    else
        print_stubs_text(stubs, true);
    return {};
}

Result<void> remove(const Options &options) {
    const auto loaded = TRY(loaded_modules());
    const auto plan = TRY(plan_less(loaded, options.choice.funcs));
    for (const PlannedModule &each : plan) {
        const auto module = std::ranges::find(loaded, each.name, &LoadedModule::name);
        if (module->users != 0)
            return Error{
                fmt::format("{} is in use: {}", each.name, holders_text(each.name, module->users)),
                EBUSY};
    }
    // Nothing has to be made if all goes.
    const bool all =
        std::ranges::all_of(plan, [](const PlannedModule &each) { return each.after.empty(); });
    if (!all)
        return carry_out(options, plan);
    for (const PlannedModule &each : plan)
        TRY(kernel_loader(false).unload(each.name));
    return {};
}

Result<void> run(const Options &options) {
    if (options.list)
        return list(options);
    return options.remove ? remove(options) : expose(options);
}

// Returns the error in the options: each belongs to one kind of call. Empty: none.
std::string wrong_use(const Options &options) {
    const bool exposes = !options.list && !options.remove;
    if (options.list && options.remove)
        return "--list and --remove exclude each other";
    if (exposes && options.choice.funcs.empty())
        return "FUNC is required";
    if (options.list && !options.choice.funcs.empty())
        return "--list takes no FUNC";
    if (options.json && !options.list)
        return "--json requires --list";
    if (!exposes && (!options.choice.without.empty() || options.best_effort || options.arm ||
                     !options.output.empty() || !options.tables.file.empty()))
        return "--list and --remove take no option of functions to expose";
    return options.arm && !options.output.empty() ? "--arm excludes --output" : "";
}

}  // namespace

void add_expose(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    options->tables.parts = FileParts::kSites;
    CLI::App *command = app.add_subcommand(
        "expose", "Make inlined functions visible to any tool, as functions of a module");
    add_func_option(*command, options->choice.funcs);
    add_tables_options(*command, options->tables);
    repeatable(command->add_option("--without", options->choice.without, "Leave out a parameter"));
    command->add_flag("--best-effort", options->best_effort,
                      "Expose the others if some functions cannot be exposed");
    command->add_flag("--arm", options->arm, "Arm all sites at once, and keep them armed");
    command->add_option("--template", options->template_path,
                        "The inlined.ko that was built with btf_extra.ko");
    command->add_option("-o,--output", options->output, "Write the module, and do not load it");
    command->add_option("--sign", options->sign, "KEY CERT: sign the module with them")
        ->expected(2)
        ->allow_extra_args(false);
    command->add_flag("--list", options->list, "List the exposed functions");
    command->add_flag("--json", options->json, "With --list: print one JSON object");
    command->add_flag("--remove", options->remove,
                      "Remove the exposed functions: all, or those that match FUNC");
    command->callback([options, &exit_code] {
        if (const std::string wrong = wrong_use(*options); !wrong.empty())
            throw CLI::ValidationError(wrong);
        exit_code = finish(run(*options));
    });
}

}  // namespace btf_extra
