/* test_term.c - stoker-ui on a real terminal: libvterm plays it. First frame, keys, sizes, pushes, crashes.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>
#include <vterm.h>

#include "src/base/str.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define DEADLINE_MS 10000

struct tty {
    int master;
    pid_t pid;
    VTerm *vt;
    VTermScreen *screen;
    bool alt;     /* the alternate screen is shown */
    bool visible; /* the cursor */
    long bytes;   /* received so far */
    struct termios before;
    struct str text, tail; /* tail: the last bytes as they came */
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int on_prop(VTermProp prop, VTermValue *v, void *user)
{
    struct tty *t = user;
    if (prop == VTERM_PROP_ALTSCREEN)
        t->alt = v->boolean;
    if (prop == VTERM_PROP_CURSORVISIBLE)
        t->visible = v->boolean;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_prop};

static void tty_start(struct tty *t, int rows, int cols, const char *const *argv)
{
    *t = (struct tty){.visible = true};
    str_init(&t->text);
    str_init(&t->tail);
    t->vt = vterm_new(rows, cols);
    vterm_set_utf8(t->vt, 1);
    t->screen = vterm_obtain_screen(t->vt);
    vterm_screen_set_callbacks(t->screen, &callbacks, t);
    vterm_screen_enable_altscreen(t->screen, 1);
    vterm_screen_reset(t->screen, 1);
    struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    int slave;
    assert_int_equal(openpty(&t->master, &slave, NULL, NULL, &ws), 0);
    tcgetattr(slave, &t->before);
    t->pid = fork();
    assert_true(t->pid >= 0);
    if (t->pid == 0) {
        close(t->master);
        login_tty(slave);
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("SHELL", "/bin/sh", 1);
        setenv("PS1", "the shell> ", 1);
        char *config =
            xasprintf("%s/config", getenv("STOKER_HOME") ? getenv("STOKER_HOME") : "/nonexistent");
        setenv("XDG_CONFIG_HOME", config, 1); /* what the screens remember is the test's own */
        if (!getenv("STOKER_HOME") || chdir(getenv("STOKER_HOME")) != 0) /* where jobs write */
            _exit(126);
        signal(SIGPIPE, SIG_DFL);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(slave);
}

/* Takes what has come, waiting up to ms for it. Returns false at the end. */
static bool tty_read(struct tty *t, int ms)
{
    struct pollfd p = {.fd = t->master, .events = POLLIN};
    if (poll(&p, 1, ms) <= 0)
        return true;
    char buf[65536];
    ssize_t n = read(t->master, buf, sizeof buf);
    if (n <= 0)
        return false;
    vterm_input_write(t->vt, buf, (size_t)n);
    vterm_screen_flush_damage(t->screen);
    t->bytes += n;
    str_append_n(&t->tail, buf, (size_t)n);
    if (t->tail.len > 100000)
        str_clear(&t->tail);
    return true;
}

static const char *tty_text(struct tty *t)
{
    int rows, cols;
    vterm_get_size(t->vt, &rows, &cols);
    str_clear(&t->text);
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < cols; x++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(t->screen, (VTermPos){.row = y, .col = x}, &cell);
            char b[4];
            if (cell.chars[0] == (uint32_t)-1)
                continue;
            str_append_n(&t->text, b, utf8_encode(cell.chars[0] ? cell.chars[0] : ' ', b));
        }
        str_append_char(&t->text, '\n');
    }
    return t->text.s;
}

/* Waits until the screen shows part. Returns the milliseconds that it took. */
static int64_t tty_await(struct tty *t, const char *part)
{
    int64_t t0 = now_ms();
    while (!strstr(tty_text(t), part)) {
        if (now_ms() - t0 > DEADLINE_MS || !tty_read(t, 50))
            fail_msg("the screen never shows \"%s\":\n%s", part, tty_text(t));
    }
    return now_ms() - t0;
}

