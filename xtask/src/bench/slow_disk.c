/* Stands between a program and its C library: counts every fsync and fdatasync, adds FSYNC_DELAY_MICROS to each, and
   writes the count to FSYNC_COUNT_FILE when the program ends. The real call is made all the same. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ulong calls;
static useconds_t delay;
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void)
{
    const char *micros = getenv("FSYNC_DELAY_MICROS");
    delay = micros ? (useconds_t)atoi(micros) : 0;
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

static int slowed(int (*real)(int), int fd)
{
    atomic_fetch_add(&calls, 1);
    if (delay)
        usleep(delay);
    return real(fd);
}

int fsync(int fd) { return slowed(real_fsync, fd); }
int fdatasync(int fd) { return slowed(real_fdatasync, fd); }

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FSYNC_COUNT_FILE");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", atomic_load(&calls));
        fclose(file);
    }
}
