/* test_hostile_requests.c - what no command of ours sends: the controller refuses it, or keeps it small. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/store/store.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define WITHIN_MS 60000

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

static void spoil_cause(struct msg_step_create *m)
{
    m->step.kill_cause = 99;
}

static void spoil_code(struct msg_step_create *m)
{
    m->step.signal = INT32_MAX;
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
        {spoil_cause, REFUSAL_BAD_REQUEST, "malformed"},
        {spoil_code, REFUSAL_BAD_REQUEST, "malformed"},
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
    for (int i = 0; i < 4; i++) { /* numbers that stand for words: whoever shows the job looks them up */
        m = submission(JOB_KIND_BATCH, "numbers");
        m.hold = true;
        req_rare_mut(&m.req)->lost_node = i == 0 ? 77 : 0;
        m.req.requeue = i == 1 ? 3 : 0;
        req_rare_mut(&m.req)->signal = i == 2 ? -1 : i == 3 ? 65 : 0;
        struct answer a = submit(c, &m);
        expect(&a, REFUSAL_BAD_REQUEST, "malformed");
    }
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

/* --- windows and notes --- */

static struct answer ask_and_fini(struct client *c, enum msg_kind kind, const struct rec_desc *d,
                                  void *body)
{
    struct answer a = ask(c, kind, body);
    rec_fini(d, body);
    return a;
}

static struct msg_window_set window_set(const char *name, const char *nodes, int64_t from_s, int64_t to_s)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct msg_window_set m = {.window = {.name = xstrdup(name),
                                          .start = {.ms = (now.tv_sec + from_s) * MS_PER_S},
                                          .end = {.ms = (now.tv_sec + to_s) * MS_PER_S}}};
    if (nodes)
        strv_push(&m.window.nodes, nodes);
    return m;
}

static struct answer set_window(struct client *c, struct msg_window_set *m)
{
    return ask_and_fini(c, MSG_WINDOW_SET, &msg_window_set_rec, m);
}

