/* term.c - the terminal, by curses. */
#include "ui/term/term.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
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

#include "src/base/clock.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/keys/key_decode.h"
#include "ui/term/restore.h"

#define FAILED_S 3  /* a program that ends badly so soon has something to say */
#define N_COLORS 17 /* the sixteen and the terminal's own */

struct term {
    SCREEN *screen;
    struct termios saved;
    struct canvas last; /* what curses has been told; rows 0: nothing yet */
    int colors;
    short pairs[N_COLORS][N_COLORS]; /* by the colours plus one; 0: not made yet */
    int n_pairs;
    bool mouse, gone, titled;
    struct key_decoder decoder;
    struct str restore;
};

/* NULL: this kind of terminal has none. */
static const char *capability(const char *name)
{
    char text[8];
    snprintf(text, sizeof text, "%s", name);
    const char *s = tigetstr(text);
    return s == (const char *)-1 ? NULL : s;
}

/* The bytes that undo what term_open does, in the order of the undoing. */
static void prepare_restore(struct term *t)
{
    static const char *const names[] = {"rmkx", "cnorm", "sgr0", "rmcup"};
    str_append(&t->restore, "\033[?2004l\033[?1006l\033[?1002l\033[?1000l");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (const char *s = capability(names[i]); s && *s; s++) {
            if (s[0] == '$' && s[1] == '<') { /* padding of old terminals */
                while (*s && *s != '>')
                    s++;
                if (!*s)
                    break;
                continue;
            }
            str_append_char(&t->restore, *s);
        }
    }
}

static void term_write_all(const char *s, size_t n)
{
    fflush(stdout);
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
    static const char paste[] = "\033[?2004h", on[] = "\033[?1000h\033[?1006h",
                      off[] = "\033[?1006l\033[?1000l";
    term_write_all(paste, sizeof paste - 1);
    if (capability("kmous"))
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
        const char *bytes = capability(keys[i].name);
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
    typeahead(-1); /* curses does not read: it would stop in the middle of a picture for ever */
}

/* A pair for each two of the colours, made when it is first needed: terminals of eight colours have 64
 * pairs, far more than a theme uses. Where a job's own colours have used up all of them the background is
 * left out. */
static short color_pair(struct term *t, struct style s)
{
    if (!t->colors || (s.fg < 0 && s.bg < 0))
        return 0;
    short *pair = &t->pairs[s.fg + 1][s.bg + 1];
    if (!*pair && t->n_pairs + 1 < COLOR_PAIRS && t->n_pairs < N_COLORS * N_COLORS) {
        *pair = (short)++t->n_pairs;
        init_pair(*pair, s.fg, s.bg);
    }
    return *pair ? *pair : t->pairs[s.fg + 1][0];
}

static void start_colors(struct term *t)
{
    if (!has_colors())
        return;
    start_color();
    use_default_colors();
    t->colors = COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
    for (int8_t fg = 0; fg < t->colors; fg++) /* these are there in any case */
        color_pair(t, (struct style){.fg = fg, .bg = -1});
}

static attr_t attributes(struct style s)
{
    return (s.attr & STYLE_BOLD ? A_BOLD : 0) | (s.attr & STYLE_DIM ? A_DIM : 0) |
           (s.attr & STYLE_UNDERLINE ? A_UNDERLINE : 0) | (s.attr & STYLE_REVERSE ? A_REVERSE : 0);
}

int term_open(unsigned flags, struct term **ret, struct errtext *err)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return err_set(err, -ENOTTY, "standard input and output must be a terminal");
    struct term *t = xcalloc(1, sizeof *t);
    t->mouse = flags & TERM_MOUSE;
    canvas_init(&t->last);
    decoder_init(&t->decoder);
    str_init(&t->restore);
    tcgetattr(STDIN_FILENO, &t->saved);
    t->screen = newterm(NULL, stdout, stdin);
    if (!t->screen) {
        const char *name = getenv("TERM");
        term_close(t);
        return err_set(err, -ENODEV, "the terminal type '%s' is not known: set TERM", name ? name : "");
    }
    set_term(t->screen);
    prepare_restore(t);
    restore_arm(STDOUT_FILENO, t->restore.s, t->restore.len, &t->saved);
    raw();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    start_input(t);
    start_colors(t);
    start_modes(t);
    curs_set(0);
    *ret = t;
    return 0;
}

void term_close(struct term *t)
{
    if (!t)
        return;
    if (t->screen) {
        endwin();
        restore_now();
        delscreen(t->screen);
    }
    canvas_fini(&t->last);
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
    return t->colors;
}

bool term_is_gone(const struct term *t)
{
    return t->gone;
}

void term_size(struct term *t, int *rows, int *cols)
{
    struct winsize ws;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row && ws.ws_col &&
        (ws.ws_row != LINES || ws.ws_col != COLS)) {
        resizeterm(ws.ws_row, ws.ws_col);
        term_redraw(t);
    }
    *rows = LINES;
    *cols = COLS;
}

void term_redraw(struct term *t)
{
    t->last.rows = t->last.cols = 0;
    clearok(stdscr, TRUE);
}

static bool same_row(const struct canvas *a, const struct canvas *b, int y)
{
    return memcmp(canvas_at(a, y, 0), canvas_at(b, y, 0), (size_t)a->cols * sizeof(struct canvas_cell)) ==
           0;
}

static void show_row(struct term *t, const struct canvas *c, const struct theme *theme, int y)
{
    for (int x = 0; x < c->cols; x++) {
        const struct canvas_cell *cell = canvas_at(c, y, x);
        if (cell->width == 0)
            continue;
        wchar_t text[2 + CELL_MARKS] = {0};
        for (int i = 0; i < 1 + CELL_MARKS && cell->cp[i]; i++)
            text[i] = (wchar_t)cell->cp[i];
        struct style s = theme_ink(theme, (enum role)cell->role, (enum role)cell->over, cell->ink);
        cchar_t out;
        if (setcchar(&out, text, attributes(s), color_pair(t, s), NULL) == OK)
            mvadd_wch(y, x, &out);
    }
}

void term_show(struct term *t, const struct canvas *c, const struct theme *theme)
{
    bool same_size = t->last.rows == c->rows && t->last.cols == c->cols;
    if (!same_size)
        canvas_resize(&t->last, c->rows, c->cols);
    for (int y = 0; y < c->rows && y < LINES; y++) {
        if (same_size && same_row(c, &t->last, y))
            continue;
        show_row(t, c, theme, y);
        memcpy(&t->last.cells[y * c->cols], &c->cells[y * c->cols],
               (size_t)c->cols * sizeof(struct canvas_cell));
    }
    bool cursor = c->cur_y >= 0 && c->cur_y < c->rows && c->cur_x >= 0 && c->cur_x < c->cols;
    curs_set(cursor);
    if (cursor)
        move(c->cur_y, c->cur_x);
    else
        move(c->rows - 1, c->cols - 1);
    refresh();
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
    endwin();
    restore_now();
}

static void come_back(struct term *t)
{
    restore_arm(STDOUT_FILENO, t->restore.s, t->restore.len, &t->saved);
    start_modes(t);
    term_redraw(t);
}

void term_suspend(struct term *t)
{
    term_leave(t);
    kill(0, SIGTSTP);
    /* Continued, for example by fg. */
    come_back(t);
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
    come_back(t);
    return rc;
}
