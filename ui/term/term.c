/* term.c - the terminal, by curses. */
#include "ui/term/term.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/term/restore.h"

#define ESC_DELAY_MS 25
#define PASTE_BEGIN  2000 /* codes of our own for define_key, above curses' own */
#define PASTE_END    2001
#define PASTE_MAX    (1024 * 1024)
#define FAILED_S     3  /* a program that ends badly so soon has something to say */
#define N_COLORS     17 /* the sixteen and the terminal's own */

struct term {
    SCREEN *screen;
    struct termios saved;
    struct canvas last; /* what curses has been told; rows 0: nothing yet */
    int colors;
    bool mouse, gone, titled;
    struct str paste;
    struct str restore;
};

/* The bytes that undo what term_open does, in the order of the undoing. */
static void prepare_restore(struct term *t)
{
    static const char *const names[] = {"rmkx", "cnorm", "sgr0", "rmcup"};
    str_append(&t->restore, "\033[?2004l\033[?1006l\033[?1002l\033[?1000l");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[8];
        snprintf(name, sizeof name, "%s", names[i]);
        const char *s = tigetstr(name);
        for (; s && s != (const char *)-1 && *s; s++) {
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

static void write_all(const char *s, size_t n)
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
    write_all("\033[?2004h", 8);
    mousemask(t->mouse ? BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED |
                             BUTTON5_PRESSED
                       : 0,
              NULL);
}

static void start_colors(struct term *t)
{
    if (!has_colors())
        return;
    start_color();
    use_default_colors();
    t->colors = COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

/* A pair for each two of the colours, made when it is first needed. */
static short color_pair(const struct term *t, struct style s)
{
    if (!t->colors || (s.fg < 0 && s.bg < 0))
        return 0;
    short pair = (short)((s.fg + 1) * N_COLORS + s.bg + 1);
    if (pair >= COLOR_PAIRS)
        return 0;
    init_pair(pair, s.fg, s.bg);
    return pair;
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
    str_init(&t->paste);
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
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    intrflush(stdscr, FALSE);
    set_escdelay(ESC_DELAY_MS);
    mouseinterval(0); /* a press is told at once; what makes a double click is decided above */
    define_key("\033[200~", PASTE_BEGIN);
    define_key("\033[201~", PASTE_END);
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
        mousemask(0, NULL);
        endwin();
        restore_now();
        delscreen(t->screen);
    }
    canvas_fini(&t->last);
    str_fini(&t->paste);
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
    return memcmp(canvas_at(a, y, 0), canvas_at(b, y, 0), (size_t)a->cols * sizeof(struct cell)) == 0;
}

static void show_row(const struct term *t, const struct canvas *c, const struct theme *theme, int y)
{
    for (int x = 0; x < c->cols; x++) {
        const struct cell *cell = canvas_at(c, y, x);
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
        memcpy(&t->last.cells[y * c->cols], &c->cells[y * c->cols], (size_t)c->cols * sizeof(struct cell));
    }
    bool cursor = c->cur_y >= 0 && c->cur_y < c->rows && c->cur_x >= 0 && c->cur_x < c->cols;
    curs_set(cursor);
    if (cursor)
        move(c->cur_y, c->cur_x);
    else
        move(c->rows - 1, c->cols - 1);
    refresh();
}

static uint32_t function_key(wint_t code)
{
    static const struct {
        wint_t code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, KEYNAME_UP},       {KEY_DOWN, KEYNAME_DOWN},  {KEY_LEFT, KEYNAME_LEFT},
        {KEY_RIGHT, KEYNAME_RIGHT}, {KEY_HOME, KEYNAME_HOME},  {KEY_END, KEYNAME_END},
        {KEY_PPAGE, KEYNAME_PGUP},  {KEY_NPAGE, KEYNAME_PGDN}, {KEY_IC, KEYNAME_INSERT},
        {KEY_DC, KEYNAME_DELETE},   {KEY_BTAB, KEYNAME_STAB},  {KEY_BACKSPACE, KEYNAME_BACKSPACE},
        {KEY_ENTER, KEYNAME_ENTER}, {KEY_FIND, KEYNAME_HOME},  {KEY_SELECT, KEYNAME_END},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].code == code)
            return keys[i].key;
    if (code >= (wint_t)KEY_F(1) && code <= (wint_t)KEY_F(12))
        return KEYNAME_F1 + (code - (wint_t)KEY_F(1));
    return 0;
}

