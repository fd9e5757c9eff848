/* test_planner.c - the planner on random clusters and queues, held against a scheduler that is as plain as
 * the policy's text (tests/lib/reference_sched.h).
 *
 * In each round: a new planner starts and plans what the plain one does; one that goes on from round to
 * round decides the same (easy, off), or at least never moves a planned start later unless a job ahead
 * needs it; no job starts before its begin time; no waiting job fits without delaying a planned start; each
 * job has a reason; no cycle finds what the one before has left over.
 *
 * test-timeout: 7200 (for STOKER_TEST_RUNS)
 */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/random_cluster.h"
#include "tests/lib/reference_sched.h"

#define ROUNDS 14

struct world {
    struct lab l;
    struct planner *going;          /* told what changes */
    struct str before;              /* what it holds: "JOB START TIER;" */
    struct wall next;               /* when the last cycle asked for another */
    bool lost;                      /* in this round: a node went, a window came */
    int came[2000], promised[2000]; /* of each job: the round + 1; 0: it is promised nothing */
    uint64_t seed;
    int round;
    unsigned starts, holds, waits;
};

/* --- a cluster --- */

static void add_nodes(struct lab *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        uint32_t gpus = any_one_in(2) ? 0 : any_below(5);
        struct node_spec *s = lab_node(l, name, 1 + any_below(8), 1000 + any_below(4) * 1000, gpus,
                                       gpus && any_one_in(2) ? "a100" : NULL);
        s->weight = any_below(3);
        if (any_one_in(2))
            strv_push(&s->features, "fast");
    }
}

static void add_part(struct lab *l, uint32_t p, uint32_t n_nodes)
{
    char name[16];
    struct str nodes = STR_INIT;
    for (uint32_t i = 0; i < n_nodes; i++)
        if (any_one_in(2) || i == p % n_nodes)
            str_appendf(&nodes, "%sn%u", nodes.len ? "," : "", i);
    snprintf(name, sizeof name, "p%u", p);
    struct part_spec *part = lab_part(l, name, nodes.s);
    part->max_nodes = any_one_in(4) ? 2 : UINT32_MAX;
    part->max_time_s = any_one_in(3) ? 3600 : DURATION_UNLIMITED;
    part->default_time_s = any_one_in(2) ? 600 : DURATION_NOT_SET;
    part->state = any_one_in(12) ? PART_DOWN : PART_UP;
    part->priority_tier = any_one_in(3) ? any_below(3) : 1;
    str_fini(&nodes);
}

static void add_limits(struct lab *l)
{
    if (any_one_in(3)) {
        struct limit_spec *s = rec_list_push(&l->spec.limits);
        *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
        memset(&s->soft, 0xff, sizeof s->soft);
        s->hard = s->soft;
        if (any_one_in(2))
            s->hard.gpus = 1 + any_below(4);
        else
            s->hard.running_jobs = 1 + any_below(5);
    }
    *rec_list_push(&l->spec.licenses) = (struct license_spec){xstrdup("lic"), 1 + any_below(2)};
}

static void make_cluster(struct lab *l)
{
    uint32_t n = 1 + any_below(5);
    lab_init(l);
    add_nodes(l, n);
    for (uint32_t p = 0; p < 3; p++)
        add_part(l, p, n);
    add_limits(l);
    l->spec.backfill = any_below(3);
    l->spec.reservations = 1 + any_below(4);
    lab_configure(l);
}

/* --- what happens --- */

static char *one_of(const char *const *v, uint32_t n)
{
    return xstrdup(v[any_below(n)]);
}

