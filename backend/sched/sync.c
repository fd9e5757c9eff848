/* sync.c - from the state to the planner: what was noted is read again. */
#include <stdlib.h>

#include "backend/sched/gate.h"
#include "backend/sched/planner_private.h"
#include "src/model/dep.h"
#include "src/model/window.h"

#define MAKES_WAY_MS 60000 /* a preempted job lets the other start first, but not for longer */
#define ENDING_MS    1000  /* between KILL and the end */
#define LEAVING_MS   60000 /* after its end was due, somebody else goes instead */

/* --- nodes --- */

static struct amount capacity_of(const struct node *n)
{
    return (struct amount){.cpus = n->cpus < CPUSET_MAX ? n->cpus : CPUSET_MAX,
                           .mem_mib = n->mem_mib > INT64_MAX ? INT64_MAX : (int64_t)n->mem_mib,
                           .gpus = n->gpus == UINT32_MAX ? 0 : n->gpus};
}

/* Cards that nobody holds and nobody gets. One that is held goes on counting until it is given back. */
static int64_t cards_out(const struct node *n)
{
    int64_t out = 0;
    if (n->gpus == UINT32_MAX)
        return 0;
    for (int i = cpuset_next(&n->gpus_out, 0); i >= 0 && (uint32_t)i < n->gpus;
         i = cpuset_next(&n->gpus_out, (unsigned)i + 1))
        out += !cpuset_has(&n->gpus_used, (unsigned)i);
    return out;
}

static bool is_usable(const struct node *n)
{
    return n->state == NODE_UP && !n->drain && !n->gone;
}

/* Returns whether sets of nodes must be made anew. */
static bool sync_node(struct planner *p, uint32_t at)
{
    const struct node *n = p->view->model->nodes[at];
    struct pool_node *have = &p->pool.nodes[at];
    struct amount all = capacity_of(n), cap = all;
    cap.gpus -= cards_out(n);
    p->holes = p->holes || !cpuset_is_empty(&n->gpus_out);
    bool usable = is_usable(n), stale = !str_eq(p->gpu_types[at], n->gpu_type);
    if (stale) {
        free(p->gpu_types[at]);
        p->gpu_types[at] = xstrdup(n->gpu_type);
    }
    if (amount_eq(cap, have->cap) && amount_eq(all, p->empty.nodes[at].cap) && usable == have->usable &&
        have->weight == n->spec.weight)
        return stale;
    if (!amount_eq(cap, have->cap) && p->windows.n) /* they hold all of it */
        p->windows_dirty = true;
    p->lost = true;
    pool_set_node(&p->pool, at, cap, n->spec.weight, usable);
    pool_set_node(&p->empty, at, all, n->spec.weight, !n->gone);
    if (p->backfill.pool)
        backfill_gain(&p->backfill, at);
    p->gained = true;
    idmap_for_each (&p->shapes, slot)
        for (struct shape *s = slot->value; s; s = s->next)
            s->ever = EVER_UNKNOWN;
    return stale;
}

/* What a node can give where cards are out depends on what is held. */
static bool sync_holes(struct planner *p)
{
    const struct model *m = p->view->model;
    bool stale = m->n_nodes != p->pool.n_nodes;
    for (uint32_t i = 0; i < p->pool.n_nodes && !stale; i++)
        stale = !cpuset_is_empty(&m->nodes[i]->gpus_out) && sync_node(p, i);
    return !stale;
}

static bool sync_nodes(struct planner *p)
{
    bool stale = p->view->model->n_nodes != p->pool.n_nodes;
    p->holes = false;
    for (uint32_t i = 0; i < p->pool.n_nodes && !stale; i++)
        stale = sync_node(p, i);
    return !stale;
}

/* --- what runs --- */

/* What should be over is expected a moment later, again and again: on the same grid as pool_advance, so
 * that it does not matter when somebody looked. */
