/* preempt.c - who goes so that another can start.
 *
 * A running job may have to go for another that
 *   tier      stands in a partition of a higher tier, where the job's own partition has a preempt_mode
 *   QOS       has a QOS that names the job's
 *   borrowed  is within its own soft limits, while the job runs over one
 *
 * Of those the fewest possible of the lowest priorities, the youngest among equals, and only if the other
 * can then really start:
 *
 *     level    the lowest priority such that it fits once all up to there have gone
 *     one      among these: the first that is enough by itself; else
 *     several  largest first until it fits, those off its nodes spared, then each spared that can be
 */
#include <stdlib.h>

#include "backend/sched/planner_private.h"

#define SINGLES_MAX 512 /* tried one by one */

enum rule { RULE_NONE, RULE_TIER, RULE_QOS, RULE_BORROWED };

struct victim {
    struct runs *runs;
    const struct job *job;
    enum rule rule;
    uint32_t prio;
    int64_t size; /* larger ones free more */
    bool away;    /* lifted from the pool */
};

struct hunt {
    struct planner *p;
    const struct job *job; /* for whom */
    const struct backfill_choice *choice;
    VEC(struct victim) v;
    struct pool_parts parts;
};

static const struct qos_spec *qos_of(const struct model *m, const char *name)
{
    for (size_t i = 0; name && i < m->spec.qos.n; i++)
        if (str_eq(m->spec.qos.v[i].name, name))
            return &m->spec.qos.v[i];
    return NULL;
}

static enum rule rule_for(const struct hunt *h, const struct job *v)
{
    const struct model *m = h->p->view->model;
    const struct part_spec *mine = &m->spec.parts.v[h->choice->lane], *its = model_job_part(m, v);
    if (v->id == h->job->id || v->kill_cause != KILL_NONE ||
        (v->state != JOB_RUNNING && v->state != JOB_SUSPENDED))
        return RULE_NONE;
    if (its && its->preempt_mode != PREEMPT_OFF && its->priority_tier < mine->priority_tier)
        return RULE_TIER;
    const struct qos_spec *q = qos_of(m, h->job->req.qos);
    if (q && v->req.qos && strv_has(&q->preempt, v->req.qos))
        return RULE_QOS;
    return v->borrowed ? RULE_BORROWED : RULE_NONE;
}

static bool lies_on(const struct runs *r, const struct nodeset *s)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (nodeset_has(s, r->v.v[i]->use.parts[k].node))
                return true;
    return false;
}

static int64_t size_of(const struct runs *r)
{
    int64_t size = 0;
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            size += r->v.v[i]->use.parts[k].amount.gpus * 1000 + r->v.v[i]->use.parts[k].amount.cpus;
    return size;
}

static void collect(struct hunt *h)
{
    const struct model *m = h->p->view->model;
    list_for_each (r, &h->p->running, struct runs, link) {
        const struct job *j = model_get_job(m, r->job);
        enum rule rule = j ? rule_for(h, j) : RULE_NONE;
        if (rule == RULE_NONE || !lies_on(r, h->choice->set))
            continue;
        vec_push(&h->v, (struct victim){.runs = r,
                                        .job = j,
                                        .rule = rule,
                                        .prio = prio_of(&h->p->prio, j, model_job_part(m, j), NULL),
                                        .size = size_of(r)});
    }
}

/* --- trying --- */

static void send_away(struct hunt *h, struct victim *v, bool away)
{
    if (v->away == away)
        return;
    v->away = away;
    vec_for_each (&v->runs->v, i) {
        struct pool_use *u = &v->runs->v.v[i]->use;
        if (!u->parts)
            continue;
        if (away)
            pool_lift(&h->p->pool, u);
        else
            pool_lay(&h->p->pool, u);
    }
}

static void send_away_first(struct hunt *h, size_t n)
{
    vec_for_each (&h->v, i)
        send_away(h, &h->v.v[i], i < n);
}

static bool fits(struct hunt *h)
{
    const struct backfill_choice *c = h->choice;
    if (c->own)
        pool_lift(&h->p->pool, c->own);
    bool yes = pool_place(&h->p->pool, c->demand, c->set, h->p->pool.now, c->len, &h->parts);
    if (c->own)
        pool_lay(&h->p->pool, c->own);
    return yes;
}

/* The smallest n with which it fits once the first n have gone; more than there are: none. */
static size_t first_enough(struct hunt *h)
{
    size_t low = 1, high = h->v.n + 1;
    send_away_first(h, h->v.n);
    if (!fits(h))
        return h->v.n + 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        send_away_first(h, mid);
        if (fits(h))
            high = mid;
        else
            low = mid + 1;
    }
    send_away_first(h, low);
    return low;
}

static int by_prio(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;
    if (a->prio != b->prio)
        return a->prio < b->prio ? -1 : 1;
    if (a->job->t_start.ms != b->job->t_start.ms)
        return a->job->t_start.ms > b->job->t_start.ms ? -1 : 1;
    return a->job->id > b->job->id ? -1 : a->job->id < b->job->id;
}

static int by_prio_and_size(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;
    if (a->prio != b->prio)
        return a->prio < b->prio ? -1 : 1;
    return a->size != b->size ? (a->size > b->size ? -1 : 1) : by_prio(pa, pb);
}

/* --- choosing --- */

static bool one_is_enough(struct hunt *h)
{
    send_away_first(h, 0);
    for (size_t i = 0; i < h->v.n && i < SINGLES_MAX; i++) {
        send_away(h, &h->v.v[i], true);
        if (fits(h))
            return true;
        send_away(h, &h->v.v[i], false);
    }
    return false;
}

