// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra follow: the fentry programs of other tools see inlined calls, too.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "userspace/cli/command.h"
#include "userspace/cli/object_options.h"
#include "userspace/follow/attach_gate.h"
#include "userspace/follow/follower.h"
#include "userspace/follow/link_alarm.h"
#include "userspace/format/file_descriptor.h"
#include "userspace/lib/tables/unknown_func.h"

namespace btf_extra {
namespace {

struct Options {
    std::vector<std::string> funcs, command;
    bool best_effort = false, json = false;
};

// A second process that follows would only be refused by the module, link by link.
Result<FileDescriptor> lock_device() {
    FileDescriptor device(open(BTF_EXTRA_DEVICE, O_RDWR | O_CLOEXEC));
    if (!device)
        return Error{errno == ENOENT
                         ? std::string("btf_extra is not loaded, and follow requires it; "
                                       "btf-extra doctor prints what is missing")
                         : fmt::format("{}: {}", BTF_EXTRA_DEVICE, std::strerror(errno))};
    // A kernel may have no locks (ENOSYS).
    if (flock(device.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return Error{"another btf-extra follow is running"};
    return device;
}

// SIGINT, SIGTERM and SIGCHLD as a file.
class Signals {
  public:
    Signals() {
        sigemptyset(&wanted_);
        for (int signal : {SIGINT, SIGTERM, SIGCHLD})
            sigaddset(&wanted_, signal);
        sigprocmask(SIG_BLOCK, &wanted_, &before_);
        fd_ = FileDescriptor(signalfd(-1, &wanted_, SFD_CLOEXEC | SFD_NONBLOCK));
        // A reader that has gone is an error of stdout.
        std::signal(SIGPIPE, SIG_IGN);
    }
    int fd() const { return fd_.get(); }
    // Returns a signal that came; 0: none.
    int take() const {
        signalfd_siginfo info;
        return read(fd_.get(), &info, sizeof(info)) == sizeof(info)
                   ? static_cast<int>(info.ssi_signo)
                   : 0;
    }
    // For a new process.
    void restore() const {
        std::signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &before_, nullptr);
    }

  private:
    sigset_t wanted_, before_;
    FileDescriptor fd_;
};

struct Command {
    pid_t process = 0;  // 0: none
    std::optional<AttachGate> gate;
};

[[noreturn]] void become(const std::vector<std::string> &command, pid_t parent, int socket,
                         const Signals &signals) {
    std::vector<char *> words;
    std::ranges::transform(command, std::back_inserter(words), [](const std::string &word) {
        return const_cast<char *>(word.c_str());
    });
    words.push_back(nullptr);
    signals.restore();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(kExitFailed);
    AttachGate::send(socket);
    close(socket);
    execvp(words[0], words.data());
    const int code = errno;
    fmt::print(stderr, "btf-extra: {}: {}\n", words[0], std::strerror(code));
    std::fflush(stderr);
    _exit(code == ENOENT ? 127 : 126);
}

// If this process ends before the command, the command is killed.
Result<Command> start(const std::vector<std::string> &command, const Signals &signals) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return Error{fmt::format("socketpair: {}", std::strerror(errno))};
    FileDescriptor ours(ends[0]), its(ends[1]);
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        return Error{fmt::format("fork: {}", std::strerror(errno))};
    if (child == 0)
        become(command, parent, its.get(), signals);
    its.reset();
    Command out = {child, AttachGate::receive(ours.get())};
    if (!out.gate)
        fmt::print(stderr, "btf-extra: without seccomp, the first calls may be missed\n");
    return out;
}

class Session {
  public:
    Session(Follower &follower, LinkAlarm &alarm, const Signals &signals)
        : follower_(follower), alarm_(alarm), signals_(signals) {}

    // Follows until a signal comes, or until the command ends, and returns the exit code.
    Result<int> run(Command command) {
        while (!done_) {
            std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0},
                                          {command.gate ? command.gate->fd() : -1, POLLIN, 0}};
            const auto first = static_cast<ptrdiff_t>(polled.size());
            alarm_.add_to(polled);
            const int ready = poll(polled.data(), polled.size(), delay());
            if (ready < 0 && errno != EINTR)
                return Error{fmt::format("poll: {}", std::strerror(errno))};
            const auto came = [](const pollfd &each) { return each.revents != 0; };
            if (came(polled[0]))
                take_signals(command.process);
            if (came(polled[1]) && !pass(*command.gate))
                command.gate.reset();
            const bool woken = std::any_of(polled.begin() + first, polled.end(), came);
            if (woken || ready == 0)
                TRY(look(woken));
        }
        return exit_code_;
    }

  private:
    // A link has no id yet when the alarm goes, and its owner has it a moment later.
    static constexpr int kDelays[] = {5, 50, -1};  // milliseconds
    static constexpr size_t kQuiet = std::size(kDelays) - 1;
    // A program that was let through is attached within that time, or never.
    static constexpr int kPatience = 1000;

