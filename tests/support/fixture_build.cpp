// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/fixture_build.h"
#include "tests/support/extra_writer.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/text/c_type.h"
#include "userspace/text/loc_text.h"

namespace btf_extra::test {
namespace {

std::vector<std::string> compile_command(const Recipe &recipe) {
    // Kernels are built like this: without vector registers and stack protector.
    std::vector<std::string> out = {recipe.compiler,   recipe.level,           recipe.dwarf,
                                    "-ffreestanding",  "-fno-stack-protector", "-fno-pie",
                                    "-Werror=implicit"};
    if (!recipe.compiler.starts_with("aarch64"))
        out.push_back("-mno-sse");
    out.insert(out.end(), recipe.more.begin(), recipe.more.end());
    return out;
}

}  // namespace

std::string Recipe::name() const {
    std::string out = compiler + " " + level + " " + dwarf;
    for (const std::string &flag : more)
        out += " " + flag;
    return out;
}

std::vector<Recipe> recipes(const std::vector<std::string> &levels) {
    std::vector<Recipe> out;
    for (const char *compiler : {"gcc", "clang-14"})
        for (const std::string &level : levels)
            for (const char *dwarf : {"-gdwarf-4", "-gdwarf-5"})
                out.push_back({.compiler = compiler, .level = level, .dwarf = dwarf});
    return out;
}

CommandResult run_in_fixtures(std::vector<std::string> arguments) {
    const char *source = std::getenv("BTF_EXTRA_SOURCE");
    if (source == nullptr)
        throw std::runtime_error("BTF_EXTRA_SOURCE is not set: run the tests through make check");
    arguments.insert(arguments.begin(), {"env", "-C", std::string(source) + "/tests/fixtures"});
    return run_command(arguments);
}

void must_run(std::vector<std::string> arguments) {
    CommandResult result = run_in_fixtures(arguments);
    if (result.exit_code != 0)
        throw std::runtime_error(fmt::format("{}: exit code {}: {}", fmt::join(arguments, " "),
                                             result.exit_code, result.err));
}

void link_fixture(const std::string &path, const std::vector<std::string> &sources,
                  const Recipe &recipe) {
    std::vector<std::string> command = compile_command(recipe);
    command.insert(command.end(), {"-nostdlib", "-static", "-Wl,--build-id", "-o", path});
    // gcc needs -no-pie to link. clang needs no such option, and would warn about an unused one.
    command.push_back(recipe.compiler.starts_with("clang") ? "-Wno-unused-command-line-argument"
                                                           : "-no-pie");
    command.insert(command.end(), sources.begin(), sources.end());
    must_run(command);
}

void compile_fixture(const std::string &path, const std::string &source, const Recipe &recipe) {
    std::vector<std::string> command = compile_command(recipe);
    command.insert(command.end(), {"-c", "-o", path, source});
    must_run(command);
}

void add_base_btf(const std::string &path) {
    // pahole does not write the section itself: its llvm-objcopy refuses the files that GNU ld
    // makes for arm64.
    const std::string blob = path + ".btf", with_btf = path + ".with_btf";
    must_run({"pahole", "--btf_encode_detached=" + blob, path});
    const auto elf = ElfImage::open(path);
    const bool arm64 = elf && elf->machine() == EM_AARCH64;
    must_run({arm64 ? "aarch64-linux-gnu-objcopy" : "objcopy", "--add-section", ".BTF=" + blob,
              path, with_btf});
    std::filesystem::rename(with_btf, path);
}

const NamedSite::Param &NamedSite::param(std::string_view wanted) const {
    for (const Param &param : params)
        if (param.name == wanted)
            return param;
    throw std::runtime_error(fmt::format("{} has no parameter {}", function, wanted));
}

Result<std::unique_ptr<GeneratedFixture>>
GeneratedFixture::open(const std::string &path, const std::string &btf_base, uint32_t jobs) {
    Result<ExtraFile> file =
        generate({.input = path, .btf_base = btf_base, .jobs = jobs, .progress = {}});
    if (!file)
        return file.error();
    const std::string output = path + ".btf_extra";
    if (auto written = write_extra_file(output, *file); !written)
        return written.error();
    Result<ElfImage> elf = ElfImage::open(path);
    if (!elf)
        return elf.error();
    std::unique_ptr<GeneratedFixture> fixture(new GeneratedFixture(std::move(*elf)));
    auto view = btf_base.empty() ? ObjectView::open_for(output, fixture->elf_)
                                 : ObjectView::open_with_base(output, btf_base);
    if (!view)
        return view.error();
    fixture->view_ = std::move(*view);
    auto symbols = SymbolTable::load(fixture->elf_);
    if (!symbols)
        return symbols.error();
    fixture->symbols_ = std::move(*symbols);
    fixture->read_sites();
    return fixture;
}

void GeneratedFixture::read_sites() {
    const loc_index &index = view_->index();
    const btf_blob &blob = view_->locations().blob();
    for (uint32_t number = 0; number < index.nr_sites; number++) {
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&index, number, &section);
        const char *section_name = index.elf_sections[section->elf].name;
        const ElfSection *elf_section = elf_.find(section_name);
        if (elf_section == nullptr)
            throw std::runtime_error(fmt::format("no section {}", section_name));
        NamedSite named;
        named.function = view_->func_name(site->func);
        named.file = view_->func_file(site->func).value_or("");
        named.unit = view_->func_unit(site->func).value_or("");
        named.section = section_name;
        named.address = elf_section->address + site->offset;
        named.body = section->loc_class == LOC_CLASS_BODY;
        named.marks = view_->site_marks(number);
        named.variadic = view_->is_variadic(site->func);
        for (const Parameter &param : view_->parameters(number)) {
            const btf_value type = btf_type_value(&blob, param.type_id);
            named.params.push_back({.name = std::string(param.name),
                                    .size = type.size,
                                    .is_signed = type.is_signed,
                                    .loc = param.loc,
                                    .loc_text = param.loc ? loc_text(param.loc) : "",
                                    .reason = param.reason});
        }
        sites_.push_back(std::move(named));
    }
}

