/* Stands between a program and its C library and records what the program does to the files below RECORDED_DIR, in order, in
   the file RECORDING: writes with their data, truncations, creations, renames, removals, and when each fsync begins and ends.
   What the program writes to its standard output is recorded too, so that it is known what it had acknowledged at each point.

   An operation is recorded after it was done, except the begin of an fsync: what is recorded before the begin was done before it.
   A record: kind, length of the path (32 bits each), offset, length of the data (64 bits each), path, data. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE, SYNC_BEGIN, SYNC_END, CREATE, RENAME, REMOVE, OUTPUT, UNSUPPORTED };

struct header {
    uint32_t kind, path_length;
    uint64_t offset, data_length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int recording = -1;
static const char *directory;
static uint64_t syncs;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("RECORDING");
    directory = getenv("RECORDED_DIR");
    if (path && directory)
        recording = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void record(uint32_t kind, const char *path, uint64_t offset, const void *data, size_t length)
{
    struct header header = { kind, (uint32_t)strlen(path), offset, length };
    struct iovec parts[] = {
        { &header, sizeof header }, { (void *)path, header.path_length }, { (void *)data, length },
    };
    size_t total = sizeof header + header.path_length + length;
    int error = errno;
    pthread_mutex_lock(&lock);
    if (syscall(SYS_writev, recording, parts, 3) != (long)total)
        abort();
    pthread_mutex_unlock(&lock);
    errno = error;
}

static int is_below(const char *path)
{
    size_t length = strlen(directory);
    return recording >= 0 && !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}

/* The path of a descriptor, if it is below the directory. */
static const char *path_of(int fd, char *buffer, size_t size)
{
    char link[64];
    if (recording < 0)
        return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, buffer, size - 1);
    if (length < 0)
        return NULL;
    buffer[length] = 0;
    return is_below(buffer) ? buffer : NULL;
}

static void record_fd(uint32_t kind, int fd, uint64_t offset, const void *data, size_t length)
{
    char buffer[4096];
    const char *path = path_of(fd, buffer, sizeof buffer);
    if (path)
        record(kind, path, offset, data, length);
}

static ssize_t wrote(int fd, const void *data, ssize_t length)
{
    if (length > 0 && fd == STDOUT_FILENO && recording >= 0)
        record(OUTPUT, "", 0, data, (size_t)length);
    else if (length > 0)
        record_fd(WRITE, fd, (uint64_t)(lseek(fd, 0, SEEK_CUR) - length), data, (size_t)length);
    return length;
}

ssize_t write(int fd, const void *data, size_t length) { return wrote(fd, data, REAL(write)(fd, data, length)); }

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    ssize_t written = REAL(pwrite)(fd, data, length, offset);
    if (written > 0)
        record_fd(WRITE, fd, (uint64_t)offset, data, (size_t)written);
    return written;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) { return pwrite(fd, data, length, offset); }

int ftruncate(int fd, off_t length)
{
    int result = REAL(ftruncate)(fd, length);
    if (!result)
        record_fd(TRUNCATE, fd, (uint64_t)length, NULL, 0);
    return result;
}

int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

static int synced(int (*real)(int), int fd)
{
    char buffer[4096];
    const char *path = path_of(fd, buffer, sizeof buffer);
    uint64_t number = __atomic_add_fetch(&syncs, 1, __ATOMIC_SEQ_CST);
    if (path)
        record(SYNC_BEGIN, path, number, NULL, 0);
    int result = real(fd);
    if (path && !result)
        record(SYNC_END, path, number, NULL, 0);
    return result;
}

int fsync(int fd) { return synced(REAL(fsync), fd); }
int fdatasync(int fd) { return synced(REAL(fdatasync), fd); }

static int opened(int fd, int flags, int existed)
{
    if (fd >= 0 && (flags & O_CREAT) && !existed)
        record_fd(CREATE, fd, 0, NULL, 0);
    else if (fd >= 0 && (flags & O_TRUNC))
        record_fd(TRUNCATE, fd, 0, NULL, 0);
    return fd;
}

#define MODE(flags, last) \
    va_list arguments; \
    va_start(arguments, last); \
    mode_t mode = (flags) & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments);

static int exists(int dir, const char *path)
{
    struct stat status;
    return !fstatat(dir, path, &status, AT_SYMLINK_NOFOLLOW);
}

int open(const char *path, int flags, ...)
{
    MODE(flags, flags)
    int existed = exists(AT_FDCWD, path);
    return opened(REAL(open)(path, flags, mode), flags, existed);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags, flags)
    int existed = exists(AT_FDCWD, path);
    return opened(REAL(open64)(path, flags, mode), flags, existed);
}

int openat(int dir, const char *path, int flags, ...)
{
    MODE(flags, flags)
    int existed = exists(dir, path);
    return opened(REAL(openat)(dir, path, flags, mode), flags, existed);
}

int openat64(int dir, const char *path, int flags, ...)
{
    MODE(flags, flags)
    int existed = exists(dir, path);
    return opened(REAL(openat64)(dir, path, flags, mode), flags, existed);
}

int rename(const char *from, const char *to)
{
    int result = REAL(rename)(from, to);
    if (!result && is_below(from))
        record(RENAME, from, 0, to, strlen(to));
    return result;
}

int unlink(const char *path)
{
    int result = REAL(unlink)(path);
    if (!result && is_below(path))
        record(REMOVE, path, 0, NULL, 0);
    return result;
}

/* What is not modelled may not happen unnoticed. */

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (fd == STDOUT_FILENO)
        record(UNSUPPORTED, "writev to the output", 0, NULL, 0);
    record_fd(UNSUPPORTED, fd, 0, "writev", 6);
    return REAL(writev)(fd, parts, count);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
    record_fd(UNSUPPORTED, fd, 0, "fallocate", 9);
    return REAL(fallocate)(fd, mode, offset, length);
}

int posix_fallocate(int fd, off_t offset, off_t length)
{
    record_fd(UNSUPPORTED, fd, 0, "posix_fallocate", 15);
    return REAL(posix_fallocate)(fd, offset, length);
}

/* Copies within the kernel are refused, so that the caller writes what it has read. */

static int is_recorded(int fd)
{
    char buffer[4096];
    errno = ENOSYS;
    return path_of(fd, buffer, sizeof buffer) != NULL;
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags)
{
    return is_recorded(to) ? -1 : REAL(copy_file_range)(from, from_offset, to, to_offset, length, flags);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t length)
{
    return is_recorded(to) ? -1 : REAL(sendfile)(to, from, offset, length);
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t length)
{
    return is_recorded(to) ? -1 : REAL(sendfile64)(to, from, offset, length);
}

/* The index of SQLite's WAL is shared memory: it does not survive a power cut and is built again. */
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    char buffer[4096];
    if (fd >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE)) {
        const char *path = path_of(fd, buffer, sizeof buffer), *end = path ? strrchr(path, '-') : NULL;
        if (path && (!end || strcmp(end, "-shm")))
            record(UNSUPPORTED, path, 0, "mmap", 4);
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}
