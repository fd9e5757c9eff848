/* test_agent.c - a real agent with real shims: launches, ends, signals, and the death of each of them.
 *
 * As root everything runs a second time as an ordinary user.
 * test-timeout: 300
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "tests/lib/agent_driver.h"
#include "tests/lib/check.h"

#define OTHER_UID 65534

static int set_up(void **state)
{
    struct driver *d = xcalloc(1, sizeof *d);
    driver_init(d);
    driver_connect(d);
    *state = d;
    return 0;
}

static int tear_down(void **state)
{
    struct driver *d = *state;
    driver_fini(d);
    free(d);
    return 0;
}

static void end_free(struct launch_end *e)
{
    msg_free(MSG_TASK_END, e);
}

static void run_as(struct driver *d, uint32_t job, const char *command)
{
    driver_run(d, job, command);
    struct launch_status *s = driver_running(d, job);
    msg_free(MSG_TASK_RUNNING, s);
}

static void check_output(struct driver *d, const char *name, const char *want)
{
    char *text = driver_file(d, name);
    check_str(name, text, want);
    free(text);
}

static bool is_gone(void *ctx)
{
    pid_t pid = *(pid_t *)ctx;
    char path[64], buf[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return true;
    bool empty = read(fd, buf, sizeof buf - 1) <= 0;
    close(fd);
    const char *p = strrchr(buf, ')');
    return empty || (p && p[2] == 'Z');
}

/* The pid that the task has written into a file. */
static pid_t pid_in(struct driver *d, const char *name)
{
    char *text = driver_await_file(d, name, "\n");
    pid_t pid = atoi(text);
    free(text);
    assert_true(pid > 1);
    return pid;
}

static void remove_files(struct driver *d, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *path = xasprintf("%s/work/%s", d->dir, names[i]);
        unlink(path);
        free(path);
    }
}

/* --- ends --- */

static void test_ends(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *name, *command;
        uint32_t kind;
        int code, signal;
        const char *out;
    } cases[] = {
        {"success", "echo hello; echo err >&2", END_EXITED, 0, 0, "hello\nerr\n"},
        {"code", "exit 3", END_EXITED, 3, 0, ""},
        {"largest code", "exit 255", END_EXITED, 255, 0, ""},
        {"signal", "kill -9 $$", END_SIGNALED, 0, SIGKILL, ""},
        {"own group", "exec bash -c 'trap \"\" USR1; kill -USR1 -- -$$; echo alive'", END_EXITED, 0, 0,
         "alive\n"},
        {"default signals", "kill -PIPE $$", END_SIGNALED, 0, SIGPIPE, ""},
        {"umask", "umask", END_EXITED, 0, 0, "0022\n"},
        {"descriptors", "ls /proc/self/fd | wc -l", END_EXITED, 0, 0, "4\n"},
        {"standard input", "wc -c", END_EXITED, 0, 0, "0\n"},
        {"reopened output", "echo a >>/dev/stdout; echo b >>/dev/stderr; echo c", END_EXITED, 0, 0,
         "a\nb\nc\n"},
        {"pid", "[ $SLURM_TASK_PID = $$ ] && echo same", END_EXITED, 0, 0, "same\n"},
        {"process group leader", "[ $(ps -o pgid= -p $$) = $$ ] && echo leader", END_EXITED, 0, 0,
         "leader\n"},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        driver_run(d, i + 1, cases[i].command);
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, cases[i].kind);
        check_int(cases[i].name, e->ranks.n, 1);
        check_int(cases[i].name, e->ranks.v[0].code, cases[i].code);
        check_int(cases[i].name, e->ranks.v[0].signal, cases[i].signal);
        assert_false(e->was_killed);
        assert_true(e->t_end.ms >= e->t_start.ms && e->t_start.ms > 0);
        end_free(e);
        char file[32];
        snprintf(file, sizeof file, "%u.out", i + 1);
        char *text = driver_file(d, file);
        check_str(cases[i].name, text, cases[i].out);
        free(text);
    }
}

static bool dir_is_empty(void *ctx)
{
    struct driver *d = ctx;
    char path[400];
    snprintf(path, sizeof path, "%s/tasks", d->agent_dir);
    return rmdir(path) == 0;
}

static void test_nothing_stays_after_acknowledgement(void **state)
{
    struct driver *d = *state;
    driver_run(d, 1, "true");
    end_free(driver_end(d, 1, false));
    assert_false(dir_is_empty(d));
    struct launch_key key = {.job = 1, .step = STEP_BATCH, .attempt = 1};
    driver_send(d, MSG_END_ACK, 0, &key);
    driver_await(dir_is_empty, d, "the task directory is removed");
}

static void script_init(struct driver *d, struct launch *l, uint32_t job, const char *script)
{
    driver_launch_init(d, l, job, "");
    strv_fini(&l->argv);
    l->script = (struct blob){.p = xmemdup(script, strlen(script)), .n = strlen(script)};
}

static void test_scripts(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *name, *script, *out;
        uint32_t kind;
    } cases[] = {
        {"name", "#!/bin/sh\necho ${0##*/} $# $1 $2\n", "slurm_script 2 one two three\n", END_EXITED},
        {"source", "#!/bin/bash\necho ${BASH_SOURCE##*/}\n", "slurm_script\n", END_EXITED},
        {"option", "#! /bin/sh -e\nfalse\necho not here\n", "", END_EXITED},
        {"no newline", "#!/bin/sh\necho end", "end\n", END_EXITED},
        {"group", "#!/bin/bash\ntrap 'echo got; exit 0' USR1\nkill -USR1 -- -$$\n", "got\n", END_EXITED},
        {"own name read", "#!/bin/bash\nsed -n '2s/sed.*/itself/p' $0\n", "itself\n", END_EXITED},
        {"no first line", "echo hello\n", "", END_LAUNCH_FAILED},
        {"no interpreter", "#!/no/such/interp\n", "", END_LAUNCH_FAILED},
        {"empty first line", "#!\n", "", END_LAUNCH_FAILED},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        struct launch l;
        script_init(d, &l, i + 1, cases[i].script);
        strv_push(&l.argv, "one");
        strv_push(&l.argv, "two three");
        driver_send(d, MSG_LAUNCH, 0, &l);
        rec_fini(&launch_rec, &l);
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, cases[i].kind);
        if (e->end_kind == END_LAUNCH_FAILED)
            check_has(cases[i].name, e->message, "execve()");
        end_free(e);
        char file[32];
        snprintf(file, sizeof file, "%u.out", i + 1);
        char *text = driver_file(d, file);
        check_str(cases[i].name, text, cases[i].out);
        free(text);
    }
}

