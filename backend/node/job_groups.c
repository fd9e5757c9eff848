#include "backend/node/job_groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/node/cgroup_fs.h"
#include "backend/task/proc.h"
#include "src/base/idmap.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define PIDS_MIN      4096
#define CPU_PERIOD_US 100000
#define SUPERVISORS   "supervisors"
#define TASKS         "tasks"

struct job_groups {
    struct cgroup_trees trees;
    struct cgroup_tree devices; /* base NULL: they are not closed; may be one of trees, its base then */
    uint64_t pids_default;
    char *cpuset_mems; /* v1: of the group above those of jobs, which they need too; NULL: no such tree */
    char prefix[24];   /* of the names of this agent's groups */
};

/* How many processes and threads a job may be where the policy says nothing: a quarter of what the machine
 * can have. */
static uint64_t job_groups_pids_default(void)
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

struct job_groups *job_groups_new(const char *agent_dir, struct cgroup_trees *trees)
{
    struct job_groups *g = xcalloc(1, sizeof *g);
    snprintf(g->prefix, sizeof g->prefix, "stoker-%08x-",
             (unsigned)hash_bytes(agent_dir, strlen(agent_dir)));
    g->pids_default = job_groups_pids_default();
    g->trees = *trees;
    *trees = (struct cgroup_trees){0};
    const struct cgroup_tree *cpus = cgroup_trees_of(&g->trees, BOUND_CPUS);
    g->cpuset_mems = cpus && cpus->version == 1 ? cgroup_fs_line(cpus->base, "cpuset.mems") : NULL;
    return g;
}

void job_groups_free(struct job_groups *g)
{
    if (!g)
        return;
    cgroup_trees_fini(&g->trees);
    free(g->devices.base);
    free(g->cpuset_mems);
    free(g);
}

static const struct cgroup_tree *job_groups_v2(const struct job_groups *g)
{
    for (size_t i = 0; i < g->trees.n; i++)
        if (g->trees.v[i].version == 2)
            return &g->trees.v[i];
    return NULL;
}

/* Whether the tree of the devices is one for them alone. */
static bool job_groups_devices_apart(const struct job_groups *g)
{
    return g->devices.base && !(g->devices.version == 2 && job_groups_v2(g));
}

static char *job_groups_dir(const struct job_groups *g, const struct cgroup_tree *tree, const char *job)
{
    return xasprintf("%s/%s%s", tree->base, g->prefix, job);
}

/* The groups of tasks lie directly in that of the job in v1. */
static char *job_groups_task_dir(const struct job_groups *g, const struct cgroup_tree *tree,
                                 const char *job, const char *task)
{
    return xasprintf("%s/%s%s/%s%s", tree->base, g->prefix, job, tree->version == 2 ? TASKS "/" : "", task);
}

/* --- devices --- */

const char *job_groups_close_devices(struct job_groups *g, int *ret_version)
{
    const struct cgroup_tree *v2 = job_groups_v2(g);
    const char *why = "no control groups for devices";
    for (int version = 2; version > 0; version--) {
        char *base =
            version == 2 && v2 ? xstrdup(v2->base) : cgroup_fs_own(version == 1 ? "devices" : NULL);
        int r = base ? device_rule_try(base, version) : -ENOENT;
        if (r == 0) {
            g->devices = (struct cgroup_tree){.base = base, .version = version};
            *ret_version = version;
            return NULL;
        }
        why = base ? strerror(-r) : why;
        free(base);
    }
    return why;
}

/* --- making --- */

/* A limit of a kind that has been tried when the agent started: it is not read back again. */
static int job_groups_put(const char *dir, const char *file, uint64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return cgroup_fs_put(dir, file, text);
}

static int job_groups_limit_memory(const char *dir, int version, uint64_t mib)
{
    if (version == 1) {
        cgroup_fs_put(dir, "memory.use_hierarchy", "1"); /* kernels before 5.11 */
        int r = job_groups_put(dir, "memory.limit_in_bytes", mib << 20);
        cgroup_fs_put(dir, "memory.swappiness", "0");
        if (r == 0)
            job_groups_put(dir, "memory.memsw.limit_in_bytes", mib << 20); /* not everywhere accounted */
        return r;
    }
    int r = job_groups_put(dir, "memory.max", mib << 20);
    if (r == 0)
        cgroup_fs_put(dir, "memory.swap.max", "0"); /* not everywhere accounted */
    return r;
}

