/* forecast_steps.c - a forecast in slices: the preparation, then one entry after the other. */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

#define EXACT_NODES_MAX 256     /* nodes that are planned one by one ... */
#define COST_BY_NODE    4000000 /* ... as long as entries times nodes are no more */
#define BATCHES_MAX     64      /* different starts of one array that are planned ... */
#define BATCHES_MORE    2048    /* and of all arrays beyond those, ... */
#define COST_OF_BATCHES 100000  /* as long as these times nodes are no more */
#define EXACT_MAX       20000   /* jobs; with more of them: */
#define GRID_MS         60000   /* the grid of times ... */
#define GRID_WINDOW_S   2678400 /* for each such part of the window */
#define COST            32 /* preparing this many nodes or entries costs as much as planning one entry */

static void forecast_clear(struct forecasts *f)
{
    for (uint32_t i = 0; i < f->n_classes; i++) {
        timeline_fini(&f->classes[i].line);
        node_users_fini(&f->classes[i].users);
        vec_fini(&f->classes[i].changes);
    }
    free(f->classes);
    free(f->class_of);
    free(f->signatures);
    free(f->slots);
    free(f->heap);
    limit_plan_free(f->limits);
    vec_fini(&f->expected_ends);
    vec_fini(&f->element_runs);
    idmap_fini(&f->by_signature);
    vec_fini(&f->sets);
    vec_fini(&f->groups);
    forecast_timed_clear(f);
    vec_fini(&f->waiting);
    vec_fini(&f->rows);
    forecast_places_clear(f);
    idmap_for_each (&f->bounds, slot)
        free(slot->value);
    idmap_fini(&f->bounds);
    *f = (struct forecasts){0};
}

static void forecast_begin_classes(const struct forecaster *p, struct forecasts *f)
{
    size_t n = p->queue->pool.n_nodes ? p->queue->pool.n_nodes : 1;
    f->classes = xcalloc(n, sizeof *f->classes);
    f->class_of = xmalloc(n * sizeof *f->class_of);
    f->signatures = xcalloc(n, sizeof *f->signatures);
    if (f->by_node)
        return;
    idmap_for_each (&p->queue->classes.sets, slot)
        for (const struct eligible_nodes *s = slot->value; s; s = s->next)
            vec_push(&f->sets, s);
}

void forecast_begin(struct forecaster *p, const struct sched_view *v, struct wall now)
{
    struct forecasts *f = p->making;
    if (!f)
        f = p->making = xcalloc(1, sizeof *f);
    forecast_clear(f);
    job_classes_free_buried(p->queue);
    p->queue->view = v;
    p->queue->classes.pinned = true;
    f->t = now;
    f->pool = &p->queue->pool;
    f->running = true;
    f->batches = COST_OF_BATCHES / (p->queue->pool.n_nodes + 1);
    f->batches = f->batches < BATCHES_MORE ? f->batches : BATCHES_MORE;
    forecast_places_begin(f);
    f->window_end = now.ms + (int64_t)v->model->spec.window_s * MS_PER_S;
    f->by_node = p->queue->pool.n_nodes <= EXACT_NODES_MAX &&
                 (uint64_t)p->queue->pool.n_nodes * p->queue->entries.by_job.n <= COST_BY_NODE;
    f->users = f->by_node && p->queue->by_user;
    f->grid_ms = p->queue->entries.by_job.n + p->queue->active.by_job.n <= EXACT_MAX
                     ? 1
                     : GRID_MS * (v->model->spec.window_s / GRID_WINDOW_S + 1);
    forecast_begin_classes(p, f);
    list_for_each (g, &p->queue->classes.list, struct job_class, link)
        vec_push(&f->groups, g); /* none is freed while a forecast is under way */
    limits_begin(p->queue->limits, v->model, now);
    f->limits = limit_plan_new(p->queue->limits, v->model);
    expected_ends_list(p, f);
    forecast_timed_list(p, f);
}

