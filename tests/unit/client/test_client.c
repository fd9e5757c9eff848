/* test_client.c - a client against a controller that follows a script.
 *
 * Started under the name "stokerd" this program is such a controller, so that starting one is tested with
 * the real steps.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/unixsock.h"
#include "src/base/xalloc.h"
#include "src/client/client.h"
#include "src/proto/codec.h"

/* ---- the scripted controller ---- */

enum manner {
    PLAIN,    /* greets, answers, pushes */
    REFUSES,  /* no greeting but a refusal */
    TOO_NEW,  /* a version that is not known yet */
    HANGS_UP, /* closes instead of greeting */
    GARBAGE,  /* bytes that are no message */
    BROKEN,   /* a greeting whose body is wrong */
};

static void send_frame(int fd, enum msg_kind kind, uint64_t tag, const void *body)
{
    struct str out = STR_INIT;
    msg_append(&out, kind, tag, body);
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(fd, out.s + at, out.len - at, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    str_fini(&out);
}

static void greet_back(int fd, uint64_t tag, enum manner manner)
{
    char text[] = "you are too old", release[] = "9.9";
    struct msg_result refused = {.refusal = 1, .text = text};
    struct msg_welcome welcome = {
        .version = manner == TOO_NEW ? 99 : PROTO_VERSION, .uid = getuid(), .release = release};
    if (manner == REFUSES)
        send_frame(fd, MSG_RESULT, tag, &refused);
    else
        send_frame(fd, MSG_WELCOME, tag, &welcome);
}

static void answer_get(int fd, uint64_t tag, const struct msg_get *get)
{
    char name[] = "n1", user[] = "alice", uuid[] = "u-1", local[] = "local", compute[] = "compute";
    struct cluster_spec spec = {0};
    struct node_spec *ns = rec_list_push(&spec.nodes);
    ns->name = xstrdup(name);
    send_frame(fd, MSG_SPEC, tag, &spec);
    rec_fini(&cluster_spec_rec, &spec);

    struct node node = {
        .spec = {.name = name, .transport = local, .role = compute}, .state = NODE_UP, .cpus = 4};
    struct msg_nodes nodes = {.rows = {.v = &node, .n = 1}};
    send_frame(fd, MSG_NODES, tag, &nodes);

    struct job *j = job_new();
    j->id = 7;
    j->user = user;
    struct msg_jobs jobs = {.rows = {.v = j, .n = 1}};
    send_frame(fd, MSG_JOBS, tag, &jobs);
    j->user = NULL;
    job_free(j);

    struct msg_snapshot snapshot = {
        .seq = 10, .epoch = 3, .next_job = 8, .now = {.ms = 5000}, .n_jobs = 1, .uuid = uuid};
    send_frame(fd, MSG_SNAPSHOT, tag, &snapshot);
    if (!get->follow)
        return;

    struct ev_hold hold = {.hold = HOLD_USER, .uid = 1};
    struct event old = {.seq = 10, .t = {.ms = 5000}, .kind = EV_RETIRE, .job = 7};
    struct event ev = {.seq = 11, .t = {.ms = 6000}, .kind = EV_HOLD, .job = 7, .body = &hold};
    struct event *events[] = {&old, &ev};
    for (size_t i = 0; i < 2; i++) {
        struct msg_event msg;
        event_to_msg(events[i], &msg);
        send_frame(fd, MSG_EVENT, tag, &msg);
        rec_fini(&msg_event_rec, &msg);
    }
    struct job_reason rows[] = {{.job = 7, .reason = REASON_RESOURCES},
                                {.job = 99, .reason = REASON_PRIORITY}};
    struct msg_reasons reasons = {.rows = {.v = rows, .n = 2}};
    send_frame(fd, MSG_REASONS, tag, &reasons);
}

/* Returns false to end the connection. */
static bool answer(int fd, const struct frame *f, enum manner manner, bool *ret_end)
{
    void *body = NULL;
    struct errtext err;
    char text[64];
    if (msg_decode(f, &body, &err) < 0)
        return false;
    bool go_on = true;
    struct msg_result result = {.text = text};
    switch ((int)f->type) {
    case MSG_HELLO:
        if (manner == HANGS_UP)
            go_on = false;
        else if (manner == GARBAGE)
            go_on = write(fd, "\xff\xff\xff\xff garbage garbage", 20) == 20;
        else if (manner == BROKEN)
            go_on = write(fd, "\x01\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x05", 17) == 17;
        else
            greet_back(fd, f->tag, manner);
        break;
    case MSG_ACT: { /* two pushes and a ping come before the answer, which counts the pongs so far */
        static uint32_t pongs;
        send_frame(fd, MSG_RESYNC, 1000, NULL);
        send_frame(fd, MSG_PING, 77, NULL);
        struct frame_reader r = {0};
        struct frame pong;
        while (frame_reader_next(&r, &pong) == 0) {
            ssize_t n = recv(fd, frame_reader_space(&r, 4096), 4096, 0);
            if (n <= 0)
                break;
            frame_reader_added(&r, (size_t)n);
        }
        pongs += pong.type == MSG_PONG && pong.tag == 77;
        frame_reader_fini(&r);
        send_frame(fd, MSG_RESYNC, 1001, NULL);
        result.count = pongs;
        snprintf(text, sizeof text, "done");
        send_frame(fd, MSG_RESULT, f->tag, &result);
        break;
    }
    case MSG_GET: answer_get(fd, f->tag, body); break;
    case MSG_DRAIN: /* says how much it got */
        snprintf(text, sizeof text, "%zu names", ((struct msg_drain *)body)->nodes.n);
        send_frame(fd, MSG_RESULT, f->tag, &result);
        break;
    case MSG_STATS: { /* a kind from the future, then an answer */
        struct str out = STR_INIT;
        size_t at = frame_begin(&out);
        frame_end(&out, at, MSG_N_KINDS + 5, 0, 2000);
        go_on = write(fd, out.s, out.len) == (ssize_t)out.len;
        str_fini(&out);
        struct msg_stats stats = {.submits = 5};
        send_frame(fd, MSG_STATS_DATA, f->tag, &stats);
        break;
    }
    case MSG_SHUTDOWN:
        *ret_end = true;
        go_on = false;
        break;
    default: go_on = false;
    }
    msg_free(f->type, body);
    return go_on;
}

static void serve_connection(int fd, enum manner manner, bool *ret_end)
{
    struct frame_reader r = {0};
    for (bool go_on = true; go_on;) {
        ssize_t n = recv(fd, frame_reader_space(&r, 65536), 65536, 0);
        if (n <= 0)
            break;
        frame_reader_added(&r, (size_t)n);
        struct frame f;
        while (go_on && frame_reader_next(&r, &f) == 1)
            go_on = answer(fd, &f, manner, ret_end);
    }
    frame_reader_fini(&r);
}

static int listen_at(const char *path)
{
    int fd = unixsock_listen(path, 0600, 16);
    if (fd < 0)
        fail_msg("listen at %s: %s", path, strerror(-fd));
    return fd;
}

static _Noreturn void serve(int listener, enum manner manner)
{
    alarm(60);
    for (bool end = false; !end;) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(listener, &set);
        if (select(listener + 1, &set, NULL, NULL, NULL) < 0)
            break;
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            continue;
        serve_connection(fd, manner, &end);
        if (end) /* before the connection: whoever sees that one end finds nobody here any more */
            close(listener);
        close(fd);
    }
    _exit(0);
}

