// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The template inlined.ko, which is built with btf_extra.ko: a module with unnamed stubs. A copy of
// it with names, BTF and the table of functions can be loaded.
#ifndef BTF_EXTRA_TEMPLATE_MODULE_H
#define BTF_EXTRA_TEMPLATE_MODULE_H

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/phantoms/phantom.h"

namespace btf_extra::phantoms {

class TemplateModule {
  public:
    // Opens and checks a file, which may be compressed and signed. release: the kernel that it must
    // be built for; empty: any.
    static Result<TemplateModule> open(const std::string &path, const std::string &release);

    // Returns the path of the template below a folder "/lib/modules/RELEASE".
    static Result<std::string> find(const std::string &folder);

    // The module of that name with these stubs: 1 to PHANTOM_STUBS, in the order of the table.
    // Returns the module without a signature.
    Result<std::vector<std::byte>> with_stubs(const std::string &name,
                                              std::span<const Phantom> phantoms) const;

  private:
    Result<void> check(const ElfImage &image, const std::string &release);
    Result<void> check_stubs(const ElfImage &image);
    Result<void> check_call_list(const ElfImage &image);
    Error error(std::string_view where, std::string_view reason) const;

    std::string path_;
    std::vector<std::byte> bytes_;  // of an ELF file, without signature
    // Contents of sections that change.
    std::vector<std::byte> symbols_, strings_, call_list_, relocations_, info_, module_;
    std::string symbols_name_, strings_name_, call_list_name_, relocations_name_;
    std::vector<size_t> stubs_;  // the symbols of the stubs, by number
    uint32_t text_ = 0;          // section of the stubs
    size_t name_at_ = 0;         // where the name is in module_
};

}  // namespace btf_extra::phantoms

#endif
