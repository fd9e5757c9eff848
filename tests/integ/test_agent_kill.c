/* test_agent_kill.c - signals, time limits and kills, and that nothing of a task stays.
 *
 * As root everything runs a second time as an ordinary user.
 *
 * test-user
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/agent_cases.h"

static void remove_files(struct driver *d, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *path = xasprintf("%s/work/%s", d->dir, names[i]);
        unlink(path);
        free(path);
    }
}

static void test_terminate(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *name, *command;
        uint32_t cause, grace, kind;
        int code, signal;
    } cases[] = {
        {"plain", "echo up; sleep 100", KILL_CANCEL, 30, END_KILLED, 0, SIGTERM},
        {"handles", "trap 'exit 7' TERM; echo up; sleep 100 & wait", KILL_CANCEL, 30, END_KILLED, 7, 0},
        {"ignores", "trap '' TERM; echo up; sleep 100", KILL_CANCEL, 1, END_KILLED, 0, SIGKILL},
        {"at once", "trap '' TERM; echo up; sleep 100", KILL_TIMEOUT, 0, END_TIMEOUT, 0, SIGKILL},
        /* CONT comes before TERM: a shell with nothing left to do could end in between. */
        {"stopped", "echo up; kill -STOP $$; sleep 100", KILL_PREEMPT, 30, END_KILLED, 0, SIGTERM},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        char file[32];
        snprintf(file, sizeof file, "%u.out", i + 1);
        driver_run(d, i + 1, cases[i].command);
        free(driver_await_file(d, file, "up\n"));
        driver_terminate(d, i + 1, cases[i].cause, cases[i].grace,
                         "slurmstepd: error: *** JOB CANCELLED ***");
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, cases[i].kind);
        check_int(cases[i].name, e->was_killed, true);
        check_int(cases[i].name, e->ranks.v[0].signal, cases[i].signal);
        check_int(cases[i].name, e->ranks.v[0].code, cases[i].code);
        driver_end_free(e);
        char *text = driver_file(d, file);
        check_has(cases[i].name, text, "slurmstepd: error: *** JOB CANCELLED ***\n");
        free(text);
    }
}

/* Both in one write: the kill lies in the shim's buffer behind the launch. */
static void test_kill_right_behind_launch(void **state)
{
    struct driver *d = *state;
    for (uint32_t job = 1; job <= 20; job++) {
        struct launch l;
        driver_launch_init(d, &l, job, "sleep 100");
        struct launch_kill k = {.key = l.key, .cause = KILL_CANCEL, .grace_s = 30};
        struct str out = STR_INIT;
        msg_append(&out, MSG_LAUNCH, 0, &l);
        msg_append(&out, MSG_KILL, 0, &k);
        assert_int_equal(send(d->fd, out.s, out.len, MSG_NOSIGNAL), out.len);
        str_fini(&out);
        rec_fini(&launch_rec, &l);
    }
    for (uint32_t job = 1; job <= 20; job++) {
        struct launch_end *e = driver_end(d, job, true);
        check_int("kind", e->end_kind, END_KILLED);
        driver_end_free(e);
    }
}

static void test_real_end_before_kill(void **state)
{
    struct driver *d = *state;
    /* The leader has ended, a leftover lives: a kill that comes then does not change what happened. */
    driver_run(d, 1,
               "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >left; sleep 100' & while [ ! -s left "
               "]; do :; done; exit 4");
    pid_t pid = driver_pid_in(d, "left");
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    struct launch_end *e = driver_end(d, 1, true);
    if (!e->was_killed) {
        check_int("kind", e->end_kind, END_EXITED);
        check_int("code", e->ranks.v[0].code, 4);
    }
    driver_end_free(e);
    assert_true(driver_is_gone(&pid));
}

