/* test_f01_policies.c - F01 again, for what jobs have to do with one another: the controller is killed
 * while dependencies open, arrays are throttled, singletons follow each other, tiers preempt, soft limits
 * lend, windows are made and jobs retire.
 *
 * In the end: every acknowledged job and window is there, in the state or in the history, and none twice;
 * no run has begun twice; a job with dependencies began after the jobs that it waited for; what was used is
 * what the jobs' records say, neither lost nor doubled by the kills and the retirements between them.
 *
 * test-timeout: 600
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define N_KILLS   36
#define N_JOBS    128
#define N_CLIENTS 4
#define ELEMENTS  6
#define THROTTLE  2
#define DONE_MS   240000
#define LONG_MS   2500 /* a life in which jobs are retired: from one second on */
#define MEASURE \
    8 /* lives after which it is measured again how long a start takes: others use the machine too */

/* By a request's number: each fourth is the same client's, so that it knows the id of the one before. */
enum what { PLAIN, AFTER_OK, ARRAY, SPARE, WHOLE, SINGLETON, AFTER_ARRAY, WINDOW, N_WHATS };

#define N_RECORDS (N_JOBS + N_JOBS / N_WHATS * (ELEMENTS - 1))

static struct shared {
    _Atomic uint32_t kills, repeats;
    _Atomic uint32_t ids[N_JOBS]; /* acknowledged */
} * shared;

static const char script[] =
    "#!/bin/sh\n"
    "run=\"$KEY ${SLURM_ARRAY_TASK_ID:-0} ${SLURM_RESTART_COUNT:-0}\"\n"
    "echo \"B $run\" >>ledger\n"
    "[ $FIRST != waits ] || [ ${SLURM_RESTART_COUNT:-0} != 0 ] || until [ -e go ]; do "
    "sleep 0.1; done\n"
    "[ $PAUSE = 0 ] || sleep $PAUSE\n"
    "echo \"E $run\" >>ledger\n";

static void configure(void)
{
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    mkdir(getenv("STOKER_HOME"), 0700);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "cluster = \"test\";\n"
               "nodes = ( { name = \"n1\"; transport = \"local\"; cpus = 8; memory = \"8G\"; gpus = 0; "
               "detect = false; } );\n"
               "kill_wait = \"1s\";\nmin_job_age = \"1s\";\npriority = { decay_half_life = \"0s\"; };\n"
               "partitions = (\n"
               "{ name = \"exact\"; priority_tier = 2; default_time = \"10m\"; },\n"
               "{ name = \"main\"; priority_tier = 1; default_time = \"10m\"; },\n"
               "{ name = \"spare\"; priority_tier = 0; default_time = \"10m\"; preempt_mode = \"requeue\"; "
               "grace_time = \"1s\"; } );\n"
               "limits = ( { scope = \"user\"; partition = \"main\"; soft = { cpus = 4; }; } );\n");
    assert_int_equal(fclose(f), 0);
    free(path);
}

/* --- the clients --- */

static struct msg_submit submission(uint32_t k)
{
    enum what what = k % N_WHATS;
    uint32_t before = k >= N_CLIENTS ? shared->ids[k - N_CLIENTS] : 0;
    char cwd[4096];
    struct msg_submit m = {.kind = JOB_KIND_BATCH, .request_id = xasprintf("request-%u", k)};
    assert_non_null(getcwd(cwd, sizeof cwd));
    job_req_init(&m.req);
    m.req.name = what == SINGLETON ? xstrdup("single") : xasprintf("r%u", k);
    m.req.workdir = xstrdup(cwd);
    m.req.std_out = xstrdup("/dev/null");
    m.req.ntasks = 1;
    m.payload.script.n = strlen(script);
    m.payload.script.p = xmemdup(script, m.payload.script.n);
    m.payload.workdir = xstrdup(cwd);
    m.payload.umask = 022;
    strv_push(&m.payload.env, "PATH=/usr/bin:/bin");
    strv_push_take(&m.payload.env, xasprintf("KEY=%u", k));
    strv_push(&m.payload.env, what == SPARE ? "PAUSE=0.4" : what == WHOLE ? "PAUSE=0.1" : "PAUSE=0");
    /* Its first run lasts until it is preempted, or all jobs have been served. */
    strv_push(&m.payload.env, what == SPARE ? "FIRST=waits" : "FIRST=goes");
    m.req.partition = xstrdup(what == SPARE                                         ? "spare"
                              : what == PLAIN || what == AFTER_OK || what == WINDOW ? "exact"
                                                                                    : "main");
    if (what == AFTER_OK || what == AFTER_ARRAY)
        m.req.dependency = before ? xasprintf("after%s:%u", what == AFTER_OK ? "ok" : "any", before) : NULL;
    if (what == SINGLETON)
        m.req.dependency = xstrdup("singleton");
    if (what == ARRAY)
        req_detail_mut(&m.req)->array_spec = xasprintf("0-%u%%%u", ELEMENTS - 1, THROTTLE);
    if (what == SPARE || what == WHOLE) /* of the node: the one is preempted, the other borrows */
        m.req.ntasks = what == WHOLE ? 8 : 6;
    return m;
}