std::vector<NamedSite> GeneratedFixture::sites_of(std::string_view function) const {
    std::vector<NamedSite> out;
    std::ranges::copy_if(sites_, std::back_inserter(out),
                         [&](const NamedSite &site) { return site.function == function; });
    return out;
}

uint64_t GeneratedFixture::text_base() const {
    return elf_.find(".text")->address;
}

uint64_t GeneratedFixture::symbol(const std::string &name) const {
    const auto found = symbols_->named(name);
    if (found.size() != 1)
        return 0;
    return found[0]->offset +
           std::ranges::find(elf_.sections(), found[0]->section, &ElfSection::index)->address;
}

std::string GeneratedFixture::symbol_at(uint64_t address) const {
    for (const ElfSection &section : elf_.sections())
        if (section.executable() && address - section.address < section.size)
            for (const Symbol &symbol : symbols_->at(section.index, address - section.address))
                return symbol.name;
    return "";
}

std::vector<std::string> site_lines(const std::vector<NamedSite> &sites) {
    std::vector<std::string> out;
    for (const NamedSite &site : sites) {
        std::string line =
            fmt::format("{}@{:x} {} {} {} {}", site.function, site.address,
                        site.body ? "body" : "inline", site.section, site.file, site.unit);
        for (const NamedSite::Param &param : site.params)
            line += fmt::format(" {}={}", param.name,
                                param.loc      ? param.loc_text
                                : param.reason ? text(*param.reason)
                                               : "?");
        out.push_back(std::move(line));
    }
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> site_census(const std::vector<NamedSite> &sites) {
    std::vector<std::string> out;
    for (const NamedSite &site : sites)
        if (site.function.find('.') == std::string::npos)  // otherwise it is a true signature
            out.push_back(fmt::format("{}@{:x} {}", site.function, site.address,
                                      site.body ? "body" : "inline"));
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace btf_extra::test
