// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions that the kernel has BTF of, as any user of libbpf finds them.
#ifndef BTF_EXTRA_INTREE_TYPES_H
#define BTF_EXTRA_INTREE_TYPES_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <bpf/btf.h>

// A FUNC: what a program says it is for.
struct Func {
    int btf_fd = -1;  // of the Types that it is from; 0: vmlinux
    uint32_t id = 0;
    std::string name;
    std::string file;  // its file: tag, or empty
};

// BTF of one object of the kernel.
class Types {
  public:
    // "vmlinux" or a module; ends the program where the kernel has no BTF of it.
    explicit Types(const std::string &object);
    Types(const Types &) = delete;
    Types &operator=(const Types &) = delete;
    ~Types();

    // Its own functions of that name; not those of its base.
    std::vector<Func> named(const std::string &name) const;
    // The one of them whose file: tag ends like this; id 0 where there is not one.
    Func only(const std::string &name, const std::string &file = "") const;
    // The one with that id; id 0 where that is no function.
    Func func(uint32_t id) const;
    // How many parameters it has.
    unsigned parameters(const Func &func) const;
    // Names of its own functions that begin like this.
    std::vector<std::string> names(const std::string &begin) const;

  private:
    struct Closer {
        void operator()(btf *types) const { btf__free(types); }
    };

    const btf *types() const { return own_ ? own_.get() : base_.get(); }

    std::unique_ptr<btf, Closer> base_, own_;
    int fd_ = 0;
    std::multimap<std::string, uint32_t> funcs_;
    std::unordered_map<uint32_t, std::string> files_;
};

// Addresses of that symbol in the text of vmlinux or of a module, in the order of /proc/kallsyms.
std::vector<uint64_t> symbols(const std::string &name, const std::string &module = "");
// Those that it has several of.
std::vector<std::string> shared_symbols(const std::string &module = "");

#endif
