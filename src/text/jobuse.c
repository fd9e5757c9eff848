/* jobuse.c - what a job used of what it had asked for. */
#include "src/text/jobuse.h"

#include "src/base/units.h"
#include "src/model/jobeffective.h"

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

void job_use(struct job_use *u, const struct job *j, const struct model *m, struct wall now)
{
    uint32_t limit = job_limit_s(j, m);
    *u = (struct job_use){.ran_s = job_run_s(j, now), .limit_s = limit >= DURATION_NOT_SET ? 0 : limit};
    u->time_percent = u->ran_s ? percent_of(u->ran_s, u->limit_s) : -1;
    look_at_tasks(u, j);
    uint64_t had_ms = (uint64_t)u->ran_s * job_cpus(j) * 1000;
    u->cpu_percent = u->cpu_measured && had_ms ? percent_of(u->cpu_ms, had_ms) : -1;
    u->mem_percent = u->peak_kib && u->mem_mib ? percent_of(u->peak_kib, u->mem_mib * 1024) : -1;
}