static int job_groups_limit_cpus(const struct job_groups *g, const char *dir, int version,
                                 const struct cpuset *cpus)
{
    char *text = cpuset_format(cpus);
    int r = 0;
    if (version == 1) {
        cgroup_fs_put(dir, "cpuset.sched_load_balance", "0"); /* else each group is a domain to be built */
        r = g->cpuset_mems ? cgroup_fs_put(dir, "cpuset.mems", g->cpuset_mems) : -EIO;
    }
    if (r == 0)
        r = cgroup_fs_put(dir, "cpuset.cpus", text);
    free(text);
    return r;
}

static int job_groups_limit_cpu_time(const char *dir, int version, unsigned n_cpus)
{
    char text[48];
    if (version == 1)
        return job_groups_put(dir, "cpu.cfs_quota_us", (uint64_t)n_cpus * CPU_PERIOD_US);
    snprintf(text, sizeof text, "%llu %d", (unsigned long long)n_cpus * CPU_PERIOD_US, CPU_PERIOD_US);
    return cgroup_fs_put(dir, "cpu.max", text);
}

/* What of the bounds is kept by a group of the job in this tree. */
static unsigned job_groups_wanted(const struct cgroup_tree *tree, const struct job_bounds *b,
                                  uint64_t task_mem_mib)
{
    unsigned want = tree->bounds;
    if (cpuset_is_empty(&b->cpus))
        want &= ~(unsigned)(BOUND_CPUS | BOUND_CPU_TIME);
    if (!b->mem_mib && !task_mem_mib && tree->version == 1)
        want &= ~(unsigned)BOUND_MEMORY;
    return want;
}

static int job_groups_limit_own(const struct job_groups *g, const char *dir, const struct cgroup_tree *tree,
                                unsigned want, const struct job_bounds *b)
{
    int r = 0;
    if (want & BOUND_CPUS)
        r = job_groups_limit_cpus(g, dir, tree->version, &b->cpus);
    if (r == 0 && (want & BOUND_CPU_TIME))
        r = job_groups_limit_cpu_time(dir, tree->version, cpuset_count(&b->cpus));
    return r;
}

static int job_groups_limit_tasks(const struct job_groups *g, const char *dir,
                                  const struct cgroup_tree *tree, unsigned want, const struct job_bounds *b)
{
    int r = 0;
    if ((want & BOUND_MEMORY) && b->mem_mib)
        r = job_groups_limit_memory(dir, tree->version, b->mem_mib);
    if (r == 0 && (want & BOUND_PIDS))
        r = job_groups_put(dir, "pids.max", b->processes ? b->processes : g->pids_default);
    return r;
}

/* Passes on what the groups below dir need. */
static int job_groups_pass_on(const char *dir, unsigned bounds, bool pids)
{
    int r = 0;
    if (bounds & BOUND_MEMORY)
        r = cgroup_fs_put(dir, "cgroup.subtree_control", "+memory");
    if (r == 0 && pids && (bounds & BOUND_PIDS))
        r = cgroup_fs_put(dir, "cgroup.subtree_control", "+pids");
    return r;
}

/* A new group of a v2 job with those that it is divided into. */
static int job_groups_divide(const struct job_groups *g, const char *dir, const struct cgroup_tree *tree,
                             unsigned want, const struct job_bounds *b)
{
    char *tasks = xasprintf("%s/" TASKS, dir), *supervisors = xasprintf("%s/" SUPERVISORS, dir);
    int r = job_groups_pass_on(dir, tree->bounds, true);
    if (r == 0 &&
        ((mkdir(tasks, 0755) < 0 && errno != EEXIST) || (mkdir(supervisors, 0755) < 0 && errno != EEXIST)))
        r = -errno;
    if (r == 0)
        r = job_groups_limit_tasks(g, tasks, tree, want, b);
    if (r == 0)
        r = job_groups_pass_on(tasks, tree->bounds, false);
    if (r < 0) {
        rmdir(tasks);
        rmdir(supervisors);
    }
    free(tasks);
    free(supervisors);
    return r;
}

/* Of a v2 job whose last supervisor has not gone yet the group of its tasks may be missing again. */
static bool job_groups_is_whole(const char *dir, const struct cgroup_tree *tree)
{
    char *tasks = xasprintf("%s/" TASKS, dir);
    bool whole = tree->version == 1 || access(tasks, F_OK) == 0;
    free(tasks);
    return whole;
}