static struct answer note(struct client *c, const char *node, const char *text)
{
    struct msg_node_note m = {.text = xstrdup(text)};
    strv_push(&m.nodes, node);
    return ask_and_fini(c, MSG_NODE_NOTE, &msg_node_note_rec, &m);
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
    struct msg_window_set w = window_set("mine", "n1", 60, 120);
    a = set_window(c, &w);
    expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    w = window_set("mine", NULL, 60, 120);
    w.remove = true;
    a = set_window(c, &w);
    expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    a = note(c, "n1", "hello");
    expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    m = submission(JOB_KIND_BATCH, "nice");
    m.req.nice = -1;
    a = submit(c, &m);
    expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    m = submission(JOB_KIND_BATCH, "priority");
    m.req.has_priority = true;
    a = submit(c, &m);
    expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    static const char *const changes[] = {"Priority=1", "Nice=-5", "JobName=x"};
    for (size_t i = 0; job && i < sizeof changes / sizeof *changes; i++) {
        a = update(c, job, changes[i]);
        uint32_t want = i == 0 ? REFUSAL_NOT_ALLOWED : i == 1 ? REFUSAL_BAD_REQUEST : REFUSAL_NONE;
        expect(&a, want, "");
    }
    static const enum act stops[] = {ACT_SUSPEND, ACT_RESUME};
    for (size_t i = 0; job && i < sizeof stops / sizeof *stops; i++) {
        a = act(c, stops[i], job);
        expect(&a, REFUSAL_NOT_ALLOWED, "only administrators");
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

/* --- questions and orders whose size is the asker's --- */

static void push_targets(struct msg_act *act, struct msg_prio *prio, struct msg_history *history, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct job_target t = {.job = (uint32_t)i + 1, .array_index = ARRAY_NONE, .step = STEP_ALL};
        if (act)
            *(struct job_target *)rec_list_push(&act->targets) = t;
        if (prio)
            *(struct job_target *)rec_list_push(&prio->jobs) = t;
        if (history)
            *(struct job_target *)rec_list_push(&history->jobs) = t;
    }
}

static void push_names(struct strv *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strv_push(v, "nobody");
}

static void what_one_request_may_ask_for_is_bounded(void **unused)
{
    (void)unused;
    start();
    struct client *c = cluster_connect();
    struct msg_act acts = {.act = ACT_CANCEL};
    push_targets(&acts, NULL, NULL, 100001);
    struct answer a = ask_and_fini(c, MSG_ACT, &msg_act_rec, &acts);
    expect(&a, REFUSAL_TOO_BIG, "more than");
    for (int names = 0; names < 2; names++) {
        struct msg_prio prio = {0};
        struct msg_history history = {0};
        struct msg_shares shares = {0};
        struct msg_plan_get plan = {0};
        if (names) {
            push_names(&prio.users, GET_NAMES_MAX + 1);
            push_names(&history.accounts, GET_NAMES_MAX + 1);
            push_names(&shares.users, GET_NAMES_MAX + 1);
            push_names(&plan.users, 101);
        } else {
            push_targets(NULL, &prio, &history, GET_NAMES_MAX + 1);
            push_names(&shares.accounts, GET_NAMES_MAX + 1);
            push_names(&plan.partitions, 101);
        }
        a = ask_and_fini(c, MSG_PRIO, &msg_prio_rec, &prio);
        expect(&a, REFUSAL_TOO_BIG, "more than");
        a = ask_and_fini(c, MSG_HISTORY, &msg_history_rec, &history);
        expect(&a, REFUSAL_TOO_BIG, "more than");
        a = ask_and_fini(c, MSG_SHARES, &msg_shares_rec, &shares);
        expect(&a, REFUSAL_TOO_BIG, "more than");
        a = ask_and_fini(c, MSG_PLAN, &msg_plan_get_rec, &plan);
        expect(&a, REFUSAL_TOO_BIG, "more than");
    }
    struct msg_plan_get most = {.rows_max = UINT32_MAX};
    a = ask(c, MSG_PLAN, &most);
    assert_int_equal(a.kind, MSG_PLAN_DATA);
    struct msg_shares far = {.skip = UINT32_MAX};
    a = ask(c, MSG_SHARES, &far);
    assert_int_equal(a.kind, MSG_SHARES_ROWS);
    struct msg_prio behind = {.after = UINT32_MAX};
    a = ask(c, MSG_PRIO, &behind);
    assert_int_equal(a.kind, MSG_PRIO_ROWS);
    client_free(c);
    cluster_stop(controller);
}

static void windows_and_notes_are_checked(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *nodes;
        int64_t from_s, to_s;
        bool remove, update;
        uint32_t kind, refusal;
        const char *part;
    } rows[] = {
        {"none", NULL, 60, 120, .refusal = REFUSAL_NO_NODE, .part = "it needs nodes"},
        {"empty", "", 60, 120, .refusal = REFUSAL_NO_NODE, .part = "it needs nodes"},
        {"unknown", "n[1-2]", 60, 120, .refusal = REFUSAL_NO_NODE, .part = "no node n2"},
        {"many", "n[1-4000000000]", 60, 120, .refusal = REFUSAL_NO_NODE, .part = "n[1-4000000000]"},
        {"over", "n1", -120, -60, .refusal = REFUSAL_BAD_REQUEST, .part = "over already"},
        {"back", "n1", 120, 60, .refusal = REFUSAL_BAD_REQUEST, .part = "end after its start"},
        {"a\033b", "n1", 60, 120, .refusal = REFUSAL_BAD_REQUEST, .part = "cannot be used"},
        {"a,b", "n1", 60, 120, .refusal = REFUSAL_BAD_REQUEST, .part = "cannot be used"},
        {"kind", "n1", 60, 120, .kind = 7, .refusal = REFUSAL_BAD_REQUEST, .part = "no such kind"},
        {"whose", "n1", 60, 120, .kind = 1, .refusal = REFUSAL_BAD_REQUEST, .part = "nobody may use it"},
        {"gone", "n1", 60, 120, .update = true, .refusal = REFUSAL_NO_WINDOW, .part = "gone"},
        {"gone", NULL, 60, 120, .remove = true, .refusal = REFUSAL_NO_WINDOW, .part = "gone"},
        {"fine", "all", 60, 120, .refusal = REFUSAL_NONE, .part = "fine"},
        {"fine", "n1", 60, 120, .refusal = REFUSAL_BAD_REQUEST, .part = "there already"},
        {"fine", NULL, 0, 0, .remove = true, .refusal = REFUSAL_NONE, .part = "fine"},
    };
    start();
    struct client *c = cluster_connect();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct msg_window_set m = window_set(rows[i].name, rows[i].nodes, rows[i].from_s, rows[i].to_s);
        m.remove = rows[i].remove;
        m.update = rows[i].update;
        m.window.kind = rows[i].kind;
        struct answer a = set_window(c, &m);
        expect(&a, rows[i].refusal, rows[i].part);
    }
    struct answer a = note(c, "n1", "a\nb");
    expect(&a, REFUSAL_BAD_REQUEST, "one line");
    a = note(c, "n9", "text");
    expect(&a, REFUSAL_NO_NODE, "n9");
    client_free(c);
    cluster_stop(controller);
}

