/* pty.c - a raw terminal. */
#include "src/cli/pty.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool is_raw;

void pty_put_size(struct strv *env)
{
    struct winsize w;
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col)
        return;
    strv_setenvf(env, "SLURM_PTY_WIN_ROW", "%u", w.ws_row);
    strv_setenvf(env, "SLURM_PTY_WIN_COL", "%u", w.ws_col);
}

void pty_restore(void)
{
    if (is_raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    is_raw = false;
}

bool pty_is_raw(void)
{
    return is_raw;
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
