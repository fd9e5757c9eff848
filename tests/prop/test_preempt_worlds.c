/* test_preempt_worlds.c - preemption over time, on random clusters and queues.
 *
 * Jobs in several partitions, tiers mixed with QOS that preempt, soft and hard limits, grace times; jobs
 * end before their limits and between the cycles, victims within their grace times. First jobs come in;
 * then none do, and what runs goes on to its limit; then all of it ends. What must hold is worked out here
 * from the state alone, beside what the planner says that it holds:
 *
 *     what runs and what is planned is no more than there is, at any time; what a preemption frees is free
 *         from the end of the grace time on
 *     a job preempts only what stands behind it in the queue, by a rule of the configuration, and nothing
 *         within its minimum run
 *     when its victims are gone and their grace times are over, the preemptor starts, unless it has changed
 *         or a job of a higher tier has taken the place
 *     no place held in a lower tier keeps a job from starting in a higher one
 *     while nothing comes in no job is preempted again and again; and the world comes to rest
 *
 * test-timeout: 7200 (for STOKER_TEST_RUNS)
 */
#include <signal.h>

#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/random_cluster.h"
#include "tests/lib/reference_sched.h"

#define RUNS       200
#define ROUNDS     20   /* in which jobs come in */
#define STEPS_MAX  3000 /* until nothing happens any more */
#define QUIET_MAX  8    /* times that a job may be preempted while none comes in */
#define JOBS_MAX   600
#define SETTLE_MAX 12 /* cycles at one time */

struct fate { /* of a job's run */
    int64_t start, kill, end;
    unsigned quiet; /* preempted so often since none comes in */
};

struct promise_of { /* to a job for which others were preempted */
    int64_t ready;  /* when it starts at the latest */
    uint32_t tier;
    uint64_t nodes; /* bits */
    bool stands;
};

struct world {
    struct lab l;
    struct planner *p;
    uint64_t seed;
    int64_t next; /* when the planner wants another cycle; 0: never */
    bool quiet, to_limits;
    bool has_limits;
    struct fate fates[JOBS_MAX];
    struct promise_of preemptor_charges[JOBS_MAX];
    unsigned preempts, starts, kept; /* kept: promises */
};

#define FAIL(w, ...)                                                                                     \
    do {                                                                                                 \
        fprintf(stderr, "seed %" PRIu64 ", t %lld: ", (w)->seed, (long long)((w)->l.now.ms / MS_PER_S)); \
        fail_msg(__VA_ARGS__);                                                                           \
    } while (0)

/* --- a cluster --- */

static void add_nodes(struct lab *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(l, name, 2 + any_below(7), 8000, any_one_in(3) ? any_below(5) : 0, NULL)->weight =
            any_below(2);
    }
}

static void add_parts(struct lab *l, uint32_t n_nodes)
{
    static const uint32_t graces[] = {0, 0, 5, 30, 90};
    uint32_t n = 2 + any_below(3);
    for (uint32_t p = 0; p < n; p++) {
        char name[16];
        struct str nodes = STR_INIT;
        for (uint32_t i = 0; i < n_nodes; i++)
            if (!any_one_in(4) || i == p % n_nodes)
                str_appendf(&nodes, "%sn%u", nodes.len ? "," : "", i);
        snprintf(name, sizeof name, "p%u", p);
        struct part_spec *part = lab_part(l, name, nodes.s);
        part->priority_tier = any_below(4);
        part->preempt_mode = any_one_in(4) ? PREEMPT_OFF : any_one_in(4) ? PREEMPT_CANCEL : PREEMPT_REQUEUE;
        part->grace_s = graces[any_below(N_OF(graces))];
        part->requeue_after_grace = !any_one_in(6);
        part->preempt_exempt_s = any_one_in(3) ? 60 * (1 + any_below(10)) : 0;
        str_fini(&nodes);
    }
}

/* hi may preempt mid, mid lo; sometimes hi both. */
static void add_qos(struct lab *l)
{
    static const char *const names[] = {"lo", "mid", "hi"};
    bool preempts = !any_one_in(3), both = any_one_in(2);
    for (uint32_t i = 0; i < 3; i++) {
        struct qos_spec *q = rec_list_push(&l->spec.qos);
        *q = (struct qos_spec){.name = xstrdup(names[i]), .grace_s = any_one_in(2) ? any_below(40) : 0};
        q->preempt_exempt_s = any_one_in(5) ? 30 * (1 + any_below(10)) : 0;
        if (preempts && i)
            strv_push(&q->preempt, names[i - 1]);
        if (preempts && i == 2 && both)
            strv_push(&q->preempt, "lo");
    }
}

