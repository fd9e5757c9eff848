/* jobuse.c - what a job used of what it had asked for. */
#include "src/text/jobuse.h"

#include "src/model/jobeffective.h"
#include "src/values/units.h"

static int percent_of(uint64_t part, uint64_t all)
{
    return all ? (int)(part * 100 / all > 999 ? 999 : part * 100 / all) : -1;
}

/* The task that came nearest to its memory, and the CPU time of all. */
static void look_at_tasks(struct job_use *u, const struct job *j)
{
    double best = -1;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            u->cpu_ms += t->cpu_ms;
            u->cpu_measured = u->cpu_measured || t->cpu_ms;
            if (!t->peak_rss_kib || str_is_empty(t->sampled))
                continue;
            uint64_t mib = t->alloc.mem_mib;
            double share = mib ? (double)t->peak_rss_kib / (double)mib : (double)t->peak_rss_kib * 1e-12;
            if (share <= best)
                continue;
            best = share;
            u->peak_kib = t->peak_rss_kib;
            u->mem_mib = mib;
            u->sampled = t->sampled;
            u->node = t->alloc.node;
        }
}

int step_gpu_percent(const struct step *s)
{
    uint64_t measured_s = 0, busy = 0;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct gpu_use *u = &s->tasks.v[i].gpu_use;
        measured_s += u->measured_s;
        busy += (uint64_t)u->measured_s * u->permille;
    }
    return measured_s ? (int)(busy / measured_s / 10) : -1;
}

struct gpu_sum {
    uint64_t measured_s, busy_s_permille, had_s;
    uint32_t tasks;
};

static void gpu_sum_add(struct gpu_sum *sum, struct job_use *u, const struct task *t, struct wall now)
{
    uint32_t gpus = cpuset_count(&t->alloc.gpus);
    struct wall end = wall_is_set(t->t_end) ? t->t_end : now;
    if (!t->gpu_use.measured_s || !gpus)
        return;
    sum->tasks++;
    sum->measured_s += t->gpu_use.measured_s;
    sum->busy_s_permille += (uint64_t)t->gpu_use.measured_s * t->gpu_use.permille;
    sum->had_s += wall_is_set(t->t_start) ? (uint64_t)wall_elapsed_s(t->t_start, end) * gpus : 0;
    u->gpus_unused = t->gpu_use.unused;
    if (t->gpu_use.peak_mib < u->gpu_peak_mib)
        return;
    u->gpu_peak_mib = t->gpu_use.peak_mib;
    u->gpus = gpus;
}

/* The batch script has the GPUs of its node from beginning to end, and the steps on the node have the same
 * GPUs, which must not count twice. */
static void jobuse_look_at_gpus(struct job_use *u, const struct job *j, struct wall now)
{
    struct gpu_sum sum = {.tasks = 0};
    const struct task *batch = NULL;
    for (size_t i = 0; i < j->steps.n && !batch; i++)
        if (j->steps.v[i].id == STEP_BATCH && j->steps.v[i].tasks.n &&
            j->steps.v[i].tasks.v[0].gpu_use.measured_s)
            batch = &j->steps.v[i].tasks.v[0];
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (!batch || t == batch || !str_eq(t->alloc.node, batch->alloc.node))
                gpu_sum_add(&sum, u, t, now);
        }
    if (sum.tasks > 1) /* successive tasks may have had the same GPUs */
        u->gpus_unused = 0;
    u->gpu_percent = sum.measured_s ? (int)(sum.busy_s_permille / sum.measured_s / 10) : -1;
    u->gpu_seen_percent = sum.measured_s && sum.measured_s < sum.had_s
                              ? percent_of(sum.measured_s, sum.had_s)
                          : sum.measured_s ? 100
                                           : -1;
}

void job_use(struct job_use *u, const struct job *j, const struct model *m, struct wall now)
{
    uint32_t limit = job_limit_s(j, m);
    *u = (struct job_use){.ran_s = job_run_s(j, now), .limit_s = limit >= DURATION_NOT_SET ? 0 : limit};
    u->time_percent = u->ran_s ? percent_of(u->ran_s, u->limit_s) : -1;
    look_at_tasks(u, j);
    jobuse_look_at_gpus(u, j, now);
    uint64_t had_ms = (uint64_t)u->ran_s * job_cpus(j) * 1000;
    u->cpu_percent = u->cpu_measured && had_ms ? percent_of(u->cpu_ms, had_ms) : -1;
    u->mem_percent = u->peak_kib && u->mem_mib ? percent_of(u->peak_kib, u->mem_mib * 1024) : -1;
}