static struct msg_window_set window(uint32_t k)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct msg_window_set m = {.window = {.name = xasprintf("w%u", k),
                                          .start = {.ms = (now.tv_sec + 3600 + k) * MS_PER_S},
                                          .end = {.ms = (now.tv_sec + 7200) * MS_PER_S}}};
    strv_push(&m.window.nodes, "n1");
    return m;
}

/* 0 and the id where it was done, also by an earlier request whose answer was lost. */
static int ask(struct client *c, enum msg_kind kind, const void *body, uint32_t *ret_id)
{
    enum msg_kind got;
    void *answer = NULL;
    struct errtext err;
    int r = client_call(c, kind, body, &got, &answer, &err);
    if (r < 0)
        return r;
    assert_int_equal(got, MSG_RESULT);
    const struct msg_result *result = answer;
    bool lost = kind == MSG_WINDOW_SET && result->text && strstr(result->text, "there already");
    if (result->refusal != REFUSAL_NONE && !lost)
        fail_msg("%s is refused: %s", msg_name(kind), result->text);
    *ret_id = result->job;
    msg_free(got, answer);
    return 0;
}

/* Request k is made once its share of the kills has been had. */
static bool is_due(void *ctx)
{
    uint32_t k = *(const uint32_t *)ctx;
    return shared->kills >= k * (N_KILLS - 8) / N_JOBS;
}

static void until_answered(struct client **c, enum msg_kind kind, const void *body, uint32_t *ret_id)
{
    while (ask(*c, kind, body, ret_id) < 0) {
        shared->repeats++;
        client_free(*c);
        *c = cluster_connect();
    }
}

static void client_main(uint32_t number)
{
    struct client *c = cluster_connect();
    for (uint32_t k = number; k < N_JOBS; k += N_CLIENTS) {
        if (!cluster_eventually(100000, 2, is_due, &k))
            _exit(1);
        struct msg_submit m = submission(k);
        uint32_t id = 0, none;
        until_answered(&c, MSG_SUBMIT, &m, &id);
        rec_fini(&msg_submit_rec, &m);
        if (k % N_WHATS == WINDOW) {
            struct msg_window_set w = window(k);
            until_answered(&c, MSG_WINDOW_SET, &w, &none);
            rec_fini(&msg_window_set_rec, &w);
        }
        shared->ids[k] = id;
    }
    client_free(c);
    _exit(0);
}

static void one_life(uint64_t *seed, int64_t start_ms)
{
    static const char *const points[] = {"before_commit", "after_commit", "after_reply", "after_launch"};
    char crash[64];
    uint64_t r = check_rand(seed);
    bool is_long = shared->kills % 8 == 5;
    snprintf(crash, sizeof crash, "%s:%u", points[r % N_OF(points)], (unsigned)(1 + (r >> 8) % 12));
    pid_t pid = cluster_spawn(!is_long && (r >> 32) % 3 ? crash : NULL);
    int64_t end = cluster_now_ms() + start_ms + (int64_t)((r >> 40) % 80) + (is_long ? LONG_MS : 0);
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0 && cluster_now_ms() < end)
        poll(NULL, 0, 1);
    cluster_kill(pid);
}

