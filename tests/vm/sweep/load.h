// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Work for the kernel: files, memory, processes, sockets, timers.
#ifndef BTF_EXTRA_SWEEP_LOAD_H
#define BTF_EXTRA_SWEEP_LOAD_H

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

// Works on all processors from construction to destruction.
class Load {
  public:
    Load();
    ~Load();

    // Each thread rests so long after a round. A hit takes so much of the time that with 1 ms most
    // of a sweep went by while it attached.
    void rest(std::chrono::microseconds time) { rest_ = static_cast<unsigned>(time.count()); }

    // Returns when each thread has done its whole round of work this often since the call.
    void wait_for(unsigned rounds) const;

  private:
    void work(size_t thread);

    std::atomic<bool> done_ = false;
    std::atomic<unsigned> rest_ = 1000;
    std::vector<std::atomic<unsigned>> rounds_;  // one for each thread
    std::vector<std::thread> threads_;
};

#endif