/* The start of its entry in another tier of this forecast; WHEN_NEVER: none. */
static int64_t forecast_told_before(const struct forecaster *p, const struct forecasts *f,
                                    const struct forecast_row *r)
{
    const struct pending_entry *u = r->tier_at && r->tier_at != ALL_TIERS
                                        ? idmap_get(&p->queue->entries.by_job, f->waiting.v[r->at].job)
                                        : NULL;
    return u && u->forecast.made == f->t.ms ? u->forecast.start : WHEN_NEVER;
}

/* What is being planned of an entry. */
struct unit_plan {
    const struct forecast_row *row;
    const struct forecast_entry *entry;
    const char *licences;
    struct throttle throttle;
    uint32_t left;    /* elements */
    int64_t last_end; /* of those that are planned */
    struct forecast_start *at;
};

static void forecast_plan_find(struct forecasts *f, const struct unit_plan *u, int64_t from)
{
    int64_t opens = throttle_from(&u->throttle);
    forecast_find(f, u->row->g, u->row->tier_at, u->licences, opens > from ? opens : from, u->at);
}

static void forecast_plan_take(struct forecasts *f, struct unit_plan *u)
{
    int64_t end = when_plus(u->at->t, u->row->g->choices[u->at->choice].len);
    forecast_take(f, u->at, u->row->g, u->licences);
    throttle_add(&u->throttle, end);
    u->last_end = end > u->last_end ? end : u->last_end;
    u->left--;
}

/* Plans the elements with the start that was found, and finds the next one. */
static void forecast_plan_batch(const struct forecaster *p, struct forecasts *f, struct unit_plan *u,
                                bool first)
{
    int64_t t = u->at->t;
    for (bool same = false; u->left && u->at->t == t; same = true) {
        if (first)
            forecast_places_add(p, f, u->row->g, u->entry->job, u->at, same);
        forecast_plan_take(f, u);
        if (u->left)
            forecast_plan_find(f, u, t);
    }
}

static bool forecast_plan_may_go_on(struct forecasts *f, uint32_t batch)
{
    if (batch < BATCHES_MAX)
        return true;
    f->batches -= f->batches > 0;
    return f->batches > 0;
}

/* Plans element by element, those with the same start at once. A lower tier only replaces a later start;
 * what was planned in the higher tier stays taken. Returns the cost: the number of
 * starts, and nodes looked at. */
static uint32_t forecast_plan_unit(struct forecaster *p, struct forecasts *f, const struct forecast_row *r,
                                   struct forecast_start *at)
{
    const struct forecast_entry *entry = &f->waiting.v[r->at];
    const struct job *j = r->g->licensed ? model_get_job(p->queue->view->model, entry->job) : NULL;
    struct unit_plan u = {.row = r,
                          .entry = entry,
                          .licences = j ? req_detail(&j->req)->licenses : NULL,
                          .left = entry->count,
                          .at = at};
    uint32_t batch = 0, looks = f->looks;
    int64_t told = forecast_told_before(p, f, r), from = entry->from > f->t.ms ? entry->from : f->t.ms;
    throttle_init(&u.throttle, f, entry);
    forecast_plan_find(f, &u, from);
    if (told == WHEN_NEVER || at->t < told) {
        forecast_note(p, f, entry->job, at->t);
        for (; u.left && at->t < f->window_end && forecast_plan_may_go_on(f, batch); batch++)
            forecast_plan_batch(p, f, &u, batch == 0);
        if (u.last_end && u.last_end != WHEN_NEVER)
            forecast_note_last(p, f, entry->job, u.last_end);
    }
    throttle_fini(&u.throttle);
    return batch + 1 + (looks - f->looks) / COST;
}

bool forecast_is_running(const struct forecaster *p)
{
    return p->making && p->making->running;
}

static void forecast_finish(struct forecaster *p)
{
    struct forecasts *f = p->made;
    p->made = p->making;
    p->making = f;
    p->made->running = false;
    p->queue->classes.pinned = false;
    forecast_sweep_told(p);
    if (f)
        forecast_clear(f);
}