static int64_t not_before_now(const struct planner *p, int64_t end)
{
    return end > p->now.ms ? end : end + ((p->now.ms - end) / OVERDUE_MS + 1) * OVERDUE_MS;
}

int64_t planner_end_of(const struct planner *p, const struct job *j)
{
    if (j->state == JOB_COMPLETING) {
        int64_t asked = wall_is_set(j->t_kill)
                            ? j->t_kill.ms + (int64_t)j->kill_grace_s * MS_PER_S + ENDING_MS
                            : j->t_start.ms;
        return not_before_now(p, asked);
    }
    if (j->time_limit_s == DURATION_UNLIMITED || j->time_limit_s == DURATION_NOT_SET)
        return WHEN_NEVER;
    int64_t len = (int64_t)j->time_limit_s * MS_PER_S;
    return not_before_now(p, j->state == JOB_SUSPENDED ? p->now.ms + len
                                                       : j->t_start.ms + (int64_t)j->suspended_ms + len);
}

void planner_count_element(struct planner *p, uint32_t array, intptr_t by)
{
    if (!array)
        return;
    intptr_t n = (intptr_t)idmap_get(&p->array_running, array) + by;
    if (n > 0)
        idmap_set(&p->array_running, array, (void *)n);
    else
        idmap_remove(&p->array_running, array);
}

static struct runs *runs_of(struct planner *p, const struct job *j)
{
    struct runs *r = idmap_get(&p->runs, j->id);
    if (r)
        return r;
    r = xcalloc(1, sizeof *r);
    r->job = j->id;
    r->array_job = j->array_job;
    list_init(&r->in_leaving);
    list_init(&r->in_prey);
    list_append(&p->running, &r->link);
    idmap_set(&p->runs, j->id, r);
    planner_count_element(p, j->array_job, 1);
    return r;
}

static void add_part(const struct planner *p, struct pool_parts *parts, const struct alloc *a)
{
    uint32_t at = planner_find_node(p, a->node);
    if (at == UINT32_MAX)
        return;
    struct amount amount = {cpuset_count(&a->cpus), (int64_t)a->mem_mib, cpuset_count(&a->gpus)};
    vec_push(&parts->v, (struct pool_part){.node = at, .amount = amount});
}

/* Tasks come in the same order each time, and attempts only grow: it is the next one, or a new one. */
static struct run *find_run(struct runs *r, uint32_t attempt)
{
    if (attempt > r->attempt_max)
        return NULL;
    for (size_t k = 0; k < r->v.n; k++) {
        size_t i = (r->at + k) % r->v.n;
        if (r->v.v[i]->attempt != attempt)
            continue;
        r->at = i + 1;
        return r->v.v[i];
    }
    return NULL;
}

/* One allocation of j lies on the pool until `end`; taken over where it does already. */
static void sync_run(struct planner *p, struct runs *r, uint32_t attempt, const struct alloc *a, size_t n,
                     int64_t end)
{
    struct run *run = find_run(r, attempt);
    if (run) {
        run->seen = true;
        if (run->use.end == end || !run->use.parts)
            return;
        if (end < run->use.end) {
            backfill_gain_all(&p->backfill, &run->use);
            p->gained = true;
        }
        p->lost = p->lost || end > run->use.end;
        pool_change_end(&p->pool, &run->use, end);
        return;
    }
    struct pool_parts parts = {VEC_INIT};
    for (size_t i = 0; i < n; i++)
        add_part(p, &parts, &a[i]);
    run = xcalloc(1, sizeof *run);
    *run = (struct run){.attempt = attempt, .seen = true};
    if (parts.v.n)
        pool_run(&p->pool, &run->use, &parts, end);
    vec_push(&r->v, run);
    r->attempt_max = attempt > r->attempt_max ? attempt : r->attempt_max;
    vec_fini(&parts.v);
}

