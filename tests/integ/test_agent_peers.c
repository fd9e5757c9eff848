/* test_agent_peers.c - whom an agent obeys, and how it handles what it is told twice, or by another
 * controller.
 *
 * As root everything runs a second time as an ordinary user.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static void test_repeated_launch(void **state)
{
    struct driver *d = *state;
    const char *command = "echo run >>runs; while [ ! -e go ]; do sleep 0.01; done";
    driver_run_as(d, 1, command);
    driver_run(d, 1, command);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1)); /* the answer to the second */
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_end_free(driver_end(d, 1, false));
    driver_run(d, 1, command);
    driver_end_free(driver_end(d, 1, true)); /* ended, not acknowledged: its end again */
    for (int restart = 0; restart < 2; restart++) {
        if (restart) {
            driver_hang_up(d);
            driver_kill(d, SIGKILL);
            driver_connect(d);
        }
        driver_run(d, 1, command);
        struct launch_end *e = driver_end(d, 1, false);
        check_int("kind", e->end_kind, END_UNKNOWN);
        check_has("message", e->message, "acknowledged");
        driver_end_free(e);
    }
    driver_check_output(d, "runs", "run\n");
}

static void test_controllers(void **state)
{
    struct driver *d = *state;
    d->epoch = 5;
    driver_connect(d);
    int old = d->fd;
    d->fd = -1;
    driver_connect(d); /* the same epoch: takes over */
    char c;
    assert_int_equal(recv(old, &c, 1, 0), 0);
    close(old);
    d->epoch = 4;
    struct msg_agent *m = driver_greet(d);
    check_has("lower epoch", m->refused, "epoch 4 is over");
    msg_free(MSG_AGENT, m);
    driver_run(d, 1, "true");
    assert_int_equal(recv(d->fd, &c, 1, 0), 0); /* whom it does not obey it hangs up on */
    d->epoch = 6;
    char own[sizeof d->cluster];
    memcpy(own, d->cluster, sizeof own);
    snprintf(d->cluster, sizeof d->cluster, "other");
    m = driver_greet(d);
    check_has("other cluster", m->refused, "belongs to cluster");
    msg_free(MSG_AGENT, m);
    /* Remembered across a restart. */
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    driver_start(d);
    m = driver_greet(d);
    check_has("other cluster after a restart", m->refused, "belongs to cluster");
    msg_free(MSG_AGENT, m);
    memcpy(d->cluster, own, sizeof own);
    d->epoch = 4;
    m = driver_greet(d);
    check_has("lower epoch after a restart", m->refused, "epoch 4 is over");
    msg_free(MSG_AGENT, m);
    d->epoch = 5;
    driver_connect(d);
    driver_run(d, 2, "true");
    driver_end_free(driver_end(d, 2, true));
    /* A launch that an older controller had sent. */
    struct launch l;
    driver_launch_init(d, &l, 3, "true");
    l.epoch = 4;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 3, false);
    check_int("older launch", e->end_kind, END_LAUNCH_FAILED);
    driver_end_free(e);
}

/* Two controllers that came to the same epoch by ways of their own, from copies of one state. */
static void test_incarnations(void **state)
{
    struct driver *d = *state;
    d->epoch = 5; /* it does not tell: of an earlier release */
    driver_connect(d);
    driver_hang_up(d);
    d->incarnation = 111;
    driver_connect(d);
    driver_hang_up(d);
    for (int restart = 0; restart < 2; restart++) {
        for (uint64_t other = 0; other < 2; other++) {
            d->incarnation = other ? 112 : 0;
            struct msg_agent *m = driver_greet(d);
            check_has("another one", m->refused,
                      "epoch 5 is over: this node obeys 5 of another controller");
            msg_free(MSG_AGENT, m);
            driver_hang_up(d);
        }
        d->incarnation = 111;
        driver_connect(d);
        driver_hang_up(d);
        driver_kill(d, SIGKILL);
        driver_start(d);
    }
    d->epoch = 6;
    d->incarnation = 112;
    driver_connect(d);
    driver_run(d, 1, "true");
    driver_end_free(driver_end(d, 1, true));
}

/* A controller that has lost its newest jobs gives their ids to others: no task is taken for another job's,
 * living or ended, before and after a restart of the agent. */
static void test_nonces(void **state)
{
    struct driver *d = *state;
    d->nonce = 1001;
    driver_run(d, 1, "echo one >>runs");
    driver_end_free(driver_end(d, 1, true));
    driver_run_as(d, 2, "sleep 100");
    for (int restart = 0; restart < 2; restart++) {
        if (restart) {
            driver_hang_up(d);
            driver_kill(d, SIGKILL);
            driver_start(d);
            d->nonce = 1001;
            struct msg_agent *m = driver_greet(d);
            assert_null(m->refused);
            assert_int_equal(m->launches.n, 1);
            assert_true(m->launches.v[0].key.nonce == 1001);
            msg_free(MSG_AGENT, m);
        }
        d->nonce = 2001;
        driver_run(d, 2, "echo two >>runs");
        struct launch_end *e = driver_end(d, 2, false);
        check_int("kind", e->end_kind, END_LAUNCH_FAILED);
        check_has("message", e->message, "another job with the same id");
        driver_end_free(e);
    }
    driver_run(d, 1, "echo another >>runs");
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    assert_true(e->key.nonce == 2001);
    driver_end_free(e);
    driver_check_output(d, "runs", "one\nanother\n");
    d->nonce = 1001;
}