static uint32_t forecast_n_in_stage(const struct forecaster *p, const struct forecasts *f)
{
    switch (f->stage) {
    case STAGE_SETS: return (uint32_t)f->sets.n;
    case STAGE_CLASSES:
    case STAGE_LINES: return p->queue->pool.n_nodes;
    case STAGE_SUMS: return f->n_classes;
    case STAGE_LIMITS: return (uint32_t)f->expected_ends.n;
    case STAGE_GROUPS: return (uint32_t)f->groups.n;
    case STAGE_LATER: return (uint32_t)f->parked.n;
    case STAGE_PLAN: break;
    }
    return 0;
}

/* One piece of the preparation. Returns its cost, in entries planned times COST. */
static uint32_t forecast_prepare_one(struct forecaster *p, struct forecasts *f)
{
    size_t before = f->waiting.n;
    switch (f->stage) {
    case STAGE_SETS: node_classes_sign(p, f, f->sets.v[f->at]); return 1 + p->queue->pool.n_nodes / 10;
    case STAGE_CLASSES: node_classes_assign(p, f, f->at); return 1;
    case STAGE_LINES: node_classes_add(p, f, f->at); return 1;
    case STAGE_SUMS: node_classes_sum(f, &f->classes[f->at]); return COST * 10;
    case STAGE_LIMITS: expected_ends_add(p, f, &f->expected_ends.v[f->at]); return 2;
    case STAGE_GROUPS:
        forecast_rows_copy(p, f, f->groups.v[f->at]);
        return 1 + (uint32_t)(f->waiting.n - before);
    case STAGE_LATER: forecast_timed_add(p, f, f->at); return 4;
    case STAGE_PLAN: break;
    }
    return 0;
}

/* Returns what is left of n; in stage PLAN all is prepared. */
static uint32_t forecast_prepare(struct forecaster *p, struct forecasts *f, uint32_t n)
{
    uint64_t left = (uint64_t)n * COST;
    while (f->stage != STAGE_PLAN && left) {
        if (f->at < forecast_n_in_stage(p, f)) {
            uint32_t cost = forecast_prepare_one(p, f);
            left -= cost < left ? cost : left;
            f->at++;
            continue;
        }
        f->at = 0;
        if (f->stage == STAGE_LIMITS)
            limit_plan_seal(f->limits, f->t.ms);
        if (++f->stage == STAGE_PLAN)
            forecast_rows_order(f);
    }
    return f->stage == STAGE_PLAN ? (uint32_t)(left / COST) : 0;
}

bool forecast_step(struct forecaster *p, const struct sched_view *v, uint32_t n)
{
    struct forecasts *f = p->making;
    struct forecast_start at = {0};
    p->queue->view = v;
    if (!forecast_is_running(p))
        return true;
    n = forecast_prepare(p, f, n);
    while (n && f->n_heap) {
        struct forecast_row *r = &f->rows.v[f->heap[0]];
        uint32_t cost = forecast_plan_unit(p, f, r, &at);
        n -= cost < n ? cost : n;
        if (++r->at < r->end)
            forecast_rows_weigh(p, f, r);
        else
            f->heap[0] = f->heap[--f->n_heap];
        if (f->n_heap)
            forecast_rows_sink(f, 0);
    }
    for (struct forecast_row r; n && f->by_time.n && f->stage == STAGE_PLAN;) {
        uint32_t cost = 1;
        if (forecast_timed_next(p, f, &r)) {
            cost = forecast_plan_unit(p, f, &r, &at);
            forecast_timed_done(p, f, &r);
        }
        n -= cost < n ? cost : n;
    }
    vec_fini(&at.parts);
    if (f->stage != STAGE_PLAN || f->n_heap || f->by_time.n)
        return false;
    forecast_finish(p);
    return true;
}

void forecast_forget(struct forecaster *p)
{
    struct forecasts *both[] = {p->making, p->made};
    for (size_t i = 0; i < 2; i++)
        if (both[i]) {
            forecast_clear(both[i]);
            free(both[i]);
        }
    p->making = p->made = NULL;
    p->queue->classes.pinned = false;
    job_classes_free_buried(p->queue);
}
