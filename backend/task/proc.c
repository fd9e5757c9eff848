/* proc.c - what /proc says of processes. */
#include "backend/task/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/xalloc.h"

ssize_t proc_read_file(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, buf, size - 1);
    int r = errno;
    close(fd);
    if (n < 0)
        return -r;
    buf[n] = '\0';
    return n;
}

int proc_read(pid_t pid, struct proc *ret)
{
    char path[64], buf[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    ssize_t n = proc_read_file(path, buf, sizeof buf);
    if (n == 0 || n == -ENOENT || n == -ESRCH)
        return -ESRCH;
    if (n < 0)
        return (int)n;
    /* The name in parentheses may hold anything: what follows its last ')' is in order. */
    const char *p = strrchr(buf, ')');
    int ppid, session;
    char state;
    unsigned long utime, stime, cutime, cstime, threads, rss;
    unsigned long long start;
    if (!p ||
        sscanf(p + 1,
               " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d %lu %*d %llu %*u %lu",
               &state, &ppid, &session, &utime, &stime, &cutime, &cstime, &threads, &start, &rss) != 10)
        return -ESRCH;
    *ret = (struct proc){
        .pid = pid,
        .ppid = ppid,
        .session = session,
        .state = state,
        .threads = (unsigned)threads,
        .start = start,
        .cpu_ticks = utime + stime,
        .ended_ticks = cutime + cstime,
        .rss_kib = rss * (unsigned long)sysconf(_SC_PAGESIZE) / 1024,
    };
    return 0;
}

uint64_t proc_pss_kib(const struct proc *p)
{
    char path[64], buf[2048];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)p->pid);
    if (proc_read_file(path, buf, sizeof buf) <= 0)
        return p->rss_kib;
    const char *line = strstr(buf, "\nPss:");
    unsigned long long kib;
    return line && sscanf(line + 5, "%llu", &kib) == 1 ? kib : p->rss_kib;
}

uid_t proc_real_uid(pid_t pid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if (proc_read_file(path, text, sizeof text) <= 0)
        return (uid_t)-1;
    const char *line = strstr(text, "\nUid:");
    return line ? (uid_t)strtoul(line + 5, NULL, 10) : (uid_t)-1;
}

bool proc_has_env(pid_t pid, const char *entry)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t cap = 256u << 10, n = 0;
    char *buf = xmalloc(cap);
    for (ssize_t got; n < cap && (got = read(fd, buf + n, cap - n)) > 0;)
        n += (size_t)got;
    close(fd);
    size_t len = strlen(entry) + 1; /* with its terminator */
    bool found = false;
    for (char *p = buf, *end = buf + n; !found && p < end;) {
        found = (size_t)(end - p) >= len && memcmp(p, entry, len) == 0;
        char *nul = memchr(p, '\0', (size_t)(end - p));
        if (!nul)
            break;
        p = nul + 1;
    }
    free(buf);
    return found;
}

void proc_list_fini(struct proc_list *l)
{
    free(l->v);
    *l = (struct proc_list){0};
}

static void proc_push(struct proc_list *l, const struct proc *p)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 16;
        l->v = xreallocarray(l->v, l->cap, sizeof *l->v);
    }
    l->v[l->n++] = *p;
}

void proc_all(struct proc_list *l)
{
    l->n = 0;
    DIR *d = opendir("/proc");
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        struct proc p;
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && proc_read(atoi(e->d_name), &p) == 0)
            proc_push(l, &p);
    }
    closedir(d);
}

/* One thread's children: the kernel lists a child under the thread that forked it. */
static void push_children(const char *path, struct proc_list *l)
{
    char small[4096], *buf = small;
    size_t size = sizeof small;
    ssize_t n = proc_read_file(path, buf, size);
    while (n == (ssize_t)size - 1) {
        /* seq files give a page a time: with many children, read all of it. */
        size *= 4;
        buf = xrealloc(buf == small ? NULL : buf, size);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        n = 0;
        for (ssize_t got; fd >= 0 && (got = read(fd, buf + n, size - 1 - (size_t)n)) > 0;)
            n += got;
        if (fd >= 0)
            close(fd);
        buf[n] = '\0';
    }
    if (n > 0) {
        char *p = buf;
        for (long pid; (pid = strtol(p, &p, 10)) > 0;) {
            struct proc child;
            if (proc_read((pid_t)pid, &child) == 0)
                proc_push(l, &child);
        }
    }
    if (buf != small)
        free(buf);
}

static void push_children_of(pid_t pid, unsigned threads, struct proc_list *l)
{
    char path[96];
    if (threads <= 1) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
        push_children(path, l);
        return;
    }
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *d = opendir(path);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, atoi(e->d_name));
        push_children(path, l);
    }
    closedir(d);
}

static bool proc_holds(const struct proc_list *l, pid_t pid)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].pid == pid)
            return true;
    return false;
}

/* For kernels without CONFIG_PROC_CHILDREN. */
static void descendants_by_scan(pid_t root, struct proc_list *l)
{
    struct proc_list all = {0};
    proc_all(&all);
    for (size_t before = SIZE_MAX; before != l->n;) {
        before = l->n;
        for (size_t i = 0; i < all.n; i++) {
            const struct proc *p = &all.v[i];
            if ((p->ppid == root || proc_holds(l, p->ppid)) && !proc_holds(l, p->pid))
                proc_push(l, p);
        }
    }
    proc_list_fini(&all);
}

void proc_descendants(pid_t root, struct proc_list *l)
{
    static int has_children_files = -1;
    if (has_children_files < 0) {
        char path[96];
        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        has_children_files = access(path, R_OK) == 0;
    }
    l->n = 0;
    if (!has_children_files) {
        descendants_by_scan(root, l);
        return;
    }
    push_children_of(root, 1, l);
    for (size_t i = 0; i < l->n; i++)
        push_children_of(l->v[i].pid, l->v[i].threads, l);
}

int proc_signal(const struct proc *p, int signo)
{
    int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    if (fd < 0 && errno == ESRCH)
        return -ESRCH;
    /* Without a descriptor (none is left, an older kernel, a filter of system calls) by number: what must
     * be killed is not let live for the moment in which a number could become another process's. */
    struct proc now;
    int r = proc_read(p->pid, &now);
    if (r == 0 && now.start != p->start)
        r = -ESRCH;
    else if (r < 0 && r != -ESRCH)
        r = 0; /* /proc cannot be read now: the list that p is from was */
    if (r == 0 && fd >= 0)
        r = syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0) < 0 ? -errno : 0;
    else if (r == 0)
        r = kill(p->pid, signo) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return r;
}
