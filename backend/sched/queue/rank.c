/* rank.c - whose turn it is: the priority of a group's head, from what is kept of it.
 *
 * In a group all is alike but the age: the rest is worked out once, the points of a fair share once a pass
 * for each owner.
 */
#include "backend/sched/queue/planner_private.h"

#define MANY_ACTIVE 2000u
#define MANY_WAITING \
    1000u               /* of many users, mostly: to weigh them all again takes as long as they are many */
#define COST_BEGIN 5000 /* in looks at nodes: the users, and the cluster's totals */
#define COST_JOB   50
#define SHARES_MS  1000
#define ANEW_MS    30000

/* Shares move with all that runs: where that is much they go on as it was for a while, a second at a time,
 * and are worked out anew now and then. */
static bool shares_go_on(struct planner *p)
{
    int64_t age = p->now.ms - p->ranks_anew_ms;
    if (!p->ranked || p->view->model->n_active <= MANY_ACTIVE || age < 0 || age >= ANEW_MS)
        return false;
    if (p->now.ms - p->ranks_ms >= SHARES_MS) {
        prio_ctx_advance(&p->prio, p->now);
        p->ranks++;
        p->ranks_ms = p->now.ms;
    }
    p->prio.now = p->now;
    return true;
}

static void put_in_force(struct planner *p, const struct prio_ctx *c)
{
    if (p->ranked)
        prio_ctx_fini(&p->prio);
    p->prio = *c;
    p->ranked = true;
    p->ranks++;
    p->ranks_ms = p->ranks_anew_ms = c->now.ms;
    p->ranks_version = prio_version(c) | 1;
}

static uint64_t less(uint64_t n, uint64_t by)
{
    return n > by ? n - by : 0;
}

void planner_drop_ranks_anew(struct planner *p)
{
    if (p->anew.at)
        prio_ctx_fini(&p->anew.ctx);
    p->anew = (struct ranks_anew){0};
}

/* What runs is walked over as the planner knows it: that stays as it is between the pieces. */
bool planner_rank_some(struct planner *p, uint64_t *n)
{
    struct ranks_anew *a = &p->anew;
    if (!a->at && shares_go_on(p))
        return true;
    if (p->view->model->n_active <= MANY_ACTIVE) {
        struct prio_ctx c;
        planner_drop_ranks_anew(p);
        prio_ctx_init(&c, p->view, p->now);
        put_in_force(p, &c);
        return true;
    }
    if (!a->at) {
        prio_ctx_begin(&a->ctx, p->view, p->now);
        a->at = p->running.next;
        *n = less(*n, COST_BEGIN);
    }
    for (; a->at != &p->running && *n; a->at = a->at->next, *n = less(*n, COST_JOB)) {
        const struct job *j = model_get_job(p->view->model, container_of(a->at, struct runs, link)->job);
        if (j)
            prio_ctx_add(&a->ctx, j);
    }
    if (a->at != &p->running)
        return false;
    prio_ctx_finish(&a->ctx);
    put_in_force(p, &a->ctx);
    *a = (struct ranks_anew){0};
    return true;
}

bool planner_lend_ranks(const struct planner *p, const struct model *m, struct wall now,
                        struct prio_ctx *ret)
{
    if (!p->ranked || (m->n_active <= MANY_ACTIVE && p->units.n <= MANY_WAITING))
        return false;
    *ret = p->prio;
    ret->now = now;
    return true;
}

void planner_begin_asking(struct planner *p, const struct sched_view *v, struct wall now)
{
    p->asking_lent = planner_lend_ranks(p, v->model, now, &p->asking);
    if (!p->asking_lent)
        prio_ctx_init(&p->asking, v, now);
}

void planner_end_asking(struct planner *p)
{
    if (!p->asking_lent)
        prio_ctx_fini(&p->asking);
}

/* The first stands for all partitions of the entry: they have the same factor. */
static const struct part_spec *part_of_entry(const struct planner *p, const struct group *g, uint32_t entry)
{
    return &p->view->model->spec.parts.v[g->choices[g->entries[entry].first].lane];
}

/* Its age stands still, or its priority was set: asked for as it is. */
static uint32_t rank_of_job(struct planner *p, const struct group *g, uint32_t entry, const struct job *j)
{
    return prio_of(&p->prio, j, part_of_entry(p, g, entry), NULL);
}

static uint32_t sum_of(const struct planner *p, const struct group *g, uint32_t entry, int64_t submit_ms)
{
    struct wall from = {.ms = submit_ms + g->age_delay_ms};
    int64_t sum = g->entries[entry].fixed + g->owner->points + prio_age_points(&p->prio, from);
    return sum < 0 ? 0 : sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

bool planner_rank_base(const struct planner *p, const struct group *g, uint32_t entry, int64_t *ret)
{
    const struct queue_entry *e = &g->entries[entry];
    bool known = e->fixed_version == p->ranks_version && g->owner->pass == p->ranks;
    if (!p->ranked || g->begun || g->is_set || !known)
        return false;
    *ret = e->fixed + g->owner->points;
    return true;
}

uint32_t planner_rank(struct planner *p, struct group *g, uint32_t entry, uint32_t job, int64_t submit_ms)
{
    struct owner *o = g->owner;
    struct queue_entry *e = &g->entries[entry];
    if (g->begun || g->is_set)
        return rank_of_job(p, g, entry, planner_job(p, job));
    if (e->fixed_version != p->ranks_version) {
        e->fixed = prio_fixed(&p->prio, planner_job(p, job), part_of_entry(p, g, entry));
        e->fixed_version = p->ranks_version;
    }
    if (o->pass != p->ranks) {
        o->points = prio_share_points(&p->prio, o->account, o->user);
        o->pass = p->ranks;
    }
    return sum_of(p, g, entry, submit_ms);
}
