/* rank.c - whose turn it is: the priority of a group's head, from what is kept of it.
 *
 * In a group all is alike but the age: the rest is worked out once, the points of a fair share once a pass
 * for each owner.
 */
#include "backend/sched/planner_private.h"

void planner_begin_ranks(struct planner *p)
{
    p->ranks++;
    p->ranks_version = prio_version(&p->prio) | 1;
}

static int64_t fixed_of(struct planner *p, struct group *g, const struct job *j)
{
    const struct model *m = p->view->model;
    int64_t best = INT64_MIN;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        int64_t fixed = prio_fixed(&p->prio, j, &m->spec.parts.v[g->choices[i].lane]);
        best = fixed > best ? fixed : best;
    }
    return best;
}

/* Its age stands still, or its priority was set: asked for as it is. */
static uint32_t rank_of_job(struct planner *p, const struct group *g, const struct job *j)
{
    const struct model *m = p->view->model;
    uint32_t best = 0;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        uint32_t prio = prio_of(&p->prio, j, &m->spec.parts.v[g->choices[i].lane], NULL);
        best = prio > best ? prio : best;
    }
    return best;
}

static uint32_t sum_of(const struct planner *p, const struct group *g, int64_t submit_ms)
{
    struct wall from = {.ms = submit_ms + g->age_delay_ms};
    int64_t sum = g->fixed + g->owner->points + prio_age_points(&p->prio, from);
    return sum < 0 ? 0 : sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

bool planner_rank_then(const struct planner *p, struct group *g, int64_t submit_ms, uint32_t *ret)
{
    bool known = g->fixed_version == p->ranks_version && g->owner->pass == p->ranks;
    if (!p->ranked || g->begun || g->is_set || !known)
        return false;
    *ret = sum_of(p, g, submit_ms);
    return true;
}

uint32_t planner_rank(struct planner *p, struct group *g, uint32_t job, int64_t submit_ms)
{
    struct owner *o = g->owner;
    if (g->begun || g->is_set)
        return rank_of_job(p, g, model_get_job(p->view->model, job));
    if (g->fixed_version != p->ranks_version) {
        g->fixed = fixed_of(p, g, model_get_job(p->view->model, job));
        g->fixed_version = p->ranks_version;
    }
    if (o->pass != p->ranks) {
        o->points = prio_share_points(&p->prio, o->account, o->user);
        o->pass = p->ranks;
    }
    return sum_of(p, g, submit_ms);
}