static bool add_limits(struct lab *l)
{
    static const char *const whose[] = {"*", "ann"};
    if (any_one_in(2))
        return false;
    struct limit_spec *s = rec_list_push(&l->spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup(whose[any_below(2)])};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    if (any_one_in(2))
        s->soft.cpus = 2 + any_below(8);
    if (any_one_in(2))
        s->hard.cpus = 4 + any_below(12);
    if (any_one_in(3))
        s->hard.running_jobs = 1 + any_below(4);
    if (s->soft.cpus != LIMIT_NONE && s->hard.cpus < s->soft.cpus)
        s->hard.cpus = LIMIT_NONE;
    return true;
}

static void make_world(struct world *w)
{
    struct lab *l = &w->l;
    uint32_t n = 1 + any_below(4);
    lab_init(l);
    add_nodes(l, n);
    add_parts(l, n);
    add_qos(l);
    w->has_limits = add_limits(l);
    l->spec.backfill = any_one_in(4) ? BACKFILL_EASY : any_one_in(8) ? BACKFILL_OFF : BACKFILL_CONSERVATIVE;
    l->spec.reservations = 1 + any_below(3);
    lab_configure(l);
}

/* --- what happens --- */

static char *some_parts(const struct lab *l)
{
    struct str s = STR_INIT;
    uint32_t n = (uint32_t)l->m.spec.parts.n, first = any_below(n),
             many = any_one_in(2) ? 1 : 1 + any_below(n);
    uint32_t by = any_one_in(2) ? 1 : n - 1;
    for (uint32_t i = 0; i < many; i++)
        str_appendf(&s, "%sp%u", i ? "," : "", (first + i * by) % n);
    return str_take(&s);
}

static void submit(struct world *w)
{
    static const char *const users[] = {"ann", "bob", "cid"}, *const qos[] = {"lo", "mid", "hi"};
    struct job *j = lab_job(&w->l, JOB_KIND_BATCH);
    struct job_req *r = &j->req;
    r->partition = some_parts(&w->l);
    r->nodes_min = r->nodes_max = r->ntasks = any_one_in(5) ? 1 + any_below(3) : 1;
    r->cpus_per_task = 1 + any_below(any_one_in(2) ? 8 : 3);
    r->gpus_per_node = any_one_in(6) ? any_below(4) : 0;
    r->mem_node_mib = 10;
    r->time_limit_s = any_one_in(8) ? DURATION_NOT_SET : 60 * (1 + any_below(any_one_in(3) ? 60 : 8));
    req_detail_mut(r)->qos = any_one_in(3) ? NULL : xstrdup(qos[any_below(3)]);
    req_detail_mut(r)->has_priority = any_one_in(3);
    req_detail_mut(r)->priority = req_detail(r)->has_priority ? 1 + any_below(3) : 0;
    req_detail_mut(r)->requeue = any_one_in(8) ? 2 : NOT_GIVEN;
    free(j->user);
    j->user = xstrdup(users[any_below(3)]);
    if (any_one_in(6)) {
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 1 + any_below(3), 1};
        r->array_throttle = any_one_in(2) ? 1 + any_below(2) : 0;
    }
    w->l.now.ms -= MS_PER_S;
    planner_note_job(w->p, lab_submit(&w->l, j));
}

static int64_t end_by_limit(const struct job *j)
{
    return j->time_limit_s >= DURATION_NOT_SET ? INT64_MAX
                                               : j->t_start.ms + (int64_t)j->time_limit_s * MS_PER_S;
}

/* When its run ends: at a time that was drawn when it began; of a victim within its grace time. */
static int64_t end_of_run(struct world *w, const struct job *j)
{
    assert_true(j->id < JOBS_MAX);
    struct fate *f = &w->fates[j->id];
    const struct job_rare *r = job_rare(j);
    if (f->start != j->t_start.ms) {
        int64_t limit = end_by_limit(j);
        int64_t run_s = limit == INT64_MAX ? 60 + any_below(3000) : 1 + any_below(j->time_limit_s);
        f->start = j->t_start.ms;
        f->end = any_one_in(4) && limit != INT64_MAX ? limit : j->t_start.ms + run_s * MS_PER_S;
        f->kill = 0;
    }
    if (w->to_limits && j->state == JOB_RUNNING)
        f->end = end_by_limit(j);
    if (j->state == JOB_COMPLETING && f->kill != r->t_kill.ms) {
        f->kill = r->t_kill.ms;
        int64_t leaves_s = any_one_in(3) ? (int64_t)any_below(r->kill_grace_s + 1) : r->kill_grace_s;
        int64_t gone = r->t_kill.ms + leaves_s * MS_PER_S;
        f->end = gone < f->end ? gone : f->end;
    }
    return f->end;
}