/* --- what is not for clients, and times beyond all measure --- */

/* The connection ends; the controller does not. */
static void must_be_cut_off(enum msg_kind kind, const void *body)
{
    struct client *c = cluster_connect();
    struct errtext err = {""};
    enum msg_kind got;
    void *answer = NULL;
    if (client_call(c, kind, body, &got, &answer, &err) >= 0)
        fail_msg("%s was answered with %s", msg_name(kind), msg_name(got));
    client_free(c);
}

static void a_client_that_speaks_as_a_node_is_cut_off(void **unused)
{
    (void)unused;
    start();
    must_be_cut_off(MSG_CALL, &(struct msg_call){.id = 1});
    struct msg_call_data data = {.id = 1, .data = {.p = xcalloc(1, 8), .n = 8}};
    must_be_cut_off(MSG_CALL_DATA, &data);
    rec_fini(&msg_call_data_rec, &data);
    must_be_cut_off(MSG_CALL_TAKEN, &(struct msg_call_taken){.id = 1, .n = UINT32_MAX});
    must_be_cut_off(MSG_CALL_END, &(struct msg_call_taken){.id = 1});
    must_be_cut_off(MSG_PRIO_ROWS, &(struct msg_prio_rows){.more = true});
    must_be_cut_off(MSG_SHARES_ROWS, &(struct msg_shares_rows){.more = true});
    must_be_cut_off(MSG_PLAN_DATA, &(struct msg_plan){.n_more = 1});
    must_be_cut_off(MSG_WINDOWS, &(struct msg_windows){{0}});
    must_be_cut_off(MSG_HISTORY_END, &(struct msg_history_end){.n = 1});
    must_be_cut_off(MSG_PMI_FENCE, &(struct msg_pmi){.fence = 1});
    cluster_stop(controller);
}

static void times_beyond_all_measure_are_no_times(void **unused)
{
    (void)unused;
    static const int64_t beyond[] = {INT64_MIN, INT64_MAX, (INT64_C(1) << 53) + 1};
    static const int64_t far[] = {-(INT64_C(1) << 53), -1, 1, INT64_C(1) << 53};
    start();
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        struct msg_submit m = submission(JOB_KIND_BATCH, "beyond");
        req_rare_mut(&m.req)->deadline.ms = beyond[i];
        must_be_cut_off(MSG_SUBMIT, &m);
        rec_fini(&msg_submit_rec, &m);
        must_be_cut_off(MSG_HISTORY, &(struct msg_history){.until.ms = beyond[i]});
    }
    struct client *c = cluster_connect();
    for (size_t i = 0; i < 2 * sizeof far / sizeof *far; i++) {
        char id[32];
        snprintf(id, sizeof id, "far-%zu", i);
        struct msg_submit m = submission(JOB_KIND_BATCH, id);
        *(i % 2 ? &req_rare_mut(&m.req)->deadline : &m.req.begin) = (struct wall){.ms = far[i / 2]};
        struct answer a = submit(c, &m);
        if (a.refusal == REFUSAL_NONE) {
            struct answer gone = act(c, ACT_CANCEL, a.job);
            assert_true(gone.refusal == REFUSAL_NONE || gone.refusal == REFUSAL_ENDED);
        }
    }
    struct msg_window_set w = window_set("far", "n1", 60, 120);
    w.window.end.ms = INT64_C(1) << 53;
    struct answer a = set_window(c, &w);
    expect(&a, REFUSAL_NONE, "far");
    struct msg_plan_get plan = {0};
    a = ask(c, MSG_PLAN, &plan);
    assert_int_equal(a.kind, MSG_PLAN_DATA);
    w = window_set("far", NULL, 60, 120);
    w.remove = true;
    a = set_window(c, &w);
    expect(&a, REFUSAL_NONE, "far");
    client_free(c);
    cluster_stop(controller);
}

/* --- amounts: what one user may have the controller keep --- */

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
        step_init(s);
        s->id = i;
        s->name = xasprintf("s%d", i);
        s->n_tasks = i ? second : 1;
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->argv = strv_split("true", " ");
    }
    return submit(c, &m);
}

/* A step's tasks are records from the moment that it may begin, and stay until the job leaves: a few
 * hundred submissions would have filled any memory, again after each restart. */
