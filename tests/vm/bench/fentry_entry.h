// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program of fentry that does nothing, at one function: that of phantom_bench.bpf.c.
#ifndef BTF_EXTRA_FENTRY_ENTRY_H
#define BTF_EXTRA_FENTRY_ENTRY_H

#include <string>
#include <utility>

#include "tests/vm/bench/bench.h"

namespace bench {

inline bpf_object *open_programs() {
    bpf_object *object = bpf_object__open("/phantom_bench.bpf.o");
    if (object == nullptr)
        die("/phantom_bench.bpf.o");
    return object;
}

// Is attached until it ends.
class Entry {
  public:
    explicit Entry(const std::string &function) : object_(open_programs()), function_(function) {
        bpf_program *each, *enter = nullptr;
        bpf_object__for_each_program(each, object_) {
            const bool is_it = std::string(bpf_program__name(each)) == "enter";
            bpf_program__set_autoload(each, is_it);
            if (is_it)
                enter = each;
        }
        if (bpf_program__set_attach_target(enter, 0, function.c_str()) == 0 &&
            bpf_object__load(object_) == 0)
            link_ = bpf_program__attach(enter);
    }
    Entry(Entry &&other) noexcept
        : object_(std::exchange(other.object_, nullptr)),
          link_(std::exchange(other.link_, nullptr)), function_(std::move(other.function_)) {}
    Entry &operator=(Entry &&) = delete;
    ~Entry() {
        bpf_link__destroy(link_);
        bpf_object__close(object_);
    }

    // The kernel may refuse the function.
    bool attached() const { return link_ != nullptr; }
    int link_fd() const { return bpf_link__fd(link_); }
    const std::string &function() const { return function_; }

  private:
    bpf_object *object_;
    bpf_link *link_ = nullptr;
    std::string function_;
};

// Ends this program if the kernel refuses the function.
inline Entry attach_entry(const std::string &function) {
    Entry entry(function);
    if (!entry.attached())
        die("fentry at " + function);
    return entry;
}

}  // namespace bench

#endif
