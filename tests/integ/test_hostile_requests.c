/* test_hostile_requests.c - what no command of ours sends: the controller refuses it. */
#include <errno.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

static pid_t controller;

/* --- what a step's creation and an update may hold is what a submission may hold --- */

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
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "checked");
    uint32_t job = ask_submit(c, &m).job;
    await_state(c, job, 0, JOB_RUNNING);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct msg_step_create s = step_create(job, "true");
        steps[i].spoil(&s);
        struct answer a = ask_create(c, &s);
        expect_answer(&a, steps[i].refusal, steps[i].part);
    }
    m = submission(JOB_KIND_BATCH, "waits");
    m.hold = true;
    uint32_t waits = ask_submit(c, &m).job;
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        struct answer a = ask_update(c, waits, updates[i].change);
        expect_answer(&a, REFUSAL_BAD_REQUEST, updates[i].part);
    }
    struct answer fine = ask_update(c, waits, "Comment=well");
    expect_answer(&fine, REFUSAL_NONE, "");
    for (int i = 0; i < 4;
         i++) { /* numbers that stand for words: a command that shows the job looks them up */
        m = submission(JOB_KIND_BATCH, "numbers");
        m.hold = true;
        req_rare_mut(&m.req)->lost_node = i == 0 ? 77 : 0;
        req_detail_mut(&m.req)->requeue = i == 1 ? 3 : 0;
        req_rare_mut(&m.req)->signal = i == 2 ? -1 : i == 3 ? 65 : 0;
        struct answer a = ask_submit(c, &m);
        expect_answer(&a, REFUSAL_BAD_REQUEST, "malformed");
    }
    m = submission(JOB_KIND_BATCH, "host");
    m.host = xstrdup("a\033b");
    struct answer host = ask_submit(c, &m);
    expect_answer(&host, REFUSAL_BAD_REQUEST, "submitting host");
    client_free(c);
    cluster_stop(controller);
}

/* Held at its submission it was not looked at: at its release it is. */
static void a_release_is_an_admission(void **unused)
{
    (void)unused;
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "never");
    m.hold = true;
    m.req.ntasks = 1000;
    struct answer a = ask_submit(c, &m);
    expect_answer(&a, REFUSAL_NONE, "");
    struct answer b = ask_act(c, ACT_RELEASE, a.job);
    expect_answer(&b, REFUSAL_NEVER_FITS, "cannot give 1000 CPUs");
    struct answer less = ask_update(c, a.job, "NumTasks=1");
    expect_answer(&less, REFUSAL_NONE, "");
    struct answer d = ask_act(c, ACT_RELEASE, a.job);
    expect_answer(&d, REFUSAL_NONE, "");
    await_state(c, a.job, 0, JOB_RUNNING);
    client_free(c);
    cluster_stop(controller);
}

static void an_end_is_one_that_programs_have(void **unused)
{
    (void)unused;
    static const struct msg_complete bad[] = {
        {.code = -1}, {.code = 256}, {.signal = -1}, {.signal = 65}, {.signal = INT32_MAX}};
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_INTERACTIVE, "ends");
    m.detached = true;
    uint32_t job = ask_submit(c, &m).job;
    await_state(c, job, 0, JOB_RUNNING);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct msg_complete end = bad[i];
        end.job = job;
        struct answer a = ask(c, MSG_COMPLETE, &end);
        expect_answer(&a, REFUSAL_BAD_REQUEST, "no program ends");
    }
    struct answer a = ask(c, MSG_COMPLETE, &(struct msg_complete){.job = job, .code = 255, .signal = 64});
    expect_answer(&a, REFUSAL_NONE, "");
    client_free(c);
    cluster_stop(controller);
}

/* --- windows and notes --- */

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

static struct answer end_node_task(struct client *c, const char *node, uint32_t job)
{
    struct msg_node_task_end m = {
        .node = xstrdup(node),
        .target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL},
        .task = NOT_GIVEN,
    };
    return ask_and_fini(c, MSG_NODE_TASK_END, &msg_node_task_end_rec, &m);
}