static void forget_cluster(struct driver *d)
{
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/cluster", d->agent_dir);
    assert_int_equal(unlink(path), 0);
    free(path);
    driver_start(d);
}

static bool is_refusal(const void *body, const void *ctx)
{
    (void)ctx;
    const struct msg_agent *m = body;
    return m->refused != NULL;
}

/* A controller of a release that speaks another protocol is told so in words; the one that is there is
 * served on. */
static void test_other_protocol(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 5");
    static const uint32_t versions[] = {0, PROTO_VERSION + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char program[] = "stokerd of another release";
        struct msg_hello h = {
            .version = versions[i], .program = program, .cluster = d->cluster, .epoch = d->epoch};
        driver_send(d, MSG_HELLO, 7, &h);
        struct msg_agent *m = driver_wait(d, MSG_AGENT, is_refusal, NULL, DRIVER_WAIT_MS);
        assert_non_null(m);
        check_has("what it is told", m->refused, "this agent speaks protocol");
        assert_int_equal(m->version, PROTO_VERSION);
        msg_free(MSG_AGENT, m);
    }
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("code", e->ranks.v[0].code, 5);
    driver_end_free(e);
}

/* A node that is given away takes nothing of its old cluster along: launches have the same numbers
 * there. */
static void test_handed_over(void **state)
{
    struct driver *d = *state;
    driver_run(d, 1, "exit 1");
    driver_end_free(driver_end(d, 1, true));
    driver_run_as(d, 2, "sleep 100");
    char own[sizeof d->cluster];
    memcpy(own, d->cluster, sizeof own);
    snprintf(d->cluster, sizeof d->cluster, "other");
    forget_cluster(d);
    struct msg_agent *m = driver_greet(d);
    check_has("with a task", m->refused, "still holds 1 tasks");
    msg_free(MSG_AGENT, m);
    char *path = xasprintf("%s/cluster", d->agent_dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s 1\n", own);
    fclose(f);
    free(path);
    memcpy(d->cluster, own, sizeof own);
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    driver_connect(d);
    driver_put_task_off(d, 2);
    snprintf(d->cluster, sizeof d->cluster, "other");
    forget_cluster(d);
    driver_connect(d);
    driver_run(d, 1, "exit 1");
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
}

static void test_hostile_frames(void **state)
{
    struct driver *d = *state;
    uint64_t seed = check_seed();
    for (int i = 0; i < 60; i++) {
        int fd = driver_dial(d);
        assert_true(fd >= 0);
        uint8_t buf[512];
        size_t n = check_rand(&seed) % sizeof buf;
        for (size_t k = 0; k < n; k++)
            buf[k] = (uint8_t)check_rand(&seed);
        if (i % 3 == 1 && n >= 16) { /* a true header, a body of rubbish */
            memset(buf, 0, 16);
            buf[0] = (uint8_t)(n - 16);
            buf[1] = (uint8_t)((n - 16) >> 8);
            buf[4] = (uint8_t)(check_rand(&seed) % (MSG_N_KINDS + 2));
        } else if (i % 3 == 2 && n >= 16) { /* too long */
            memset(buf, 0xff, 4);
        }
        if (send(fd, buf, n, MSG_NOSIGNAL) < 0)
            fail();
        close(fd);
    }
    /* An order before the greeting. */
    int kept = d->fd;
    d->fd = driver_dial(d);
    driver_run(d, 1, "echo ran >ran");
    char c;
    assert_int_equal(recv(d->fd, &c, 1, 0), 0);
    close(d->fd);
    d->fd = kept;
    driver_run(d, 2, "true");
    driver_end_free(driver_end(d, 2, true));
    driver_check_output(d, "ran", "");
}

static void test_second_agent(void **state)
{
    struct driver *d = *state;
    int p[2];
    assert_int_equal(pipe(p), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(p[1], 2);
        execlp("stoker-agent", "stoker-agent", "--node", "n1", "--dir", d->agent_dir, "--daemon",
               (char *)NULL);
        _exit(127);
    }
    close(p[1]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    check_int("status", status, 0);
    char text[512] = "";
    assert_true(read(p[0], text, sizeof text - 1) > 0);
    check_has("text", text, "an agent runs already");
    close(p[0]);
    driver_run(d, 1, "true");
    driver_end_free(driver_end(d, 1, true));
}

static void test_stop(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done");
    driver_send(d, MSG_AGENT_STOP, 0, NULL); /* not while a task lives */
    driver_send(d, MSG_PING, 3, NULL);
    assert_non_null(driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS));
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_end_free(driver_end(d, 1, true));
    driver_send(d, MSG_AGENT_STOP, 0, NULL);
    assert_int_equal(waitpid(d->agent, NULL, 0), d->agent);
    d->agent = 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_repeated_launch), AGENT_CASE(test_controllers),    AGENT_CASE(test_incarnations),
        AGENT_CASE(test_nonces),          AGENT_CASE(test_other_protocol), AGENT_CASE(test_handed_over),
        AGENT_CASE(test_hostile_frames),  AGENT_CASE(test_second_agent),   AGENT_CASE(test_stop),
    };
    return agent_cases(tests, argc, argv);
}
