/* test_visits.c - what people do with stoker-ui, on a real terminal and with a real controller. */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/tty.h"

/* A line behind ':' as it is typed by hand: what comes at once with other keys would be a paste. */
static void type_command(struct tty *t, const char *line)
{
    tty_type(t, ":");
    tty_await(t, "[JOB...]"); /* among what can be typed; the footer has no such text */
    tty_type(t, line);
    tty_await(t, line);
    tty_type(t, "\r");
}

static void shows_the_queue_and_its_changes(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    tty_await(t, "No jobs are queued.");
    assert_true(t->alt);
    assert_int_equal(tty_run("sbatch -J seen -o /dev/null --wrap 'sleep 1000' >/dev/null"), 0);
    tty_await(t, "seen");
    tty_await(t, "n1");
    tty_type(t, "\r");
    tty_await(t, "batch");
    tty_type(t, "q2");
    tty_await(t, "NODE");
    tty_type(t, "1c");
    tty_await(t, "cancel 1 job");
    tty_type(t, "y");
    tty_await(t, "cancelled");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_must_be_sane(t, "quit");
}

static void a_controller_that_goes_and_comes(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    assert_int_equal(tty_run("stoker down >/dev/null"), 0);
    tty_await(t, "stale");
    tty_type(t, "?"); /* keys are answered meanwhile */
    tty_await(t, "Jobs \u203a Help");
    tty_type(t, "\033");
    assert_int_equal(tty_run("stoker up >/dev/null"), 0);
    tty_await(t, "live");
}

/* A visit: submit by the form, watch it run, read what it says, cancel it, requeue it, drain the node. */
static void a_whole_visit(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    tty_type(t, "s");
    tty_await(t, "Submit a batch script");
    tty_type(t, "\r\r\r\r\r\r\r\033[200~visit\033[201~");
    tty_await(t, "starts now");
    tty_type(t, "\t\033[200~\n#SBATCH --ntasks=4\necho hello from the job\n"
                "srun -o task_%t.out bash -c 'echo I am task $SLURM_PROCID; sleep 1000'\n"
                "sleep 1000\n\033[201~"); /* it does not end by itself as soon as its step is killed */
    tty_await(t, "hello from the job");
    tty_type(t, "\033[21~"); /* F10 */
    tty_await(t, "is queued");
    tty_await(t, "visit");
    tty_await(t, "▶ 1");
    tty_type(t, "\r");
    tty_await(t, "0 bash"); /* its step has begun */
    tty_type(t, "ql");
    tty_await(t, "hello from the job");
    for (int task = 0; task < 4; task++) {
        char line[32];
        snprintf(line, sizeof line, "I am task %d", task);
        tty_type(t, "]");
        tty_await(t, line);
    }
    tty_type(t, "q");
    tty_await(t, "Jobs 1");
    tty_type(t, ":cancel 1\r");
    tty_await(t, "cancel 1 job");
    tty_type(t, "y");
    tty_await(t, "▶ 0");
    tty_await(t, "cancelled");
    tty_type(t, ":requeue 1\r");
    tty_await(t, "requeue 1 job");
    tty_type(t, "y");
    tty_await(t, "▶ 1");
    type_command(t, "drain n1 loud fan");
    tty_await(t, "Running jobs");
    tty_type(t, "\r2");
    tty_await(t, "loud fan  by"); /* in the node's row, not in the question */
    tty_type(t, "R");
    tty_await(t, "Is the reason above resolved?");
    tty_type(t, "y");
    tty_await_gone(t, "loud fan");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_must_be_sane(t, "visited");
}

#define BUSY 5 /* percent of one CPU at least; on a machine with much other work it does not get more */

/* One process burns its CPU and prints; what that uses stands on the page of its job, and goes on while the
 * page is shown. */