static void fill_request(const struct lab *l, struct job_req *r)
{
    static const char *const parts[] = {NULL, "p0", "p1", "p2", "p0,p1", "p2,p1,p0"};
    r->partition = one_of(parts, N_OF(parts));
    r->nodes_min = r->nodes_max = r->ntasks = any_one_in(3) ? 1 + any_below(3) : 1;
    r->cpus_per_task = 1 + any_below(any_one_in(3) ? 8 : 3);
    r->gpus_per_node = any_one_in(3) ? any_below(4) : 0;
    r->mem_node_mib = (1 + any_below(4)) * 500;
    req_detail_mut(r)->exclusive = any_one_in(10);
    r->time_limit_s = any_one_in(5) ? DURATION_NOT_SET : 60 * (1 + any_below(any_one_in(3) ? 70 : 10));
    req_rare_mut(r)->nodelist = any_one_in(15) && r->nodes_min == 1 ? xstrdup("n0") : NULL;
    req_rare_mut(r)->exclude = any_one_in(12) ? xstrdup("n0,n1") : NULL;
    req_detail_mut(r)->features = any_one_in(12) ? xstrdup("fast") : NULL;
    req_detail_mut(r)->gpu_type = any_one_in(12) && r->gpus_per_node ? xstrdup("a100") : NULL;
    req_detail_mut(r)->has_priority = any_one_in(4);
    req_detail_mut(r)->priority = req_detail(r)->has_priority ? 1 + any_below(3) : 0;
    req_detail_mut(r)->licenses = any_one_in(12) ? xstrdup("lic") : NULL;
    if (r->time_limit_s != DURATION_NOT_SET && any_one_in(6))
        req_detail_mut(r)->time_min_s = 60 * (1 + any_below(10));
    if (r->time_limit_s != DURATION_NOT_SET && any_one_in(10))
        req_rare_mut(r)->deadline = wall_add_s(l->now, 60 * (5 + any_below(90)));
    if (any_one_in(10))
        req_detail_mut(r)->begin = wall_add_s(l->now, any_below(900));
}

static void submit(struct world *w)
{
    static const char *const users[] = {"ann", "bob"};
    struct job *j = lab_job(&w->l, JOB_KIND_BATCH);
    fill_request(&w->l, &j->req);
    free(j->user);
    j->user = one_of(users, N_OF(users));
    if (any_one_in(5)) {
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 1 + any_below(5), 1};
        j->req.array_throttle = any_one_in(2) ? 1 + any_below(3) : 0;
    }
    if (any_one_in(15)) {
        j->hold = HOLD_USER;
        j->reason = REASON_HELD_USER;
    }
    w->l.now.ms -= MS_PER_S;
    uint32_t id = lab_submit(&w->l, j);
    w->came[id] = w->round + 1;
    planner_note_job(w->going, id);
}

/* A running job: any, or the first that reaches its limit by then. */
static struct job *running_one(struct world *w, int64_t by)
{
    struct job *found = NULL;
    uint32_t seen = 0;
    list_for_each (j, &w->l.m.active, struct job, in_queue) {
        bool due =
            j->time_limit_s != DURATION_UNLIMITED && wall_add_s(j->t_start, j->time_limit_s).ms <= by;
        if (by ? due && !found : any_one_in(++seen))
            found = j;
    }
    return found;
}

static void end(struct world *w, struct job *j, bool requeue)
{
    uint32_t id = j->id;
    w->l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&w->l, id, STEP_BATCH, 0, requeue ? END_NODE_REBOOT : END_EXITED, 0, 0), 0);
    planner_note_job(w->going, id);
    w->came[id] = w->round + 1; /* if it is queued again */
}

static void change_a_node(struct world *w)
{
    char name[8];
    snprintf(name, sizeof name, "n%u", any_below((uint32_t)w->l.m.n_nodes));
    struct ev_drain drain = {.node = xstrdup(name), .drain = any_one_in(2), .reason = xstrdup("fan")};
    w->l.now.ms -= MS_PER_S;
    lab_must(&w->l, EV_DRAIN, 0, &drain);
    planner_note_nodes(w->going);
    w->lost = true;
}

static void add_window(struct world *w)
{
    struct ev_window e = {.window = {.name = xasprintf("w%u", w->l.m.next_job * 100u + any_below(99)),
                                     .start = wall_add_s(w->l.now, 60 + any_below(1200)),
                                     .kind = WINDOW_MAINTENANCE}};
    e.window.end = wall_add_s(e.window.start, 60 + any_below(1200));
    strv_push(&e.window.nodes, w->l.m.nodes[any_below((uint32_t)w->l.m.n_nodes)]->spec.name);
    w->l.now.ms -= MS_PER_S;
    lab_must(&w->l, EV_WINDOW, 0, &e);
    planner_note_windows(w->going);
    w->lost = true;
}