/* 0 where it is there, with its limits: it gets them before anything can enter it. */
static int job_groups_make_job(const struct job_groups *g, const char *dir, const struct cgroup_tree *tree,
                               unsigned want, const struct job_bounds *b)
{
    bool is_new = mkdir(dir, 0755) == 0;
    if (!is_new && errno != EEXIST)
        return -errno;
    if (!is_new && job_groups_is_whole(dir, tree))
        return 0;
    int r = job_groups_limit_own(g, dir, tree, want, b);
    if (r == 0)
        r = tree->version == 2 ? job_groups_divide(g, dir, tree, want, b)
                               : job_groups_limit_tasks(g, dir, tree, want, b);
    if (r == 0 && is_new && tree->version == 2 && g->devices.base && !job_groups_devices_apart(g) &&
        device_rule_close(&b->devices, dir, 2) < 0)
        log_warn("job=%s GPUs of other jobs are not closed to it", strrchr(dir, '-') + 1);
    if (r < 0)
        rmdir(dir);
    return r;
}

/* The group of a task that keeps its memory, and in v2 all else. */
static int job_groups_make_task(const char *dir, const struct cgroup_tree *tree, const struct job_bounds *b,
                                uint64_t mem_mib)
{
    if (mkdir(dir, 0755) < 0 && errno != EEXIST)
        return -errno;
    int r = 0;
    if ((tree->bounds & BOUND_MEMORY) && tree->version == 2)
        r = cgroup_fs_put(dir, "memory.oom.group", "1");
    if (r == 0 && (tree->bounds & BOUND_MEMORY) && mem_mib && (!b->mem_mib || mem_mib < b->mem_mib))
        r = job_groups_limit_memory(dir, tree->version, mem_mib);
    if (r < 0)
        rmdir(dir);
    return r;
}

static int job_groups_make_in(const struct job_groups *g, const struct cgroup_tree *tree, const char *job,
                              const struct job_bounds *b, const char *task, uint64_t mem_mib,
                              struct task_groups *ret)
{
    unsigned want = job_groups_wanted(tree, b, mem_mib);
    if (!want)
        return 0;
    char *dir = job_groups_dir(g, tree, job), *leaf = job_groups_task_dir(g, tree, job, task);
    bool has_leaf = tree->version == 2 || (want & BOUND_MEMORY);
    int r = job_groups_make_job(g, dir, tree, want, b);
    if (r == 0 && has_leaf)
        r = job_groups_make_task(leaf, tree, b, mem_mib);
    if (r == 0 && (want & BOUND_MEMORY)) {
        ret->memory = xstrdup(leaf);
        ret->memory_is_v1 = tree->version == 1;
    }
    if (r == 0 && tree->version == 2) {
        ret->task = xstrdup(leaf);
        ret->supervisor = xasprintf("%s/" SUPERVISORS, dir);
    } else if (r == 0 && (want & BOUND_PIDS)) {
        ret->pids = xstrdup(dir);
    } else if (r == 0 && (want & (BOUND_CPUS | BOUND_CPU_TIME))) {
        strv_push(&ret->inherited, dir);
    }
    free(dir);
    free(leaf);
    return r;
}

/* In a group for the devices alone, which the supervisor enters. */
static int job_groups_make_devices(const struct job_groups *g, const char *job, const struct job_bounds *b,
                                   struct task_groups *ret)
{
    if (!job_groups_devices_apart(g) || !b->devices.n)
        return 0;
    char *dir = job_groups_dir(g, &g->devices, job);
    int r = mkdir(dir, 0755) < 0 ? -errno : device_rule_close(&b->devices, dir, g->devices.version);
    if (r < 0 && r != -EEXIST)
        rmdir(dir);
    r = r == -EEXIST ? 0 : r;
    if (r == 0 && g->devices.version == 2)
        ret->supervisor = xstrdup(dir);
    else if (r == 0)
        strv_push(&ret->inherited, dir);
    free(dir);
    return r;
}

void job_groups_make(const struct job_groups *g, const char *job, const struct job_bounds *bounds,
                     const char *task, uint64_t task_mem_mib, struct task_groups *ret)
{
    *ret = (struct task_groups){0};
    for (size_t i = 0; i < g->trees.n; i++) {
        int r = job_groups_make_in(g, &g->trees.v[i], job, bounds, task, task_mem_mib, ret);
        if (r < 0)
            log_warn("job=%s task=%s no limit by a control group in %s: %s", job, task, g->trees.v[i].base,
                     strerror(-r));
    }
    int r = job_groups_make_devices(g, job, bounds, ret);
    if (r < 0)
        log_warn("job=%s GPUs of other jobs are not closed to it: %s", job, strerror(-r));
}

void task_groups_fini(struct task_groups *t)
{
    free(t->memory);
    free(t->task);
    free(t->supervisor);
    free(t->pids);
    strv_fini(&t->inherited);
    *t = (struct task_groups){0};
}

bool task_groups_are_empty(const struct task_groups *t)
{
    return !t->memory && !t->task && !t->supervisor && !t->pids && !t->inherited.n;
}

/* --- use, end --- */