/* --- a user without administrator rights --- */

static _Noreturn void as_nobody(uint32_t job)
{
    if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
        fail_msg("cannot become nobody: %s", strerror(errno));
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "forced");
    m.force = true;
    m.req.ntasks = 1000;
    struct answer a = ask_submit(c, &m);
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    static const enum act acts[] = {ACT_HOLD, ACT_RELEASE, ACT_REQUEUE_HOLD, ACT_RELEASE};
    for (size_t i = 0; job && i < sizeof acts / sizeof *acts; i++) {
        struct answer b = ask_act(c, acts[i], job);
        expect_answer(&b, REFUSAL_NOT_ALLOWED, "held by an administrator");
    }
    struct msg_window_set w = window_set("mine", "n1", 60, 120);
    a = set_window(c, &w);
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    w = window_set("mine", NULL, 60, 120);
    w.remove = true;
    a = set_window(c, &w);
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    a = note(c, "n1", "hello");
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    a = end_node_task(c, "n1", job);
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    m = submission(JOB_KIND_BATCH, "nice");
    req_detail_mut(&m.req)->nice = -1;
    a = ask_submit(c, &m);
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    m = submission(JOB_KIND_BATCH, "priority");
    req_detail_mut(&m.req)->has_priority = true;
    a = ask_submit(c, &m);
    expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    static const char *const changes[] = {"Priority=1", "Nice=-5", "JobName=x"};
    for (size_t i = 0; job && i < sizeof changes / sizeof *changes; i++) {
        a = ask_update(c, job, changes[i]);
        uint32_t want = i == 0 ? REFUSAL_NOT_ALLOWED : i == 1 ? REFUSAL_BAD_REQUEST : REFUSAL_NONE;
        expect_answer(&a, want, "");
    }
    static const enum act stops[] = {ACT_SUSPEND, ACT_RESUME};
    for (size_t i = 0; job && i < sizeof stops / sizeof *stops; i++) {
        a = ask_act(c, stops[i], job);
        expect_answer(&a, REFUSAL_NOT_ALLOWED, "only administrators");
    }
    if (!job) {
        m = submission(JOB_KIND_BATCH, "theirs");
        m.hold = true;
        struct answer theirs = ask_submit(c, &m);
        expect_answer(&theirs, REFUSAL_NONE, "");
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

static void an_owner_has_no_power_over_an_administrators_hold(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    let_all_reach_the_controller();
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
    expect_answer(&a, REFUSAL_NONE, "");
    run_as_nobody(job);
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
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_act acts = {.act = ACT_CANCEL};
    push_targets(&acts, NULL, NULL, 100001);
    struct answer a = ask_and_fini(c, MSG_ACT, &msg_act_rec, &acts);
    expect_answer(&a, REFUSAL_TOO_BIG, "more than");
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
        expect_answer(&a, REFUSAL_TOO_BIG, "more than");
        a = ask_and_fini(c, MSG_HISTORY, &msg_history_rec, &history);
        expect_answer(&a, REFUSAL_TOO_BIG, "more than");
        a = ask_and_fini(c, MSG_SHARES, &msg_shares_rec, &shares);
        expect_answer(&a, REFUSAL_TOO_BIG, "more than");
        a = ask_and_fini(c, MSG_PLAN, &msg_plan_get_rec, &plan);
        expect_answer(&a, REFUSAL_TOO_BIG, "more than");
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
        const char *part, *user;
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
        {"whose", "n1", 60, 120, .kind = 1, .refusal = REFUSAL_BAD_REQUEST, .part = "that may use it"},
        {"who", "n1", 60, 120, .kind = 1, .user = "nosuchuser", .refusal = REFUSAL_NO_USER,
         .part = "there is no user nosuchuser"},
        {"gone", "n1", 60, 120, .update = true, .refusal = REFUSAL_NO_WINDOW, .part = "gone"},
        {"gone", NULL, 60, 120, .remove = true, .refusal = REFUSAL_NO_WINDOW, .part = "gone"},
        {"fine", "all", 60, 120, .refusal = REFUSAL_NONE, .part = "fine"},
        {"fine", "n1", 60, 120, .refusal = REFUSAL_BAD_REQUEST, .part = "there already"},
        {"fine", "n1", 60, 120, .update = true, .user = "nosuchuser", .refusal = REFUSAL_NO_USER,
         .part = "nosuchuser"},
        {"fine", "n1", 60, 120, .update = true, .user = "nobody", .refusal = REFUSAL_NONE, .part = "fine"},
        {"fine", NULL, 0, 0, .remove = true, .refusal = REFUSAL_NONE, .part = "fine"},
    };
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct msg_window_set m = window_set(rows[i].name, rows[i].nodes, rows[i].from_s, rows[i].to_s);
        m.remove = rows[i].remove;
        m.update = rows[i].update;
        m.window.kind = rows[i].kind;
        if (rows[i].user)
            strv_push(&m.window.users, rows[i].user);
        struct answer a = set_window(c, &m);
        expect_answer(&a, rows[i].refusal, rows[i].part);
    }
    struct answer a = note(c, "n1", "a\nb");
    expect_answer(&a, REFUSAL_BAD_REQUEST, "one line");
    a = note(c, "n9", "text");
    expect_answer(&a, REFUSAL_NO_NODE, "n9");
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
    controller = cluster_spawn(NULL);
    must_be_cut_off(MSG_TUNNEL_OPEN, &(struct msg_tunnel_open){.id = 1});
    struct msg_tunnel_data data = {.id = 1, .data = {.p = xcalloc(1, 8), .n = 8}};
    must_be_cut_off(MSG_TUNNEL_DATA, &data);
    rec_fini(&msg_tunnel_data_rec, &data);
    must_be_cut_off(MSG_TUNNEL_TAKEN, &(struct msg_tunnel_taken){.id = 1, .n = UINT32_MAX});
    must_be_cut_off(MSG_TUNNEL_END, &(struct msg_tunnel_taken){.id = 1});
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
    controller = cluster_spawn(NULL);
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
        *(i % 2 ? &req_rare_mut(&m.req)->deadline : &req_detail_mut(&m.req)->begin) =
            (struct wall){.ms = far[i / 2]};
        struct answer a = ask_submit(c, &m);
        if (a.refusal == REFUSAL_NONE) {
            struct answer gone = ask_act(c, ACT_CANCEL, a.job);
            assert_true(gone.refusal == REFUSAL_NONE || gone.refusal == REFUSAL_ENDED);
        }
    }
    struct msg_window_set w = window_set("far", "n1", 60, 120);
    w.window.end.ms = INT64_C(1) << 53;
    struct answer a = set_window(c, &w);
    expect_answer(&a, REFUSAL_NONE, "far");
    struct msg_plan_get plan = {0};
    a = ask(c, MSG_PLAN, &plan);
    assert_int_equal(a.kind, MSG_PLAN_DATA);
    w = window_set("far", NULL, 60, 120);
    w.remove = true;
    a = set_window(c, &w);
    expect_answer(&a, REFUSAL_NONE, "far");
    client_free(c);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_in_is_checked_alike),
        cmocka_unit_test(a_release_is_an_admission),
        cmocka_unit_test(an_end_is_one_that_programs_have),
        cmocka_unit_test(an_owner_has_no_power_over_an_administrators_hold),
        cmocka_unit_test(what_one_request_may_ask_for_is_bounded),
        cmocka_unit_test(windows_and_notes_are_checked),
        cmocka_unit_test(a_client_that_speaks_as_a_node_is_cut_off),
        cmocka_unit_test(times_beyond_all_measure_are_no_times),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
