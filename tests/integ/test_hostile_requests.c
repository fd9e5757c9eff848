/* test_hostile_requests.c - what no command of ours sends: the controller refuses it, or keeps it small. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/store/store.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define WITHIN_MS 20000

static pid_t controller;

/* --- one request, its answer --- */

struct answer {
    enum msg_kind kind;
    uint32_t refusal, job;
    int32_t step;
    char text[512];
};

static struct answer ask(struct client *c, enum msg_kind kind, const void *body)
{
    struct answer a = {.refusal = REFUSAL_N};
    void *got = NULL;
    struct errtext err = {""};
    if (client_call(c, kind, body, &a.kind, &got, &err) < 0)
        fail_msg("no answer to %s: %s", msg_name(kind), err.s);
    if (a.kind == MSG_RESULT) {
        const struct msg_result *r = got;
        a.refusal = r->refusal;
        a.job = r->job;
        snprintf(a.text, sizeof a.text, "%s", r->text ? r->text : "");
    } else if (a.kind == MSG_STEP_CREATED) {
        const struct msg_step_created *r = got;
        a.refusal = REFUSAL_NONE;
        a.job = r->job;
        a.step = r->step;
    }
    msg_free(a.kind, got);
    return a;
}

static void expect(const struct answer *a, uint32_t refusal, const char *part)
{
    if (a->refusal != refusal)
        fail_msg("refusal %u, not %u: %s", a->refusal, refusal, a->text);
    if (!strstr(a->text, part))
        fail_msg("\"%s\" lacks \"%s\"", a->text, part);
}

static struct msg_submit submission(enum job_kind kind, const char *id)
{
    char cwd[4096];
    struct msg_submit m = {.kind = kind};
    assert_non_null(getcwd(cwd, sizeof cwd));
    job_req_init(&m.req);
    m.request_id = xstrdup(id);
    m.req.workdir = xstrdup(cwd);
    m.req.std_out = xstrdup("/dev/null");
    m.payload.umask = 022;
    strv_push(&m.payload.env, "PATH=/usr/bin:/bin");
    if (kind == JOB_KIND_BATCH) {
        strv_push(&m.payload.argv, "sleep");
        strv_push(&m.payload.argv, "1000");
    }
    return m;
}

static struct answer submit(struct client *c, struct msg_submit *m)
{
    struct answer a = ask(c, MSG_SUBMIT, m);
    rec_fini(&msg_submit_rec, m);
    return a;
}

static struct answer act(struct client *c, enum act what, uint32_t job)
{
    struct msg_act m = {.act = what};
    struct job_target *t = rec_list_push(&m.targets);
    *t = (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct answer a = ask(c, MSG_ACT, &m);
    rec_fini(&msg_act_rec, &m);
    return a;
}

static void step_init(struct step *s)
{
    *s = (struct step){.n_tasks = 1,
                       .n_ranks = 1,
                       .nodes = 1,
                       .cpus_per_rank = NOT_GIVEN,
                       .mem_mib = MEM_NOT_GIVEN,
                       .gpus = 0,
                       .time_limit_s = DURATION_NOT_SET};
}

static struct msg_step_create step_create(uint32_t job, const char *command)
{
    struct msg_step_create m = {.job = job};
    step_init(&m.step);
    m.request_id = client_request_id();
    m.payload.argv = strv_split(command, " ");
    strv_push(&m.payload.env, "PATH=/usr/bin:/bin");
    strv_push(&m.payload.env, "SECRET=of-the-step");
    return m;
}

static struct answer create(struct client *c, struct msg_step_create *m)
{
    struct answer a = ask(c, MSG_STEP_CREATE, m);
    rec_fini(&msg_step_create_rec, m);
    return a;
}

/* --- waiting --- */

struct wanted {
    struct client *c;
    uint32_t job;
    int32_t step;
    uint32_t state; /* of the job; JOB_N_STATES: the step is done */
};

static bool is_so(void *ctx)
{
    const struct wanted *w = ctx;
    struct model m;
    cluster_fetch(w->c, &m);
    const struct job *j = model_get_job(&m, w->job);
    const struct step *s = j ? job_find_step(j, w->step) : NULL;
    bool so = w->state == JOB_N_STATES ? s && s->done : j && j->state == w->state;
    model_fini(&m);
    return so;
}

static void await(struct client *c, uint32_t job, int32_t step, uint32_t state)
{
    struct wanted w = {c, job, step, state};
    if (!cluster_eventually(WITHIN_MS, 20, is_so, &w))
        fail_msg("job %u step %d does not come to %u", job, step, state);
}

/* The one whose command line names a directory of this test. */
static pid_t cluster_agent(void)
{
    char *cmd = xasprintf("pgrep -f -- '^stoker-agent --node n1 --dir %s/'", getenv("STOKER_HOME"));
    FILE *f = popen(cmd, "r");
    int pid = 0;
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    pclose(f);
    free(cmd);
    return pid;
}

static void start(void)
{
    controller = cluster_spawn(NULL);
}

static void restart(void)
{
    cluster_kill(controller);
    start();
}

/* --- payloads --- */

static size_t found;

static void on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    (void)job;
    (void)step;
    (void)p;
    *(bool *)ctx = true;
    found = n;
}

