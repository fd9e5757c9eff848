/* test_worlds.c - random worlds that use everything at once. tests/sim/check_worlds.py, which shares no
 * code with the planner or the state, checks their schedules.
 *
 * Each round: jobs come, end, are cancelled, held and changed, nodes and windows come and go, time goes by;
 * then the planner decides. What is written is the state before and after: nodes, windows, jobs that have
 * changed, planned starts. 100 seeds in `make test`, which are always the same, 2,000 in `make seeds`.
 *
 * test-timeout: 7200 (for STOKER_TEST_RUNS)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/siphash.h"
#include "src/base/xalloc.h"
#include "src/model/node_rec.h"
#include "src/model/window_rec.h"
#include "src/values/units.h"
#include "tests/lib/random_cluster.h"

#define ROUNDS     16
#define SEEDS      100
#define SEEDS_MANY 2000
#define JOBS_MAX   4000

/* Worlds in which jobs start by the time that is expected of them: one for five of the others. */
#define EXPECTED_PART   5
#define EXPECTED_ROUNDS 60

struct world {
    struct lab l;
    struct planner *p;
    FILE *out;
    uint64_t written[JOBS_MAX]; /* a hash of each job as it was written last */
    struct str what;            /* has happened in the round */
    uint64_t seed;
};

/* --- what is written --- */

static void write_jobs(struct world *w, const struct list *head, bool *first)
{
    list_for_each (j, head, struct job, in_queue) {
        struct str s = STR_INIT;
        rec_to_json(&job_rec, j, &s);
        uint64_t hash = hash_text(s.s, s.len);
        assert_true(j->id < JOBS_MAX);
        if (hash != w->written[j->id])
            fprintf(w->out, "%s%s", *first ? "" : ",", s.s);
        *first = *first && hash == w->written[j->id];
        w->written[j->id] = hash;
        str_fini(&s);
    }
}

static void write_ids(struct world *w, const char *key, const struct list *head)
{
    const char *sep = "";
    fprintf(w->out, ",\"%s\":[", key);
    list_for_each (j, head, struct job, in_queue) {
        fprintf(w->out, "%s%u", sep, j->id);
        sep = ",";
    }
    fputs("]", w->out);
}

static void write_plan(struct world *w, struct plan_slot *h, const char *sep)
{
    const struct pending_entry *u = container_of(h, struct pending_entry, slot);
    fprintf(w->out,
            "%s{\"job\":%u,\"partition\":\"%s\",\"tier\":%u,\"start\":%lld,\"end\":%lld,"
            "\"promised\":%lld,\"preempts\":%s,\"parts\":[",
            sep, u->job, w->l.m.spec.parts.v[h->partition].name, h->tier, (long long)h->use.start,
            (long long)h->use.end, (long long)plan_slot_told(h),
            h->by_preemption || u->extra.n ? "true" : "false");
    for (uint32_t i = 0; i < h->use.n_parts; i++) {
        const struct pool_part *part = &h->use.parts[i];
        fprintf(w->out, "%s[\"%s\",%lld,%lld,%lld]", i ? "," : "", w->l.m.nodes[part->node]->spec.name,
                (long long)part->amount.cpus, (long long)part->amount.mem_mib,
                (long long)part->amount.gpus);
    }
    fputs("]}", w->out);
}

static void write_state(struct world *w, const char *stage, bool at_rest)
{
    bool first = true;
    const char *sep = "";
    fprintf(w->out, "{\"stage\":\"%s\",\"now\":%lld,\"rest\":%s,\"happened\":\"%s\",\"nodes\":[", stage,
            (long long)w->l.now.ms, at_rest ? "true" : "false", w->what.s ? w->what.s : "");
    for (size_t i = 0; i < w->l.m.n_nodes; i++) {
        struct str s = STR_INIT;
        rec_to_json(&node_rec, w->l.m.nodes[i], &s);
        fprintf(w->out, "%s%s", i ? "," : "", s.s);
        str_fini(&s);
    }
    fputs("],\"windows\":[", w->out);
    for (size_t i = 0; i < w->l.m.windows.n; i++) {
        struct str s = STR_INIT;
        rec_to_json(&window_rec, &w->l.m.windows.v[i], &s);
        fprintf(w->out, "%s%s", i ? "," : "", s.s);
        str_fini(&s);
    }
    fputs("],\"jobs\":[", w->out);
    write_jobs(w, &w->l.m.pending, &first);
    write_jobs(w, &w->l.m.active, &first);
    write_jobs(w, &w->l.m.ended, &first);
    fputs("]", w->out);
    write_ids(w, "pending", &w->l.m.pending);
    write_ids(w, "active", &w->l.m.active);
    fputs(",\"plans\":[", w->out);
    list_for_each (h, &planner_queue(w->p)->slots.list, struct plan_slot, link) {
        write_plan(w, h, sep);
        sep = ",";
    }
    fputs("]}\n", w->out);
}