static void test_exec_errors(void **state)
{
    struct driver *d = *state;
    char *plain = xasprintf("%s/work/plain", d->dir), *empty = xasprintf("%s/work/empty", d->dir);
    close(open(plain, O_CREAT | O_WRONLY, 0644));
    close(open(empty, O_CREAT | O_WRONLY, 0755));
    const struct {
        const char *name, *program, *text;
        int32_t step;
        uint32_t kind;
        int code;
    } cases[] = {
        {"ENOENT", "nosuchprogram", "execve(): nosuchprogram: No such file or directory", STEP_BATCH,
         END_LAUNCH_FAILED, 2},
        {"ENOENT in a step", "nosuchprogram", "execve(): nosuchprogram: No such file or directory", 0,
         END_EXITED, 2},
        {"EACCES", plain, "Permission denied", STEP_BATCH, END_LAUNCH_FAILED, EACCES},
        {"EACCES in a step", plain, "Permission denied", 0, END_EXITED, EACCES},
        {"ENOEXEC", empty, "Exec format error", 0, END_EXITED, ENOEXEC},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        struct launch l;
        driver_launch_init(d, &l, i + 1, "");
        strv_fini(&l.argv);
        strv_push(&l.argv, cases[i].program);
        l.key.step = cases[i].step;
        driver_send(d, MSG_LAUNCH, 0, &l);
        rec_fini(&launch_rec, &l);
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, cases[i].kind);
        check_int(cases[i].name, e->ranks.v[0].code, cases[i].code);
        check_has(cases[i].name, e->message, cases[i].text);
        end_free(e);
    }
    char *text = driver_file(d, "2.out");
    check_has("line of a step", text,
              "slurmstepd: error: execve(): nosuchprogram: No such file or directory\n");
    free(text);
    free(plain);
    free(empty);
}

static void test_surroundings_that_fail(void **state)
{
    struct driver *d = *state;
    char *dir = xasprintf("%s/work/dir", d->dir);
    mkdir(dir, 0755);
    free(dir);
    static const struct {
        const char *name, *workdir, *out, *in, *text;
    } cases[] = {
        {"no working directory", "/no/such/dir", "x.out", NULL,
         "cannot enter the working directory /no/such/dir"},
        {"output is a directory", NULL, "dir", NULL, "cannot open the output file dir"},
        {"output is a FIFO", NULL, "fifo", NULL,
         "cannot open the output file fifo: it is a FIFO that nobody reads"},
        {"no input", NULL, "x.out", "nosuch.in", "cannot open the input file nosuch.in"},
    };
    char *fifo = xasprintf("%s/work/fifo", d->dir);
    assert_int_equal(mkfifo(fifo, 0666), 0);
    free(fifo);
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        struct launch l;
        driver_launch_init(d, &l, i + 1, "echo ran >ran");
        if (cases[i].workdir) {
            free(l.workdir);
            l.workdir = xstrdup(cases[i].workdir);
        }
        free(l.ranks.v[0].std_out);
        l.ranks.v[0].std_out = xstrdup(cases[i].out);
        l.ranks.v[0].std_in = xstrdup(cases[i].in);
        driver_send(d, MSG_LAUNCH, 0, &l);
        rec_fini(&launch_rec, &l);
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, END_LAUNCH_FAILED);
        check_has(cases[i].name, e->message, cases[i].text);
        end_free(e);
    }
    check_output(d, "ran", "");
}

static void test_output_files(void **state)
{
    struct driver *d = *state;
    struct launch l;
    /* Truncated, appended to, made with its parents; two names. */
    driver_run(d, 1, "echo first");
    end_free(driver_end(d, 1, true));
    driver_launch_init(d, &l, 2, "echo second; echo no >&2");
    free(l.ranks.v[0].std_out);
    free(l.ranks.v[0].std_err);
    l.ranks.v[0].std_out = xstrdup("1.out");
    l.ranks.v[0].std_err = xstrdup("a/b/c.err");
    l.append = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    end_free(driver_end(d, 2, true));
    check_output(d, "1.out", "first\nsecond\n");
    check_output(d, "a/b/c.err", "no\n");
    l.key.job = 3;
    l.append = false;
    driver_send(d, MSG_LAUNCH, 0, &l);
    end_free(driver_end(d, 3, true));
    check_output(d, "1.out", "second\n");
    /* The user's own link is followed. */
    char *link = xasprintf("%s/work/link", d->dir);
    assert_int_equal(symlink("a/real", link), 0);
    free(link);
    free(l.ranks.v[0].std_out);
    l.ranks.v[0].std_out = xstrdup("link");
    l.key.job = 4;
    driver_send(d, MSG_LAUNCH, 0, &l);
    end_free(driver_end(d, 4, true));
    check_output(d, "a/real", "second\n");
    rec_fini(&launch_rec, &l);
}

/* --- signals --- */

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
        {"stopped", "echo up; kill -STOP $$", KILL_PREEMPT, 30, END_KILLED, 0, SIGTERM},
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
        end_free(e);
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
        end_free(e);
    }
}

static void test_real_end_before_kill(void **state)
{
    struct driver *d = *state;
    /* The leader has ended, a leftover lives: a kill that comes then does not change what happened. */
    driver_run(d, 1,
               "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >left; sleep 100' & while [ ! -s left "
               "]; do :; done; exit 4");
    pid_t pid = pid_in(d, "left");
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    struct launch_end *e = driver_end(d, 1, true);
    if (!e->was_killed) {
        check_int("kind", e->end_kind, END_EXITED);
        check_int("code", e->ranks.v[0].code, 4);
    }
    end_free(e);
    assert_true(is_gone(&pid));
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
        end_free(e);
        check_output(d, "child", cases[i].child);
    }
}

static void test_time_limit_without_controller(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1,
                       "trap 'echo early' USR2; echo up; for i in 1 2 3 4 5 6 7 8 9; do sleep 1; done");
    l.time_limit_s = 2;
    l.early_signal = SIGUSR2;
    l.early_signal_s = 1;
    l.early_signal_leader = true;
    l.kill_wait_s = 2;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    free(driver_await_file(d, "1.out", "up"));
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    free(driver_await_file(d, "1.out", "DUE TO TIME LIMIT"));
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_TIMEOUT);
    end_free(e);
    char *text = driver_file(d, "1.out");
    check_has("early signal", text, "early\n");
    free(text);
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
    end_free(e);
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
    end_free(e);
}

