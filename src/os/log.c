/* log.c - the daemons' log. */
#include "src/os/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/os/clock.h"

static const char *const level_names[] = {
    [LOG_LVL_ERROR] = "error", [LOG_LVL_WARN] = "warn", [LOG_LVL_INFO] = "info", [LOG_LVL_DEBUG] = "debug"};

static struct {
    const char *name;
    int fd;
    enum log_level level;
    atomic_uint lost; /* lines since the last one that could be written */
    void (*append)(struct str *line, const char *text);
} the_log = {.name = "stoker", .fd = STDERR_FILENO, .level = LOG_LVL_INFO};

void log_open_with(const char *name, int fd, enum log_level level,
                   void (*append)(struct str *line, const char *text))
{
    the_log.append = append;
    const char *env = getenv("STOKER_LOG");
    the_log.name = name;
    the_log.fd = fd < 0 ? STDERR_FILENO : fd;
    the_log.level = level;
    for (size_t i = 0; env && i < sizeof level_names / sizeof level_names[0]; i++)
        if (strcasecmp(env, level_names[i]) == 0)
            the_log.level = (enum log_level)i;
}

enum log_level log_level_now(void)
{
    return the_log.level;
}

static void append_stamp(struct str *line, enum log_level level)
{
    int64_t ms = wall_read().ms;
    time_t s = ms / MS_PER_S;
    struct tm tm;
    char text[32];
    if (!localtime_r(&s, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(text, sizeof text, "@%lld", (long long)s);
    str_appendf(line, "%s.%03d %s %s ", text, (int)(ms % MS_PER_S), the_log.name, level_names[level]);
}

/* One line is one write, so that lines of several processes do not mix. A part of a line counts as lost. */
static bool write_line(const struct str *line)
{
    ssize_t n;
    do
        n = write(the_log.fd, line->s, line->len);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)line->len;
}

static void append_ascii(struct str *line, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p >= ' ' && *p < 0x7f)
            str_append_char(line, (char)*p);
        else
            str_appendf(line, "\\x%02x", *p);
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    if (level > the_log.level)
        return;
    int saved_errno = errno;
    struct str line = STR_INIT, text = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&text, fmt, ap);
    va_end(ap);

    unsigned lost = atomic_exchange(&the_log.lost, 0);
    append_stamp(&line, level);
    /* It is read on a terminal, and clients choose some of the words. */
    (the_log.append ? the_log.append : append_ascii)(&line, text.s ? text.s : "");
    if (lost)
        str_appendf(&line, " lost_lines=%u", lost);
    str_append_char(&line, '\n');
    if (!write_line(&line))
        atomic_fetch_add(&the_log.lost, lost + 1);
    str_fini(&text);
    str_fini(&line);
    errno = saved_errno;
}
