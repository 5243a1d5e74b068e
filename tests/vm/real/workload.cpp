// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/real/workload.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/vm/guest_sites.h"

using namespace guest;

namespace {

void files() {
    char bytes[300] = {};
    for (int i = 0; i < 10; i++) {
        const int fd = open("/tmp/real", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        for (int turn = 0; turn < kWrites / 10; turn++)
            if (write(fd, bytes, 1 + turn) != 1 + turn ||
                pread(fd, bytes, 1 + turn / 2, 0) != 1 + turn / 2 || lseek(fd, 0, SEEK_SET) != 0 ||
                read(fd, bytes, 1) != 1)
                die("/tmp/real");
        close(fd);
    }
}

void processes() {
    for (int i = 0; i < kForks; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, nullptr, 0);
    }
}

void serve(int listener) {
    for (int i = 0; i < kConnections; i++) {
        const int peer = accept(listener, nullptr, nullptr);
        char bytes[4096];
        for (ssize_t size; (size = recv(peer, bytes, sizeof(bytes), 0)) > 0;)
            if (send(peer, bytes, static_cast<size_t>(size), 0) != size)
                die("send");
        close(peer);
    }
}

void loopback() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(7777);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto *where = reinterpret_cast<const sockaddr *>(&address);
    if (bind(listener, where, sizeof(address)) != 0 || listen(listener, kConnections) != 0)
        die("listen");
    std::thread server(serve, listener);
    for (int i = 0; i < kConnections; i++) {
        const int fd = socket(AF_INET, SOCK_STREAM, 0);
        char bytes[1000] = {};
        if (connect(fd, where, sizeof(address)) != 0)
            die("connect");
        // There are two packets, so that there is a queue, too.
        const int now = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &now, sizeof(now));
        for (int turn = 0; turn < 10; turn++)
            if (send(fd, bytes, 400, 0) != 400 || send(fd, bytes, 600, 0) != 600 ||
                recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
                die("loopback");
        close(fd);
    }
    server.join();
    close(listener);
}

}  // namespace

void run_workload() {
    files();
    processes();
    loopback();
    // The packets on the loopback device have arrived by then.
    usleep(100000);
}