static void sync_tasks(struct planner *p, struct runs *r, const struct job *j, int64_t end)
{
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n && !j->steps.v[i].done; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING)
                sync_run(p, r, t->attempt, &t->alloc, 1, end);
        }
}

static void sweep_runs(struct planner *p, struct runs *r)
{
    size_t kept = 0;
    vec_for_each (&r->v, i) {
        struct run *run = r->v.v[i];
        if (run->seen) {
            r->v.v[kept++] = run;
            continue;
        }
        backfill_gain_all(&p->backfill, &run->use);
        pool_drop(&p->pool, &run->use);
        free(run);
        p->gained = true;
    }
    r->v.n = kept;
}

static void drop_runs(struct planner *p, struct runs *r)
{
    prey_before(p, r);
    vec_for_each (&r->v, i)
        r->v.v[i]->seen = false;
    sweep_runs(p, r);
    vec_fini(&r->v);
    planner_count_element(p, r->array_job, -1);
    idmap_remove(&p->runs, r->job);
    list_unlink(&r->link);
    list_unlink(&r->in_leaving);
    list_unlink(&r->in_prey);
    free(r);
    p->gained = true; /* a throttle or a limit may have opened */
}

static void sync_licences(struct planner *p, uint32_t id, const struct job *j)
{
    const struct model *m = p->view->model;
    const char *now = j && licence_holds(j) ? j->req.licenses : NULL;
    char *had = m->spec.licenses.n ? idmap_get(&p->licensed, id) : NULL;
    if (!m->spec.licenses.n || (had ? now && str_eq(now, had) : !now))
        return;
    if (had)
        licence_book(&p->licences_held, m, had, true);
    free(idmap_remove(&p->licensed, id));
    if (now) {
        licence_book(&p->licences_held, m, now, false);
        idmap_set(&p->licensed, id, xstrdup(now));
    }
}

static void sync_runs(struct planner *p, uint32_t id, const struct job *j)
{
    struct runs *r = idmap_get(&p->runs, id);
    bool active = j && (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED || j->state == JOB_COMPLETING);
    if (!active) {
        if (r)
            drop_runs(p, r);
        return;
    }
    bool is_new = !r;
    r = runs_of(p, j);
    prey_before(p, r);
    vec_for_each (&r->v, i)
        r->v.v[i]->seen = false;
    int64_t end = planner_end_of(p, j);
    list_unlink(&r->in_leaving);
    r->for_job = 0;
    if (j->state == JOB_COMPLETING && wall_is_set(j->t_kill))
        planner_see_off(p, r, j->kill_cause == KILL_PREEMPT ? j->preempted_by : 0,
                        j->t_kill.ms + (int64_t)j->kill_grace_s * MS_PER_S + LEAVING_MS);
    if (j->kind == JOB_KIND_STEPS)
        sync_tasks(p, r, j, end);
    else if (j->holding)
        sync_run(p, r, 0, j->alloc.v, j->alloc.n, end);
    sweep_runs(p, r);
    prey_look_at(p, r, j, is_new);
    prey_after(p, r);
}

/* --- what waits --- */

static bool stands_behind(const struct unit *a, const struct unit *b)
{
    if (a->submit_ms != b->submit_ms)
        return a->submit_ms > b->submit_ms;
    return a->order_id != b->order_id ? a->order_id > b->order_id : a->order_index > b->order_index;
}

static void enter_group(struct planner *p, struct unit *u, struct group *g)
{
    struct list *pos = &g->units;
    while (pos->prev != &g->units && stands_behind(container_of(pos->prev, struct unit, in_group), u))
        pos = pos->prev;
    list_insert_before(pos, &u->in_group);
    u->group = g;
    u->vain_mark = 0; /* it asks for something else */
    g->n_units++;
    if (p->reading) /* it is told with its group, and there is a pass over all */
        return;
    vec_push(&p->moved, u->job);
    vec_push(&p->fresh, u->job);
}