/* ---- the test's surroundings ---- */

static char home[] = "/tmp/st-client.XXXXXX";
static pid_t server;

static void make_dir(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void make_dir(const char *format, ...)
{
    char path[2000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(path, sizeof path, format, ap);
    va_end(ap);
    if (mkdir(path, 0700) < 0)
        assert_int_equal(errno, EEXIST);
}

static void put(const char *name, const char *text, mode_t mode)
{
    char *path = xasprintf("%s/%s", home, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

static void start_server(const char *path, enum manner manner)
{
    int fd = listen_at(path);
    server = fork();
    assert_true(server >= 0);
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(fd, manner);
    }
    close(fd);
}

static void stop_server(void)
{
    kill(server, SIGKILL);
    assert_int_equal(waitpid(server, NULL, 0), server);
    server = 0;
}

static char *socket_path(void)
{
    make_dir("%s/run", home);
    return xasprintf("%s/run/controller.sock", home);
}

static struct client *connected(void)
{
    struct client *c = NULL;
    struct errtext err = {""};
    if (client_connect("test", 0, &c, &err) < 0)
        fail_msg("%s", err.s);
    return c;
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(home));
    return setenv("STOKER_HOME", home, 1);
}

static void remove_all(void)
{
    char *command = xasprintf("rm -rf '%s'/*", home);
    assert_int_equal(system(command), 0);
    free(command);
}

static int tear_down(void **state)
{
    (void)state;
    if (server)
        stop_server();
    remove_all();
    return rmdir(home);
}

static int clean(void **state)
{
    (void)state;
    if (server)
        stop_server();
    remove_all();
    return setenv("STOKER_HOME", home, 1);
}

/* ---- connections that fail ---- */

static void test_nobody_there(void **state)
{
    (void)state;
    struct client *c = NULL;
    struct errtext err = {""};
    assert_int_equal(client_connect("test", 0, &c, &err), -ENOENT);
    assert_null(c);
    char *expected = xasprintf(
        "no controller runs here (nobody answers at %s/run/controller.sock); `stoker up` starts one", home);
    assert_string_equal(err.s, expected);
    free(expected);

    char *path = socket_path();
    close(listen_at(path)); /* a socket file without its owner */
    assert_int_equal(client_connect("test", 0, &c, &err), -ECONNREFUSED);
    assert_int_equal(client_connect_wait("test", 30, &c, &err), -ECONNREFUSED);
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
    char *path = socket_path();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start_server(path, cases[i].manner);
        struct client *c = NULL;
        struct errtext err = {""};
        assert_int_equal(client_connect("test", 0, &c, &err), cases[i].code);
        assert_string_equal(err.s, cases[i].text);
        assert_null(c);
        stop_server();
    }
    free(path);
}

static void test_the_controller_goes_away(void **state)
{
    (void)state;
    char *path = socket_path();
    start_server(path, PLAIN);
    struct client *c = connected();
    stop_server();
    struct errtext err = {""};
    struct incoming in;
    assert_int_equal(client_next(c, 5000, &in, &err), -ECONNRESET);
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
    char *deep = xasprintf("%s/%0150d", home, 1);
    make_dir("%s", deep);
    make_dir("%s/run", deep);
    assert_int_equal(setenv("STOKER_HOME", deep, 1), 0);
    char *path = xasprintf("%s/run/controller.sock", deep);
    assert_true(strlen(path) > 108);
    start_server(path, PLAIN);
    struct client *c = connected();
    assert_string_equal(client_paths(c)->socket, path);
    assert_int_equal(client_welcome(c)->uid, getuid());
    client_free(c);
    free(path);
    free(deep);
}

static void test_a_call_keeps_what_is_pushed(void **state)
{
    (void)state;
    char *path = socket_path();
    start_server(path, PLAIN);
    struct client *c = connected();
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

    /* Kept messages that nobody fetches are freed with the connection; the sanitizer sees to it. */
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
    char *path = socket_path();
    start_server(path, PLAIN);
    struct client *c = connected();
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
    char *path = socket_path();
    start_server(path, PLAIN);
    struct client *c = connected();
    client_set_nonblocking(c);
    struct errtext err = {""};
    struct incoming in;
    assert_int_equal(client_next(c, -1, &in, &err), 0);

    /* More than the socket's buffer takes: the server is stopped meanwhile. */
    kill(server, SIGSTOP);
    struct msg_drain drain = {.drain = true};
    for (int i = 0; i < 50000; i++)
        strv_push(&drain.nodes, "a-node-with-quite-a-long-name");
    uint64_t tag = 0;
    assert_int_equal(client_send(c, MSG_DRAIN, &drain, &tag, &err), 0);
    rec_fini(&msg_drain_rec, &drain);
    assert_true(client_wants_write(c));
    kill(server, SIGCONT);
    int got = 0;
    for (time_t end = time(NULL) + 20; got == 0 && time(NULL) < end;) {
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
    char *path = socket_path();
    start_server(path, PLAIN);
    struct client *c = connected();
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
        assert_int_equal(client_next(c, 10000, &in, &err), 1);
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
    struct texts *texts = texts_new();
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
            model_share_texts(&m, texts);
        codec_encode(&msg_jobs_rec, &rows, &body);
        assert_int_equal(mirror_feed_rows(&m, body.s, body.len, &err), 1);
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
        codec_encode(&msg_jobs_rec, &rows, &body);
        assert_int_equal(mirror_feed_rows(&m, body.s, body.len, &err), -EBADMSG);
        assert_null(model_get_job(&m, 7));
        assert_int_equal(model_get_job(&m, 1)->state, JOB_RUNNING); /* it stood in front */
        str_fini(&body);
        model_fini(&m);
    }
    assert_int_equal(texts_count(texts), 0);
    texts_unref(texts);
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

/* ---- starting one ---- */

static int connect_with(unsigned flags, struct errtext *err)
{
    struct client *c = NULL;
    int r = client_connect("test", flags, &c, err);
    if (r == 0) {
        uint64_t tag;
        struct msg_flag flag = {.on = false};
        assert_int_equal(client_send(c, MSG_SHUTDOWN, &flag, &tag, err), 0);
        struct incoming in;
        assert_int_equal(client_next(c, 10000, &in, err), -ECONNRESET);
        client_free(c);
    }
    return r;
}

static void use_path(void)
{
    char *path = xasprintf("%s/bin:/usr/bin:/bin", home);
    setenv("PATH", path, 1);
    free(path);
}

static void test_a_controller_that_does_not_start(void **state)
{
    (void)state;
    make_dir("%s/bin", home);
    put("bin/stokerd", "#!/bin/sh\necho 'first line'\necho 'stoker.cfg:3: syntax error' >&2\nexit 1\n",
        0755);
    use_path();
    struct errtext err = {""};
    char *expected = xasprintf(
        "the controller could not be started: stoker.cfg:3: syntax error (see %s/log/stokerd.out)", home);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(connect_with(CLIENT_START, &err), -ECONNREFUSED);
        assert_string_equal(err.s, expected);
    }
    free(expected);

    put("bin/stokerd", "#!/bin/sh\nkill -9 $$\n", 0755); /* what an earlier start wrote is not told again */
    expected = xasprintf("the controller could not be started (see %s/log/stokerd.out)", home);
    assert_int_equal(connect_with(CLIENT_UP, &err), -ECONNREFUSED);
    assert_string_equal(err.s, expected);
    free(expected);
}

static void test_a_controller_is_started(void **state)
{
    (void)state;
    make_dir("%s/bin", home);
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    char *link = xasprintf("%s/bin/stokerd", home);
    assert_int_equal(symlink(self, link), 0);
    use_path();
    struct errtext err = {""};
    if (connect_with(CLIENT_START, &err) < 0)
        fail_msg("%s", err.s);

    /* Where a configuration is, only `stoker up` starts one. */
    put("stoker.cfg", "", 0600);
    assert_int_equal(connect_with(CLIENT_START, &err), -ECONNREFUSED);
    assert_non_null(strstr(err.s, "`stoker up` starts one"));
    if (connect_with(CLIENT_UP, &err) < 0)
        fail_msg("%s", err.s);
    free(link);
}

static void test_ten_at_once_start_one(void **state)
{
    (void)state;
    make_dir("%s/bin", home);
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    char *script = xasprintf("#!/bin/sh\necho started >>%s/starts\nexec -a stokerd %s\n", home, self);
    char *bash = xasprintf("#!/bin/bash%s", script + strlen("#!/bin/sh"));
    put("bin/stokerd", bash, 0755);
    free(bash);
    free(script);
    use_path();
    pid_t pids[10];
    for (size_t i = 0; i < 10; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            struct client *c = NULL;
            struct errtext err = {""};
            _exit(client_connect("test", CLIENT_START, &c, &err) == 0 ? 0 : 1);
        }
    }
    int failed = 0;
    for (size_t i = 0; i < 10; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
    struct errtext err = {""};
    assert_int_equal(connect_with(0, &err), 0); /* ends it */
    char *path = xasprintf("%s/starts", home);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char line[64];
    int lines = 0;
    while (fgets(line, sizeof line, f))
        lines++;
    fclose(f);
    assert_int_equal(lines, 1);
    free(path);
}

/* ---- paths ---- */

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *stoker_home, *config_home, *state_home, *runtime, *socket;
        const char *config, *state, *run, *log, *sock;
    } cases[] = {
        {"/h/", NULL, NULL, NULL, NULL, "/h/stoker.cfg", "/h/state", "/h/run", "/h/log",
         "/h/run/controller.sock"},
        {"/h", "/c", "/s", "/r", "/x/y.sock", "/h/stoker.cfg", "/h/state", "/h/run", "/h/log", "/x/y.sock"},
        {NULL, "/c", "/s", "/r", NULL, "/c/stoker/stoker.cfg", "/s/stoker", "/r/stoker", "/s/stoker/log",
         "/r/stoker/controller.sock"},
        {"", NULL, NULL, "/r", NULL, "/home/u/.config/stoker/stoker.cfg", "/home/u/.local/state/stoker",
         "/r/stoker", "/home/u/.local/state/stoker/log", "/r/stoker/controller.sock"},
        {NULL, "relative", "relative", "/r", NULL, "/home/u/.config/stoker/stoker.cfg",
         "/home/u/.local/state/stoker", "/r/stoker", "/home/u/.local/state/stoker/log",
         "/r/stoker/controller.sock"},
    };
    bool shared =
        access("/etc/stoker/stoker.cfg", F_OK) == 0 || access("/run/stoker/controller.sock", F_OK) == 0;
    setenv("HOME", "/home/u", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct {
            const char *name, *value;
        } env[] = {{"STOKER_HOME", cases[i].stoker_home},
                   {"XDG_CONFIG_HOME", cases[i].config_home},
                   {"XDG_STATE_HOME", cases[i].state_home},
                   {"XDG_RUNTIME_DIR", cases[i].runtime},
                   {"STOKER_SOCKET", cases[i].socket}};
        for (size_t k = 0; k < 5; k++)
            if (env[k].value)
                setenv(env[k].name, env[k].value, 1);
            else
                unsetenv(env[k].name);
        if (shared && !(cases[i].stoker_home && *cases[i].stoker_home))
            continue; /* this machine has a shared controller: that one is found */
        struct paths p;
        paths_find(&p);
        assert_string_equal(p.config, cases[i].config);
        assert_string_equal(p.state, cases[i].state);
        assert_string_equal(p.run, cases[i].run);
        assert_string_equal(p.log, cases[i].log);
        assert_string_equal(p.socket, cases[i].sock);
        assert_false(p.shared);
        paths_fini(&p);
    }
    unsetenv("STOKER_SOCKET");
}

