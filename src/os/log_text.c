/* log_text.c - a log whose lines are UTF-8. */
#include "src/base/utf8.h"
#include "src/os/log.h"

static void append_text(struct str *line, const char *text)
{
    cell_text(line, text, -1, false, false);
}

void log_open(const char *name, int fd, enum log_level level)
{
    log_open_with(name, fd, level, append_text);
}