static void a_busy_job_is_measured(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    assert_int_equal(tty_run("sbatch -J burns -n 1 -t 30 -o $STOKER_HOME/burns.out "
                             "--wrap 'echo hello from the fire; while :; do :; done' >/dev/null"),
                     0);
    tty_await(t, "burns");
    tty_await(t, "n1");
    tty_type(t, "\r");
    tty_await(t, "Running on n1 since");
    tty_await(t, "hello from the fire");
    tty_await(t, "of 30:00, ");
    tty_await(t, " of 1 "); /* CPUs */
    int percent = 0;
    for (int64_t end = tty_now_ms() + 60000; percent < BUSY && tty_now_ms() < end;) {
        tty_await(t, "CPU ");
        const char *at = strstr(t->text.s, "\n CPU ");
        percent = at ? atoi(at + 6) : 0;
        assert_true(tty_read(t, 200));
    }
    if (percent < BUSY || percent > 110) /* of one CPU */
        fail_msg("it burns %d %% of its CPU:\n%s", percent, t->text.s);
    tty_type(t, "c");
    tty_await(t, "cancel 1 job");
    tty_type(t, "y");
    tty_await(t, "Ended at ");
    tty_await(t, "cancelled by ");
    tty_type(t, "\t");
    tty_await(t, "Efficiency");
}

/* The request of a job that waits, changed in the form: the controller has it. */
static void a_waiting_job_is_changed(void **state)
{
    struct tty *t = *state;
    assert_int_equal(tty_run("sbatch -H -J study -t 30 -c 1 -o /dev/null --wrap 'sleep 1000' >/dev/null"),
                     0);
    tty_await(t, "study");
    tty_type(t, "e");
    tty_await(t, "Change job 1 study");
    tty_await(t, "nothing is changed yet");
    for (int i = 0; i < 4; i++)
        tty_type(t, "\033[B");
    tty_await(t, "3h, 2:00:00 or"); /* the syntax of the time limit */
    tty_type(t, "\02590m");
    tty_await(t, "was 30:00");
    tty_type(t, "\033[21~"); /* F10 */
    tty_await(t, "changed: 1 study");
    assert_int_equal(tty_run("scontrol show job 1 | grep -q TimeLimit=01:30:00"), 0);
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_must_be_sane(t, "changed");
}

/* What the controller pushes about nodes and windows, as an administrator makes it. */
static void a_node_is_noted_and_kept(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    tty_type(t, "2");
    tty_await(t, " n1 ");
    tty_type(t, "e");
    tty_await(t, "a note on n1");
    tty_type(t, "whistles\r");
    tty_await(t, "noted");
    tty_await(t, "whistles");
    type_command(t, "windows add n1 name=fans start=now+2hours duration=3h reason=new fans");
    tty_await(t, "create a window on n1");
    tty_type(t, "y");
    tty_await(t, "created: fans");
    tty_await(t, "maintenance on n1");
    tty_type(t, "4");
    type_command(t, "windows fans");
    tty_await(t, "created by");
    tty_type(t, "\033");
    tty_await_gone(t, "created by");
    tty_type(t, ":windows delete fans\r");
    tty_await(t, "delete the window fans");
    tty_type(t, "y");
    tty_await(t, "deleted: fans");
    tty_await_gone(t, "new fans");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

/* The line of the terminal breaks while the seconds of a bulk kill are counted: what was confirmed is done,
 * and now, not when a user comes back. A signal that ends the program has the effect of the user's own
 * quit. */
static void what_was_confirmed_outlives_the_terminal(void **state)
{
    struct tty *first = *state, t;
    tty_await(first, "No jobs are queued.");
    for (int i = 0; i < 2; i++) {
        static const char *const ui[] = {"stoker-ui", NULL};
        tty_start(&t, 24, 80, ui);
        tty_await(&t, "live");
        char *submit = xasprintf("sbatch -H -J doomed%d --wrap true >/dev/null", i);
        assert_int_equal(tty_run(submit), 0);
        assert_int_equal(tty_run(submit), 0);
        free(submit);
        const char *filter = i ? ":filter doomed1\r" : ":filter doomed0\r";
        const char *filtered = i ? "  filter doomed1" : "  filter doomed0"; /* behind how many there are */
        tty_type(first, filter);
        tty_await(first, filtered);
        tty_await(first, "Jobs 2");
        tty_type(&t, filter);
        tty_await(&t, filtered);
        tty_await(&t, "Jobs 2");
        tty_type(&t, "*c");
        tty_await(&t, "cancel 2 jobs");
        tty_type(&t, "y");
        tty_await(&t, "z undoes it");
        int status = 0;
        if (i == 0)
            kill(t.pid, SIGTERM);
        else
            close(t.master); /* the kernel says HUP */
        assert_true(waitpid(t.pid, &status, 0) == t.pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), i ? SIGHUP : SIGTERM);
        t.pid = 0;
        if (i)
            t.master = open("/dev/null", O_RDWR);
        tty_fini(&t);
        tty_await(first, "cancelled");
    }
}

