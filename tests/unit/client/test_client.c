/* test_client.c - a client against a controller that follows a script: connections, answers, pushes. */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/check.h"
#include "tests/lib/fakectl.h"

/* ---- connections that fail ---- */

static void test_nobody_there(void **state)
{
    (void)state;
    struct client *c = NULL;
    struct errtext err = {""};
    assert_int_equal(client_connect("test", 0, &c, &err), -ENOENT);
    assert_null(c);
    char *expected = xasprintf(
        "no controller runs here (no answer at %s/run/controller.sock); start it: stoker up", fakectl_home);
    assert_string_equal(err.s, expected);
    free(expected);

    char *path = fakectl_socket_path();
    close(fakectl_listen(path)); /* a socket file without its owner */
    assert_int_equal(client_connect("test", 0, &c, &err), -ECONNREFUSED);
    assert_int_equal(client_connect_wait("test", 0, 30, &c, &err), -ECONNREFUSED);
    assert_null(c);
    free(path);
}

static void test_greetings_that_fail(void **state)
{
    (void)state;
    static const struct {
        enum manner manner;
        int code;
        const char *text;
    } cases[] = {
        {REFUSES, -EPROTO, "the controller refuses the connection: you are too old"},
        {TOO_NEW, -EPROTO,
         "the controller (release 9.9) speaks version 99 of the protocol, test speaks 1 to 1"},
        {HANGS_UP, -ECONNRESET, "the controller has closed the connection"},
        {GARBAGE, -EBADMSG, "the controller announces a message that is too long"},
        {BROKEN, -EBADMSG, "msg_welcome: not a record"},
    };
    char *path = fakectl_socket_path();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fakectl_start(path, cases[i].manner);
        struct client *c = NULL;
        struct errtext err = {""};
        assert_int_equal(client_connect("test", 0, &c, &err), cases[i].code);
        assert_string_equal(err.s, cases[i].text);
        assert_null(c);
        fakectl_stop();
    }
    free(path);
}

static void test_the_controller_goes_away(void **state)
{
    (void)state;
    char *path = fakectl_socket_path();
    fakectl_start(path, PLAIN);
    struct client *c = fakectl_connect();
    fakectl_stop();
    struct errtext err = {""};
    struct incoming in;
    assert_int_equal(client_next(c, 60000, &in, &err), -ECONNRESET);
    enum msg_kind kind;
    void *body;
    assert_int_equal(client_call(c, MSG_STATS, NULL, &kind, &body, &err), -ECONNRESET);
    client_free(c);
    free(path);
}

/* ---- connections that work ---- */

static void test_long_paths(void **state)
{
    (void)state;
    char *deep = xasprintf("%s/%0150d", fakectl_home, 1);
    fakectl_make_dir("%s", deep);
    fakectl_make_dir("%s/run", deep);
    assert_int_equal(setenv("STOKER_HOME", deep, 1), 0);
    char *path = xasprintf("%s/run/controller.sock", deep);
    assert_true(strlen(path) > 108);
    fakectl_start(path, PLAIN);
    struct client *c = fakectl_connect();
    assert_string_equal(client_paths(c)->socket, path);
    assert_int_equal(client_welcome(c)->uid, getuid());
    client_free(c);
    free(path);
    free(deep);
}

static void test_a_call_keeps_what_is_pushed(void **state)
{
    (void)state;
    char *path = fakectl_socket_path();
    fakectl_start(path, PLAIN);
    struct client *c = fakectl_connect();
    struct errtext err = {""};
    for (int round = 1; round <= 2; round++) {
        struct msg_act act = {.act = ACT_HOLD};
        enum msg_kind kind;
        void *body;
        assert_int_equal(client_call(c, MSG_ACT, &act, &kind, &body, &err), 0);
        assert_int_equal(kind, MSG_RESULT);
        assert_int_equal(((struct msg_result *)body)->count, round); /* each ping was answered */
        msg_free(kind, body);
    }
    static const uint64_t tags[] = {1000, 1001, 1000, 1001};
    struct incoming in;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(client_next(c, 0, &in, &err), 1);
        assert_int_equal(in.kind, MSG_RESYNC);
        assert_int_equal(in.tag, tags[i]);
        msg_free(in.kind, in.body);
    }
    assert_int_equal(client_next(c, 0, &in, &err), 0);

    /* Kept messages that are never fetched are freed with the connection; the sanitizer sees to it. */
    struct msg_act act = {.act = ACT_HOLD};
    enum msg_kind kind;
    void *body;
    assert_int_equal(client_call(c, MSG_ACT, &act, &kind, &body, &err), 0);
    msg_free(kind, body);
    client_free(c);
    free(path);
}

