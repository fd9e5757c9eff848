/* test_hostile_amounts.c - what one user may have the controller keep has bounds. */
#include <linux/sockios.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/store/store.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

static pid_t controller;

/* The one whose command line names a directory of this test; the oldest: a copy of it that is about to
 * become another program has it too. */
static pid_t cluster_agent(void)
{
    char *cmd = xasprintf("pgrep -o -f -- '^stoker-agent --node n1 --dir %s/'", getenv("STOKER_HOME"));
    FILE *f = popen(cmd, "r");
    int pid = 0;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    pclose(f);
    free(cmd);
    return pid;
}

static struct msg_input input(uint32_t job, int32_t step, size_t n)
{
    struct msg_input m = {.key = {.job = job, .step = step}};
    m.data.n = n;
    m.data.p = xcalloc(1, n);
    return m;
}

/* A node that takes nothing has no more than a little waiting for it here; what is refused can be sent
 * again, and is taken once the node goes on. */
static void input_for_a_stuck_node_is_bounded(void **unused)
{
    (void)unused;
    enum { PIECES = 200, BYTES = 200 << 10 };
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct errtext err = {""};
    struct msg_submit m = submission(JOB_KIND_BATCH, "input");
    uint32_t job = ask_submit(c, &m).job;
    await_state(c, job, 0, JOB_RUNNING);
    struct msg_step_create sc = step_create(job, "cat");
    sc.stream_in = true;
    struct answer a = ask_create(c, &sc);
    expect_answer(&a, REFUSAL_NONE, "");
    struct msg_input big = input(job, a.step, (256 << 10) + 1);
    struct answer b = ask(c, MSG_INPUT, &big);
    rec_fini(&msg_input_rec, &big);
    expect_answer(&b, REFUSAL_TOO_BIG, "256 KiB");

    pid_t agent = cluster_agent();
    assert_int_equal(kill(agent, SIGSTOP), 0);
    struct msg_input piece = input(job, a.step, BYTES);
    for (int i = 0; i < PIECES; i++) {
        uint64_t tag;
        if (client_send(c, MSG_INPUT, &piece, &tag, &err) < 0)
            fail_msg("cannot send: %s", err.s);
    }
    rec_fini(&msg_input_rec, &piece);
    int refused = 0;
    struct incoming in;
    while (refused < PIECES - 64) {
        if (client_next(c, WITHIN_MS, &in, &err) != 1)
            fail_msg("only %d are refused: %s", refused, err.s);
        const struct msg_result *r = in.body;
        assert_int_equal(in.kind, MSG_RESULT);
        assert_int_equal(r->refusal, REFUSAL_STEP_BUSY);
        msg_free(in.kind, in.body);
        refused++;
    }
    assert_int_equal(kill(agent, SIGCONT), 0);
    client_free(c);
    cluster_stop(controller);
}

/* The sanitizers keep what is freed for a while, and shadows beside it. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define KIB_MORE(kib) (UINT64_C(16) * (kib))
#else
#define KIB_MORE(kib) ((uint64_t)(kib))
#endif

static uint64_t controller_rss_kib(struct client *c)
{
    enum msg_kind kind;
    void *got = NULL;
    struct errtext err = {""};
    if (client_call(c, MSG_STATS, NULL, &kind, &got, &err) < 0)
        fail_msg("no answer: %s", err.s);
    assert_int_equal(kind, MSG_STATS_DATA);
    uint64_t kib = ((const struct msg_stats *)got)->rss_kib;
    msg_free(kind, got);
    return kib;
}

/* In two steps; those of the second are no records yet. */
static struct answer submit_tasks(struct client *c, int number, uint32_t second)
{
    char id[32];
    snprintf(id, sizeof id, "tasks-%d", number);
    struct msg_submit m = submission(JOB_KIND_STEPS, id);
    m.hold = true;
    for (int i = 0; i < 2; i++) {
        struct step *s = rec_list_push(&m.steps);
        plain_step_init(s);
        s->id = i;
        s->name = xasprintf("s%d", i);
        s->n_tasks = i ? second : 1;
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->argv = strv_split("true", " ");
    }
    return ask_submit(c, &m);
}

/* A step's tasks are records from the moment that it may begin, and stay until the job leaves: a few
 * hundred submissions would have filled any memory, again after each restart. */