static bool has_node(const struct pool_parts *parts, uint32_t node)
{
    vec_for_each (&parts->v, i)
        if (parts->v.v[i].node == node)
            return true;
    return false;
}

static bool is_in_way(const struct runs *r, const struct pool_parts *parts)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (has_node(parts, r->v.v[i]->use.parts[k].node))
                return true;
    return false;
}

static void spare_what_can_be(struct hunt *h)
{
    fits(h);
    vec_for_each (&h->v, i)
        if (h->v.v[i].away && !is_in_way(h->v.v[i].runs, &h->parts))
            send_away(h, &h->v.v[i], false);
    for (size_t i = h->v.n; i-- > 0;) {
        if (!h->v.v[i].away)
            continue;
        send_away(h, &h->v.v[i], false);
        if (!fits(h))
            send_away(h, &h->v.v[i], true);
    }
    fits(h);
}

static bool choose(struct hunt *h)
{
    if (h->v.n == 0)
        return false;
    qsort(h->v.v, h->v.n, sizeof *h->v.v, by_prio);
    size_t enough = first_enough(h);
    if (enough > h->v.n) {
        send_away_first(h, 0);
        return false;
    }
    /* All of the level that is reached; nobody above it. */
    uint32_t level = h->v.v[enough - 1].prio;
    send_away_first(h, 0);
    while (h->v.n && h->v.v[h->v.n - 1].prio > level)
        h->v.n--;
    if (one_is_enough(h))
        return true;
    qsort(h->v.v, h->v.n, sizeof *h->v.v, by_prio_and_size);
    first_enough(h);
    spare_what_can_be(h);
    return true;
}

/* --- what becomes of them --- */

static struct sched_preempt sentence(const struct hunt *h, const struct victim *v)
{
    const struct model *m = h->p->view->model;
    const struct part_spec *mine = &m->spec.parts.v[h->choice->lane], *its = model_job_part(m, v->job);
    const struct qos_spec *q = qos_of(m, v->job->req.qos);
    uint32_t mode = its ? its->preempt_mode : PREEMPT_OFF, grace_s = its ? its->grace_s : 0;
    bool waits = mode != PREEMPT_REQUEUE || (its && its->requeue_after_grace);
    if (v->rule == RULE_QOS && q && (q->grace_s || q->preempt_mode != PREEMPT_OFF)) {
        mode = q->preempt_mode != PREEMPT_OFF ? q->preempt_mode : mode;
        grace_s = q->grace_s;
        waits = true;
    }
    bool comes_back =
        mode != PREEMPT_CANCEL && v->job->kind != JOB_KIND_INTERACTIVE && v->job->req.requeue != 2;
    struct sched_preempt r = {.job = v->job->id,
                              .by_job = h->job->id,
                              .grace_s = waits ? grace_s : 0,
                              .fate = comes_back ? FATE_REQUEUE : FATE_END};
    if (v->rule == RULE_TIER)
        r.text = xasprintf("job %u in partition %s (tier %u) comes before partition %s (tier %u)",
                           h->job->id, mine->name, mine->priority_tier, its->name, its->priority_tier);
    else if (v->rule == RULE_QOS)
        r.text = xasprintf("job %u has QOS %s, which may preempt QOS %s", h->job->id, h->job->req.qos,
                           v->job->req.qos);
    else
        r.text = xasprintf("job %u is within its limits and needs what this job had borrowed", h->job->id);
    return r;
}

static void carry_out(struct hunt *h, struct unit *u)
{
    struct planner *p = h->p;
    int64_t start = p->now.ms + 1;
    vec_for_each (&h->v, i) {
        struct victim *v = &h->v.v[i];
        if (!v->away)
            continue;
        struct sched_preempt s = sentence(h, v);
        int64_t end = p->now.ms + ((int64_t)s.grace_s + 1) * MS_PER_S;
        vec_push(&p->out->preempts, s);
        send_away(h, v, false);
        vec_for_each (&v->runs->v, k)
            if (v->runs->v.v[k]->use.parts && v->runs->v.v[k]->use.end > end)
                pool_change_end(&p->pool, &v->runs->v.v[k]->use, end);
        start = end > start ? end : start;
        planner_note_job(p, v->job->id);
    }
    struct backfill_place at = {.start = start, .len = h->choice->len, .parts = h->parts};
    backfill_claim(&p->backfill, &u->hold, h->choice->lane, &at);
}

/* Somebody is on his way out for it already. */
static bool waits_for_victims(const struct planner *p, uint32_t job)
{
    list_for_each (r, &p->running, struct runs, link) {
        const struct job *j = model_get_job(p->view->model, r->job);
        if (j && j->state == JOB_COMPLETING && j->kill_cause == KILL_PREEMPT && j->preempted_by == job)
            return true;
    }
    return false;
}

bool planner_preempt(struct planner *p, struct unit *u, const struct backfill_item *it)
{
    bool found = false;
    if (u->hold.claim || waits_for_victims(p, u->job))
        return false;
    for (uint32_t i = 0; i < it->n_choices && !found; i++) {
        struct hunt h = {.p = p, .job = model_get_job(p->view->model, u->job), .choice = &it->choices[i]};
        collect(&h);
        found = choose(&h);
        if (found)
            carry_out(&h, u);
        vec_fini(&h.v);
        vec_fini(&h.parts.v);
    }
    return found;
}
