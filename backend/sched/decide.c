/* decide.c - one pass: groups in the order of their heads; gates that count, then resources, then a place
 * held.
 *
 *     heap of groups by (within limits, tier, begun, priority, submission, id)
 *     pop the first: its head
 *        throttled                   -> the next of the group
 *        over a hard limit, licences -> the group is done
 *        over a soft limit           -> the group stands behind everybody, what it gets is borrowed
 *        fits now                    -> start; the group goes on with its next
 *        may preempt, and it helps   -> others go, a place is held
 *        else                        -> a place is held where the partition has one left; or the group is
 * done
 *
 * The pool shrinks within a pass, so a shape that did not fit is not tried again before something is given
 * up.
 */
#include <stdlib.h>

#include "backend/sched/licence.h"
#include "backend/sched/planner_private.h"
#include "src/model/dep.h"

#define LOOK_AGAIN_MS 1000
#define HUNT_AGAIN_MS 50    /* those whose turn to ask others has not come */
#define NEWCOMERS_MAX 64    /* at a time */
#define ALL_MS        10000 /* limits open as time goes by: looked at so often */
#define ROUNDS_MAX    4     /* in one pass; what is left then comes with the next one, at once */

struct turn {
    struct group *g;
    struct unit *u; /* of newcomers; else it is the group's head */
    struct rank rank;
    bool borrow;
};

struct position { /* of a choice */
    uint32_t at;  /* in the group */
    bool soft;    /* what starts there is borrowed */
};

struct pass {
    struct planner *p;
    VEC(struct turn) heap;
    struct backfill_place place;
    struct backfill_choice *choices; /* of the item in hand: those that limits leave */
    struct position *positions;      /* and which they are */
    size_t n_room;
};

static struct unit *head_of(const struct group *g)
{
    return container_of(g->cursor, struct unit, in_group);
}

/* --- the order --- */

/* The turn of a group's head. */
static struct turn turn_of(struct group *g, bool borrow)
{
    const struct unit *u = head_of(g);
    return (struct turn){
        .g = g,
        .rank = rank_of(borrow, g->tier, g->begun, g->prio, u->submit_ms, u->order_id, u->order_index),
        .borrow = borrow};
}

static bool goes_first(const struct turn *a, const struct turn *b)
{
    return rank_before(&a->rank, &b->rank);
}

static void sink(struct pass *s, size_t i)
{
    struct turn *v = s->heap.v, t = v[i];
    for (size_t k; (k = 2 * i + 1) < s->heap.n; i = k) {
        if (k + 1 < s->heap.n && goes_first(&v[k + 1], &v[k]))
            k++;
        if (!goes_first(&v[k], &t))
            break;
        v[i] = v[k];
    }
    v[i] = t;
}

static void rise(struct pass *s, size_t i)
{
    struct turn *v = s->heap.v, t = v[i];
    for (; i && goes_first(&t, &v[(i - 1) / 2]); i = (i - 1) / 2)
        v[i] = v[(i - 1) / 2];
    v[i] = t;
}

static struct turn pop(struct pass *s)
{
    struct turn first = s->heap.v[0];
    s->heap.v[0] = s->heap.v[--s->heap.n];
    if (s->heap.n)
        sink(s, 0);
    return first;
}

static void push(struct pass *s, struct turn t)
{
    vec_push(&s->heap, t);
    rise(s, s->heap.n - 1);
}

/* Makes the next unit that has something left the head; false: there is none. */
static bool advance(struct planner *p, struct group *g)
{
    do
        g->cursor = g->cursor->next;
    while (g->cursor != &g->units && head_of(g)->count == 0);
    if (g->cursor == &g->units)
        return false;
    g->prio = planner_rank(p, g, head_of(g)->job, head_of(g)->submit_ms);
    return true;
}

/* --- starting --- */

static uint32_t nth_element(const struct job *j, uint32_t n)
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
    planner_alloc(p, &at->parts, &alloc, &n);
    struct sched_place out = {.job = j->id,
                              .place = {.step = s->id,
                                        .task = t->index,
                                        .alloc = alloc[0],
                                        .partition = xstrdup(part),
                                        .time_limit_s = planner_limit_s(at->len),
                                        .borrowed = borrow}};
    free(alloc);
    vec_push(&p->out->places, out);
}

static void start_job(struct planner *p, const struct job *j, const struct unit *u, const char *part,
                      const struct backfill_place *at, bool borrow)
{
    uint32_t index = job_is_array_record(j) ? nth_element(j, u->at) : ARRAY_NONE;
    struct sched_start out = {.job = j->id,
                              .array_index = index,
                              .start = {.array_index = index,
                                        .partition = xstrdup(part),
                                        .time_limit_s = planner_limit_s(at->len),
                                        .borrowed = borrow}};
    planner_alloc(p, &at->parts, &out.start.alloc.v, &out.start.alloc.n);
    vec_push(&p->out->starts, out);
}