/* --- nothing stays --- */

static void test_escapees_die(void **state)
{
    struct driver *d = *state;
    static const char *const commands[] = {
        "sleep 100 & echo $! >pid",
        "setsid sh -c 'setsid sleep 100 & echo $! >pid' & while [ ! -s pid ]; do sleep 0.01; done",
        "(setsid sh -c 'exec <&- >&- 2>&-; trap \"\" TERM HUP; sleep 100 & echo $$ >pid; wait' &) ; "
        "while [ ! -s pid ]; do sleep 0.01; done",
    };
    for (uint32_t i = 0; i < N_OF(commands); i++) {
        driver_run(d, i + 1, commands[i]);
        pid_t pid = pid_in(d, "pid");
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(commands[i], e->end_kind, END_EXITED);
        check_int(commands[i], e->ranks.v[0].code, 0);
        end_free(e);
        /* The end comes only when they are gone. */
        assert_true(is_gone(&pid));
        char *file = xasprintf("%s/work/pid", d->dir);
        unlink(file);
        free(file);
    }
}

/* --- deaths --- */

static void test_agent_killed_tasks_go_on(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 5");
    run_as(d, 2, "trap 'exit 6' TERM; echo up; while :; do sleep 0.01; done");
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    driver_start(d);
    struct msg_agent *m = driver_greet(d);
    assert_null(m->refused);
    assert_int_equal(m->launches.n, 2);
    /* Adopted: the shim tells its new agent what it has, before the greeting or after, and takes orders
     * from it. */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(m->launches.v[i].state, LAUNCH_RUNNING);
        if (m->launches.v[i].pid)
            continue;
        struct launch_status *s = driver_running(d, m->launches.v[i].key.job);
        assert_true(s->pid > 1);
        msg_free(MSG_TASK_RUNNING, s);
    }
    msg_free(MSG_AGENT, m);
    driver_terminate(d, 2, KILL_CANCEL, 30, NULL);
    struct launch_end *e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_KILLED);
    check_int("code", e->ranks.v[0].code, 6);
    end_free(e);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 5);
    end_free(e);
}

static bool has_end_record(void *ctx)
{
    struct driver *d = ctx;
    char path[400];
    snprintf(path, sizeof path, "%s/tasks/1.-1.0.1/end", d->agent_dir);
    return access(path, F_OK) == 0;
}

static void test_end_while_agent_is_away(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 9");
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_await(has_end_record, d, "the shim writes its end record");
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("code", e->ranks.v[0].code, 9);
    end_free(e);
    /* Not acknowledged: told again. */
    driver_connect(d);
    end_free(driver_end(d, 1, true));
    struct msg_agent *m = driver_greet(d);
    assert_int_equal(m->launches.n, 0);
    msg_free(MSG_AGENT, m);
}

static pid_t shim_of(struct driver *d, uint32_t job)
{
    char path[400], text[200];
    snprintf(path, sizeof path, "%s/tasks/%u.-1.0.1/shim", d->agent_dir, job);
    ssize_t n = readlink(path, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = '\0';
    int version, pid;
    assert_int_equal(sscanf(text, "%d %d", &version, &pid), 2);
    assert_true(pid > 1);
    return pid;
}

static void test_shim_killed(void **state)
{
    struct driver *d = *state;
    for (uint32_t job = 1; job <= 2; job++) {
        run_as(d, job, "setsid sh -c 'trap \"\" TERM; echo $$ >pid; sleep 100' & sleep 100");
        pid_t pid = pid_in(d, "pid");
        if (job == 2) {
            /* An adopted shim is nobody's child here, and what it leaves goes to init. */
            driver_hang_up(d);
            driver_kill(d, SIGKILL);
            driver_connect(d);
        }
        kill(shim_of(d, job), SIGKILL);
        struct launch_end *e = driver_end(d, job, true);
        check_int("kind", e->end_kind, END_UNKNOWN);
        check_has("message", e->message, "supervisor was lost");
        end_free(e);
        driver_await(is_gone, &pid, "what the lost shim left is killed");
        char *file = xasprintf("%s/work/pid", d->dir);
        unlink(file);
        free(file);
    }
}

static void test_shim_killed_while_agent_is_away(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "echo $$ >pid; sleep 100");
    pid_t pid = pid_in(d, "pid");
    driver_hang_up(d);
    pid_t shim = shim_of(d, 1);
    driver_kill(d, SIGKILL);
    kill(shim, SIGKILL);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    end_free(e);
    driver_await(is_gone, &pid, "what the lost shim left is killed");
}

/* Both die, and what is left has neither the mark in its environment nor a parent: only its session tells.
 */
static void test_shim_and_agent_killed(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "exec env -i /bin/sh -c 'echo $$ >pid; exec /bin/sleep 777'");
    pid_t pid = pid_in(d, "pid");
    pid_t shim = shim_of(d, 1);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    kill(shim, SIGKILL);
    driver_await(is_gone, &shim, "the shim is gone");
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    end_free(e);
    assert_true(is_gone(&pid));
}

static void put_task_off(struct driver *d, uint32_t job)
{
    driver_terminate(d, job, KILL_CANCEL, 0, NULL);
    end_free(driver_end(d, job, true));
}

/* A shim that does not read is cut off: once it reads again it is reached again, and gets what it missed.
 */
static void test_shim_cut_off_is_reached_again(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "sleep 100");
    pid_t shim = shim_of(d, 1);
    kill(shim, SIGSTOP);
    struct launch_kill k = {.key = {.job = 1, .step = STEP_BATCH, .attempt = 1}, .signal = SIGURG};
    k.note = xcalloc(1, (1 << 20) + 1);
    memset(k.note, 'x', 1 << 20);
    for (int i = 0; i < 48; i++)
        driver_send(d, MSG_KILL, 0, &k);
    free(k.note);
    driver_send(d, MSG_PING, 3, NULL);
    msg_free(MSG_PONG, driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS));
    kill(shim, SIGCONT);
    put_task_off(d, 1);
}

