// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/file_server.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/command_run.h"

namespace btf_extra::test {
namespace {

void send_all(int connection, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        text.remove_prefix(static_cast<size_t>(sent));
    }
}

// The number after "Range: bytes=".
std::optional<uint64_t> range_of(const std::string &request) {
    constexpr std::string_view kKey = "Range: bytes=";
    const size_t at = request.find(kKey);
    if (at == request.npos)
        return {};
    return std::stoull(request.substr(at + kKey.size()));
}

}  // namespace

FileServer::FileServer(std::string folder) : folder_(std::move(folder)) {
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(socket_, reinterpret_cast<sockaddr *>(&address), size) != 0 ||
        listen(socket_, 8) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr *>(&address), &size) != 0)
        throw std::runtime_error("no port for a server");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
}

FileServer::~FileServer() {
    // accept() returns then.
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
}

std::string FileServer::url() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<std::string> FileServer::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void FileServer::forget_requests() {
    const std::lock_guard lock(mutex_);
    requests_.clear();
}

void FileServer::run() {
    for (int connection; (connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
        answer(connection);
        close(connection);
    }
}

void FileServer::answer(int connection) {
    std::string request(8192, '\0');
    size_t got = 0;
    while (got < request.size() && request.find("\r\n\r\n") == request.npos) {
        const ssize_t size = recv(connection, request.data() + got, request.size() - got, 0);
        if (size <= 0)
            return;
        got += static_cast<size_t>(size);
    }
    // "GET /PATH HTTP/1.1"
    const size_t begin = request.find(' ') + 1;
    const std::string path = request.substr(begin, request.find(' ', begin) - begin);
    const auto from = range_of(request);
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(from ? fmt::format("{} from {}", path, *from) : path);
    }
    if (!moved_to.empty()) {
        send_all(connection, fmt::format("HTTP/1.1 302 Found\r\nLocation: {}{}\r\n"
                                         "Content-Length: 0\r\nConnection: close\r\n\r\n",
                                         moved_to, path));
        return;
    }
    if (!std::filesystem::is_regular_file(folder_ + path)) {
        send_all(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
                             "Connection: close\r\n\r\n");
        return;
    }
    const std::string bytes = read_file(folder_ + path);
    const uint64_t first = knows_ranges ? std::min<uint64_t>(from.value_or(0), bytes.size()) : 0;
    std::string head =
        from && knows_ranges
            ? fmt::format("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {}-{}/{}\r\n",
                          first, bytes.size() - 1, bytes.size())
            : "HTTP/1.1 200 OK\r\n";
    head += fmt::format("Content-Length: {}\r\nConnection: close\r\n\r\n", bytes.size() - first);
    send_all(connection, head);
    const uint64_t most = cuts > 0 ? cut_after.load() : UINT64_MAX;
    if (bytes.size() - first > most)
        cuts--;
    send_all(connection, std::string_view(bytes).substr(first, most));
}

}  // namespace btf_extra::test