static void step_jobs_have_so_many_tasks_and_no_more(void **unused)
{
    (void)unused;
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct answer a = submit_tasks(c, 0, 100000);
    expect_answer(&a, REFUSAL_TOO_BIG, "100000 tasks");
    a = submit_tasks(c, 1, 1); /* so that twenty times 100000 are too many */
    expect_answer(&a, REFUSAL_NONE, "");
    for (int i = 2; i < 21; i++) {
        a = submit_tasks(c, i, 99999);
        expect_answer(&a, REFUSAL_NONE, "");
    }
    a = submit_tasks(c, 21, 99999);
    expect_answer(&a, REFUSAL_POLICY, "the queue is full");
    client_free(c);
    controller = cluster_restart(controller);
    c = cluster_connect();
    a = submit_tasks(c, 22, 99999);
    expect_answer(&a, REFUSAL_POLICY, "the queue is full");
    client_free(c);
    cluster_stop(controller);
}

struct grown { /* a held job of the log, made once more as one that has had many steps */
    struct job *job;
    uint64_t seq;
};

static int keep_submission(void *ctx, struct event *ev)
{
    struct grown *g = ctx;
    g->seq = ev->seq;
    if (ev->kind == EV_SUBMIT && !g->job && ((const struct job *)ev->body)->state == JOB_PENDING &&
        str_eq(((const struct job *)ev->body)->request_id, "steps")) {
        g->job = xcalloc(1, sizeof *g->job);
        rec_copy(&job_rec, g->job, ev->body);
    }
    event_fini(ev);
    return 0;
}

static uint32_t add_job_with_steps(uint32_t had)
{
    struct grown g = {0};
    struct store *store = cluster_open_store(keep_submission, &g);
    assert_non_null(g.job);
    struct job *j = g.job;
    j->id++;
    j->next_step = had;
    free(j->request_id);
    j->request_id = xstrdup("steps-had");
    struct event ev = {.seq = g.seq + 1, .t = j->t_submit, .kind = EV_SUBMIT, .job = j->id};
    struct str body = STR_INIT, payload = STR_INIT;
    struct step_payload p = {.argv = strv_split("sleep 1000", " "), .umask = 022};
    strv_push(&p.env, "PATH=/usr/bin:/bin");
    codec_encode(&job_rec, j, &body);
    codec_encode(&step_payload_rec, &p, &payload);
    store_add_event(store, &ev, body.s, body.len);
    store_add_payload(store, j->id, STEP_BATCH, payload.s, payload.len);
    store_close(store);
    uint32_t id = j->id;
    str_fini(&body);
    str_fini(&payload);
    rec_fini(&step_payload_rec, &p);
    job_free(j);
    return id;
}

/* Each step stays in its job's record: a script that calls srun for ever must not fill the memory. */
static void a_job_has_so_many_steps_and_no_more(void **unused)
{
    (void)unused;
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "steps");
    m.hold = true;
    struct answer a = ask_submit(c, &m);
    expect_answer(&a, REFUSAL_NONE, "");
    client_free(c);
    cluster_kill(controller);
    uint32_t job = add_job_with_steps(39999);
    controller = cluster_spawn(NULL);
    c = cluster_connect();
    a = ask_act(c, ACT_RELEASE, job);
    expect_answer(&a, REFUSAL_NONE, "");
    await_state(c, job, 0, JOB_RUNNING);
    struct msg_step_create last = step_create(job, "true"), beyond = step_create(job, "true");
    a = ask_create(c, &last);
    expect_answer(&a, REFUSAL_NONE, "");
    assert_int_equal(a.step, 39999);
    a = ask_create(c, &beyond);
    expect_answer(&a, REFUSAL_POLICY, "40000 steps");
    client_free(c);
    cluster_stop(controller);
}

static bool is_hanging(void *ctx)
{
    return access(ctx, F_OK) == 0;
}

/* It has taken up what this client sent, and has nothing to do. */
static bool has_taken_all(void *ctx)
{
    int unread = 1;
    char state = 0;
    char *path = xasprintf("/proc/%d/stat", controller);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*d %*s %c", &state), 1); /* of the thread of the loop */
    fclose(f);
    free(path);
    return ioctl(client_fd(ctx), SIOCOUTQ, &unread) == 0 && unread == 0 && state == 'S';
}

/* The answers to n questions for the script; none is refused but for the rate. */
static void count_scripts(struct client *c, int n, int *answered, int *refused)
{
    struct incoming in;
    struct errtext err = {""};
    for (int i = 0; i < n; i++) {
        if (client_next(c, WITHIN_MS, &in, &err) != 1)
            fail_msg("%d of %d are answered: %s", i, n, err.s);
        const struct msg_result *r = in.body;
        if (in.kind == MSG_RESULT)
            assert_int_equal(r->refusal, REFUSAL_RATE);
        *refused += in.kind == MSG_RESULT;
        *answered += in.kind == MSG_SCRIPT_TEXT;
        msg_free(in.kind, in.body);
    }
}

/* Each may be megabytes: while the disk does not answer only a bounded number of one client's questions
 * wait for it. */
