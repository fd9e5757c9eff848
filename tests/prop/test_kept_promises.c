/* test_kept_promises.c - changes after which no promise of a job ahead may have moved later, on random
 * worlds. Each change is made in the middle of a run, and the planned starts before and after it are
 * compared: nothing else happens, and no time goes by.
 *
 *     a waiting job names one more partition         the promises of all jobs ahead of it
 *     an end, a cancelled job                         all promises
 *     a hard limit of a user is raised, usage frozen  the promise of that user's first waiting job
 *
 * Weights are zero: the order of the queue is that of tiers, then submission. Jobs do not preempt.
 */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/random_cluster.h"

#define RUNS     150
#define ROUNDS   25
#define JOBS_MAX 800
#define USERS    4
#define REST_MAX 12
#define LEAST    2 /* worlds for each promise that a kind of change has compared, at most */

enum change { CHANGE_PARTITION, CHANGE_END, CHANGE_CANCEL, CHANGE_LIMIT, N_CHANGES };
static const char *const change_names[] = {"one more partition", "an end", "a cancel", "a raised limit"};
static const char *const users[USERS] = {"ann", "bob", "cid", "dan"};

struct world {
    struct lab l;
    struct planner *p;
    uint64_t seed;
    int clock;                  /* counts what happens */
    int64_t promised[JOBS_MAX]; /* 0: no start is planned, or a job may take its resources */
    int since[JOBS_MAX];        /* when the start was planned; 0: none is */
    int came[JOBS_MAX];         /* when the job came or was changed */
    unsigned compared[N_CHANGES];
};

/* --- a cluster --- */

static void add_parts(struct lab *l, uint32_t n_nodes)
{
    uint32_t n = 2 + any_below(3);
    for (uint32_t p = 0; p < n; p++) {
        char name[16];
        struct str nodes = STR_INIT;
        for (uint32_t i = 0; i < n_nodes; i++)
            if (!any_one_in(3) || i == p % n_nodes)
                str_appendf(&nodes, "%sn%u", nodes.len ? "," : "", i);
        snprintf(name, sizeof name, "p%u", p);
        lab_part(l, name, nodes.s)->priority_tier = any_below(3);
        str_fini(&nodes);
    }
}

static void add_limits(struct lab *l)
{
    for (uint32_t i = 0; i < USERS; i++) {
        struct limit_spec *s = rec_list_push(&l->spec.limits);
        *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup(users[i])};
        memset(&s->soft, 0xff, sizeof s->soft);
        s->hard = s->soft;
        if (any_one_in(2))
            s->hard.cpus = 4 + any_below(12);
        if (any_one_in(3))
            s->hard.running_jobs = 1 + any_below(4);
    }
    *rec_list_push(&l->spec.licenses) = (struct license_spec){xstrdup("lic"), 3};
}

static void make_world(struct world *w)
{
    struct lab *l = &w->l;
    uint32_t n = 2 + any_below(4);
    lab_init(l);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(l, name, 2 + any_below(7), 8000, any_one_in(3) ? 2 : 0, NULL);
    }
    add_parts(l, n);
    add_limits(l);
    l->spec.backfill = BACKFILL_CONSERVATIVE;
    l->spec.reservations = 1 + any_below(3);
    lab_configure(l);
}

static void submit(struct world *w)
{
    struct job *j = lab_job(&w->l, JOB_KIND_BATCH);
    struct job_req *r = &j->req;
    uint32_t n = (uint32_t)w->l.m.spec.parts.n, first = any_below(n);
    r->partition = any_one_in(4) ? xasprintf("p%u,p%u", first, (first + 1) % n) : xasprintf("p%u", first);
    r->nodes_min = r->nodes_max = r->ntasks = any_one_in(5) ? 1 + any_below(3) : 1;
    r->cpus_per_task = 1 + any_below(any_one_in(2) ? 8 : 3);
    r->gpus_per_node = any_one_in(6) ? any_below(3) : 0;
    r->mem_node_mib = 10;
    r->time_limit_s = 60 * (1 + any_below(any_one_in(3) ? 90 : 10));
    req_detail_mut(r)->licenses = any_one_in(5) ? xasprintf("lic:%u", 1 + any_below(2)) : NULL;
    if (any_one_in(6))
        req_detail_mut(r)->begin.ms = w->l.now.ms + 60 * MS_PER_S * any_below(30);
    free(j->user);
    j->user = xstrdup(users[any_below(USERS)]);
    w->l.now.ms -= MS_PER_S;
    uint32_t id = lab_submit(&w->l, j);
    assert_true(id < JOBS_MAX);
    w->came[id] = ++w->clock;
    w->since[id] = 0;
    planner_note_job(w->p, id);
}

