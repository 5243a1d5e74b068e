// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/kernel_config.h"

#include <array>
#include <memory>
#include <sstream>

#include <zlib.h>

namespace btf_extra::host {
namespace {

struct CloseGz {
    void operator()(gzFile_s *file) const { gzclose(file); }
};

// Reads a file as it is, or decompresses it.
std::optional<std::string> read_gz(const std::string &path) {
    const std::unique_ptr<gzFile_s, CloseGz> file(gzopen(path.c_str(), "rb"));
    if (!file)
        return {};
    std::string out;
    std::array<char, 65536> part;
    int size;
    while ((size = gzread(file.get(), part.data(), part.size())) > 0)
        out.append(part.data(), static_cast<size_t>(size));
    // In a file that is cut off, the other options would seem unset.
    int error = Z_OK;
    gzerror(file.get(), &error);
    if (size < 0 || error != Z_OK)
        return {};
    return out;
}

}  // namespace

std::optional<KernelConfig> KernelConfig::read(const Host &host) {
    auto text = read_gz(host.path("/proc/config.gz"));
    if (!text)
        text = read_gz(host.path("/boot/config-" + host.release));
    if (!text)
        return {};
    KernelConfig config;
    std::istringstream in(*text);
    constexpr std::string_view kPrefix = "CONFIG_";
    for (std::string line; std::getline(in, line);) {
        const size_t sign = line.find('=');
        if (line.starts_with(kPrefix) && sign != line.npos)
            config.values_[line.substr(kPrefix.size(), sign - kPrefix.size())] =
                line.substr(sign + 1);
    }
    return config;
}

std::string KernelConfig::value(const std::string &name) const {
    const auto found = values_.find(name);
    return found != values_.end() ? found->second : "";
}

}  // namespace btf_extra::host