static void step_jobs_have_so_many_tasks_and_no_more(void **unused)
{
    (void)unused;
    start();
    struct client *c = cluster_connect();
    struct answer a = submit_tasks(c, 0, 100000);
    expect(&a, REFUSAL_TOO_BIG, "100000 tasks");
    for (int i = 1; i < 20; i++) { /* there are some more of the tests before */
        a = submit_tasks(c, i, 99999);
        expect(&a, REFUSAL_NONE, "");
    }
    a = submit_tasks(c, 20, 99999);
    expect(&a, REFUSAL_POLICY, "the queue is full");
    client_free(c);
    restart();
    c = cluster_connect();
    a = submit_tasks(c, 21, 99999);
    expect(&a, REFUSAL_POLICY, "the queue is full");
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
    bool answered = false;
    struct store_callbacks cb = {.on_commit = on_commit, .on_payload = on_payload, .ctx = &answered};
    struct errtext err = {""};
    struct store *store;
    struct grown g = {0};
    char *dir = xasprintf("%s/state", getenv("STOKER_HOME"));
    if (store_open(dir, &cb, &store, &err) < 0 || store_load(store, keep_submission, &g, &err) < 0)
        fail_msg("%s", err.s);
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
    free(dir);
    return id;
}

/* Each step stays in its job's record: a script that calls srun for ever must not fill the memory. */
static void a_job_has_so_many_steps_and_no_more(void **unused)
{
    (void)unused;
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "steps");
    m.hold = true;
    struct answer a = submit(c, &m);
    expect(&a, REFUSAL_NONE, "");
    client_free(c);
    cluster_kill(controller);
    uint32_t job = add_job_with_steps(39999);
    start();
    c = cluster_connect();
    a = act(c, ACT_RELEASE, job);
    expect(&a, REFUSAL_NONE, "");
    await(c, job, 0, JOB_RUNNING);
    struct msg_step_create last = step_create(job, "true"), beyond = step_create(job, "true");
    a = create(c, &last);
    expect(&a, REFUSAL_NONE, "");
    assert_int_equal(a.step, 39999);
    a = create(c, &beyond);
    expect(&a, REFUSAL_POLICY, "40000 steps");
    client_free(c);
    cluster_stop(controller);
}

static void an_end_is_one_that_programs_have(void **unused)
{
    (void)unused;
    static const struct msg_complete bad[] = {
        {.code = -1}, {.code = 256}, {.signal = -1}, {.signal = 65}, {.signal = INT32_MAX}};
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_INTERACTIVE, "ends");
    m.detached = true;
    uint32_t job = submit(c, &m).job;
    await(c, job, 0, JOB_RUNNING);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct msg_complete end = bad[i];
        end.job = job;
        struct answer a = ask(c, MSG_COMPLETE, &end);
        expect(&a, REFUSAL_BAD_REQUEST, "no program ends");
    }
    struct answer a = ask(c, MSG_COMPLETE, &(struct msg_complete){.job = job, .code = 255, .signal = 64});
    expect(&a, REFUSAL_NONE, "");
    client_free(c);
    cluster_stop(controller);
}

