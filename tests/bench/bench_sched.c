/* What a decision of the planner costs on large clusters: mixed shapes, overlapping partitions, nodes full.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/sched/explain/explain.h"
#include "src/base/idmap.h"
#include "src/base/xalloc.h"

#define T0_MS  INT64_C(1700000000000)
#define SHAPES 500 /* different requests; a user has OWN of them: users x OWN groups of equal ones */
#define OWN    20

/* What a queue is made of. */
static struct world {
    uint32_t users;
    uint32_t
        small_parts; /* partitions of PART_NODES nodes each, to which all jobs go; 0: the five large ones */
    bool mixed;      /* a tier that may be preempted, limits, licences, windows */
    bool all_differ; /* no two jobs ask for the same */
    int fewer;       /* only one of this many submissions, ends and cycles of a row */
} world = {.users = 250, .fewer = 1};
#define PART_NODES 16
static struct model m;
static struct planner *p;
static struct wall now = {T0_MS};
static uint64_t rnd_state = 42;

static uint32_t below(uint32_t n)
{
    rnd_state = rnd_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rnd_state >> 33) % n;
}

/* Of this thread: others use the machine as well. */
static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static void apply(enum event_kind kind, uint32_t job, void *body)
{
    struct event ev = {.seq = m.seq + 1, .t = now, .kind = kind, .job = job, .body = body};
    if (model_apply(&m, &ev) < 0) {
        fprintf(stderr, "bench_sched: %s of job %u was refused\n", event_name(kind), job);
        exit(1);
    }
    rec_fini(event_body_rec(kind), body);
}

/* --- the cluster: 60 % of 64 CPUs, 25 % with 4 GPUs, 15 % with 8 --- */

static void add_node(struct cluster_spec *s, uint32_t i)
{
    uint32_t kind = i % 20 < 12 ? 0 : i % 20 < 17 ? 1 : 2;
    *rec_list_push(&s->nodes) = (struct node_spec){.name = xasprintf("n%05u", i),
                                                   .cpus = kind == 0   ? 64
                                                           : kind == 1 ? 32
                                                                       : 128,
                                                   .mem_mib = kind == 2 ? 1024 * 1024 : 256 * 1024,
                                                   .gpus = kind * 4,
                                                   .gpu_type = kind ? xstrdup("a100") : NULL,
                                                   .weight = 1 + kind};
}

static void add_part(struct cluster_spec *s, const char *name, uint32_t kinds, uint32_t max_time_s)
{
    struct part_spec *part = rec_list_push(&s->parts);
    *part = (struct part_spec){.name = xstrdup(name),
                               .is_default = s->parts.n == 1,
                               .max_time_s = max_time_s,
                               .default_time_s = 3600,
                               .max_nodes = UINT32_MAX,
                               .priority_tier = 1,
                               .priority_job_factor = 1};
    for (size_t i = 0; i < s->nodes.n; i++)
        if (kinds >> s->nodes.v[i].gpus / 4 & 1)
            strv_push(&part->nodes, s->nodes.v[i].name);
}

static void add_large_parts(struct cluster_spec *s)
{
    add_part(s, "cpu", 1, 3 * 86400);
    add_part(s, "gpu", 2 | 4, 3 * 86400);
    add_part(s, "big", 4, 7 * 86400);
    add_part(s, "short", 1 | 2 | 4, 3600);
    add_part(s, "all", 1 | 2 | 4, 86400);
}

/* One partition has all nodes; of many, each has PART_NODES neighbours. */
static void add_small_parts(struct cluster_spec *s)
{
    char name[16];
    for (uint32_t i = 0; i < world.small_parts; i++) {
        snprintf(name, sizeof name, "p%u", i);
        add_part(s, name, world.small_parts == 1 ? 1 | 2 | 4 : 0, 7 * 86400);
        struct part_spec *part = &s->parts.v[s->parts.n - 1];
        for (uint32_t k = 0; world.small_parts > 1 && k < PART_NODES; k++)
            strv_push(&part->nodes, s->nodes.v[(i * s->nodes.n / world.small_parts + k) % s->nodes.n].name);
    }
}

static const struct limit_set none = {LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE,
                                      LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE};