static void a_watched_job_rings_the_terminal(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J watched --wrap true >/dev/null"), 0);
    tty_await(t, "watched");
    tty_type(t, "Y");
    tty_await(t, "copied 1 row");
    check_has("the clipboard", t->tail.s, "\033]52;c;");
    tty_type(t, "W");
    tty_await(t, "the bell rings");
    str_clear(&t->tail);
    assert_int_equal(tty_run("scancel 1"), 0);
    tty_await(t, "watched: cancelled");
    tty_await_bytes(t, "\033]2;stoker: 1 watched: cancelled by "); /* they ring after the picture */
    check_has("the bell", t->tail.s, "\a");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    check_has("the title before", t->tail.s, "\033[23;2t");
    tty_must_be_sane(t, "watched");
}

/* ui.cfg is read while the program runs, also where its folder is made later; each kind of notification has
 * its bytes. */
static void settings_are_read_as_they_change(void **state)
{
    static const struct {
        const char *notify, *bytes;
    } kinds[] = {{"osc9", "\033]9;Stoker: 1 news: "},
                 {"osc777", "\033]777;notify;Stoker;2 news: "},
                 {"osc99", "\033]99;i=1:d=0;Stoker\033\\\033]99;i=1:p=body;3 news: "}};
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("test -e $STOKER_HOME/config/stoker"), 1);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char *write = xasprintf("mkdir -p $STOKER_HOME/config/stoker && cd $STOKER_HOME/config/stoker && "
                                "echo 'notify = \"%s\"; gpu_idle = \"%zum\";' >new && mv new ui.cfg",
                                kinds[i].notify, i + 41);
        char *idle = xasprintf("%zu:00", i + 41), *cancel = xasprintf("scancel %zu", i + 1);
        tty_type(t, "\033OQ"); /* F2 */
        tty_await(t, "gpu_idle");
        assert_int_equal(tty_run(write), 0);
        tty_await(t, idle);
        tty_type(t, "q");
        tty_await_gone(t, "gpu_idle");
        assert_int_equal(tty_run("sbatch -H -J news --wrap true >/dev/null"), 0);
        tty_await(t, "Waiting 1 job");
        tty_type(t, "gW");
        tty_await(t, "the bell rings");
        str_clear(&t->tail);
        assert_int_equal(tty_run(cancel), 0);
        tty_await_bytes(t, kinds[i].bytes);
        free(write);
        free(idle);
        free(cancel);
    }
    assert_int_equal(tty_run("echo 'notify = 5;' >$STOKER_HOME/config/stoker/ui.cfg"), 0);
    tty_await(t, "the former settings stay");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

/* Elements leave the queue after min_job_age, the controller is killed, and another screen connects: how
 * they ended is known. */
static void an_array_is_counted_for_as_long_as_it_is_there(void **state)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    struct tty *t = *state, again;
    tty_await(t, "No jobs are queued.");
    tty_resize(t, 30, 132);
    assert_int_equal(
        tty_run("cd $STOKER_HOME && printf '#!/bin/sh\ncase $SLURM_ARRAY_TASK_ID in 1|2) exit 3;;"
                " 5) exec sleep 1000;; esac\n' >some.sh && sbatch -a 0-5 -c 1 some.sh >/dev/null"),
        0);
    tty_await(t, "3 done, 1 running, 2 failed");
    assert_int_equal(tty_run("cd $STOKER_HOME && echo 'min_job_age = \"1s\";' >>stoker.cfg &&"
                             "scontrol reconfigure && while [ $(squeue -h -r -t all | wc -l) -gt 1 ];"
                             "do sleep 0.2; done"),
                     0);
    tty_await(t, "3 done, 1 running, 2 failed");
    assert_int_equal(tty_run("kill -9 $(cat $STOKER_HOME/state/stokerd.lock);"
                             "stoker up >/dev/null"),
                     0);
    tty_start(&again, 30, 132, ui);
    tty_await(&again, "3 done, 1 running, 2 failed");
    tty_type(&again, "q");
    assert_int_equal(tty_wait(&again), 0);
    tty_fini(&again);
    assert_int_equal(tty_run("scancel 1"), 0);
}

/* --- a file system that hangs --- */