static void on_commit(void *ctx, uint64_t gate, int r, const char *text)
{
    (void)ctx;
    (void)gate;
    (void)r;
    (void)text;
}

static int ignore_event(void *ctx, struct event *ev)
{
    (void)ctx;
    event_fini(ev);
    return 0;
}

struct reading {
    struct store *store;
    bool *answered;
};

static bool is_read(void *ctx)
{
    const struct reading *r = ctx;
    store_dispatch(r->store);
    return *r->answered;
}

/* Bytes that lie on disk of a step's payload, with no controller running. */
static size_t payload_on_disk(uint32_t job, int32_t step)
{
    bool answered = false;
    struct store_callbacks cb = {.on_commit = on_commit, .on_payload = on_payload, .ctx = &answered};
    struct errtext err = {""};
    struct reading r = {.answered = &answered};
    char *dir = xasprintf("%s/state", getenv("STOKER_HOME"));
    if (store_open(dir, &cb, &r.store, &err) < 0 || store_load(r.store, ignore_event, NULL, &err) < 0)
        fail_msg("%s", err.s);
    store_get_payload(r.store, job, step);
    assert_true(cluster_eventually(WITHIN_MS, 5, is_read, &r));
    store_close(r.store);
    free(dir);
    return found;
}

/* A step ends whose payload has left the cache: it leaves the disk all the same. */
static void ended_steps_leave_nothing_on_disk(void **unused)
{
    (void)unused;
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "wipe");
    uint32_t job = submit(c, &m).job;
    await(c, job, 0, JOB_RUNNING);
    struct msg_step_create lives = step_create(job, "sleep 1000"), waits = step_create(job, "sleep 1000");
    struct answer a = create(c, &lives), b = create(c, &waits);
    expect(&a, REFUSAL_NONE, "");
    expect(&b, REFUSAL_NONE, "");
    client_free(c);
    cluster_kill(controller);
    assert_true(payload_on_disk(job, a.step) > 0);
    assert_true(payload_on_disk(job, b.step) > 0);
    start();
    c = cluster_connect();
    struct answer end = act(c, ACT_CANCEL, job);
    expect(&end, REFUSAL_NONE, "");
    await(c, job, 0, JOB_CANCELLED);
    client_free(c);
    cluster_kill(controller);
    assert_int_equal(payload_on_disk(job, a.step), 0);
    assert_int_equal(payload_on_disk(job, b.step), 0);
    start();
    cluster_stop(controller);
}

static off_t state_bytes(void)
{
    off_t sum = 0;
    for (int i = 0; i < 2; i++) {
        struct stat st;
        char *path = xasprintf("%s/state/stoker.db%s", getenv("STOKER_HOME"), i ? "-wal" : "");
        sum += stat(path, &st) == 0 ? st.st_size : 0;
        free(path);
    }
    return sum;
}

/* Steps without an environment have their job's, which is stored once: twenty of them do not make twenty
 * copies. It is there after a restart too. */