static void add_limit(struct cluster_spec *s, enum limit_scope scope, uint64_t soft_cpus,
                      uint64_t hard_cpus)
{
    struct limit_spec *l = rec_list_push(&s->limits);
    *l = (struct limit_spec){.scope = scope, .name = xstrdup("*"), .soft = none, .hard = none};
    l->soft.cpus = soft_cpus;
    l->hard.cpus = hard_cpus;
}

/* With what the nodes are full of one user in five is over the soft limit. */
static void add_rules(struct cluster_spec *s, uint32_t n_nodes)
{
    if (!world.small_parts) {
        struct part_spec *last = &s->parts.v[s->parts.n - 1];
        last->priority_tier = 0;
        last->preempt_mode = PREEMPT_REQUEUE;
        last->grace_s = 30;
    }
    uint64_t each = UINT64_C(72) * n_nodes / world.users; /* CPUs of a user, as it comes out */
    add_limit(s, LIMIT_USER, each, each * 2);
    add_limit(s, LIMIT_ACCOUNT, LIMIT_NONE, each * world.users / 15);
    *rec_list_push(&s->licenses) = (struct license_spec){.name = xstrdup("lic"), .count = n_nodes / 10};
    *rec_list_push(&s->qos) = (struct qos_spec){.name = xstrdup("low"), .usage_factor = 1};
    struct qos_spec *high = rec_list_push(&s->qos);
    *high = (struct qos_spec){.name = xstrdup("high"), .priority = 100, .usage_factor = 1};
    strv_push(&high->preempt, "low");
}

static void configure(uint32_t n_nodes)
{
    struct cluster_spec s = {
        .name = xstrdup("bench"), .backfill = BACKFILL_CONSERVATIVE, .reservations = 3};
    for (uint32_t i = 0; i < n_nodes; i++)
        add_node(&s, i);
    if (world.small_parts)
        add_small_parts(&s);
    else
        add_large_parts(&s);
    if (world.mixed)
        add_rules(&s, n_nodes);
    s.window_s = 7 * 86400;
    s.priority = (struct priority_spec){.weight_age = 1000,
                                        .weight_fairshare = 10000,
                                        .weight_job_size = 100,
                                        .max_age_s = 7 * 86400,
                                        .decay_half_life_s = 7 * 86400,
                                        .billing_gpu = 1};
    apply(EV_CONFIG, 0, &s);
}

static void bring_up(uint32_t n_nodes)
{
    for (uint32_t i = 0; i < n_nodes; i++)
        apply(EV_NODE, 0, &(struct ev_node){.node = xasprintf("n%05u", i), .state = NODE_UP});
}

/* n nodes from the at-th on. */
static void add_window(const char *name, uint32_t at, uint32_t n, int64_t from_s, int64_t to_s, bool remove)
{
    struct ev_window e = {.remove = remove,
                          .window = {.name = xstrdup(name),
                                     .start = wall_add_s(now, from_s),
                                     .end = wall_add_s(now, to_s),
                                     .kind = WINDOW_MAINTENANCE}};
    for (uint32_t i = at; i < at + n; i++)
        strv_push(&e.window.nodes, m.nodes[i]->spec.name);
    apply(EV_WINDOW, 0, &e);
}

/* --- jobs --- */

static struct job *new_job(uint32_t user)
{
    struct job *j = job_new();
    j->kind = JOB_KIND_BATCH;
    j->user = xasprintf("user%03u", user);
    j->uid = 1000 + user;
    j->req.name = xstrdup("job");
    j->req.account = xasprintf("group%02u", user % 20);
    return j;
}

/* Of the n-th kind of jobs of a user: some go before others, some need a licence. */
static void add_extras(struct job_req *r, uint32_t n)
{
    if (!world.mixed)
        return;
    req_detail_mut(r)->qos = n % 16 == 3 ? xstrdup("high") : n % 16 == 5 ? xstrdup("low") : NULL;
    req_detail_mut(r)->licenses = n % 16 == 7 ? xstrdup("lic:2") : NULL;
}

static uint32_t digit(uint32_t *n, uint32_t base)
{
    uint32_t d = *n % base;
    *n /= base;
    return d;
}