static void leave_group(struct planner *p, struct unit *u)
{
    struct group *g = u->group;
    heap_remove(&p->wakes, &u->by_wake);
    if (!g)
        return;
    u->group = NULL;
    list_unlink(&u->in_group);
    if (--g->n_units == 0)
        planner_drop_group(p, g);
}

void planner_remove_unit(struct planner *p, struct unit *u)
{
    p->gained = p->gained || u->hold.use.parts;
    backfill_give_up(&p->backfill, &u->hold);
    leave_group(p, u);
    idmap_remove(&p->units, u->job);
    free(u);
}

const struct step *planner_waiting_step(const struct job *j, uint32_t *ret_tasks)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        *ret_tasks = 0;
        for (size_t k = 0; k < s->tasks.n && !s->done && !s->killing; k++)
            *ret_tasks += s->tasks.v[k].state == TASK_WAITING;
        if (*ret_tasks)
            return s;
    }
    return NULL;
}

/* How much of j waits: 0 when nothing does. */
static uint32_t waiting_count(const struct job *j, const struct step **ret_step)
{
    uint32_t n = 0;
    *ret_step = NULL;
    if (!j)
        return 0;
    if (j->kind == JOB_KIND_STEPS && (j->state == JOB_PENDING || j->state == JOB_RUNNING)) {
        *ret_step = planner_waiting_step(j, &n);
        return *ret_step ? n : 0;
    }
    return j->state == JOB_PENDING ? job_pending_elements(j) : 0;
}

static void park(struct planner *p, struct unit *u, enum reason why, struct wall clears)
{
    p->gained = p->gained || u->hold.use.parts;
    backfill_give_up(&p->backfill, &u->hold);
    leave_group(p, u);
    u->parked = why;
    vec_push(&p->moved, u->job);
    if (wall_is_set(clears))
        heap_insert(&p->wakes, &u->by_wake, clears.ms);
}

static void look_at_dependencies(const struct planner *p, struct unit *u, const struct job *j)
{
    struct deps d;
    u->by_element = u->singleton = false;
    if (str_is_empty(j->req.dependency) || j->state != JOB_PENDING ||
        dep_parse(j->req.dependency, &d, NULL) < 0)
        return;
    u->singleton = dep_is_singleton(j);
    u->by_element = !j->dep_met && !dep_is_final(p->view->model, j, &d);
    u->is_special = u->is_special || u->singleton || u->by_element;
    deps_fini(&d);
}

static void keep_what_was_told(const struct planner *p, struct unit *u)
{
    const struct unit *was = planner_unit_before(p, u->job);
    if (!was)
        return;
    u->told = was->told;
    u->forecast = was->forecast;
    u->forecast_t = was->forecast_t;
    u->first_forecast = was->first_forecast;
    u->first_forecast_t = was->first_forecast_t;
}

static void sync_unit(struct planner *p, uint32_t id, const struct job *j)
{
    const struct step *s;
    struct unit *u = idmap_get(&p->units, id);
    uint32_t n = waiting_count(j, &s);
    if (!n) {
        if (u)
            planner_remove_unit(p, u);
        return;
    }
    if (!u) {
        u = xcalloc(1, sizeof *u);
        u->job = id;
        idmap_set(&p->units, id, u);
        keep_what_was_told(p, u);
    }
    u->count = n;
    u->at = 0;
    u->chosen = NULL;
    u->step_at = s ? (uint32_t)(s - j->steps.v) : 0;
    u->task_at = 0;
    u->made_way_for = j->state == JOB_PENDING ? j->preempted_by : 0;
    u->makes_way_until = j->t_eligible.ms + MAKES_WAY_MS;
    u->is_special = (j->array_job && j->req.array_throttle) || u->made_way_for;
    look_at_dependencies(p, u, j);
    u->submit_ms = j->t_submit.ms;
    u->order_id = j->array_job ? j->array_job : j->id;
    u->order_index = j->array_index;
    struct wall clears = {0};
    enum reason gate = j->state == JOB_PENDING ? gate_job(p->view, j, p->now, &clears) : REASON_NONE;
    struct group *g = gate == REASON_NONE ? planner_group(p, j, s, &gate) : NULL;
    if (!g) {
        park(p, u, gate, clears);
        return;
    }
    if (g == u->group) /* its place in the row does not change */
        return;
    if (u->group) {
        p->gained = p->gained || u->hold.use.parts;
        backfill_give_up(&p->backfill, &u->hold);
    }
    leave_group(p, u);
    u->parked = REASON_NONE;
    enter_group(p, u, g);
}

