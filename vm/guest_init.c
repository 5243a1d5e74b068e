// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The first process of a guest of run.sh: mounts, runs one command, reports, powers off.
 *
 * /command holds the mode ("run" or "shell") and the command's arguments, each ended by a zero
 * byte. On the second serial port goes, line by line, "o " and what the command says, and in the
 * end "x " and its exit code, 128 and the signal's number when it was killed. A line "e " says
 * why there is no command to report of. As each line of output is marked, none can be taken for an
 * exit code. In a shell's guest the command, if any, and then the shell have the console.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#if defined(__aarch64__)
#define CONSOLE "/dev/ttyAMA0"
#define REPORT_PORT "/dev/ttyAMA1"
#define PORTS_MAJOR 204
#else
#define CONSOLE "/dev/ttyS0"
#define REPORT_PORT "/dev/ttyS1"
#define PORTS_MAJOR 4
#endif
#define ARGUMENTS_MAX 1024

static int report = -1;

static void report_bytes(const char *bytes, size_t size)
{
	while (size) {
		ssize_t done = write(report, bytes, size);

		if (done < 0 && errno != EINTR)
			return;
		if (done > 0) {
			bytes += done;
			size -= done;
		}
	}
}

static void __attribute__((format(printf, 1, 2))) report_line(const char *format, ...)
{
	char line[512];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	report_bytes(line, (size_t)size < sizeof(line) ? (size_t)size : sizeof(line) - 1);
	report_bytes("\n", 1);
}

static void __attribute__((noreturn)) power_off(void)
{
	tcdrain(report);
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void __attribute__((noreturn)) give_up(const char *what)
{
	report_line("e init: %s: %s", what, strerror(errno));
	power_off();
}

/* A kernel without the file system has no such folder, and what needs it will say so. */
static void mount_on(const char *type, const char *folder)
{
	mkdir(folder, 0755);
	mount(type, folder, type, 0, NULL);
}

static void make_devices(void)
{
	static const struct {
		const char *path;
		unsigned int major, minor;
	} devices[] = {
		{ "/dev/null", 1, 3 },	   { "/dev/zero", 1, 5 }, { "/dev/full", 1, 7 },
		{ "/dev/random", 1, 8 },   { "/dev/urandom", 1, 9 }, { "/dev/kmsg", 1, 11 },
		{ "/dev/console", 5, 1 },  { "/dev/tty", 5, 0 },
		{ CONSOLE, PORTS_MAJOR, 64 }, { REPORT_PORT, PORTS_MAJOR, 65 },
	};
	size_t i;

	mkdir("/dev", 0755);
	if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) && errno != EBUSY)
		mount("tmpfs", "/dev", "tmpfs", 0, "mode=755");
	for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		mknod(devices[i].path, S_IFCHR | 0666, makedev(devices[i].major, devices[i].minor));
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

static void set_up(void)
{
	umask(0);
	make_devices();
	mount_on("proc", "/proc");
	mount_on("sysfs", "/sys");
	mount_on("debugfs", "/sys/kernel/debug");
	mount_on("tracefs", "/sys/kernel/tracing");
	mount_on("bpf", "/sys/fs/bpf");
	mount_on("tmpfs", "/tmp");
	umask(022);
	setenv("PATH", "/sbin:/bin:/usr/sbin:/usr/bin", 1);
	setenv("HOME", "/", 1);
}

/* Opens the port for reports raw: the terminal driver would change line ends. */
static void open_report(void)
{
	struct termios raw;

	report = open(REPORT_PORT, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (report < 0 || tcgetattr(report, &raw))
		give_up(REPORT_PORT);
	cfmakeraw(&raw);
	raw.c_cflag |= CLOCAL;
	if (tcsetattr(report, TCSANOW, &raw))
		give_up(REPORT_PORT);
}

/* The mode and the arguments of /command, the latter ended by NULL. */
static char **read_command(void)
{
	static char text[65536], *arguments[ARGUMENTS_MAX + 1];
	int fd = open("/command", O_RDONLY | O_CLOEXEC), count = 0;
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text));
	char *at = text;

	if (size < 0)
		give_up("/command");
	if (size == 0 || size == sizeof(text) || text[size - 1]) {
		errno = EINVAL;
		give_up("/command");
	}
	while (at < text + size && count < ARGUMENTS_MAX) {
		arguments[count++] = at;
		at += strlen(at) + 1;
	}
	close(fd);
	return arguments;
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs it with its input and output there; in a session with a terminal where that is one. */
static pid_t start(char **arguments, int input, int output)
{
	pid_t pid = fork();

	if (pid < 0)
		give_up("fork");
	if (pid)
		return pid;
	setsid();
	if (isatty(input))
		ioctl(input, TIOCSCTTY, 1);
	dup2(input, 0);
	dup2(output, 1);
	dup2(output, 2);
	execvp(arguments[0], arguments);
	dprintf(2, "init: %s: %s\n", arguments[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Returns true if it has ended, with its status in *status. Other processes are only reaped. */
static bool has_ended(pid_t pid, int *status)
{
	int any;
	pid_t ended;

	while ((ended = waitpid(-1, &any, WNOHANG)) > 0) {
		if (ended == pid) {
			*status = any;
			return true;
		}
	}
	return false;
}

/* Passes on what came, in one piece, as the port is slow; false when nothing did. */
static bool pass_output(int from, int wait_ms, bool *in_line)
{
	struct pollfd input = { .fd = from, .events = POLLIN };
	char bytes[4096], marked[3 * sizeof(bytes)];
	size_t used = 0;
	ssize_t size, i;

	if (poll(&input, 1, wait_ms) <= 0)
		return false;
	size = read(from, bytes, sizeof(bytes));
	if (size <= 0)
		return false;
	for (i = 0; i < size; i++) {
		if (!*in_line) {
			marked[used++] = 'o';
			marked[used++] = ' ';
		}
		marked[used++] = bytes[i];
		*in_line = bytes[i] != '\n';
	}
	report_bytes(marked, used);
	return true;
}

/* Waits until it has ended and all it wrote is passed on, but not for processes that it left running. */
static int run(char **arguments)
{
	int ends[2], status = 0, null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool in_line = false;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || null < 0)
		give_up("pipe");
	pid = start(arguments, null, ends[1]);
	while (!has_ended(pid, &status))
		pass_output(ends[0], 20, &in_line);
	while (pass_output(ends[0], 0, &in_line))
		;
	if (in_line)
		report_bytes("\n", 1);
	return exit_code(status);
}

static int run_on_console(char **arguments)
{
	int console = open(CONSOLE, O_RDWR | O_NOCTTY | O_CLOEXEC), status = 0;
	pid_t pid;

	if (console < 0)
		give_up(CONSOLE);
	pid = start(arguments, console, console);
	while (!has_ended(pid, &status))
		usleep(20000);
	close(console);
	return exit_code(status);
}

int main(void)
{
	static char *busybox[] = { "/bin/busybox", "--install", "-s", NULL };
	static char *shell[] = { "/bin/sh", "-l", NULL };
	char **command;
	int code;

	set_up();
	open_report();
	run_on_console(busybox);
	command = read_command();
	if (!strcmp(command[0], "run")) {
		code = run(command + 1);
	} else {
		if (command[1])
			run_on_console(command + 1);
		code = run_on_console(shell);
	}
	report_line("x %d", code);
	power_off();
}