/* A rank that has ended by itself, before its shim looked, has ended so whatever comes after. */
static void test_end_comes_before_kill(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "echo $$ >pid; while [ ! -e go ]; do sleep 0.01; done; exit 4");
    pid_t pid = pid_in(d, "pid");
    pid_t shim = shim_of(d, 1);
    kill(shim, SIGSTOP);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_await(is_gone, &pid, "the rank has ended");
    driver_terminate(d, 1, KILL_CANCEL, 0, "cancelled");
    driver_send(d, MSG_PING, 3, NULL);
    msg_free(MSG_PONG, driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS));
    kill(shim, SIGCONT);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 4);
    assert_false(e->was_killed);
    end_free(e);
}

static void test_shim_ignores_terms(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 2");
    pid_t shim = shim_of(d, 1);
    kill(shim, SIGTERM);
    kill(shim, SIGHUP);
    kill(shim, SIGINT);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("code", e->ranks.v[0].code, 2);
    end_free(e);
}

static void test_node_reboot(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "echo $$ >pid; sleep 100");
    pid_t pid = pid_in(d, "pid");
    pid_t shim = shim_of(d, 1);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    /* The record of another boot: its numbers belong to strangers now. */
    char *path = xasprintf("%s/tasks/1.-1.0.1/shim", d->agent_dir);
    char *text = xasprintf("1 %d 1 00000000-0000-0000-0000-000000000000 1000", (int)shim);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(text, path), 0);
    free(path);
    free(text);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_NODE_REBOOT);
    end_free(e);
    assert_false(is_gone(&pid));
    kill(pid, SIGKILL);
    driver_await(is_gone, &shim, "the shim ends with its task");
}

static void test_pid_of_a_stranger(void **state)
{
    struct driver *d = *state;
    int up[2];
    assert_int_equal(pipe(up), 0);
    pid_t stranger = fork();
    if (stranger == 0) {
        setsid(); /* a session with the number of the record, too */
        close(up[1]);
        close(up[0]);
        pause();
        _exit(0);
    }
    close(up[1]);
    char c;
    assert_int_equal(read(up[0], &c, 1), 0);
    close(up[0]);
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    /* Right boot, a living pid, another start time. */
    char boot[64] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    assert_true(read(fd, boot, 36) == 36);
    close(fd);
    char *path = xasprintf("%s/tasks/7.-1.0.1", d->agent_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    char *link = xasprintf("%s/shim", path), *text = xasprintf("1 %d 12345 %s 1000", (int)stranger, boot);
    assert_int_equal(symlink(text, link), 0);
    free(path);
    free(link);
    free(text);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 7, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    end_free(e);
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0);
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
}

static void test_directory_without_shim(void **state)
{
    struct driver *d = *state;
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/tasks/8.-1.0.1", d->agent_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    driver_start(d);
    struct msg_agent *m = driver_greet(d);
    assert_int_equal(m->launches.n, 0);
    msg_free(MSG_AGENT, m);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
    driver_run(d, 8, "exit 1");
    struct launch_end *e = driver_end(d, 8, true);
    check_int("code", e->ranks.v[0].code, 1);
    end_free(e);
}

/* --- once only --- */

static void test_repeated_launch(void **state)
{
    struct driver *d = *state;
    const char *command = "echo run >>runs; while [ ! -e go ]; do sleep 0.01; done";
    run_as(d, 1, command);
    driver_run(d, 1, command);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1)); /* the answer to the second */
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    end_free(driver_end(d, 1, false));
    driver_run(d, 1, command);
    end_free(driver_end(d, 1, true)); /* ended, not acknowledged: its end again */
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
        end_free(e);
    }
    check_output(d, "runs", "run\n");
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
    end_free(driver_end(d, 2, true));
    /* A launch that an older controller had sent. */
    struct launch l;
    driver_launch_init(d, &l, 3, "true");
    l.epoch = 4;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 3, false);
    check_int("older launch", e->end_kind, END_LAUNCH_FAILED);
    end_free(e);
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

/* A node that is given away takes nothing of its old cluster along: launches have the same numbers there.
 */
static void test_handed_over(void **state)
{
    struct driver *d = *state;
    driver_run(d, 1, "exit 1");
    end_free(driver_end(d, 1, true));
    run_as(d, 2, "sleep 100");
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
    put_task_off(d, 2);
    snprintf(d->cluster, sizeof d->cluster, "other");
    forget_cluster(d);
    driver_connect(d);
    driver_run(d, 1, "exit 1");
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    end_free(e);
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
    end_free(driver_end(d, 2, true));
    check_output(d, "ran", "");
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
    end_free(driver_end(d, 1, true));
}

/* --- memory --- */

static void test_out_of_memory(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "echo $$ >pid; x=0123456789abcdef; while :; do x=$x$x; done");
    l.alloc.mem_mib = 32;
    driver_send(d, MSG_LAUNCH, 0, &l);
    pid_t pid = pid_in(d, "pid");
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_OOM);
    check_has("message", e->message, "limit 32 MiB");
    assert_true(e->peak_rss_kib >= 32 * 1024);
    assert_non_null(e->sampled);
    end_free(e);
    assert_true(is_gone(&pid));
    char *text = driver_file(d, "1.out");
    check_has("line", text, "slurmstepd: error: Detected 1 oom_kill event in StepId=1.batch.");
    free(text);
    /* Enough of it: measured, not killed. */
    l.key.job = 2;
    l.alloc.mem_mib = 4096;
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup(
        "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do x=$x$x; done");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_EXITED);
    assert_true(e->peak_rss_kib > 16 * 1024);
    end_free(e);
}

/* --- several ranks --- */

static void step_init(struct driver *d, struct launch *l, uint32_t job, uint32_t ranks, const char *command)
{
    driver_launch_init(d, l, job, command);
    l->key.step = 0;
    l->is_batch = false;
    rec_fini(&launch_rank_rec, &l->ranks.v[0]);
    for (uint32_t i = 1; i < ranks; i++)
        rec_list_push(&l->ranks);
    for (uint32_t i = 0; i < ranks; i++) {
        l->ranks.v[i].rank = i;
        strv_setenvf(&l->ranks.v[i].env, "SLURM_PROCID", "%u", i);
    }
}