static void few_scripts_are_asked_for_at_a_time(void **unused)
{
    (void)unused;
    enum { ASKED = 60, WAIT = 16 };
    char *disk = xasprintf("%s/disk", getenv("STOKER_HOME")), *hang = xasprintf("%s/hang", disk);
    char *hanging = xasprintf("%s/hanging", disk);
    assert_int_equal(mkdir(disk, 0700), 0);
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct errtext err = {""};
    struct msg_submit m = submission(JOB_KIND_BATCH, "script"), other = submission(JOB_KIND_BATCH, "hangs");
    m.hold = other.hold = true;
    uint32_t job = ask_submit(c, &m).job;
    client_free(c);
    cluster_kill(controller);
    controller =
        cluster_spawn_with("brokendisk", "BROKEN_DISK", disk); /* it has to be read from the disk */
    c = cluster_connect();
    struct client *writer = cluster_connect();
    int answered = 0, refused = 0;
    uint64_t tag;
    fclose(fopen(hang, "w"));
    assert_int_equal(client_send(writer, MSG_SUBMIT, &other, &tag, &err), 0);
    rec_fini(&msg_submit_rec, &other);
    assert_true(cluster_eventually(WITHIN_MS, 2, is_hanging, hanging));
    struct msg_job which = {.target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    for (int i = 0; i < ASKED; i++)
        if (client_send(c, MSG_SCRIPT, &which, &tag, &err) < 0)
            fail_msg("cannot send: %s", err.s);
    assert_true(cluster_eventually(WITHIN_MS, 2, has_taken_all, c));
    assert_int_equal(unlink(hang), 0);
    count_scripts(c, ASKED, &answered, &refused);
    assert_int_equal(answered, WAIT);
    assert_int_equal(refused, ASKED - WAIT);
    free(disk);
    free(hang);
    free(hanging);
    client_free(writer);
    client_free(c);
    cluster_stop(controller);
}

/* The history is asked about each job that a dependency names. */
static void a_dependency_has_bounds_when_it_is_changed_too(void **unused)
{
    (void)unused;
    enum { NAMES = 400000 };
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "depends");
    m.hold = true;
    uint32_t job = ask_submit(c, &m).job;
    struct str change = STR_INIT;
    str_append(&change, "Dependency=afterany");
    for (int i = 0; i < NAMES; i++)
        str_appendf(&change, ":1_%d", i);
    uint64_t before = controller_rss_kib(c);
    struct answer a = ask_update(c, job, change.s);
    expect_answer(&a, REFUSAL_BAD_REQUEST, "dependency: ");
    assert_in_range(controller_rss_kib(c), 1, before + KIB_MORE(64 << 10));
    str_fini(&change);
    client_free(c);
    cluster_stop(controller);
}

/* Asks for megabytes over many connections, and reads none of them. */
static _Noreturn void as_one_who_does_not_read(int ready, int go)
{
    enum { CONNECTIONS = 12, ASKED = 15, BYTES = 4 << 20 };
    struct client *c[CONNECTIONS];
    struct errtext err = {""};
    char byte = 0;
    if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
        _exit(1);
    c[0] = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "large");
    m.hold = true;
    m.payload.script = (struct blob){.p = xmalloc(BYTES), .n = BYTES};
    memset(m.payload.script.p, '#', BYTES);
    struct answer a = ask_submit(c[0], &m);
    expect_answer(&a, REFUSAL_NONE, "");
    struct msg_job which = {.target = {.job = a.job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    for (int i = 0; i < CONNECTIONS; i++) {
        if (i)
            c[i] = cluster_connect();
        for (uint64_t k = 0, tag; k < ASKED; k++)
            if (client_send(c[i], MSG_SCRIPT, &which, &tag, &err) < 0)
                break; /* given up already */
    }
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 0)
        _exit(1);
    _exit(0);
}

/* A step job whose record is about that large: file names of 4000 bytes. */
static struct answer submit_large(struct client *c, int number, unsigned kib)
{
    char id[32], path[4001];
    snprintf(id, sizeof id, "large-%d", number);
    struct msg_submit m = submission(JOB_KIND_STEPS, id);
    m.hold = true;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (unsigned i = 0; i < kib * 1024 / sizeof path; i++) {
        struct step *s = rec_list_push(&m.steps);
        plain_step_init(s);
        s->id = (int32_t)i;
        s->name = xasprintf("s%u", i);
        s->std_out = xstrdup(path);
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->argv = strv_split("true", " ");
    }
    return ask_submit(c, &m);
}