static void test_unknown_kinds_are_skipped(void **state)
{
    (void)state;
    char *path = fakectl_socket_path();
    fakectl_start(path, PLAIN);
    struct client *c = fakectl_connect();
    struct errtext err = {""};
    enum msg_kind kind;
    void *body;
    assert_int_equal(client_call(c, MSG_STATS, NULL, &kind, &body, &err), 0);
    assert_int_equal(kind, MSG_STATS_DATA);
    assert_int_equal(((struct msg_stats *)body)->submits, 5);
    msg_free(kind, body);
    client_free(c);
    free(path);
}

static void test_a_nonblocking_client_queues(void **state)
{
    (void)state;
    char *path = fakectl_socket_path();
    fakectl_start(path, PLAIN);
    struct client *c = fakectl_connect();
    client_set_nonblocking(c);
    struct errtext err = {""};
    struct incoming in;
    assert_int_equal(client_next(c, -1, &in, &err), 0);

    /* More than the socket's buffer takes: the server is stopped meanwhile. */
    kill(fakectl_pid, SIGSTOP);
    struct msg_drain drain = {.drain = true};
    for (int i = 0; i < 50000; i++)
        strv_push(&drain.nodes, "a-node-with-quite-a-long-name");
    uint64_t tag = 0;
    assert_int_equal(client_send(c, MSG_DRAIN, &drain, &tag, &err), 0);
    rec_fini(&msg_drain_rec, &drain);
    assert_true(client_wants_write(c));
    kill(fakectl_pid, SIGCONT);
    int got = 0;
    for (time_t end = time(NULL) + 60; got == 0 && time(NULL) < end;) {
        fd_set in_set, out_set;
        FD_ZERO(&in_set);
        FD_ZERO(&out_set);
        FD_SET(client_fd(c), &in_set);
        if (client_wants_write(c))
            FD_SET(client_fd(c), &out_set);
        struct timeval wait = {.tv_sec = 1};
        select(client_fd(c) + 1, &in_set, &out_set, NULL, &wait);
        assert_int_equal(client_flush(c, &err), 0);
        got = client_next(c, 0, &in, &err);
    }
    assert_int_equal(got, 1);
    assert_int_equal(in.kind, MSG_RESULT);
    assert_int_equal(in.tag, tag);
    assert_string_equal(((struct msg_result *)in.body)->text, "50000 names");
    assert_false(client_wants_write(c));
    msg_free(in.kind, in.body);
    client_free(c);
    free(path);
}

static void test_fetch_and_follow(void **state)
{
    (void)state;
    char *path = fakectl_socket_path();
    fakectl_start(path, PLAIN);
    struct client *c = fakectl_connect();
    struct errtext err = {""};
    struct model m;
    model_init(&m);
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS};
    assert_int_equal(client_fetch(c, &get, &m, &err), 0);
    assert_int_equal(m.seq, 10);
    assert_int_equal(m.epoch, 3);
    assert_int_equal(m.next_job, 8);
    assert_int_equal(m.now.ms, 5000);
    assert_string_equal(m.uuid, "u-1");
    assert_int_equal(m.n_nodes, 1);
    assert_string_equal(m.nodes[0]->spec.name, "n1");
    assert_int_equal(m.n_pending, 1);
    const struct job *j = model_get_job(&m, 7);
    assert_non_null(j);
    assert_string_equal(j->user, "alice");
    if (model_check(&m, &err) < 0)
        fail_msg("%s", err.s);

    get.follow = true;
    uint64_t tag;
    assert_int_equal(client_send(c, MSG_GET, &get, &tag, &err), 0);
    bool reasons_seen = false;
    while (!reasons_seen) {
        struct incoming in;
        assert_int_equal(client_next(c, 60000, &in, &err), 1);
        int r = mirror_feed(&m, &in, &err);
        if (r < 0)
            fail_msg("%s", err.s);
        reasons_seen = in.kind == MSG_REASONS;
        assert_int_equal(r, in.kind == MSG_EVENT && m.seq == 10 ? 0 : 1); /* event 10 is in the snapshot */
        msg_free(in.kind, in.body);
    }
    j = model_get_job(&m, 7); /* not retired */
    assert_non_null(j);
    assert_int_equal(m.seq, 11);
    assert_int_equal(j->hold, HOLD_USER);
    assert_int_equal(j->reason, REASON_RESOURCES);
    assert_int_equal(m.n_pending, 1);
    model_fini(&m);
    client_free(c);
    free(path);
}