static void test_signal_targets(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *name;
        uint32_t target;
        const char *child;
    } cases[] = {{"leader", SIGNAL_LEADER, ""}, {"tree", SIGNAL_TREE, "child\n"}};
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        remove_files(d, (const char *[]){"leader", "child", "up", "done"}, 4);
        driver_run(d, i + 1,
                   "trap 'echo leader >leader' USR1\n"
                   "sh -c 'trap \"echo child >child\" USR1; echo >up; while [ ! -e done ]; do sleep 0.01; "
                   "done' &\n"
                   "while [ ! -e done ]; do wait; sleep 0.01; done; wait");
        free(driver_await_file(d, "up", "\n"));
        struct launch_kill k = {.key = {.job = i + 1, .step = STEP_BATCH, .attempt = 1},
                                .signal = SIGUSR1,
                                .target = cases[i].target};
        driver_send(d, MSG_KILL, 0, &k);
        free(driver_await_file(d, "leader", "leader\n"));
        if (cases[i].target == SIGNAL_TREE)
            free(driver_await_file(d, "child", "child\n"));
        char *done = xasprintf("%s/work/done", d->dir);
        close(open(done, O_CREAT | O_WRONLY, 0644));
        free(done);
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, END_EXITED);
        check_int(cases[i].name, e->was_killed, false);
        driver_end_free(e);
        driver_check_output(d, "child", cases[i].child);
    }
}

struct life {
    struct driver *d;
    uint32_t job;
    bool is_up;
};

static bool is_up_or_over(void *ctx)
{
    struct life *l = ctx;
    char out[32], *end = xasprintf("%s/tasks/%u.-1.0.1/end", l->d->agent_dir, l->job);
    bool over = access(end, F_OK) == 0;
    snprintf(out, sizeof out, "%u.out", l->job);
    char *text = driver_file(l->d, out);
    l->is_up = strstr(text, "up\n") != NULL;
    free(text);
    free(end);
    return l->is_up || over;
}

/* False where its early signal came before its trap was there: the machine is too slow for such a limit. */
static bool limit_is_kept_without_agent(struct driver *d, uint32_t job, uint32_t limit_s)
{
    struct launch l;
    driver_launch_init(
        d, &l, job,
        "trap 'echo early' USR2; trap 'exit 0' TERM; echo up; while :; do sleep 1 & wait; done");
    l.time_limit_s = limit_s;
    l.early_signal = SIGUSR2;
    l.early_signal_s = 2;
    l.early_signal_leader = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct life life = {.d = d, .job = job};
    driver_await(is_up_or_over, &life, "it is up");
    if (!life.is_up) {
        driver_end_free(driver_end(d, job, true));
        return false;
    }
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    char file[32];
    snprintf(file, sizeof file, "%u.out", job);
    free(driver_await_file(d, file, "DUE TO TIME LIMIT"));
    driver_connect(d);
    struct launch_end *e = driver_end(d, job, true);
    check_int("kind", e->end_kind, END_TIMEOUT);
    driver_end_free(e);
    char *text = driver_file(d, file);
    check_has("early signal", text, "early\n");
    free(text);
    return true;
}

static void test_time_limit_without_controller(void **state)
{
    struct driver *d = *state;
    static const uint32_t limits_s[] = {4, 12, 36};
    for (uint32_t i = 0; i < N_OF(limits_s); i++)
        if (limit_is_kept_without_agent(d, i + 1, limits_s[i]))
            return;
    fail_msg("no limit was long enough");
}

static void say_early(struct driver *d, uint32_t in_s)
{
    struct launch_kill k = {
        .key = {.job = 1, .step = STEP_BATCH, .attempt = 1}, .signal = LAUNCH_EARLY_AT, .grace_s = in_s};
    driver_send(d, MSG_KILL, 0, &k);
}