/* Each is some megabytes to decode: they are not all answered at one go. */
static void few_scripts_are_asked_for_at_a_time(void **unused)
{
    (void)unused;
    enum { ASKED = 60 };
    start();
    struct client *c = cluster_connect();
    struct errtext err = {""};
    struct msg_submit m = submission(JOB_KIND_BATCH, "script");
    m.hold = true;
    uint32_t job = submit(c, &m).job;
    client_free(c);
    restart(); /* it has to be read from the disk */
    c = cluster_connect();
    assert_int_equal(kill(controller, SIGSTOP), 0);
    struct msg_job which = {.target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    for (int i = 0; i < ASKED; i++) {
        uint64_t tag;
        if (client_send(c, MSG_SCRIPT, &which, &tag, &err) < 0)
            fail_msg("cannot send: %s", err.s);
    }
    assert_int_equal(kill(controller, SIGCONT), 0);
    int refused = 0, answered = 0;
    struct incoming in;
    while (refused + answered < ASKED && client_next(c, WITHIN_MS, &in, &err) == 1) {
        const struct msg_result *r = in.body;
        if (in.kind == MSG_RESULT)
            assert_int_equal(r->refusal, REFUSAL_RATE);
        refused += in.kind == MSG_RESULT;
        answered += in.kind == MSG_SCRIPT_TEXT;
        msg_free(in.kind, in.body);
    }
    assert_int_equal(refused + answered, ASKED);
    assert_true(refused > 0 && answered > 0);
    client_free(c);
    cluster_stop(controller);
}

/* The history is asked about each job that a dependency names. */
static void a_dependency_has_bounds_when_it_is_changed_too(void **unused)
{
    (void)unused;
    enum { NAMES = 400000 };
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "depends");
    m.hold = true;
    uint32_t job = submit(c, &m).job;
    struct str change = STR_INIT;
    str_append(&change, "Dependency=afterany");
    for (int i = 0; i < NAMES; i++)
        str_appendf(&change, ":1_%d", i);
    uint64_t before = controller_rss_kib(c);
    struct answer a = update(c, job, change.s);
    expect(&a, REFUSAL_BAD_REQUEST, "dependency: ");
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
    struct answer a = submit(c[0], &m);
    expect(&a, REFUSAL_NONE, "");
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

static void what_a_user_does_not_read_has_bounds_over_all_his_connections(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    start();
    struct client *c = cluster_connect();
    char *run = xasprintf("%s/run", getenv("STOKER_HOME")), byte;
    const char *dirs[] = {getenv("TMPDIR"), getenv("STOKER_HOME"), run};
    for (size_t i = 0; i < 3; i++)
        let_all_see(dirs[i]);
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
    for (int i = 0; i < 20; i++) /* what he asked for has been taken up by then: in turn with these */
        assert_in_range(controller_rss_kib(c), 1, before + KIB_MORE(400 << 10));
    close(go[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ready[0]);
    free(run);
    client_free(c);
    cluster_stop(controller);
}

/* --- a configuration that changes while questions are asked --- */

#define MANY_ACCOUNTS 20000 /* so that shares are not made anew for each question */
#define MANY_PARTS    300

static void configure_much(bool more)
{
    cluster_configure(4, 4, 0);
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fprintf(f, "priority = { weight_partition = 1000; };\naccounts = (");
    for (int i = 0; i < MANY_ACCOUNTS; i++)
        fprintf(f, "%s{ name = \"a%d\"; }", i ? ",\n" : "", i);
    fprintf(f, ");\npartitions = ( { name = \"main\"; }");
    for (int i = 0; more && i < MANY_PARTS; i++)
        fprintf(f, ",\n{ name = \"p%d\"; priority_job_factor = %d; }", i, i + 1);
    fprintf(f, ");\n");
    assert_int_equal(fclose(f), 0);
    free(path);
}

static uint32_t partition_points(struct client *c, uint32_t job)
{
    struct errtext err = {""};
    struct msg_prio m = {.after = job - 1};
    enum msg_kind kind;
    void *got = NULL;
    if (client_call(c, MSG_PRIO, &m, &kind, &got, &err) < 0)
        fail_msg("no answer: %s", err.s);
    assert_int_equal(kind, MSG_PRIO_ROWS);
    const struct msg_prio_rows *rows = got;
    assert_int_equal(rows->rows.n, 1);
    uint32_t points = rows->rows.v[0].parts.partition_points;
    msg_free(kind, got);
    return points;
}

/* What priorities are made of is kept for a while, with tables as long as those of the configuration. */
static void priorities_follow_the_configuration_at_once(void **unused)
{
    (void)unused;
    configure_much(false);
    start();
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "holds");
    m.req.exclusive = true;
    uint32_t job = submit(c, &m).job;
    await(c, job, 0, JOB_RUNNING);
    configure_much(true);
    m = submission(JOB_KIND_BATCH, "first");
    uint32_t first = submit(c, &m).job;
    assert_int_equal(partition_points(c, first), 1000);
    struct answer a = ask(c, MSG_RELOAD, NULL);
    expect(&a, REFUSAL_NONE, "");
    m = submission(JOB_KIND_BATCH, "last");
    m.req.partition = xasprintf("p%d", MANY_PARTS - 1);
    uint32_t last = submit(c, &m).job;
    assert_int_equal(partition_points(c, last), 1000);
    client_free(c);
    cluster_stop(controller);
    cluster_configure(4, 4, 0);
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
        cmocka_unit_test(what_one_request_may_ask_for_is_bounded),
        cmocka_unit_test(windows_and_notes_are_checked),
        cmocka_unit_test(a_client_that_speaks_as_a_node_is_cut_off),
        cmocka_unit_test(times_beyond_all_measure_are_no_times),
        cmocka_unit_test(step_jobs_have_so_many_tasks_and_no_more),
        cmocka_unit_test(a_job_has_so_many_steps_and_no_more),
        cmocka_unit_test(an_end_is_one_that_programs_have),
        cmocka_unit_test(few_scripts_are_asked_for_at_a_time),
        cmocka_unit_test(a_dependency_has_bounds_when_it_is_changed_too),
        cmocka_unit_test(what_a_user_does_not_read_has_bounds_over_all_his_connections),
        cmocka_unit_test(priorities_follow_the_configuration_at_once),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