static void show_why(struct client *c, uint32_t job)
{
    struct msg_job m = {.target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    enum msg_kind kind;
    void *got = NULL;
    struct errtext err;
    if (client_call(c, MSG_WHY, &m, &kind, &got, &err) < 0)
        return;
    const struct msg_why *w = got;
    for (size_t i = 0; kind == MSG_WHY_CAUSES && i < w->causes.n; i++)
        printf("job %u: %s\n", job, cause_code_name(w->causes.v[i].code));
    msg_free(kind, got);
}

static void show_left(struct client *c)
{
    struct model m;
    cluster_fetch(c, &m);
    list_for_each (j, &m.all, struct job, in_all) {
        if (job_state_is_final(j->state))
            continue;
        printf("job %u (%s, %s): %s %s, %s, array %u, index %d, launches %u, restarts %u\n", j->id,
               j->request_id ? j->request_id : "-", j->partition, job_state_long(j->state),
               reason_slurm(j->reason), j->req.dependency ? j->req.dependency : "-", j->array_job,
               (int)j->array_index, j->launches, j->restarts);
        show_why(c, j->id);
    }
    model_fini(&m);
}

/* --- the ledger --- */

struct line {
    char what; /* B, E */
    unsigned key, element, restart;
};

static VEC(struct line) ledger;

static void read_ledger(void)
{
    FILE *f = fopen("ledger", "r");
    struct line l;
    assert_non_null(f);
    while (fscanf(f, " %c %u %u %u", &l.what, &l.key, &l.element, &l.restart) == 4)
        vec_push(&ledger, l);
    assert_true(feof(f));
    fclose(f);
}

/* Where that run stands in the ledger; -1: nowhere. */
static int find_line(char what, unsigned key, unsigned element, unsigned restart)
{
    vec_for_each (&ledger, i) {
        const struct line *l = &ledger.v[i];
        if (l->what == what && l->key == key && l->element == element && l->restart == restart)
            return (int)i;
    }
    return -1;
}

/* Of its last run. */
static int last_end(unsigned key, unsigned element)
{
    int at = -1;
    vec_for_each (&ledger, i)
        if (ledger.v[i].what == 'E' && ledger.v[i].key == key && ledger.v[i].element == element)
            at = (int)i;
    return at;
}

/* Of its first run that came so far: one that is preempted at once may not. */
static int first_begin(unsigned key)
{
    vec_for_each (&ledger, i)
        if (ledger.v[i].what == 'B' && ledger.v[i].key == key)
            return (int)i;
    return -1;
}

static void check_runs(void)
{
    vec_for_each (&ledger, i) {
        const struct line *l = &ledger.v[i];
        if (find_line(l->what, l->key, l->element, l->restart) != (int)i)
            fail_msg("run %u of request %u_%u is there twice", l->restart, l->key, l->element);
    }
    for (unsigned k = 0; k < N_JOBS; k++)
        for (unsigned e = 0; e < (k % N_WHATS == ARRAY ? ELEMENTS : 1); e++)
            if (last_end(k, e) < 0)
                fail_msg("request %u_%u never ran to its end", k, e);
}

static void show(unsigned key)
{
    vec_for_each (&ledger, i)
        if (ledger.v[i].key == key)
            printf("line %zu: %c of %u_%u, run %u\n", i + 1, ledger.v[i].what, key, ledger.v[i].element,
                   ledger.v[i].restart);
}

static void check_order(void)
{
    for (unsigned k = N_CLIENTS; k < N_JOBS; k++) {
        if (k % N_WHATS != AFTER_OK && k % N_WHATS != AFTER_ARRAY)
            continue;
        unsigned other = k - N_CLIENTS;
        for (unsigned e = 0; e < (other % N_WHATS == ARRAY ? ELEMENTS : 1); e++)
            if (first_begin(k) < last_end(other, e)) {
                show(k);
                show(other);
                fail_msg("request %u began before %u_%u, which it waits for, had ended", k, other, e);
            }
    }
}

/* Runs of that kind that are open at a time: begun and neither ended nor begun again. */
static void check_at_once(enum what what, bool of_one_job, unsigned most)
{
    vec_for_each (&ledger, i) {
        const struct line *b = &ledger.v[i];
        unsigned open = 0;
        if (b->what != 'B' || b->key % N_WHATS != what)
            continue;
        for (size_t k = 0; k <= i; k++) {
            const struct line *o = &ledger.v[k];
            int end = find_line('E', o->key, o->element, o->restart);
            bool cut = end < 0 && find_line('B', o->key, o->element, o->restart + 1) >= 0;
            if (o->what == 'B' && o->key % N_WHATS == what && (!of_one_job || o->key == b->key) && !cut)
                open += end < 0 || end > (int)i;
        }
        if (open > most)
            fail_msg("%u runs at once at line %zu, no more than %u may be", open, i + 1, most);
    }
}

/* --- the state and the history --- */

struct tally {
    const struct model *m; /* for its rates */
    struct idmap ids;      /* -> where it was found */
    const char *where;
    uint32_t n_elements, n_preempted;
    double exact; /* billing-seconds of the jobs of that partition */
};

static int count_job(void *ctx, struct job *j)
{
    struct tally *t = ctx;
    char name[32];
    snprintf(name, sizeof name, "job %u", j->id);
    union {
        const char *in;
        void *out;
    } now = {.in = t->where}, before = {.out = idmap_get(&t->ids, j->id)};
    if (before.in == t->where)
        fail_msg("%s is there twice, in the %s", name, t->where);
    idmap_set(&t->ids, j->id, now.out);
    if (before.in) { /* it was retired between the two questions */
        job_free(j);
        return 0;
    }
    check_int(name, j->state, JOB_COMPLETED);
    t->n_elements += j->array_job != 0;
    t->n_preempted += j->restarts > 0;
    if (str_eq(j->partition, "exact")) {
        uint64_t mem_mib = 0;
        for (size_t i = 0; i < j->alloc.n; i++)
            mem_mib += j->alloc.v[i].mem_mib;
        check_int(name, j->restarts, 0);
        t->exact += usage_rate(&t->m->spec.priority, job_cpus(j), mem_mib, job_gpus(j)) *
                    (double)(j->t_end.ms - j->t_start.ms) / MS_PER_S;
    }
    job_free(j);
    return 0;
}

static void count_all(struct client *c, struct tally *t)
{
    struct errtext err = {""};
    struct model now;
    struct msg_history all = {0};
    cluster_fetch(c, &now);
    t->where = "state";
    list_for_each (j, &now.all, struct job, in_all) {
        struct job *copy = job_new();
        rec_fini(&job_rec, copy);
        rec_copy(&job_rec, copy, j);
        count_job(t, copy);
    }
    uint32_t in_state = now.n_ended;
    model_fini(&now);
    t->where = "history";
    if (client_history(c, &all, count_job, t, &err) < 0)
        fail_msg("the history cannot be read: %s", err.s);
    check_int("jobs", t->ids.n, N_RECORDS);
    check_int("elements", t->n_elements, N_JOBS / N_WHATS * ELEMENTS);
    printf("%u in the state, %zu in all, %u were queued again\n", in_state, t->ids.n, t->n_preempted);
    if (in_state == t->ids.n || !t->n_preempted)
        fail_msg("nothing was retired, or nothing preempted: this has tested less than it should");
    for (uint32_t k = 0; k < N_JOBS; k++)
        if (!idmap_get(&t->ids, shared->ids[k]))
            fail_msg("request %u was acknowledged as job %u, which is not there", k, shared->ids[k]);
}

static double used_in(const struct model *m, const char *partition)
{
    double sum = 0;
    for (size_t i = 0; i < m->usage.n; i++)
        sum += str_eq(m->usage.rows[i].partition, partition) ? m->usage.rows[i].billing : 0;
    return sum;
}

static void check_usage(const struct model *m, const struct tally *t)
{
    double used = used_in(m, "exact");
    if (!(t->exact > 0) || fabs(used - t->exact) > 1e-6 * t->exact)
        fail_msg("used: %.6f, by the jobs' records %.6f", used, t->exact);
}

static void check_windows(const struct model *m)
{
    char name[32];
    for (unsigned k = WINDOW; k < N_JOBS; k += N_WHATS) {
        snprintf(name, sizeof name, "w%u", k);
        if (!model_get_window(m, name))
            fail_msg("window %s was acknowledged and is not there", name);
    }
    check_int("windows", m->windows.n, N_JOBS / N_WHATS);
}

static bool some_are_retired(void *ctx)
{
    struct model m;
    cluster_fetch(ctx, &m);
    bool some = m.n_ended < N_RECORDS;
    model_fini(&m);
    return some;
}

static void test_kill_with_policies(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    configure();
    int64_t start_ms = 0;
    pid_t clients[N_CLIENTS];
    for (uint32_t i = 0; i < N_CLIENTS; i++) {
        clients[i] = fork();
        assert_true(clients[i] >= 0);
        if (!clients[i])
            client_main(i);
    }
    for (; shared->kills < N_KILLS; shared->kills++) {
        if (shared->kills % MEASURE == 0)
            start_ms = cluster_start_ms();
        one_life(&seed, start_ms);
    }
    pid_t controller = cluster_spawn(NULL);
    for (uint32_t i = 0; i < N_CLIENTS; i++) {
        int status;
        assert_int_equal(waitpid(clients[i], &status, 0), clients[i]);
        check_int("client", status, 0);
    }
    close(open("go", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    struct client *c = cluster_connect();
    if (!cluster_eventually(DONE_MS, 50, cluster_is_empty, c)) {
        show_left(c);
        fail_msg("jobs are left");
    }
    assert_true(cluster_eventually(DONE_MS, 50, some_are_retired, c));
    client_free(c);
    cluster_kill(controller);
    struct model m;
    cluster_load(&m);
    controller = cluster_spawn(NULL);
    c = cluster_connect();
    struct tally t = {.m = &m};
    count_all(c, &t);
    client_free(c);
    check_usage(&m, &t);
    check_windows(&m);
    model_fini(&m);
    cluster_stop(controller);
    read_ledger();
    check_runs();
    check_order();
    check_at_once(ARRAY, true, THROTTLE);
    check_at_once(SINGLETON, false, 1);
    cluster_load(&m); /* retired meanwhile or not: the usage is what it was */
    check_usage(&m, &t);
    check_windows(&m);
    model_fini(&m);
    idmap_fini(&t.ids);
    vec_fini(&ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill_with_policies)};
    const char *tmp = getenv("TMPDIR");
    if (!tmp || chdir(tmp) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