static struct job *any_job(const struct list *head)
{
    struct job *found = NULL;
    uint32_t seen = 0;
    list_for_each (j, head, struct job, in_queue)
        if (any_one_in(++seen))
            found = j;
    return found;
}

static bool end_one(struct world *w, struct job *j)
{
    if (!j)
        return false;
    planner_note_job(w->p, j->id);
    w->l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&w->l, j->id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    return true;
}

static void let_time_pass(struct world *w)
{
    bool any = true;
    w->l.now.ms += (int64_t)any_below(any_one_in(4) ? 1800 : 200) * MS_PER_S;
    while (any) {
        any = false;
        list_for_each (j, &w->l.m.active, struct job, in_queue)
            if (j->t_start.ms + (int64_t)j->time_limit_s * MS_PER_S <= w->l.now.ms) {
                any = end_one(w, j);
                break;
            }
    }
}

/* --- promises --- */

static uint32_t highest_tier(const struct world *w, const char *parts)
{
    uint32_t tier = 0;
    vec_for_each (&w->l.m.spec.parts, i) {
        const struct part_spec *p = &w->l.m.spec.parts.v[i];
        if (strstr(parts, p->name) && p->priority_tier > tier)
            tier = p->priority_tier;
    }
    return tier;
}

static const struct plan_slot *slot_of(const struct world *w, uint32_t job)
{
    const struct pending_entry *u = idmap_get(&planner_queue(w->p)->entries.by_job, job);
    return u && u->slot.use.parts ? &u->slot : NULL;
}

/* Since when each start has been planned. */
static void note_ages(struct world *w)
{
    w->clock++;
    list_for_each (j, &w->l.m.pending, struct job, in_queue)
        if (!slot_of(w, j->id))
            w->since[j->id] = 0;
        else if (!w->since[j->id])
            w->since[j->id] = w->clock;
}

/* Cycles until they change nothing. */
static void decide(struct world *w)
{
    for (int i = 0; i < REST_MAX; i++) {
        struct sched_result r;
        size_t n = lab_cycle_resume(&w->l, w->p, &r);
        bool at_rest = !n && !(wall_is_set(r.next) && r.next.ms <= w->l.now.ms + 1);
        sched_result_fini(&r);
        if (at_rest) {
            note_ages(w);
            return;
        }
    }
    fail_msg("seed %" PRIu64 ": the planner does not come to rest", w->seed);
}

/* A job may take what is promised to the other: it is of a higher tier, or it came later and stands before
 * the other. */
static bool may_displace(const struct world *w, const struct job *j, const struct job *promised,
                         uint32_t tier)
{
    uint32_t its = highest_tier(w, j->req.partition);
    bool later = w->came[j->id] > w->since[promised->id];
    return its > tier || (its == tier && later && j->id < promised->id);
}

static void note_promise(struct world *w, const struct job *j)
{
    const struct plan_slot *h = slot_of(w, j->id);
    bool safe = h != NULL;
    list_for_each (other, &w->l.m.pending, struct job, in_queue)
        safe = safe && !may_displace(w, other, j, h->tier);
    w->promised[j->id] = safe ? h->use.start : 0;
}

static void note_promises(struct world *w)
{
    memset(w->promised, 0, sizeof w->promised);
    list_for_each (j, &w->l.m.pending, struct job, in_queue)
        note_promise(w, j);
}

static void compare(struct world *w, enum change what, uint32_t job)
{
    const struct job *j = lab_get(&w->l, job);
    const struct plan_slot *h = slot_of(w, job);
    int64_t was = w->promised[job];
    if (!was)
        return;
    w->compared[what]++;
    if (j->state != JOB_PENDING || (h && h->use.start <= was))
        return;
    fail_msg("seed %" PRIu64 ", t %lld: after %s job %u, which was promised a start in %lld s, has %lld",
             w->seed, (long long)(w->l.now.ms / MS_PER_S), change_names[what], job,
             (long long)(was - w->l.now.ms) / MS_PER_S,
             h ? (long long)(h->use.start - w->l.now.ms) / MS_PER_S : -1);
}

/* --- changes --- */

static uint32_t add_partition(struct world *w)
{
    struct job *j = any_job(&w->l.m.pending);
    struct ev_update e = {.time_limit_s = DURATION_NOT_SET};
    uint32_t n = (uint32_t)w->l.m.spec.parts.n;
    if (!j)
        return 0;
    rec_copy(&job_req_rec, &e.req, &j->req);
    char *more = xasprintf("p%u", any_below(n));
    char *parts = strstr(e.req.partition, more) ? NULL : xasprintf("%s,%s", e.req.partition, more);
    if (parts) {
        free(e.req.partition);
        e.req.partition = parts;
        w->l.now.ms -= MS_PER_S;
        lab_must(&w->l, EV_UPDATE, j->id, &e);
        w->came[j->id] = ++w->clock;
        planner_note_job(w->p, j->id);
    }
    free(more);
    rec_fini(&job_req_rec, &e.req);
    return parts ? j->id : 0;
}

