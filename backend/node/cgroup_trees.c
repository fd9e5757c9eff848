#include "backend/node/cgroup_trees.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/node/cgroup_fs.h"
#include "src/base/xalloc.h"
#include "src/model/nodestate.h"

#define PROBE_MIB  64
#define PROBE_PIDS 4096

/* In the order in which they are told. */
static const struct bound_kind {
    enum cgroup_bound bound;
    const char *controller, *name;
} bound_kinds[] = {
    {BOUND_MEMORY, "memory", "memory"},
    {BOUND_CPUS, "cpuset", "CPUs"},
    {BOUND_CPU_TIME, "cpu", "CPU time"},
    {BOUND_PIDS, "pids", "processes"},
};
#define N_BOUNDS (sizeof bound_kinds / sizeof bound_kinds[0])

const struct cgroup_tree *cgroup_trees_of(const struct cgroup_trees *t, enum cgroup_bound bound)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].bounds & bound)
            return &t->v[i];
    return NULL;
}

void cgroup_trees_fini(struct cgroup_trees *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].base);
    *t = (struct cgroup_trees){0};
}

/* --- trying --- */

static bool trees_limit_stays(const char *dir, int version, enum cgroup_bound bound)
{
    char *cpus = NULL, *mems = NULL;
    bool ok = false;
    switch (bound) {
    case BOUND_MEMORY:
        ok = cgroup_fs_put_number(dir, version == 1 ? "memory.limit_in_bytes" : "memory.max",
                                  (uint64_t)PROBE_MIB << 20) == 0 &&
             (version == 1 || cgroup_fs_put(dir, "memory.oom.group", "1") == 0);
        break;
    case BOUND_PIDS: ok = cgroup_fs_put_number(dir, "pids.max", PROBE_PIDS) == 0; break;
    case BOUND_CPUS:
        cpus = cgroup_fs_line(dir, version == 1 ? "../cpuset.cpus" : "../cpuset.cpus.effective");
        mems = cgroup_fs_line(dir, version == 1 ? "../cpuset.mems" : "../cpuset.mems.effective");
        ok = cpus && mems && cgroup_fs_put(dir, "cpuset.mems", mems) == 0 &&
             cgroup_fs_put(dir, "cpuset.cpus", cpus) == 0;
        break;
    case BOUND_CPU_TIME:
        ok = version == 1 ? cgroup_fs_put_number(dir, "cpu.cfs_quota_us", 100000) == 0
                          : cgroup_fs_put(dir, "cpu.max", "100000 100000") == 0;
        break;
    }
    free(cpus);
    free(mems);
    return ok;
}

/* A group with limits of the kinds, tried from its making to its removal. Those whose limits stay; 0 with
 * *ret_why where there are none. */
static unsigned trees_try(const char *base, int version, unsigned bounds, const char **ret_why)
{
    char *dir = xasprintf("%s/stoker-probe-%d", base, (int)getpid());
    unsigned works = 0;
    *ret_why = "limits that are set in its control group do not stay";
    if (mkdir(dir, 0755) < 0) {
        *ret_why = "its control group is not delegated to it";
        free(dir);
        return 0;
    }
    for (size_t i = 0; i < N_BOUNDS; i++)
        if ((bounds & bound_kinds[i].bound) && trees_limit_stays(dir, version, bound_kinds[i].bound))
            works |= bound_kinds[i].bound;
    if (works && !cgroup_fs_takes_processes(dir)) {
        *ret_why = "no process can be moved in its control group";
        works = 0;
    }
    cgroup_fs_remove(dir);
    free(dir);
    return works;
}

/* --- v2 --- */

/* Which CPUs says more than how many, and a process enters such a group faster. */
static unsigned trees_prefer_cpus(unsigned bounds)
{
    return bounds & BOUND_CPUS ? bounds & ~(unsigned)BOUND_CPU_TIME : bounds;
}

/* The controllers that base passes on, those that it can being told to. */
static unsigned trees_pass_on(const char *base)
{
    unsigned passed = 0;
    for (size_t i = 0; i < N_BOUNDS; i++) {
        const char *name = bound_kinds[i].controller;
        char word[16];
        snprintf(word, sizeof word, "+%s", name);
        if (trees_prefer_cpus(passed | bound_kinds[i].bound) == passed ||
            !cgroup_fs_has_word(base, "cgroup.controllers", name))
            continue;
        if (cgroup_fs_has_word(base, "cgroup.subtree_control", name) ||
            (cgroup_fs_put(base, "cgroup.subtree_control", word) == 0 &&
             cgroup_fs_has_word(base, "cgroup.subtree_control", name)))
            passed |= bound_kinds[i].bound;
    }
    return passed;
}

/* Passes controllers on to sub-groups, which needs this process out of the way. The bounds that then work;
 * 0 with *ret_why, and all is as it was. */
