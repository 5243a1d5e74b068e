// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/staged_folder.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace btf_extra::host {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string &path, std::string_view what, int code) {
    return Error{fmt::format("{}: {}: {}", path, what, std::strerror(code)), code};
}

constexpr char kPrefix[] = ".btf_extra.";

// Locks the folder in which folders come and go.
Result<FileDescriptor> lock_folder(const std::string &folder) {
    FileDescriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return failed(folder, "open", errno);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (errno != EWOULDBLOCK)
        return failed(folder, "lock", errno);
    return Error{
        fmt::format("{}: another btf-extra is writing to it; wait until it is done", folder),
        EBUSY};
}

// With the lock no other process works on them.
void remove_left_over(const std::string &above) {
    std::error_code failed;
    for (fs::directory_iterator at(above, failed), end; !failed && at != end;
         at.increment(failed)) {
        std::error_code not_removed;
        if (at->path().filename().string().starts_with(kPrefix))
            fs::remove_all(at->path(), not_removed);
    }
}

Result<std::string> make_hidden(const std::string &above) {
    std::string path = above + "/" + kPrefix + "XXXXXX";
    if (mkdtemp(path.data()) == nullptr)
        return failed(above, "output", errno);
    // mkdtemp() gives access to the owner only, but the mode of a folder follows the umask.
    const mode_t mask = umask(0);
    umask(mask);
    chmod(path.c_str(), 0777 & ~mask);
    return path;
}

}  // namespace

// Waits for signals in a thread of its own. All other threads have them blocked.
class StagedFolder::Guard {
  public:
    explicit Guard(std::function<void()> cleanup) : cleanup_(std::move(cleanup)) {
        sigemptyset(&signals_);
        for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction action = {};
            // A signal that nohup has ignored stays ignored.
            if (sigaction(each, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
                sigaddset(&signals_, each);
        }
        pthread_sigmask(SIG_BLOCK, &signals_, &before_);
        arrived_ = FileDescriptor(signalfd(-1, &signals_, SFD_CLOEXEC));
        done_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
        if (arrived_ && done_)
            thread_ = std::thread([this] { wait(); });
    }
    ~Guard() {
        if (waits()) {
            const uint64_t one = 1;
            [[maybe_unused]] const ssize_t written = write(done_.get(), &one, sizeof(one));
            thread_.join();
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

    // false: errno says why.
    bool waits() const { return thread_.joinable(); }

    // The process that renames a folder holds this.
    std::mutex &mutex() { return mutex_; }

  private:
    void wait() {
        pollfd files[] = {{arrived_.get(), POLLIN, 0}, {done_.get(), POLLIN, 0}};
        while (poll(files, 2, -1) < 0 && errno == EINTR)
            ;
        signalfd_siginfo info = {};
        if (files[0].revents == 0 || read(arrived_.get(), &info, sizeof(info)) != sizeof(info))
            return;
        const std::lock_guard lock(mutex_);
        cleanup_();
        // The process ends as if the signal had not been handled.
        const int number = static_cast<int>(info.ssi_signo);
        std::signal(number, SIG_DFL);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, number);
        pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
        kill(getpid(), number);
        _exit(128 + number);
    }

    std::function<void()> cleanup_;
    std::mutex mutex_;
    sigset_t signals_ = {}, before_ = {};
    FileDescriptor arrived_, done_;
    std::thread thread_;
};

StagedFolder::StagedFolder() = default;

StagedFolder::~StagedFolder() {
    if (!guard_)
        return;
    // The guard goes last: without it a signal would leave the folder.
    const std::lock_guard lock(guard_->mutex());
    remove();
}

void StagedFolder::remove() {
    // Other threads may write files into it, until it is gone.
    std::error_code error;
    for (int i = 0; i < 1000 && fs::exists(fs::symlink_status(path_, error)); i++)
        fs::remove_all(path_, error);
    for (const fs::path &each : made_)
        rmdir(each.c_str());
}

Result<std::unique_ptr<StagedFolder>> StagedFolder::begin(const std::string &above) {
    std::unique_ptr<StagedFolder> out(new StagedFolder);
    // A signal may come as soon as there is a folder.
    out->guard_ = std::make_unique<Guard>([self = out.get()] { self->remove(); });
    if (!out->guard_->waits())
        return failed(above, "a thread for signals", errno);
    const std::lock_guard lock(out->guard_->mutex());
    out->above_ = above;
    std::error_code error;
    for (fs::path each = above; !each.empty() && !fs::exists(each, error);
         each = each.parent_path())
        out->made_.push_back(each);
    fs::create_directories(above, error);
    if (error)
        return failed(above, "output", error.value());
    out->lock_ = TRY(lock_folder(above));
    remove_left_over(above);
    out->path_ = TRY(make_hidden(above));
    return out;
}

Result<void> StagedFolder::keep(const std::string &name) {
    const std::string target = above_ + "/" + name;
    // After a crash the folder has its name with all bytes in it, or it does not.
    const FileDescriptor folder(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || syncfs(folder.get()) != 0)
        return failed(target, "output", errno);
    const std::lock_guard lock(guard_->mutex());
    std::error_code error;
    if (fs::exists(fs::symlink_status(target, error))) {
        if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0)
            return failed(target, "output", errno);
        // path_ is now what was there before.
        return {};
    }
    if (rename(path_.c_str(), target.c_str()) != 0)
        return failed(target, "output", errno);
    path_.clear();
    made_.clear();
    return {};
}

Result<void> remove_folder(const std::string &target) {
    const std::string above = fs::path(target).parent_path();
    const FileDescriptor lock = TRY(lock_folder(above));
    remove_left_over(above);
    const std::string hidden = TRY(make_hidden(above));
    if (rename(target.c_str(), (hidden + "/removed").c_str()) != 0) {
        const int code = errno;
        rmdir(hidden.c_str());
        return failed(target, "remove", code);
    }
    std::error_code error;
    fs::remove_all(hidden, error);
    if (error)
        return failed(hidden, "remove", error.value());
    rmdir(above.c_str());
    return {};
}

}  // namespace btf_extra::host