static void outputs(struct launch *l, const char *out)
{
    for (size_t i = 0; i < l->ranks.n; i++) {
        l->ranks.v[i].std_out = xstrdup(out);
        l->ranks.v[i].std_err = xstrdup(out);
    }
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted(char *text)
{
    struct strv lines = strv_split(text, "\n");
    qsort(lines.v, lines.n, sizeof *lines.v, compare_lines);
    char *s = strv_join(&lines, "\n");
    strv_fini(&lines);
    free(text);
    return s;
}

static void test_ranks_share_a_file(void **state)
{
    struct driver *d = *state;
    struct launch l;
    step_init(d, &l, 1, 4, "echo rank $SLURM_PROCID");
    outputs(&l, "all.out");
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("ranks", e->ranks.n, 4);
    end_free(e);
    char *text = sorted(driver_file(d, "all.out"));
    check_str("lines", text, "rank 0\nrank 1\nrank 2\nrank 3");
    free(text);
    /* Labelled: long lines in pieces, none is cut by another one. */
    l.key.job = 2;
    l.label = true;
    l.label_width = 2;
    free(l.argv.v[2]);
    l.argv.v[2] =
        xstrdup("for i in 1 2 3; do printf aaaa; sleep 0.01; printf 'bbbb\\n'; done; printf tail");
    driver_send(d, MSG_LAUNCH, 0, &l);
    end_free(driver_end(d, 2, true));
    text = sorted(driver_file(d, "all.out"));
    check_str("labels", text,
              "00: aaaabbbb\n00: aaaabbbb\n00: aaaabbbb\n00: tail\n01: aaaabbbb\n01: aaaabbbb\n01: "
              "aaaabbbb\n01: tail\n"
              "02: aaaabbbb\n02: aaaabbbb\n02: aaaabbbb\n02: tail\n03: aaaabbbb\n03: aaaabbbb\n03: "
              "aaaabbbb\n03: tail");
    free(text);
    rec_fini(&launch_rec, &l);
}

static void test_rank_codes(void **state)
{
    struct driver *d = *state;
    struct launch l;
    step_init(d, &l, 1, 3, "exit $SLURM_PROCID");
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    for (int i = 0; i < 3; i++)
        check_int("code", e->ranks.v[i].code, i);
    check_int("kind", e->end_kind, END_EXITED);
    end_free(e);
    /* One fails, the others go. */
    l.key.job = 2;
    l.kill_on_bad_exit = true;
    l.kill_wait_s = 1;
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup("[ $SLURM_PROCID = 1 ] && exit 3; exec sleep 100");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("code", e->ranks.v[1].code, 3);
    check_int("signal", e->ranks.v[0].signal, SIGTERM);
    check_int("kind", e->end_kind, END_SIGNALED);
    assert_false(e->was_killed);
    end_free(e);
}

static void test_multi_prog(void **state)
{
    struct driver *d = *state;
    struct launch l;
    step_init(d, &l, 1, 3, "exit 0");
    strv_push(&l.ranks.v[1].argv, "sh");
    strv_push(&l.ranks.v[1].argv, "-c");
    strv_push(&l.ranks.v[1].argv, "exit 8");
    strv_push(&l.ranks.v[2].argv, "nosuchprogram");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("code", e->ranks.v[0].code, 0);
    check_int("code", e->ranks.v[1].code, 8);
    check_int("code", e->ranks.v[2].code, 2);
    check_int("kind", e->end_kind, END_EXITED);
    end_free(e);
}

/* --- streams --- */

static struct msg_output_data *read_output(struct driver *d, uint32_t job, uint32_t rank, uint32_t stream,
                                           uint64_t offset, uint32_t wait_ms)
{
    struct msg_output_read m = {
        .key = {.job = job}, .rank = rank, .stream = stream, .offset = offset, .wait_ms = wait_ms};
    driver_send(d, MSG_OUTPUT_READ, 5, &m);
    struct msg_output_data *o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(o);
    return o;
}

static void test_spool(void **state)
{
    struct driver *d = *state;
    struct launch l;
    step_init(d, &l, 1, 2,
              "echo out $SLURM_PROCID; echo err >&2; while [ ! -e go ]; do sleep 0.01; done; echo last");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1));
    struct msg_output_data *o = read_output(d, 1, 1, 1, 0, 5000);
    assert_null(o->error);
    assert_int_equal(o->data.n, 6);
    assert_memory_equal(o->data.p, "out 1\n", 6);
    assert_false(o->eof);
    msg_free(MSG_OUTPUT_DATA, o);
    /* Nothing more now: an answer after the wait, and one as soon as there is something. */
    o = read_output(d, 1, 1, 1, 6, 50);
    assert_int_equal(o->data.n, 0);
    assert_false(o->eof);
    msg_free(MSG_OUTPUT_DATA, o);
    struct msg_output_read m = {.key = {.job = 1}, .rank = 1, .stream = 1, .offset = 6, .wait_ms = 60000};
    driver_send(d, MSG_OUTPUT_READ, 6, &m);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(o);
    assert_int_equal(o->data.n, 5);
    assert_memory_equal(o->data.p, "last\n", 5);
    msg_free(MSG_OUTPUT_DATA, o);
    end_free(driver_end(d, 1, true));
    /* Still there after the acknowledged end, and across a restart of the agent. */
    for (int restart = 0; restart < 2; restart++) {
        o = read_output(d, 1, 0, 2, 0, 0);
        assert_int_equal(o->data.n, 4);
        assert_true(o->eof);
        msg_free(MSG_OUTPUT_DATA, o);
        if (!restart) {
            driver_hang_up(d);
            driver_kill(d, SIGKILL);
            driver_connect(d);
        }
    }
    o = read_output(d, 99, 0, 1, 0, 1000);
    assert_non_null(o->error);
    assert_true(o->eof);
    msg_free(MSG_OUTPUT_DATA, o);
}

static bool was_read_for_long(void *ctx)
{
    struct driver *d = ctx;
    struct msg_output_data *o = read_output(d, 1, 0, 1, 0, 0);
    assert_null(o->error);
    msg_free(MSG_OUTPUT_DATA, o);
    static int64_t since;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t now = t.tv_sec * 1000 + t.tv_nsec / 1000000;
    since = since ? since : now;
    return now - since > 2500;
}

/* The time that a spool is kept begins again with each read. */
static void test_spool_is_kept_for_readers(void **state)
{
    struct driver *d = *state;
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    setenv("STOKER_SPOOL_KEEP_MS", "1000", 1);
    driver_connect(d);
    unsetenv("STOKER_SPOOL_KEEP_MS");
    struct launch l;
    step_init(d, &l, 1, 1, "echo hello");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    end_free(driver_end(d, 1, true));
    driver_await(was_read_for_long, d, "two and a half keep times of reads");
    driver_await(dir_is_empty, d, "the spool goes after the last read");
}

