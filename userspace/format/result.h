// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A value, or the one line that says why there is none. Errors are returned upwards, and the
// command prints them once. No exception leaves the file that throws it.
#ifndef BTF_EXTRA_RESULT_H
#define BTF_EXTRA_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace btf_extra {

// message is "FILE: SECTION: reason", without the program's name, a capital letter or a full stop.
// code is an errno for callers that need more than the message; 0: none fits.
struct Error {
    std::string message;
    int code = 0;
};

template <class T> class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }

    T &value() & {
        assert(*this);
        return *std::get_if<0>(&state_);
    }
    const T &value() const & {
        assert(*this);
        return *std::get_if<0>(&state_);
    }
    T &&value() && {
        assert(*this);
        return std::move(*std::get_if<0>(&state_));
    }

    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }

    const Error &error() const {
        assert(!*this);
        return *std::get_if<1>(&state_);
    }

  private:
    std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), ok_(false) {}

    explicit operator bool() const { return ok_; }
    void value() const { assert(ok_); }

    const Error &error() const {
        assert(!ok_);
        return error_;
    }

  private:
    Error error_;
    bool ok_ = true;
};

}  // namespace btf_extra

// The value of a Result. If it has none, the function returns the error: auto file =
// TRY(read(path)); Nothing that has to be destroyed may be made before it in the same statement,
// because GCC 12.2 would then not destroy it.
#define TRY(...)                                                                                   \
    ({                                                                                             \
        auto result_ = (__VA_ARGS__);                                                              \
        if (!result_)                                                                              \
            return result_.error();                                                                \
        std::move(result_).value();                                                                \
    })

#endif
