#include "backend/node/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/task/proc.h"
#include "src/base/idmap.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

#define PROBE_MIB 64
#define PIDS_MIN  4096

struct cgroups {
    char *memory;        /* below it tasks may have groups for their memory; NULL: none */
    int memory_version;  /* of that hierarchy: 1 or 2 */
    bool pids_in_memory; /* v2: the same group bounds the number of processes */
    char *pids;          /* v1; NULL: none */
    uint64_t pids_max;
    char prefix[24]; /* of the names of this agent's groups */
};

int cgroup_put(const char *dir, const char *file, const char *text)
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

static bool cgroup_holds_word(const char *dir, const char *file, const char *word)
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

static int cgroup_put_number(const char *dir, const char *file, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    int r = cgroup_put(dir, file, text);
    return r < 0 ? r : cgroup_holds_word(dir, file, text) ? 0 : -EIO;
}

/* --- where --- */

/* The path of this process in a hierarchy: lines are "NUMBER:CONTROLLERS:PATH", v2's "0::PATH". */
static char *cgroup_path_in(const char *groups, const char *controller)
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
static bool cgroup_is_mount(const char *line, const char *controller, char root[static 1024],
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

char *cgroup_own(const char *controller)
{
    char *mounts = xmalloc(256u << 10), groups[8192], root[1024], point[1024];
    char *dir = NULL, *path = NULL;
    if (proc_read_file("/proc/self/mountinfo", mounts, 256u << 10) > 0 &&
        proc_read_file("/proc/self/cgroup", groups, sizeof groups) > 0)
        path = cgroup_path_in(groups, controller);
    struct strv lines = path ? strv_split(mounts, "\n") : (struct strv){0};
    for (size_t i = 0; i < lines.n && !dir; i++) {
        if (!cgroup_is_mount(lines.v[i], controller, root, point))
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
    free(mounts);
    free(path);
    /* An agent that is started again from its own sub-group. */
    if (dir && !controller && str_ends(dir, "/agent"))
        dir[strlen(dir) - strlen("/agent")] = '\0';
    return dir;
}

/* --- limits --- */

static int cgroup_limit_memory(const char *dir, int version, uint64_t mib)
{
    if (version == 1) {
        int r = cgroup_put_number(dir, "memory.limit_in_bytes", mib << 20);
        cgroup_put(dir, "memory.swappiness", "0");
        if (r == 0)
            cgroup_put_number(dir, "memory.memsw.limit_in_bytes", mib << 20); /* not everywhere accounted */
        return r;
    }
    int r = cgroup_put_number(dir, "memory.max", mib << 20);
    if (r == 0)
        r = cgroup_put(dir, "memory.oom.group", "1");
    if (r == 0)
        cgroup_put(dir, "memory.swap.max", "0"); /* not everywhere accounted */
    return r;
}

/* Whether a process that is put into the group is there then. */
static bool cgroup_takes_processes(const char *dir)
{
    char text[32], path[64], groups[8192];
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
        there = cgroup_put(dir, "cgroup.procs", text) == 0 &&
                cgroup_holds_word(dir, "cgroup.procs", text) &&
                proc_read_file(path, groups, sizeof groups) > 0 && strstr(groups, name) != NULL;
    }
    close(hold[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return there;
}

/* A group with a limit of the kind, tried from its making to its removal. Returns why not, or NULL. */
static const char *cgroup_try_group(const char *base, int (*limit)(const char *dir, int version),
                                    int version)
{
    char *dir = xasprintf("%s/stoker-probe-%d", base, (int)getpid());
    const char *why = NULL;
    if (mkdir(dir, 0755) < 0)
        why = "its control group is not delegated to it";
    else if (limit(dir, version) < 0)
        why = "limits that are set in its control group do not stay";
    else if (!cgroup_takes_processes(dir))
        why = "no process can be moved in its control group";
    cgroup_remove(dir);
    free(dir);
    return why;
}

static int cgroup_probe_memory_limit(const char *dir, int version)
{
    return cgroup_limit_memory(dir, version, PROBE_MIB);
}

static int cgroup_probe_pids_limit(const char *dir, int version)
{
    (void)version;
    return cgroup_put_number(dir, "pids.max", PIDS_MIN);
}

/* --- start --- */

/* Passes controllers on to sub-groups, which needs this process out of the way. */
static const char *cgroup_divide(const char *base)
{
    if (!cgroup_holds_word(base, "cgroup.controllers", "memory"))
        return "no cgroup v2 with a memory controller";
    char *sub = xasprintf("%s/agent", base);
    const char *why = NULL;
    if (mkdir(sub, 0755) < 0 && errno != EEXIST)
        why = "its control group is not delegated to it";
    else if (cgroup_put(sub, "cgroup.procs", "0") < 0)
        why = "it cannot move to a control group of its own";
    else if (!cgroup_holds_word(base, "cgroup.subtree_control", "memory") &&
             (cgroup_put(base, "cgroup.subtree_control", "+memory") < 0 ||
              !cgroup_holds_word(base, "cgroup.subtree_control", "memory")))
        why = "the memory controller cannot be passed on to tasks";
    else
        why = cgroup_try_group(base, cgroup_probe_memory_limit, 2);
    if (why) {
        cgroup_put(base, "cgroup.procs", "0");
        rmdir(sub);
    }
    free(sub);
    return why;
}

/* TOP/stoker, able to pass memory limits on; NULL where there is none. Systemd lets such groups be. */
static char *cgroup_make_top_group(const char *own)
{
    char groups[8192];
    char *path = proc_read_file("/proc/self/cgroup", groups, sizeof groups) > 0
                     ? cgroup_path_in(groups, NULL)
                     : NULL;
    char *top = NULL, *base = NULL;
    if (path && strcmp(path, "/") != 0 && str_ends(own, path))
        top = xstrndup(own, strlen(own) - strlen(path));
    if (top && cgroup_holds_word(top, "cgroup.controllers", "memory")) {
        base = xasprintf("%s/stoker", top);
        cgroup_put(top, "cgroup.subtree_control", "+memory +pids");
        if ((mkdir(base, 0755) < 0 && errno != EEXIST) || cgroup_divide(base)) {
            rmdir(base);
            free(base);
            base = NULL;
        }
    }
    free(top);
    free(path);
    return base;
}

/* How many processes and threads a task may be where the policy says nothing: a quarter of what the machine
 * can have. */
static uint64_t cgroup_pids_default(void)
{
    char text[64];
    unsigned long long least = 0, n;
    static const char *const files[] = {"/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"};
    for (size_t i = 0; i < 2; i++)
        if (proc_read_file(files[i], text, sizeof text) > 0 && sscanf(text, "%llu", &n) == 1 &&
            (!least || n < least))
            least = n;
    return least / 4 > PIDS_MIN ? least / 4 : PIDS_MIN;
}

static void cgroups_find_memory(struct cgroups *c, struct strv *notes)
{
    char *v2 = cgroup_own(NULL), *v1 = cgroup_own("memory");
    const char *why = v2 ? cgroup_divide(v2) : "no cgroup v2";
    if (why && v2 && geteuid() == 0) {
        char *top = cgroup_make_top_group(v2);
        if (top) {
            free(v2);
            v2 = top;
            why = NULL;
        }
    }
    if (!why) {
        c->memory = v2;
        c->memory_version = 2;
        strv_push(notes, "memory: cgroup v2");
        free(v1);
        return;
    }
    free(v2);
    /* The kind that is there is the one to be told about. */
    const char *why_1 = v1 ? cgroup_try_group(v1, cgroup_probe_memory_limit, 1) : NULL;
    if (v1 && !why_1) {
        c->memory = v1;
        c->memory_version = 1;
        strv_push(notes, "memory: cgroup v1");
        return;
    }
    free(v1);
    strv_push_take(notes, xasprintf("memory: RSS every 250 ms (%s)", why_1 ? why_1 : why));
}

static void cgroups_find_pids(struct cgroups *c, struct strv *notes)
{
    if (c->memory_version == 2 && (cgroup_holds_word(c->memory, "cgroup.subtree_control", "pids") ||
                                   cgroup_put(c->memory, "cgroup.subtree_control", "+pids") == 0)) {
        c->pids_in_memory = true;
        c->pids_max = c->pids_max ? c->pids_max : cgroup_pids_default();
        return;
    }
    if (!c->pids_max)
        return;
    char *v1 = cgroup_own("pids");
    const char *why = v1 ? cgroup_try_group(v1, cgroup_probe_pids_limit, 1) : "no pids controller";
    if (!why) {
        c->pids = v1;
        return;
    }
    free(v1);
    strv_push_take(notes, xasprintf("processes of a task are not bounded (%s)", why));
}

/* What an earlier agent could not remove any more. One that holds processes stays. */
static void cgroup_remove_empty(const char *base, const char *prefix)
{
    DIR *d = base ? opendir(base) : NULL;
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
            unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
    closedir(d);
}

struct cgroups *cgroups_new(const char *agent_dir, uint64_t max_processes, struct strv *notes)
{
    struct cgroups *c = xcalloc(1, sizeof *c);
    /* Agents of several nodes and clusters may have the same group. */
    snprintf(c->prefix, sizeof c->prefix, "stoker-%08x-",
             (unsigned)hash_bytes(agent_dir, strlen(agent_dir)));
    c->pids_max = max_processes;
    cgroups_find_memory(c, notes);
    cgroups_find_pids(c, notes);
    cgroup_remove_empty(c->memory, c->prefix);
    cgroup_remove_empty(c->pids, c->prefix);
    return c;
}

void cgroups_free(struct cgroups *c)
{
    if (!c)
        return;
    free(c->memory);
    free(c->pids);
    free(c);
}

int cgroups_memory_version(const struct cgroups *c)
{
    return c->memory_version;
}

/* --- of a task --- */

char *cgroups_path(const struct cgroups *c, const char *base, const char *task)
{
    return base ? xasprintf("%s/%s%s", base, c->prefix, task) : NULL;
}

static char *cgroups_make_one(const struct cgroups *c, const char *base, const char *task, uint64_t mem_mib,
                              bool pids)
{
    char *dir = cgroups_path(c, base, task);
    int r = mkdir(dir, 0755) < 0 ? -errno : 0;
    bool made = r == 0;
    if (r == 0 && mem_mib)
        r = cgroup_limit_memory(dir, c->memory_version, mem_mib);
    if (r == 0 && pids)
        r = cgroup_put_number(dir, "pids.max", c->pids_max);
    if (r == 0)
        return dir;
    log_warn("task=%s no limit by a control group: %s", task, strerror(-r));
    if (made)
        rmdir(dir);
    free(dir);
    return NULL;
}

void cgroups_make(const struct cgroups *c, const char *task, uint64_t mem_mib, bool bound_processes,
                  char **ret_memory, char **ret_pids)
{
    *ret_memory = *ret_pids = NULL;
    if (c->memory && (mem_mib || (c->pids_in_memory && bound_processes)))
        *ret_memory = cgroups_make_one(c, c->memory, task, mem_mib, c->pids_in_memory);
    if (c->pids)
        *ret_pids = cgroups_make_one(c, c->pids, task, 0, true);
}

void cgroup_remove(const char *path)
{
    if (path && rmdir(path) < 0 && errno == EBUSY) {
        cgroup_put(path, "cgroup.kill", "1");
        rmdir(path);
    }
}

void cgroups_remove_below(const struct cgroups *c, const char *base, const char *task)
{
    char *dir = cgroups_path(c, base, task);
    cgroup_remove(dir);
    free(dir);
}

void cgroups_remove(const struct cgroups *c, const char *task)
{
    cgroups_remove_below(c, c->memory, task);
    cgroups_remove_below(c, c->pids, task);
}

/* --- what a task uses --- */

static bool cgroup_read_number(const char *dir, const char *file, const char *word, uint64_t *ret)
{
    char buf[8192];
    char *path = xasprintf("%s/%s", dir, file);
    ssize_t n = proc_read_file(path, buf, sizeof buf);
    free(path);
    const char *p = n <= 0 ? NULL : word ? strstr(buf, word) : buf;
    unsigned long long v;
    if (!p || sscanf(p + (word ? strlen(word) : 0), "%llu", &v) != 1)
        return false;
    *ret = v;
    return true;
}

uint64_t cgroups_memory_kib(const struct cgroups *c, const char *task)
{
    bool v1 = c->memory_version == 1;
    char *dir = cgroups_path(c, c->memory, task);
    uint64_t bytes = 0, files = 0;
    bool there =
        dir && cgroup_read_number(dir, v1 ? "memory.usage_in_bytes" : "memory.current", NULL, &bytes);
    if (there)
        cgroup_read_number(dir, "memory.stat", v1 ? "\ntotal_inactive_file " : "\ninactive_file ", &files);
    free(dir);
    return !there ? 0 : (bytes > files ? bytes - files : 0) / 1024;
}