static void fill_request(struct job_req *r, uint32_t user)
{
    static const char *const parts[] = {"cpu", "cpu", "gpu", "big", "short", "all", "cpu,all", "gpu,short"};
    static const uint32_t hours[] = {1, 1, 4, 12, 24}, gpus[] = {0, 0, 1, 2, 4};
    uint32_t own = below(OWN);
    uint32_t shape =
        world.all_differ ? below(1u << 31) : (user * 7919 + own * 104729) % SHAPES * 2654435761u;
    uint32_t part = digit(&shape, 8), large = digit(&shape, 20);
    bool with_gpus = part == 2 || part == 3 || part == 7;
    r->partition = world.small_parts ? xasprintf("p%u", below(world.small_parts)) : xstrdup(parts[part]);
    r->cpus_per_task = 1u << digit(&shape, 6);
    r->nodes_min = r->nodes_max = r->ntasks = large ? 1 : 1u << (1 + digit(&shape, 4));
    r->gpus_per_node = with_gpus ? gpus[digit(&shape, 5)] : 0;
    req_detail_mut(r)->mem_cpu_mib = UINT64_C(1024) << digit(&shape, 3);
    r->time_limit_s = part == 4 || part == 7 ? 3600 : hours[digit(&shape, 5)] * 3600;
    if (world.all_differ)
        r->time_limit_s -= below(3000);
    add_extras(r, user + own);
}

static uint32_t submit(struct job *j)
{
    uint32_t id = j->id = m.next_job;
    if (job_rare(j)->array_pending.n)
        j->array_job = id;
    j->partition = xstrdup(j->req.partition);
    j->t_submit = j->t_eligible = now;
    apply(EV_SUBMIT, id, j);
    free(j);
    return id;
}

/* A piece of a node: n of `of` equal ones, the at-th of them. */
static void run_on(uint32_t node, uint32_t at, uint32_t of, uint32_t hours)
{
    const struct node *n = m.nodes[node];
    struct job *j = new_job(below(world.users));
    const char *part = world.mixed && below(50) == 0 ? "all" : n->gpus ? "gpu" : "cpu";
    j->req.partition =
        world.small_parts ? xasprintf("p%zu", node * world.small_parts / m.n_nodes) : xstrdup(part);
    j->req.time_limit_s = hours * 3600;
    add_extras(&j->req, below(64));
    uint32_t id = submit(j), cpus = n->cpus / of, gpus = n->gpus / of;
    struct ev_start s = {.array_index = ARRAY_NONE,
                         .partition = xstrdup(j->req.partition),
                         .time_limit_s = hours * 3600 + below(36000)};
    s.borrowed = world.mixed && below(100) == 0;
    struct alloc *a = rec_list_push(&s.alloc);
    *a = (struct alloc){.node = xstrdup(n->spec.name), .mem_mib = n->mem_mib / of};
    cpuset_add_range(&a->cpus, at * cpus, cpus);
    if (gpus)
        cpuset_add_range(&a->gpus, at * gpus, gpus);
    apply(EV_START, id, &s);
}

static void fill_up(uint32_t n_nodes)
{
    for (uint32_t i = 0; i < n_nodes; i++)
        for (uint32_t k = 0; k < 2; k++)
            run_on(i, k, 2, 2 + below(46));
}

static void submit_many(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t user = below(world.users);
        struct job *j = new_job(user);
        fill_request(&j->req, user);
        now.ms += below(100);
        submit(j);
    }
}

/* --- measuring --- */

struct figure {
    double sum, worst;
    unsigned n;
};

static void note(struct figure *f, double took)
{
    f->sum += took;
    f->n++;
    f->worst = took > f->worst ? took : f->worst;
}

static double mean(const struct figure *f)
{
    return f->n ? f->sum / f->n : 0;
}

static struct figure slices;   /* of decisions: how long all others wait */
static size_t asked_to_go;     /* in the last decision */
static bool wants_another;     /* it has not been through with all jobs */
static struct wall next_cycle; /* when it wants to be asked again */

/* Of all that was decided, and of the reasons that were reported, whatever it cost. */
static uint64_t decided, told;

static void digest_add(uint64_t *digest, uint64_t a, uint64_t b, const char *text)
{
    const uint64_t what[] = {*digest, a, b, hash_bytes(text, strlen(text))};
    *digest = hash_bytes(what, sizeof what);
}

