/* cgroup.c - v2 groups with a memory limit for tasks, where the agent may make them.
 *
 *     BASE/            the agent's own group at its start; must have the memory controller, and be ours to
 * write to agent/         the agent moves there: a group with controllers for its children holds no process
 * itself stoker-TASK/   one per task with a limit
 *
 * Whatever is written is read back: in a container or a hybrid hierarchy a write may succeed without any
 * effect.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

static int put(const char *dir, const char *file, const char *text)
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

static bool holds_word(const char *dir, const char *file, const char *word)
{
    char text[1024];
    char *path = xasprintf("%s/%s", dir, file);
    ssize_t n = proc_read_file(path, text, sizeof text);
    free(path);
    if (n <= 0)
        return false;
    struct strv words = strv_split(text, " \n");
    bool found = strv_has(&words, word);
    strv_fini(&words);
    return found;
}

/* The mount point of the v2 hierarchy, and this process's group in it; NULL where there is none. */
char *cgroup_own(void)
{
    char *mounts = xmalloc(256u << 10), groups[4096];
    char *dir = NULL;
    if (proc_read_file("/proc/self/mountinfo", mounts, 256u << 10) > 0 &&
        proc_read_file("/proc/self/cgroup", groups, sizeof groups) > 0) {
        struct strv lines = strv_split(mounts, "\n");
        const char *own = strncmp(groups, "0::", 3) == 0 ? groups : strstr(groups, "\n0::");
        for (size_t i = 0; own && !dir && i < lines.n; i++) {
            char root[1024], point[1024];
            if (!strstr(lines.v[i], " - cgroup2 ") ||
                sscanf(lines.v[i], "%*s %*s %*s %1023s %1023s", root, point) != 2)
                continue;
            const char *path = strstr(own, "0::") + 3;
            int len = (int)strcspn(path, "\n");
            dir = xasprintf("%s%.*s", point, len == 1 ? 0 : len, path);
        }
        strv_fini(&lines);
    }
    free(mounts);
    return dir;
}

static const char *try_base(const char *base)
{
    if (!holds_word(base, "cgroup.controllers", "memory"))
        return "no cgroup v2 with a memory controller";
    char *sub = xasprintf("%s/agent", base);
    const char *why = NULL;
    if (mkdir(sub, 0755) < 0 && errno != EEXIST)
        why = "its control group is not delegated to it";
    else if (put(sub, "cgroup.procs", "0") < 0)
        why = "it cannot move to a control group of its own";
    else if (!holds_word(base, "cgroup.subtree_control", "memory") &&
             (put(base, "cgroup.subtree_control", "+memory") < 0 ||
              !holds_word(base, "cgroup.subtree_control", "memory")))
        why = "the memory controller cannot be passed on to tasks";
    if (why) {
        put(base, "cgroup.procs", "0");
        rmdir(sub);
    }
    free(sub);
    return why;
}

void cgroup_setup(struct agent *a)
{
    char *base = cgroup_own();
    /* An agent that is started again from its own sub-group. */
    if (base && str_ends(base, "/agent"))
        base[strlen(base) - strlen("/agent")] = '\0';
    const char *why = base ? try_base(base) : "no cgroup v2";
    if (!why) {
        a->cgroup_base = base;
        strv_push(&a->notes, "memory: cgroup v2");
        return;
    }
    free(base);
    strv_push_take(&a->notes, xasprintf("memory: RSS every 250 ms (%s)", why));
}

char *cgroup_make(struct agent *a, const char *name, uint64_t mem_mib)
{
    char *dir = xasprintf("%s/stoker-%s", a->cgroup_base, name), bytes[32];
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)mem_mib << 20);
    bool made = mkdir(dir, 0755) == 0;
    if (made && put(dir, "memory.max", bytes) == 0 && holds_word(dir, "memory.max", bytes) &&
        put(dir, "memory.oom.group", "1") == 0) {
        put(dir, "memory.swap.max", "0"); /* not everywhere accounted */
        return dir;
    }
    log_warn("task=%s no memory limit by a control group: %s", name, strerror(errno));
    if (made)
        rmdir(dir);
    free(dir);
    return NULL;
}

void cgroup_remove(const char *path)
{
    if (path && rmdir(path) < 0 && errno == EBUSY) {
        put(path, "cgroup.kill", "1");
        rmdir(path);
    }
}
