// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions in the kernel's BTF, as any user of libbpf finds them.
#ifndef BTF_EXTRA_INTREE_TYPES_H
#define BTF_EXTRA_INTREE_TYPES_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <bpf/btf.h>

// A FUNC that a program names as its target.
struct Func {
    int btf_fd = -1;  // fd of the Types that it is from; 0: vmlinux
    uint32_t id = 0;
    std::string name;
    std::string file;  // its file: tag; empty: none
};

// The BTF of one object of the kernel.
class Types {
  public:
    // object is "vmlinux" or a module. Ends the program if the kernel has no BTF of it.
    explicit Types(const std::string &object);
    Types(const Types &) = delete;
    Types &operator=(const Types &) = delete;
    ~Types();

    // Returns the object's functions of that name, without those of its base.
    std::vector<Func> named(const std::string &name) const;
    // Returns the only one whose file: tag ends like this; id 0: there is not exactly one.
    Func only(const std::string &name, const std::string &file = "") const;
    // Returns the function with that id; id 0: there is none.
    Func func(uint32_t id) const;
    // Returns the number of its parameters.
    unsigned parameters(const Func &func) const;
    // Returns the names of the object's functions that begin like this.
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

// Returns the addresses of that symbol in the text of vmlinux or of a module, in the order of
// /proc/kallsyms.
std::vector<uint64_t> symbols(const std::string &name, const std::string &module = "");
// Returns the names that several symbols share.
std::vector<std::string> shared_symbols(const std::string &module = "");

#endif
