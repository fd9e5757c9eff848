/* term.c - the terminal: modes, inputs, programs that get it for a while. */
#include "ui/term/term.h"

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/given_env.h"
#include "ui/keys/key_decode.h"
#include "ui/term/restore.h"
#include "ui/term/term_caps.h"
#include "ui/term/term_paint.h"

#define FAILED_S 3 /* a program that ends badly so soon has something to say */

struct term {
    struct termios saved;
    struct term_caps caps;
    struct term_painter painter;
    int rows, cols;
    bool mouse, gone, titled;
    bool taken; /* the terminal is ours */
    struct key_decoder decoder;
    struct str restore;
};

/* The bytes that undo what term_open does, in the order of the undoing. */
static void prepare_restore(struct term *t)
{
    static const char *const names[] = {"rmkx", "cnorm", "sgr0", "rmcup"};
    str_append(&t->restore, "\033[?2004l\033[?1006l\033[?1002l\033[?1000l");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        caps_append(&t->restore, caps_text(names[i]));
}

static void term_write_all(const char *s, size_t n)
{
    while (n) {
        ssize_t k = write(STDOUT_FILENO, s, n);
        if (k < 0 && errno != EINTR && errno != EAGAIN)
            return;
        s += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
}

static void start_modes(struct term *t)
{
    static const char paste[] = "\033[?2004h", on[] = "\033[?1000h\033[?1002h\033[?1006h",
                      off[] = "\033[?1006l\033[?1002l\033[?1000l";
    term_write_all(paste, sizeof paste - 1);
    if (caps_text("kmous"))
        term_write_all(t->mouse ? on : off, strlen(t->mouse ? on : off));
}

/* What this kind of terminal sends, where it is not what all do. */
static void know_keys(struct key_decoder *d)
{
    static const struct {
        const char *name;
        uint32_t key;
    } keys[] = {
        {"kcuu1", KEYNAME_UP},     {"kcud1", KEYNAME_DOWN}, {"kcub1", KEYNAME_LEFT},
        {"kcuf1", KEYNAME_RIGHT},  {"khome", KEYNAME_HOME}, {"kend", KEYNAME_END},
        {"kpp", KEYNAME_PGUP},     {"knp", KEYNAME_PGDN},   {"kich1", KEYNAME_INSERT},
        {"kdch1", KEYNAME_DELETE}, {"kcbt", KEYNAME_STAB},  {"kent", KEYNAME_ENTER},
        {"kf1", KEYNAME_F1},       {"kf2", KEYNAME_F2},     {"kf3", KEYNAME_F3},
        {"kf4", KEYNAME_F4},       {"kf5", KEYNAME_F5},     {"kf6", KEYNAME_F6},
        {"kf7", KEYNAME_F7},       {"kf8", KEYNAME_F8},     {"kf9", KEYNAME_F9},
        {"kf10", KEYNAME_F10},     {"kf11", KEYNAME_F11},   {"kf12", KEYNAME_F12},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *bytes = caps_text(keys[i].name);
        if (bytes)
            decoder_know(d, bytes, keys[i].key);
    }
}

/* Where the locale is not of UTF-8. */
static size_t char_of_locale(const char *s, size_t n, uint32_t *ret_cp)
{
    wchar_t c;
    mbstate_t st = {0};
    size_t len = mbrtowc(&c, s, n, &st);
    *ret_cp = (uint32_t)c;
    return len == (size_t)-1 || len == (size_t)-2 ? 0 : len ? len : 1;
}

static void start_input(struct term *t)
{
    decoder_init(&t->decoder);
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        t->decoder.to_char = char_of_locale;
    know_keys(&t->decoder);
}

/* Every key comes at once and as it is, and a line feed is one. */
static void raw_mode(const struct term *t)
{
    struct termios raw = t->saved;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | IXON | PARMRK | ISTRIP);
    raw.c_oflag &= ~(tcflag_t)ONLCR;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ISIG | IEXTEN | ECHO | ECHONL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

/* Another screen where the terminal has one; lines wrap and characters replace others, as they should. */
static void take_over(struct term *t)
{
    static const char *const names[] = {"smcup", "sgr0", "rmir", "smam"};
    struct str begin = STR_INIT;
    restore_arm(STDOUT_FILENO, t->restore.s, t->restore.len, &t->saved);
    raw_mode(t);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        caps_append(&begin, caps_text(names[i]));
    term_write_all(begin.s, begin.len);
    str_fini(&begin);
    start_modes(t);
    painter_forget(&t->painter);
    t->taken = true;
}

/* Where there is no other screen, what is printed next goes below the picture. */
static void hand_over(struct term *t)
{
    struct str end = STR_INIT;
    if (!caps_text("rmcup") && t->rows)
        str_appendf(&end, "\033[%d;1H\r\n", t->rows);
    term_write_all(end.s, end.len);
    str_fini(&end);
    restore_now();
    t->taken = false;
}

int term_open(unsigned flags, struct term **ret, struct errtext *err)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, -ENOTTY, tr("standard input and output must be a terminal"));
    struct term *t = xcalloc(1, sizeof *t);
    t->mouse = flags & TERM_MOUSE;
    decoder_init(&t->decoder);
    str_init(&t->restore);
    tcgetattr(STDIN_FILENO, &t->saved);
    int rc = caps_read(&t->caps, err);
    painter_init(&t->painter, &t->caps);
    if (rc < 0) {
        term_close(t);
        return rc;
    }
    prepare_restore(t);
    start_input(t);
    take_over(t);
    *ret = t;
    return 0;
}

void term_close(struct term *t)
{
    if (!t)
        return;
    if (t->taken)
        hand_over(t);
    painter_fini(&t->painter);
    decoder_fini(&t->decoder);
    str_fini(&t->restore);
    free(t);
}

