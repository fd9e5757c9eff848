/* planner.c - a planner's life, its notes, and what it answers between passes. */
#include "backend/sched/queue/planner.h"

#include <stdlib.h>

#include "backend/sched/cycle/pass.h"

void planner_init_lists(struct planner *p)
{
    list_init(&p->groups);
    list_init(&p->running);
    list_init(&p->leaving);
    list_init(&p->prey);
    list_init(&p->claimers);
    list_init(&p->buried);
    list_init(&p->backfill.holds);
}

struct planner *planner_new(void)
{
    struct planner *p = xcalloc(1, sizeof *p);
    planner_init_lists(p);
    p->all_dirty = true;
    return p;
}

void planner_fini(struct planner *p)
{
    planner_forget(p);
    why_free_order(p);
    vec_fini(&p->dirty);
    vec_fini(&p->looked);
    vec_fini(&p->fresh);
    vec_fini(&p->moved);
    vec_fini(&p->grounds);
    vec_fini(&p->started);
    vec_fini(&p->promises);
    vec_fini(&p->windows);
    vec_fini(&p->to_read);
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    for (bool done = false; !done;) {
        uint64_t n = UINT64_MAX;
        done = planner_free_old(p, &n);
    }
    pass_free(p->open);
    p->open = NULL;
    planner_fini(p);
    free(p);
}

void planner_mark_dirty(struct planner *p, uint32_t job)
{
    if (p->all_dirty || (p->dirty.n && p->dirty.v[p->dirty.n - 1] == job))
        return;
    vec_push(&p->dirty, job);
}

void planner_note_job(struct planner *p, uint32_t job)
{
    struct unit *u = p->open ? idmap_get(&p->units, job) : NULL;
    struct runs *r = p->open ? idmap_get(&p->runs, job) : NULL;
    if (u)
        u->noted = true;
    if (r)
        r->noted = true;
    planner_mark_dirty(p, job);
}

void planner_note_nodes(struct planner *p)
{
    p->nodes_dirty = true;
}

void planner_note_windows(struct planner *p)
{
    p->windows_dirty = true;
}

void planner_note_all(struct planner *p)
{
    p->all_dirty = true;
    vec_clear(&p->dirty);
}

void sched_result_init(struct sched_result *r)
{
    *r = (struct sched_result){0};
}

void sched_result_fini(struct sched_result *r)
{
    vec_for_each (&r->starts, i)
        rec_fini(&ev_start_rec, &r->starts.v[i].start);
    vec_for_each (&r->places, i)
        rec_fini(&ev_place_rec, &r->places.v[i].place);
    vec_for_each (&r->preempts, i)
        free(r->preempts.v[i].text);
    vec_fini(&r->starts);
    vec_fini(&r->places);
    vec_fini(&r->preempts);
    vec_fini(&r->changed);
    sched_result_init(r);
}

void sched_decide(const struct sched_view *v, struct wall now, struct sched_result *ret)
{
    struct planner *p = planner_new();
    planner_decide(p, v, now, ret);
    planner_free(p);
}
