/*
 * Runs a program and makes one chosen system call of it, or of any process that it starts, fail.
 *
 *   shim <folder> <orders> <reports> <program> [arguments …]
 *
 * Only calls on what lies in <folder> count, and sockets. A seccomp filter hands them over to this process, which lets each go on or
 * answers with an error: Bun makes most of its system calls without libc, where a library that is loaded before it would not see them.
 * Orders are lines that are written into the pipe <orders>; each is answered by a line that is appended to <reports>:
 *
 *   arm <class> <errno> <n> [<spared>]   the n-th call of this class from now on fails, but for files whose path holds <spared>: "armed"
 *   disarm                    "<calls of the class that were seen> <how many failed>"
 *   mark <text>               writes a text down among the changes: "marked"
 *
 * With SHIM_RECORD=<file> in the environment every change of a file is written down there, before it happens: a line `<call> <offset> <bytes> <flags> <path>[ <other path>]`, with tabs between, and then the bytes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "this processor is not known here"
#endif

/** Where a call names its file: by descriptor, by path, by folder and path; a socket has none. */
enum target { DESCRIPTOR, PATH, AT, NONE };

struct call {
	int number;
	const char *class;
	enum target target;
};

static const struct call calls[] = {
#ifdef SYS_open
	{SYS_open, "open", PATH},
	{SYS_rename, "rename", PATH},
	{SYS_unlink, "unlink", PATH},
	{SYS_mkdir, "mkdir", PATH},
	{SYS_rmdir, "rmdir", PATH},
#endif
	{SYS_openat, "open", AT},
	{SYS_renameat2, "rename", AT},
#ifdef SYS_renameat
	{SYS_renameat, "rename", AT},
#endif
	{SYS_unlinkat, "unlink", AT},
	{SYS_mkdirat, "mkdir", AT},
	{SYS_ftruncate, "truncate", DESCRIPTOR},
	{SYS_read, "read", DESCRIPTOR},
	{SYS_pread64, "read", DESCRIPTOR},
	{SYS_readv, "read", DESCRIPTOR},
	{SYS_preadv, "read", DESCRIPTOR},
	{SYS_write, "write", DESCRIPTOR},
	{SYS_pwrite64, "write", DESCRIPTOR},
	{SYS_writev, "write", DESCRIPTOR},
	{SYS_pwritev, "write", DESCRIPTOR},
	{SYS_fsync, "fsync", DESCRIPTOR},
	{SYS_fdatasync, "fsync", DESCRIPTOR},
	{SYS_socket, "socket", NONE},
};
#define CALLS ((int)(sizeof calls / sizeof *calls))

static const char *folder;
static char armed[16], spared[64];
static int failure, countdown, seen, failed;
static FILE *record;
static pid_t program;

static void die(const char *what) {
	perror(what);
	exit(120);
}

/* A descriptor that is passed from the child, which installs the filter, to this process, which listens. */
static void send_descriptor(int to, int descriptor) {
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
	if (sendmsg(to, &message, 0) < 0) die("sendmsg");
}

static int receive_descriptor(int from) {
	char byte, space[CMSG_SPACE(sizeof(int))];
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
	int descriptor;
	if (recvmsg(from, &message, 0) <= 0) die("recvmsg");
	memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return descriptor;
}

