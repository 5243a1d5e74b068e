// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A web server that gives the files of a folder, and breaks off when a test wants it to.
#ifndef BTF_EXTRA_TESTS_FILE_SERVER_H
#define BTF_EXTRA_TESTS_FILE_SERVER_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace btf_extra::test {

class FileServer {
  public:
    explicit FileServer(std::string folder);
    ~FileServer();
    FileServer(const FileServer &) = delete;
    FileServer &operator=(const FileServer &) = delete;

    std::string url() const;  // "http://127.0.0.1:PORT"

    // "PATH", or "PATH from BYTE" for the rest of a file, in the order in which they came.
    std::vector<std::string> requests() const;
    void forget_requests();

    // Each answer is cut off after that many bytes of its body.
    std::atomic<uint64_t> cut_after = UINT64_MAX;
    // The first answers are; the others are whole.
    std::atomic<int> cuts = INT32_MAX;
    // Whole files are given, whatever is asked for.
    std::atomic<bool> knows_ranges = true;
    // Everything is at this URL. It is set while nobody asks; "": it is here.
    std::string moved_to;

  private:
    void run();
    void answer(int connection);

    std::string folder_;
    int socket_ = -1;
    uint16_t port_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

}  // namespace btf_extra::test

#endif