static void end_job(struct world *w, struct job *j)
{
    uint32_t id = j->id;
    bool killed = j->state == JOB_COMPLETING && !any_one_in(8);
    w->l.now.ms -= MS_PER_S;
    assert_int_equal(
        lab_end(&w->l, id, STEP_BATCH, 0, killed ? END_KILLED : END_EXITED, 0, killed ? SIGTERM : 0), 0);
    planner_note_job(w->p, id);
}

static struct job *first_to_end(struct world *w, int64_t by)
{
    struct job *first = NULL;
    int64_t when = by;
    list_for_each (j, &w->l.m.active, struct job, in_queue)
        if (end_of_run(w, j) <= when) {
            when = end_of_run(w, j);
            first = j;
        }
    return first;
}

static bool end_what_is_due(struct world *w)
{
    bool any = false;
    for (struct job *j; (j = first_to_end(w, w->l.now.ms)); any = true)
        end_job(w, j);
    return any;
}

/* --- what must hold --- */

struct use {
    uint32_t node;
    struct amount amount;
    int64_t start, end;
    uint32_t job;
};
struct uses {
    VEC(struct use) v;
};

static uint32_t node_at(const struct world *w, const char *name)
{
    uint32_t i = 0;
    while (!str_eq(w->l.m.nodes[i]->spec.name, name))
        i++;
    return i;
}

static void add_running(const struct world *w, const struct job *j, struct uses *u)
{
    const struct job_rare *r = job_rare(j);
    int64_t end = end_by_limit(j);
    if (j->state == JOB_COMPLETING && r->t_kill.ms + ((int64_t)r->kill_grace_s + 1) * MS_PER_S < end)
        end = r->t_kill.ms + ((int64_t)r->kill_grace_s + 1) * MS_PER_S;
    for (size_t i = 0; i < j->alloc.n && j->holding; i++) {
        const struct alloc *a = &j->alloc.v[i];
        struct amount amount = {cpuset_count(&a->cpus), (int64_t)a->mem_mib, cpuset_count(&a->gpus)};
        vec_push(&u->v, ((struct use){node_at(w, a->node), amount, w->l.now.ms, end, j->id}));
    }
}

static void add_held(const struct pool_use *h, uint32_t job, struct uses *u)
{
    for (uint32_t i = 0; i < h->n_parts; i++)
        vec_push(&u->v, ((struct use){h->parts[i].node, h->parts[i].amount, h->start, h->end, job}));
}

static void list_uses(const struct world *w, struct uses *u)
{
    *u = (struct uses){VEC_INIT};
    list_for_each (j, &w->l.m.active, struct job, in_queue)
        add_running(w, j, u);
    list_for_each (h, &planner_queue(w->p)->slots.list, struct plan_slot, link) {
        const struct pending_entry *x = container_of(h, struct pending_entry, slot);
        add_held(&h->use, x->job, u);
        for (uint32_t i = 0; i < x->extra.n; i++)
            add_held(&x->extra.v[i].use, x->job, u);
    }
}

/* At each time that something planned begins: that is when it gets most. */
static void plan_fits(const struct world *w)
{
    struct uses u;
    list_uses(w, &u);
    vec_for_each (&u.v, i) {
        const struct use *at = &u.v.v[i];
        const struct node *n = w->l.m.nodes[at->node];
        struct amount sum = {0, 0, 0};
        if (at->start <= w->l.now.ms)
            continue;
        vec_for_each (&u.v, k) {
            const struct use *o = &u.v.v[k];
            if (o->node == at->node && o->start <= at->start && o->end > at->start)
                sum = amount_plus(sum, o->amount);
        }
        if (sum.cpus > (int64_t)n->cpus || sum.gpus > (int64_t)n->gpus || sum.mem_mib > (int64_t)n->mem_mib)
            FAIL(w, "in %lld s node %s has more planned than it has: %lld CPUs, %lld GPUs, among it job %u",
                 (long long)(at->start - w->l.now.ms) / 1000, n->spec.name, (long long)sum.cpus,
                 (long long)sum.gpus, at->job);
    }
    vec_fini(&u.v);
}

