/* proc.h - what /proc says of processes, and signals that cannot hit a stranger.
 *
 * A process is named by its pid and its start time: the kernel gives numbers out again, never both.
 */
#ifndef STOKER_BACKEND_TASK_PROC_H
#define STOKER_BACKEND_TASK_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
    pid_t pid, ppid, session;
    char state; /* 'R', 'S', 'D', 'Z', ... */
    unsigned threads;
    uint64_t start;       /* clock ticks after boot */
    uint64_t cpu_ticks;   /* user + system */
    uint64_t ended_ticks; /* the same of its children that have ended, and of theirs */
    uint64_t rss_kib;
};

struct proc_list {
    struct proc *v;
    size_t n, cap;
};

#define BOOT_ID_SIZE 40

/* Reads up to size - 1 bytes of a small file and terminates them. Returns the length or -errno. */
ssize_t proc_read_file(const char *path, char *buf, size_t size);

/* -ESRCH where there is no such process. */
int proc_read(pid_t pid, struct proc *ret) __attribute__((warn_unused_result));
/* Proportional share of memory in KiB, shared pages counted by their share; the resident size where the
 * kernel does not say. */
uint64_t proc_pss_kib(const struct proc *p);
/* The user who has started it, who a program with set-user-ID does not change; -1 where that is not
 * known. */
uid_t proc_real_uid(pid_t pid);
/* True where the process's environment as it was started holds the string "NAME=value". */
bool proc_has_env(pid_t pid, const char *entry);

void proc_list_fini(struct proc_list *l);
/* Fills l with all descendants of root, parents first, root left out. Only a hint while they fork: walk
 * again until none is left. */
void proc_descendants(pid_t root, struct proc_list *l);
/* Fills l with every process of the machine. */
void proc_all(struct proc_list *l);

/* Sends through a pidfd, by number where none can be had, after comparing the start time. Returns 0, -ESRCH
 * where that process is gone, or another -errno. */
int proc_signal(const struct proc *p, int signo);

/* The kernel's id of this boot. */
void proc_boot_id(char buf[static BOOT_ID_SIZE]);

#endif