static void send_input(struct driver *d, uint64_t offset, const char *text, size_t n, bool eof,
                       uint64_t want, bool closed)
{
    struct msg_input m = {.key = {.job = 1, .attempt = 1},
                          .offset = offset,
                          .data = {.p = xmemdup(text, n + 1), .n = n},
                          .eof = eof};
    driver_send(d, MSG_INPUT, offset + 1, &m);
    free(m.data.p);
    struct msg_input_ack *a = driver_wait(d, MSG_INPUT_ACK, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(a);
    check_int("offset", a->offset, want);
    check_int("closed", a->closed, closed);
    msg_free(MSG_INPUT_ACK, a);
}

static void test_input(void **state)
{
    struct driver *d = *state;
    struct launch l;
    /* Rank 2 closes its input: the others read on. */
    step_init(d, &l, 1, 3,
              "[ $SLURM_PROCID = 2 ] && exec <&- && echo >closed && exec sleep 100; cksum "
              ">sum.$SLURM_PROCID; echo $? >done.$SLURM_PROCID");
    l.stream_in = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    free(driver_await_file(d, "closed", "\n"));
    size_t n = 100000;
    char *text = xmalloc(n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i % 26);
    text[n] = '\0';
    send_input(d, 0, text, n, false, n, false);
    send_input(d, 0, text, n, false, n, false);                /* a repetition */
    send_input(d, n + 5, "gap", 3, false, n, false);           /* a gap: not taken */
    send_input(d, n - 10, text + n - 10, 10, false, n, false); /* nothing new */
    send_input(d, n, text, n, true, 2 * n, true);
    free(driver_await_file(d, "done.0", "0\n"));
    free(driver_await_file(d, "done.1", "0\n"));
    char *a = driver_file(d, "sum.0"), *b = driver_file(d, "sum.1");
    check_str("sums", a, b);
    check_has("length", a, " 200000\n");
    free(a);
    free(b);
    free(text);
    struct launch_kill k = {.key = {.job = 1, .attempt = 1}, .cause = KILL_CANCEL};
    driver_send(d, MSG_KILL, 0, &k);
    end_free(driver_end(d, 1, true));
}

/* --- outputs that nobody reads --- */

/* The read end of a new FIFO in work/. */
static int make_fifo(struct driver *d, const char *name)
{
    char *path = xasprintf("%s/work/%s", d->dir, name);
    assert_int_equal(mkfifo(path, 0666), 0);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    free(path);
    return fd;
}

struct filling {
    int fd, held;
};

/* Takes no more: its pages may be filled in part. */
static bool is_full(void *ctx)
{
    struct filling *f = ctx;
    int before = f->held;
    return ioctl(f->fd, FIONREAD, &f->held) == 0 && f->held > 16384 && f->held == before;
}

static void step_kill(struct driver *d, uint32_t job, const char *note)
{
    struct launch_kill k = {
        .key = {.job = job, .attempt = 1}, .cause = KILL_CANCEL, .grace_s = 1, .note = xstrdup(note)};
    driver_send(d, MSG_KILL, 0, &k);
    rec_fini(&launch_kill_rec, &k);
}

static void test_fifo_that_nobody_reads(void **state)
{
    struct driver *d = *state;
    static const struct {
        const char *name;
        uint32_t ranks;
        bool label, limit;
    } cases[] = {
        {"labelled, cancelled", 1, true, false}, {"labelled, time limit", 2, true, true},
        {"shared, cancelled", 2, false, false},  {"shared, time limit", 2, false, true},
        {"its own, cancelled", 1, false, false},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        char name[16];
        snprintf(name, sizeof name, "fifo%u", i);
        int fifo = make_fifo(d, name);
        struct launch l;
        step_init(d, &l, i + 1, cases[i].ranks, "trap '' TERM; while :; do echo yes; done");
        outputs(&l, name);
        l.label = cases[i].label;
        l.limit_own = cases[i].limit;
        l.kill_wait_s = 1;
        if (cases[i].limit)
            l.time_limit_s = 1;
        driver_send(d, MSG_LAUNCH, 0, &l);
        rec_fini(&launch_rec, &l);
        driver_await(is_full, &(struct filling){.fd = fifo}, "the FIFO is full");
        if (!cases[i].limit)
            step_kill(d, i + 1, "slurmstepd: error: *** STEP CANCELLED ***");
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, cases[i].limit ? END_TIMEOUT : END_KILLED);
        check_int(cases[i].name, e->ranks.v[0].signal, SIGKILL);
        end_free(e);
        close(fifo);
    }
}

/* A slow reader loses nothing: what is written waits for it, also after the rank has ended. */
static void test_fifo_that_is_read_late(void **state)
{
    struct driver *d = *state;
    int fifo = make_fifo(d, "fifo");
    struct launch l;
    step_init(d, &l, 1, 1, "seq 1 100000; exit 3");
    outputs(&l, "fifo");
    l.label = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    driver_await(is_full, &(struct filling){.fd = fifo}, "the FIFO is full");
    struct str text = STR_INIT;
    char buf[4096];
    struct pollfd p = {.fd = fifo, .events = POLLIN};
    while (poll(&p, 1, DRIVER_WAIT_MS) > 0) {
        ssize_t n = read(fifo, buf, sizeof buf);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            break;
        if (n > 0)
            str_append_n(&text, buf, (size_t)n);
    }
    close(fifo);
    assert_int_equal(text.len, 588895 + 3 * 100000);
    assert_true(str_ends(text.s, "\n0: 99999\n0: 100000\n"));
    str_fini(&text);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 3);
    end_free(e);
}

