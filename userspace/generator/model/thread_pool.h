// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Shares work between threads.
#ifndef BTF_EXTRA_THREAD_POOL_H
#define BTF_EXTRA_THREAD_POOL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace btf_extra::generator {

// Calls work(item, thread) once for each item below count, thread below
// threads; each takes the lowest item left. Returns when all are done.
template <class Work> void run_in_threads(size_t threads, size_t count, Work work) {
    std::atomic<size_t> next = 0;
    const auto run = [&](size_t thread) {
        for (size_t item; (item = next++) < count;)
            work(item, thread);
    };
    std::vector<std::thread> others;
    for (size_t thread = 1; thread < std::min(threads, count); ++thread)
        others.emplace_back(run, thread);
    run(0);
    for (std::thread &other : others)
        other.join();
}

// Calls both, at the same time if there are two threads. Returns the pair of what they return, or
// what the first returns if the second returns nothing.
template <class First, class Second>
auto run_both(size_t threads, const First &first, const Second &second) {
    std::future other =
        std::async(threads > 1 ? std::launch::async : std::launch::deferred, std::cref(second));
    auto result = first();
    if constexpr (std::is_void_v<decltype(second())>) {
        other.get();
        return result;
    } else {
        return std::pair(std::move(result), other.get());
    }
}

}  // namespace btf_extra::generator

#endif
