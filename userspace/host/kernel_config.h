// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the options that the running kernel was configured with.
#ifndef BTF_EXTRA_KERNEL_CONFIG_H
#define BTF_EXTRA_KERNEL_CONFIG_H

#include <map>
#include <optional>
#include <string>

#include "userspace/host/host.h"

namespace btf_extra::host {

class KernelConfig {
  public:
    // Reads /proc/config.gz, or else /boot/config-RELEASE. Nothing: neither can be read.
    static std::optional<KernelConfig> read(const Host &host);

    // Returns the value of CONFIG_<name>: "y", "m" or a text; "": it is not set.
    std::string value(const std::string &name) const;

  private:
    std::map<std::string, std::string> values_;
};

}  // namespace btf_extra::host

#endif