/* What it takes there: more than it has asked for where it gets whole nodes, or a share of memory. */
static struct limit_ask ask_of(const struct group *g, const struct unit *u, uint32_t choice,
                               const struct pool_parts *parts, int64_t len)
{
    struct limit_ask ask = g->asks[choice];
    ask.jobs = u->chosen ? 0 : ask.jobs;
    planner_ask_exactly(parts, len, &ask);
    return ask;
}

/* It runs as far as this pass is concerned; the next one takes it from the state. */
static void start(struct pass *s, struct group *g, struct unit *u)
{
    struct planner *p = s->p;
    const struct model *m = p->view->model;
    const struct job *j = planner_job(p, u->job);
    uint32_t choice = s->positions[s->place.choice].at;
    bool borrow = s->positions[s->place.choice].soft;
    const char *part = m->spec.parts.v[g->choices[choice].lane].name;
    struct tentative *t = xcalloc(1, sizeof *t);
    t->job = u->job;
    t->array_job = j->array_job;
    pool_run(&p->pool, &t->use, &s->place.parts, when_plus(p->now.ms, s->place.len));
    vec_push(&p->started, t);
    planner_count_element(p, j->array_job, 1);
    struct limit_ask ask = ask_of(g, u, choice, &s->place.parts, s->place.len);
    limits_charge(p->limits, &ask);
    t->ask = ask;
    if (g->licensed && !u->chosen)
        licence_take(&p->licences, m, j);
    if (j->kind == JOB_KIND_STEPS)
        start_task(p, j, u, part, &s->place, borrow);
    else
        start_job(p, j, u, part, &s->place, borrow);
    if (j->kind == JOB_KIND_STEPS)
        u->chosen = g->shapes[choice];
    forecast_learn(p, u);
    u->first_forecast_t = 0;
    u->count--;
    u->at++;
    planner_note_job(p, u->job);
}

/* --- gates that count --- */

static bool is_throttled(const struct planner *p, const struct unit *u)
{
    const struct job *j = planner_job(p, u->job);
    return j->array_job && j->req.array_throttle &&
           (uintptr_t)idmap_get(&p->array_running, j->array_job) >= j->req.array_throttle;
}

/* In this pass: one of the same name, or an element of its own. */
static bool namesake_has_started(const struct planner *p, const struct unit *u)
{
    const struct job *j = planner_job(p, u->job);
    vec_for_each (&p->started, i) {
        const struct job *other = planner_job(p, p->started.v[i]->job);
        bool own_task = u->chosen && p->started.v[i]->job == u->job;
        if (!own_task && other->uid == j->uid && str_eq(other->req.name, j->req.name))
            return true;
    }
    return false;
}

/* Goes on to the next element that its dependencies let go. */
static bool find_element(const struct planner *p, struct unit *u, const struct job *j)
{
    struct deps d;
    uint32_t n = job_pending_elements(j);
    if (dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    while (u->at < n && dep_state(p->view->model, j, &d, nth_element(j, u->at), p->now, NULL) != DEP_MET)
        u->at++;
    deps_fini(&d);
    return u->at < n;
}

/* It has just gone so that another could start, who has not yet: without this one that stands before the
 * other would go round for ever, starting and going. */
static bool makes_way(struct planner *p, const struct unit *u)
{
    bool waits = planner_makes_way_for(p, u) != 0;
    p->look_again = p->look_again || waits;
    return waits;
}

/* Gates that the state alone could not answer: what this pass has started counts, and which element it is.
 */
static enum reason gate_of_pass(const struct pass *s, struct unit *u)
{
    if (makes_way(s->p, u))
        return REASON_PRIORITY;
    if (is_throttled(s->p, u))
        return REASON_ARRAY_LIMIT;
    if (!u->singleton && !u->by_element)
        return REASON_NONE;
    const struct job *j = planner_job(s->p, u->job);
    if ((u->singleton && namesake_has_started(s->p, u)) || (u->by_element && !find_element(s->p, u, j)))
        return REASON_DEPENDENCY;
    return REASON_NONE;
}

static bool group_could_ever(struct planner *p, struct group *g);

/* The choices that limits leave, with what is borrowed where `borrow` says so. None left: the verdict says
 * why, LIMIT_OVER_SOFT: all that is left would be borrowed. */
static enum limit_state leave_choices(struct pass *s, struct group *g, const struct unit *u, bool borrow,
                                      struct backfill_item *ret)
{
    enum limit_state best = LIMIT_OVER_HARD;
    ret->n_choices = 0;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        struct limit_verdict v;
        struct limit_ask ask = g->asks[i];
        if (u->chosen && u->chosen != g->shapes[i]) /* its tasks stay in one partition */
            continue;
        if (!planner_could_ever(s->p, g->shapes[i]) &&
            group_could_ever(s->p, g)) /* no help if it is open */
            continue;
        ask.jobs = u->chosen ? 0 : ask.jobs;
        enum limit_state state = limits_check(s->p->limits, &ask, &v);
        if (state != LIMIT_OK && (ret->n_choices == 0 || state < best))
            g->verdict = v;
        best = state < best ? state : best;
        if (state == LIMIT_OVER_HARD || (state == LIMIT_OVER_SOFT && !borrow))
            continue;
        s->positions[ret->n_choices] = (struct position){i, state == LIMIT_OVER_SOFT};
        s->choices[ret->n_choices++] = g->choices[i];
    }
    ret->choices = s->choices;
    ret->deadline = g->deadline;
    ret->ends = g->ends;
    return best;
}