static uint32_t level_of(const struct world *w, const struct job *j)
{
    static const char *const names[] = {"lo", "mid", "hi"};
    bool preempts = w->l.m.spec.qos.v[1].preempt.n > 0;
    for (uint32_t i = 0; preempts && i < 3; i++)
        if (str_eq(req_detail(&j->req)->qos, names[i]))
            return i;
    return 0;
}

static bool qos_may(const struct world *w, const struct job *j, const struct job *victim)
{
    for (size_t i = 0; i < w->l.m.spec.qos.n; i++)
        if (str_eq(w->l.m.spec.qos.v[i].name, req_detail(&j->req)->qos))
            return req_detail(&victim->req)->qos &&
                   strv_has(&w->l.m.spec.qos.v[i].preempt, req_detail(&victim->req)->qos);
    return false;
}

/* The end of its minimum run, by its QOS or else by its partition. */
static int64_t exempt_until(const struct world *w, const struct job *j)
{
    uint32_t s = model_get_part(&w->l.m, j->partition)->preempt_exempt_s;
    for (size_t i = 0; i < w->l.m.spec.qos.n; i++)
        if (str_eq(w->l.m.spec.qos.v[i].name, req_detail(&j->req)->qos) &&
            w->l.m.spec.qos.v[i].preempt_exempt_s)
            s = w->l.m.spec.qos.v[i].preempt_exempt_s;
    return j->t_start.ms + (int64_t)s * MS_PER_S;
}

static void goes_by_a_rule(struct world *w, const struct sched_preempt *s, const struct part_spec *where)
{
    const struct job *v = lab_get(&w->l, s->job), *j = lab_get(&w->l, s->by_job);
    const struct part_spec *its = model_get_part(&w->l.m, v->partition);
    uint32_t ta = where->priority_tier, tb = its->priority_tier;
    bool behind = v->borrowed || ta > tb || (ta == tb && level_of(w, j) > level_of(w, v));
    bool rule = v->borrowed || (its->preempt_mode != PREEMPT_OFF && ta > tb) || qos_may(w, j, v);
    if (v->state != JOB_RUNNING || !rule)
        FAIL(w, "job %u preempts job %u by no rule", j->id, v->id);
    if (!behind)
        FAIL(w, "job %u (tier %u, QOS %s) preempts job %u (tier %u, QOS %s), which is not behind it", j->id,
             ta, req_detail(&j->req)->qos ? req_detail(&j->req)->qos : "-", v->id, tb,
             req_detail(&v->req)->qos ? req_detail(&v->req)->qos : "-");
    if (w->l.now.ms < exempt_until(w, v))
        FAIL(w, "job %u preempts job %u %lld s before the end of its minimum run", j->id, v->id,
             (long long)(exempt_until(w, v) - w->l.now.ms) / MS_PER_S);
    struct fate *f = &w->fates[v->id];
    f->quiet += w->quiet;
    if (f->quiet > QUIET_MAX)
        FAIL(w, "job %u was preempted %u times, last for job %u, and nothing comes in", v->id, f->quiet,
             j->id);
}

static uint64_t nodes_of_hold(const struct pool_use *h)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < h->n_parts; i++)
        bits |= UINT64_C(1) << h->parts[i].node;
    return bits;
}

static void check_preempts(struct world *w, const struct sched_result *r)
{
    vec_for_each (&r->preempts, i) {
        const struct sched_preempt *s = &r->preempts.v[i];
        const struct pending_entry *u = idmap_get(&planner_queue(w->p)->entries.by_job, s->by_job);
        if (!u || !u->slot.use.parts || !u->slot.by_preemption)
            FAIL(w, "job %u is preempted for job %u, which has no place then", s->job, s->by_job);
        const struct part_spec *where = &w->l.m.spec.parts.v[u->slot.partition];
        goes_by_a_rule(w, s, where);
        w->preemptor_charges[s->by_job] = (struct promise_of){.ready = u->slot.use.start,
                                                              .tier = where->priority_tier,
                                                              .nodes = nodes_of_hold(&u->slot.use),
                                                              /* its array may use up the throttle */
                                                              .stands = u->count == 1};
        w->preempts++;
    }
}