/* --- windows --- */

/* Its nodes as positions. */
static void nodes_of_window(const struct planner *p, const struct window *w, struct nodeset *ret)
{
    nodeset_init(ret, p->pool.n_nodes);
    bool all = w->nodes.n == 1 && str_eq(w->nodes.v[0], WINDOW_ALL_NODES);
    for (uint32_t i = 0; all && i < p->pool.n_nodes; i++)
        nodeset_add(ret, i);
    for (size_t i = 0; !all && i < w->nodes.n; i++) {
        uint32_t at = planner_find_node(p, w->nodes.v[i]);
        if (at != UINT32_MAX)
            nodeset_add(ret, at);
    }
}

static void parts_of_window(const struct planner *p, const struct window *w, struct pool_parts *ret)
{
    struct nodeset s;
    nodes_of_window(p, w, &s);
    for (uint32_t k = 0; k < p->pool.n_nodes; k++)
        if (nodeset_has(&s, k))
            vec_push(&ret->v, (struct pool_part){.node = k, .amount = p->pool.nodes[k].cap});
    nodeset_fini(&s);
}

static bool same_parts(const struct pool_use *u, const struct pool_parts *parts)
{
    bool same = u->n_parts == parts->v.n;
    for (uint32_t i = 0; i < u->n_parts && same; i++)
        same =
            u->parts[i].node == parts->v.v[i].node && amount_eq(u->parts[i].amount, parts->v.v[i].amount);
    return same;
}

/* What waits for it, or in it, is asked at the gate again; its groups are made anew. */
static void turn_out(struct planner *p, const char *name)
{
    idmap_for_each (&p->units, slot) {
        struct unit *u = slot->value;
        const struct job *j = planner_job(p, u->job);
        if (!j || !str_eq(j->req.reservation, name))
            continue;
        vec_push(&p->dirty, u->job);
        if (!u->group)
            continue;
        backfill_give_up(&p->backfill, &u->hold);
        leave_group(p, u);
    }
}

static bool is_reservation(const struct window *w)
{
    return w->kind == WINDOW_RESERVATION;
}

static void drop_window(struct planner *p, struct window_use *use)
{
    backfill_gain_all(&p->backfill, &use->use);
    p->gained = true;
    pool_drop(&p->pool, &use->use);
    free(use->name);
    free(use);
}

static void drop_windows(struct planner *p)
{
    vec_for_each (&p->windows, i)
        drop_window(p, p->windows.v[i]);
    vec_clear(&p->windows);
}

static void add_window(struct planner *p, const struct window *w, const struct pool_parts *parts)
{
    struct window_use *use = xcalloc(1, sizeof *use);
    *use = (struct window_use){.name = xstrdup(w->name),
                               .start = w->start.ms,
                               .end = w->end.ms,
                               .is_reservation = is_reservation(w)};
    if (parts->v.n)
        pool_hold(&p->pool, &use->use, parts, w->start.ms, w->end.ms);
    vec_push(&p->windows, use);
    p->lost = true;
}

/* The one that is there for it already, as it is now; NULL: none. */
static struct window_use *find_window(struct planner *p, const struct window *w,
                                      const struct pool_parts *parts)
{
    vec_for_each (&p->windows, i) {
        struct window_use *use = p->windows.v[i];
        if (str_eq(use->name, w->name) && use->start == w->start.ms && use->end == w->end.ms &&
            use->is_reservation == is_reservation(w) && same_parts(&use->use, parts))
            return use;
    }
    return NULL;
}