/* Jobs end at their limits at the latest, and there is a cycle when the last one wanted it. */
static void let_time_pass(struct world *w)
{
    int64_t now = w->l.now.ms + (int64_t)any_below(600) * MS_PER_S;
    w->l.now.ms = wall_is_set(w->next) && w->next.ms < now ? w->next.ms : now;
    for (struct job *j; (j = running_one(w, w->l.now.ms));)
        end(w, j, false);
}

static void live(struct world *w)
{
    w->lost = false;
    let_time_pass(w);
    for (uint32_t n = any_below(any_one_in(4) ? 8 : 3); n; n--)
        submit(w);
    for (uint32_t n = any_below(3); n; n--) {
        struct job *j = running_one(w, 0);
        if (j)
            end(w, j, any_one_in(8));
    }
    if (any_one_in(8))
        change_a_node(w);
    if (any_one_in(12))
        add_window(w);
}

/* --- what was decided, as text --- */

static int by_node(const void *pa, const void *pb)
{
    const uint32_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

static void add_nodes_text(struct str *s, uint32_t *v, uint32_t n)
{
    qsort(v, n, sizeof *v, by_node);
    for (uint32_t i = 0; i < n; i++)
        str_appendf(s, " n%u", v[i]);
    str_append(s, "\n");
}

static void text_of_starts(const struct world *w, const struct sched_result *r, struct str *s)
{
    vec_for_each (&r->starts, i) {
        const struct ev_start *e = &r->starts.v[i].start;
        uint32_t nodes[8], n = 0;
        str_appendf(s, "start %u in %s for %d s:", r->starts.v[i].job, e->partition, (int)e->time_limit_s);
        for (size_t k = 0; k < e->alloc.n; k++)
            for (uint32_t at = 0; at < w->l.m.n_nodes; at++)
                if (str_eq(w->l.m.nodes[at]->spec.name, e->alloc.v[k].node))
                    nodes[n++] = at;
        add_nodes_text(s, nodes, n);
    }
}

struct held {
    uint32_t job, partition;
    const struct pool_use *use;
};

static int by_job(const void *pa, const void *pb)
{
    const struct held *a = pa, *b = pb;
    return a->job < b->job ? -1 : a->job > b->job;
}

static size_t holds_of(struct planner *p, struct held *v, size_t room)
{
    size_t n = 0;
    list_for_each (h, &planner_queue(p)->slots.list, struct plan_slot, link) {
        assert_true(n < room);
        v[n++] = (struct held){container_of(h, struct pending_entry, slot)->job, h->partition, &h->use};
    }
    qsort(v, n, sizeof *v, by_job);
    return n;
}

static void text_of_holds(const struct world *w, struct planner *p, struct str *s)
{
    struct held v[64];
    size_t n = holds_of(p, v, N_OF(v));
    for (size_t i = 0; i < n; i++) {
        uint32_t nodes[8];
        str_appendf(s, "hold %u in %s at %lld:", v[i].job, w->l.m.spec.parts.v[v[i].partition].name,
                    (long long)(v[i].use->start - w->l.now.ms));
        for (uint32_t k = 0; k < v[i].use->n_parts; k++)
            nodes[k] = v[i].use->parts[k].node;
        add_nodes_text(s, nodes, v[i].use->n_parts);
    }
}

static int by_entry(const void *pa, const void *pb)
{
    const struct ref_entry *a = pa, *b = pb;
    return a->job < b->job ? -1 : a->job > b->job;
}

static void text_of_ref(const struct world *w, struct ref_plan *r, struct str *starts, struct str *holds)
{
    vec_for_each (&r->starts, i) {
        struct ref_entry *e = &r->starts.v[i];
        int limit = e->len_ms == INT64_MAX ? (int)DURATION_UNLIMITED : (int)(e->len_ms / MS_PER_S);
        str_appendf(starts, "start %u in %s for %d s:", e->job, w->l.m.spec.parts.v[e->part].name, limit);
        add_nodes_text(starts, e->nodes, e->n_nodes);
    }
    if (r->holds.n)
        qsort(r->holds.v, r->holds.n, sizeof *r->holds.v, by_entry);
    vec_for_each (&r->holds, i) {
        struct ref_entry *e = &r->holds.v[i];
        str_appendf(holds, "hold %u in %s at %lld:", e->job, w->l.m.spec.parts.v[e->part].name,
                    (long long)(e->start - w->l.now.ms));
        add_nodes_text(holds, e->nodes, e->n_nodes);
    }
}

static void must_agree(const struct world *w, const char *what, const struct str *got,
                       const struct str *want)
{
    if (!str_eq(got->s ? got->s : "", want->s ? want->s : ""))
        fail_msg("seed %" PRIu64 ", round %d, backfill %u, depth %u: %s\n%sinstead of\n%s", w->seed,
                 w->round, w->l.m.spec.backfill, w->l.m.spec.reservations, what,
                 got->s ? got->s : "nothing\n", want->s ? want->s : "nothing\n");
}

/* --- what must hold --- */

/* The plain scheduler, and a new planner. */
static void compare_with_ref(struct world *w, struct str *starts, struct str *holds)
{
    struct sched_view v = lab_view(&w->l);
    struct planner *fresh = planner_new();
    struct sched_result r;
    struct ref_plan ref;
    struct str ref_starts = STR_INIT, ref_holds = STR_INIT;
    sched_result_init(&r);
    planner_cycle(fresh, &v, w->l.now, &r);
    text_of_starts(w, &r, starts);
    text_of_holds(w, fresh, holds);
    ref_plan_make(&ref, &w->l.m, w->l.now);
    text_of_ref(w, &ref, &ref_starts, &ref_holds);
    must_agree(w, "it starts", starts, &ref_starts);
    must_agree(w, "it holds", holds, &ref_holds);
    ref_plan_fini(&ref);
    str_fini(&ref_starts);
    str_fini(&ref_holds);
    sched_result_fini(&r);
    planner_free(fresh);
}

static void started_in_time(const struct world *w, const struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        const struct job *j = lab_get(&w->l, r->starts.v[i].job);
        if (req_detail(&j->req)->begin.ms > w->l.now.ms || j->hold != HOLD_NONE || j->state != JOB_PENDING)
            fail_msg("job %u starts before its time", j->id);
    }
}