/* --- one head --- */

/* It did not fit, and nothing has come free since that it could use. */
static bool shape_is_dead(const struct planner *p, struct shape *sh)
{
    if (sh->dead && backfill_gained_since(&p->backfill, sh->dead_mark, &sh->demand, &sh->set->nodes))
        sh->dead = false;
    sh->dead_mark = backfill_mark(&p->backfill);
    return sh->dead;
}

static bool is_dead(const struct planner *p, const struct group *g)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (!shape_is_dead(p, g->shapes[i]))
            return false;
    return true;
}

static void mark_dead(const struct planner *p, const struct group *g)
{
    for (uint32_t i = 0; i < g->n_choices; i++) {
        if (p->backfill.lanes[g->choices[i].lane].closed) /* it was not asked */
            continue;
        g->shapes[i]->dead = true;
        g->shapes[i]->dead_mark = backfill_mark(&p->backfill);
    }
}

static bool is_unknown(const struct node *n)
{
    return !n->boot_id && (!n->spec.cpus || !n->spec.mem_mib || n->spec.gpus == UINT32_MAX);
}

bool planner_could_ever(struct planner *p, struct shape *s)
{
    if (s->ever != EVER_UNKNOWN)
        return s->ever == EVER_YES;
    struct pool_parts parts = {VEC_INIT};
    bool ever = pool_place(&p->empty, &s->demand, &s->set->nodes, p->now.ms, 1, &parts);
    for (uint32_t i = 0; i < p->pool.n_nodes && !ever; i++)
        ever = nodeset_has(&s->set->nodes, i) && is_unknown(p->view->model->nodes[i]);
    vec_fini(&parts.v);
    s->ever = ever ? EVER_YES : EVER_NO;
    return ever;
}

static bool group_could_ever(struct planner *p, struct group *g)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (planner_could_ever(p, g->shapes[i]))
            return true;
    return false;
}

/* The first that does not fit in each of its partitions is the one whose turn it is. */
static enum reason reason_of_blocked(struct planner *p, const struct group *g, const struct unit *u)
{
    bool first = u->hold.use.parts != NULL;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        uint32_t *blocked = &p->first_blocked[g->choices[i].lane];
        if (!*blocked || !idmap_get(&p->units, *blocked)) /* or it has gone since */
            *blocked = u->job;
        first = first || *blocked == u->job;
    }
    return first ? REASON_RESOURCES : REASON_PRIORITY;
}

enum outcome { GROUP_GOES_ON, UNIT_WAITS, GROUP_WAITS };

static enum outcome wait_for_place(struct pass *s, struct group *g, struct unit *u,
                                   const struct backfill_item *it, bool borrow)
{
    struct planner *p = s->p;
    if (!group_could_ever(p, g)) {
        g->rest = u->reason = REASON_BAD_CONSTRAINTS;
        return GROUP_WAITS;
    }
    u->reason = reason_of_blocked(p, g, u);
    if (borrow) {
        backfill_close(&p->backfill, it);
        return GROUP_WAITS;
    }
    if (p->may_preempt && planner_preempt(p, u, it)) {
        u->reason = REASON_RESOURCES;
        return UNIT_WAITS;
    }
    if (!backfill_reserve(&p->backfill, it, &u->hold))
        return GROUP_WAITS;
    u->reason = REASON_RESOURCES;
    return UNIT_WAITS;
}

static bool has_lane_left(const struct planner *p, const struct backfill_choice *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (p->backfill.lanes[v[i].lane].n_held < p->backfill.opts.depth)
            return true;
    return false;
}

/* With a place left in its lane it looks as if those behind it held none. */
static bool may_push_aside(const struct planner *p, const struct backfill_item *it)
{
    return p->backfill.opts.keep && has_lane_left(p, it->choices, it->n_choices);
}