static void check_partition(struct world *w)
{
    uint32_t id = add_partition(w);
    if (!id)
        return;
    const struct job *j = lab_get(&w->l, id);
    uint32_t tier = highest_tier(w, j->req.partition);
    bool ahead[JOBS_MAX] = {false};
    list_for_each (u, &w->l.m.pending, struct job, in_queue) {
        const struct plan_slot *h = slot_of(w, u->id);
        ahead[u->id] = h && u->id != id && (h->tier > tier || (h->tier == tier && u->id < id));
    }
    decide(w);
    for (uint32_t i = 0; i < JOBS_MAX; i++)
        if (ahead[i])
            compare(w, CHANGE_PARTITION, i);
}

static void check_all(struct world *w, enum change what)
{
    decide(w);
    for (uint32_t i = 0; i < JOBS_MAX; i++)
        if (w->promised[i] && model_get_job(&w->l.m, i))
            compare(w, what, i);
}

static void check_end(struct world *w)
{
    if (end_one(w, any_job(&w->l.m.active)))
        check_all(w, CHANGE_END);
}

static void check_cancel(struct world *w)
{
    struct job *j = any_job(&w->l.m.pending);
    if (!j)
        return;
    planner_note_job(w->p, j->id);
    w->promised[j->id] = 0;
    w->l.now.ms -= MS_PER_S;
    assert_int_equal(lab_kill(&w->l, j->id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    check_all(w, CHANGE_CANCEL);
}

/* The user's first waiting job: it stands before the user's other jobs. */
static uint32_t first_of(const struct world *w, const char *user)
{
    uint32_t first = 0, tier = 0;
    list_for_each (j, &w->l.m.pending, struct job, in_queue) {
        uint32_t its = highest_tier(w, j->req.partition);
        if (strcmp(j->user, user) != 0 || (first && (its < tier || (its == tier && j->id > first))))
            continue;
        first = j->id;
        tier = its;
    }
    return first;
}

static void check_limit(struct world *w)
{
    uint32_t at = any_below(USERS), first = first_of(w, users[at]);
    if (!first)
        return;
    struct limit_spec *s = &w->l.spec.limits.v[at];
    s->hard.cpus += s->hard.cpus == LIMIT_NONE ? 0 : 1 + any_below(8);
    s->hard.running_jobs += s->hard.running_jobs == LIMIT_NONE ? 0 : 1 + any_below(3);
    struct wall now = w->l.now;
    struct sched_view v = lab_view(&w->l);
    planner_leave_config(w->p, &v);
    lab_configure(&w->l);
    w->l.now = now;
    decide(w);
    compare(w, CHANGE_LIMIT, first);
}

static void live(struct world *w)
{
    let_time_pass(w);
    for (uint32_t n = any_below(6); n; n--)
        submit(w);
    decide(w);
    note_promises(w);
    switch ((enum change)any_below(N_CHANGES)) {
    case CHANGE_PARTITION: check_partition(w); break;
    case CHANGE_END: check_end(w); break;
    case CHANGE_CANCEL: check_cancel(w); break;
    case CHANGE_LIMIT: check_limit(w); break;
    case N_CHANGES: break;
    }
}

static void test_promises_are_kept(void **state)
{
    (void)state;
    const char *many = getenv("STOKER_TEST_RUNS");
    unsigned long runs = many ? strtoul(many, NULL, 10) : RUNS;
    unsigned compared[N_CHANGES] = {0};
    uint64_t seed = check_seed();
    for (unsigned long i = 0; i < runs; i++) {
        struct world *w = xcalloc(1, sizeof *w);
        w->seed = seed + i;
        w->p = planner_new();
        any_seed(w->seed);
        make_world(w);
        for (int round = 0; round < ROUNDS; round++)
            live(w);
        for (int k = 0; k < N_CHANGES; k++)
            compared[k] += w->compared[k];
        planner_free(w->p);
        lab_fini(&w->l);
        free(w);
    }
    for (int k = 0; k < N_CHANGES; k++) {
        printf("%s: %u promises compared\n", change_names[k], compared[k]);
        if (runs >= RUNS && compared[k] * LEAST < runs)
            fail_msg("too little has happened");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_promises_are_kept)};
    return cmocka_run_group_tests_name("kept promises", tests, NULL, NULL);
}