static bool input_is_taken(void *ctx)
{
    struct driver *d = ctx;
    struct msg_input m = {
        .key = {.job = 1, .attempt = 1}, .data = {.p = (uint8_t[]){"x\n"}, .n = 2}, .eof = true};
    driver_send(d, MSG_INPUT, 1, &m);
    struct msg_input_ack *a = driver_wait(d, MSG_INPUT_ACK, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(a);
    bool taken = a->offset == 2;
    check_int("closed with what it took", a->closed, taken);
    msg_free(MSG_INPUT_ACK, a);
    return taken;
}

/* A shim that the new agent has not reached yet has not closed its input. */
static void test_input_after_agent_death(void **state)
{
    struct driver *d = *state;
    struct launch l;
    step_init(d, &l, 1, 1, "echo $PPID >shim; read x; exec echo $x >got");
    l.stream_in = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1));
    pid_t shim = pid_in(d, "shim");
    assert_int_equal(kill(shim, SIGSTOP), 0);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    driver_connect(d);
    send_input(d, 0, "x\n", 2, true, 0, false);
    assert_int_equal(kill(shim, SIGCONT), 0);
    driver_await(input_is_taken, d, "the input is taken");
    free(driver_await_file(d, "got", "x\n"));
    end_free(driver_end(d, 1, true));
}

/* --- measures --- */

static void test_utilisation(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "while :; do :; done");
    struct msg_flag on = {.on = true};
    driver_send(d, MSG_WATCH_UTIL, 0, &on);
    bool busy = false;
    for (int i = 0; i < 5 && !busy; i++) {
        struct msg_util *u = driver_wait(d, MSG_UTIL, NULL, NULL, DRIVER_WAIT_MS);
        assert_non_null(u);
        check_str("node", u->node, "n1");
        assert_true(u->mem_mib > 0 && u->mem_used_mib <= u->mem_mib);
        assert_int_equal(u->tasks.n, 1);
        assert_int_equal(u->tasks.v[0].key.job, 1);
        busy = u->tasks.v[0].cpu_permille > 50 && u->tasks.v[0].rss_kib > 0 && u->cpu_permille > 0;
        msg_free(MSG_UTIL, u);
    }
    assert_true(busy);
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    struct launch_end *e = driver_end(d, 1, true);
    assert_true(e->cpu_ms > 0);
    end_free(e);
}

static void test_binding(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "grep ^Cpus_allowed_list /proc/self/status | wc -l; nproc");
    cpuset_add(&l.alloc.cpus, 0);
    driver_send(d, MSG_LAUNCH, 0, &l);
    end_free(driver_end(d, 1, true));
    check_output(d, "1.out", "1\n1\n");
    /* More than the machine has: not bound, not refused. */
    cpuset_add_range(&l.alloc.cpus, 0, 1000);
    l.key.job = 2;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 2, true);
    check_int("code", e->ranks.v[0].code, 0);
    end_free(e);
}

static void test_stop(void **state)
{
    struct driver *d = *state;
    run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done");
    driver_send(d, MSG_AGENT_STOP, 0, NULL); /* not while a task lives */
    driver_send(d, MSG_PING, 3, NULL);
    assert_non_null(driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS));
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    end_free(driver_end(d, 1, true));
    driver_send(d, MSG_AGENT_STOP, 0, NULL);
    assert_int_equal(waitpid(d->agent, NULL, 0), d->agent);
    d->agent = 0;
}

/* --- as root --- */

static void as_other(struct launch *l)
{
    l->uid = OTHER_UID;
    l->gid = OTHER_UID;
}

static void test_drops_privileges(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    char *work = xasprintf("%s/work", d->dir);
    chmod(work, 0777);
    struct launch l;
    script_init(
        d, &l, 1,
        "#!/bin/sh\nid -u; id -g; id -G; grep -c '^Uid:.65534.65534.65534.65534$' /proc/self/status\n"
        "grep '^CapEff' /proc/self/status; kill -9 $PPID 2>/dev/null || echo refused\n");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, true);
    if (e->end_kind != END_EXITED)
        fail_msg("ended by %u: %s", e->end_kind, e->message);
    end_free(e);
    check_output(d, "1.out", "65534\n65534\n65534\n1\nCapEff:\t0000000000000000\nrefused\n");
    char *path = xasprintf("%s/1.out", work);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_uid, OTHER_UID);
    free(path);
    /* The spool is out of the user's reach, the user's script in reach. */
    driver_launch_init(d, &l, 2, "ls ../agent 2>/dev/null || echo hidden; echo x >>/dev/stderr");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    end_free(driver_end(d, 2, true));
    check_output(d, "2.out", "hidden\nx\n");
    /* An agent directory that the user cannot pass: the script comes from memory. */
    rec_fini(&launch_rec, &l);
    chmod(d->agent_dir, 0700);
    script_init(d, &l, 3, "#!/bin/bash\necho from memory; sed -n 2p $0 | cut -c1-4\n");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    end_free(driver_end(d, 3, true));
    check_output(d, "3.out", "from memory\necho\n");
    free(work);
}

static void test_files_of_others(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    char *work = xasprintf("%s/work", d->dir), *secret = xasprintf("%s/secret", d->dir),
         *link = xasprintf("%s/link.out", work), *hidden = xasprintf("%s/hidden", d->dir);
    chmod(work, 0777);
    int fd = open(secret, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "secret\n", 7), 7);
    close(fd);
    assert_int_equal(symlink("../secret", link), 0);
    assert_int_equal(mkdir(hidden, 0700), 0);
    const struct {
        const char *name, *out, *dir, *text;
    } cases[] = {
        {"link to a file of root", "link.out", work, "Permission denied"},
        {"file of root", secret, work, "Permission denied"},
        {"working directory of root", "x.out", hidden, "Permission denied"},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++)
        for (uint32_t ranks = 1; ranks <= 2; ranks++) {
            struct launch l;
            uint32_t job = i * 2 + ranks;
            step_init(d, &l, job, ranks, "echo overwritten");
            outputs(&l, cases[i].out);
            free(l.workdir);
            l.workdir = xstrdup(cases[i].dir);
            as_other(&l);
            driver_send(d, MSG_LAUNCH, 0, &l);
            rec_fini(&launch_rec, &l);
            struct launch_end *e = driver_end(d, job, true);
            check_int(cases[i].name, e->end_kind, END_LAUNCH_FAILED);
            check_has(cases[i].name, e->message, cases[i].text);
            end_free(e);
        }
    check_output(d, "../secret", "secret\n");
    /* A link that somebody else has put there, to a file that is the user's own. */
    char *own = xasprintf("%s/own", work), *trap = xasprintf("%s/trap", work);
    fd = open(own, O_CREAT | O_WRONLY, 0644);
    assert_int_equal(write(fd, "own\n", 4), 4);
    assert_int_equal(fchown(fd, OTHER_UID, OTHER_UID), 0);
    close(fd);
    assert_int_equal(symlink("own", trap), 0);
    assert_int_equal(lchown(trap, 1, 1), 0);
    struct launch l;
    step_init(d, &l, 50, 1, "echo overwritten");
    outputs(&l, "trap");
    as_other(&l);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 50, true);
    check_int("trap", e->end_kind, END_LAUNCH_FAILED);
    check_has("trap", e->message, "symbolic link of another user's");
    end_free(e);
    check_output(d, "own", "own\n");
    for (size_t i = 0; i < 6; i++)
        free((char *[]){work, secret, link, hidden, own, trap}[i]);
}

