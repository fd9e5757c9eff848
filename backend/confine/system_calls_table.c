/* Rows by kind. A call that is missing here ends a process that is confined; one of the last part has a row
 * for its name alone. */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "backend/confine/confine.h"
#include "backend/confine/system_calls.h"

/* Calls of the first architectures that later ones do not have. */
#ifndef SYS_access
#define SYS_access (-1)
#endif
#ifndef SYS_alarm
#define SYS_alarm (-1)
#endif
#ifndef SYS_arch_prctl
#define SYS_arch_prctl (-1)
#endif
#ifndef SYS_chmod
#define SYS_chmod (-1)
#endif
#ifndef SYS_chown
#define SYS_chown (-1)
#endif
#ifndef SYS_creat
#define SYS_creat (-1)
#endif
#ifndef SYS_dup2
#define SYS_dup2 (-1)
#endif
#ifndef SYS_epoll_create
#define SYS_epoll_create (-1)
#endif
#ifndef SYS_epoll_wait
#define SYS_epoll_wait (-1)
#endif
#ifndef SYS_eventfd
#define SYS_eventfd (-1)
#endif
#ifndef SYS_fork
#define SYS_fork (-1)
#endif
#ifndef SYS_getdents
#define SYS_getdents (-1)
#endif
#ifndef SYS_getpgrp
#define SYS_getpgrp (-1)
#endif
#ifndef SYS_getrlimit
#define SYS_getrlimit (-1)
#endif
#ifndef SYS_inotify_init
#define SYS_inotify_init (-1)
#endif
#ifndef SYS_ioperm
#define SYS_ioperm (-1)
#endif
#ifndef SYS_iopl
#define SYS_iopl (-1)
#endif
#ifndef SYS_lchown
#define SYS_lchown (-1)
#endif
#ifndef SYS_link
#define SYS_link (-1)
#endif
#ifndef SYS_lstat
#define SYS_lstat (-1)
#endif
#ifndef SYS_mkdir
#define SYS_mkdir (-1)
#endif
#ifndef SYS_open
#define SYS_open (-1)
#endif
#ifndef SYS_pipe
#define SYS_pipe (-1)
#endif
#ifndef SYS_poll
#define SYS_poll (-1)
#endif
#ifndef SYS_readlink
#define SYS_readlink (-1)
#endif
#ifndef SYS_rename
#define SYS_rename (-1)
#endif
#ifndef SYS_rmdir
#define SYS_rmdir (-1)
#endif
#ifndef SYS_select
#define SYS_select (-1)
#endif
#ifndef SYS_signalfd
#define SYS_signalfd (-1)
#endif
#ifndef SYS_stat
#define SYS_stat (-1)
#endif
#ifndef SYS_symlink
#define SYS_symlink (-1)
#endif
#ifndef SYS_time
#define SYS_time (-1)
#endif
#ifndef SYS_unlink
#define SYS_unlink (-1)
#endif
#ifndef SYS_utime
#define SYS_utime (-1)
#endif
#ifndef SYS_utimes
#define SYS_utimes (-1)
#endif
#ifndef SYS_vfork
#define SYS_vfork (-1)
#endif

#define SERVICE (1u << CONFINE_SERVICE)
#define DAEMONS (SERVICE | 1u << CONFINE_NETWORK)
#define ALL     (DAEMONS | 1u << CONFINE_READER)

/* clang-format off */
#define ROW(call, who)         {.number = SYS_##call, .name = #call, .kinds = (who)}
#define PRETENDS(call, answer) {.number = SYS_##call, .name = #call, .pretend = (answer)}