/* The controller that a client has started finds its place as the real one does. */
static int run_as_stokerd(void)
{
    struct paths p;
    paths_find(&p);
    int fd = unixsock_listen(p.socket, 0600, 16);
    paths_fini(&p);
    if (fd < 0)
        return 1;
    serve(fd, PLAIN);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    if (argc == 1 && strcmp(slash ? slash + 1 : argv[0], "stokerd") == 0)
        return run_as_stokerd();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_nobody_there, clean),
        cmocka_unit_test_teardown(test_greetings_that_fail, clean),
        cmocka_unit_test_teardown(test_the_controller_goes_away, clean),
        cmocka_unit_test_teardown(test_long_paths, clean),
        cmocka_unit_test_teardown(test_a_call_keeps_what_is_pushed, clean),
        cmocka_unit_test_teardown(test_unknown_kinds_are_skipped, clean),
        cmocka_unit_test_teardown(test_a_nonblocking_client_queues, clean),
        cmocka_unit_test_teardown(test_fetch_and_follow, clean),
        cmocka_unit_test_teardown(test_rows_that_are_none, clean),
        cmocka_unit_test(test_rows_as_they_came),
        cmocka_unit_test(test_request_ids_differ),
        cmocka_unit_test_teardown(test_a_controller_that_does_not_start, clean),
        cmocka_unit_test_teardown(test_a_controller_is_started, clean),
        cmocka_unit_test_teardown(test_ten_at_once_start_one, clean),
        cmocka_unit_test_teardown(test_paths, clean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