static int by_number(const void *pa, const void *pb)
{
    const uint32_t *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

static void digest_result(const struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        const struct ev_start *s = &r->starts.v[i].start;
        for (size_t k = 0; k < s->alloc.n; k++)
            digest_add(&decided, r->starts.v[i].job, s->time_limit_s, s->alloc.v[k].node);
    }
    vec_for_each (&r->preempts, i)
        digest_add(&decided, r->preempts.v[i].job, r->preempts.v[i].by_job, "preempted");
    if (r->changed.n) /* in whatever order they are reported */
        qsort(r->changed.v, r->changed.n, sizeof *r->changed.v, by_number);
    vec_for_each (&r->changed, i)
        digest_add(&told, r->changed.v[i], planner_reason(p, r->changed.v[i]), "waits");
}

static void fold(struct sched_result *r)
{
    digest_result(r);
    asked_to_go = r->preempts.n;
    next_cycle = r->next;
    wants_another = wall_is_set(r->next) && r->next.ms - now.ms <= 1000;
    vec_for_each (&r->starts, i) {
        struct sched_start *s = &r->starts.v[i];
        const struct job *j = model_get_job(&m, s->job);
        if (job_is_array_record(j) && job_pending_elements(j) > 1)
            s->start.new_id = m.next_job;
        planner_note_job(p, s->job);
        if (s->start.new_id)
            planner_note_job(p, s->start.new_id);
        apply(EV_START, s->job, &s->start);
    }
    vec_for_each (&r->preempts, i) {
        const struct sched_preempt *v = &r->preempts.v[i];
        struct ev_kill kill = {.step = STEP_ALL,
                               .cause = KILL_PREEMPT,
                               .grace_s = v->grace_s,
                               .fate = v->fate,
                               .by_job = v->by_job};
        planner_note_job(p, v->job);
        apply(EV_KILL, v->job, &kill);
    }
    vec_clear(&r->starts);
    sched_result_fini(r);
}

/* Everything is read again in pieces, as the controller does it. Returns the sum. */
static double prepare(struct figure *pieces)
{
    struct sched_view v = {.model = &m};
    double sum = 0;
    for (bool done = false; !done;) {
        double t0 = now_ms();
        done = planner_prepare(p, &v, now, 2000);
        double took = now_ms() - t0;
        note(pieces, took);
        sum += took;
    }
    return sum;
}

/* In slices, as the controller does it. Returns the sum. */
static double decide(void)
{
    struct sched_view v = {.model = &m};
    struct sched_result r;
    double sum = 0;
    sched_result_init(&r);
    for (bool done = false; !done;) {
        double t0 = now_ms(), took = 0;
        while (!done && took < 4) {
            done = planner_cycle_slice(p, &v, now, 30000, &r);
            took = now_ms() - t0;
        }
        note(&slices, took);
        sum += took;
    }
    fold(&r);
    return sum;
}

static void end_job(uint32_t id)
{
    const struct job *j = model_get_job(&m, id);
    struct ev_end e = {.step = STEP_BATCH,
                       .attempt = j->steps.v[0].tasks.v[0].attempt,
                       .end_kind = END_EXITED,
                       .t_end = now};
    apply(EV_END, id, &e);
    planner_note_job(p, id);
}

/* The job that was started first and still runs. */
static void end_one(void)
{
    end_job(list_first(&m.active, struct job, in_queue)->id);
}

/* A preempted job ends and comes back to the queue. */
static void end_leaving(void)
{
    VEC(uint32_t) ids = VEC_INIT;
    list_for_each (j, &m.active, struct job, in_queue)
        if (j->state == JOB_COMPLETING)
            vec_push(&ids, j->id);
    vec_for_each (&ids, i)
        end_job(ids.v[i]);
    vec_fini(&ids);
}

static void begin(uint32_t n_nodes)
{
    rnd_state = 42;
    decided = told = 0;
    now.ms = T0_MS;
    model_init(&m);
    p = planner_new();
    configure(n_nodes);
    bring_up(n_nodes);
    if (world.mixed) {
        add_window("service", 0, n_nodes / 20, 43200, 50000, false);
        add_window("course", n_nodes / 2, n_nodes / 20, 3600, 7200, false);
    }
    fill_up(n_nodes);
}