    int delay() const {
        return step_ == kQuiet && follower_.expects_links() ? kPatience : kDelays[step_];
    }

    bool pass(const AttachGate &gate) {
        return gate.pass([&](const ComingAttach &coming) { follower_.follow_coming(coming); });
    }

    Result<void> look(bool woken) {
        alarm_.clear();
        TRY(follower_.scan());
        if (woken) {
            step_ = 0;
            return {};
        }
        if (step_ == kQuiet)
            follower_.forget_coming();
        else if (++step_ == kQuiet)
            follower_.report_new();
        return {};
    }

    void take_signals(pid_t child) {
        for (int signal = signals_.take(); signal != 0; signal = signals_.take()) {
            if (signal == SIGCHLD)
                reap(child);
            else if (child == 0)
                done_ = true;
            else if (signal == SIGTERM)
                kill(child, SIGTERM);
            // The terminal sends SIGINT to the command, too, which decides what it means.
        }
    }

    void reap(pid_t child) {
        int status = 0;
        if (child == 0 || waitpid(child, &status, WNOHANG) != child)
            return;
        done_ = true;
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    Follower &follower_;
    LinkAlarm &alarm_;
    const Signals &signals_;
    size_t step_ = 0;
    bool done_ = false;
    int exit_code_ = kExitDone;
};

// A module that is named may be loaded later. Any other text that names nothing is an error.
Result<std::vector<FuncText>> chosen(SiteTables &tables, const std::vector<std::string> &texts) {
    std::vector<FuncText> out;
    for (const std::string &text : texts) {
        const FuncText parsed = TRY(parse_func_text(text));
        bool any = false;
        const auto visited = tables.visit(parsed, [&](const FoundFunc &) { any = true; });
        if (!visited && visited.error().code != ENOENT)
            return visited.error();
        if (!visited)
            fmt::print(stderr, "btf-extra: {}; programs at {} are followed when {} is loaded\n",
                       visited.error().message, text, parsed.object);
        else if (!any && parsed.object.empty())
            return Error{fmt::format("{}; if its module is loaded later, write MODULE:{}",
                                     unknown_func(tables, parsed, text).message, text)};
        else if (!any)
            return unknown_func(tables, parsed, text);
        out.push_back(parsed);
    }
    return out;
}

// Returns the exit code.
Result<int> run(const Options &options) {
    const FileDescriptor device = TRY(lock_device());
    const auto tables = TRY(open_tables(TablesChoice{}));
    if (tables->source() != SiteTables::Source::kModule)
        return Error{"btf_extra.ko has no tables of this kernel"};
    auto funcs = TRY(chosen(*tables, options.funcs));
    LinkAlarm alarm = TRY(LinkAlarm::open(*tables));
    const Signals signals;
    // The command has stdout.
    std::FILE *out = options.command.empty() ? stdout : stderr;
    Follower follower(
        *tables, std::move(funcs), options.best_effort, [&](const FollowEvent &event) {
            fmt::print(out, "{}\n", options.json ? event_json(event) : event_text(event));
            std::fflush(out);
        });
    TRY(follower.scan());
    Command command;
    if (options.command.empty())
        fmt::print(stderr, "btf-extra: fentry programs are followed until Ctrl-C or SIGTERM\n");
    else
        command = TRY(start(options.command, signals));
    const int exit_code = TRY(Session(follower, alarm, signals).run(std::move(command)));
    // The links of the command end with it.
    TRY(follower.scan());
    follower.end();
    return exit_code;
}

}  // namespace

std::vector<std::string> take_followed_command(std::vector<const char *> &arguments) {
    const auto end = std::ranges::find_if(
        arguments, [](const char *word) { return std::strcmp(word, "--") == 0; });
    if (arguments.size() < 2 || std::strcmp(arguments[1], "follow") != 0 || end == arguments.end())
        return {};
    std::vector<std::string> out(end + 1, arguments.end());
    // Without a command the parser sees the two hyphens, which mean nothing.
    if (!out.empty())
        arguments.erase(end, arguments.end());
    return out;
}

void add_follow(CLI::App &app, std::vector<std::string> followed, int &exit_code) {
    auto options = std::make_shared<Options>();
    options->command = std::move(followed);
    CLI::App *command = app.add_subcommand(
        "follow", "Let the fentry programs of other tools see inlined calls, too");
    add_func_option(*command, options->funcs);
    command->add_flag("--best-effort", options->best_effort,
                      "Follow a program at the other inlined calls if some cannot be followed");
    command->add_flag("--json", options->json, "Print a JSON object per line");
    command->footer("-- COMMAND...: run this command, and end with it");
    command->callback([options, &exit_code] {
        const auto done = run(*options);
        exit_code = done ? *done : fail(done.error());
    });
}

}  // namespace btf_extra
