#include "backend/node/cgroup_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/task/proc.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"

#define MOUNTS_SIZE (256u << 10)
#define GROUPS_SIZE 8192
#define PROCS_SIZE  (64u << 10)

int cgroup_fs_put(const char *dir, const char *file, const char *text)
{
    char *path = xasprintf("%s/%s", dir, file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int r = fd < 0 ? -errno : 0;
    if (r == 0 && write(fd, text, strlen(text)) < 0)
        r = -errno;
    if (fd >= 0)
        close(fd);
    free(path);
    return r;
}

static ssize_t cgroup_fs_read(const char *dir, const char *file, char *buf, size_t size)
{
    char *path = xasprintf("%s/%s", dir, file);
    ssize_t n = proc_read_file(path, buf, size);
    free(path);
    return n;
}

bool cgroup_fs_has_word(const char *dir, const char *file, const char *word)
{
    char text[1024];
    if (cgroup_fs_read(dir, file, text, sizeof text) <= 0)
        return false;
    struct strv words = strv_split(text, " \n");
    bool found = strv_has(&words, word);
    strv_fini(&words);
    return found;
}

int cgroup_fs_put_number(const char *dir, const char *file, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    int r = cgroup_fs_put(dir, file, text);
    return r < 0 ? r : cgroup_fs_has_word(dir, file, text) ? 0 : -EIO;
}

bool cgroup_fs_number(const char *dir, const char *file, const char *word, uint64_t *ret)
{
    char buf[8192];
    ssize_t n = cgroup_fs_read(dir, file, buf, sizeof buf);
    const char *p = n <= 0 ? NULL : word ? strstr(buf, word) : buf;
    unsigned long long v;
    if (!p || sscanf(p + (word ? strlen(word) : 0), "%llu", &v) != 1)
        return false;
    *ret = v;
    return true;
}

char *cgroup_fs_line(const char *dir, const char *file)
{
    char buf[4096];
    if (cgroup_fs_read(dir, file, buf, sizeof buf) < 0)
        return NULL;
    buf[strcspn(buf, "\n")] = '\0';
    return xstrdup(buf);
}

/* --- where --- */

/* The path of this process in a hierarchy: lines are "NUMBER:CONTROLLERS:PATH", v2's "0::PATH". */
static char *cgroup_fs_path_in(const char *groups, const char *controller)
{
    struct strv lines = strv_split(groups, "\n");
    char *path = NULL;
    for (size_t i = 0; i < lines.n && !path; i++) {
        char *names = strchr(lines.v[i], ':'), *at = names ? strchr(names + 1, ':') : NULL;
        if (!at)
            continue;
        *at++ = '\0';
        struct strv list = strv_split(names + 1, ",");
        if (controller ? strv_has(&list, controller) : list.n == 0)
            path = xstrdup(at);
        strv_fini(&list);
    }
    strv_fini(&lines);
    return path;
}

/* A line of mountinfo: is this the hierarchy, and where? Its root is what of it can be seen at the mount
 * point. */
static bool cgroup_fs_is_mount(const char *line, const char *controller, char root[static 1024],
                               char point[static 1024])
{
    const char *tail = strstr(line, " - ");
    const char *type = controller ? " - cgroup " : " - cgroup2 ";
    if (!tail || strncmp(tail, type, strlen(type)) != 0 ||
        sscanf(line, "%*s %*s %*s %1023s %1023s", root, point) != 2)
        return false;
    if (!controller)
        return true;
    struct strv words = strv_split(tail, " ,");
    bool found = strv_has(&words, controller);
    strv_fini(&words);
    return found;
}

char *cgroup_fs_find(const char *mounts, const char *groups, const char *controller)
{
    char root[1024], point[1024];
    char *dir = NULL, *path = cgroup_fs_path_in(groups, controller);
    struct strv lines = path ? strv_split(mounts, "\n") : (struct strv){0};
    for (size_t i = 0; i < lines.n && !dir; i++) {
        if (!cgroup_fs_is_mount(lines.v[i], controller, root, point))
            continue;
        /* Of a mount that shows a part only, the path is within that part, if it is to be seen at all. */
        size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
        const char *rest = strncmp(path, root, n) == 0 ? path + n : path;
        dir = xasprintf("%s%s", point, strcmp(rest, "/") == 0 ? "" : rest);
        if (access(dir, F_OK) < 0) {
            free(dir);
            dir = NULL;
        }
    }
    strv_fini(&lines);
    free(path);
    /* An agent that is started again from its own sub-group. */
    if (dir && !controller && str_ends(dir, "/agent"))
        dir[strlen(dir) - strlen("/agent")] = '\0';
    return dir;
}

char *cgroup_fs_own(const char *controller)
{
    char *mounts = xmalloc(MOUNTS_SIZE), groups[GROUPS_SIZE];
    char *dir = NULL;
    if (proc_read_file("/proc/self/mountinfo", mounts, MOUNTS_SIZE) > 0 &&
        proc_read_file("/proc/self/cgroup", groups, sizeof groups) > 0)
        dir = cgroup_fs_find(mounts, groups, controller);
    free(mounts);
    return dir;
}

char *cgroup_fs_path(void)
{
    char groups[GROUPS_SIZE];
    return proc_read_file("/proc/self/cgroup", groups, sizeof groups) > 0 ? cgroup_fs_path_in(groups, NULL)
                                                                          : NULL;
}

/* --- processes --- */

bool cgroup_fs_takes_processes(const char *dir)
{
    char text[32], path[64], groups[GROUPS_SIZE];
    int hold[2];
    if (pipe2(hold, O_CLOEXEC) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(hold[1]);
        _exit(read(hold[0], text, 1) == 0 ? 0 : 1);
    }
    close(hold[0]);
    bool there = false;
    if (pid > 0) {
        snprintf(text, sizeof text, "%d", (int)pid);
        snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
        const char *name = strrchr(dir, '/');
        there = cgroup_fs_put(dir, "cgroup.procs", text) == 0 &&
                cgroup_fs_has_word(dir, "cgroup.procs", text) &&
                proc_read_file(path, groups, sizeof groups) > 0 && strstr(groups, name) != NULL;
    }
    close(hold[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return there;
}

/* v1 has no cgroup.kill. A process that is looked at here is still in the group when it is signalled, or it
 * has ended: what enters a group of a job is its job's. */
void cgroup_fs_kill(const char *dir)
{
    if (cgroup_fs_put(dir, "cgroup.kill", "1") == 0)
        return;
    char *buf = xmalloc(PROCS_SIZE);
    if (cgroup_fs_read(dir, "cgroup.procs", buf, PROCS_SIZE) > 0) {
        struct strv pids = strv_split(buf, "\n");
        for (size_t i = 0; i < pids.n; i++) {
            struct proc p;
            if (proc_read((pid_t)atol(pids.v[i]), &p) == 0 && p.state != 'Z')
                proc_signal(&p, SIGKILL);
        }
        strv_fini(&pids);
    }
    free(buf);
}

bool cgroup_fs_remove(const char *dir)
{
    return !dir || rmdir(dir) == 0 || errno == ENOENT;
}
