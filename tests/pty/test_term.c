/* test_term.c - stoker-ui on a real terminal: libvterm plays it. First frame, keys, sizes, pushes, crashes.
 */
#include <errno.h>
#include <fcntl.h>
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

#define DEADLINE_MS 60000
#define PIECE       512 /* what stands there for a moment is seen also where we are late */

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
        setenv("LC_ALL", getenv("TEST_LOCALE") ? getenv("TEST_LOCALE") : "C.UTF-8", 1);
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
    char buf[PIECE];
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

/* Waits until these bytes have come: not all that is sent is seen. */
static void tty_await_bytes(struct tty *t, const char *bytes)
{
    int64_t t0 = now_ms();
    while (!strstr(t->tail.s, bytes))
        if (now_ms() - t0 > DEADLINE_MS || !tty_read(t, 50))
            fail_msg("the bytes %s never come", bytes + (*bytes == '\033'));
}

/* Waits until nothing has come for so long. */
static void tty_await_quiet(struct tty *t, int ms)
{
    int64_t t0 = now_ms(), since = t0;
    for (long n = t->bytes; now_ms() - since < ms;) {
        tty_read(t, 50);
        if (n != t->bytes)
            since = now_ms();
        n = t->bytes;
        if (since - t0 > DEADLINE_MS)
            fail_msg("it is never quiet for %d ms", ms);
    }
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

static void a_change_is_seen_and_costs_little(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    assert_int_equal(run("sbatch -H -J held --wrap true >/dev/null"), 0);
    tty_await(t, "held by its owner");
    tty_await_quiet(t, 300);
    long before = t->bytes;
    int64_t t0 = now_ms();
    assert_int_equal(run("scancel 1"), 0);
    tty_await(t, "cancelled");
    /* No bound: other work may take the machine for longer. */
    print_message("seen %lld ms after the command was begun, %ld bytes\n", (long long)(now_ms() - t0),
                  t->bytes - before);
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

/* How often the process has gone to sleep so far; -1: not known. */
static long wake_ups(pid_t pid)
{
    char path[64], line[256];
    long n = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

static void quiet_when_nothing_happens(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_await(t, "live");
    tty_await_quiet(t, 2500);
    /* It is not even woken, but for a heartbeat. A machine short of memory may wake it once, but not again.
     */
    long woken = 0;
    for (int i = 0; i < 3; i++) {
        long before = wake_ups(t->pid);
        tty_await_quiet(t, 2500);
        woken = wake_ups(t->pid) - before;
        assert_true(before > 0);
        if (woken <= 1)
            return;
    }
    fail_msg("it woke %ld times", woken);
}

/* A visit: submit by the form, watch it run, read what it says, cancel it, requeue it, drain the node. */
static void a_whole_visit(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_type(t, "s");
    tty_await(t, "Submit a batch script");
    tty_type(t, "\rvisit");
    tty_await(t, "starts now");
    tty_type(t, "\t\033[200~\n#SBATCH --ntasks=4\necho hello from the job\n"
                "srun -o task_%t.out bash -c 'echo I am task $SLURM_PROCID; sleep 100'\n\033[201~");
    tty_await(t, "hello from the job");
    tty_type(t, "\033[21~"); /* F10 */
    tty_await(t, "is queued");
    tty_await(t, "visit");
    tty_await(t, "1 run");
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
    tty_type(t, "q:cancel 1\r");
    tty_await(t, "cancel 1 job");
    tty_type(t, "y");
    tty_await(t, "0 run");
    tty_await(t, "cancelled");
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

/* What the controller pushes about nodes and windows, as an administrator makes it. */
static void a_node_is_noted_and_kept(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_type(t, "2");
    tty_await(t, " n1 ");
    tty_type(t, "e");
    tty_await(t, "a note on n1");
    tty_type(t, "whistles\r");
    tty_await(t, "noted");
    tty_await(t, "whistles");
    tty_type(t, "w\r");
    tty_await(t, "No job starts there");
    tty_type(t, "\025name=fans start=now+2hours duration=3h reason=new fans\r");
    tty_await(t, "made: fans");
    tty_await(t, "maintenance in 1 h");
    tty_type(t, "4");
    tty_await(t, "new fans");
    tty_type(t, ":windows fans\r");
    tty_await(t, "made by");
    tty_type(t, "y");
    tty_await(t, "deleted: fans");
    tty_await_gone(t, "new fans");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
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
    tty_await_bytes(t, "\033]2;stoker: 1 watched: cancelled\a"); /* they ring after the picture */
    check_has("the bell", t->tail.s, "\a");
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

static void a_plain_locale_gets_plain_signs(void **state)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    struct tty *t = *state, plain;
    tty_await(t, "No jobs.");
    assert_int_equal(run("sbatch -H -J 'gr\u00fc\u00dfe \u5b66\u7fd2' --wrap true >/dev/null"), 0);
    tty_await(t, "gr\u00fc\u00dfe \u5b66\u7fd2");
    setenv("TEST_LOCALE", "C", 1);
    tty_start(&plain, 24, 80, ui);
    unsetenv("TEST_LOCALE");
    tty_await(&plain, "gr??e ??");
    tty_type(&plain, "2");
    tty_await(&plain, "NODE");
    for (size_t i = 0; i < plain.tail.len; i++)
        if ((unsigned char)plain.tail.s[i] > 0x7e)
            fail_msg("a byte %02x for a terminal that knows ASCII", (unsigned char)plain.tail.s[i]);
    tty_type(&plain, "q");
    assert_int_equal(tty_wait(&plain), 0);
    tty_fini(&plain);
}

/* The column of a text on the screen, in cells; -1: it is not there. */
static int tty_column(struct tty *t, const char *row_part, const char *part)
{
    int rows, cols;
    vterm_get_size(t->vt, &rows, &cols);
    for (int y = 0; y < rows; y++) {
        struct str row = STR_INIT;
        int *column = xcalloc((size_t)cols * 4 + 1, sizeof *column);
        for (int x = 0; x < cols; x++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(t->screen, (VTermPos){.row = y, .col = x}, &cell);
            column[row.len] = x;
            for (int k = 0; cell.chars[0] != (uint32_t)-1 && k < 3 && (k == 0 || cell.chars[k]); k++) {
                char b[4];
                str_append_n(&row, b, utf8_encode(cell.chars[k] ? cell.chars[k] : ' ', b));
            }
        }
        const char *at = strstr(row.s, row_part) ? strstr(row.s, part) : NULL;
        int found = at ? column[at - row.s] : -1;
        free(column);
        str_fini(&row);
        if (at)
            return found;
    }
    return -1;
}

static void wide_and_combining_names_keep_their_cells(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    assert_int_equal(run("sbatch -H -J plain --wrap true >/dev/null;"
                         "sbatch -H -J '\u5b66\u7fd2e\u0301x' --wrap true >/dev/null"),
                     0);
    tty_await(t, "\u5b66\u7fd2e");
    tty_await(t, "plain");
    tty_await_quiet(t, 300);
    int plain = tty_column(t, "plain", "held"), wide = tty_column(t, "\u7fd2", "held");
    assert_true(plain > 0);
    assert_int_equal(wide, plain);
    check_int("the mark has no cell of its own",
              tty_column(t, "\u7fd2", "x") - tty_column(t, "\u7fd2", "\u7fd2"), 3);
}

static void the_mouse_has_a_switch(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    tty_await_bytes(t, "1000h");
    str_clear(&t->tail);
    tty_type(t, "M");
    tty_await(t, "mouse off");
    tty_await_bytes(t, "1000l");
    assert_null(strstr(t->tail.s, "1000h"));
    tty_type(t, "M");
    tty_await(t, "mouse on");
    tty_await_bytes(t, "1000h");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    must_be_sane(t, "the mouse");
}

/* What a job writes reaches the terminal as text and colour and as nothing else. */
static void output_cannot_speak_to_the_terminal(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs.");
    assert_int_equal(
        run("cd $STOKER_HOME && cat >hostile.sh <<'EOF'\n#!/bin/sh\n"
            "printf '\\033]0;evil title\\007\\033]52;c;ZXZpbA==\\007\\033[2J\\033[?1049l\\033[6n'\n"
            "printf '\\033[31mred\\033[0m words\\033P+q\\033\\\\\\n\\033]0;no end here\\n'\nEOF\n"
            "sbatch -o $STOKER_HOME/hostile.out hostile.sh >/dev/null"),
        0);
    tty_await(t, "done");
    str_clear(&t->tail);
    tty_type(t, "l");
    tty_await(t, "red words");
    tty_await(t, "x1B]0;no end here");
    static const char *const evil[] = {"evil",    "\033]0;", "\033]52", "ZXZpbA",
                                       "\033[6n", "\033P",   "?1049l"};
    for (size_t i = 0; i < N_OF(evil); i++)
        if (strstr(t->tail.s, evil[i]))
            fail_msg("sequence %zu came through", i);
    assert_true(t->alt);
    check_has("its colour", t->tail.s, "31m");
    tty_type(t, "qq");
    assert_int_equal(tty_wait(t), 0);
}

/* --- a file system that hangs --- */

/* Keys are answered. */
static void must_answer(struct tty *t, const char *what)
{
    tty_type(t, "?");
    tty_await(t, "keys: ");
    tty_type(t, "\033");
    tty_await_gone(t, "keys: ");
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
    assert_int_equal(run("cd $STOKER_HOME && mkdir hang && printf '#!/bin/sh\necho a slow script\n' "
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
    tty_type(&t, ":theme hang/x.theme\r:filter user:nobody\r"); /* a theme, and what is remembered */
    tty_await(&t, "Nothing matches");
    must_answer(&t, "a theme");

    tty_type(&t, "s");
    tty_await(&t, "Submit a batch script");
    tty_type(&t, "\rslow\r\r/hang/there"); /* a directory that is looked for */
    tty_await(&t, "/hang/there");
    tty_type(&t, "\r\r7"); /* and typing goes on */
    tty_await(&t, "CPUs         7");
    tty_type(&t, "\033OR"); /* F3: templates */
    tty_type(&t, "7");
    tty_await(&t, "CPUs         77");
    tty_type(&t, "\033[20~"); /* F9 */
    tty_await(&t, "looking at its files first");
    tty_type(&t, "\033");
    tty_await(&t, "What was typed is lost");
    tty_type(&t, "y");
    tty_await_gone(&t, "Submit a batch script");

    int go = open(gate, O_RDWR); /* the file system is back, and everything goes on */
    assert_true(go >= 0);
    tty_await(&t, "hang/job.sh");
    tty_type(&t, "\033");
    tty_await(&t, "Nothing matches");
    close(go);
    /* Away again: one can leave all the same. */
    tty_type(&t, ":filter\rl");
    tty_await(&t, "Reading ...");
    tty_type(&t, "qq");
    assert_int_equal(tty_wait(&t), 0);
    must_be_sane(&t, "left a file system that hangs");
    tty_fini(&t);
    free(gate);
}

/* The file lies where the screens cannot see it: its node hands it out. */
static void an_output_on_another_machine_is_fetched(void **state)
{
    struct tty *first = *state, t;
    tty_await(first, "No jobs.");
    assert_int_equal(run("mkdir $STOKER_HOME/away && sbatch -o $STOKER_HOME/away/out.txt --wrap "
                         "'seq -f \"row %.0f\" 1 100000' >/dev/null"),
                     0);
    tty_await(first, "done");
    start_on_slowfs(&t, "SLOWFS_AWAY", "away/");
    tty_await(&t, "done");
    tty_type(&t, "l");
    tty_await(&t, "row 100000");
    tty_await(&t, "kept on its node");
    tty_type(&t, "g");
    tty_await(&t, "row 1 ");
    tty_type(&t, "/row 50000\r");
    tty_await(&t, "row 50000 ");
    tty_type(&t, "qq");
    assert_int_equal(tty_wait(&t), 0);
    tty_fini(&t);
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
    tty_await(&again, "there is no theme 'nonsense'; there are dark, light");
    tty_type(&again, "q");
    assert_int_equal(tty_wait(&again), 0);
    /* One that cannot be read is not kept: each start would complain of it. */
    assert_int_equal(run("grep -q 'theme = \"light\"' $STOKER_HOME/config/stoker/views.cfg"), 0);
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
        CASE(a_change_is_seen_and_costs_little),
        CASE(sizes_change_under_it),
        CASE(crashes_leave_the_terminal_sane),
        CASE(pasted_text_is_no_key),
        CASE(a_controller_that_goes_and_comes),
        CASE(quiet_when_nothing_happens),
        CASE(a_whole_visit),
        CASE(a_node_is_noted_and_kept),
        CASE(a_shell_gets_the_terminal_and_gives_it_back),
        CASE(a_watched_job_rings_the_terminal),
        CASE(no_color_means_none),
        CASE(a_plain_locale_gets_plain_signs),
        CASE(wide_and_combining_names_keep_their_cells),
        CASE(the_mouse_has_a_switch),
        CASE(output_cannot_speak_to_the_terminal),
        CASE(a_file_system_that_hangs_holds_up_nobody),
        CASE(an_output_on_another_machine_is_fetched),
        CASE(a_filter_is_there_the_next_time),
        CASE(a_wrong_key_is_told_with_its_line),
        cmocka_unit_test(no_terminal_is_an_error),
    };
    if (getenv("TEST_FILTER"))
        cmocka_set_test_filter(getenv("TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
