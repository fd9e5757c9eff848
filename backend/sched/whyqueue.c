/* whyqueue.c - who stands in front of a waiting job: its rank in a partition, and what those ahead ask for.
 */
#include "backend/sched/why_private.h"

static struct rank rank_in_queue(const struct planner *p, const struct group *g, const struct unit *u)
{
    const struct job *j = model_get_job(p->view->model, u->job);
    bool borrow = planner_limit_state(p, g) == LIMIT_OVER_SOFT;
    return rank_of(g, borrow, j ? prio_of_best(&p->asking, j) : 0, u->submit_ms, u->order_id,
                   u->order_index);
}

static bool group_uses(const struct group *g, uint32_t lane)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (g->choices[i].lane == lane)
            return true;
    return false;
}

struct row { /* of the queue in a partition */
    uint32_t before, of;
    uint64_t gpus; /* that those before ask for */
};

/* Those that a limit or a licence keeps back are in nobody's way. */
static bool stands_in_row(const struct question *q, const struct group *g, uint32_t lane)
{
    return group_uses(g, lane) && (g == q->u->group || g->rest == REASON_PRIORITY);
}

/* Within a group all after the first one behind are behind. */
static void add_group(const struct question *q, const struct group *g, const struct rank *mine,
                      struct row *ret)
{
    bool before = true;
    list_for_each (u, &g->units, struct unit, in_group) {
        if (u != q->u && (u->reason == REASON_ARRAY_LIMIT || u->reason == REASON_DEPENDENCY))
            continue;
        ret->of += u->count;
        if (before) {
            struct rank its = rank_in_queue(q->p, g, u);
            before = u != q->u && rank_before(&its, mine);
        }
        if (!before)
            continue;
        const struct job *j = model_get_job(q->v->model, u->job);
        ret->before += u->count;
        ret->gpus += j ? (uint64_t)job_gpus(j) * u->count : 0;
    }
}

void why_behind(const struct question *q, uint32_t lane)
{
    uint32_t first = q->p->first_blocked ? q->p->first_blocked[lane] : 0;
    first = idmap_get(&q->p->units, first) ? first : 0;
    struct rank mine = rank_in_queue(q->p, q->u->group, q->u);
    struct row row = {0};
    list_for_each (g, &q->p->groups, struct group, link)
        if (stands_in_row(q, g, lane))
            add_group(q, g, &mine, &row);
    if (!q->w->rank) { /* in the first where it could run */
        q->w->rank = row.before + 1;
        q->w->rank_of = row.of;
    }
    struct str b = STR_INIT;
    if (!row.before && first && first != q->j->id)
        str_appendf(&b, "job %u comes first in %s and waits for resources", first,
                    q->v->model->spec.parts.v[lane].name);
    if (b.len)
        why_add_cause(q->w, WHY_BEHIND, (struct wall){0}, str_take(&b));
    if (!row.before)
        return;
    str_appendf(&b, "%u job%s", row.before, row.before == 1 ? "" : "s");
    if (row.gpus)
        str_appendf(&b, " (%llu GPU%s)", (unsigned long long)row.gpus, row.gpus == 1 ? "" : "s");
    str_appendf(&b, " %s ahead in %s", row.before == 1 ? "is" : "are",
                q->v->model->spec.parts.v[lane].name);
    if (first && first != q->j->id)
        str_appendf(&b, "; the first of them, %u, waits for resources", first);
    why_add_cause(q->w, WHY_BEHIND, (struct wall){0}, str_take(&b));
}