/* When it was held before the cycle, and in a partition of which tier; 0: nowhere. */
static int64_t held_before(const struct world *w, uint32_t job, uint32_t *ret_tier)
{
    for (const char *at = w->before.s; at && *at; at = strchr(at, ';') + 1) {
        unsigned id;
        long long t;
        assert_int_equal(sscanf(at, "%u %lld %u;", &id, &t, ret_tier), 3);
        if (id == job)
            return t;
    }
    return 0;
}

static uint32_t tier_of_hold(const struct world *w, const struct held *h)
{
    return w->l.m.spec.parts.v[h->partition].priority_tier;
}

static bool started(const struct sched_result *r, uint32_t job)
{
    vec_for_each (&r->starts, i)
        if (r->starts.v[i].job == job)
            return true;
    return false;
}

/* The highest tier in which a job starts or has another place than before: what is held in lower ones gives
 * way. */
static int64_t tier_that_takes(const struct world *w, const struct sched_result *r, const struct held *v,
                               size_t n)
{
    int64_t above = -1;
    vec_for_each (&r->starts, i) {
        int64_t tier = model_get_part(&w->l.m, r->starts.v[i].start.partition)->priority_tier;
        above = tier > above ? tier : above;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t tier;
        if (held_before(w, v[i].job, &tier) != v[i].use->start && tier_of_hold(w, &v[i]) > above)
            above = tier_of_hold(w, &v[i]);
    }
    return above;
}

/* It waits in one of the job's partitions for its turn or for resources: if it has come since, it ends the
 * promise of a job behind it, and the slot goes to the first of the queue, which may be an older job. */
