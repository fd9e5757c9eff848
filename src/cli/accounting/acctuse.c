/* acctuse.c - of the fields of sacct and sstat, those that were measured: CPU time, memory, processes. */
#include <string.h>

#include "src/cli/accounting/acctvalues.h"
#include "src/text/jobtext.h"
#include "src/text/jobuse.h"

static bool acctuse_is_step(const struct acct_row *r)
{
    return r->kind == ACCT_STEP;
}

struct use {
    uint64_t cpu_ms, max_rss_kib, sum_rss_kib, min_cpu_ms;
    uint32_t ranks;
    const struct task *max_rss, *min_cpu;
};

static void acctuse_add_use(struct use *u, const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        u->cpu_ms += t->cpu_ms;
        u->sum_rss_kib += t->peak_rss_kib;
        u->ranks += t->n_ranks ? t->n_ranks : 1;
        if (!u->max_rss || t->peak_rss_kib > u->max_rss_kib) {
            u->max_rss = t;
            u->max_rss_kib = t->peak_rss_kib;
        }
        if (!u->min_cpu || t->cpu_ms < u->min_cpu_ms) {
            u->min_cpu = t;
            u->min_cpu_ms = t->cpu_ms;
        }
    }
}

static struct use use_of(const struct acct_row *r)
{
    struct use u = {0};
    if (acctuse_is_step(r))
        acctuse_add_use(&u, r->step);
    for (size_t i = 0; r->kind == ACCT_JOB && i < r->job->steps.n; i++)
        acctuse_add_use(&u, &r->job->steps.v[i]);
    if (r->live && r->live->known) {
        u.cpu_ms = r->live->cpu_ms;
        u.max_rss_kib = u.sum_rss_kib = r->live->rss_kib;
    }
    return u;
}

/* "00:01.250", "01:02:03", "1-02:03:04". Source: sacct(1), TotalCPU. */
static void append_cpu_ms(struct str *out, uint64_t ms)
{
    uint64_t s = ms / 1000;
    if (s >= 3600)
        acct_append_padded(out, (int64_t)s);
    else
        str_appendf(out, "%02u:%02u.%03u", (unsigned)(s / 60), (unsigned)(s % 60), (unsigned)(ms % 1000));
}

/* Amounts of memory: in KiB, or in the unit that --units names. */
static void append_size(struct str *out, uint64_t kib, const struct acct_cx *cx)
{
    static const char units[] = "KMGTP";
    const char *at = cx->units ? strchr(units, cx->units) : units;
    double v = (double)kib;
    for (const char *p = units; at && p < at; p++)
        v /= 1024;
    if (!kib)
        str_append(out, "0");
    else if (!at || at == units)
        str_appendf(out, "%lluK", (unsigned long long)kib);
    else if (v == (double)(uint64_t)v)
        str_appendf(out, "%llu%c", (unsigned long long)v, *at);
    else
        str_appendf(out, "%.2f%c", v, *at);
}

/* Steps alone have figures of memory, as in Slurm; without a measurement the cell is empty. */
static bool has_use(const struct acct_row *r, const struct use *u)
{
    return acctuse_is_step(r) && (u->max_rss_kib || u->cpu_ms || r->step->done);
}

ACCT_VALUE(total_cpu)
{
    append_cpu_ms(out, use_of(r).cpu_ms);
}
ACCT_VALUE(ave_cpu)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        acct_append_padded(out, (int64_t)(u.cpu_ms / 1000 / (u.ranks ? u.ranks : 1)));
}
ACCT_VALUE(min_cpu)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        acct_append_padded(out, (int64_t)(u.min_cpu_ms / 1000));
}
ACCT_VALUE(min_cpu_node)
{
    struct use u = use_of(r);
    if (has_use(r, &u) && u.min_cpu)
        text_append_foreign(out, u.min_cpu->alloc.node, "");
}
ACCT_VALUE(min_cpu_task)
{
    struct use u = use_of(r);
    if (has_use(r, &u) && u.min_cpu)
        text_append_u64(out, u.min_cpu->rank_base);
}
ACCT_VALUE(max_rss)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        append_size(out, u.max_rss_kib, cx);
}
ACCT_VALUE(max_rss_node)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        text_append_foreign(out,
                            r->live && r->live->node ? r->live->node
                            : u.max_rss              ? u.max_rss->alloc.node
                                                     : NULL,
                            "");
}
ACCT_VALUE(max_rss_task)
{
    struct use u = use_of(r);
    if (has_use(r, &u) && u.max_rss)
        text_append_u64(out, u.max_rss->rank_base);
}
ACCT_VALUE(ave_rss)
{
    struct use u = use_of(r);
    if (has_use(r, &u))
        append_size(out, u.sum_rss_kib / (u.ranks ? u.ranks : 1), cx);
}
/* Source: acct_gather.conf(5) and sacct(1): utilisation in percent, memory of the task that took most. */
static void acctuse_append_gpus(struct str *out, const struct step *s)
{
    int percent = step_gpu_percent(s);
    uint32_t peak_mib = 0;
    for (size_t i = 0; i < s->tasks.n; i++)
        peak_mib = s->tasks.v[i].gpu_use.peak_mib > peak_mib ? s->tasks.v[i].gpu_use.peak_mib : peak_mib;
    if (percent >= 0)
        str_appendf(out, ",gres/gpumem=%uM,gres/gpuutil=%d", peak_mib, percent);
}

ACCT_VALUE(tres_usage)
{
    struct use u = use_of(r);
    if (!has_use(r, &u))
        return;
    str_appendf(out, "cpu=%02llu:%02llu:%02llu", (unsigned long long)(u.cpu_ms / 3600000),
                (unsigned long long)(u.cpu_ms / 60000 % 60), (unsigned long long)(u.cpu_ms / 1000 % 60));
    acctuse_append_gpus(out, r->step);
    str_appendf(out, ",mem=%lluK", (unsigned long long)u.max_rss_kib);
}
ACCT_VALUE(pids)
{
    bool any = false;
    for (size_t i = 0; acctuse_is_step(r) && i < r->step->tasks.n; i++)
        if (r->step->tasks.v[i].pid) {
            str_appendf(out, "%s%u", any ? "," : "", r->step->tasks.v[i].pid);
            any = true;
        }
}