uint64_t job_groups_memory_kib(const struct job_groups *g, const char *job, const char *task)
{
    const struct cgroup_tree *tree = cgroup_trees_of(&g->trees, BOUND_MEMORY);
    if (!tree)
        return 0;
    bool v1 = tree->version == 1;
    char *dir = job_groups_task_dir(g, tree, job, task);
    uint64_t bytes = 0, files = 0;
    bool there = cgroup_fs_number(dir, v1 ? "memory.usage_in_bytes" : "memory.current", NULL, &bytes);
    if (there)
        cgroup_fs_number(dir, "memory.stat", v1 ? "\ntotal_inactive_file " : "\ninactive_file ", &files);
    free(dir);
    return !there ? 0 : (bytes > files ? bytes - files : 0) / 1024;
}

/* For each group directly below dir. */
static void job_groups_each_below(const char *dir, void (*fn)(const char *group))
{
    DIR *d = opendir(dir);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_type != DT_DIR || e->d_name[0] == '.')
            continue;
        char *group = xasprintf("%s/%s", dir, e->d_name);
        fn(group);
        free(group);
    }
    closedir(d);
}

static void job_groups_remove_group(const char *group)
{
    cgroup_fs_remove(group);
}

/* The directory in whose groups only processes of tasks are; NULL: none in this tree. */
static char *job_groups_tasks_dir(const struct job_groups *g, const struct cgroup_tree *tree,
                                  const char *job)
{
    if (tree->version == 2)
        return xasprintf("%s/%s%s/" TASKS, tree->base, g->prefix, job);
    return tree->bounds & (BOUND_MEMORY | BOUND_PIDS) ? job_groups_dir(g, tree, job) : NULL;
}

void job_groups_kill(const struct job_groups *g, const char *job, const char *task)
{
    for (size_t i = 0; i < g->trees.n; i++) {
        const struct cgroup_tree *tree = &g->trees.v[i];
        char *dir = task ? job_groups_task_dir(g, tree, job, task) : job_groups_tasks_dir(g, tree, job);
        if (dir && access(dir, F_OK) == 0) {
            if (!task)
                job_groups_each_below(dir, cgroup_fs_kill);
            cgroup_fs_kill(dir);
        }
        free(dir);
    }
}

void job_groups_remove_task(const struct job_groups *g, const char *job, const char *task)
{
    for (size_t i = 0; i < g->trees.n; i++) {
        const struct cgroup_tree *tree = &g->trees.v[i];
        if (tree->version == 1 && !(tree->bounds & BOUND_MEMORY))
            continue;
        char *leaf = job_groups_task_dir(g, tree, job, task);
        cgroup_fs_remove(leaf);
        free(leaf);
    }
}

/* The kernel lets nothing go that is in use. */
static bool job_groups_remove_in(const struct job_groups *g, const struct cgroup_tree *tree,
                                 const char *job)
{
    char *dir = job_groups_dir(g, tree, job), *tasks = job_groups_tasks_dir(g, tree, job);
    bool gone = cgroup_fs_remove(dir);
    if (!gone && tasks)
        job_groups_each_below(tasks, job_groups_remove_group);
    if (!gone && tree->version == 2) {
        char *supervisors = xasprintf("%s/" SUPERVISORS, dir);
        gone = cgroup_fs_remove(tasks) && cgroup_fs_remove(supervisors);
        free(supervisors);
    }
    gone = gone && tree->version == 1 ? gone : cgroup_fs_remove(dir);
    free(tasks);
    free(dir);
    return gone;
}

bool job_groups_remove(const struct job_groups *g, const char *job)
{
    bool gone = true;
    for (size_t i = 0; i < g->trees.n; i++)
        gone = job_groups_remove_in(g, &g->trees.v[i], job) && gone;
    if (job_groups_devices_apart(g)) {
        char *dir = job_groups_dir(g, &g->devices, job);
        gone = cgroup_fs_remove(dir) && gone;
        free(dir);
    }
    return gone;
}

static void job_groups_list_in(const struct job_groups *g, const char *base, struct strv *jobs)
{
    DIR *d = opendir(base);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));)
        if (str_starts(e->d_name, g->prefix) && !strv_has(jobs, e->d_name + strlen(g->prefix)))
            strv_push(jobs, e->d_name + strlen(g->prefix));
    closedir(d);
}

void job_groups_list(const struct job_groups *g, struct strv *ret_jobs)
{
    *ret_jobs = (struct strv){0};
    for (size_t i = 0; i < g->trees.n; i++)
        job_groups_list_in(g, g->trees.v[i].base, ret_jobs);
    if (job_groups_devices_apart(g))
        job_groups_list_in(g, g->devices.base, ret_jobs);
}