static void a_step_jobs_environment_is_kept_once(void **unused)
{
    (void)unused;
    enum { STEPS = 20, VARS = 8, BYTES = 100000 };
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_STEPS, "once");
    for (int i = 0; i < VARS; i++) {
        char *v = xasprintf("V%d=%0*d", i, BYTES, 0);
        strv_push(&m.payload.env, v);
        free(v);
    }
    for (int i = 0; i < STEPS; i++) {
        struct step *s = rec_list_push(&m.steps);
        step_init(s);
        s->id = i;
        s->name = xasprintf("s%d", i);
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->umask = 022;
        p->argv = strv_split("sh|-c|test ${#V0} = 100000 && test ${#V7} = 100000", "|");
    }
    m.hold = true;
    struct answer a = submit(c, &m);
    expect(&a, REFUSAL_NONE, "");
    assert_in_range(state_bytes(), 1, 8 << 20);
    client_free(c);
    restart();
    c = cluster_connect();
    struct answer b = act(c, ACT_RELEASE, a.job);
    expect(&b, REFUSAL_NONE, "");
    await(c, a.job, 0, JOB_COMPLETED);
    client_free(c);
    cluster_stop(controller);
}

/* --- what a step's creation and an update may hold is what a submission may hold --- */

static struct answer update(struct client *c, uint32_t job, const char *change)
{
    struct msg_update m = {.target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    strv_push(&m.changes, change);
    struct answer a = ask(c, MSG_UPDATE, &m);
    rec_fini(&msg_update_rec, &m);
    return a;
}

static void spoil_output(struct msg_step_create *m)
{
    m->step.std_out = xstrdup("a\033[2Jb");
}

static void spoil_nodelist(struct msg_step_create *m)
{
    m->step.nodelist = xasprintf("%05000d", 0);
}

static void spoil_env(struct msg_step_create *m)
{
    for (int i = 0; i < 5000; i++)
        strv_push(&m->payload.env, "A=1");
}

static void spoil_cpus(struct msg_step_create *m)
{
    m->step.cpus_per_rank = 1u << 31;
}

static void spoil_script(struct msg_step_create *m)
{
    m->payload.script.n = 5u << 20;
    m->payload.script.p = xcalloc(1, m->payload.script.n);
}

static void spoil_ranks(struct msg_step_create *m)
{
    m->step.overcommit = true;
    m->step.n_ranks = NODE_RANKS_MAX + 1;
}

static void each_way_in_is_checked_alike(void **unused)
{
    (void)unused;
    static const struct {
        void (*spoil)(struct msg_step_create *m);
        uint32_t refusal;
        const char *part;
    } steps[] = {
        {spoil_output, REFUSAL_BAD_REQUEST, "output file"},
        {spoil_nodelist, REFUSAL_BAD_REQUEST, "node list"},
        {spoil_env, REFUSAL_TOO_BIG, "environment"},
        {spoil_cpus, REFUSAL_BAD_REQUEST, "CPUs of a process"},
        {spoil_script, REFUSAL_TOO_BIG, "script"},
        {spoil_ranks, REFUSAL_STEP_TOO_BIG, "no more than 4096"},
    };
    static const struct {
        const char *change, *part;
    } updates[] = {
        {"JobName=a\033[2Jb", "job name"},
        {"Comment=a\nb", "comment"},
        {"Features=a\x7f", "features"},
    };
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "checked");
    uint32_t job = submit(c, &m).job;
    await(c, job, 0, JOB_RUNNING);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct msg_step_create s = step_create(job, "true");
        steps[i].spoil(&s);
        struct answer a = create(c, &s);
        expect(&a, steps[i].refusal, steps[i].part);
    }
    m = submission(JOB_KIND_BATCH, "waits");
    m.hold = true;
    uint32_t waits = submit(c, &m).job;
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        struct answer a = update(c, waits, updates[i].change);
        expect(&a, REFUSAL_BAD_REQUEST, updates[i].part);
    }
    struct answer fine = update(c, waits, "Comment=well");
    expect(&fine, REFUSAL_NONE, "");
    m = submission(JOB_KIND_BATCH, "host");
    m.host = xstrdup("a\033b");
    struct answer host = submit(c, &m);
    expect(&host, REFUSAL_BAD_REQUEST, "submitting host");
    client_free(c);
    cluster_stop(controller);
}

/* Held at its submission it was not looked at: at its release it is. */
static void a_release_is_an_admission(void **unused)
{
    (void)unused;
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "never");
    m.hold = true;
    m.req.ntasks = 1000;
    struct answer a = submit(c, &m);
    expect(&a, REFUSAL_NONE, "");
    struct answer b = act(c, ACT_RELEASE, a.job);
    expect(&b, REFUSAL_NEVER_FITS, "can never be had");
    struct answer less = update(c, a.job, "NumTasks=1");
    expect(&less, REFUSAL_NONE, "");
    struct answer d = act(c, ACT_RELEASE, a.job);
    expect(&d, REFUSAL_NONE, "");
    await(c, a.job, 0, JOB_RUNNING);
    client_free(c);
    cluster_stop(controller);
}

