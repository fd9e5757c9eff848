/* procs.c - the equality mode's clock: instants one after the other, the policy's own code at each. */
#include "backend/sim/procs.h"

#include <stdlib.h>

#include "backend/sched/resources/resources.h"
#include "backend/sim/procs_order.h"
#include "src/base/heap.h"
#include "src/base/list.h"
#include "src/base/time.h"

#define TELL_EVERY 256 /* instants */

#define EASY                         \
    {                                \
        .depth = 1, .backfill = true \
    }

static const struct policy {
    struct plan_opts plan;
    enum procs_order order;
} policies[] = {
    [PROCS_FCFS] = {{.depth = 0, .backfill = false}, PROCS_FIFO},
    [PROCS_EASY] = {EASY, PROCS_FIFO},
    [PROCS_CONS] = {{.depth = PLAN_ALL, .backfill = true, .keep = true}, PROCS_FIFO},
    [PROCS_REPLAN] = {{.depth = PLAN_ALL, .backfill = true}, PROCS_FIFO},
    [PROCS_EASY_SJBF] = {EASY, PROCS_SJBF},
    [PROCS_EASY_SJF] = {EASY, PROCS_SJF},
    [PROCS_EASY_WFP3] = {EASY, PROCS_WFP3},
    [PROCS_EASY_UNICEP] = {EASY, PROCS_UNICEP},
    [PROCS_EASY_F1] = {EASY, PROCS_F1},
};

struct unit { /* a job as the policy sees it */
    struct procs_job *job;
    struct pool_use use;
    struct plan_slot slot;
    struct heap_node by_end; /* of its real end */
    struct list queued;
    double score;
};

struct procs_clock {
    struct procs_trace *trace;
    struct pool pool;
    struct plan_slots slots;
    struct nodeset all;     /* the one node */
    struct demand *demands; /* by processors */
    struct unit *units;     /* by job */
    size_t n_submitted, n_ended;
    struct list queue;
    enum procs_order order;
    VEC(struct unit *) line; /* of a pass: the queue in its order */
    struct heap ends;
    struct placement place; /* of the start under way */
};

static int64_t procs_ms(int64_t seconds)
{
    return seconds * MS_PER_S;
}

/* One node with all processors, and what each number of them asks of it. */
static void procs_clock_init(struct procs_clock *c, struct procs_trace *t, enum procs_policy policy)
{
    *c = (struct procs_clock){.trace = t};
    pool_init(&c->pool, 1, 0);
    pool_set_node(&c->pool, 0, (struct amount){.cpus = t->procs}, 1, true);
    nodeset_init(&c->all, 1);
    nodeset_add(&c->all, 0);
    plan_slots_init(&c->slots, &c->pool, &policies[policy].plan, 1);
    c->order = policies[policy].order;
    list_init(&c->queue);
    c->demands = xcalloc((size_t)t->procs + 1, sizeof *c->demands);
    for (int64_t n = 1; n <= t->procs; n++)
        c->demands[n] = (struct demand){.nodes_max = 1,
                                        .need = {.nodes = 1,
                                                 .nodes_max = 1,
                                                 .tasks = 1,
                                                 .cpus_per_task = (uint32_t)n,
                                                 .cpus = (uint32_t)n,
                                                 .cpus_per_node = (uint32_t)n,
                                                 .mem_per_node_mib = MEM_NOT_GIVEN}};
    c->units = xcalloc(t->jobs.n + 1, sizeof *c->units);
    vec_for_each (&t->jobs, i)
        c->units[i].job = &t->jobs.v[i];
}

static void procs_clock_fini(struct procs_clock *c)
{
    plan_slots_fini(&c->slots);
    placement_fini(&c->place);
    pool_fini(&c->pool);
    nodeset_fini(&c->all);
    heap_fini(&c->ends);
    vec_fini(&c->line);
    free(c->demands);
    free(c->units);
}

/* Seconds; WHEN_NEVER: all is over. */
static int64_t procs_next_instant(const struct procs_clock *c)
{
    int64_t t = WHEN_NEVER, held = plan_slots_next(&c->slots);
    const struct heap_node *end = heap_peek(&c->ends);
    if (end)
        t = end->key;
    if (c->n_submitted < c->trace->jobs.n && c->trace->jobs.v[c->n_submitted].submit < t)
        t = c->trace->jobs.v[c->n_submitted].submit;
    if (held != WHEN_NEVER && held / MS_PER_S < t)
        t = held / MS_PER_S;
    return t;
}

