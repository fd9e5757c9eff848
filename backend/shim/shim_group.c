#include "backend/shim/shim_group.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* struct clone_args of Linux 5.7, which older headers lack. */
struct group_clone_args {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
        set_tid_size, cgroup;
};

long shim_group_clone(unsigned long flags, int group)
{
    struct group_clone_args a = {.flags = flags | CLONE_INTO_CGROUP,
                                 .exit_signal = flags & CLONE_PARENT ? 0 : SIGCHLD,
                                 .cgroup = (uint64_t)group};
    return syscall(SYS_clone3, &a, sizeof a);
}

/* This process into a group. */
static int group_write_self(const char *group, const char *file)
{
    char *path = xasprintf("%s/%s", group, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int r = fd < 0 ? -errno : write(fd, "0", 1) != 1 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    free(path);
    return r;
}

/* Through `tasks`, which v1 has, it takes no lock for all processes of the machine. This process has one
 * thread. */
static int group_enter(const char *group)
{
    int r = group_write_self(group, "tasks");
    return r == -ENOENT ? group_write_self(group, "cgroup.procs") : r;
}

/* Whether this process is in the v2 group: "0::/.../NAME/supervisors" ends as the directory does. */
static bool group_holds_us(const char *group)
{
    char text[8192];
    if (proc_read_file("/proc/self/cgroup", text, sizeof text) <= 0)
        return false;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!line)
        return false;
    line = strchr(line, ':') + 2;
    size_t n = strcspn(line, "\n"), size = strlen(group);
    return n > 1 && n <= size && strncmp(group + size - n, line, n) == 0;
}

int shim_group_enter(struct shim *s)
{
    int r = 0;
    const char *group = s->setup.supervisor;
    if (group && !group_holds_us(group))
        r = group_enter(group);
    for (size_t i = 0; r == 0 && i < s->setup.inherited.n; i++) {
        group = s->setup.inherited.v[i];
        r = group_enter(group);
    }
    if (r < 0)
        shim_message(s, "cannot enter the control group %s: %s", group, strerror(-r));
    return r;
}

pid_t shim_group_fork(const struct shim *s)
{
    int group = s->setup.ranks ? open(s->setup.ranks, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    long pid = group < 0 ? -1 : shim_group_clone(0, group);
    if (group >= 0)
        close(group);
    return pid < 0 ? fork() : (pid_t)pid;
}

int shim_group_join(const struct shim *s, const char **ret_group)
{
    const char *groups[] = {s->setup.ranks && !group_holds_us(s->setup.ranks) ? s->setup.ranks : NULL,
                            s->setup.cgroup_v1 ? s->setup.cgroup : NULL, s->setup.pids};
    for (size_t i = 0; i < 3; i++) {
        int r = groups[i] ? group_enter(groups[i]) : 0;
        if (r < 0) {
            *ret_group = groups[i];
            return r;
        }
    }
    return 0;
}

bool shim_group_leave_cpus(struct shim *s)
{
    if (s->left_cpus || s->setup.ranks)
        return s->left_cpus;
    s->left_cpus = true;
    for (size_t i = 0; i < s->setup.inherited.n; i++) {
        char *above = xasprintf("%s/..", s->setup.inherited.v[i]);
        s->left_cpus = group_enter(above) == 0 && s->left_cpus;
        free(above);
    }
    return s->left_cpus;
}

bool shim_group_kill(const struct shim *s)
{
    if (!s->setup.ranks)
        return false;
    char *path = xasprintf("%s/cgroup.kill", s->setup.ranks);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, "1", 1) == 1;
    if (fd >= 0)
        close(fd);
    free(path);
    return done;
}