static bool lacks_licences(const struct pass *s, const struct group *g, const struct unit *u)
{
    const struct model *m = s->p->view->model;
    return g->licensed && !u->chosen && !licence_fits(&s->p->licences, m, planner_job(s->p, u->job));
}

struct gets { /* what an item may get where it is placed */
    struct pass *s;
    struct group *g;
    const struct unit *u;
    bool borrow;
    enum limit_state seen; /* of the places that it may not have */
};

static bool may_get(void *ctx, uint32_t choice, const struct pool_parts *parts, int64_t len)
{
    struct gets *x = ctx;
    struct position *at = &x->s->positions[choice];
    struct limit_ask ask = ask_of(x->g, x->u, at->at, parts, len);
    struct limit_verdict v;
    enum limit_state state = limits_check(x->s->p->limits, &ask, &v);
    at->soft = state == LIMIT_OVER_SOFT;
    if (state == LIMIT_OK || (state == LIMIT_OVER_SOFT && x->borrow))
        return true;
    x->g->verdict = v;
    x->seen = state > x->seen ? state : x->seen;
    return false;
}

/* By what it asks for it may run, but not by what it would get. */
static enum outcome wait_for_limit(struct turn *t, struct unit *u, enum limit_state seen)
{
    if (seen == LIMIT_OVER_SOFT && !t->borrow) {
        t->borrow = true;
        return GROUP_GOES_ON;
    }
    t->g->rest = u->reason = limit_reason(&t->g->verdict);
    return GROUP_WAITS;
}

static enum outcome try_head(struct pass *s, struct turn *t)
{
    struct planner *p = s->p;
    struct group *g = t->g;
    struct unit *u = head_of(g);
    struct backfill_item it = {0};
    vec_push(&p->looked, u->job);
    u->reason = gate_of_pass(s, u);
    if (u->reason != REASON_NONE) {
        backfill_give_up(&p->backfill, &u->hold);
        return UNIT_WAITS;
    }
    struct gets gets = {.s = s, .g = g, .u = u, .borrow = t->borrow};
    if (limits_any(p->limits)) {
        it.allows = may_get;
        it.ctx = &gets;
    }
    enum limit_state limit = leave_choices(s, g, u, t->borrow, &it);
    if (limit == LIMIT_OVER_SOFT && !t->borrow) {
        t->borrow = true; /* once more, behind everybody */
        backfill_give_up(&p->backfill, &u->hold);
        return GROUP_GOES_ON;
    }
    if (limit == LIMIT_OVER_HARD) {
        g->rest = u->reason = limit_reason(&g->verdict);
        return GROUP_WAITS;
    }
    if (lacks_licences(s, g, u)) {
        g->rest = u->reason = REASON_LICENSES;
        return GROUP_WAITS;
    }
    bool tried = !is_dead(p, g) || u->hold.use.parts || may_push_aside(p, &it);
    if (tried && backfill_start(&p->backfill, &it, &u->hold, &s->place)) {
        start(s, g, u);
        return u->count ? GROUP_GOES_ON : UNIT_WAITS;
    }
    if (gets.seen != LIMIT_OK && !backfill_may_hold(&p->backfill, &it))
        return wait_for_limit(t, u, gets.seen);
    if (gets.seen == LIMIT_OK && it.n_choices == g->n_choices && g->deadline == WHEN_NEVER &&
        !g->ends) /* else it may be just this one */
        mark_dead(p, g);
    enum outcome o = wait_for_place(s, g, u, &it, t->borrow);
    return gets.seen == LIMIT_OK || u->hold.use.parts ? o : wait_for_limit(t, u, gets.seen);
}

/* The best that limits say of its head, in any of its partitions. */
static enum limit_state limit_of_group(struct planner *p, struct group *g)
{
    enum limit_state best = LIMIT_OVER_HARD;
    for (uint32_t i = 0; i < g->n_choices && best != LIMIT_OK; i++) {
        struct limit_verdict v;
        enum limit_state state = limits_check(p->limits, &g->asks[i], &v);
        if (state != LIMIT_OK && (i == 0 || state < best))
            g->verdict = v;
        best = state < best ? state : best;
    }
    return best;
}

/* Nobody will go for it; where that is not known it is noted for the round in which others are asked. */
static bool is_without_prospects(struct planner *p, struct unit *u, const struct backfill_item *it)
{
    if (!p->may_preempt)
        return true;
    if (planner_is_waited_for(p, u->job))
        return false;
    if (!p->hunting && p->prospects)
        return true;
    bool vain = planner_hunts_in_vain(p, u, it);
    p->prospects = p->prospects || !vain;
    return vain || !p->hunting;
}