/* Keys are answered. */
static void must_answer(struct tty *t, const char *what)
{
    tty_type(t, "?");
    tty_await(t, " › Help ");
    tty_type(t, "\033");
    tty_await_gone(t, " › Help ");
    if (t->pid && waitpid(t->pid, NULL, WNOHANG) != 0)
        fail_msg("%s ended it", what);
}

/* The screens with tests/lib/slowfs.c in front of the C library, one of its variables set. */
static void start_on_slowfs(struct tty *t, const char *variable, const char *parts)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    char *lib = xasprintf("%s/tests/lib/libslowfs.so", getenv("B") ? getenv("B") : "build");
    if (access(lib, R_OK) != 0)
        fail_msg("%s is not there", lib);
    const char *asan = getenv("ASAN_OPTIONS");
    char *before = xstrdup(asan), *options = xasprintf("%s:verify_asan_link_order=0", asan ? asan : "");
    setenv("ASAN_OPTIONS", options, 1);
    setenv("LD_PRELOAD", lib, 1);
    setenv(variable, parts, 1);
    tty_start(t, 24, 80, ui);
    unsetenv(variable);
    unsetenv("LD_PRELOAD");
    if (before)
        setenv("ASAN_OPTIONS", before, 1);
    else
        unsetenv("ASAN_OPTIONS");
    free(before);
    free(options);
    free(lib);
}

static void a_file_system_that_hangs_holds_up_nobody(void **state)
{
    struct tty *first = *state, t;
    char *gate = xasprintf("%s/gate", getenv("STOKER_HOME"));
    assert_int_equal(
        tty_run("cd $STOKER_HOME && mkdir hang && printf '#!/bin/sh\necho a slow script\n' "
                ">hang/job.sh && mkfifo gate && sbatch -o $STOKER_HOME/hang/out.txt --wrap 'echo "
                "slow words' >/dev/null"),
        0);
    tty_await(first, "done");
    setenv("SLOWFS_GATE", gate, 1);
    start_on_slowfs(&t, "SLOWFS", "hang/:templates:views.cfg.");
    tty_await(&t, "done");

    tty_type(&t, "l"); /* an output */
    tty_await(&t, "Reading ...");
    must_answer(&t, "an output");
    tty_type(&t, "jkGg]w");
    must_answer(&t, "keys in an output");
    tty_type(&t, "q");
    tty_await(&t, "Jobs 1");

    tty_type(&t, ":submit hang/\t"); /* what lies in a directory */
    tty_await(&t, "submit hang/");
    tty_type(&t, "job.sh\r"); /* a script */
    tty_await_gone(&t, "submit hang/");
    must_answer(&t, "a script");
    type_command(&t, "theme hang/x.theme"); /* a theme, and what is remembered */
    type_command(&t, "filter user:zoe");
    tty_await(&t, "No row matches");
    must_answer(&t, "a theme");

    tty_type(&t, "s");
    tty_await(&t, "Submit a batch script");
    tty_type(&t, "\r\033[200~/hang/there\033[201~"); /* a directory that is looked for */
    tty_await(&t, "/hang/there");
    tty_type(&t, "\r\r7"); /* and typing goes on */
    tty_await(&t, "CPUs         7");
    tty_type(&t, "\033OR"); /* F3: templates */
    tty_await(&t, "Discard this job?");
    tty_type(&t, "y");
    tty_await_gone(&t, "Discard this job?");
    tty_type(&t, "7");
    tty_await(&t, "CPUs         77");
    tty_type(&t, "\033[20~"); /* F9 */
    tty_await(&t, "checking files first");
    tty_type(&t, "\033");
    tty_await(&t, "Discard this job?");
    tty_type(&t, "y");
    tty_await_gone(&t, "Submit a batch script");

    int go = open(gate, O_RDWR); /* the file system is back, and everything goes on */
    assert_true(go >= 0);
    tty_await(&t, "hang/job.sh");
    tty_type(&t, "\033");
    tty_await(&t, "No row matches");
    close(go);
    /* Away again: one can leave all the same. */
    tty_type(&t, ":filter\r");
    tty_await(&t, "wrap");
    tty_type(&t, "l");
    tty_await(&t, "Reading ...");
    tty_type(&t, "qq");
    assert_int_equal(tty_wait(&t), 0);
    tty_must_be_sane(&t, "left a file system that hangs");
    tty_fini(&t);
    free(gate);
}