static void write_cluster(struct world *w, uint64_t seed)
{
    struct str s = STR_INIT;
    rec_to_json(&cluster_spec_rec, &w->l.m.spec, &s);
    fprintf(w->out, "{\"stage\":\"cluster\",\"seed\":%" PRIu64 ",\"spec\":%s}\n", seed, s.s);
    str_fini(&s);
}

/* --- what happens --- */

static void happens(struct world *w, const char *what)
{
    str_appendf(&w->what, "%s ", what);
}

static bool end_one_task(struct world *w, struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state != TASK_LAUNCHING && t->state != TASK_RUNNING)
                continue;
            w->l.now.ms -= MS_PER_S;
            planner_note_job(w->p, j->id);
            assert_int_equal(lab_end_part(&w->l, j->id, j->steps.v[i].id, t, END_EXITED, 0), 0);
            return true;
        }
    return false;
}

static bool is_due(const struct world *w, const struct job *j)
{
    bool has_limit = j->time_limit_s < DURATION_NOT_SET;
    int64_t end = j->t_start.ms + (int64_t)j->time_limit_s * MS_PER_S;
    bool killed = j->state == JOB_COMPLETING;
    return killed || (has_limit && end <= w->l.now.ms);
}

/* Ends jobs that have reached their limit, and jobs that were preempted. */
static void let_time_pass(struct world *w)
{
    bool any = true;
    w->l.now.ms += (int64_t)any_below(any_one_in(4) ? 1800 : 60) * MS_PER_S;
    while (any) {
        any = false;
        list_for_each (j, &w->l.m.active, struct job, in_queue)
            if (is_due(w, j) && end_one_task(w, j)) {
                any = true;
                break;
            }
    }
}

/* What is expected of a job is mostly wrong. Drawn from the round, so that worlds without it stay the
 * same. */
static void learn_runs(struct world *w, uint64_t round)
{
    static const char *const users[] = {"ann", "bob"}, *const names[] = {"work", "play"};
    struct job j = {.state = JOB_COMPLETED, .t_start = {.ms = MS_PER_S}};
    for (uint64_t i = 0; i < 8; i++) {
        const uint64_t what[] = {w->seed, round, i};
        uint64_t run_s = hash_bytes(what, sizeof what) % 900;
        j.user = (char *)(uintptr_t)users[i % 2];
        j.req.name = (char *)(uintptr_t)names[i / 2 % 2];
        j.t_end = wall_add_s(j.t_start, (int64_t)run_s);
        planner_note_end(w->p, &j);
    }
}

static void live(struct world *w)
{
    str_fini(&w->what);
    w->what = (struct str)STR_INIT;
    let_time_pass(w);
    bool calm = !any_one_in(3);
    for (uint32_t n = any_below(4); n; n--)
        any_end(&w->l, w->p);
    if (any_one_in(4))
        any_cancel(&w->l, w->p);
    for (uint32_t n = any_below(calm ? 2 : 9); n; n--)
        any_submit(&w->l, w->p);
    if (!calm && any_one_in(4)) {
        any_node_change(&w->l, w->p);
        happens(w, "node");
    }
    if (!calm && any_one_in(4)) {
        any_window(&w->l, w->p);
        happens(w, "window");
    }
    if (!calm && any_one_in(4)) {
        any_hold(&w->l, w->p);
        happens(w, "hold");
    }
    if (!calm && any_one_in(4)) {
        any_update(&w->l, w->p);
        happens(w, "update");
    }
    lab_note_dependents(&w->l, w->p);
}

static void decide(struct world *w)
{
    struct sched_result r;
    bool at_rest = false;
    write_state(w, "before", false);
    for (int i = 0; i < 6 && !at_rest; i++) {
        size_t n = lab_cycle_resume(&w->l, w->p, &r);
        at_rest = !n && !r.preempts.n && !(wall_is_set(r.next) && r.next.ms <= w->l.now.ms + 1);
        if (r.preempts.n)
            happens(w, "preempt");
        sched_result_fini(&r);
    }
    write_state(w, "after", at_rest);
}

static void run(uint64_t seed, FILE *out)
{
    struct world *w = xcalloc(1, sizeof *w);
    w->out = out;
    w->seed = seed;
    w->p = planner_new();
    any_seed(seed);
    any_cluster(&w->l);
    if (!any_one_in(3)) { /* starts are promised */
        w->l.spec.backfill = BACKFILL_CONSERVATIVE;
        lab_configure(&w->l);
    }
    if (seed % 2) {
        w->l.spec.predict_run_times = true;
        w->l.spec.backfill_shortest = seed % 4 == 1;
        lab_configure(&w->l);
    }
    write_cluster(w, seed);
    for (int round = 0; round < ROUNDS; round++) {
        live(w);
        learn_runs(w, (uint64_t)round);
        decide(w);
    }
    planner_free(w->p);
    lab_fini(&w->l);
    str_fini(&w->what);
    free(w);
}