/* Borrowed, it holds no place, nobody goes for it, and it does not fit. */
static void leave_borrower(struct planner *p, const struct group *g, struct unit *u)
{
    if (reason_of_blocked(p, g, u) != REASON_RESOURCES)
        return;
    u->reason = REASON_RESOURCES;
    vec_push(&p->looked, u->job);
}

/* What most groups of a long queue come to, without a look at the job: a limit or a licence keeps it back,
 * or its shapes did not fit in this pass, no place is left to hold for it, and nobody will go for it. Over
 * a soft limit its turn comes once more: *ret_again. */
static bool is_passed_over(struct pass *s, struct turn *t, bool *ret_again)
{
    struct planner *p = s->p;
    struct group *g = t->g;
    struct unit *u = head_of(g);
    if (u->hold.use.parts || u->is_special || u->chosen || !p->backfill.opts.backfill)
        return false;
    enum limit_state limit = limits_any(p->limits) ? limit_of_group(p, g) : LIMIT_OK;
    if (limit == LIMIT_OVER_HARD || lacks_licences(s, g, u)) {
        g->rest = limit == LIMIT_OVER_HARD ? limit_reason(&g->verdict) : REASON_LICENSES;
        return true;
    }
    *ret_again = limit == LIMIT_OVER_SOFT && !t->borrow;
    t->borrow = t->borrow || *ret_again;
    if (*ret_again || !is_dead(p, g))
        return *ret_again;
    if (t->borrow) {
        leave_borrower(p, g, u);
        return true;
    }
    struct backfill_item it = {.choices = g->choices, .n_choices = g->n_choices};
    return !has_lane_left(p, g->choices, g->n_choices) && is_without_prospects(p, u, &it);
}

static void make_room(struct pass *s, uint32_t n)
{
    if (n <= s->n_room)
        return;
    s->choices = xreallocarray(s->choices, n, sizeof *s->choices);
    s->positions = xreallocarray(s->positions, n, sizeof *s->positions);
    s->n_room = n;
}

static void line_up(struct pass *s)
{
    struct planner *p = s->p;
    list_for_each (g, &p->groups, struct group, link) {
        g->cursor = &g->units;
        g->rest = REASON_PRIORITY;
        make_room(s, g->n_choices);
        if (advance(p, g))
            vec_push(&s->heap, turn_of(g, false));
    }
    for (size_t i = s->heap.n / 2; i-- > 0;)
        sink(s, i);
}

static void go_through(struct pass *s)
{
    struct planner *p = s->p;
    while (s->heap.n && !backfill_is_closed(&p->backfill)) {
        struct turn t = pop(s);
        bool again = false;
        if (is_passed_over(s, &t, &again)) {
            if (again)
                push(s, turn_of(t.g, true));
            continue;
        }
        enum outcome o = try_head(s, &t);
        if (o == GROUP_GOES_ON || (o == UNIT_WAITS && advance(p, t.g)))
            push(s, turn_of(t.g, t.borrow));
    }
    vec_for_each (&s->heap, i) /* their turn did not come */
        head_of(s->heap.v[i].g)->reason = REASON_NONE;
}

/* Places held by those whose turn did not come: nobody else may have them and they do not use them. */
static void give_up_unvisited(struct planner *p)
{
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link) {
        bool is_awaited = h->claim && h->use.start > p->now.ms; /* others are on their way out for it */
        if (h->visited != p->backfill.pass && !is_awaited)
            backfill_give_up(&p->backfill, h);
    }
}

/* Those that were looked at in the pass before may stand behind somebody else by now. */
static void forget_looks(struct planner *p)
{
    vec_for_each (&p->looked, i) {
        struct unit *u = idmap_get(&p->units, p->looked.v[i]);
        if (!u || u->reason == REASON_NONE)
            continue;
        u->reason = REASON_NONE;
        vec_push(&p->moved, u->job); /* to be told */
    }
    vec_clear(&p->looked);
}

/* By what limits leave now, with all that is held for it. */
static bool holds_too_much(const struct pass *s, struct group *g, const struct unit *u)
{
    const struct backfill_hold *h = &u->hold;
    struct pool_parts parts = {VEC_INIT};
    struct limit_verdict v = {.state = LIMIT_OK};
    for (uint32_t i = 0; i < h->use.n_parts; i++)
        vec_push(&parts.v, h->use.parts[i]);
    for (uint32_t i = 0; i < g->n_choices && limits_any(s->p->limits); i++)
        if (g->choices[i].lane == h->lane) {
            struct limit_ask ask = ask_of(g, u, i, &parts, when_minus(h->use.end, h->use.start));
            limits_check(s->p->limits, &ask, &v);
        }
    vec_fini(&parts.v);
    if (v.state != LIMIT_OK)
        g->verdict = v;
    return v.state != LIMIT_OK;
}

