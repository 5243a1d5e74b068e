// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The signature after the ELF file of a module, as the kernel's scripts/sign-file makes it.
#ifndef BTF_EXTRA_MODULE_SIGNATURE_H
#define BTF_EXTRA_MODULE_SIGNATURE_H

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra::phantoms {

// Returns the module without its signature, or the whole file if it has none.
std::span<const std::byte> without_signature(std::span<const std::byte> file);

// Appends a signature. key and certificate are files in PEM, or a certificate in DER.
Result<void> sign_module(std::vector<std::byte> &module, const std::string &key,
                         const std::string &certificate);

}  // namespace btf_extra::phantoms

#endif
