/* cycle_reasons.c - the short reason of each waiting job, and the report of changed ones. */
#include "backend/sched/cycle/cycle_internal.h"

#define CHANGED_MAX 4000 /* of one cycle: clients see the others when they ask */

/* A new job that no cycle has looked at stands behind the others. */
static enum reason reasons_reason_of(const struct pending_entry *u)
{
    if (!u->class)
        return u->parked;
    if (u->reason == REASON_RESOURCES && u->kept_off != REASON_NONE)
        return u->kept_off;
    if (u->reason != REASON_NONE)
        return u->reason;
    return u->class->rest.now != REASON_NONE ? u->class->rest.now : REASON_PRIORITY;
}

/* A node that the request names is down or drained, wherever the job may go. */
static bool reasons_names_unavailable(const struct planner *p, const struct job_class *g)
{
    for (uint32_t k = 0; k < g->n_choices; k++) {
        const struct nodeset *s = &g->shapes[k]->set->nodes;
        bool any = false;
        for (uint32_t i = 0; s->n_listed && i < p->queue.pool.n_nodes && !any; i++)
            any = nodeset_has(s, i) && (s->listed[i / 64] >> i % 64 & 1) && !p->queue.pool.nodes[i].usable;
        if (!any)
            return false;
    }
    return g->n_choices > 0;
}

/* Windows are on many nodes: while reasons are reported they are suspended once, for all jobs. */
static void reasons_suspend_maintenance(struct planner *p, bool suspend)
{
    if (p->cycle->without_windows == suspend)
        return;
    p->cycle->without_windows = suspend;
    vec_for_each (&p->queue.windows, i) {
        struct window_use *w = p->queue.windows.v[i];
        if (w->is_reservation || !w->use.parts)
            continue;
        if (suspend)
            pool_suspend(&p->queue.pool, &w->use);
        else
            pool_restore(&p->queue.pool, &w->use);
    }
}

/* It would fit now, but for a maintenance window. */
static bool reasons_waits_for_maintenance(struct planner *p, struct pending_entry *u)
{
    struct pool_parts parts = {.v = VEC_INIT};
    bool any = false, fits = false;
    vec_for_each (&p->queue.windows, i)
        any = any || (!p->queue.windows.v[i]->is_reservation && p->queue.windows.v[i]->use.parts);
    if (!any)
        return false;
    reasons_suspend_maintenance(p, true);
    if (u->slot.use.parts)
        pool_suspend(&p->queue.pool, &u->slot.use);
    for (uint32_t k = 0; k < u->class->n_choices && !fits; k++) {
        const struct plan_choice *c = &u->class->choices[k];
        fits = pool_place(&p->queue.pool, c->demand, c->set, p->queue.pool.now, c->len_min, &parts);
    }
    if (u->slot.use.parts)
        pool_restore(&p->queue.pool, &u->slot.use);
    vec_fini(&parts.v);
    return fits;
}

/* Source: squeue(1), ReqNodeNotAvail. */
static void reasons_note_kept_off(struct planner *p, struct pending_entry *u)
{
    u->kept_off = REASON_NONE;
    if (!u->class || u->reason != REASON_RESOURCES)
        return;
    if (reasons_names_unavailable(p, u->class))
        u->kept_off = REASON_NODE_NOT_AVAIL;
    else if (reasons_waits_for_maintenance(p, u))
        u->kept_off = REASON_MAINTENANCE;
}

enum reason planner_reason(const struct planner *p, uint32_t job)
{
    const struct pending_entry *u = idmap_get(&p->queue.entries.by_job, job),
                               *before = queue_entry_before(&p->queue, job);
    u = before ? before : u;                     /* while all is read again */
    if (u && p->cycle && u->told != REASON_NONE) /* the cycle under way has not been reported */
        return u->told;
    return u ? reasons_reason_of(u) : REASON_NONE;
}

bool planner_is_in_line(const struct planner *p, const struct pending_entry *u)
{
    enum reason why = p->cycle || p->queue.reading ? planner_reason(p, u->job) : reasons_reason_of(u);
    bool kept_off = why != REASON_NONE && why == u->kept_off;
    return u->class && (why == REASON_RESOURCES || why == REASON_PRIORITY || kept_off);
}

enum reason planner_reason_of(const struct planner *p, const struct job *j)
{
    enum reason known = planner_reason(p, j->id);
    if (known != REASON_NONE)
        return known;
    return j->reason != REASON_NONE ? (enum reason)j->reason : REASON_PRIORITY;
}

uint32_t planner_makes_way_for(const struct planner *p, const struct pending_entry *u)
{
    const struct pending_entry *other =
        u->made_way_for ? idmap_get(&p->queue.entries.by_job, u->made_way_for) : NULL;
    return other && other->class && other->count ? other->job : 0;
}

static void reasons_cycle_report_entry(struct planner *p, struct pending_entry *u)
{
    if (u)
        reasons_note_kept_off(p, u);
    if (!u || u->told == reasons_reason_of(u) || p->out->changed.n >= CHANGED_MAX)
        return;
    u->told = reasons_reason_of(u);
    vec_push(&p->out->changed, u->job);
}

bool cycle_report_tried(struct planner *p, size_t *at)
{
    size_t n_moved = p->queue.entries.moved.n, i = *at;
    if (i == n_moved + p->tried.n)
        return false;
    uint32_t job = i < n_moved ? p->queue.entries.moved.v[i] : p->tried.v[i - n_moved];
    reasons_cycle_report_entry(p, idmap_get(&p->queue.entries.by_job, job));
    ++*at;
    return true;
}

void cycle_report_pause(struct planner *p)
{
    reasons_suspend_maintenance(p, false);
}

/* Unless all are reported; p->pace.reports_left: not all could be looked at. */
void cycle_report_class(struct planner *p, struct job_class *g, uint32_t *cost)
{
    if (g->rest.now == g->rest.told)
        return;
    if (*cost < g->n_pending && *cost < REPORT_COST_MAX) { /* but the first is looked at in any case */
        p->pace.reports_left = true;
        return;
    }
    list_for_each (u, &g->entries, struct pending_entry, in_class)
        reasons_cycle_report_entry(p, u);
    *cost -= g->n_pending < *cost ? g->n_pending : *cost;
    g->rest.told = g->rest.now;
}

void cycle_unreport(struct planner *p)
{
    vec_for_each (&p->out->changed, i) {
        struct pending_entry *u = idmap_get(&p->queue.entries.by_job, p->out->changed.v[i]);
        if (!u)
            continue;
        u->told = REASON_NONE;
        if (u->class)
            u->class->rest.told = REASON_NONE;
        vec_push(&p->queue.entries.moved, u->job);
    }
}