static void stop(void)
{
    planner_free(p);
    model_fini(&m);
}

struct figures {
    struct figure update, piece, first, hunting, full, idle, submission, early_end, window, config,
        forecast_begin, forecast_slice;
    double forecast;
};

static void measure_forecast(struct figures *f)
{
    struct sched_view v = {.model = &m};
    double t0 = now_ms();
    forecast_begin(planner_forecaster(p), &v, now);
    note(&f->forecast_begin, now_ms() - t0);
    double t1 = now_ms();
    for (bool done = false; !done; t1 = now_ms()) {
        done = forecast_step(planner_forecaster(p), &v, 20);
        note(&f->forecast_slice, now_ms() - t1);
    }
    f->forecast = now_ms() - t0;
}

static void measure_submissions(struct figures *f)
{
    for (int i = 0; i < (world.all_differ ? 1000 : 200) / world.fewer; i++) {
        uint32_t user = below(world.users);
        struct job *j = new_job(user);
        fill_request(&j->req, user);
        now.ms += 10;
        planner_note_job(p, submit(j));
        note(&f->submission, decide());
        if (wall_is_set(next_cycle) && next_cycle.ms <= now.ms + 1) { /* what no new job waits for */
            now.ms++;
            note(&f->idle, decide());
        }
    }
}

static void measure_ends(struct figures *f)
{
    for (int i = 0; i < (world.all_differ ? 200 : 50) / world.fewer; i++) {
        now.ms += 1000;
        end_one();
        note(&f->early_end, decide());
    }
}

/* Until no job is preempted any more. */
static void settle(struct figures *f)
{
    for (int quiet = 0, i = 0; quiet < 3 && i < 500 / world.fewer; i++) {
        now.ms += 1000;
        note(&f->hunting, decide());
        quiet = asked_to_go || wants_another ? 0 : quiet + 1;
        end_leaving();
    }
}

static struct figures measure(uint32_t n_nodes, uint32_t n_pending)
{
    struct figures f = {0};
    begin(n_nodes);
    submit_many(n_pending);
    slices = (struct figure){0};
    note(&f.update, prepare(&f.piece));
    note(&f.first, decide());
    settle(&f);
    for (int i = 0; i < (world.all_differ ? 50 : 6) / world.fewer;
         i++) { /* everything is looked at: a node has come back */
        now.ms += 1000;
        struct ev_drain drain = {
            .node = xstrdup(m.nodes[0]->spec.name), .drain = i % 2 == 0, .reason = NULL};
        apply(EV_DRAIN, 0, &drain);
        planner_note_nodes(p);
        note(&f.full, decide());
    }
    for (int i = 0; i < 5; i++) {
        now.ms += 1000;
        note(&f.idle, decide());
    }
    measure_submissions(&f);
    measure_ends(&f);
    measure_forecast(&f);
    for (int i = 0; i < 4; i++) {
        now.ms += 1000;
        add_window("new", 3 * n_nodes / 4, n_nodes / 20, 90000, 100000, i % 2);
        planner_note_windows(p);
        note(&f.window, decide());
    }
    for (int i = 0; i < 2; i++) {
        now.ms += 1000;
        configure(n_nodes);
        planner_note_all(p);
        note(&f.config, prepare(&f.piece));
        note(&f.first, decide());
    }
    stop();
    return f;
}

static void measure_array(void)
{
    static const struct {
        const char *name;
        uint32_t jobs, elements;
    } rows[] = {{"1,000 jobs", 1000, 1}, {"1,000,000 elements in 10 arrays", 10, 100000}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        begin(1000);
        for (uint32_t i = 0; i < rows[r].jobs; i++) {
            struct job *j = new_job(i % 10);
            j->req.partition = xstrdup("cpu");
            j->req.cpus_per_task = 1u << i % 6;
            j->req.time_limit_s = 3600;
            if (rows[r].elements > 1)
                *rec_list_push(&job_rare_mut(j)->array_pending) =
                    (struct index_range){0, rows[r].elements - 1, 1};
            submit(j);
        }
        struct figures f = {0};
        note(&f.update, decide());
        measure_ends(&f);
        measure_forecast(&f);
        printf("%-32s rebuilt %7.2f ms, an early end and who starts then %6.3f ms, forecast %.2f ms\n",
               rows[r].name, f.update.worst, mean(&f.early_end), f.forecast);
        stop();
    }
}

