/* What a decision of the planner costs on large clusters: mixed shapes, overlapping partitions, nodes full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/sched/planner.h"
#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"

#define T0_MS  INT64_C(1700000000000)
#define USERS  250
#define SHAPES 500 /* different requests; a user has OWN of them: USERS x OWN groups of equal ones */
#define OWN    20

static bool preempting; /* what runs in "all" goes for the others */
static struct model m;
static struct planner *p;
static struct wall now = {T0_MS};
static uint64_t rnd_state = 42;

static uint32_t below(uint32_t n)
{
    rnd_state = rnd_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rnd_state >> 33) % n;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
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

static void configure(uint32_t n_nodes)
{
    struct cluster_spec s = {
        .name = xstrdup("bench"), .backfill = BACKFILL_CONSERVATIVE, .reservations = 3};
    for (uint32_t i = 0; i < n_nodes; i++)
        add_node(&s, i);
    add_part(&s, "cpu", 1, 3 * 86400);
    add_part(&s, "gpu", 2 | 4, 3 * 86400);
    add_part(&s, "big", 4, 7 * 86400);
    add_part(&s, "short", 1 | 2 | 4, 3600);
    add_part(&s, "all", 1 | 2 | 4, 86400);
    if (preempting) {
        s.parts.v[s.parts.n - 1].priority_tier = 0;
        s.parts.v[s.parts.n - 1].preempt_mode = PREEMPT_REQUEUE;
        s.parts.v[s.parts.n - 1].grace_s = 30;
    }
    s.priority = (struct priority_spec){.weight_age = 1000,
                                        .weight_fairshare = 10000,
                                        .weight_job_size = 100,
                                        .max_age_s = 7 * 86400,
                                        .decay_half_life_s = 7 * 86400,
                                        .billing_gpu = 1};
    apply(EV_CONFIG, 0, &s);
    for (uint32_t i = 0; i < n_nodes; i++)
        apply(EV_NODE, 0, &(struct ev_node){.node = xasprintf("n%05u", i), .state = NODE_UP});
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

static bool all_differ; /* no two jobs ask for the same: the worst case */

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
    uint32_t shape =
        all_differ ? below(1u << 31) : (user * 7919 + below(OWN) * 104729) % SHAPES * 2654435761u;
    uint32_t part = digit(&shape, 8), large = digit(&shape, 20);
    bool with_gpus = part == 2 || part == 3 || part == 7;
    r->partition = xstrdup(parts[part]);
    r->cpus_per_task = 1u << digit(&shape, 6);
    r->nodes_min = r->nodes_max = r->ntasks = large ? 1 : 1u << (1 + digit(&shape, 4));
    r->gpus_per_node = with_gpus ? gpus[digit(&shape, 5)] : 0;
    r->mem_cpu_mib = UINT64_C(1024) << digit(&shape, 3);
    r->time_limit_s = part == 4 || part == 7 ? 3600 : hours[digit(&shape, 5)] * 3600;
    if (all_differ)
        r->time_limit_s -= below(3000);
}

static uint32_t submit(struct job *j)
{
    uint32_t id = j->id = m.next_job;
    if (j->array_pending.n)
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
    struct job *j = new_job(below(USERS));
    const char *part = preempting && below(10) == 0 ? "all" : n->gpus ? "gpu" : "cpu";
    j->req.partition = xstrdup(part);
    j->req.time_limit_s = hours * 3600;
    uint32_t id = submit(j), cpus = n->cpus / of, gpus = n->gpus / of;
    struct ev_start s = {
        .array_index = ARRAY_NONE, .partition = xstrdup(part), .time_limit_s = hours * 3600 + below(36000)};
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
        uint32_t user = below(USERS);
        struct job *j = new_job(user);
        fill_request(&j->req, user);
        now.ms += below(100);
        submit(j);
    }
}

/* --- measuring --- */

static double decide(size_t *ret_starts)
{
    struct sched_view v = {.model = &m};
    struct sched_result r;
    sched_result_init(&r);
    double t0 = now_ms();
    planner_decide(p, &v, now, &r);
    double took = now_ms() - t0;
    if (ret_starts)
        *ret_starts = r.starts.n;
    vec_for_each (&r.starts, i) {
        struct sched_start *s = &r.starts.v[i];
        const struct job *j = model_get_job(&m, s->job);
        if (job_is_array_record(j) && job_pending_elements(j) > 1)
            s->start.new_id = m.next_job;
        planner_note_job(p, s->job);
        if (s->start.new_id)
            planner_note_job(p, s->start.new_id);
        apply(EV_START, s->job, &s->start);
    }
    vec_clear(&r.starts);
    sched_result_fini(&r);
    return took;
}