/* Which gate that counts is closed for one that holds a place. */
static enum reason gate_of_holder(struct pass *s, struct unit *u)
{
    struct group *g = u->group;
    struct backfill_item it = {0};
    enum reason why = gate_of_pass(s, u);
    if (why != REASON_NONE)
        return why;
    if (leave_choices(s, g, u, false, &it) != LIMIT_OK || holds_too_much(s, g, u))
        return limit_reason(&g->verdict);
    return lacks_licences(s, g, u) ? REASON_LICENSES : REASON_NONE;
}

/* What has started behind it may have brought one for whom a place is held to a limit: then it waits for
 * that, and the place is for others. Returns whether there was one. */
static bool give_up_closed(struct pass *s)
{
    struct planner *p = s->p;
    bool any = false;
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link) {
        struct unit *u = container_of(h, struct unit, hold);
        enum reason why = h->claim || h->visited != p->backfill.pass ? REASON_NONE : gate_of_holder(s, u);
        if (why == REASON_NONE)
            continue;
        backfill_give_up(&p->backfill, h);
        u->reason = why;
        any = true;
    }
    return any;
}

static void forget_dead(struct planner *p)
{
    idmap_for_each (&p->shapes, slot)
        for (struct shape *sh = slot->value; sh; sh = sh->next)
            sh->dead = false;
}

/* Of those whose shape is not remembered as one that did not fit: it may have been just this one, for its
 * deadline. */
static bool has_use_for_gains_itself(const struct planner *p, uint64_t mark)
{
    vec_for_each (&p->looked, i) {
        const struct unit *u = idmap_get(&p->units, p->looked.v[i]);
        const struct group *g = u ? u->group : NULL;
        if (!g || !u->count || u->hold.use.parts || (g->deadline == WHEN_NEVER && !g->ends))
            continue;
        for (uint32_t k = 0; k < g->n_choices; k++)
            if (backfill_gained_since(&p->backfill, mark, g->choices[k].demand, g->choices[k].set))
                return true;
    }
    return false;
}

/* Whether what was given up in the pass (since that mark) could help anybody who had his turn before. */
static bool has_use_for_gains(struct planner *p, uint64_t mark)
{
    if (has_use_for_gains_itself(p, mark))
        return true;
    idmap_for_each (&p->shapes, slot)
        for (struct shape *sh = slot->value; sh; sh = sh->next)
            if (sh->dead && !shape_is_dead(p, sh))
                return true;
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link) {
        const struct group *g = container_of(h, struct unit, hold)->group;
        for (uint32_t i = 0; i < g->n_choices; i++)
            if (backfill_gained_since(&p->backfill, h->mark, NULL, g->choices[i].set))
                return true;
    }
    return false;
}

/* Whether somebody has started for whom another has gone, who had his turn before. */
static bool way_is_free(const struct planner *p)
{
    vec_for_each (&p->looked, i) {
        const struct unit *u = idmap_get(&p->units, p->looked.v[i]);
        if (u && u->group && u->made_way_for && u->count && u->reason == REASON_PRIORITY &&
            !planner_makes_way_for(p, u)) {
            const struct unit *other = idmap_get(&p->units, u->made_way_for);
            if (other && !other->count)
                return true;
        }
    }
    return false;
}

/* Returns whether it has to be gone through again: a place was given up that others may have use for, who
 * had their turn before. */
static bool go_round(struct pass *s)
{
    struct planner *p = s->p;
    p->pass++;
    forget_looks(p);
    memset(p->first_blocked, 0, p->n_parts * sizeof *p->first_blocked);
    backfill_begin(&p->backfill, p->all_gained);
    if (p->lost)
        backfill_shake(&p->backfill);
    if (p->all_gained)
        forget_dead(p);
    uint64_t freed = p->backfill.freed, mark = backfill_mark(&p->backfill);
    size_t asked = p->out->preempts.n;
    p->prospects = false;
    p->gained = p->all_gained = p->lost = false;
    vec_clear(&s->heap);
    line_up(s);
    go_through(s);
    give_up_unvisited(p);
    /* Who has been asked to go is gone sooner than was thought. */
    p->gained = give_up_closed(s) || asked != p->out->preempts.n || way_is_free(p) ||
                (freed != p->backfill.freed && has_use_for_gains(p, mark));
    return p->gained;
}

/* Until nothing is given up any more. */
static void settle(struct pass *s)
{
    for (int i = 0; i < ROUNDS_MAX && go_round(s);)
        i++;
}

static void free_pass(struct pass *s)
{
    vec_fini(&s->heap);
    backfill_place_fini(&s->place);
    free(s->choices);
    free(s->positions);
}

