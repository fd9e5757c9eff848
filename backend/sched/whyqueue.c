/* whyqueue.c - who stands in front of a waiting job: its place in a partition's queue, and what those ahead
 * ask for.
 *
 * In the queue stand those who wait for their turn or for resources alone (planner_stands_in_row). Whom
 * something else keeps back is in nobody's way, and has no place.
 */
#include "backend/sched/why_private.h"

/* In the queue of that partition: with its tier and the priority there. */
static struct rank rank_in_queue(const struct planner *p, const struct group *g, const struct unit *u,
                                 uint32_t lane)
{
    const struct job *j = model_get_job(p->view->model, u->job);
    bool borrow = planner_limit_state(p, g) == LIMIT_OVER_SOFT;
    uint32_t choice = 0;
    while (choice + 1 < g->n_choices && g->choices[choice].lane != lane)
        choice++;
    uint32_t prio = j ? prio_of(&p->asking, j, &p->view->model->spec.parts.v[lane], NULL) : 0;
    return rank_of(g, group_entry_of(g, choice), borrow, prio, u->submit_ms, u->order_id, u->order_index);
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

/* Each element is one of the queue, as far as the array's throttle lets it run now; where they wait for
 * others one by one, the next. A step job is one, however many tasks wait. */
static uint32_t count_in_row(const struct question *q, const struct unit *u)
{
    const struct job *j = u->count > 1 ? model_get_job(q->v->model, u->job) : NULL;
    if (!j || !job_is_array_record(j) || u->by_element || u->singleton)
        return 1;
    uint32_t most = planner_throttle_leaves(q->p, j);
    return most >= u->count ? u->count : most ? most : 1; /* none is left: others have started since */
}

/* Within a group all after the first one behind are behind. */
static void add_group(const struct question *q, const struct group *g, uint32_t lane,
                      const struct rank *mine, struct row *ret)
{
    bool before = true;
    list_for_each (u, &g->units, struct unit, in_group) {
        if (!planner_stands_in_row(q->p, u))
            continue;
        uint32_t n = count_in_row(q, u);
        ret->of += n;
        if (before) {
            struct rank its = rank_in_queue(q->p, g, u, lane);
            before = u == q->u || rank_before(&its, mine);
        }
        if (!before || u == q->u)
            continue;
        const struct job *j = model_get_job(q->v->model, u->job);
        ret->before += n;
        ret->gpus += j ? (uint64_t)job_gpus(j) * n : 0;
    }
}

/* The one whose turn it is there, where that one stands ahead; 0: it does not. */
static uint32_t first_ahead(const struct question *q, uint32_t lane, const struct rank *mine)
{
    const struct unit *u = q->p->first_blocked ? idmap_get(&q->p->units, q->p->first_blocked[lane]) : NULL;
    if (!u || u == q->u || !planner_stands_in_row(q->p, u))
        return 0;
    struct rank its = rank_in_queue(q->p, u->group, u, lane);
    return rank_before(&its, mine) ? u->job : 0;
}

void why_behind(const struct question *q, uint32_t lane)
{
    struct rank mine = rank_in_queue(q->p, q->u->group, q->u, lane);
    struct row row = {0};
    list_for_each (g, &q->p->groups, struct group, link)
        if (group_uses(g, lane))
            add_group(q, g, lane, &mine, &row);
    if (!q->w->rank && planner_stands_in_row(q->p, q->u)) { /* in the first where it could run */
        q->w->rank = row.before + 1;
        q->w->rank_of = row.of;
    }
    if (!row.before)
        return;
    struct str b = STR_INIT;
    uint32_t first = first_ahead(q, lane, &mine);
    str_appendf(&b, "%u job%s", row.before, row.before == 1 ? "" : "s");
    if (row.gpus)
        str_appendf(&b, " (%llu GPU%s)", (unsigned long long)row.gpus, row.gpus == 1 ? "" : "s");
    str_appendf(&b, " %s ahead in %s", row.before == 1 ? "is" : "are",
                q->v->model->spec.parts.v[lane].name);
    if (first)
        str_appendf(&b, "; the first of them, %u, waits for resources", first);
    why_add_cause(q->w, WHY_BEHIND, (struct wall){0}, str_take(&b));
}
