// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program of intree.bpf.c, loaded for a function by its id or by its name, and attached.
#ifndef BTF_EXTRA_INTREE_PROGRAM_H
#define BTF_EXTRA_INTREE_PROGRAM_H

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "tests/vm/intree/seen.h"
#include "tests/vm/intree/types.h"

// As in <linux/bpf.h>, the last two of Linux 7.
enum class Kind { fentry = 24, fexit = 25, fmod_ret = 26, fentry_multi = 59, fexit_multi = 60 };

class Program {
  public:
    // For the function with that id.
    Program(Kind kind, const Func &func, unsigned log_level = 1);
    // fentry, for what libbpf finds by that name: in vmlinux first, then in the modules.
    explicit Program(const std::string &name);
    // One of the *.multi, for functions of one object, each with its number from 1 as cookie.
    Program(Kind kind, const std::vector<Func> &funcs);
    ~Program();
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    // Attached.
    bool runs() const { return error_ == 0; }
    // Of loading or attaching it: errno.
    int error() const { return error_; }
    const std::string &log() const { return log_; }
    bool says(const std::string &text) const { return log_.find(text) != std::string::npos; }
    // What it saw since it was asked before.
    intree_seen seen();
    void detach();

  private:
    struct Closer {
        void operator()(bpf_object *object) const { bpf_object__close(object); }
    };

    void load(const char *program, const std::string *name, unsigned log_level);
    void attach();

    std::unique_ptr<bpf_object, Closer> object_;
    intree_seen *seen_ = nullptr;
    int program_ = -1, link_ = -1, error_ = 0;
    std::string log_;
};

// Bytes of the kernel's text, as they stand there now.
std::array<uint8_t, SEEN_TEXT> text_at(uint64_t address);
// Whether a function has come to go elsewhere at its beginning, or after an endbr64 there, as a
// traced one does.
bool is_traced(const std::array<uint8_t, SEEN_TEXT> &before,
               const std::array<uint8_t, SEEN_TEXT> &now);

#endif
