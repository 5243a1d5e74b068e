// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/module_embed.h"

#include <algorithm>

#include "userspace/format/base_stack.h"
#include "userspace/format/module_name.h"
#include "userspace/generator/write/btf_append.h"
#include "userspace/generator/write/section_writer.h"

namespace btf_extra::generator {

namespace {

Result<void> check_file(const ElfImage &module) {
    size_t size = 0;
    const char *raw = elf_rawfile(module.handle(), &size);
    const bool is_elf = TRY(is_elf_file(module.path()));
    if (!is_elf)
        return module.error("ELF header", "compressed; modules in a kernel build are not");
    if (!module.relocatable())
        return module.error("ELF header", "not a relocatable file, as kernel modules are");
    if (std::string_view(raw, size).ends_with(kModuleSignature))
        return module.error("signature",
                            "the module is signed, and the signature would not fit the new file");
    if (module.find(kTypesSection) != nullptr && !module_btf_is_level(module))
        return module.error(".BTF.base",
                            "BTF on a distilled base: the module was built out of tree");
    return {};
}

// Returns the base of what is in the module already. Empty: nothing is.
Result<std::vector<BaseIdentity>> embedded_base(const ElfImage &module) {
    const ElfSection *section = module.find(kEmbeddedSection);
    if (section == nullptr)
        return std::vector<BaseIdentity>();
    const auto bytes = TRY(module.bytes(*section));
    const auto image = TRY(ElfImage::from_bytes(module.path() + ": " + kEmbeddedSection,
                                                {bytes.begin(), bytes.end()}));
    const ElfSection *base = image.find(kBaseSection);
    if (base == nullptr)
        return image.error(kBaseSection, "not there");
    const auto levels = TRY(image.bytes(*base));
    return items_of<BaseIdentity>(levels);
}

}  // namespace

Result<Embedding> embed_in_module(const GenerateOptions &options) {
    const auto module = TRY(ElfImage::open(options.input));
    TRY(check_file(module));
    if (module.find(kTypesSection) == nullptr)
        return Embedding::kNoBtf;
    BaseStack base(options.vmlinux);
    TRY(base.add_module(module));
    const auto there = TRY(embedded_base(module));
    const std::vector<BaseIdentity> now = base.identity();
    if (there == now)
        return Embedding::kThere;
    // Its .BTF has our types already, and they refer to the other kernel's.
    if (!there.empty() && there.back() == now.back())
        return module.error(kEmbeddedSection,
                            "made for the BTF of another kernel: link the module again");

    // The kernel may find a variable of another module by the name of a VAR.
    GenerateOptions without_variables = options;
    without_variables.variables = false;
    auto file = TRY(generate(without_variables));
    const auto types =
        TRY(BtfImage::open(options.input + ": types", std::move(file.types), &base.top()));
    auto merged = TRY(BtfImage::open(options.input + ": merged .BTF",
                                     append_btf(base.top(), *types), options.vmlinux.get()));
    const std::vector<std::byte> locations = std::move(file.func_info);
    const auto on_top =
        TRY(BtfImage::open(options.input + ": .BTF.func_info", locations, merged.get()));
    btf_fault fault{};
    if (loc_validate(&on_top->blob(), file.machine, &fault) != 0)
        return on_top->error(fault);
    BaseStack below_locations(options.vmlinux);
    below_locations.add_level(std::move(merged));
    file.types.clear();
    file.func_info.clear();
    file.provenance.reset();
    file.own_types = base.top().blob().nr_types;
    file.base = below_locations.identity();
    const auto rest = TRY(extra_file_bytes(options.input, file));
    const SectionContents sections[] = {{kTypesSection, below_locations.top().bytes()},
                                        {kFuncInfoSection, locations},
                                        {kEmbeddedSection, rest}};
    TRY(write_sections(options.input, sections));
    return Embedding::kDone;
}

}  // namespace btf_extra::generator