static void test_rows_that_are_none(void **state)
{
    (void)state;
    struct model m;
    model_init(&m);
    struct errtext err = {""};
    struct node node = {0};
    struct msg_nodes nodes = {.rows = {.v = &node, .n = 1}};
    struct incoming in = {.kind = MSG_NODES, .body = &nodes};
    assert_int_equal(mirror_feed(&m, &in, &err), -EBADMSG);
    struct job job = {0};
    struct msg_jobs jobs = {.rows = {.v = &job, .n = 1}};
    in = (struct incoming){.kind = MSG_JOBS, .body = &jobs};
    assert_int_equal(mirror_feed(&m, &in, &err), -EBADMSG);
    job = (struct job){.id = 1, .state = JOB_N_STATES};
    assert_int_equal(mirror_feed(&m, &in, &err), -EBADMSG);
    struct msg_event event = {.seq = 1, .kind = EV_N_KINDS};
    in = (struct incoming){.kind = MSG_EVENT, .body = &event};
    assert_true(mirror_feed(&m, &in, &err) < 0);
    struct msg_result result = {0};
    in = (struct incoming){.kind = MSG_RESULT, .body = &result};
    assert_int_equal(mirror_feed(&m, &in, &err), 0);
    model_fini(&m);
}

/* Undecoded, into a mirror that shares its texts and into one that does not; bad ones leave nothing. */
static void test_rows_as_they_came(void **state)
{
    (void)state;
    struct strpool *texts = strpool_new();
    for (int sharing = 0; sharing < 2; sharing++) {
        struct model m;
        struct errtext err = {""};
        struct str body = STR_INIT;
        char user[] = "alice", other[] = "bob";
        struct job jobs[] = {{.id = 1, .user = user, .state = JOB_RUNNING},
                             {.id = 2, .user = user},
                             {.id = 1, .user = other}, /* it has changed meanwhile */
                             {.id = 3, .user = user}};
        struct msg_jobs rows = {.rows = {.v = jobs, .n = sizeof jobs / sizeof jobs[0]}};
        model_init(&m);
        if (sharing)
            model_intern_texts(&m, texts);
        codec_encode(&msg_jobs_rec, &rows, &body);
        assert_int_equal(mirror_feed_rows(&m, body.s, body.len, &err), 0);
        assert_int_equal(m.jobs.n, 3);
        assert_int_equal(m.n_pending, 3);
        assert_string_equal(model_get_job(&m, 1)->user, "bob");
        assert_string_equal(model_get_job(&m, 3)->user, "alice");
        if (sharing)
            assert_ptr_equal(model_get_job(&m, 2)->user, model_get_job(&m, 3)->user);
        for (size_t n = 0; n < body.len; n++) /* cut off */
            assert_int_equal(mirror_feed_rows(&m, body.s, n, &err), -EBADMSG);
        assert_int_equal(m.jobs.n, 3);
        jobs[1] = (struct job){.id = 7, .user = user, .state = JOB_N_STATES};
        str_clear(&body);
        char later[] = "later";
        jobs[3].user = later;
        codec_encode(&msg_jobs_rec, &rows, &body);
        /* One that cannot be read is left out, and those around it are there. */
        assert_int_equal(mirror_feed_rows(&m, body.s, body.len, &err), 1);
        assert_string_equal(err.s, "a row that is not a job: id 7, state 12");
        assert_null(model_get_job(&m, 7));
        assert_string_equal(model_get_job(&m, 3)->user, "later");
        char *text = memmem(body.s, body.len, "alice", 5); /* the user of the first one */
        assert_non_null(text);
        text[1] = '\0'; /* of the second row: its text is invalid now */
        assert_int_equal(mirror_feed_rows(&m, body.s, body.len, &err), 2);
        assert_string_equal(model_get_job(&m, 3)->user, "later");
        str_fini(&body);
        model_fini(&m);
    }
    assert_int_equal(strpool_count(texts), 0);
    strpool_unref(texts);
}