/* Those that are no longer there, or have changed, go; then come those that are new. */
static void sync_windows(struct planner *p)
{
    const struct model *m = p->view->model;
    struct pool_parts *parts = xcalloc(m->windows.n + 1, sizeof *parts);
    bool *there = xcalloc(m->windows.n + 1, sizeof *there);
    vec_for_each (&p->windows, i)
        p->windows.v[i]->seen = false;
    for (size_t i = 0; i < m->windows.n; i++) {
        parts_of_window(p, &m->windows.v[i], &parts[i]);
        struct window_use *use = find_window(p, &m->windows.v[i], &parts[i]);
        there[i] = use != NULL;
        if (use)
            use->seen = true;
    }
    size_t kept = 0;
    vec_for_each (&p->windows, i) {
        struct window_use *use = p->windows.v[i];
        if (use->seen) {
            p->windows.v[kept++] = use;
            continue;
        }
        if (use->is_reservation) {
            forecast_forget(p); /* it may be looking at groups that have their place in it */
            turn_out(p, use->name);
        }
        drop_window(p, use);
    }
    p->windows.n = kept;
    for (size_t i = 0; i < m->windows.n; i++) {
        if (!there[i]) {
            add_window(p, &m->windows.v[i], &parts[i]);
            if (is_reservation(&m->windows.v[i]))
                turn_out(p, m->windows.v[i].name);
        }
        vec_fini(&parts[i].v);
    }
    free(parts);
    free(there);
}

/* --- everything --- */

void planner_drop_started(struct planner *p)
{
    vec_for_each (&p->started, i) {
        backfill_gain_all(&p->backfill, &p->started.v[i]->use); /* what runs is charged again */
        pool_drop(&p->pool, &p->started.v[i]->use);
        planner_count_element(p, p->started.v[i]->array_job, -1);
        free(p->started.v[i]);
    }
    vec_clear(&p->started);
}

static void forget_ranks(struct planner *p)
{
    if (p->ranked)
        prio_ctx_fini(&p->prio);
    p->ranked = false;
    vec_clear(&p->fresh);
}

static void forget_owners(struct planner *p)
{
    idmap_for_each (&p->owners, slot)
        for (struct owner *o = slot->value, *next; o; o = next) {
            next = o->next;
            free(o->account);
            free(o->user);
            free(o);
        }
    idmap_fini(&p->owners);
    p->owners = (struct idmap){0};
}

void planner_forget(struct planner *p)
{
    forecast_forget(p);
    prey_forget(p);
    idmap_fini(&p->awaited);
    p->awaited = (struct idmap){0};
    planner_drop_started(p);
    idmap_for_each (&p->units, slot) {
        struct unit *u = slot->value;
        backfill_give_up(&p->backfill, &u->hold);
        leave_group(p, u);
        free(u);
    }
    idmap_fini(&p->units);
    p->units = (struct idmap){0};
    list_for_each (r, &p->running, struct runs, link)
        drop_runs(p, r);
    idmap_fini(&p->runs);
    p->runs = (struct idmap){0};
    drop_windows(p);
    backfill_fini(&p->backfill);
    for (uint32_t i = 0; i < p->pool.n_nodes; i++)
        free(p->gpu_types[i]);
    free(p->gpu_types);
    free(p->taken);
    for (uint32_t i = 0; i < p->n_parts; i++)
        nodeset_fini(&p->part_nodes[i]);
    free(p->part_nodes);
    free(p->first_blocked);
    p->first_blocked = NULL;
    pool_fini(&p->pool);
    pool_fini(&p->empty);
    idmap_fini(&p->node_at);
    idmap_fini(&p->array_running);
    idmap_fini(&p->sets);
    idmap_fini(&p->shapes);
    idmap_fini(&p->group_map);
    forget_owners(p);
    forget_ranks(p);
    heap_fini(&p->wakes);
    limits_free(p->limits);
    p->limits = NULL;
    idmap_for_each (&p->licensed, slot)
        free(slot->value);
    idmap_fini(&p->licensed);
    p->licensed = (struct idmap){0};
    licence_use_fini(&p->licences_held);
    licence_use_fini(&p->licences);
    p->node_at = p->array_running = p->sets = p->shapes = p->group_map = (struct idmap){0};
    p->wakes = (struct heap){0};
    p->gpu_types = NULL;
    p->taken = NULL;
    p->part_nodes = NULL;
    p->n_parts = 0;
}