/* A job of a higher tier has got some of the place, or will before. */
static bool is_taken_from_above(const struct world *w, const struct promise_of *p,
                                const struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        const struct ev_start *e = &r->starts.v[i].start;
        if (model_get_part(&w->l.m, e->partition)->priority_tier > p->tier)
            for (size_t k = 0; k < e->alloc.n; k++)
                if (p->nodes >> node_at(w, e->alloc.v[k].node) & 1)
                    return true;
    }
    list_for_each (h, &planner_queue(w->p)->slots.list, struct plan_slot, link)
        if (h->tier > p->tier && nodes_of_hold(&h->use) & p->nodes)
            return true;
    return false;
}

static bool are_victims_gone(const struct world *w, uint32_t job)
{
    list_for_each (j, &w->l.m.active, struct job, in_queue)
        if (j->state == JOB_COMPLETING && job_rare(j)->preempted_by == job)
            return false;
    return true;
}

static void keep_promises(struct world *w)
{
    for (uint32_t id = 1; id < w->l.m.next_job && id < JOBS_MAX; id++) {
        struct promise_of *p = &w->preemptor_charges[id];
        const struct job *j = p->stands ? model_get_job(&w->l.m, id) : NULL;
        if (!p->stands || w->l.now.ms < p->ready || (j && !are_victims_gone(w, id)))
            continue;
        p->stands = false;
        w->kept++;
        if (j && j->state == JOB_PENDING)
            FAIL(w, "others were preempted for job %u, and it does not start (%s)", id,
                 reason_slurm(planner_reason(w->p, id)));
    }
}

/* Where it has found another place before, that is as good. */
static void note_started(struct world *w)
{
    list_for_each (j, &w->l.m.active, struct job, in_queue) {
        w->kept += w->preemptor_charges[j->id].stands;
        w->preemptor_charges[j->id].stands = false;
    }
}

/* Beside what runs and what is held in tiers as high it must not fit. */
static void no_lower_tier_delays(struct world *w, const struct job *j)
{
    enum reason why = planner_reason(w->p, j->id);
    const struct pending_entry *u = idmap_get(&planner_queue(w->p)->entries.by_job, j->id);
    bool waits = why == REASON_RESOURCES || why == REASON_PRIORITY;
    if (!waits || w->has_limits || w->l.m.spec.backfill == BACKFILL_OFF || !u || u->slot.by_preemption)
        return;
    for (size_t i = 0; i < w->l.m.spec.parts.n; i++) {
        struct ref_plan ref;
        struct ref_entry e;
        ref_plan_bare(&ref, &w->l.m, w->l.now);
        ref.tier = w->l.m.spec.parts.v[i].priority_tier;
        list_for_each (h, &planner_queue(w->p)->slots.list, struct plan_slot, link) {
            const struct pending_entry *x = container_of(h, struct pending_entry, slot);
            struct uses held = {VEC_INIT};
            if (x == u || w->l.m.spec.parts.v[h->partition].priority_tier < ref.tier)
                continue;
            add_held(&h->use, x->job, &held);
            for (uint32_t k = 0; k < x->extra.n; k++)
                add_held(&x->extra.v[k].use, x->job, &held);
            vec_for_each (&held.v, k) {
                const struct use *o = &held.v.v[k];
                vec_push(&ref.uses,
                         ((struct ref_use){o->node, o->amount.cpus, o->amount.mem_mib, o->amount.gpus,
                                           o->start, o->end, o->job, true, 0, ref.tier, false}));
            }
            vec_fini(&held.v);
        }
        if (ref_fits_now(&ref, j, &e))
            FAIL(w, "job %u (%s) waits in tier %u though it fits on n%u beside all places held there",
                 j->id, reason_slurm(why), ref.tier, e.nodes[0]);
        ref_plan_fini(&ref);
    }
}

/* --- life --- */

/* Passes until nothing more is to be had at this time. */
static void settle(struct world *w)
{
    for (int i = 0;; i++) {
        struct sched_view v = lab_view(&w->l);
        struct sched_result r;
        sched_result_init(&r);
        planner_cycle(w->p, &v, w->l.now, &r);
        check_preempts(w, &r);
        for (uint32_t id = 1; id < w->l.m.next_job && id < JOBS_MAX; id++)
            if (w->preemptor_charges[id].stands && is_taken_from_above(w, &w->preemptor_charges[id], &r))
                w->preemptor_charges[id].stands = false;
        bool idle = !r.starts.n && !r.preempts.n;
        w->next = wall_is_set(r.next) ? r.next.ms : 0;
        w->starts += (unsigned)lab_fold_cycle(&w->l, w->p, &r);
        sched_result_fini(&r);
        note_started(w);
        if (planner_queue(w->p)->changes.freed) /* it says itself that it is not through */
            idle = false;
        else
            plan_fits(w);
        if (idle)
            break;
        if (i == SETTLE_MAX)
            FAIL(w, "%d cycles in the same second, and it goes on", i);
    }
    keep_promises(w);
    list_for_each (j, &w->l.m.pending, struct job, in_queue)
        no_lower_tier_delays(w, j);
}