const struct system_call system_calls[] = {
    /* what every process needs, a reader too; it truncates nothing but, with coverage, its counts */
    ROW(read, ALL), ROW(write, ALL), ROW(pread64, ALL), ROW(pwrite64, ALL), ROW(readv, ALL), ROW(writev, ALL),
    ROW(preadv, ALL), ROW(pwritev, ALL), ROW(close, ALL), ROW(close_range, ALL), ROW(open, ALL),
    ROW(openat, ALL), ROW(fstat, ALL), ROW(stat, ALL), ROW(lstat, ALL), ROW(newfstatat, ALL), ROW(statx, ALL),
    ROW(lseek, ALL), ROW(access, ALL), ROW(faccessat, ALL), ROW(faccessat2, ALL), ROW(readlink, ALL),
    ROW(readlinkat, ALL), ROW(fcntl, ALL), ROW(poll, ALL), ROW(ppoll, ALL), ROW(recvfrom, ALL),
    ROW(recvmsg, ALL), ROW(sendto, ALL), ROW(sendmsg, ALL), ROW(mmap, ALL), ROW(munmap, ALL),
    ROW(mprotect, ALL), ROW(mremap, ALL), ROW(brk, ALL), ROW(madvise, ALL), ROW(futex, ALL),
    ROW(clock_gettime, ALL), ROW(clock_getres, ALL), ROW(clock_nanosleep, ALL), ROW(nanosleep, ALL),
    ROW(gettimeofday, ALL), ROW(time, ALL), ROW(restart_syscall, ALL), ROW(rt_sigreturn, ALL),
    ROW(rt_sigaction, ALL), ROW(rt_sigprocmask, ALL), ROW(sigaltstack, ALL), ROW(exit, ALL),
    ROW(exit_group, ALL), ROW(getpid, ALL), ROW(gettid, ALL), ROW(getppid, ALL), ROW(tgkill, ALL),
    ROW(tkill, ALL), ROW(getrandom, ALL), ROW(getuid, ALL), ROW(geteuid, ALL), ROW(getgid, ALL),
    ROW(getegid, ALL), ROW(getresuid, ALL), ROW(getresgid, ALL), ROW(getgroups, ALL), ROW(rseq, ALL),
    ROW(set_robust_list, ALL), ROW(get_robust_list, ALL), ROW(set_tid_address, ALL), ROW(sched_yield, ALL),
    ROW(getrusage, ALL), ROW(fstatfs, ALL), ROW(statfs, ALL), ROW(fadvise64, ALL), ROW(ftruncate, ALL),

    /* daemons */
    ROW(creat, DAEMONS), ROW(getdents64, DAEMONS), ROW(getdents, DAEMONS), ROW(mkdir, DAEMONS),
    ROW(mkdirat, DAEMONS), ROW(rmdir, DAEMONS), ROW(rename, DAEMONS), ROW(renameat, DAEMONS),
    ROW(renameat2, DAEMONS), ROW(link, DAEMONS), ROW(linkat, DAEMONS), ROW(unlink, DAEMONS),
    ROW(unlinkat, DAEMONS), ROW(symlink, DAEMONS), ROW(symlinkat, DAEMONS), ROW(fsync, DAEMONS),
    ROW(fdatasync, DAEMONS), ROW(sync_file_range, DAEMONS), ROW(truncate, DAEMONS),
    ROW(fallocate, DAEMONS), ROW(flock, DAEMONS), ROW(chmod, DAEMONS), ROW(fchmod, DAEMONS),
    ROW(fchmodat, DAEMONS), ROW(chown, DAEMONS), ROW(fchown, DAEMONS), ROW(fchownat, DAEMONS),
    ROW(lchown, DAEMONS), ROW(utimensat, DAEMONS), ROW(utimes, DAEMONS), ROW(utime, DAEMONS),
    ROW(umask, DAEMONS), ROW(getcwd, DAEMONS), ROW(chdir, DAEMONS), ROW(fchdir, DAEMONS),
    ROW(copy_file_range, DAEMONS), ROW(sendfile, DAEMONS), ROW(splice, DAEMONS), ROW(tee, DAEMONS),
    ROW(readahead, DAEMONS), ROW(getxattr, DAEMONS), ROW(lgetxattr, DAEMONS), ROW(fgetxattr, DAEMONS),
    ROW(listxattr, DAEMONS), ROW(socket, DAEMONS), ROW(socketpair, DAEMONS), ROW(connect, DAEMONS),
    ROW(bind, DAEMONS), ROW(listen, DAEMONS), ROW(accept, DAEMONS), ROW(accept4, DAEMONS),
    ROW(shutdown, DAEMONS), ROW(getsockopt, DAEMONS), ROW(setsockopt, DAEMONS), ROW(getsockname, DAEMONS),
    ROW(getpeername, DAEMONS), ROW(recvmmsg, DAEMONS), ROW(sendmmsg, DAEMONS), ROW(select, DAEMONS),
    ROW(pselect6, DAEMONS), ROW(epoll_create, DAEMONS), ROW(epoll_create1, DAEMONS), ROW(epoll_ctl, DAEMONS),
    ROW(epoll_wait, DAEMONS), ROW(epoll_pwait, DAEMONS), ROW(epoll_pwait2, DAEMONS), ROW(eventfd, DAEMONS),
    ROW(eventfd2, DAEMONS), ROW(signalfd, DAEMONS), ROW(signalfd4, DAEMONS), ROW(timerfd_create, DAEMONS),
    ROW(timerfd_settime, DAEMONS), ROW(timerfd_gettime, DAEMONS), ROW(inotify_init, DAEMONS),
    ROW(inotify_init1, DAEMONS), ROW(inotify_add_watch, DAEMONS), ROW(inotify_rm_watch, DAEMONS),
    ROW(wait4, DAEMONS), ROW(waitid, DAEMONS), ROW(kill, DAEMONS), ROW(rt_sigqueueinfo, DAEMONS),
    ROW(rt_tgsigqueueinfo, DAEMONS), ROW(rt_sigtimedwait, DAEMONS), ROW(rt_sigpending, DAEMONS),
    ROW(rt_sigsuspend, DAEMONS), ROW(pidfd_open, DAEMONS), ROW(pidfd_send_signal, DAEMONS),
    ROW(setsid, DAEMONS), ROW(getsid, DAEMONS), ROW(setpgid, DAEMONS), ROW(getpgid, DAEMONS),
    ROW(getpgrp, DAEMONS), ROW(prctl, DAEMONS), ROW(arch_prctl, DAEMONS), ROW(capget, DAEMONS),
    ROW(prlimit64, DAEMONS), ROW(getrlimit, DAEMONS), ROW(setrlimit, DAEMONS), ROW(getpriority, DAEMONS),
    ROW(sched_getaffinity, DAEMONS), ROW(sched_getparam, DAEMONS), ROW(sched_getscheduler, DAEMONS),
    ROW(sched_get_priority_max, DAEMONS), ROW(sched_get_priority_min, DAEMONS), ROW(getcpu, DAEMONS),
    ROW(sysinfo, DAEMONS), ROW(uname, DAEMONS), ROW(times, DAEMONS), ROW(alarm, DAEMONS),
    ROW(setitimer, DAEMONS), ROW(getitimer, DAEMONS), ROW(timer_create, DAEMONS), ROW(timer_settime, DAEMONS),
    ROW(timer_delete, DAEMONS), ROW(timer_gettime, DAEMONS), ROW(pipe, DAEMONS), ROW(pipe2, DAEMONS),
    ROW(dup, DAEMONS), ROW(dup2, DAEMONS), ROW(dup3, DAEMONS), ROW(ioctl, DAEMONS), ROW(seccomp, DAEMONS),
    ROW(msync, DAEMONS), ROW(mincore, DAEMONS), ROW(mlock, DAEMONS), ROW(munlock, DAEMONS),
    ROW(memfd_create, DAEMONS), ROW(membarrier, DAEMONS),

    /* other programs */
    ROW(fork, SERVICE), ROW(vfork, SERVICE), ROW(execve, SERVICE),

    /* programs go on without them */
    PRETENDS(clone3, ENOSYS), PRETENDS(openat2, ENOSYS), PRETENDS(io_uring_setup, ENOSYS),
    PRETENDS(keyctl, ENOSYS), PRETENDS(add_key, ENOSYS), PRETENDS(request_key, ENOSYS),
    PRETENDS(userfaultfd, EPERM), PRETENDS(set_mempolicy, EPERM), PRETENDS(sched_setscheduler, EPERM),
    PRETENDS(sched_setaffinity, EPERM), PRETENDS(setpriority, EPERM), PRETENDS(ioprio_set, EPERM),

    /* refused; clone is looked at more closely */
    ROW(clone, 0), ROW(ptrace, 0), ROW(process_vm_readv, 0), ROW(process_vm_writev, 0), ROW(mount, 0),
    ROW(umount2, 0), ROW(pivot_root, 0), ROW(chroot, 0), ROW(unshare, 0), ROW(setns, 0), ROW(bpf, 0),
    ROW(perf_event_open, 0), ROW(init_module, 0), ROW(finit_module, 0), ROW(delete_module, 0),
    ROW(kexec_load, 0), ROW(reboot, 0), ROW(swapon, 0), ROW(swapoff, 0), ROW(acct, 0), ROW(settimeofday, 0),
    ROW(clock_settime, 0), ROW(adjtimex, 0), ROW(personality, 0), ROW(quotactl, 0), ROW(name_to_handle_at, 0),
    ROW(open_by_handle_at, 0), ROW(setuid, 0), ROW(setgid, 0), ROW(setreuid, 0), ROW(setregid, 0),
    ROW(setresuid, 0), ROW(setresgid, 0), ROW(setgroups, 0), ROW(setfsuid, 0), ROW(setfsgid, 0),
    ROW(capset, 0), ROW(mknod, 0), ROW(mknodat, 0), ROW(syslog, 0), ROW(sethostname, 0),
    ROW(setdomainname, 0), ROW(iopl, 0), ROW(ioperm, 0), ROW(kcmp, 0), ROW(pidfd_getfd, 0),
    ROW(move_mount, 0), ROW(fsopen, 0), ROW(execveat, 0), ROW(vhangup, 0),

    {.name = NULL},
};