static bool has_soft(const struct limit_set *l)
{
    const uint64_t most[] = {l->gpus, l->cpus, l->mem_mib, l->nodes, l->running_jobs, l->gpu_minutes};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        if (most[i] != LIMIT_NONE)
            return true;
    return false;
}

static bool has_preemption(const struct cluster_spec *s)
{
    for (size_t i = 0; i < s->parts.n; i++)
        if (s->parts.v[i].preempt_mode != PREEMPT_OFF)
            return true;
    for (size_t i = 0; i < s->qos.n; i++)
        if (s->qos.v[i].preempt.n)
            return true;
    for (size_t i = 0; i < s->limits.n; i++)
        if (has_soft(&s->limits.v[i].soft))
            return true;
    return false;
}

static void set_up_parts(struct planner *p)
{
    const struct model *m = p->view->model;
    p->n_parts = (uint32_t)m->spec.parts.n;
    p->part_nodes = xcalloc(p->n_parts ? p->n_parts : 1, sizeof *p->part_nodes);
    p->first_blocked = xcalloc(p->n_parts ? p->n_parts : 1, sizeof *p->first_blocked);
    for (uint32_t i = 0; i < p->n_parts; i++) {
        nodeset_init(&p->part_nodes[i], p->pool.n_nodes);
        for (size_t k = 0; k < m->spec.parts.v[i].nodes.n; k++) {
            uint32_t at = planner_find_node(p, m->spec.parts.v[i].nodes.v[k]);
            if (at != UINT32_MAX)
                nodeset_add(&p->part_nodes[i], at);
        }
    }
}

static struct backfill_opts opts_of(const struct cluster_spec *s)
{
    switch ((enum backfill_mode)s->backfill) {
    case BACKFILL_EASY: return (struct backfill_opts){.depth = 1, .backfill = true};
    case BACKFILL_OFF: return (struct backfill_opts){.depth = 0};
    case BACKFILL_CONSERVATIVE: break;
    }
    uint32_t depth = s->reservations ? s->reservations : 1;
    return (struct backfill_opts){.depth = depth, .backfill = true, .keep = true};
}

void planner_read_frame(struct planner *p)
{
    const struct model *m = p->view->model;
    pool_init(&p->pool, (uint32_t)m->n_nodes, p->now.ms);
    pool_init(&p->empty, (uint32_t)m->n_nodes, p->now.ms);
    p->gpu_types = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof(char *));
    p->taken = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *p->taken);
    struct backfill_opts opts = opts_of(&m->spec);
    backfill_init(&p->backfill, &p->pool, &opts, (uint32_t)m->spec.parts.n);
    p->limits = limits_new_empty(m);
    p->may_preempt = has_preemption(&m->spec);
    for (size_t i = 0; i < m->spec.licenses.n; i++)
        vec_push(&p->licences_held.used, 0);
}

void planner_read_node(struct planner *p, uint32_t at)
{
    const char *name = p->view->model->nodes[at]->spec.name;
    idmap_set(&p->node_at, hash_bytes(name, strlen(name)), (void *)(uintptr_t)(at + 1));
    sync_node(p, at);
}

void planner_read_parts(struct planner *p)
{
    set_up_parts(p);
    sync_windows(p);
}