static void tty_await_gone(struct tty *t, const char *part)
{
    int64_t t0 = now_ms();
    while (strstr(tty_text(t), part))
        if (now_ms() - t0 > DEADLINE_MS || !tty_read(t, 50))
            fail_msg("the screen still shows \"%s\":\n%s", part, tty_text(t));
}

static void tty_type(struct tty *t, const char *keys)
{
    assert_int_equal(write(t->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static void tty_resize(struct tty *t, int rows, int cols)
{
    struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    vterm_set_size(t->vt, rows, cols);
    assert_int_equal(ioctl(t->master, TIOCSWINSZ, &ws), 0);
}

/* Waits for the end of the program. Returns its status. */
static int tty_wait(struct tty *t)
{
    int64_t t0 = now_ms();
    int status;
    while (waitpid(t->pid, &status, WNOHANG) == 0) {
        tty_read(t, 20);
        if (now_ms() - t0 > DEADLINE_MS) {
            kill(t->pid, SIGKILL);
            waitpid(t->pid, &status, 0);
            t->pid = 0;
            fail_msg("it does not end");
        }
    }
    t->pid = 0;
    while (tty_read(t, 0)) { /* what it wrote last */
        struct pollfd p = {.fd = t->master, .events = POLLIN};
        if (poll(&p, 1, 0) <= 0)
            break;
    }
    return status;
}

static void tty_fini(struct tty *t)
{
    if (t->pid) {
        kill(t->pid, SIGKILL);
        waitpid(t->pid, NULL, 0);
    }
    close(t->master);
    vterm_free(t->vt);
    str_fini(&t->text);
    str_fini(&t->tail);
}

/* The terminal is what it was before the program. */
static void must_be_sane(struct tty *t, const char *what)
{
    struct termios now;
    assert_int_equal(tcgetattr(t->master, &now), 0);
    check_int(what, now.c_lflag, t->before.c_lflag);
    check_int(what, now.c_iflag, t->before.c_iflag);
    check_int(what, now.c_oflag, t->before.c_oflag);
    check_int(what, t->alt, false);
    check_int(what, t->visible, true);
    check_has(what, t->tail.s, "\033[?2004l"); /* bracketed paste */
    check_has(what, t->tail.s, "\033[?1000l"); /* the mouse */
}

static int run(const char *command)
{
    int rc = system(command); /* a test's own cluster, a fixed command */
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

static int set_up(void **state)
{
    static struct tty t;
    static const char *const ui[] = {"stoker-ui", NULL};
    const char *home = getenv("STOKER_HOME");
    if (!home)
        return -1;
    if (run("mkdir -p $STOKER_HOME && echo 'nodes = ( { name = \"n1\"; cpus = 8; memory = \"16G\"; gpus = "
            "2; detect = false; } );' "
            "> $STOKER_HOME/stoker.cfg && stoker up >/dev/null") != 0)
        return -1;
    tty_start(&t, 24, 80, ui);
    *state = &t;
    return 0;
}

static int tear_down(void **state)
{
    tty_fini(*state);
    return run("stoker down --kill-jobs >/dev/null 2>&1; rm -rf $STOKER_HOME");
}

static void shows_the_queue_and_its_changes(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    tty_await(t, "No jobs.");
    assert_true(t->alt);
    assert_int_equal(run("sbatch -J seen -o /dev/null --wrap 'sleep 100' >/dev/null"), 0);
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
    must_be_sane(t, "quit");
}

static void a_change_is_seen_soon_and_costs_little(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    assert_int_equal(run("sbatch -H -J held --wrap true >/dev/null"), 0);
    tty_await(t, "held by its owner");
    long before = t->bytes;
    int64_t t0 = now_ms();
    assert_int_equal(run("scancel 1"), 0);
    tty_await(t, "cancelled");
    if (now_ms() - t0 > 2000) /* the command included, on a busy machine */
        fail_msg("it took %lld ms", (long long)(now_ms() - t0));
    if (t->bytes - before > 2048)
        fail_msg("a change in one row took %ld bytes", t->bytes - before);
}

static void sizes_change_under_it(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    for (int i = 0; i < 1000; i++) {
        tty_resize(t, 2 + i * 7 % 60, 4 + i * 13 % 200);
        tty_read(t, 0);
    }
    tty_resize(t, 30, 120);
    tty_await(t, "No jobs.");
    tty_await(t, "live");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    must_be_sane(t, "resized");
}

static void crashes_leave_the_terminal_sane(void **state)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGTERM, SIGHUP, SIGBUS};
    static const char *const ui[] = {"stoker-ui", NULL};
    (void)state;
    for (size_t i = 0; i < N_OF(signals); i++) {
        struct tty t;
        tty_start(&t, 24, 80, ui);
        tty_await(&t, "live");
        kill(t.pid, signals[i]);
        int status = tty_wait(&t);
        assert_true(WIFSIGNALED(status));
        check_int(strsignal(signals[i]), WTERMSIG(status), signals[i]);
        must_be_sane(&t, strsignal(signals[i]));
        tty_fini(&t);
    }
}

static void pasted_text_is_no_key(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_type(t, "\033[200~q2?\033[201~");
    tty_type(t, "/");
    tty_await(t, "filter ");
    tty_type(t, "\033[200~a\nb q\033[201~");
    tty_await(t, "a b q");
    tty_type(t, "\033"); /* Esc drops it */
    tty_await_gone(t, "a b q");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

static void a_controller_that_goes_and_comes(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    assert_int_equal(run("stoker down >/dev/null"), 0);
    tty_await(t, "stale");
    tty_type(t, "?"); /* keys are answered meanwhile */
    tty_await(t, "keys: jobs");
    tty_type(t, "\033");
    assert_int_equal(run("stoker up >/dev/null"), 0);
    tty_await(t, "live");
}

static void quiet_when_nothing_happens(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_await(t, "live");
    while (true) { /* what is still on its way */
        long n = t->bytes;
        tty_read(t, 300);
        if (n == t->bytes)
            break;
    }
    long before = t->bytes;
    int64_t t0 = now_ms();
    while (now_ms() - t0 < 2500)
        tty_read(t, 100);
    assert_int_equal(t->bytes - before, 0);
}

/* A visit: submit by the form, watch it run, read what it says, cancel it, requeue it, drain the node. */
static void a_whole_visit(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_type(t, "s");
    tty_await(t, "Submit a batch script");
    tty_type(t, "visit");
    tty_await(t, "starts now");
    tty_type(t, "\t\033[200~\necho hello from the job\nsleep 100\n\033[201~");
    tty_await(t, "hello from the job");
    tty_type(t, "\033[21~"); /* F10 */
    tty_await(t, "is queued");
    tty_await(t, "visit");
    tty_await(t, "1 run");
    tty_type(t, "l");
    tty_await(t, "hello from the job");
    tty_type(t, "q:cancel 1\r");
    tty_await(t, "cancel 1 job");
    tty_type(t, "y");
    tty_await(t, "0 run");
    tty_type(t, ":requeue 1\ry");
    tty_await(t, "1 run");
    tty_type(t, ":drain n1 loud fan\r");
    tty_await(t, "drain n1");
    tty_type(t, "\r2");
    tty_await(t, "loud fan  drai"); /* in the node's row, not in the question */
    tty_type(t, "R");
    tty_await(t, "Is the reason above settled?");
    tty_type(t, "y");
    tty_await_gone(t, "loud fan");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    must_be_sane(t, "visited");
}

static void a_shell_gets_the_terminal_and_gives_it_back(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    tty_type(t, "2");
    tty_await(t, "n1");
    tty_type(t, "A");
    tty_await(t, "the shell>"); /* what is typed before may be thrown away */
    assert_false(t->alt);
    tty_type(t, "echo $((6*7)) is what it says; exit 0\r");
    tty_await(t, "NODE"); /* here again */
    assert_true(t->alt);
    tty_type(t, "1");
    tty_await(t, "No jobs.");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    must_be_sane(t, "back from a shell");
    check_has("shell", t->tail.s, "42 is what it says");
}

static void a_watched_job_rings_the_terminal(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    assert_int_equal(run("sbatch -H -J watched --wrap true >/dev/null"), 0);
    tty_await(t, "watched");
    tty_type(t, "Y");
    tty_await(t, "copied 1 rows");
    check_has("the clipboard", t->tail.s, "\033]52;c;");
    tty_type(t, "W");
    tty_await(t, "the bell rings");
    str_clear(&t->tail);
    assert_int_equal(run("scancel 1"), 0);
    tty_await(t, "watched: cancelled");
    check_has("the bell", t->tail.s, "\a");
    check_has("the title", t->tail.s, "\033]2;stoker: 1 watched: cancelled\a");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    check_has("the title before", t->tail.s, "\033[23;2t");
    must_be_sane(t, "watched");
}

static void no_color_means_none(void **state)
{
    static const char *const ui[] = {"env", "NO_COLOR=1", "stoker-ui", NULL};
    struct tty *t = *state, plain;
    tty_await(t, "live");
    check_has("with colours", t->tail.s, "36m"); /* cyan somewhere */
    tty_start(&plain, 24, 80, ui);
    tty_await(&plain, "live");
    assert_null(strstr(plain.tail.s, "36m"));
    assert_null(strstr(plain.tail.s, "32m"));
    tty_type(&plain, "q");
    assert_int_equal(tty_wait(&plain), 0);
    tty_fini(&plain);
}

static void a_filter_is_there_the_next_time(void **state)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    struct tty *t = *state, again;
    tty_await(t, "No jobs.");
    tty_type(t, ":filter user:nobody\r:theme light\r");
    tty_await(t, "filter user:nobody");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_start(&again, 24, 80, ui);
    tty_await(&again, "filter user:nobody");
    tty_type(&again, ":theme nonsense\r");
    tty_await(&again, "nonsense.theme");
    tty_type(&again, "q");
    assert_int_equal(tty_wait(&again), 0);
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
        run("mkdir -p $STOKER_HOME/config/stoker && printf 'theme = \"dark\";\\nkeys = {\\n  cancel = "
            "\"D\";\\n  hold = \"Nokey\";\\n};\\n' >$STOKER_HOME/config/stoker/ui.cfg"),
        0);
    assert_int_equal(run("sbatch -H -J held --wrap true >/dev/null"), 0);
    tty_start(&again, 24, 80, ui);
    tty_await(&again, "ui.cfg:4: 'Nokey' is no key");
    tty_await(&again, "held");
    tty_type(&again, "D"); /* what stands before the mistake counts */
    tty_await(&again, "cancel 1 job");
    tty_type(&again, "nq");
    assert_int_equal(tty_wait(&again), 0);
    tty_fini(&again);
}

static void no_terminal_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(run("stoker-ui </dev/null >/dev/null 2>&1"), 1);
    assert_int_equal(run("stoker-ui --nonsense </dev/null >/dev/null 2>&1"), 2);
    assert_int_equal(run("stoker-ui --version >/dev/null"), 0);
    assert_int_equal(
        run("TERM=nosuch script -qec stoker-ui /dev/null </dev/null 2>/dev/null | grep -q 'is not known'"),
        0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(shows_the_queue_and_its_changes),
        CASE(a_change_is_seen_soon_and_costs_little),
        CASE(sizes_change_under_it),
        CASE(crashes_leave_the_terminal_sane),
        CASE(pasted_text_is_no_key),
        CASE(a_controller_that_goes_and_comes),
        CASE(quiet_when_nothing_happens),
        CASE(a_whole_visit),
        CASE(a_shell_gets_the_terminal_and_gives_it_back),
        CASE(a_watched_job_rings_the_terminal),
        CASE(no_color_means_none),
        CASE(a_filter_is_there_the_next_time),
        CASE(a_wrong_key_is_told_with_its_line),
        cmocka_unit_test(no_terminal_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