/* The file lies where the screens cannot see it: its node hands it out. */
static void an_output_on_another_machine_is_fetched(void **state)
{
    struct tty *first = *state, t;
    tty_await(first, "No jobs are queued.");
    assert_int_equal(tty_run("mkdir $STOKER_HOME/away && sbatch -o $STOKER_HOME/away/out.txt --wrap "
                             "'seq -f \"row %.0f\" 1 100000' >/dev/null"),
                     0);
    tty_await(first, "done");
    start_on_slowfs(&t, "SLOWFS_AWAY", "away/");
    tty_await(&t, "done");
    tty_type(&t, "l");
    tty_await(&t, "row 100000");
    tty_await(&t, "stored on its node");
    tty_type(&t, "g");
    tty_await(&t, "row 1 ");
    tty_type(&t, "/row 50000");
    tty_await(&t, "row 50000");
    tty_type(&t, "\r");
    tty_await_gone(&t, "search row 50000");
    tty_await(&t, "row 50000 ");
    tty_type(&t, "qq");
    assert_int_equal(tty_wait(&t), 0);
    tty_fini(&t);
}

/* Until what it remembers is on the disk: at its end it does not wait for that any longer than a person
 * would. */
static void await_kept(struct tty *t, const char *line)
{
    char *command = xasprintf("grep -qF '%s' $STOKER_HOME/config/stoker/views.cfg 2>/dev/null", line);
    for (int64_t t0 = tty_now_ms(); tty_run(command) != 0;)
        if (!tty_read(t, 50) || tty_now_ms() - t0 > 60000)
            fail_msg("\"%s\" is never kept", line);
    free(command);
}

static void a_theme_is_there_the_next_time(void **state)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    struct tty *t = *state, again;
    tty_await(t, "No jobs are queued.");
    type_command(t, "theme light");
    await_kept(t, "theme = \"light\"");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_start(&again, 24, 80, ui);
    tty_await(&again, "No jobs are queued.");
    tty_type(&again, ":theme nonsense\r");
    tty_await(&again, "there is no theme 'nonsense'; there are dark, light");
    await_kept(&again, "theme nonsense");    /* what was typed; what it was chosen as comes with it ... */
    await_kept(&again, "theme = \"light\""); /* ... and goes */
    tty_type(&again, "q");
    assert_int_equal(tty_wait(&again), 0);
    /* One that cannot be read is not kept: each start would complain of it. */
    assert_int_equal(tty_run("grep -q 'theme = \"light\"' $STOKER_HOME/config/stoker/views.cfg"), 0);
    tty_fini(&again);
}

static void a_wrong_key_is_told_with_its_line(void **state)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    struct tty *t = *state, again;
    tty_await(t, "live");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    assert_int_equal(
        tty_run("mkdir -p $STOKER_HOME/config/stoker && printf 'theme = \"dark\";\\nkeys = {\\n  cancel = "
                "\"Q\";\\n  hold = \"Nokey\";\\n};\\n' >$STOKER_HOME/config/stoker/ui.cfg"),
        0);
    assert_int_equal(tty_run("sbatch -H -J held --wrap true >/dev/null"), 0);
    tty_start(&again, 24, 80, ui);
    tty_await(&again, "ui.cfg:4: 'Nokey' is not a key");
    tty_await(&again, "held");
    tty_type(&again, "Q"); /* what stands before the mistake counts */
    tty_await(&again, "cancel 1 job");
    tty_type(&again, "nq");
    assert_int_equal(tty_wait(&again), 0);
    tty_fini(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTY_CASE(shows_the_queue_and_its_changes),
        TTY_CASE(a_controller_that_goes_and_comes),
        TTY_CASE(a_whole_visit),
        TTY_CASE(a_busy_job_is_measured),
        TTY_CASE(a_waiting_job_is_changed),
        TTY_CASE(a_node_is_noted_and_kept),
        TTY_CASE(what_was_confirmed_outlives_the_terminal),
        TTY_CASE(an_array_is_counted_for_as_long_as_it_is_there),
        TTY_CASE(a_watched_job_rings_the_terminal),
        TTY_CASE(settings_are_read_as_they_change),
        TTY_CASE(a_file_system_that_hangs_holds_up_nobody),
        TTY_CASE(an_output_on_another_machine_is_fetched),
        TTY_CASE(a_theme_is_there_the_next_time),
        TTY_CASE(a_wrong_key_is_told_with_its_line),
    };
    if (getenv("TEST_FILTER"))
        cmocka_set_test_filter(getenv("TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
