/* test_f39_flood.c - F39: one user sends as many requests as possible; the others have their part of the
 * controller all the same, and their room in it.
 *
 * The controller stands still while all clients write, so that all of it lies there when it goes on. What
 * is served first shows in the numbers of the jobs: nothing is measured by a clock. Two users need root; as
 * an ordinary user one connection of many is looked at.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define FLOOD    50  /* connections */
#define EACH     300 /* submissions that each of them writes */
#define FLOODER  65534
#define USER     1
#define WAIT_MS  60000
#define STOPS_MS 60000

static pid_t controller;

/* A connection whose owner, for the controller, is uid. NULL: it was refused, *err says how. */
static struct client *try_connect(uid_t uid, struct errtext *err)
{
    struct client *c = NULL;
    if (geteuid() == 0 && uid && seteuid(uid) < 0)
        fail_msg("cannot be uid %u", uid);
    int r = client_connect("test", 0, &c, err);
    if (geteuid() == uid && uid && getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    return r < 0 ? NULL : c;
}

static struct client *connect_as(uid_t uid)
{
    struct errtext err = {""};
    struct client *c = try_connect(uid, &err);
    if (!c)
        fail_msg("uid %u cannot connect: %s", uid, err.s);
    return c;
}

static void start(const char *more)
{
    cluster_configure(4, 4, 0);
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fprintf(f, "%s", more);
    assert_int_equal(fclose(f), 0);
    chmod(path, 0644);
    free(path);
    /* Others must get to the socket. */
    if (getuid() == 0 && (chmod(getenv("TMPDIR"), 0755) < 0 || chmod(getenv("STOKER_HOME"), 0755) < 0))
        fail_msg("chmod");
    controller = cluster_spawn(NULL);
    client_free(cluster_connect());
}

static void stop_state(bool stopped)
{
    kill(controller, stopped ? SIGSTOP : SIGCONT);
    for (int64_t end = cluster_now_ms() + STOPS_MS; stopped; poll(NULL, 0, 1)) {
        int status;
        if (waitpid(controller, &status, WUNTRACED | WNOHANG) == controller && WIFSTOPPED(status))
            return;
        assert_true(cluster_now_ms() < end);
    }
}

/* --- many submissions in one write --- */

static void append_submission(struct str *out)
{
    struct msg_submit m = {.kind = JOB_KIND_BATCH, .hold = true};
    job_req_init(&m.req);
    m.request_id = client_request_id();
    m.req.workdir = xstrdup("/tmp");
    m.payload.workdir = xstrdup("/tmp");
    strv_push(&m.payload.argv, "true");
    msg_append(out, MSG_SUBMIT, 7, &m);
    rec_fini(&msg_submit_rec, &m);
}

/* What does not fit into the socket is not a flood that waits there. */
static void write_whole(const struct client *c, const struct str *b)
{
    int fd = client_fd(c), size = 1 << 20;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    assert_int_equal(send(fd, b->s, b->len, MSG_DONTWAIT | MSG_NOSIGNAL), (ssize_t)b->len);
}

static void write_submissions(const struct client *c, int n)
{
    struct str b = STR_INIT;
    for (int i = 0; i < n; i++)
        append_submission(&b);
    write_whole(c, &b);
    str_fini(&b);
}

static struct msg_result *next_result(struct client *c)
{
    struct incoming in;
    struct errtext err = {""};
    if (client_next(c, WAIT_MS, &in, &err) != 1)
        fail_msg("no answer: %s", err.s);
    assert_int_equal(in.kind, MSG_RESULT);
    return in.body;
}

/* The numbers of the first and the last of n jobs that were taken. */
static void read_jobs(struct client *c, int n, uint32_t *ret_first, uint32_t *ret_last)
{
    for (int i = 0; i < n; i++) {
        struct msg_result *r = next_result(c);
        if (r->refusal != REFUSAL_NONE)
            fail_msg("refused: %s", r->text);
        *(i ? ret_last : ret_first) = r->job;
        msg_free(MSG_RESULT, r);
    }
}

struct flood {
    struct client *c[FLOOD];
};

static void flood_connect(struct flood *f, uid_t uid)
{
    for (int i = 0; i < FLOOD; i++)
        f->c[i] = connect_as(uid);
}

static void flood_write(struct flood *f)
{
    for (int i = 0; i < FLOOD; i++)
        write_submissions(f->c[i], EACH);
}

/* All of it was taken: a flood is not refused, it waits. */
static void flood_end(struct flood *f)
{
    uint32_t first, last;
    for (int i = 0; i < FLOOD; i++) {
        read_jobs(f->c[i], EACH, &first, &last);
        client_free(f->c[i]);
    }
}

static void a_flood_of_one_is_half_of_what_is_done_for_two(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip();
    start("");
    struct flood f;
    uint32_t first = 0, last = 0;
    flood_connect(&f, FLOODER);
    struct client *c = connect_as(USER);
    stop_state(true);
    flood_write(&f);
    write_submissions(c, EACH);
    stop_state(false);
    read_jobs(c, EACH, &first, &last);
    /* Of the first 600 jobs half are USER's. Served by connections it would be one of 51. */
    assert_in_range(last, EACH, 8 * EACH);
    flood_end(&f);
    client_free(c);
    cluster_stop(controller);
}

static void one_connection_of_many_waits_for_a_round_alone(void **state)
{
    (void)state;
    start("");
    struct flood f;
    uint32_t first = 0, last = 0;
    flood_connect(&f, getuid());
    struct client *c = connect_as(getuid());
    stop_state(true);
    flood_write(&f);
    write_submissions(c, 1);
    stop_state(false);
    read_jobs(c, 1, &first, &last);
    assert_in_range(first, 1, 3 * FLOOD * 8); /* of 15001 */
    flood_end(&f);
    client_free(c);
    cluster_stop(controller);
}

/* --- room --- */

static struct msg_result *submit_one(struct client *c)
{
    struct str b = STR_INIT;
    append_submission(&b);
    write_whole(c, &b);
    str_fini(&b);
    return next_result(c);
}

static void expect(struct client *c, uint32_t refusal, const char *part)
{
    struct msg_result *r = submit_one(c);
    if (r->refusal != refusal || (part && !strstr(r->text ? r->text : "", part)))
        fail_msg("refusal %u: %s", r->refusal, r->text ? r->text : "");
    msg_free(MSG_RESULT, r);
}

static void cancel(struct client *c, uint32_t job)
{
    struct msg_act m = {.act = ACT_CANCEL};
    struct job_target *t = rec_list_push(&m.targets);
    *t = (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    enum msg_kind kind;
    void *body;
    assert_int_equal(client_call(c, MSG_ACT, &m, &kind, &body, NULL), 0);
    msg_free(kind, body);
    rec_fini(&msg_act_rec, &m);
}

static void one_user_leaves_room_in_the_queue(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip();
    start("max_jobs = 20;\n"); /* nine tenths of it for one */
    struct client *a = connect_as(FLOODER), *b = connect_as(USER), *root = connect_as(0);
    for (int i = 0; i < 18; i++)
        expect(a, REFUSAL_NONE, NULL);
    expect(a, REFUSAL_POLICY, "18 jobs of yours are in the queue");
    expect(b, REFUSAL_NONE, NULL);
    cancel(a, 3);
    expect(a, REFUSAL_NONE, NULL);
    expect(a, REFUSAL_POLICY, "no user may have more than 18 (max_user_jobs)");
    expect(root, REFUSAL_NONE, NULL);
    expect(root, REFUSAL_POLICY, "the queue is full");
    client_free(a);
    client_free(b);
    client_free(root);
    cluster_kill(controller); /* they are counted from what is on disk, too */
    start("max_jobs = 1000;\nmax_user_jobs = 19;\n");
    a = connect_as(FLOODER);
    expect(a, REFUSAL_NONE, NULL);
    expect(a, REFUSAL_POLICY, "19 jobs of yours");
    client_free(a);
    cluster_stop(controller);
}

static struct msg_stats *fetch_stats(struct client *c)
{
    enum msg_kind kind;
    void *body;
    assert_int_equal(client_call(c, MSG_STATS, NULL, &kind, &body, NULL), 0);
    assert_int_equal(kind, MSG_STATS_DATA);
    return body;
}

static const struct user_stats *find_user(const struct msg_stats *m, uint32_t uid)
{
    for (size_t i = 0; i < m->users.n; i++)
        if (m->users.v[i].uid == uid)
            return &m->users.v[i];
    fail_msg("nothing is said of uid %u", uid);
    return NULL;
}

static void one_user_leaves_room_for_connections(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip();
    start("");
    struct client *all[257] = {0};
    struct errtext err = {""};
    size_t n = 0;
    while (n < 257 && (all[n] = try_connect(FLOODER, &err)))
        n++;
    assert_in_range(n, 16, 256);
    if (!strstr(err.s, "connections of yours are open"))
        fail_msg("the user is told: %s", err.s);
    struct client *b = connect_as(USER), *root = connect_as(0);
    expect(b, REFUSAL_NONE, NULL);
    struct msg_stats *m = fetch_stats(root);
    assert_int_equal(find_user(m, FLOODER)->connections, n);
    assert_int_equal(find_user(m, FLOODER)->refused, 1);
    assert_int_equal(m->refused, 1);
    assert_int_equal(find_user(m, USER)->jobs, 1);
    msg_free(MSG_STATS_DATA, m);
    client_free(all[--n]);
    for (int64_t end = cluster_now_ms() + WAIT_MS; !(all[n] = try_connect(FLOODER, &err)); poll(NULL, 0, 5))
        assert_true(cluster_now_ms() < end);
    for (size_t i = 0; i <= n; i++)
        client_free(all[i]);
    client_free(b);
    client_free(root);
    cluster_stop(controller);
}

/* --- a rate --- */

static void who_asks_beyond_his_rate_waits_and_is_answered(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip();
    enum { PINGS = 230 }; /* 200 at once, 20 a second */
    start("user_requests = 20;\n");
    struct client *a = connect_as(FLOODER), *b = connect_as(USER), *root = connect_as(0);
    expect(b, REFUSAL_NONE, NULL);
    struct msg_stats *m = NULL;
    struct str out = STR_INIT;
    for (int i = 0; i < PINGS; i++)
        msg_append(&out, MSG_PING, 100 + (uint64_t)i, NULL);
    /* Again where so much time has passed between two of them that none was beyond the rate. */
    for (int round = 0; round < 20 && !(m && find_user(m, FLOODER)->slowed); round++) {
        msg_free(MSG_STATS_DATA, m);
        write_whole(a, &out);
        write_whole(root, &out); /* an administrator has none */
        for (int i = 0; i < 2 * PINGS; i++) {
            struct incoming in;
            assert_int_equal(client_next(i < PINGS ? root : a, WAIT_MS, &in, NULL), 1);
            assert_int_equal(in.kind, MSG_PONG);
            assert_int_equal(in.tag, 100 + i % PINGS);
            msg_free(in.kind, in.body);
        }
        m = fetch_stats(root);
        assert_true(find_user(m, FLOODER)->requests >= PINGS);
    }
    str_fini(&out);
    assert_true(find_user(m, FLOODER)->slowed > 0);
    assert_int_equal(find_user(m, USER)->slowed, 0);
    assert_int_equal(find_user(m, 0)->slowed, 0);
    msg_free(MSG_STATS_DATA, m);
    client_free(a);
    client_free(b);
    client_free(root);
    cluster_stop(controller);
}

/* --- the log --- */

static size_t log_lines(const char *part)
{
    char *path = xasprintf("%s/log/stokerd.log", getenv("STOKER_HOME"));
    size_t n = check_count_lines(path, part);
    free(path);
    return n;
}

static void nonsense_fills_no_log(void **state)
{
    (void)state;
    start("");
    int64_t t0 = cluster_now_ms();
    for (int i = 0; i < 60; i++) {
        struct client *c = connect_as(getuid());
        struct str b = STR_INIT;
        struct incoming in;
        frame_append_header(&b, MSG_GET, 0, 9, 3);
        str_append_n(&b, "\xc1\xc1\xc1", 3);
        write_whole(c, &b);
        str_fini(&b);
        assert_true(client_next(c, WAIT_MS, &in, NULL) < 0);
        client_free(c);
    }
    size_t minutes = 1 + (size_t)(cluster_now_ms() - t0) / 60000;
    assert_in_range(log_lines("sent a malformed message"), 1, 20 * minutes);
    assert_in_range(log_lines("further messages about this user are suppressed"), 1, minutes);
    cluster_stop(controller);
}

/* Each begins with an empty queue. */
static int clear_state(void **state)
{
    (void)state;
    char *cmd = xasprintf("rm -rf -- '%s/state'", getenv("STOKER_HOME"));
    int r = system(cmd); /* NOLINT: a path of the test's own */
    free(cmd);
    return r;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_flood_of_one_is_half_of_what_is_done_for_two, clear_state),
        cmocka_unit_test_teardown(one_connection_of_many_waits_for_a_round_alone, clear_state),
        cmocka_unit_test_teardown(one_user_leaves_room_in_the_queue, clear_state),
        cmocka_unit_test_teardown(one_user_leaves_room_for_connections, clear_state),
        cmocka_unit_test_teardown(nonsense_fills_no_log, clear_state),
        cmocka_unit_test_teardown(who_asks_beyond_his_rate_waits_and_is_answered, clear_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
