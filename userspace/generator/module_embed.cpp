// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/module_embed.h"

#include <algorithm>
#include <cstring>

#include "userspace/format/base_stack.h"
#include "userspace/generator/write/btf_append.h"
#include "userspace/generator/write/section_writer.h"

namespace btf_extra::generator {

namespace {

// The kernel's scripts/sign-file puts this behind the ELF file.
constexpr std::string_view kSignature = "~Module signature appended~\n";

Result<void> check_file(const ElfImage &module) {
    size_t size = 0;
    const char *raw = elf_rawfile(module.handle(), &size);
    const Result<bool> plain = is_elf_file(module.path());
    if (!plain)
        return plain.error();
    if (!*plain)
        return module.error("ELF header", "compressed; modules in a kernel build are not");
    if (!module.relocatable())
        return module.error("ELF header", "not a relocatable file, as kernel modules are");
    if (std::string_view(raw, size).ends_with(kSignature))
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
    const auto bytes = module.bytes(*section);
    if (!bytes)
        return bytes.error();
    const auto image = ElfImage::from_bytes(module.path() + ": " + kEmbeddedSection,
                                            {bytes->begin(), bytes->end()});
    if (!image)
        return image.error();
    const ElfSection *base = image->find(kBaseSection);
    if (base == nullptr)
        return image->error(kBaseSection, "not there");
    const auto sums = image->bytes(*base);
    if (!sums)
        return sums.error();
    std::vector<BaseIdentity> levels(sums->size() / sizeof(BaseIdentity));
    std::memcpy(levels.data(), sums->data(), levels.size() * sizeof(BaseIdentity));
    return levels;
}

}  // namespace

Result<Embedding> embed_in_module(const GenerateOptions &options) {
    const Result<ElfImage> module = ElfImage::open(options.input);
    if (!module)
        return module.error();
    if (const Result<void> checked = check_file(*module); !checked)
        return checked.error();
    if (module->find(kTypesSection) == nullptr)
        return Embedding::kNoBtf;
    BaseStack base(options.vmlinux);
    if (const Result<void> added = base.add_module(*module); !added)
        return added.error();
    const Result<std::vector<BaseIdentity>> there = embedded_base(*module);
    if (!there)
        return there.error();
    const std::vector<BaseIdentity> now = base.identity();
    if (*there == now)
        return Embedding::kThere;
    // Its .BTF has our types already, and they refer to the other kernel's.
    if (!there->empty() && there->back() == now.back())
        return module->error(kEmbeddedSection,
                             "made for the BTF of another kernel: link the module again");

    Result<ExtraFile> file = generate(options);
    if (!file)
        return file.error();
    const auto types =
        BtfImage::open(options.input + ": types", std::move(file->types), &base.top());
    if (!types)
        return types.error();
    auto merged = BtfImage::open(options.input + ": merged .BTF", append_btf(base.top(), **types),
                                 options.vmlinux.get());
    if (!merged)
        return merged.error();
    const std::vector<std::byte> locations = std::move(file->func_info);
    const auto on_top =
        BtfImage::open(options.input + ": .BTF.func_info", locations, merged->get());
    if (!on_top)
        return on_top.error();
    btf_fault fault{};
    if (loc_validate(&(*on_top)->blob(), file->machine, &fault) != 0)
        return (*on_top)->error(fault);
    BaseStack below_locations(options.vmlinux);
    below_locations.add_level(std::move(*merged));
    file->types.clear();
    file->func_info.clear();
    file->provenance.reset();
    file->own_types = base.top().blob().nr_types;
    file->base = below_locations.identity();
    const Result<std::vector<std::byte>> rest = extra_file_bytes(options.input, *file);
    if (!rest)
        return rest.error();
    const SectionContents sections[] = {{kTypesSection, below_locations.top().bytes()},
                                        {kFuncInfoSection, locations},
                                        {kEmbeddedSection, *rest}};
    if (const Result<void> written = write_sections(options.input, sections); !written)
        return written.error();
    return Embedding::kDone;
}

}  // namespace btf_extra::generator