/* The job's limit has changed since the launch: its early signal comes with the new one, once for each. */
static void test_early_signal_moves(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(
        d, &l, 1, "trap 'echo early' USR2; echo up; while [ ! -e done ]; do sleep 0.1; done; echo over");
    l.time_limit_s = 1000;
    l.early_signal = SIGUSR2;
    l.early_signal_s = 10;
    l.early_signal_leader = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    free(driver_await_file(d, "1.out", "up"));
    say_early(d, DURATION_UNLIMITED);
    say_early(d, 0);
    free(driver_await_file(d, "1.out", "early\n"));
    say_early(d, 0); /* as after a new connection: no news */
    say_early(d, 5);
    free(driver_await_file(d, "1.out", "early\nearly\n"));
    char *done = xasprintf("%s/work/done", d->dir);
    close(open(done, O_CREAT | O_WRONLY, 0644));
    free(done);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
    driver_check_output(d, "1.out", "up\nearly\nearly\nover\n");
}

static void test_own_time_limit(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "exec sleep 100");
    l.key.step = 3;
    l.is_batch = false;
    l.time_limit_s = 1;
    l.limit_own = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_TIMEOUT);
    driver_end_free(e);
    char *text = driver_file(d, "1.out");
    check_has("note", text, "slurmstepd: error: *** STEP 1.3 ON n1 CANCELLED AT ");
    check_has("note", text, " DUE TO TIME LIMIT ***\n");
    free(text);
    /* A job's limit is the controller's as long as it is there: it may have been extended. */
    l.key.job = 2;
    l.limit_own = false;
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup("sleep 1.5; echo on");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
}

static void test_escapees_die(void **state)
{
    struct driver *d = *state;
    static const char *const commands[] = {
        "sleep 100 & echo $! >pid",
        "setsid sh -c 'setsid sleep 100 & echo $! >pid' & while [ ! -s pid ]; do sleep 0.01; done",
        ("(setsid sh -c 'exec <&- >&- 2>&-; trap \"\" TERM HUP; sleep 100 & echo $$ >pid; wait' &) ; "
         "while [ ! -s pid ]; do sleep 0.01; done"),
    };
    for (uint32_t i = 0; i < N_OF(commands); i++) {
        driver_run(d, i + 1, commands[i]);
        pid_t pid = driver_pid_in(d, "pid");
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(commands[i], e->end_kind, END_EXITED);
        check_int(commands[i], e->ranks.v[0].code, 0);
        driver_end_free(e);
        /* The end comes only when they are gone. */
        assert_true(driver_is_gone(&pid));
        char *file = xasprintf("%s/work/pid", d->dir);
        unlink(file);
        free(file);
    }
}

/* A rank that has ended by itself, before its shim looked, has ended so whatever comes after. */
static void test_end_comes_before_kill(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "echo $$ >pid; while [ ! -e go ]; do sleep 0.01; done; exit 4");
    pid_t pid = driver_pid_in(d, "pid");
    pid_t shim = driver_shim_of(d, 1);
    driver_stop(shim);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_await(driver_is_gone, &pid, "the rank has ended");
    driver_terminate(d, 1, KILL_CANCEL, 0, "cancelled");
    driver_send(d, MSG_PING, 3, NULL);
    msg_free(MSG_PONG, driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS));
    kill(shim, SIGCONT);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 4);
    assert_false(e->was_killed);
    driver_end_free(e);
}

static void test_shim_ignores_terms(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 2");
    pid_t shim = driver_shim_of(d, 1);
    kill(shim, SIGTERM);
    kill(shim, SIGHUP);
    kill(shim, SIGINT);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("code", e->ranks.v[0].code, 2);
    driver_end_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_terminate),
        AGENT_CASE(test_kill_right_behind_launch),
        AGENT_CASE(test_real_end_before_kill),
        AGENT_CASE(test_signal_targets),
        AGENT_CASE(test_time_limit_without_controller),
        AGENT_CASE(test_early_signal_moves),
        AGENT_CASE(test_own_time_limit),
        AGENT_CASE(test_escapees_die),
        AGENT_CASE(test_end_comes_before_kill),
        AGENT_CASE(test_shim_ignores_terms),
    };
    return agent_cases(tests, argc, argv);
}
