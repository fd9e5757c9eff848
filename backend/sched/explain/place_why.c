/* place_why.c - why there is no place for a job in a partition now: nodes refused by cause, who holds what
 * is short, windows, places held for others. */
#include <stdlib.h>

#include "backend/sched/explain/refused.h"
#include "backend/sched/explain/why_internal.h"
#include "src/base/xalloc.h"
#include "src/model/task_parts.h"
#include "src/model/window.h"
#include "src/values/hostlist.h"

#define BLOCKERS_MAX 5

struct ender {
    int64_t end;
    uint32_t job;
    bool planned; /* it has a planned start, and does not run yet */
};
struct enders {
    VEC(struct ender) v;
};

static int by_end(const void *pa, const void *pb)
{
    const struct ender *a = pa, *b = pb;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

static bool ends_by(const struct pool_use *use, const struct pool_parts *parts, int64_t t)
{
    for (size_t i = 0; use->end <= t && i < parts->v.n; i++)
        for (uint32_t k = 0; k < use->n_parts; k++)
            if (use->parts[k].node == parts->v.v[i].node)
                return true;
    return false;
}

static void add_blocker(const struct question *q, uint32_t job)
{
    strv_push_take(&q->w->blockers, xasprintf("%u", job));
}

/* Starts that are planned there, and over by then. */
static void list_planned(const struct question *q, const struct pool_parts *parts, int64_t t,
                         struct enders *ret)
{
    list_for_each (h, &q->queue->slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        if (u != q->u && ends_by(&h->use, parts, t))
            vec_push(&ret->v, (struct ender){h->use.end, u->job, true});
    }
}

/* Those whose ends make the room: on the nodes where it is to start, over by then; the last of them
 * first. What has only a planned start does not block it now, but may end last. */
static void add_blockers(const struct question *q, const struct pool_parts *parts, int64_t t,
                         struct cause *ret)
{
    struct enders e = {VEC_INIT};
    list_for_each (r, &q->queue->active.list, struct active_job, link) {
        int64_t end = -1;
        vec_for_each (&r->v, i)
            if (ends_by(&r->v.v[i]->use, parts, t) && r->v.v[i]->use.end > end)
                end = r->v.v[i]->use.end;
        if (end >= 0)
            vec_push(&e.v, (struct ender){end, r->job, false});
    }
    list_planned(q, parts, t, &e);
    if (e.v.n)
        qsort(e.v.v, e.v.n, sizeof *e.v.v, by_end);
    for (size_t i = 0, n = 0; i < e.v.n && n < BLOCKERS_MAX; i++)
        if (!e.v.v[i].planned) {
            add_blocker(q, e.v.v[i].job);
            n++;
        }
    if (e.v.n)
        cause_add(ret, e.v.v[0].planned ? CAUSE_ROOM_AFTER_PLANNED : CAUSE_ROOM_AFTER)->id =
            model_job_name(q->v->model, e.v.v[0].job);
    vec_fini(&e.v);
}

/* One that is in its way for ever, as far as is known. */
static void add_endless(const struct question *q, const struct nodeset *s, struct cause *ret)
{
    list_for_each (r, &q->queue->active.list, struct active_job, link)
        vec_for_each (&r->v, i) {
            const struct pool_use *use = &r->v.v[i]->use;
            for (uint32_t k = 0; use->end == WHEN_NEVER && k < use->n_parts; k++)
                if (nodeset_has(s, use->parts[k].node)) {
                    add_blocker(q, r->job);
                    cause_add(ret, CAUSE_ROOM_NEVER)->id = model_job_name(q->v->model, r->job);
                    return;
                }
        }
}

/* When there is room for it: by the time limits of what runs and planned starts, with and without
 * windows. */
struct room {
    int64_t at, with_windows;
    struct pool_parts parts; /* where, at `at` */
};

/* Its own reservation is set aside already. */
static void suspend_windows(const struct question *q, const struct plan_choice *c, bool lift)
{
    vec_for_each (&q->queue->windows, i) {
        struct pool_use *use = &q->queue->windows.v[i]->use;
        if (!use->parts || use == c->own)
            continue;
        if (lift)
            pool_suspend(&q->queue->pool, use);
        else
            pool_restore(&q->queue->pool, use);
    }
}

static void find_room(const struct question *q, const struct plan_choice *c, struct room *ret)
{
    struct pool_span span = {.from = q->from, .before = WHEN_NEVER, .len = c->len_min};
    *ret = (struct room){.parts = {.v = VEC_INIT}};
    ret->with_windows = pool_earliest(&q->queue->pool, c->demand, c->set, span, &ret->parts);
    ret->at = ret->with_windows;
    if (!q->queue->windows.n)
        return;
    suspend_windows(q, c, true);
    ret->at = pool_earliest(&q->queue->pool, c->demand, c->set, span, &ret->parts);
    suspend_windows(q, c, false);
}

/* Whose end makes the room, and when that is. */
static struct wall explain_room(const struct question *q, const struct plan_choice *c,
                                const struct room *room, struct cause *ret)
{
    if (room->at == WHEN_NEVER)
        add_endless(q, c->set, ret);
    else
        add_blockers(q, &room->parts, room->at, ret);
    return (struct wall){.ms = room->at == WHEN_NEVER || room->at <= q->now.ms ? 0 : room->at};
}

/* The same window may be in the way in several partitions. */
static bool names_window(const struct question *q, const struct cause *c)
{
    for (size_t i = 0; i < q->w->causes.n; i++) {
        const struct cause *other = &q->w->causes.v[i];
        if (other->code == c->code && str_eq(other->name, c->name) && other->n == c->n)
            return true;
    }
    return false;
}

/* n nodes, by these names, are kept for w. */
static void add_window(const struct question *q, const struct window *w, uint32_t n, char *names_taken)
{
    bool ahead = w->start.ms > q->now.ms;
    struct cause c = {.n = n, .nodes = names_taken, .clears = w->end, .at = ahead ? w->start : w->end};
    if (w->kind == WINDOW_MAINTENANCE)
        c.code = ahead ? CAUSE_WINDOW_AHEAD : CAUSE_WINDOW_NOW;
    else
        c.code = ahead ? CAUSE_RESERVED_AHEAD : CAUSE_RESERVED_NOW;
    c.name = xstrdup(w->name);
    if (names_window(q, &c))
        cause_clear(&c);
    else
        why_add_take(q->w, WHY_WINDOW, &c);
}

static void explain_window(const struct question *q, const struct refused *r)
{
    if (r->first_window)
        add_window(q, r->first_window, r->window, refused_names(q->queue, r, &r->window));
}

/* Its nodes are busy now, and when they are free a window is in the way. */
static void explain_window_then(const struct question *q, const struct plan_choice *c,
                                const struct room *room)
{
    const char *reservation = req_rare(&q->j->req)->reservation;
    struct wall from = {.ms = room->at}, until = {.ms = when_plus(room->at, c->len_min)};
    const struct window *first = NULL;
    struct strv names = {0};
    if (room->at == WHEN_NEVER || room->at >= room->with_windows)
        return;
    vec_for_each (&room->parts.v, i) {
        const struct node *n = q->v->model->nodes[room->parts.v.v[i].node];
        const struct window *w = window_in_way(q->v->model, n->spec.name, reservation, from, until);
        first = w && (!first || w->start.ms < first->start.ms) ? w : first;
    }
    for (size_t i = 0; first && i < q->v->model->n_nodes; i++) {
        const char *name = q->v->model->nodes[i]->spec.name;
        if (nodeset_has(c->set, (uint32_t)i) && window_has_node(first, name))
            strv_push(&names, name);
    }
    if (first)
        add_window(q, first, (uint32_t)names.n, hostlist_compress(&names));
    strv_fini(&names);
}

static bool lies_in(const struct pool_use *use, const struct nodeset *s)
{
    for (uint32_t i = 0; i < use->n_parts; i++)
        if (nodeset_has(s, use->parts[i].node))
            return true;
    return false;
}

struct first { /* of places that are held */
    int64_t start, end;
};

static void note_first(struct first *f, const struct pool_use *use)
{
    f->start = use->start < f->start ? use->start : f->start;
    f->end = use->end < f->end ? use->end : f->end;
}

/* Whether there are places for it there: its own, and those of the elements behind the next one. */
static bool has_places_in(const struct pending_entry *u, const struct nodeset *s, struct first *ret)
{
    bool any = lies_in(&u->slot.use, s);
    if (any)
        note_first(ret, &u->slot.use);
    for (uint32_t i = 0; i < u->extra.n; i++)
        if (lies_in(&u->extra.v[i].use, s)) {
            note_first(ret, &u->extra.v[i].use);
            any = true;
        }
    return any;
}

/* Nodes are free, but jobs with a planned start on them go first. False: there are none. */
static bool explain_holds(const struct question *q, const struct plan_choice *c)
{
    struct first first = {WHEN_NEVER, WHEN_NEVER};
    struct cause cause = {.code = CAUSE_DELAYS};
    list_for_each (h, &q->queue->slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        if (u == q->u || !has_places_in(u, c->set, &first))
            continue;
        if (cause.jobs.n < BLOCKERS_MAX)
            strv_push_take(&cause.jobs, model_job_name(q->v->model, u->job));
        else
            cause.more++;
    }
    if (!cause.jobs.n)
        return false;
    cause.clears.ms = first.end == WHEN_NEVER ? 0 : first.end;
    cause.at.ms = first.start;
    why_add_take(q->w, WHY_BEHIND, &cause);
    return true;
}

static bool is_late(const struct question *q, const struct plan_choice *c)
{
    int64_t deadline = q->u->class->deadline;
    bool endless = c->len_min == WHEN_NEVER;
    return deadline != WHEN_NEVER &&
           (endless ? q->now.ms : when_plus(q->now.ms, c->len_min)) >= deadline + !endless;
}

bool why_all_late(const struct question *q)
{
    const struct job_class *g = q->u->class;
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (request_shape_could_ever(q->queue, g->shapes[i]) && !is_late(q, &g->choices[i]))
            return false;
    return g->n_choices > 0;
}

/* Whether it would end too late there if it started now. */
static bool explain_late(const struct question *q, const struct plan_choice *c)
{
    int64_t deadline = q->u->class->deadline;
    bool endless = c->len_min == WHEN_NEVER; /* it gets what is left until then */
    if (!is_late(q, c))
        return false;
    const struct job_req_rare *rare = req_rare(&q->j->req);
    bool own = wall_is_set(rare->deadline) && rare->deadline.ms == deadline;
    enum cause_code code = own ? (endless ? CAUSE_NO_TIME_TO_DEADLINE : CAUSE_LATE_FOR_DEADLINE)
                               : (endless ? CAUSE_NO_TIME_TO_RESERVATION : CAUSE_LATE_FOR_RESERVATION);
    struct cause *late = why_add(q->w, WHY_NOT_ALLOWED, code);
    late->part = xstrdup(q->v->model->spec.parts.v[c->partition].name);
    late->name = own ? NULL : xstrdup(rare->reservation);
    late->at.ms = deadline;
    return true;
}

/* It would get more there than it has asked for: whole nodes, a share of memory. */
static void explain_limit_there(const struct question *q, const struct plan_choice *choice,
                                const struct pool_parts *parts)
{
    const struct job_class *g = q->u->class;
    struct limit_request request = g->requests[choice - g->choices];
    struct limit_verdict v;
    struct cause c = {0};
    limit_request_set_placement(parts, choice->len_min, &request);
    if (limits_check(q->queue->limits, &request, &v) == LIMIT_OK || why_names_limit(q->w))
        return;
    limit_cause(&v, &c);
    c.clears = q->brief ? (struct wall){0} : why_limit_clears(q, &request, 1);
    why_add_take(q->w, limit_why_class(&v), &c);
}

/* What is short: "4 GPUs (2 free)"; on one node where the nodes together would have it. */
static void add_short(const struct question *q, const struct refused *r, struct cause *to)
{
    struct job_need need;
    if (q->step)
        step_task_need(q->step, &need);
    else
        job_need(&q->j->req, &need);
    uint32_t nodes = need.nodes;
    const char *list = req_rare(&q->j->req)->nodelist;
    bool one = nodes <= 1 && !r->spread;
    const struct amount *have = one ? &r->free_most : &r->free_all;
    struct cause *c = cause_add(to, CAUSE_NEEDS_GPUS);
    bool short_of_any = r->gpus || r->cpus || r->mem;
    if (r->groups_max && r->fit >= nodes && r->fit_in_groups < nodes) {
        c->code = CAUSE_NEEDS_GROUPS;
        c->asked = nodes;
        c->free = r->fit_in_groups;
        c->of = r->groups_max;
        return;
    }
    if (r->busy_whole || (!short_of_any && (r->other_users || r->one_user))) {
        c->code = r->busy_whole    ? CAUSE_NEEDS_NODES
                  : r->other_users ? CAUSE_NEEDS_OWN_NODES
                                   : CAUSE_NEEDS_NODES_OF_USER;
        c->asked = nodes;
        c->free = r->fit;
        return;
    }
    bool by_gpus = r->gpus || (r->asked.gpus && !r->cpus && !r->mem);
    if (!by_gpus && !r->cpus && r->mem) {
        c->code = CAUSE_NEEDS_MEMORY;
        c->asked = (uint64_t)r->asked.mem_mib;
        c->free = (uint64_t)r->free_most.mem_mib;
        c->one = one;
        return;
    }
    uint64_t gpus = q->step ? need.gpus : job_gpus(q->j);
    uint64_t cpus = q->step ? need.cpus : job_cpus(q->j);
    uint64_t sum = (uint64_t)(by_gpus ? r->free_all.gpus : r->free_all.cpus);
    c->code = by_gpus ? CAUSE_NEEDS_GPUS : CAUSE_NEEDS_CPUS;
    c->asked = by_gpus ? gpus : cpus;
    c->free = (uint64_t)(by_gpus ? have->gpus : have->cpus);
    c->type = by_gpus ? xstrdup(req_detail(&q->j->req)->gpu_type) : NULL;
    c->nodes = str_is_empty(list) ? NULL : xstrdup(list);
    c->one = one && sum >= c->asked;
    c->nodes_n = nodes;
}

/* The reports of the first nodes about GPUs and about the user. */
static void add_notes(const struct question *q, const struct refused *r, struct cause *to)
{
    if (r->first_gpus && r->first_gpus->gpu_notes.n) {
        struct cause *c = cause_add(to, CAUSE_NODE_GPUS);
        c->name = xstrdup(r->first_gpus->spec.name);
        c->text = xstrdup(r->first_gpus->gpu_notes.v[0]);
    }
    if (r->first_avoided) {
        struct cause *c = cause_add(to, CAUSE_NODE_AVOIDS);
        c->name = xstrdup(r->first_avoided->spec.name);
        c->text = xstrdup(node_avoids(r->first_avoided, q->j->uid)->text);
    }
}

/* What is short there, and which jobs have it. */
static void explain_shortage(const struct question *q, const struct plan_choice *c, const struct refused *r)
{
    struct cause why = {0};
    struct room room;
    enum why_class cls = refused_is_out(r)         ? WHY_NODE_OUT
                         : refused_is_lost_gpus(r) ? WHY_FOREIGN_GPU
                                                   : WHY_BUSY;
    why.code = cls == WHY_NODE_OUT ? CAUSE_NODES_ARE_OUT : CAUSE_NO_PLACE;
    why.part = xstrdup(q->v->model->spec.parts.v[c->partition].name);
    request_describe(q->j, q->step, &why);
    refused_add(q->queue, r, !q->brief || cls != WHY_BUSY, &why); /* a list names only what is short */
    refused_add_out(q->queue, r, &why);
    add_notes(q, r, &why);
    if (cls == WHY_BUSY && (!q->brief || q->queue->windows.n)) {
        find_room(q, c, &room);
        explain_window_then(q, c, &room);
        if (!q->brief)
            why.clears = explain_room(q, c, &room, &why);
        vec_fini(&room.parts.v);
    }
    if (cls == WHY_BUSY) {
        why.next = q->w->rank == 1 && q->w->rank_of > 1;
        add_short(q, r, &why);
    }
    why_add_take(q->w, cls, &why);
}

static bool fits_at(const struct question *q, const struct plan_choice *c, int64_t t,
                    struct pool_parts *ret_parts)
{
    *ret_parts = (struct pool_parts){.v = VEC_INIT};
    return pool_place(&q->queue->pool, c->demand, c->set, t, c->len_min, ret_parts);
}

/* For the time when it is eligible: it fits, but a window begins before it would end. */
static void explain_window_by_then(const struct question *q, const struct plan_choice *c)
{
    struct room room;
    find_room(q, c, &room);
    explain_window_then(q, c, &room);
    vec_fini(&room.parts.v);
}

void why_no_place(const struct question *q, const struct plan_choice *c)
{
    struct refused r;
    struct pool_parts parts;
    bool queues = q->u && q->u->class;
    if (queues && explain_late(q, c))
        return;
    bool fits = fits_at(q, c, q->from, &parts);
    if (fits && queues)
        explain_limit_there(q, c, &parts);
    vec_fini(&parts.v);
    if (fits)
        return;
    bool fits_now = q->from > q->queue->pool.now && fits_at(q, c, q->queue->pool.now, &parts);
    if (fits_now) {
        vec_fini(&parts.v);
        explain_window_by_then(q, c);
        return;
    }
    refused_count(q->queue, q->j, q->step, c->partition, false, &r);
    if (r.window)
        explain_window(q, &r);
    bool told = (r.held && (!queues || explain_holds(q, c))) || r.window;
    bool is_free = !refused_is_busy(&r) && !r.out && !r.drained && !r.avoided && !r.lost_gpus;
    if (!is_free || !told)
        explain_shortage(q, c, &r);
}

void why_task_is_out(const struct question *q, uint32_t partition, struct cause *to)
{
    struct refused r;
    refused_count(q->queue, q->j, q->step, partition, false, &r);
    if (r.fit >= step_task_nodes(q->step) || !refused_is_out(&r))
        return;
    refused_add_out(q->queue, &r, to);
    add_notes(q, &r, to);
}

void why_never(const struct question *q, const struct plan_choice *c)
{
    struct refused r;
    struct cause *why = why_add(q->w, WHY_NO_FIT, CAUSE_NEVER_FITS);
    refused_count(q->queue, q->j, q->step, c->partition, true, &r);
    why->part = xstrdup(q->v->model->spec.parts.v[c->partition].name);
    request_describe(q->j, q->step, why);
    refused_add(q->queue, &r, true, why);
    refused_add_out(q->queue, &r, why);
}
