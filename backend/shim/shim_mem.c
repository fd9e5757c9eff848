/* With a group the kernel keeps the limit. A v2 group dies as a whole; of a v1 group the kernel kills one
 * process, which is looked for every MEM_POLL_MS, and the rest is killed here. Without a group the resident
 * sizes are added up as often; before anything is killed the proportional sizes decide, in which a page
 * that ten processes share counts once.
 */
#include "backend/shim/shim_mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backend/shim/shim_files.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_reap.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

void shim_mem_start(struct shim *s)
{
    bool looks = s->l.alloc.mem_mib && (!s->setup.cgroup || s->setup.cgroup_v1);
    s->mem_ms = looks ? s->start_ms + MEM_POLL_MS : INT64_MAX;
}

static const char *mem_step_name(const struct shim *s, char buf[static 48])
{
    if (s->l.key.step == STEP_BATCH)
        snprintf(buf, 48, "%u.batch", s->l.key.job);
    else if (s->l.key.step == STEP_INTERACTIVE)
        snprintf(buf, 48, "%u.interactive", s->l.key.job);
    else
        snprintf(buf, 48, "%u.%d", s->l.key.job, s->l.key.step);
    return buf;
}

static void mem_out_of_memory(struct shim *s, uint64_t kib, const char *how)
{
    char name[48];
    s->oom = true;
    shim_message(s, "out of memory: %llu MiB used, limit %llu MiB (%s)", (unsigned long long)kib / 1024,
                 (unsigned long long)s->l.alloc.mem_mib, how);
    char *line = xasprintf(
        "slurmstepd: error: Detected 1 oom_kill event in StepId=%s. Some of the step tasks have been "
        "OOM Killed.",
        mem_step_name(s, name));
    shim_files_note(s, line);
    free(line);
}

static bool mem_group_number(const struct shim *s, const char *file, const char *word, uint64_t *ret)
{
    char buf[1024];
    char *path = xasprintf("%s/%s", s->setup.cgroup, file);
    ssize_t n = proc_read_file(path, buf, sizeof buf);
    free(path);
    if (n <= 0)
        return false;
    const char *p = buf;
    if (word) {
        p = strstr(buf, word);
        if (!p)
            return false;
        p += strlen(word);
    }
    unsigned long long v;
    if (sscanf(p, "%llu", &v) != 1)
        return false;
    *ret = v;
    return true;
}

/* How many of its processes the kernel has killed for want of memory. */
static uint64_t mem_kernel_kills(const struct shim *s)
{
    uint64_t n;
    const char *file = s->setup.cgroup_v1 ? "memory.oom_control" : "memory.events";
    return s->setup.cgroup && mem_group_number(s, file, "oom_kill ", &n) ? n : 0;
}

static const char *mem_group_name(const struct shim *s)
{
    return s->setup.cgroup_v1 ? "cgroup v1" : "cgroup v2";
}

static void mem_end_it(struct shim *s, uint64_t kib, const char *how)
{
    s->mem_ms = INT64_MAX;
    s->terminating = true;
    shim_kill_round(s);
    mem_out_of_memory(s, kib, how);
}

void shim_mem_look(struct shim *s)
{
    shim_reap(s);
    if (s->mem_ms == INT64_MAX)
        return;
    s->mem_ms = mono_ms() + MEM_POLL_MS;
    if (s->setup.cgroup) {
        if (mem_kernel_kills(s))
            mem_end_it(s, s->l.alloc.mem_mib * 1024, mem_group_name(s));
        return;
    }
    struct proc_list tree = {0};
    shim_kill_tree(s, &tree);
    uint64_t kib = 0, limit = s->l.alloc.mem_mib * 1024;
    for (size_t i = 0; i < tree.n; i++)
        kib += tree.v[i].rss_kib;
    if (kib > limit && tree.n > 1) {
        kib = 0;
        for (size_t i = 0; i < tree.n; i++)
            kib += proc_pss_kib(&tree.v[i]);
    }
    if (kib > s->peak_kib)
        s->peak_kib = kib;
    proc_list_fini(&tree);
    if (kib > limit)
        mem_end_it(s, kib, "RSS every 250 ms");
}

void shim_mem_finish(struct shim *s, struct launch_end *end)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    uint64_t ms = (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
                  (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
    end->cpu_ms = ms - s->used_ms;
    s->used_ms = ms;
    const char *how = "largest process";
    uint64_t bytes;
    const char *peak = s->setup.cgroup_v1 ? "memory.max_usage_in_bytes" : "memory.peak";
    if (s->setup.cgroup && mem_group_number(s, peak, NULL, &bytes)) {
        s->peak_kib = bytes / 1024;
        how = mem_group_name(s);
    } else if (s->peak_kib) {
        how = "RSS every 250 ms";
    }
    /* Between two looks a single process may have been larger than all of them at either. */
    if (s->largest_kib > s->peak_kib)
        s->peak_kib = s->largest_kib;
    if (mem_kernel_kills(s)) {
        uint64_t limit = s->l.alloc.mem_mib * 1024;
        s->peak_kib = s->peak_kib > limit ? s->peak_kib : limit; /* it wanted more than that */
        if (!s->oom)
            mem_out_of_memory(s, s->peak_kib, mem_group_name(s));
    }
    end->peak_rss_kib = s->peak_kib;
    end->sampled = xstrdup(how);
}