/* Others are asked to go only for what waits when all else is settled: who can start without that shall. */
static void go_through_queue(struct planner *p)
{
    struct pass s = {.p = p};
    p->hunting = false;
    settle(&s);
    bool anybody = !list_empty(&p->prey) || !list_empty(&p->leaving);
    p->hunting = anybody && (p->prospects || p->started.n);
    if (p->hunting && go_round(&s)) {
        p->hunting = false;
        settle(&s);
    }
    p->hunting = false;
    free_pass(&s);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When something changes although nothing happens. */
static int64_t next_look(const struct planner *p)
{
    int64_t next = backfill_next(&p->backfill);
    const struct heap_node *h = heap_peek(&p->wakes);
    next = h ? earlier(next, h->key) : next;
    vec_for_each (&p->windows, i) {
        const struct window_use *w = p->windows.v[i];
        next = w->start > p->now.ms ? earlier(next, w->start) : next;
        next = w->end > p->now.ms ? earlier(next, w->end) : next;
    }
    if (p->look_again)
        next = earlier(next, p->decided_all + LOOK_AGAIN_MS);
    if (p->hunts_left || p->tells_left)
        next = earlier(next, p->decided_all + HUNT_AGAIN_MS);
    if (p->gained)
        return p->now.ms + 1;
    return next > p->now.ms ? next : p->now.ms + 1000; /* it should have been free by now */
}

/* --- one newcomer, and nothing else has happened --- */

static struct rank rank_as_unit(struct planner *p, struct group *g, const struct unit *u)
{
    uint32_t prio = planner_rank(p, g, u->job, u->submit_ms);
    return rank_of(false, g->tier, g->begun, prio, u->submit_ms, u->order_id, u->order_index);
}

/* Whether a place is held for somebody whom it may stand before: one that gives way takes another lane, and
 * so on. */
static bool may_outrank_holder(struct planner *p, struct group *g, const struct unit *u)
{
    struct rank mine = rank_as_unit(p, g, u);
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link) {
        const struct unit *w = container_of(h, struct unit, hold);
        struct rank its = rank_as_unit(p, w->group, w);
        if (rank_before(&mine, &its)) /* it may have been submitted before, and have waited for its time */
            return true;
    }
    return false;
}

/* Of those who have started just now one may have brought a holder to a limit, or be of its name. */
static bool closes_a_hold(struct pass *s)
{
    list_for_each (h, &s->p->backfill.holds, struct backfill_hold, link) {
        struct unit *u = container_of(h, struct unit, hold);
        make_room(s, u->group->n_choices);
        if (!h->claim && gate_of_holder(s, u) != REASON_NONE)
            return true;
    }
    return false;
}

/* What limits leave of it, borrowed where nothing else is left. */
static enum limit_state leave_any(struct pass *s, struct group *g, const struct unit *u,
                                  struct backfill_item *it, bool *ret_borrow)
{
    enum limit_state state = leave_choices(s, g, u, false, it);
    *ret_borrow = state == LIMIT_OVER_SOFT;
    return *ret_borrow ? leave_choices(s, g, u, true, it) : state;
}

/* It starts where that hurts nobody, as many of it as do. False: a pass over all must say. */
static bool start_newcomer(struct pass *s, struct group *g, struct unit *u, struct backfill_item *it,
                           struct gets *gets)
{
    struct planner *p = s->p;
    bool started = false;
    for (;;) {
        enum reason gate = REASON_NONE;
        if (leave_any(s, g, u, it, &gets->borrow) == LIMIT_OVER_HARD)
            gate = limit_reason(&g->verdict);
        else if (lacks_licences(s, g, u))
            gate = REASON_LICENSES;
        if (gets->borrow && s->heap.n > 1) /* the others come first, whatever their rank */
            return false;
        u->reason = gate;
        if (gate != REASON_NONE) {
            g->rest = gate;
            it->n_choices = 0;
        }
        if (!it->n_choices || !backfill_start_beside(&p->backfill, it, &s->place))
            break;
        start(s, g, u);
        started = true;
        if (!u->count)
            break;
    }
    if (gets->seen != LIMIT_OK || (started && closes_a_hold(s)))
        return false;
    if (started && it->n_choices) /* others were looked at in between */
        leave_any(s, g, u, it, &gets->borrow);
    return true;
}

