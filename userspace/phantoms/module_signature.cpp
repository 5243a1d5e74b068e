// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/module_signature.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "userspace/format/module_name.h"

namespace btf_extra::phantoms {
namespace {

// The kernel calls it struct module_signature.
struct Trailer {
    uint8_t algorithm, hash, id_type, signer_size, key_id_size, padding[3];
    std::array<uint8_t, 4> size;  // of the signature, the high byte first
};
constexpr uint8_t kPkcs7 = 2;  // PKEY_ID_PKCS7

template <auto Free> struct Freed {
    template <class Item> void operator()(Item *item) const { Free(item); }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Cms = std::unique_ptr<CMS_ContentInfo, Freed<CMS_ContentInfo_free>>;

Error failed(const std::string &file, std::string_view what) {
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return Error{fmt::format("{}: {}: {}", file, what, reason != nullptr ? reason : "refused")};
}

Result<Key> read_key(const std::string &path) {
    const Bio file(BIO_new_file(path.c_str(), "rb"));
    // No one is asked for a password.
    Key key(file ? PEM_read_bio_PrivateKey(
                       file.get(), nullptr, [](char *, int, int, void *) { return -1; }, nullptr)
                 : nullptr);
    if (!key)
        return failed(path, "private key");
    return key;
}

Result<Certificate> read_certificate(const std::string &path) {
    const Bio file(BIO_new_file(path.c_str(), "rb"));
    Certificate out(file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr);
    if (!out && file && BIO_reset(file.get()) == 0)
        out.reset(d2i_X509_bio(file.get(), nullptr));
    if (!out)
        return failed(path, "certificate");
    return out;
}

}  // namespace

std::span<const std::byte> without_signature(std::span<const std::byte> file) {
    const std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
    Trailer trailer;
    if (!text.ends_with(kModuleSignature) ||
        file.size() < kModuleSignature.size() + sizeof(trailer))
        return file;
    const size_t end = file.size() - kModuleSignature.size() - sizeof(trailer);
    std::memcpy(&trailer, file.data() + end, sizeof(trailer));
    size_t size = 0;
    for (const uint8_t byte : trailer.size)
        size = size << 8 | byte;
    return size <= end ? file.first(end - size) : file;
}

Result<void> sign_module(std::vector<std::byte> &module, const std::string &key_path,
                         const std::string &certificate_path) {
    const Key key = TRY(read_key(key_path));
    const Certificate certificate = TRY(read_certificate(certificate_path));
    constexpr unsigned kFlags =
        CMS_NOCERTS | CMS_BINARY | CMS_DETACHED | CMS_NOSMIMECAP | CMS_NOATTR;
    const Bio data(BIO_new_mem_buf(module.data(), static_cast<int>(module.size())));
    const Cms cms(CMS_sign(nullptr, nullptr, nullptr, nullptr, kFlags | CMS_PARTIAL));
    const Bio out(BIO_new(BIO_s_mem()));
    if (!data || !cms || !out ||
        CMS_add1_signer(cms.get(), certificate.get(), key.get(), EVP_sha256(), kFlags) == nullptr ||
        CMS_final(cms.get(), data.get(), nullptr, kFlags) != 1 ||
        i2d_CMS_bio(out.get(), cms.get()) != 1)
        return failed(key_path, "signature");
    const char *signature = nullptr;
    const auto size = static_cast<size_t>(BIO_get_mem_data(out.get(), &signature));
    Trailer trailer = {};
    trailer.id_type = kPkcs7;
    for (size_t i = 0; i < trailer.size.size(); i++)
        trailer.size[i] = static_cast<uint8_t>(size >> (24 - 8 * i));
    const auto append = [&](const void *from, size_t count) {
        const auto *bytes = static_cast<const std::byte *>(from);
        module.insert(module.end(), bytes, bytes + count);
    };
    append(signature, size);
    append(&trailer, sizeof(trailer));
    append(kModuleSignature.data(), kModuleSignature.size());
    return {};
}

}  // namespace btf_extra::phantoms
