/* Loaded before libc: the calls of a disk that is slow. SLOW_SYNC_MS for each sync, SLOW_READ_MS for each read of a database file at a place. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void wait_for(const char *name) {
	const char *text = getenv(name);
	long ms = text ? atol(text) : 0;
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	if (ms > 0) nanosleep(&time, NULL);
}

static int is_database(int descriptor) {
	char link[64], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
	ssize_t length = readlink(link, path, sizeof path - 1);
	if (length < 0) return 0;
	path[length] = 0;
	return strstr(path, "svc.db") != NULL;
}

int fsync(int descriptor) {
	int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
	wait_for("SLOW_SYNC_MS");
	return next(descriptor);
}

int fdatasync(int descriptor) {
	int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
	wait_for("SLOW_SYNC_MS");
	return next(descriptor);
}

ssize_t pread64(int descriptor, void *into, size_t bytes, off64_t offset) {
	ssize_t (*next)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
	if (is_database(descriptor)) wait_for("SLOW_READ_MS");
	return next(descriptor, into, bytes, offset);
}