/* What no event of a mirror lets in comes in no row either: the same check is made. */
static void test_unsound_rows(void **state)
{
    (void)state;
    struct task task = {.state = TASK_DONE + 1}, live = {.state = TASK_RUNNING};
    struct step odd = {.tasks = {.v = &task, .n = 1}}, alive = {.tasks = {.v = &live, .n = 1}};
    struct index_range back = {.first = 3, .last = 1, .step = 1}, ok = {.first = 1, .last = 3, .step = 1};
    const struct {
        const char *name;
        struct job job;
        struct job_rare rare;
        int unreadable;
    } cases[] = {
        {"a job", {.id = 1}, {0}, 0},
        {"a reason of a later release", {.id = 1, .reason = REASON_N}, {0}, 0},
        {"elements that wait", {.id = 1, .array_job = 1}, {.array_pending = {&ok, 1}}, 0},
        {"no id", {.id = 0}, {0}, 1},
        {"an id that stands for none", {.id = UINT32_MAX}, {0}, 1},
        {"hold", {.id = 1, .hold = HOLD_ADMIN + 1}, {0}, 1},
        {"fate", {.id = 1, .fate = FATE_REQUEUE_HOLD + 1}, {0}, 1},
        {"cause", {.id = 1, .kill_cause = KILL_N_CAUSES}, {0}, 1},
        {"elements without an array", {.id = 1}, {.array_pending = {&ok, 1}}, 1},
        {"elements backwards", {.id = 1, .array_job = 1}, {.array_pending = {&back, 1}}, 1},
        {"a task", {.id = 1, .state = JOB_RUNNING, .steps = {&odd, 1}}, {0}, 1},
        {"a pending job with a task", {.id = 1, .steps = {&alive, 1}}, {0}, 1},
        {"one that has ended, and holds something",
         {.id = 1, .state = JOB_COMPLETED, .holding = true},
         {0},
         1},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct job row = cases[i].job;
        struct job_rare rare = cases[i].rare;
        struct msg_jobs rows = {.rows = {.v = &row, .n = 1}};
        struct str body = STR_INIT;
        struct errtext err = {""};
        struct model m;
        if (rare.array_pending.n)
            row.rare = &rare;
        model_init(&m);
        codec_encode(&msg_jobs_rec, &rows, &body);
        check_int(cases[i].name, mirror_feed_rows(&m, body.s, body.len, &err), cases[i].unreadable);
        check_int(cases[i].name, (int)m.jobs.n, !cases[i].unreadable);
        str_fini(&body);
        model_fini(&m);
    }
}

static void test_request_ids_differ(void **state)
{
    (void)state;
    char *a = client_request_id(), *b = client_request_id();
    assert_int_equal(strlen(a), 32);
    assert_string_not_equal(a, b);
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_nobody_there, fakectl_clean),
        cmocka_unit_test_teardown(test_greetings_that_fail, fakectl_clean),
        cmocka_unit_test_teardown(test_the_controller_goes_away, fakectl_clean),
        cmocka_unit_test_teardown(test_long_paths, fakectl_clean),
        cmocka_unit_test_teardown(test_a_call_keeps_what_is_pushed, fakectl_clean),
        cmocka_unit_test_teardown(test_unknown_kinds_are_skipped, fakectl_clean),
        cmocka_unit_test_teardown(test_a_nonblocking_client_queues, fakectl_clean),
        cmocka_unit_test_teardown(test_fetch_and_follow, fakectl_clean),
        cmocka_unit_test_teardown(test_rows_that_are_none, fakectl_clean),
        cmocka_unit_test(test_rows_as_they_came),
        cmocka_unit_test(test_unsound_rows),
        cmocka_unit_test(test_request_ids_differ),
    };
    return cmocka_run_group_tests(tests, fakectl_set_up, fakectl_tear_down);
}
