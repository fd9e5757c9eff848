/* start.c - what starts, as far as the pass is concerned. */
#include <stdlib.h>

#include "backend/sched/cycle/pass.h"

uint32_t pass_nth_element(const struct job *j, uint32_t n)
{
    for (size_t i = 0; i < j->array_pending.n; i++) {
        const struct index_range *r = &j->array_pending.v[i];
        uint32_t here = (r->last - r->first) / r->step + 1;
        if (n < here)
            return r->first + n * r->step;
        n -= here;
    }
    return ARRAY_NONE;
}

/* The next that waits, from where the last one was found. */
static const struct task *next_waiting(const struct step *s, struct unit *u)
{
    while (u->task_at < s->tasks.n && s->tasks.v[u->task_at].state != TASK_WAITING)
        u->task_at++;
    return u->task_at < s->tasks.n ? &s->tasks.v[u->task_at++] : NULL;
}

static void start_task(struct planner *p, const struct job *j, struct unit *u, const char *part,
                       const struct backfill_place *at, bool borrow)
{
    const struct step *s = &j->steps.v[u->step_at];
    const struct task *t = next_waiting(s, u);
    struct alloc *alloc;
    size_t n;
    bool whole = planner_alloc(p, &at->parts, &alloc, &n);
    struct sched_place out = {.job = j->id,
                              .place = {.step = s->id,
                                        .task = t->index,
                                        .alloc = alloc[0],
                                        .partition = xstrdup(part),
                                        .time_limit_s = planner_limit_s(at->len),
                                        .borrowed = borrow}};
    free(alloc);
    if (whole)
        vec_push(&p->out->places, out);
    else
        rec_fini(&ev_place_rec, &out.place);
}

static void start_job(struct planner *p, const struct job *j, const struct unit *u, const char *part,
                      const struct backfill_place *at, bool borrow)
{
    uint32_t index = job_is_array_record(j) ? pass_nth_element(j, u->at) : ARRAY_NONE;
    struct sched_start out = {.job = j->id,
                              .array_index = index,
                              .start = {.array_index = index,
                                        .partition = xstrdup(part),
                                        .time_limit_s = planner_limit_s(at->len),
                                        .borrowed = borrow}};
    /* The node has less than the pool says: nothing is started there rather than with too little. */
    if (planner_alloc(p, &at->parts, &out.start.alloc.v, &out.start.alloc.n))
        vec_push(&p->out->starts, out);
    else
        rec_fini(&ev_start_rec, &out.start);
}

static bool use_has(const struct pool_use *use, uint32_t node)
{
    for (uint32_t i = 0; i < use->n_parts; i++)
        if (use->parts[i].node == node)
            return true;
    return false;
}

/* By what runs, and by what has been started in this pass. */
static bool is_on_node(const struct planner *p, uint32_t job, uint32_t node)
{
    const struct runs *r = idmap_get(&p->runs, job);
    for (size_t i = 0; r && i < r->v.n; i++)
        if (use_has(&r->v.v[i]->use, node))
            return true;
    vec_for_each (&p->started, i)
        if (p->started.v[i]->job == job && use_has(&p->started.v[i]->use, node))
            return true;
    return false;
}

struct limit_ask pass_ask(const struct planner *p, const struct group *g, const struct unit *u,
                          uint32_t choice, const struct pool_parts *parts, int64_t len)
{
    struct limit_ask ask = g->asks[choice];
    ask.jobs = u->chosen ? 0 : ask.jobs;
    planner_ask_exactly(parts, len, &ask);
    bool is_task = g->choices[choice].demand->one_task;
    if (is_task && ask.nodes && limits_count_nodes(p->limits) && is_on_node(p, u->job, parts->v.v[0].node))
        ask.nodes = 0;
    return ask;
}

void pass_start(struct pass *s, struct group *g, struct unit *u)
{
    struct planner *p = s->p;
    const struct model *m = p->view->model;
    const struct job *j = planner_job(p, u->job);
    uint32_t choice = s->positions[s->place.choice].at;
    bool borrow = s->positions[s->place.choice].soft;
    const char *part = m->spec.parts.v[g->choices[choice].lane].name;
    struct tentative *t = xcalloc(1, sizeof *t);
    t->ask = pass_ask(p, g, u, choice, &s->place.parts, s->place.len); /* before it is on its nodes */
    limits_charge(p->limits, &t->ask);
    t->job = u->job;
    t->array_job = j->array_job;
    pool_run(&p->pool, &t->use, &s->place.parts, when_plus(p->now.ms, s->place.len));
    vec_push(&p->started, t);
    planner_count_element(p, j->array_job, 1);
    if (g->licensed && !u->chosen)
        licence_take(&p->licences, m, j);
    if (j->kind == JOB_KIND_STEPS)
        start_task(p, j, u, part, &s->place, borrow);
    else
        start_job(p, j, u, part, &s->place, borrow);
    if (j->kind == JOB_KIND_STEPS) {
        u->chosen = g->shapes[choice];
        u->chosen_len = s->place.len;
    }
    forecast_learn(p, u);
    u->first_forecast_t = 0;
    u->count--;
    u->at++;
    planner_mark_dirty(p, u->job);
}