static void test_identity_mismatch(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "true");
    if (geteuid() == 0) {
        as_other(&l);
        l.user = xstrdup("somebodyelse");
    } else {
        l.uid = 0;
    }
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, geteuid() == 0 ? "identity mismatch" : "runs jobs of uid");
    end_free(e);
}

static void test_group_of_others(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    struct launch l;
    driver_launch_init(d, &l, 1, "id -g >gid");
    as_other(&l);
    l.gid = 0;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, "is not in the group with gid 0");
    end_free(e);
}

static void test_spool_has_a_bound(void **state)
{
    struct driver *d = *state;
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/policy", d->agent_dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("spool_max = 2M\n", f);
    fclose(f);
    chmod(path, 0600);
    free(path);
    driver_connect(d);
    struct launch l;
    step_init(d, &l, 1, 2,
              "[ $SLURM_PROCID = 0 ] && exec sleep 100; trap '' TERM; while :; do echo output; done");
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_SIGNALED);
    check_has("message", e->message, "passed the 2 MiB");
    check_has("message", e->message, "--output");
    assert_false(e->was_killed);
    end_free(e);
    struct msg_output_data *o = read_output(d, 1, 0, 2, 0, 0);
    assert_null(o->error);
    assert_true(o->data.n > 0);
    msg_free(MSG_OUTPUT_DATA, o);
    /* A file of its own is its own matter. */
    l.key.job = 2;
    outputs(&l, "2.out");
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup("head -c 3000000 /dev/zero; sleep 1");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_EXITED);
    end_free(e);
}

static void test_policy(void **state)
{
    struct driver *d = *state;
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/policy", d->agent_dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("# what runs here\nworkdirs = /scratch, /no/where\n", f);
    fclose(f);
    chmod(path, 0600);
    driver_connect(d);
    driver_run(d, 1, "true");
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, "policy allows no work in");
    end_free(e);
    free(path);
}

static void test_descriptors_run_out(void **state)
{
    struct driver *d = *state;
    struct rlimit none, old;
    assert_int_equal(prlimit(d->agent, RLIMIT_NOFILE, NULL, &old), 0);
    none = (struct rlimit){.rlim_cur = 18, .rlim_max = old.rlim_max};
    assert_int_equal(prlimit(d->agent, RLIMIT_NOFILE, &none, NULL), 0);
    run_as(d, 1, "sleep 100"); /* may take the last ones */
    struct launch_end *e = NULL;
    uint32_t job = 2;
    for (; job < 20 && !e; job++) {
        driver_run(d, job, "sleep 100");
        struct launch_status *s = driver_wait(d, MSG_TASK_RUNNING, NULL, NULL, 300);
        msg_free(MSG_TASK_RUNNING, s);
        e = s ? NULL : driver_wait(d, MSG_TASK_END, NULL, NULL, DRIVER_WAIT_MS);
    }
    assert_non_null(e);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    end_free(e);
    assert_int_equal(prlimit(d->agent, RLIMIT_NOFILE, &old, NULL), 0);
    for (uint32_t i = 1; i < job - 1; i++) {
        driver_terminate(d, i, KILL_CANCEL, 0, NULL);
        end_free(driver_end(d, i, true));
    }
    driver_run(d, 100, "true");
    end_free(driver_end(d, 100, true));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static int again_as_user(char *self)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", "/tmp", 1);
        if (setgroups(0, NULL) < 0 || setresgid(OTHER_UID, OTHER_UID, OTHER_UID) < 0 ||
            setresuid(OTHER_UID, OTHER_UID, OTHER_UID) < 0)
            _exit(126);
        execl("/proc/self/exe", self, (char *)NULL);
        _exit(127);
    }
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ends),
        TEST(test_nothing_stays_after_acknowledgement),
        TEST(test_scripts),
        TEST(test_exec_errors),
        TEST(test_surroundings_that_fail),
        TEST(test_output_files),
        TEST(test_terminate),
        TEST(test_kill_right_behind_launch),
        TEST(test_real_end_before_kill),
        TEST(test_signal_targets),
        TEST(test_time_limit_without_controller),
        TEST(test_own_time_limit),
        TEST(test_escapees_die),
        TEST(test_agent_killed_tasks_go_on),
        TEST(test_end_while_agent_is_away),
        TEST(test_shim_killed),
        TEST(test_shim_killed_while_agent_is_away),
        TEST(test_shim_and_agent_killed),
        TEST(test_shim_cut_off_is_reached_again),
        TEST(test_end_comes_before_kill),
        TEST(test_shim_ignores_terms),
        TEST(test_node_reboot),
        TEST(test_pid_of_a_stranger),
        TEST(test_directory_without_shim),
        TEST(test_repeated_launch),
        TEST(test_controllers),
        TEST(test_handed_over),
        TEST(test_hostile_frames),
        TEST(test_second_agent),
        TEST(test_out_of_memory),
        TEST(test_ranks_share_a_file),
        TEST(test_rank_codes),
        TEST(test_multi_prog),
        TEST(test_spool),
        TEST(test_spool_is_kept_for_readers),
        TEST(test_input),
        TEST(test_input_after_agent_death),
        TEST(test_fifo_that_nobody_reads),
        TEST(test_fifo_that_is_read_late),
        TEST(test_utilisation),
        TEST(test_binding),
        TEST(test_stop),
        TEST(test_drops_privileges),
        TEST(test_files_of_others),
        TEST(test_identity_mismatch),
        TEST(test_group_of_others),
        TEST(test_spool_has_a_bound),
        TEST(test_policy),
        TEST(test_descriptors_run_out),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const char *who = geteuid() == 0 ? "agent as root" : "agent as user";
    int failed = cmocka_run_group_tests_name(who, tests, NULL, NULL);
    return failed || geteuid() != 0 || argc > 1 ? failed : again_as_user(argv[0]);
}