static unsigned trees_divide(const char *base, const char **ret_why)
{
    char *sub = xasprintf("%s/agent", base);
    unsigned works = 0;
    if (!cgroup_fs_has_word(base, "cgroup.controllers", "memory") &&
        !cgroup_fs_has_word(base, "cgroup.controllers", "pids")) {
        *ret_why = "no cgroup v2 with a memory controller";
        free(sub);
        return 0;
    }
    if (mkdir(sub, 0755) < 0 && errno != EEXIST) {
        *ret_why = "its control group is not delegated to it";
    } else if (cgroup_fs_put(sub, "cgroup.procs", "0") < 0) {
        *ret_why = "it cannot move to a control group of its own";
    } else {
        unsigned passed = trees_pass_on(base);
        *ret_why = "the memory controller cannot be passed on to tasks";
        works = passed ? trees_try(base, 2, passed, ret_why) : 0;
    }
    if (!works) {
        cgroup_fs_put(base, "cgroup.procs", "0");
        rmdir(sub);
    }
    free(sub);
    return works;
}

/* TOP/stoker, able to pass limits on; NULL where there is none. Systemd lets such groups be. */
static char *trees_make_top_group(const char *own, unsigned *ret_works)
{
    char *path = cgroup_fs_path();
    char *top = NULL, *base = NULL;
    const char *why;
    *ret_works = 0;
    if (path && strcmp(path, "/") != 0 && str_ends(own, path))
        top = xstrndup(own, strlen(own) - strlen(path));
    if (top && cgroup_fs_has_word(top, "cgroup.controllers", "memory")) {
        base = xasprintf("%s/stoker", top);
        trees_pass_on(top);
        if ((mkdir(base, 0755) == 0 || errno == EEXIST))
            *ret_works = trees_divide(base, &why);
        if (!*ret_works) {
            rmdir(base);
            free(base);
            base = NULL;
        }
    }
    free(top);
    free(path);
    return base;
}

static const char *trees_find_v2(struct cgroup_trees *t)
{
    char *base = cgroup_fs_own(NULL);
    const char *why = "no cgroup v2";
    unsigned works = base ? trees_divide(base, &why) : 0;
    if (!works && base && geteuid() == 0) {
        char *top = trees_make_top_group(base, &works);
        if (top) {
            free(base);
            base = top;
        }
    }
    if (!works) {
        free(base);
        return why;
    }
    t->v[t->n++] = (struct cgroup_tree){.base = base, .version = 2, .bounds = works};
    return why;
}

/* --- v1 --- */

/* Returns why not, or NULL if that hierarchy does not exist either. */
static const char *trees_find_v1(struct cgroup_trees *t, const struct bound_kind *k)
{
    char *base = cgroup_fs_own(k->controller);
    const char *why = NULL;
    if (!base)
        return NULL;
    if (t->n < CGROUP_TREES_MAX && trees_try(base, 1, k->bound, &why)) {
        t->v[t->n++] = (struct cgroup_tree){.base = base, .version = 1, .bounds = k->bound};
        return NULL;
    }
    free(base);
    return why;
}

/* --- what is told --- */

static void trees_note_memory(const struct cgroup_trees *t, const char *why, struct strv *notes)
{
    const struct cgroup_tree *memory = cgroup_trees_of(t, BOUND_MEMORY);
    if (memory)
        strv_push_take(notes, xasprintf("memory: cgroup v%d", memory->version));
    else
        strv_push_take(notes, xasprintf("memory: RSS every 250 ms (%s)", why));
}

static void trees_note_containment(const struct cgroup_trees *t, const char *why, struct strv *notes)
{
    struct str kept = STR_INIT, open = STR_INIT;
    int version = 0;
    bool mixed = false;
    for (size_t i = 0; i < N_BOUNDS; i++) {
        const struct bound_kind *k = &bound_kinds[i];
        const struct cgroup_tree *tree = cgroup_trees_of(t, k->bound);
        bool by_time = k->bound == BOUND_CPUS && cgroup_trees_of(t, BOUND_CPU_TIME);
        if (tree) {
            str_appendf(&kept, "%s%s", kept.len ? ", " : "", k->name);
            mixed = mixed || (version && version != tree->version);
            version = tree->version;
        } else if (k->bound != BOUND_CPU_TIME && !by_time) {
            str_appendf(&open, "%s%s", open.len ? ", " : "", k->name);
        }
    }
    if (!kept.len)
        strv_push_take(notes, xasprintf(NOTE_CONTAINMENT "none (%s)", why));
    else
        strv_push_take(notes, xasprintf(NOTE_CONTAINMENT "%s (%s)%s%s", kept.s,
                                        mixed          ? "cgroup v1 and v2"
                                        : version == 1 ? "cgroup v1"
                                                       : "cgroup v2",
                                        open.len ? NOTE_CONTAINMENT_LACKS : "", open.len ? open.s : ""));
    str_fini(&kept);
    str_fini(&open);
}

void cgroup_trees_find(struct cgroup_trees *t, struct strv *notes)
{
    *t = (struct cgroup_trees){0};
    const char *why = trees_find_v2(t), *why_memory = why;
    for (size_t i = 0; i < N_BOUNDS; i++) {
        const struct bound_kind *k = &bound_kinds[i];
        bool covered =
            cgroup_trees_of(t, k->bound) || (k->bound == BOUND_CPU_TIME && cgroup_trees_of(t, BOUND_CPUS));
        const char *why_1 = covered ? NULL : trees_find_v1(t, k);
        /* The kind that is there is the one to be told about. */
        if (why_1 && k->bound == BOUND_MEMORY)
            why_memory = why_1;
    }
    trees_note_memory(t, why_memory, notes);
    trees_note_containment(t, why_memory, notes);
}