int term_fd(const struct term *t)
{
    (void)t;
    return STDIN_FILENO;
}

int term_colors(const struct term *t)
{
    return t->caps.colors;
}

bool term_is_gone(const struct term *t)
{
    return t->gone;
}

static int size_from(const char *variable, const char *capability, int least)
{
    const char *env = getenv(variable);
    int n = env ? atoi(env) : 0;
    n = n > 0 ? n : caps_number(capability);
    return n > 0 ? n : least;
}

void term_size(struct term *t, int *rows, int *cols)
{
    struct winsize ws = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) != 0 || !ws.ws_row || !ws.ws_col) {
        ws.ws_row = (unsigned short)size_from("LINES", "lines", 24);
        ws.ws_col = (unsigned short)size_from("COLUMNS", "cols", 80);
    }
    *rows = t->rows = ws.ws_row;
    *cols = t->cols = ws.ws_col;
}

void term_redraw(struct term *t)
{
    painter_forget(&t->painter);
}

void term_show(struct term *t, const struct canvas *c, const struct theme *theme)
{
    str_clear(&t->painter.out);
    painter_show(&t->painter, c, theme);
    term_write_all(t->painter.out.s, t->painter.out.len);
}

/* Takes in what has come, without waiting. */
static void take_bytes(struct term *t)
{
    char buf[4096];
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    while (!t->gone && poll(&p, 1, 0) > 0) {
        ssize_t n = read(STDIN_FILENO, buf, sizeof buf);
        if (n > 0)
            decoder_feed(&t->decoder, buf, (size_t)n, mono_ms());
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            t->gone = true;
        if (n != (ssize_t)sizeof buf)
            return;
    }
}

bool term_read(struct term *t, struct input *in)
{
    if (decoder_next(&t->decoder, mono_ms(), in))
        return true;
    take_bytes(t);
    return decoder_next(&t->decoder, mono_ms(), in);
}

int term_wait_ms(const struct term *t)
{
    return decoder_wait_ms(&t->decoder, mono_ms());
}

void term_set_mouse(struct term *t, bool on)
{
    t->mouse = on;
    start_modes(t);
}

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void term_copy(struct term *t, const char *text)
{
    (void)t;
    size_t n = strlen(text);
    n = n < TERM_COPY_MAX ? n : TERM_COPY_MAX;
    struct str out = STR_INIT;
    str_append(&out, "\033]52;c;");
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)(unsigned char)text[i] << 16;
        v |= i + 1 < n ? (uint32_t)(unsigned char)text[i + 1] << 8 : 0;
        v |= i + 2 < n ? (uint32_t)(unsigned char)text[i + 2] : 0;
        str_append_char(&out, base64[v >> 18 & 63]);
        str_append_char(&out, base64[v >> 12 & 63]);
        str_append_char(&out, i + 1 < n ? base64[v >> 6 & 63] : '=');
        str_append_char(&out, i + 2 < n ? base64[v & 63] : '=');
    }
    str_append_char(&out, '\a');
    term_write_all(out.s, out.len);
    str_fini(&out);
}

void term_bell(struct term *t)
{
    (void)t;
    term_write_all("\a", 1);
}

void term_notify(struct term *t, enum notify_way way, const char *title, const char *text)
{
    (void)t;
    struct str out = STR_INIT;
    notify_append(&out, way, !str_is_empty(getenv("TMUX")), title, text);
    term_write_all(out.s, out.len);
    str_fini(&out);
}

void term_title(struct term *t, const char *text)
{
    struct str s = STR_INIT;
    if (!t->titled) { /* kept by the terminal, and fetched again whatever ends us */
        str_append(&s, "\033[22;2t");
        str_append(&t->restore, "\033[23;2t");
        restore_arm(STDOUT_FILENO, t->restore.s, t->restore.len, &t->saved);
    }
    t->titled = true;
    str_append(&s, "\033]2;");
    cell_text(&s, text, 200, false, false);
    str_append_char(&s, '\a');
    term_write_all(s.s, s.len);
    str_fini(&s);
}

static void term_leave(struct term *t)
{
    decoder_drop(&t->decoder);
    hand_over(t);
}

void term_suspend(struct term *t)
{
    term_leave(t);
    kill(0, SIGTSTP);
    /* Continued, for example by fg. */
    take_over(t);
}

/* In the child: signals as a shell gives them to a program. */
static void become(char *const *argv)
{
    static const int signals[] = {SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGTERM, SIGHUP};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    given_env_restore();
    execvp(argv[0], argv);
    fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* What it said last would be gone at once with the screen. */
static void await_enter(const char *what, int status)
{
    if (WIFSIGNALED(status))
        printf("\n%s was killed by signal %d. Press Enter to return to the screens. ", what,
               WTERMSIG(status));
    else
        printf("\n%s exited with %d. Press Enter to return to the screens. ", what, WEXITSTATUS(status));
    fflush(stdout);
    for (int c = 0; c != '\n' && c != EOF;)
        c = getchar();
}

int term_run(struct term *t, const char *where, char *const *argv)
{
    int status = 0;
    term_leave(t);
    printf("%s\n", where);
    fflush(stdout);
    /* The keys that interrupt are for the program, not for us. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
    sigaction(SIGINT, &ignore, &old_int);
    sigaction(SIGQUIT, &ignore, &old_quit);
    pid_t pid = fork();
    if (pid == 0)
        become(argv);
    int rc = pid < 0 ? -errno : 0;
    int64_t begin_ms = mono_ms();
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    tcsetattr(STDIN_FILENO, TCSANOW, &t->saved);
    if (!rc && status && mono_ms() - begin_ms < FAILED_S * MS_PER_S)
        await_enter(argv[0], status);
    take_over(t);
    return rc;
}
