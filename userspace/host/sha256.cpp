// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/sha256.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace btf_extra::host {

Result<std::string> sha256(std::span<const std::byte> bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        return Error{"libcrypto has no SHA-256"};
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace btf_extra::host