static bool read_mouse(struct input *in)
{
    static struct timespec last; /* of the last press, for double clicks */
    MEVENT ev;
    if (getmouse(&ev) != OK)
        return false;
    *in = (struct input){.kind = INPUT_MOUSE, .y = ev.y, .x = ev.x};
    if (ev.bstate & BUTTON4_PRESSED)
        in->what = MOUSE_WHEEL_UP;
    else if (ev.bstate & BUTTON5_PRESSED)
        in->what = MOUSE_WHEEL_DOWN;
    else if (ev.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED)) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t ms = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
        in->what = ms < 400 ? MOUSE_DOUBLE : MOUSE_CLICK;
        last = now;
    } else
        return false;
    return true;
}

/* Everything up to the end of the paste: nothing of it may count as a key. What a program in between is
 * slow to send is waited for. */
static bool read_paste(struct term *t, struct input *in)
{
    str_clear(&t->paste);
    timeout(1000);
    for (;;) {
        wint_t ch;
        int rc = get_wch(&ch);
        if (rc == ERR || (rc == KEY_CODE_YES && ch == PASTE_END))
            break;
        if (rc == KEY_CODE_YES || t->paste.len > PASTE_MAX)
            continue;
        char b[4];
        str_append_n(&t->paste, b, utf8_encode(ch, b));
    }
    nodelay(stdscr, TRUE);
    *in = (struct input){.kind = INPUT_PASTE, .text = t->paste.s};
    return true;
}

bool term_read(struct term *t, struct input *in)
{
    for (;;) {
        wint_t ch;
        errno = 0;
        int rc = get_wch(&ch);
        if (rc == ERR) {
            int n = 0;
            if (errno == EIO || (ioctl(STDIN_FILENO, FIONREAD, &n) != 0 && errno != EINTR))
                t->gone = true;
            return false;
        }
        if (rc == KEY_CODE_YES) {
            if (ch == PASTE_BEGIN)
                return read_paste(t, in);
            if (ch == KEY_MOUSE && read_mouse(in))
                return true;
            uint32_t key = function_key(ch);
            if (!key)
                continue;
            *in = input_key(key);
            return true;
        }
        *in = input_key(ch == '\n' ? '\r' : ch == '\b' ? KEYNAME_BACKSPACE : (uint32_t)ch);
        return true;
    }
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
    write_all(out.s, out.len);
    str_fini(&out);
}

void term_bell(struct term *t)
{
    (void)t;
    write_all("\a", 1);
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
    write_all(s.s, s.len);
    str_fini(&s);
}

static void leave(void)
{
    mousemask(0, NULL);
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
    leave();
    kill(0, SIGTSTP);
    /* Here again: somebody said fg. */
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
        printf("\n%s was ended by signal %d. Enter goes back to the screens. ", what, WTERMSIG(status));
    else
        printf("\n%s ended with %d. Enter goes back to the screens. ", what, WEXITSTATUS(status));
    fflush(stdout);
    for (int c = 0; c != '\n' && c != EOF;)
        c = getchar();
}

int term_run(struct term *t, const char *where, char *const *argv)
{
    int status = 0;
    leave();
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
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    tcsetattr(STDIN_FILENO, TCSANOW, &t->saved);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (!rc && status && end.tv_sec - begin.tv_sec < FAILED_S)
        await_enter(argv[0], status);
    come_back(t);
    return rc;
}