static bool is_rival(const struct world *w, const struct job *rival, const struct job *j)
{
    enum reason why = planner_reason(w->going, rival->id);
    bool waits = rival->state == JOB_PENDING && (why == REASON_RESOURCES || why == REASON_PRIORITY),
         any = false;
    struct strv its = eligible_partitions(&w->l.m, rival), mine = eligible_partitions(&w->l.m, j);
    for (size_t i = 0; i < its.n && waits; i++)
        any = any || strv_has(&mine, its.v[i]);
    strv_fini(&its);
    strv_fini(&mine);
    return any;
}

/* When the newest of those ahead of place n in the order came. */
static int newest_rival(const struct world *w, const struct ref_order *order, size_t n)
{
    int newest = 0;
    for (size_t i = 0; i < n; i++) {
        const struct job *rival = order->v.v[i].j;
        if (w->came[rival->id] > newest && is_rival(w, rival, order->v.v[n].j))
            newest = w->came[rival->id];
    }
    return newest;
}

/* A promise moves later only if a job ahead has come in since, or if a node or a time was lost. It does not
 * move because of an end, a limit, a licence or a begin time. */
static void no_hold_moves_later(struct world *w, const struct sched_result *r)
{
    struct held v[64];
    size_t n = holds_of(w->going, v, N_OF(v));
    struct ref_order order;
    int newest = 0; /* of the jobs ahead that start, or for which a start is planned: when it came */
    int64_t above = tier_that_takes(w, r, v, n);
    ref_order_make(&w->l.m, &order);
    vec_for_each (&order.v, i) {
        const struct job *j = order.v.v[i].j;
        uint32_t id = j->id, tier = 0;
        int64_t was = held_before(w, id, &tier);
        bool holds = false;
        for (size_t k = 0; k < n; k++)
            if (v[k].job == id) {
                holds = true;
                uint32_t now = tier_of_hold(w, &v[k]);
                if (order.v.v[i].tier != (was && tier < now ? tier : now)) /* not its last turn */
                    continue;
                if (was && v[k].use->start > was && !w->lost && newest <= w->promised[id] &&
                    newest_rival(w, &order, i) <= w->promised[id] && tier >= above &&
                    !started(r, id)) /* an array has more elements */
                    fail_msg("seed %" PRIu64
                             ", round %d: job %u was held for %lld s from now, now for %lld",
                             w->seed, w->round, id, (long long)(was - w->l.now.ms) / 1000,
                             (long long)(v[k].use->start - w->l.now.ms) / 1000);
            }
        bool throttled =
            planner_reason(w->going, id) == REASON_ARRAY_LIMIT; /* another element has started */
        bool last_turn =
            order.v.v[i].tier == tier; /* where it had its slot: jobs of that tier may take it */
        if (was > w->l.now.ms && last_turn && !throttled && !holds && !started(r, id) && !w->lost &&
            newest <= w->promised[id] && newest_rival(w, &order, i) <= w->promised[id] && tier >= above)
            fail_msg("seed %" PRIu64 ", round %d: job %u was held for %lld s from now, now for never (%s)",
                     w->seed, w->round, id, (long long)(was - w->l.now.ms) / 1000,
                     reason_slurm(planner_reason(w->going, id)));
        if ((holds || started(r, id)) && w->came[id] > newest)
            newest = w->came[id];
    }
    vec_fini(&order.v);
}

static void keep_holds(struct world *w)
{
    struct held v[64];
    size_t n = holds_of(w->going, v, N_OF(v));
    str_fini(&w->before);
    w->before = (struct str)STR_INIT;
    int promised[N_OF(w->promised)] = {0};
    for (size_t i = 0; i < n; i++) {
        str_appendf(&w->before, "%u %lld %u;", v[i].job, (long long)v[i].use->start,
                    tier_of_hold(w, &v[i]));
        promised[v[i].job] = w->promised[v[i].job] ? w->promised[v[i].job] : w->round + 1;
    }
    memcpy(w->promised, promised, sizeof promised);
    w->holds += (unsigned)n;
}

