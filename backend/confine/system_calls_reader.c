/* What every process that is confined may call, and a reader nothing else. */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "backend/confine/confine.h"
#include "backend/confine/system_calls.h"

/* Calls of the first architectures that later ones do not have. */
#ifndef SYS_access
#define SYS_access (-1)
#endif
#ifndef SYS_lstat
#define SYS_lstat (-1)
#endif
#ifndef SYS_open
#define SYS_open (-1)
#endif
#ifndef SYS_poll
#define SYS_poll (-1)
#endif
#ifndef SYS_readlink
#define SYS_readlink (-1)
#endif
#ifndef SYS_stat
#define SYS_stat (-1)
#endif
#ifndef SYS_time
#define SYS_time (-1)
#endif

#define ALL (1u << CONFINE_SERVICE | 1u << CONFINE_NETWORK | 1u << CONFINE_READER)

/* clang-format off */
#define EVERY(call)            {.number = SYS_##call, .name = #call, .kinds = ALL}
#define PRETENDS(call, answer) {.number = SYS_##call, .name = #call, .pretend = (answer)}

const struct system_call system_calls_of_readers[] = {
    /* it truncates nothing but, with coverage, its counts */
    EVERY(read), EVERY(write), EVERY(pread64), EVERY(pwrite64), EVERY(readv), EVERY(writev), EVERY(preadv),
    EVERY(pwritev), EVERY(close), EVERY(close_range), EVERY(open), EVERY(openat), EVERY(fstat), EVERY(stat),
    EVERY(lstat), EVERY(newfstatat), EVERY(statx), EVERY(lseek), EVERY(access), EVERY(faccessat),
    EVERY(faccessat2), EVERY(readlink), EVERY(readlinkat), EVERY(fcntl), EVERY(poll), EVERY(ppoll),
    EVERY(recvfrom), EVERY(recvmsg), EVERY(sendto), EVERY(sendmsg), EVERY(mmap), EVERY(munmap),
    EVERY(mprotect), EVERY(mremap), EVERY(brk), EVERY(madvise), EVERY(futex), EVERY(clock_gettime),
    EVERY(clock_getres), EVERY(clock_nanosleep), EVERY(nanosleep), EVERY(gettimeofday), EVERY(time),
    EVERY(restart_syscall), EVERY(rt_sigreturn), EVERY(rt_sigaction), EVERY(rt_sigprocmask),
    EVERY(sigaltstack), EVERY(exit), EVERY(exit_group), EVERY(getpid), EVERY(gettid), EVERY(getppid),
    EVERY(tgkill), EVERY(tkill), EVERY(getrandom), EVERY(getuid), EVERY(geteuid), EVERY(getgid),
    EVERY(getegid), EVERY(getresuid), EVERY(getresgid), EVERY(getgroups), EVERY(rseq), EVERY(set_robust_list),
    EVERY(get_robust_list), EVERY(set_tid_address), EVERY(sched_yield), EVERY(getrusage), EVERY(fstatfs),
    EVERY(statfs), EVERY(fadvise64), EVERY(ftruncate),

    /* programs go on without them */
    PRETENDS(clone3, ENOSYS), PRETENDS(openat2, ENOSYS), PRETENDS(io_uring_setup, ENOSYS),
    PRETENDS(keyctl, ENOSYS), PRETENDS(add_key, ENOSYS), PRETENDS(request_key, ENOSYS),
    PRETENDS(userfaultfd, EPERM), PRETENDS(set_mempolicy, EPERM), PRETENDS(sched_setscheduler, EPERM),
    PRETENDS(sched_setaffinity, EPERM), PRETENDS(setpriority, EPERM), PRETENDS(ioprio_set, EPERM),

    {.name = NULL},
};
/* clang-format on */

int confine_reader(const char *program)
{
    const struct system_calls s = {.tables = {system_calls_of_readers}, .kinds = 1u << CONFINE_READER};
    return system_calls_confine(&s, program);
}
