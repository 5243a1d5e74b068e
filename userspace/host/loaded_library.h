// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A shared library that is loaded when it is needed. It stays until the process ends.
#ifndef BTF_EXTRA_LOADED_LIBRARY_H
#define BTF_EXTRA_LOADED_LIBRARY_H

#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

#include "userspace/format/result.h"

namespace btf_extra::host {

class LoadedLibrary {
  public:
    // package: that of Debian, for the message.
    static Result<LoadedLibrary> open(const char *file, const char *package) {
        LoadedLibrary out(file);
        out.handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (out.handle_ == nullptr)
            return Error{fmt::format("{} is not installed: apt-get install {}", file, package)};
        return out;
    }

    // Finds a function. NULL: the library has none of that name.
    template <class Function> void find(const char *name, Function *&function) {
        function = reinterpret_cast<Function *>(dlsym(handle_, name));
        if (function == nullptr && missing_.empty())
            missing_ = name;
    }

    // Returns an error if find() did not find all.
    Result<void> complete() const {
        if (!missing_.empty())
            return Error{fmt::format("{} has no {}(): a newer one is needed", file_, missing_)};
        return {};
    }

  private:
    explicit LoadedLibrary(const char *file) : file_(file) {}

    std::string file_, missing_;
    void *handle_ = nullptr;
};

}  // namespace btf_extra::host

#endif
