/* priorities.c - the priority of the head of a class, from what is kept of it.
 *
 * Within a class only age differs: the rest is worked out once, and the points of fair share once for each
 * owner and each update of the shares.
 */
#include "backend/sched/queue/queue.h"

#define MANY_ACTIVE  2000u
#define MANY_WAITING 1000u /* mostly of many users, whose shares take time to work out */
#define COST_BEGIN   5000  /* in nodes looked at: the users, and the totals of the cluster */
#define COST_JOB     50
#define SHARES_MS    1000
#define ANEW_MS      30000

/* Shares change with every active job. With many they are moved to later times, a second at a time, and
 * worked out from all active jobs only now and then. */
static bool priorities_shares_go_on(struct queue *q)
{
    int64_t age = q->now.ms - q->prios.made_ms;
    if (!q->prios.known || q->view->model->n_active <= MANY_ACTIVE || age < 0 || age >= ANEW_MS)
        return false;
    if (q->now.ms - q->prios.advanced_ms >= SHARES_MS) {
        prio_ctx_advance(&q->prios.ctx, q->now);
        q->prios.shares++;
        q->prios.advanced_ms = q->now.ms;
    }
    q->prios.ctx.now = q->now;
    return true;
}

static void priorities_put_in_force(struct queue *q, const struct prio_ctx *c)
{
    if (q->prios.known)
        prio_ctx_fini(&q->prios.ctx);
    q->prios.ctx = *c;
    q->prios.known = true;
    q->prios.shares++;
    q->prios.advanced_ms = q->prios.made_ms = c->now.ms;
    q->prios.version = prio_version(c) | 1;
}

static uint64_t priorities_less(uint64_t n, uint64_t by)
{
    return n > by ? n - by : 0;
}

void priorities_drop_update(struct queue *q)
{
    if (q->prios.update.at)
        prio_ctx_fini(&q->prios.update.ctx);
    q->prios.update = (struct priorities_update){0};
}

/* Visits the active jobs of the queue, which stay as they are between the pieces. */
bool priorities_update_some(struct queue *q, uint64_t *n)
{
    struct priorities_update *a = &q->prios.update;
    if (!a->at && priorities_shares_go_on(q))
        return true;
    if (q->view->model->n_active <= MANY_ACTIVE) {
        struct prio_ctx c;
        priorities_drop_update(q);
        prio_ctx_init(&c, q->view->model, q->now);
        priorities_put_in_force(q, &c);
        return true;
    }
    if (!a->at) {
        prio_ctx_begin(&a->ctx, q->view->model, q->now);
        a->at = q->active.list.next;
        *n = priorities_less(*n, COST_BEGIN);
    }
    for (; a->at != &q->active.list && *n; a->at = a->at->next, *n = priorities_less(*n, COST_JOB)) {
        const struct job *j =
            model_get_job(q->view->model, container_of(a->at, struct active_job, link)->job);
        if (j)
            prio_ctx_add(&a->ctx, j);
    }
    if (a->at != &q->active.list)
        return false;
    prio_ctx_finish(&a->ctx);
    priorities_put_in_force(q, &a->ctx);
    *a = (struct priorities_update){0};
    return true;
}

bool priorities_lend(const struct queue *q, const struct model *m, struct wall now, struct prio_ctx *ret)
{
    if (!q->prios.known || (m->n_active <= MANY_ACTIVE && q->entries.by_job.n <= MANY_WAITING))
        return false;
    *ret = q->prios.ctx;
    ret->now = now;
    return true;
}

void priorities_begin_query(struct queue *q, const struct sched_view *v, struct wall now)
{
    q->prios.query_lent = priorities_lend(q, v->model, now, &q->prios.query);
    if (!q->prios.query_lent)
        prio_ctx_init(&q->prios.query, v->model, now);
}

void priorities_end_query(struct queue *q)
{
    if (!q->prios.query_lent)
        prio_ctx_fini(&q->prios.query);
}

/* The first stands for all partitions of the tier: they have the same factor. */
static const struct part_spec *priorities_part_of_entry(const struct queue *q, const struct job_class *g,
                                                        uint32_t tier_at)
{
    return &q->view->model->spec.parts.v[g->choices[g->tiers[tier_at].first].partition];
}

/* Its age stands still, or its priority was set: worked out in full. */
static uint32_t priorities_of_job(struct queue *q, const struct job_class *g, uint32_t tier_at,
                                  const struct job *j)
{
    return prio_of(&q->prios.ctx, j, priorities_part_of_entry(q, g, tier_at), NULL);
}

uint32_t kept_priority_now(struct queue *q, const struct kept_priority *x)
{
    struct owner *o = x->owner;
    if (o->shares != q->prios.shares) {
        o->points = prio_share_points(&q->prios.ctx, o->account, o->user);
        o->shares = q->prios.shares;
    }
    int64_t sum = x->fixed + o->points + prio_age_points(&q->prios.ctx, (struct wall){.ms = x->from_ms});
    return sum < 0 ? 0 : sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

bool job_class_keep_priority(const struct job_class *g, uint32_t tier_at, int64_t submit_ms,
                             struct kept_priority *ret)
{
    *ret = (struct kept_priority){
        .owner = g->owner, .fixed = g->tiers[tier_at].fixed, .from_ms = submit_ms + g->age_delay_ms};
    return !g->begun && !g->is_set;
}

bool job_class_priority_base(const struct queue *q, const struct job_class *g, uint32_t tier_at,
                             int64_t *ret)
{
    const struct class_tier *e = &g->tiers[tier_at];
    bool known = e->fixed_version == q->prios.version && g->owner->shares == q->prios.shares;
    if (!q->prios.known || g->begun || g->is_set || !known)
        return false;
    *ret = e->fixed + g->owner->points;
    return true;
}

uint32_t job_class_priority(struct queue *q, struct job_class *g, uint32_t tier_at, uint32_t job,
                            int64_t submit_ms)
{
    struct class_tier *e = &g->tiers[tier_at];
    struct kept_priority x;
    if (g->begun || g->is_set)
        return priorities_of_job(q, g, tier_at, queue_job(q, job));
    if (e->fixed_version != q->prios.version) {
        e->fixed = prio_fixed(&q->prios.ctx, queue_job(q, job), priorities_part_of_entry(q, g, tier_at));
        e->fixed_version = q->prios.version;
    }
    job_class_keep_priority(g, tier_at, submit_ms, &x);
    return kept_priority_now(q, &x);
}