static bool procs_complete(struct procs_clock *c, int64_t now)
{
    bool any = false;
    for (struct heap_node *h; (h = heap_peek(&c->ends)) && h->key == now;) {
        heap_pop(&c->ends);
        pool_drop(&c->pool, &container_of(h, struct unit, by_end)->use);
        c->n_ended++;
        any = true;
    }
    return any;
}

static void procs_submit(struct procs_clock *c, int64_t now)
{
    const struct procs_trace *t = c->trace;
    for (; c->n_submitted < t->jobs.n && t->jobs.v[c->n_submitted].submit == now; c->n_submitted++)
        list_append(&c->queue, &c->units[c->n_submitted].queued);
}

static void procs_begin(struct procs_clock *c, struct unit *u, int64_t now)
{
    list_unlink(&u->queued);
    u->job->start = now;
    pool_run(&c->pool, &u->use, &c->place.parts, procs_ms(now + u->job->estimate));
    heap_insert(&c->ends, &u->by_end, now + u->job->run);
}

/* A plan that is kept is compressed where jobs have ended, once, in order, and at no other time: so the
 * conventions have it. (The controller looks again whenever a hold has been given up.) */
static bool procs_keeps_its_place(const struct procs_clock *c, const struct unit *u, int64_t now,
                                  bool gained)
{
    return c->slots.opts.keep && !gained && u->slot.use.parts && u->slot.use.start > procs_ms(now);
}

static int procs_by_score(const void *pa, const void *pb)
{
    const struct unit *a = *(struct unit *const *)pa, *b = *(struct unit *const *)pb;
    if (a->score < b->score || a->score > b->score)
        return a->score < b->score ? -1 : 1;
    return a < b ? -1 : a > b; /* by submission */
}

/* Sorts the line from `at` on. */
static void procs_sort(struct procs_clock *c, size_t at, int64_t now)
{
    for (size_t i = at; i < c->line.n; i++)
        c->line.v[i]->score = procs_score(c->order, c->line.v[i]->job, c->trace->jobs.v[0].submit, now);
    if (at < c->line.n)
        qsort(&c->line.v[at], c->line.n - at, sizeof *c->line.v, procs_by_score);
}

/* Returns whether it has started. */
static bool procs_try(struct procs_clock *c, struct unit *u, int64_t now, bool gained)
{
    if (procs_keeps_its_place(c, u, now, gained)) {
        u->slot.visited = c->slots.iteration;
        return false;
    }
    struct plan_choice choice = {.demand = &c->demands[u->job->procs],
                                 .set = &c->all,
                                 .len = procs_ms(u->job->estimate),
                                 .len_min = procs_ms(u->job->estimate)};
    struct plan_request item = {.choices = &choice, .n_choices = 1, .deadline = WHEN_NEVER};
    bool starts = plan_slots_start(&c->slots, &item, &u->slot, &c->place);
    if (starts)
        procs_begin(c, u, now);
    else
        plan_slots_book(&c->slots, &item, &u->slot);
    return starts;
}

static void procs_pass(struct procs_clock *c, int64_t now, bool gained)
{
    bool blocked = false;
    plan_slots_begin(&c->slots, gained);
    vec_clear(&c->line);
    list_for_each (u, &c->queue, struct unit, queued)
        vec_push(&c->line, u);
    if (c->order != PROCS_FIFO && c->order != PROCS_SJBF)
        procs_sort(c, 0, now);
    for (size_t i = 0; i < c->line.n && !plan_slots_are_closed(&c->slots); i++) {
        bool starts = procs_try(c, c->line.v[i], now, gained);
        if (!starts && !blocked && c->order == PROCS_SJBF) /* those behind it are candidates for backfill */
            procs_sort(c, i + 1, now);
        blocked = blocked || !starts;
    }
}

void procs_run(struct procs_trace *t, enum procs_policy policy, struct progress *p)
{
    struct procs_clock c;
    procs_clock_init(&c, t, policy);
    int64_t now;
    for (size_t n = 0; (now = procs_next_instant(&c)) != WHEN_NEVER; n++) {
        bool gained = procs_complete(&c, now);
        pool_advance(&c.pool, procs_ms(now), MS_PER_S);
        procs_submit(&c, now);
        procs_pass(&c, now, gained);
        if (p && n % TELL_EVERY == 0)
            progress_tell(p, c.n_ended, t->jobs.n);
    }
    bug_on(c.n_ended != t->jobs.n);
    procs_clock_fini(&c);
}
