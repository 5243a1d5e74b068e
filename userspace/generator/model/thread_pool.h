// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Work shared out between several threads.
#ifndef BTF_EXTRA_THREAD_POOL_H
#define BTF_EXTRA_THREAD_POOL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
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
    for (size_t thread = 1; thread < threads; ++thread)
        others.emplace_back(run, thread);
    run(0);
    for (std::thread &other : others)
        other.join();
}

// Calls both, at once where there are two threads.
template <class First, class Second>
void run_both(size_t threads, const First &first, const Second &second) {
    run_in_threads(std::min<size_t>(threads, 2), 2,
                   [&](size_t item, size_t) { item == 0 ? first() : second(); });
}

}  // namespace btf_extra::generator

#endif
