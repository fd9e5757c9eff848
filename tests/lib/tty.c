/* tty.c - a terminal of libvterm. */
#include "tests/lib/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define DEADLINE_MS 60000
#define PIECE       512 /* what stands there for a moment is seen also where we are late */

int64_t tty_now_ms(void)
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

void tty_start(struct tty *t, int rows, int cols, const char *const *argv)
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
bool tty_read(struct tty *t, int ms)
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

void tty_read_all(struct tty *t)
{
    struct pollfd p = {.fd = t->master, .events = POLLIN};
    while (poll(&p, 1, 0) > 0 && tty_read(t, 0))
        ;
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

int64_t tty_await(struct tty *t, const char *part)
{
    int64_t t0 = tty_now_ms();
    while (!strstr(tty_text(t), part)) {
        if (tty_now_ms() - t0 > DEADLINE_MS || !tty_read(t, 50))
            fail_msg("the screen never shows \"%s\":\n%s", part, tty_text(t));
    }
    return tty_now_ms() - t0;
}

void tty_await_gone(struct tty *t, const char *part)
{
    int64_t t0 = tty_now_ms();
    while (strstr(tty_text(t), part))
        if (tty_now_ms() - t0 > DEADLINE_MS || !tty_read(t, 50))
            fail_msg("the screen still shows \"%s\":\n%s", part, tty_text(t));
}

void tty_await_bytes(struct tty *t, const char *bytes)
{
    int64_t t0 = tty_now_ms();
    while (!strstr(t->tail.s, bytes))
        if (tty_now_ms() - t0 > DEADLINE_MS || !tty_read(t, 50))
            fail_msg("the bytes %s never come", bytes + (*bytes == '\033'));
}

void tty_await_quiet(struct tty *t, int ms)
{
    int64_t t0 = tty_now_ms(), since = t0;
    for (long n = t->bytes; tty_now_ms() - since < ms;) {
        tty_read(t, 50);
        if (n != t->bytes)
            since = tty_now_ms();
        n = t->bytes;
        if (since - t0 > DEADLINE_MS)
            fail_msg("it is never quiet for %d ms", ms);
    }
}

void tty_type(struct tty *t, const char *keys)
{
    assert_int_equal(write(t->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

void tty_resize(struct tty *t, int rows, int cols)
{
    struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    vterm_set_size(t->vt, rows, cols);
    assert_int_equal(ioctl(t->master, TIOCSWINSZ, &ws), 0);
}

int tty_wait(struct tty *t)
{
    int64_t t0 = tty_now_ms();
    int status;
    while (waitpid(t->pid, &status, WNOHANG) == 0) {
        tty_read(t, 20);
        if (tty_now_ms() - t0 > DEADLINE_MS) {
            kill(t->pid, SIGKILL);
            waitpid(t->pid, &status, 0);
            t->pid = 0;
            fail_msg("it does not end");
        }
    }
    t->pid = 0;
    tty_read_all(t); /* what it wrote last */
    return status;
}

void tty_fini(struct tty *t)
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

void tty_must_be_sane(struct tty *t, const char *what)
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

int tty_column(struct tty *t, const char *row_part, const char *part)
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

int tty_run(const char *command)
{
    int rc = system(command); /* a test's own cluster, a fixed command */
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

int tty_set_up(void **state)
{
    static struct tty t;
    static const char *const ui[] = {"stoker-ui", NULL};
    const char *home = getenv("STOKER_HOME");
    if (!home)
        return -1;
    /* `stoker up` waits for so long as people wait; a machine that stands still may need more. */
    if (tty_run(
            "mkdir -p $STOKER_HOME && echo 'nodes = ( { name = \"n1\"; cpus = 8; memory = \"16G\"; gpus = "
            "2; detect = false; } );' > $STOKER_HOME/stoker.cfg && "
            "for try in 1 2 3 4 5 6; do stoker up >/dev/null && exit 0; done; exit 1") != 0)
        return -1;
    tty_start(&t, 24, 80, ui);
    *state = &t;
    return 0;
}

int tty_tear_down(void **state)
{
    tty_fini(*state);
    tty_run("stoker down --kill-jobs >/dev/null 2>&1");
    int rc = tty_run("rm -rf $STOKER_HOME 2>/dev/null");
    for (int64_t t0 = tty_now_ms(); rc && tty_now_ms() - t0 < DEADLINE_MS; poll(NULL, 0, 50))
        rc = tty_run("rm -rf $STOKER_HOME"); /* an agent that is about to end wrote there meanwhile */
    return rc;
}
