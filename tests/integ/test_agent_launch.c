/* test_agent_launch.c - a real agent with real shims: what is launched, where its output goes, how it ends.
 *
 * As root everything runs a second time as an ordinary user.
 *
 * test-user
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

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
        driver_end_free(e);
        char file[32];
        snprintf(file, sizeof file, "%u.out", i + 1);
        char *text = driver_file(d, file);
        check_str(cases[i].name, text, cases[i].out);
        free(text);
    }
}

static void test_nothing_stays_after_acknowledgement(void **state)
{
    struct driver *d = *state;
    driver_run(d, 1, "true");
    driver_end_free(driver_end(d, 1, false));
    assert_false(driver_dir_is_empty(d));
    struct launch_key key = {.job = 1, .step = STEP_BATCH, .attempt = 1};
    driver_send(d, MSG_END_ACK, 0, &key);
    driver_await(driver_dir_is_empty, d, "the task directory is removed");
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
        driver_script_init(d, &l, i + 1, cases[i].script);
        strv_push(&l.argv, "one");
        strv_push(&l.argv, "two three");
        driver_send(d, MSG_LAUNCH, 0, &l);
        rec_fini(&launch_rec, &l);
        struct launch_end *e = driver_end(d, i + 1, true);
        check_int(cases[i].name, e->end_kind, cases[i].kind);
        if (e->end_kind == END_LAUNCH_FAILED)
            check_has(cases[i].name, e->message, "execve()");
        driver_end_free(e);
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
        driver_end_free(e);
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
         "cannot open the output file fifo: it is a FIFO without a reader"},
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
        driver_end_free(e);
    }
    driver_check_output(d, "ran", "");
}

static void test_output_files(void **state)
{
    struct driver *d = *state;
    struct launch l;
    /* Truncated, appended to, made with its parents; two names. */
    driver_run(d, 1, "echo first");
    driver_end_free(driver_end(d, 1, true));
    driver_launch_init(d, &l, 2, "echo second; echo no >&2");
    free(l.ranks.v[0].std_out);
    free(l.ranks.v[0].std_err);
    l.ranks.v[0].std_out = xstrdup("1.out");
    l.ranks.v[0].std_err = xstrdup("a/b/c.err");
    l.append = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    driver_end_free(driver_end(d, 2, true));
    driver_check_output(d, "1.out", "first\nsecond\n");
    driver_check_output(d, "a/b/c.err", "no\n");
    l.key.job = 3;
    l.append = false;
    driver_send(d, MSG_LAUNCH, 0, &l);
    driver_end_free(driver_end(d, 3, true));
    driver_check_output(d, "1.out", "second\n");
    /* The user's own link is followed. */
    char *link = xasprintf("%s/work/link", d->dir);
    assert_int_equal(symlink("a/real", link), 0);
    free(link);
    free(l.ranks.v[0].std_out);
    l.ranks.v[0].std_out = xstrdup("link");
    l.key.job = 4;
    driver_send(d, MSG_LAUNCH, 0, &l);
    driver_end_free(driver_end(d, 4, true));
    driver_check_output(d, "a/real", "second\n");
    rec_fini(&launch_rec, &l);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_ends),
        AGENT_CASE(test_nothing_stays_after_acknowledgement),
        AGENT_CASE(test_scripts),
        AGENT_CASE(test_exec_errors),
        AGENT_CASE(test_surroundings_that_fail),
        AGENT_CASE(test_output_files),
    };
    return agent_cases(tests, argc, argv);
}
