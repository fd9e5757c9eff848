/* usage.c - what an allocation costs, how it fades, and what is charged. */
#include "src/model/usage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/model_private.h"

#define LN2 0.693147180559945309417

/* Less than this, of either unit, is nothing: a row too small to be shown need not be kept. */
#define FADED 1e-3

/* --- what things are worth --- */

static double seconds(struct wall a, struct wall b)
{
    return b.ms > a.ms ? (double)(b.ms - a.ms) / MS_PER_S : 0.0;
}

double usage_fade(double v, struct wall t, struct wall at, uint32_t half_life_s)
{
    return half_life_s ? v * exp2(-seconds(t, at) / half_life_s) : v;
}

double usage_of_span(struct wall a, struct wall b, struct wall at, uint32_t half_life_s)
{
    if (!half_life_s)
        return seconds(a, b);
    double h = half_life_s;
    /* As one product: the difference of two powers would lose short spans of long half-lives. */
    return -h / LN2 * expm1(-LN2 * seconds(a, b) / h) * exp2(-seconds(b, at) / h);
}

double usage_rate(const struct priority_spec *p, uint32_t cpus, uint64_t mem_mib, uint32_t gpus)
{
    return p->billing_cpu * cpus + p->billing_mem_gb * (double)mem_mib / 1024.0 + p->billing_gpu * gpus;
}

/* Of a QOS that is not configured, or none: 1. */
static double usage_factor(const struct cluster_spec *spec, const char *qos)
{
    const struct qos_spec *q = spec_find_qos(spec, qos);
    return q ? q->usage_factor : 1.0;
}

const char *job_account(const struct job *j)
{
    return !str_is_empty(j->req.account) ? j->req.account
           : job_origin(j)->group        ? job_origin(j)->group
                                         : "";
}

const char *job_qos(const struct job_req *r)
{
    return !str_is_empty(req_detail(r)->qos) ? req_detail(r)->qos : QOS_DEFAULT;
}

/* --- the table --- */

/* By so much the clock may be put right without another look: what is charged then counts a little less. */
#define AHEAD_MS 60000

static void fade_row(struct usage_row *r, struct wall at, uint32_t half_life_s)
{
    /* Charged while the clock was ahead: what is charged now would count as long past until that date. */
    if (r->t.ms > at.ms + AHEAD_MS)
        r->t = at;
    r->billing = usage_fade(r->billing, r->t, at, half_life_s);
    r->gpu_s = usage_fade(r->gpu_s, r->t, at, half_life_s);
    r->preempted_gpu_s = usage_fade(r->preempted_gpu_s, r->t, at, half_life_s);
    r->t = at.ms > r->t.ms ? at : r->t;
}

void usage_settle(struct model *m, struct wall at)
{
    for (size_t i = 0; i < m->usage.n; i++)
        fade_row(&m->usage.rows[i], at, m->spec.priority.decay_half_life_s);
}

/* --- what a job uses --- */

struct rates {
    double billing, gpus;
};

static struct rates rates_of(const struct model *m, const struct job *j, const struct alloc *v, size_t n)
{
    uint32_t cpus = 0, gpus = 0;
    uint64_t mem_mib = 0;
    for (size_t i = 0; i < n; i++) {
        cpus += cpuset_count(&v[i].cpus);
        gpus += cpuset_count(&v[i].gpus);
        mem_mib += v[i].mem_mib;
    }
    return (struct rates){.billing = usage_rate(&m->spec.priority, cpus, mem_mib, gpus) *
                                     usage_factor(&m->spec, job_qos(&j->req)),
                          .gpus = gpus};
}

static const char *text(const char *s)
{
    return s ? s : "";
}

