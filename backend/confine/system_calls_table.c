/* Rows by kind. A call that is missing here and in the rows of readers ends a process that is confined; one
 * of the last part has a row for its name alone. */
#include <stddef.h>
#include <sys/syscall.h>

#include "backend/confine/confine.h"
#include "backend/confine/system_calls.h"

/* Calls of the first architectures that later ones do not have. */
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
#ifndef SYS_mkdir
#define SYS_mkdir (-1)
#endif
#ifndef SYS_pipe
#define SYS_pipe (-1)
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
#ifndef SYS_symlink
#define SYS_symlink (-1)
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

/* clang-format off */
#define ROW(call, who) {.number = SYS_##call, .name = #call, .kinds = (who)}

static const struct system_call system_calls_of_daemons[] = {
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
/* clang-format on */

int confine_system_calls(enum confine_kind kind, const char *program)
{
    const struct system_calls s = {.tables = {system_calls_of_readers, system_calls_of_daemons},
                                   .kinds = 1u << kind,
                                   .clone = kind == CONFINE_READER    ? CLONE_NOTHING
                                            : kind == CONFINE_NETWORK ? CLONE_THREADS
                                                                      : CLONE_ANY};
    return system_calls_confine(&s, program);
}