/* --- a user who is no administrator --- */

static _Noreturn void as_nobody(uint32_t job)
{
    if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
        fail_msg("cannot become nobody: %s", strerror(errno));
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "forced");
    m.force = true;
    m.req.ntasks = 1000;
    struct answer a = submit(c, &m);
    expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    static const enum act acts[] = {ACT_HOLD, ACT_RELEASE, ACT_REQUEUE_HOLD, ACT_RELEASE};
    for (size_t i = 0; job && i < sizeof acts / sizeof *acts; i++) {
        struct answer b = act(c, acts[i], job);
        expect(&b, REFUSAL_NOT_ALLOWED, "held by an administrator");
    }
    if (!job) {
        m = submission(JOB_KIND_BATCH, "his");
        m.hold = true;
        struct answer his = submit(c, &m);
        expect(&his, REFUSAL_NONE, "");
        _exit(0);
    }
    _exit(0);
}

static void run_as_nobody(uint32_t job)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        as_nobody(job);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the user's part ended with %#x", (unsigned)status);
}

static void let_all_see(const char *dir)
{
    struct stat st;
    if (stat(dir, &st) == 0)
        assert_int_equal(chmod(dir, st.st_mode | 0711), 0);
}

static void an_owner_has_no_power_over_an_administrators_hold(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    start();
    struct client *c = cluster_connect();
    char *run = xasprintf("%s/run", getenv("STOKER_HOME"));
    const char *dirs[] = {getenv("TMPDIR"), getenv("STOKER_HOME"), run};
    for (size_t i = 0; i < 3; i++)
        let_all_see(dirs[i]);
    run_as_nobody(0);
    struct model m;
    cluster_fetch(c, &m);
    uint32_t job = 0;
    list_for_each (j, &m.all, struct job, in_all)
        job = j->uid == 65534 ? j->id : job;
    model_fini(&m);
    assert_true(job > 0);
    struct msg_act hold = {.act = ACT_HOLD, .admin_hold = true};
    struct job_target *t = rec_list_push(&hold.targets);
    *t = (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct answer a = ask(c, MSG_ACT, &hold);
    rec_fini(&msg_act_rec, &hold);
    expect(&a, REFUSAL_NONE, "");
    run_as_nobody(job);
    free(run);
    client_free(c);
    cluster_stop(controller);
}

/* --- input --- */

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
    start();
    struct client *c = cluster_connect();
    struct errtext err = {""};
    struct msg_submit m = submission(JOB_KIND_BATCH, "input");
    uint32_t job = submit(c, &m).job;
    await(c, job, 0, JOB_RUNNING);
    struct msg_step_create sc = step_create(job, "cat");
    sc.stream_in = true;
    struct answer a = create(c, &sc);
    expect(&a, REFUSAL_NONE, "");
    struct msg_input big = input(job, a.step, (256 << 10) + 1);
    struct answer b = ask(c, MSG_INPUT, &big);
    rec_fini(&msg_input_rec, &big);
    expect(&b, REFUSAL_TOO_BIG, "256 KiB");

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
    for (int64_t end = cluster_now_ms() + WITHIN_MS; refused < PIECES - 64 && cluster_now_ms() < end;) {
        if (client_next(c, 1000, &in, &err) != 1)
            break;
        const struct msg_result *r = in.body;
        assert_int_equal(in.kind, MSG_RESULT);
        assert_int_equal(r->refusal, REFUSAL_STEP_BUSY);
        msg_free(in.kind, in.body);
        refused++;
    }
    assert_int_equal(kill(agent, SIGCONT), 0);
    assert_in_range(refused, PIECES - 64, PIECES);
    client_free(c);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ended_steps_leave_nothing_on_disk),
        cmocka_unit_test(a_step_jobs_environment_is_kept_once),
        cmocka_unit_test(each_way_in_is_checked_alike),
        cmocka_unit_test(a_release_is_an_admission),
        cmocka_unit_test(an_owner_has_no_power_over_an_administrators_hold),
        cmocka_unit_test(input_for_a_stuck_node_is_bounded),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