static void print_row(uint32_t jobs, uint32_t nodes, const struct figures *f)
{
    printf("%8u %6u | %7.1f %6.1f %6.1f | %6.2f %6.2f | %7.3f %7.3f | %7.2f %7.2f | %6.2f | %6.2f | %6.1f "
           "%6.2f\n",
           jobs, nodes, f->update.worst > f->config.worst ? f->update.worst : f->config.worst,
           f->piece.worst, f->first.worst, f->full.worst, mean(&f->idle), mean(&f->submission),
           f->submission.worst, mean(&f->early_end), f->early_end.worst, f->window.worst, slices.worst,
           f->forecast,
           f->forecast_begin.worst > f->forecast_slice.worst ? f->forecast_begin.worst
                                                             : f->forecast_slice.worst);
    printf("%15s decided: %016" PRIx64 ", told: %016" PRIx64 "\n", "", decided, told);
    if (world.mixed)
        printf("%15s until no job is preempted any more: %u cycles, %.2f ms, at most %.2f\n", "",
               f->hunting.n, mean(&f->hunting), f->hunting.worst);
    fflush(stdout);
}

static void print_head(const char *name)
{
    printf("%s (ms of CPU time)\n%15s | %21s | %13s | %15s | %15s | %6s | %6s | %13s\n", name, "",
           "all read again", "a pass", "a submission", "an early end", "window", "slice", "forecast");
    printf("%8s %6s | %7s %6s %6s | %6s %6s | %7s %7s | %7s %7s | %6s | %6s | %6s %6s\n", "pending",
           "nodes", "sum", "piece", "pass", "all", "idle", "mean", "worst", "mean", "worst", "", "worst",
           "sum", "piece");
}

static void print_table(bool only_large)
{
    static const uint32_t nodes[] = {100, 1000, 10000}, jobs[] = {1000, 10000, 100000};
    print_head(world.mixed ? "tiers, QOS, limits, licences, windows" : "plain");
    for (size_t i = only_large ? 2 : 0; i < 3; i++)
        for (size_t k = only_large ? 2 : 0; k < 3; k++) {
            struct figures f = measure(nodes[k], jobs[i]);
            print_row(jobs[i], nodes[k], &f);
        }
}

/* The worst case, growing, then with as many partitions as a site has owners of machines. */
static void measure_unlike(const char *row)
{
    static const struct {
        uint32_t nodes, jobs, users, small_parts;
    } rows[] = {{1000, 1000, 1000, 0},     {1000, 10000, 1000, 0}, {10000, 10000, 10000, 0},
                {10000, 100000, 10000, 0}, {1000, 10000, 1000, 1}, {1000, 10000, 1000, 1000}};
    world.mixed = world.all_differ = true;
    print_head("no two jobs alike; tiers, QOS, limits, licences, windows");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (row && (size_t)atoi(row) != i + 1)
            continue;
        world.users = rows[i].users;
        world.small_parts = rows[i].small_parts;
        struct figures f = measure(rows[i].nodes, rows[i].jobs);
        if (rows[i].small_parts)
            printf("%u partitions:\n", rows[i].small_parts);
        print_row(rows[i].jobs, rows[i].nodes, &f);
    }
}

/* bench_sched [large] [plain | mixed | unlike [ROW [FEWER]]] */
int main(int argc, char **argv)
{
    bool large = false, plain = true, rules = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "unlike") == 0) {
            if (i + 2 < argc && atoi(argv[i + 2]) > 0)
                world.fewer = atoi(argv[i + 2]);
            measure_unlike(argv[i + 1]);
            return 0;
        }
        large = large || strcmp(argv[i], "large") == 0;
        plain = plain && strcmp(argv[i], "mixed") != 0;
        rules = rules && strcmp(argv[i], "plain") != 0;
    }
    if (plain)
        print_table(large);
    world.mixed = true;
    if (rules)
        print_table(large);
    world.mixed = false;
    if (large)
        return 0;
    measure_array();
    measure_unlike(NULL);
    return 0;
}
