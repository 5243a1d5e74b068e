// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program of intree.bpf.c that is loaded for a function, by its id or by its name, and attached.
#ifndef BTF_EXTRA_INTREE_PROGRAM_H
#define BTF_EXTRA_INTREE_PROGRAM_H

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <bpf/libbpf.h>

#include "tests/vm/intree/seen.h"
#include "tests/vm/intree/types.h"

// The values are those of <linux/bpf.h>. The last two are of Linux 7.
enum class Kind { fentry = 24, fexit = 25, fmod_ret = 26, fentry_multi = 59, fexit_multi = 60 };

class Program {
  public:
    // Attaches to the function with that id.
    Program(Kind kind, const Func &func, unsigned log_level = 1);
    // Attaches fentry to the function that libbpf finds by that name: in vmlinux first, then in the
    // modules.
    explicit Program(const std::string &name);
    // Attaches one of the *_multi kinds to functions of one object. Each has its number, from 1, as
    // cookie.
    Program(Kind kind, const std::vector<Func> &funcs);
    ~Program();
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    // Returns true if it is attached.
    bool runs() const { return error_ == 0; }
    // Returns the errno of loading or attaching it.
    int error() const { return error_; }
    const std::string &log() const { return log_; }
    bool says(const std::string &text) const { return log_.find(text) != std::string::npos; }
    // Returns what it saw since the last call.
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

// Returns the bytes of the kernel's text as they are now.
std::array<uint8_t, SEEN_TEXT> text_at(uint64_t address);
// Returns true if the function now jumps or calls at its beginning, or after an endbr64 there: it
// is traced.
bool is_traced(const std::array<uint8_t, SEEN_TEXT> &before,
               const std::array<uint8_t, SEEN_TEXT> &now);

#endif
