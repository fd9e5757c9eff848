/* pty.c - srun --pty. */
#include "src/cli/pty.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool is_raw;

static void append_quoted(struct str *s, const char *word)
{
    str_append_char(s, '\'');
    for (; *word; word++)
        if (*word == '\'')
            str_append(s, "'\\''");
        else
            str_append_char(s, *word);
    str_append_char(s, '\'');
}

struct strv pty_command(const struct strv *argv)
{
    struct str line = STR_INIT;
    struct winsize w;
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row && w.ws_col)
        str_appendf(&line, "stty rows %u cols %u; ", w.ws_row, w.ws_col);
    str_append(&line, "exec");
    for (size_t i = 0; i < argv->n; i++) {
        str_append_char(&line, ' ');
        append_quoted(&line, argv->v[i]);
    }
    struct strv out = {0};
    strv_push(&out, "script");
    strv_push(&out, "-qefc");
    strv_push(&out, line.s);
    strv_push(&out, "/dev/null");
    str_fini(&line);
    return out;
}

void pty_restore(void)
{
    if (is_raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    is_raw = false;
}

void pty_raw(void)
{
    if (is_raw || tcgetattr(STDIN_FILENO, &before) < 0)
        return;
    struct termios raw = before;
    cfmakeraw(&raw);
    is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    if (is_raw)
        atexit(pty_restore);
}