/* The job that was started first and still runs ends. */
static void end_one(void)
{
    struct job *j = list_first(&m.active, struct job, in_queue);
    uint32_t id = j->id;
    struct ev_end e = {.step = STEP_BATCH,
                       .attempt = j->steps.v[0].tasks.v[0].attempt,
                       .end_kind = END_EXITED,
                       .t_end = now};
    apply(EV_END, id, &e);
    planner_note_job(p, id);
}

static void start(uint32_t n_nodes)
{
    rnd_state = 42;
    now.ms = T0_MS;
    model_init(&m);
    p = planner_new();
    configure(n_nodes);
    fill_up(n_nodes);
}

static void stop(void)
{
    planner_free(p);
    model_fini(&m);
}

struct figures {
    double anew, full, idle, submission, worst_submission, early_end, worst_end;
};

static struct figures measure(uint32_t n_nodes, uint32_t n_pending)
{
    struct figures f = {0};
    start(n_nodes);
    submit_many(n_pending);
    f.anew = decide(NULL);
    for (int i = 0; i < 5; i++) { /* everything is looked at: a node has come back */
        now.ms += 1000;
        struct ev_drain drain = {
            .node = xstrdup(m.nodes[0]->spec.name), .drain = i % 2 == 0, .reason = NULL};
        apply(EV_DRAIN, 0, &drain);
        planner_note_nodes(p);
        double took = decide(NULL);
        f.full = took > f.full ? took : f.full;
    }
    now.ms += 1000;
    f.idle = decide(NULL);
    for (int i = 0; i < 50; i++) {
        uint32_t user = below(USERS);
        struct job *j = new_job(user);
        fill_request(&j->req, user);
        now.ms += 10;
        planner_note_job(p, submit(j));
        double took = decide(NULL);
        f.submission += took / 50;
        f.worst_submission = took > f.worst_submission ? took : f.worst_submission;
    }
    for (int i = 0; i < 20; i++) {
        now.ms += 1000;
        end_one();
        double took = decide(NULL);
        f.early_end += took / 20;
        f.worst_end = took > f.worst_end ? took : f.worst_end;
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
        start(1000);
        for (uint32_t i = 0; i < rows[r].jobs; i++) {
            struct job *j = new_job(i % 10);
            j->req.partition = xstrdup("cpu");
            j->req.cpus_per_task = 1u << i % 6;
            j->req.time_limit_s = 3600;
            if (rows[r].elements > 1)
                *rec_list_push(&j->array_pending) = (struct index_range){0, rows[r].elements - 1, 1};
            submit(j);
        }
        double anew = decide(NULL), end = 0;
        for (int i = 0; i < 20; i++) {
            now.ms += 1000;
            end_one();
            end += decide(NULL) / 20;
        }
        printf("%-32s anew %7.2f ms, an early end and who starts then %6.3f ms\n", rows[r].name, anew, end);
        stop();
    }
}

int main(int argc, char **argv)
{
    static const uint32_t nodes[] = {100, 1000, 10000}, jobs[] = {1000, 10000, 100000};
    bool only_large = argc > 1 && strcmp(argv[1], "large") == 0;
    printf("%8s %6s %8s | %9s %9s %9s | %10s %8s | %9s %8s   (ms)\n", "pending", "nodes", "running", "anew",
           "all again", "nothing", "submission", "worst", "early end", "worst");
    for (size_t i = only_large ? 2 : 0; i < 3; i++)
        for (size_t k = only_large ? 2 : 0; k < 3; k++) {
            struct figures f = measure(nodes[k], jobs[i]);
            printf("%8u %6u %8u | %9.1f %9.2f %9.2f | %10.3f %8.3f | %9.3f %8.3f\n", jobs[i], nodes[k],
                   2 * nodes[k], f.anew, f.full, f.idle, f.submission, f.worst_submission, f.early_end,
                   f.worst_end);
            fflush(stdout);
        }
    if (only_large && strcmp(argv[1], "large") == 0 && argc == 2)
        return 0;
    measure_array();
    preempting = true;
    struct figures f = measure(10000, 100000);
    printf("one in ten may be preempted, 100,000 jobs, 10,000 nodes: anew %.1f ms, all again %.1f ms, a "
           "submission %.3f "
           "ms, an early end %.2f ms\n",
           f.anew, f.full, f.submission, f.early_end);
    preempting = false;
    all_differ = true;
    f = measure(10000, 100000);
    printf("100,000 jobs of which no two are alike, 10,000 nodes: all again %.1f ms, a submission %.3f ms, "
           "an early end "
           "%.2f ms\n",
           f.full, f.submission, f.early_end);
    return 0;
}