/* --- run times that are expected --- */

static void expected_cluster(struct world *w)
{
    lab_init(&w->l);
    for (uint32_t i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(&w->l, name, 4, 4000, i % 2 ? 2 : 0, NULL);
    }
    lab_part(&w->l, "p0", "n[0-3]")->priority_tier = 1;
    lab_part(&w->l, "p1", "n[1-2]")->priority_tier = any_one_in(2) ? 2 : 1;
    *rec_list_push(&w->l.spec.licenses) = (struct license_spec){xstrdup("lic"), 2};
    if (any_one_in(2)) {
        struct limit_spec *s = rec_list_push(&w->l.spec.limits);
        *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
        memset(&s->soft, 0xff, sizeof s->soft);
        s->hard = s->soft;
        s->hard.running_jobs = 2 + any_below(4);
    }
    w->l.spec.backfill = BACKFILL_CONSERVATIVE;
    w->l.spec.reservations = 1 + any_below(3);
    w->l.spec.predict_run_times = true;
    w->l.spec.backfill_shortest = any_one_in(2);
    lab_configure(&w->l);
}

static void expected_submit(struct world *w)
{
    struct job *j = lab_job(&w->l, JOB_KIND_BATCH);
    free(j->user);
    free(j->req.name);
    j->uid = any_one_in(2) ? 1001 : 1002;
    j->user = xstrdup(j->uid == 1001 ? "ann" : "bob");
    j->req.name = xstrdup(any_one_in(2) ? "work" : "play");
    /* A job that names two tiers may displace a planned start of the lower one from the higher one, and
     * then start in the lower one: expected run times have no part in that. */
    bool one_tier = w->l.spec.parts.v[0].priority_tier == w->l.spec.parts.v[1].priority_tier;
    const char *both = any_one_in(5) && one_tier ? "p0,p1" : "p0";
    j->req.partition = xstrdup(any_one_in(5) ? "p1" : both);
    j->req.cpus_per_task = 1 + any_below(4);
    j->req.nodes_min = any_one_in(3) ? 2 + any_below(2) : NOT_GIVEN;
    j->req.gpus_per_node = any_maybe(6, 1);
    j->req.mem_node_mib = 1;
    j->req.time_limit_s = 600 + any_below(10000);
    req_detail_mut(&j->req)->licenses = any_one_in(8) ? xstrdup("lic") : NULL;
    planner_note_job(w->p, lab_submit(&w->l, j));
}

static void run_expected(uint64_t seed, FILE *out)
{
    struct world *w = xcalloc(1, sizeof *w);
    w->out = out;
    w->seed = seed;
    w->p = planner_new();
    any_seed(seed);
    expected_cluster(w);
    write_cluster(w, seed);
    for (int round = 0; round < EXPECTED_ROUNDS; round++) {
        let_time_pass(w);
        for (uint32_t n = any_below(3); n; n--)
            any_end(&w->l, w->p);
        for (uint32_t n = w->l.m.n_pending < 8 ? any_below(4) : 0; n; n--)
            expected_submit(w);
        learn_runs(w, (uint64_t)round);
        decide(w);
    }
    planner_free(w->p);
    lab_fini(&w->l);
    str_fini(&w->what);
    free(w);
}

/* In the tree above the build, which may lie in a folder of its own. */
static char *checker_of(const char *build)
{
    static const char *const up[] = {"..", "../..", "."};
    for (size_t i = 0; i < N_OF(up); i++) {
        char *path = xasprintf("%s/%s/tests/sim/check_worlds.py", build, up[i]);
        char *command = access(path, R_OK) == 0 ? xasprintf("python3 '%s'", path) : NULL;
        free(path);
        if (command)
            return command;
    }
    fail_msg("tests/sim/check_worlds.py is not above %s", build);
    return NULL;
}

static void test_worlds(void **state)
{
    (void)state;
    static const uint64_t failed[] = {701426}; /* each has found something once */
    const char *runs = getenv("STOKER_TEST_RUNS"), *build = getenv("B");
    bool fixed = getenv("STOKER_TEST_SEED");
    uint64_t seed = check_seed();
    unsigned long n = runs ? strtoul(runs, NULL, 10) : fixed ? SEEDS : SEEDS_MANY;
    char *command = checker_of(build ? build : "build");
    FILE *out = popen(command, "w");
    assert_non_null(out);
    for (unsigned long i = 0; i < n; i++)
        run(seed + i, out);
    for (size_t i = 0; i < N_OF(failed) && n >= SEEDS; i++)
        run(failed[i], out);
    for (unsigned long i = 0; i < n / EXPECTED_PART; i++)
        run_expected(seed + i, out);
    assert_int_equal(pclose(out), 0);
    free(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds)};
    return cmocka_run_group_tests_name("worlds", tests, NULL, NULL);
}