static void all_is_shown(struct client *c, uint32_t first, uint32_t last)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS | GET_NODES};
    struct errtext err = {""};
    struct model m;
    model_init(&m);
    if (client_fetch(c, &get, &m, &err) < 0)
        fail_msg("the queue cannot be read: %s", err.s);
    for (uint32_t id = first; id <= last; id++)
        assert_non_null(model_get_job(&m, id));
    model_fini(&m);
}

/* Ten jobs of 8 MiB each were one answer of 80: every client that asked for the queue was closed as one
 * that does not read. */
static void large_records_hide_no_other_job(void **unused)
{
    (void)unused;
    enum { JOBS = 40 }; /* more in all than a connection may ever have waiting for it */
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct answer a = submit_large(c, 0, 2050);
    expect_answer(&a, REFUSAL_TOO_BIG, "its steps are over 2 MiB in all");
    uint32_t first = 0;
    for (int i = 1; i <= JOBS; i++) {
        a = submit_large(c, i, 1900);
        expect_answer(&a, REFUSAL_NONE, "");
        first = first ? first : a.job;
    }
    all_is_shown(c, first, a.job);
    struct msg_get named = {.what = GET_JOBS};
    for (uint32_t i = 0; i < JOBS; i++)
        *(struct job_target *)rec_list_push(&named.jobs) =
            (struct job_target){.job = first + i, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct model m;
    struct errtext err = {""};
    model_init(&m);
    assert_int_equal(client_fetch(c, &named, &m, &err), 0);
    assert_int_equal(m.jobs.n, JOBS);
    model_fini(&m);
    rec_fini(&msg_get_rec, &named);
    struct answer update = ask_update(c, first, "Comment=short");
    expect_answer(&update, REFUSAL_NONE, "");
    client_free(c);
    controller = cluster_restart(controller);
    c = cluster_connect();
    all_is_shown(c, first, a.job);
    client_free(c);
    cluster_stop(controller);
}

/* Each step of a job stays in its record, with its file names. */
static void the_record_of_a_job_has_bounds(void **unused)
{
    (void)unused;
    enum { STEPS = 1000 };
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "record");
    struct answer a = ask_submit(c, &m);
    uint32_t job = a.job, taken = 0;
    await_state(c, job, 0, JOB_RUNNING);
    char path[4001];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (int i = 0; i < STEPS; i++) { /* the first holds the job's only CPU: the others wait */
        struct msg_step_create sc = step_create(job, "sleep 1000");
        sc.step.exclusive = true;
        sc.step.cpus_per_rank = 1;
        if (i)
            sc.step.std_out = xstrdup(path);
        if (i)
            sc.step.std_err = xstrdup(path);
        a = ask_create(c, &sc);
        if (a.refusal != REFUSAL_NONE)
            break;
        taken++;
    }
    expect_answer(&a, REFUSAL_POLICY, "would be over 4 MiB");
    assert_in_range(taken, 400, 600);
    all_is_shown(c, job, job);
    client_free(c);
    /* It is known again then; what was kept free for their ends is a little. */
    controller = cluster_restart(controller);
    c = cluster_connect();
    a.refusal = REFUSAL_NONE;
    for (int i = 0; i < 20 && a.refusal == REFUSAL_NONE; i++) {
        struct msg_step_create sc = step_create(job, "true");
        sc.step.exclusive = true;
        sc.step.cpus_per_rank = 1;
        sc.step.std_out = xstrdup(path);
        sc.step.std_err = xstrdup(path);
        a = ask_create(c, &sc);
    }
    expect_answer(&a, REFUSAL_POLICY, "would be over 4 MiB");
    client_free(c);
    cluster_stop(controller);
}

static void what_a_user_does_not_read_has_bounds_over_all_his_connections(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    char byte;
    let_all_reach_the_controller();
    uint64_t before = controller_rss_kib(c);
    int ready[2], go[2], status;
    assert_int_equal(pipe(ready) + pipe(go), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        close(go[1]);
        as_one_who_does_not_read(ready[1], go[0]);
    }
    close(ready[1]);
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    for (int i = 0; i < 20; i++) /* the request has been taken up by then: in turn with these */
        assert_in_range(controller_rss_kib(c), 1, before + KIB_MORE(400 << 10));
    close(go[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ready[0]);
    client_free(c);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_for_a_stuck_node_is_bounded),
        cmocka_unit_test(step_jobs_have_so_many_tasks_and_no_more),
        cmocka_unit_test(a_job_has_so_many_steps_and_no_more),
        cmocka_unit_test(few_scripts_are_asked_for_at_a_time),
        cmocka_unit_test(a_dependency_has_bounds_when_it_is_changed_too),
        cmocka_unit_test(large_records_hide_no_other_job),
        cmocka_unit_test(the_record_of_a_job_has_bounds),
        cmocka_unit_test(what_a_user_does_not_read_has_bounds_over_all_his_connections),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