void usage_charge(struct model *m, const struct job *j, const struct alloc *v, size_t n, struct wall from,
                  struct wall to, struct wall at)
{
    uint32_t half_life_s = m->spec.priority.decay_half_life_s;
    double span = usage_of_span(from, to, at, half_life_s);
    if (!wall_is_set(from) || !(span > 0))
        return;
    struct rates rate = rates_of(m, j, v, n);
    const char *const names[] = {job_account(j), text(j->user), text(req_detail(&j->req)->qos),
                                 text(j->partition)};
    struct usage_row *r = usage_row_of(&m->usage, names);
    fade_row(r, at, half_life_s);
    /* Where the clock was set back, the row is of a later time than the event: it is worth less there. */
    span = usage_fade(span, at, r->t, half_life_s);
    r->billing += rate.billing * span;
    r->gpu_s += rate.gpus * span;
    if (j->kill_cause == KILL_PREEMPT)
        r->preempted_gpu_s += rate.gpus * span;
    m->usage.unsaved = true;
}

struct wall usage_task_start(const struct job *j, const struct task *t, struct wall end)
{
    struct wall at = t->t_start;
    if (wall_is_set(at) && at.ms < j->t_start.ms)
        at = j->t_start;
    return at.ms > end.ms ? end : at;
}

static void add_held(const struct model *m, const struct job *j, const struct alloc *v, size_t n,
                     struct wall from, struct wall now, struct usage_now *ret)
{
    struct rates rate = rates_of(m, j, v, n);
    ret->gpus += (uint32_t)rate.gpus;
    if (!wall_is_set(from))
        return;
    double span = usage_of_span(from, now, now, m->spec.priority.decay_half_life_s);
    ret->billing += rate.billing * span;
    ret->gpu_s += rate.gpus * span;
    ret->rate += rate.billing;
    ret->gpu_rate += rate.gpus;
}

struct usage_now usage_held(const struct model *m, const struct job *j, struct wall now)
{
    struct usage_now sum = {0};
    if (j->holding)
        add_held(m, j, j->alloc.v, j->alloc.n, j->t_start, now, &sum);
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        for (size_t k = step_live_begin(s); !s->done && k < step_live_end(s); k++) {
            const struct task *t = &s->tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING)
                add_held(m, j, &t->alloc, 1, usage_task_start(j, t, now), now, &sum);
        }
    }
    return sum;
}

/* --- saved --- */

void usage_save(const struct model *m, struct wall t, struct ev_usage *ret)
{
    uint32_t half_life_s = m->spec.priority.decay_half_life_s;
    *ret = (struct ev_usage){0};
    for (size_t i = 0; i < m->usage.n; i++) {
        const struct usage_row *r = &m->usage.rows[i];
        if (usage_fade(r->billing, r->t, t, half_life_s) < FADED &&
            usage_fade(r->gpu_s, r->t, t, half_life_s) < FADED)
            continue;
        rec_copy(&usage_row_rec, rec_list_push(&ret->rows), r);
    }
}

static bool row_is_sound(const struct usage_row *r)
{
    return r->account && r->user && r->qos && r->partition && isfinite(r->billing) && r->billing >= 0 &&
           isfinite(r->gpu_s) && r->gpu_s >= 0 && isfinite(r->preempted_gpu_s) && r->preempted_gpu_s >= 0;
}

int apply_usage(struct model *m, const struct event *ev, const struct ev_usage *body)
{
    for (size_t i = 0; i < body->rows.n; i++)
        if (!row_is_sound(&body->rows.v[i]))
            return -EINVAL;
    usage_fini(&m->usage);
    for (size_t i = 0; i < body->rows.n; i++) {
        const struct usage_row *b = &body->rows.v[i];
        const char *const names[] = {b->account, b->user, b->qos, b->partition};
        struct usage_row *r = usage_row_of(&m->usage, names);
        r->billing += b->billing;
        r->gpu_s += b->gpu_s;
        r->preempted_gpu_s += b->preempted_gpu_s;
        r->t = b->t.ms > ev->t.ms + AHEAD_MS ? ev->t : b->t;
    }
    m->usage.saved_seq = ev->seq;
    return 0;
}