/* Whether the newcomer starts, or waits behind all who hold a place. False: a pass over all must say. */
static bool take_newcomer(struct pass *s, struct unit *u)
{
    struct planner *p = s->p;
    struct group *g = u->group;
    struct gets gets = {.s = s, .g = g, .u = u};
    struct backfill_item it = {.deadline = g->deadline,
                               .ends = g->ends,
                               .allows = limits_any(p->limits) ? may_get : NULL,
                               .ctx = &gets};
    if (u->singleton || u->by_element || u->chosen || u->hold.use.parts || u->made_way_for || g->begun ||
        is_throttled(p, u) || (u->count > 1 && u->is_special) || !group_could_ever(p, g))
        return false;
    make_room(s, g->n_choices);
    vec_push(&p->looked, u->job);
    /* Else the one before it does not fit either; unless it waits for something of its own. */
    const struct unit *before =
        g->units.next == &u->in_group ? NULL : container_of(u->in_group.prev, struct unit, in_group);
    if (before && !before->is_special && before->count)
        return !before->hold.use.parts ||
               (!has_lane_left(p, g->choices, g->n_choices) && !may_outrank_holder(p, g, u));
    g->rest = REASON_PRIORITY;
    if (!start_newcomer(s, g, u, &it, &gets))
        return false;
    if (!u->count || !it.n_choices)
        return true;
    u->reason = reason_of_blocked(p, g, u);
    if (gets.borrow)
        return true;
    bool waits = !may_outrank_holder(p, g, u) &&
                 (!p->may_preempt || p->hunts_left || /* it has its turn with the others then */
                  (!planner_is_waited_for(p, u->job) && planner_hunts_in_vain(p, u, &it)));
    if (waits && (backfill_reserve(&p->backfill, &it, &u->hold) ||
                  reason_of_blocked(p, g, u) == REASON_RESOURCES)) /* no place may be in sight at all */
        u->reason = REASON_RESOURCES;
    return waits && gets.seen == LIMIT_OK;
}

static int by_rank(const void *pa, const void *pb)
{
    const struct turn *a = pa, *b = pb;
    return rank_before(&a->rank, &b->rank) ? -1 : rank_before(&b->rank, &a->rank);
}

/* Those who have come in since the last pass, in the order of the queue. */
static bool line_up_fresh(struct pass *s)
{
    struct planner *p = s->p;
    vec_for_each (&p->fresh, i) {
        struct unit *u = idmap_get(&p->units, p->fresh.v[i]);
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || p->fresh.v[k] == p->fresh.v[i];
        if (!u || !u->group || again)
            continue;
        vec_push(&s->heap, ((struct turn){.u = u, .rank = rank_as_unit(p, u->group, u)}));
    }
    if (s->heap.n)
        qsort(s->heap.v, s->heap.n, sizeof *s->heap.v, by_rank);
    return s->heap.n > 0;
}

/* A claim for which nobody is on his way any more: a pass says what becomes of it. */
static bool has_idle_claim(const struct planner *p)
{
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link)
        if (h->claim && !planner_is_waited_for(p, container_of(h, struct unit, hold)->job))
            return true;
    return false;
}

/* Nothing has come free, so whoever waited still does. False: a pass over all must say. */
static bool decide_newcomers(struct planner *p)
{
    const struct backfill_opts *o = &p->backfill.opts;
    if (!p->fresh.n || p->fresh.n > NEWCOMERS_MAX || !p->ranked || p->gained || p->lost ||
        (p->look_again && p->now.ms - p->decided_all >= LOOK_AGAIN_MS) ||
        ((p->hunts_left || p->tells_left) && p->now.ms - p->decided_all >= HUNT_AGAIN_MS) || !o->keep ||
        !o->backfill || backfill_next(&p->backfill) <= p->now.ms ||
        (limits_any(p->limits) && p->now.ms - p->decided_all >= ALL_MS) || has_idle_claim(p))
        return false;
    struct pass s = {.p = p};
    p->prio.now = p->now; /* their ages are those of now, like all others' */
    bool known = line_up_fresh(&s);
    for (size_t i = 0; i < s.heap.n && known; i++)
        known = take_newcomer(&s, s.heap.v[i].u);
    free_pass(&s);
    return known;
}

static void decide_all(struct planner *p)
{
    planner_begin_ranks(p);
    p->decided_all = p->now.ms;
    p->look_again = p->hunts_left = false;
    p->hunts = 0;
    go_through_queue(p);
    p->ranked = true;
}

void planner_decide(struct planner *p, const struct sched_view *v, struct wall now,
                    struct sched_result *ret)
{
    p->view = v;
    p->now = now;
    p->out = ret;
    planner_sync(p);
    limits_begin(p->limits, v->model, now);
    size_t mark = limits_mark(p->limits);
    p->decision++;
    licence_copy(&p->licences, &p->licences_held);
    prey_find_awaited(p);
    bool all = !decide_newcomers(p);
    if (all)
        decide_all(p);
    vec_clear(&p->fresh);
    limits_rewind(p->limits, mark);
    planner_tell(p, all);
    int64_t next = next_look(p);
    ret->next = next == WHEN_NEVER ? (struct wall){0} : (struct wall){.ms = next};
    p->out = NULL;
}