/* The descriptor must be sent before the filter is in force for sendmsg: it is not among the calls, so it passes. */
static int install_filter(void) {
	struct sock_filter code[4 + 2 * CALLS + 1];
	int at = 0;
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int call = 0; call < CALLS; call++) {
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[call].number, 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog filter = {(unsigned short)at, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) die("no_new_privs");
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

static int is_ours(const char *path) {
	size_t length = strlen(folder);
	if (spared[0] && strstr(path, spared)) return 0;
	return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

#define PATH_MAX_BYTES 4096

/* What the process has in its memory at an address. */
static ssize_t peek(pid_t pid, unsigned long long address, void *into, size_t bytes) {
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/mem", pid);
	int memory = open(name, O_RDONLY | O_CLOEXEC);
	if (memory < 0) return -1;
	ssize_t length = pread(memory, into, bytes, (off_t)address);
	close(memory);
	return length;
}

static int path_at(pid_t pid, unsigned long long address, char *path) {
	memset(path, 0, PATH_MAX_BYTES);
	return peek(pid, address, path, PATH_MAX_BYTES - 1) > 0 && is_ours(path);
}

static int path_of(pid_t pid, int descriptor, char *path) {
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", pid, descriptor);
	ssize_t length = readlink(name, path, PATH_MAX_BYTES - 1);
	if (length < 0) return 0;
	path[length] = 0;
	return is_ours(path);
}

/* Whether a call is about something in the folder, and its path. */
static int concerns_us(const struct call *call, const struct seccomp_notif *request, char *path) {
	pid_t pid = (pid_t)request->pid;
	switch (call->target) {
	case DESCRIPTOR: return path_of(pid, (int)request->data.args[0], path);
	case PATH: return path_at(pid, request->data.args[0], path);
	case AT: return path_at(pid, request->data.args[1], path);
	default: return 1;
	}
}

static long long position_of(pid_t pid, int descriptor) {
	char name[64];
	long long position = 0;
	snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", pid, descriptor);
	FILE *facts = fopen(name, "r");
	if (!facts || fscanf(facts, "pos: %lld", &position) != 1) position = -1;
	if (facts) fclose(facts);
	return position;
}

static void write_down(const char *class, long long offset, long long bytes, unsigned long long flags, const char *path) {
	fprintf(record, "%s\t%lld\t%lld\t%llu\t%s", class, offset, bytes, flags, path);
}

static void record_bytes(pid_t pid, unsigned long long address, size_t bytes) {
	char *copy = malloc(bytes ? bytes : 1);
	if (!copy || peek(pid, address, copy, bytes) != (ssize_t)bytes) die("a write could not be recorded");
	fwrite(copy, 1, bytes, record);
	free(copy);
}

static void record_write(const struct seccomp_notif *request, const char *path) {
	const __u64 *args = request->data.args;
	pid_t pid = (pid_t)request->pid;
	int number = request->data.nr;
	int vector = number == SYS_writev || number == SYS_pwritev;
	int placed = number == SYS_pwrite64 || number == SYS_pwritev;
	long long offset = placed ? (long long)args[3] : position_of(pid, (int)args[0]);
	struct iovec parts[64] = {{(void *)args[1], args[2]}};
	size_t count = 1;
	if (vector) {
		count = args[2];
		if (count > 64 || peek(pid, args[1], parts, count * sizeof *parts) < 0) die("too many parts to record");
	}
	for (size_t part = 0; part < count; part++) {
		write_down("write", offset, (long long)parts[part].iov_len, 0, path);
		fputc('\n', record);
		record_bytes(pid, (unsigned long long)parts[part].iov_base, parts[part].iov_len);
		offset += (long long)parts[part].iov_len;
	}
}

static void record_call(const struct call *call, const struct seccomp_notif *request, const char *path) {
	const __u64 *args = request->data.args;
	int at = call->target == AT;
	if (strcmp(call->class, "read") == 0 || strcmp(call->class, "socket") == 0) return;
	if (strcmp(call->class, "write") == 0) return record_write(request, path);
	unsigned long long flags = strcmp(call->class, "open") == 0 ? args[1 + at] : 0;
	long long offset = strcmp(call->class, "truncate") == 0 ? (long long)args[1] : 0;
	if (strcmp(call->class, "open") == 0 && !(flags & (O_CREAT | O_TRUNC))) return;
	write_down(call->class, offset, 0, flags, path);
	if (strcmp(call->class, "rename") == 0) {
		char other[PATH_MAX_BYTES];
		if (path_at((pid_t)request->pid, args[at ? 3 : 1], other)) fprintf(record, "\t%s", other);
	}
	fputc('\n', record);
}

static int fails(const struct seccomp_notif *request) {
	char path[PATH_MAX_BYTES];
	if (!armed[0] && !record) return 0;
	for (int at = 0; at < CALLS; at++) {
		const struct call *call = &calls[at];
		if (call->number != request->data.nr) continue;
		int counts = strcmp(call->class, armed) == 0;
		if ((!counts && !record) || !concerns_us(call, request, path)) return 0;
		if (record) record_call(call, request, path);
		if (!counts) return 0;
		seen++;
		return --countdown == 0;
	}
	return 0;
}

static void answer_call(int listener) {
	/* The kernel refuses a structure that is not zero, and may want a larger one than these headers know. */
	union { struct seccomp_notif request; char space[512]; } in = {0};
	union { struct seccomp_notif_resp response; char space[512]; } out = {0};
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in) < 0) return;
	out.response.id = in.request.id;
	if (fails(&in.request)) {
		failed++;
		out.response.error = -failure;
	} else {
		out.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	/* The caller may have been killed meanwhile. */
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &out);
}

static void obey(int orders, FILE *reports) {
	static char line[1024];
	static size_t held;
	ssize_t got = read(orders, line + held, sizeof line - 1 - held);
	if (got <= 0) return;
	held += (size_t)got;
	line[held] = 0;
	char *end;
	while ((end = strchr(line, '\n')) != NULL) {
		*end = 0;
		spared[0] = 0;
		if (sscanf(line, "arm %15s %d %d %63s", armed, &failure, &countdown, spared) >= 3) {
			seen = failed = 0;
			fprintf(reports, "armed\n");
		} else if (record && strncmp(line, "mark ", 5) == 0) {
			write_down("mark", 0, 0, 0, line + 5);
			fputc('\n', record);
			fflush(record);
			fprintf(reports, "marked\n");
		} else {
			armed[0] = 0;
			fprintf(reports, "%d %d\n", seen, failed);
		}
		fflush(reports);
		held -= (size_t)(end + 1 - line);
		memmove(line, end + 1, held + 1);
	}
}

static void pass_on(int signal) {
	kill(program, signal);
}

int main(int count, char **arguments) {
	if (count < 5) return 121;
	folder = arguments[1];
	FILE *reports = fopen(arguments[3], "a");
	/* Open for writing as well, so that it never ends. */
	int orders = mkfifo(arguments[2], 0600) ? -1 : open(arguments[2], O_RDWR | O_CLOEXEC);
	int pair[2];
	if (getenv("SHIM_RECORD") && !(record = fopen(getenv("SHIM_RECORD"), "w"))) die("SHIM_RECORD");
	if (!reports || orders < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) die("shim");
	program = fork();
	if (program == 0) {
		close(pair[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int listener = install_filter();
		if (listener < 0) die("seccomp");
		send_descriptor(pair[1], listener);
		close(listener);
		close(pair[1]);
		execvp(arguments[4], arguments + 4);
		die(arguments[4]);
	}
	close(pair[1]);
	signal(SIGTERM, pass_on);
	int listener = receive_descriptor(pair[0]);
	struct pollfd wait[2] = {{listener, POLLIN, 0}, {orders, POLLIN, 0}};
	int status;
	for (;;) {
		poll(wait, 2, 200);
		if (wait[0].revents & POLLIN) answer_call(listener);
		if (wait[1].revents & POLLIN) obey(orders, reports);
		if (waitpid(program, &status, WNOHANG) == program) break;
	}
	if (record) fclose(record);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