void planner_read_job(struct planner *p, uint32_t id)
{
    const struct job *j = model_get_job(p->view->model, id);
    if (!j || job_state_is_final(j->state))
        return;
    limits_recount(p->limits, p->view->model, id);
    sync_runs(p, id, j);
    sync_licences(p, id, j);
    sync_unit(p, id, planner_job(p, id));
}

static void wake_parked(struct planner *p)
{
    for (struct heap_node *h; (h = heap_peek(&p->wakes)) && h->key <= p->now.ms;) {
        vec_push(&p->dirty, container_of(h, struct unit, by_wake)->job);
        heap_pop(&p->wakes);
    }
}

/* A window that is over has given its nodes back. */
static void end_windows(struct planner *p)
{
    vec_for_each (&p->windows, i) {
        const struct window_use *w = p->windows.v[i];
        if (w->end <= p->last_now || w->end > p->now.ms)
            continue;
        if (w->is_reservation)
            turn_out(p, w->name);
        backfill_gain_all(&p->backfill, &w->use);
        p->gained = true;
    }
}

/* Started in the last pass and over before this one: it was never seen running, and what it was given is
 * free. */
static bool came_and_went(const struct planner *p, uint32_t id, const struct job *j)
{
    bool over = !j || job_state_is_final(j->state) || (j->state == JOB_PENDING && j->restarts);
    return (over && !idmap_get(&p->runs, id)) || (j && j->kind == JOB_KIND_STEPS); /* its tasks may have */
}

bool planner_is_stale(struct planner *p)
{
    bool back = p->now.ms < p->last_now; /* the clock was set back */
    if (p->all_dirty || back)
        return true;
    if ((p->nodes_dirty && !sync_nodes(p)) || (p->holes && p->dirty.n && !sync_holes(p)))
        return true;
    p->nodes_dirty = false;
    return false;
}

/* What events have named since the last pass. */
static void sync_noted(struct planner *p)
{
    const struct model *m = p->view->model;
    bool started = p->started.n > 0;
    planner_drop_started(p);
    wake_parked(p);
    end_windows(p);
    if (p->windows_dirty)
        sync_windows(p);
    p->windows_dirty = false;
    p->pool.now = p->now.ms;
    vec_for_each (&p->dirty, i) {
        uint32_t id = p->dirty.v[i];
        const struct job *j = planner_job(p, id);
        limits_recount(p->limits, m, id);
        if (started && came_and_went(p, id, j))
            p->gained = true;
        sync_runs(p, id, j);
        sync_licences(p, id, j);
        sync_unit(p, id, j);
    }
    vec_clear(&p->dirty);
}

void planner_sync(struct planner *p)
{
    bool again = p->all_dirty || p->view->model->n_nodes != p->pool.n_nodes;
    if (p->reading ? again : planner_is_stale(p)) {
        vec_clear(&p->dirty);
        planner_begin_reading(p);
    }
    if (p->reading)
        planner_read_all(p);
    if (p->nodes_dirty && planner_is_stale(p)) { /* they have changed while it was read */
        vec_clear(&p->dirty);
        planner_begin_reading(p);
        planner_read_all(p);
    }
    sync_noted(p);
    pool_advance(&p->pool, p->now.ms, OVERDUE_MS);
    p->last_now = p->now.ms;
}

void planner_ready(struct planner *p, const struct sched_view *v, struct wall now)
{
    bool stale = p->dirty.n || p->all_dirty || p->nodes_dirty || p->windows_dirty ||
                 v->model->n_nodes != p->pool.n_nodes;
    p->view = v;
    p->now = now;
    if (p->in_pieces && (p->reading || p->all_dirty)) {
        while (!planner_has_frame(p) || p->all_dirty) /* the rest has its time */
            planner_prepare(p, v, now, 1);
        return;
    }
    if (stale)
        planner_sync(p);
}