/* To the next end, or cycle that was asked for, before `until`. False: there is none. */
static bool next_instant(struct world *w, int64_t until)
{
    int64_t next = w->next > w->l.now.ms ? w->next : INT64_MAX;
    list_for_each (j, &w->l.m.active, struct job, in_queue) {
        int64_t end = end_of_run(w, j);
        next = end < next ? end : next;
    }
    if (next >= until) {
        w->l.now.ms = until == INT64_MAX ? w->l.now.ms : until;
        return false;
    }
    w->l.now.ms = next > w->l.now.ms ? next : w->l.now.ms + 1;
    return true;
}

static void let_time_pass(struct world *w, int64_t until)
{
    for (int steps = 0; next_instant(w, until); steps++) {
        end_what_is_due(w);
        settle(w);
        if (steps == STEPS_MAX)
            FAIL(w, "it never comes to rest");
    }
}

static void change_something(struct world *w)
{
    struct job *j = NULL;
    uint32_t seen = 0;
    list_for_each (x, &w->l.m.pending, struct job, in_queue)
        if (any_one_in(++seen))
            j = x;
    if (!j)
        return;
    w->preemptor_charges[j->id].stands = false;
    planner_note_job(w->p, j->id);
    w->l.now.ms -= MS_PER_S;
    assert_int_equal(lab_hold(&w->l, j->id, j->hold == HOLD_NONE ? HOLD_USER : HOLD_NONE), 0);
}

static void run(uint64_t seed, struct world *sum)
{
    struct world *w = xcalloc(1, sizeof *w);
    w->p = planner_new();
    w->seed = seed;
    any_seed(seed);
    make_world(w);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t n = any_below(any_one_in(4) ? 7 : 3); n; n--)
            submit(w);
        if (any_one_in(8))
            change_something(w);
        end_what_is_due(w);
        settle(w);
        let_time_pass(w, w->l.now.ms + (1 + (int64_t)any_below(any_one_in(3) ? 900 : 60)) * MS_PER_S);
    }
    w->quiet = w->to_limits = true;
    let_time_pass(w, w->l.now.ms + 1800 * MS_PER_S);
    w->to_limits = false;
    list_for_each (j, &w->l.m.active, struct job, in_queue)
        w->fates[j->id].start = 0; /* drawn again */
    let_time_pass(w, INT64_MAX);
    sum->preempts += w->preempts;
    sum->starts += w->starts;
    sum->kept += w->kept;
    planner_free(w->p);
    lab_fini(&w->l);
    free(w);
}

static void test_any_world(void **state)
{
    (void)state;
    const char *env = getenv("STOKER_TEST_RUNS");
    unsigned runs = env && *env ? (unsigned)strtoul(env, NULL, 10) : RUNS;
    uint64_t seed = check_seed();
    static struct world sum;
    for (unsigned i = 0; i < runs; i++)
        run(seed + i, &sum);
    printf("%u worlds: %u starts, %u preempted, %u promises\n", runs, sum.starts, sum.preempts, sum.kept);
    assert_true(sum.starts > 5 * runs && (runs < 20 || (sum.preempts > runs && sum.kept > runs)));
}

/* Two entries of a job took turns: the claim of one displaced the planned start of the other, and was
 * lost. */
static void test_claim_against_plan_of_another_entry(void **state)
{
    (void)state;
    static struct world sum;
    run(106977, &sum);
}

/* A preemption was taken back. A start planned after that victim's end was then in the way of a preemptor
 * whose own victims went. */
static void test_plan_for_a_victim_that_stays(void **state)
{
    (void)state;
    static struct world sum;
    run(771480, &sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim_against_plan_of_another_entry),
        cmocka_unit_test(test_plan_for_a_victim_that_stays),
        cmocka_unit_test(test_any_world),
    };
    return cmocka_run_group_tests_name("preempt_worlds", tests, NULL, NULL);
}