/* The state as it is, the holds of the planner beside it: who waits must not fit. */
static void nobody_fits(struct world *w)
{
    struct held v[64];
    size_t n = holds_of(w->going, v, N_OF(v));
    bool off = w->l.m.spec.backfill == BACKFILL_OFF;
    list_for_each (j, &w->l.m.pending, struct job, in_queue) {
        struct ref_plan ref;
        struct ref_entry e;
        ref_plan_bare(&ref, &w->l.m, w->l.now);
        for (size_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < v[i].use->n_parts && v[i].job != j->id; k++) {
                const struct pool_part *part = &v[i].use->parts[k];
                vec_push(&ref.uses, (struct ref_use){part->node, part->amount.cpus, part->amount.mem_mib,
                                                     part->amount.gpus, v[i].use->start, v[i].use->end,
                                                     v[i].job, true, 0, 0, k == 0});
            }
        if (!off && ref_fits_now(&ref, j, &e))
            fail_msg("seed %" PRIu64 ", round %d, backfill %u: job %u waits and fits on n%u", w->seed,
                     w->round, w->l.m.spec.backfill, j->id, e.nodes[0]);
        if (planner_reason(w->going, j->id) == REASON_NONE)
            fail_msg("job %u waits for no reason", j->id);
        ref_plan_fini(&ref);
        w->waits++;
    }
}

static void run_cycle(struct world *w)
{
    struct sched_view v = lab_view(&w->l);
    struct str starts = STR_INIT, holds = STR_INIT, fresh_starts = STR_INIT, fresh_holds = STR_INIT;
    struct sched_result r;
    bool keeps = w->l.m.spec.backfill == BACKFILL_CONSERVATIVE;
    compare_with_ref(w, &fresh_starts, &fresh_holds);
    sched_result_init(&r);
    planner_cycle(w->going, &v, w->l.now, &r);
    text_of_starts(w, &r, &starts);
    text_of_holds(w, w->going, &holds);
    if (!keeps) {
        must_agree(w, "the one that goes on starts", &starts, &fresh_starts);
        must_agree(w, "the one that goes on holds", &holds, &fresh_holds);
    } else {
        no_hold_moves_later(w, &r);
    }
    started_in_time(w, &r);
    w->starts += (unsigned)r.starts.n;
    lab_fold_cycle(&w->l, w->going, &r);
    sched_result_fini(&r);
    nobody_fits(w);
    sched_result_init(&r);
    planner_cycle(w->going, &v, w->l.now, &r);
    if (r.starts.n && keeps)
        fail_msg("seed %" PRIu64 ", round %d: a second cycle starts job %u", w->seed, w->round,
                 r.starts.v[0].job);
    w->next = r.next;
    keep_holds(w);
    w->starts += (unsigned)lab_fold_cycle(&w->l, w->going, &r);
    sched_result_fini(&r);
    str_fini(&starts);
    str_fini(&holds);
    str_fini(&fresh_starts);
    str_fini(&fresh_holds);
}

static void run(uint64_t seed, struct world *sum)
{
    struct world w = {.going = planner_new(), .seed = seed};
    any_seed(seed);
    make_cluster(&w.l);
    for (w.round = 0; w.round < ROUNDS; w.round++) {
        live(&w);
        run_cycle(&w);
    }
    sum->starts += w.starts;
    sum->holds += w.holds;
    sum->waits += w.waits;
    planner_free(w.going);
    str_fini(&w.before);
    lab_fini(&w.l);
}

static void test_any_queue(void **state)
{
    (void)state;
    const char *env = getenv("STOKER_TEST_RUNS");
    unsigned runs = env ? (unsigned)strtoul(env, NULL, 10) : 150;
    uint64_t seed = check_seed();
    static const uint64_t failed[] = {770469, 773003, 773175}; /* each has found something once */
    struct world sum = {.seed = seed};
    for (unsigned i = 0; i < runs; i++)
        run(seed + i, &sum);
    for (size_t i = 0; i < N_OF(failed); i++)
        run(failed[i], &sum);
    assert_true(sum.starts > runs && sum.holds > runs && sum.waits > runs); /* something happened */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_queue),
    };
    return cmocka_run_group_tests_name("planner", tests, NULL, NULL);
}
