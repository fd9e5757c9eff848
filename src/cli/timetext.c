/* timetext.c - instants as SLURM_TIME_FORMAT wants them. */
#include "src/cli/timetext.h"

#include <time.h>

struct timetext timetext_from(const char *env, struct wall now)
{
    struct timetext f = {.kind = TIMETEXT_ISO, .now = now};
    if (str_is_empty(env) || str_ieq(env, "standard"))
        return f;
    f.kind = str_ieq(env, "relative") ? TIMETEXT_RELATIVE : TIMETEXT_STRFTIME;
    f.format = env;
    return f;
}

static struct tm local_time(struct wall t)
{
    time_t s = (time_t)(t.ms / MS_PER_S);
    struct tm tm = {0};
    localtime_r(&s, &tm);
    return tm;
}

/* Days since the Epoch of the local calendar day: 400 years of it are 146097 days. */
static int64_t local_day(const struct tm *tm)
{
    int64_t y = tm->tm_year + 1900 - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + tm->tm_yday;
}

/* Source: squeue(1), SLURM_TIME_FORMAT=relative: today only the time, around it words, else the date. */
static const char *relative_format(const struct tm *tm, struct wall now)
{
    struct tm today = local_time(now);
    int64_t days = local_day(tm) - local_day(&today);
    if (days == 0)
        return "%H:%M:%S";
    if (days == -1)
        return "Ystday %H:%M";
    if (days == 1)
        return "Tomorr %H:%M";
    if (days > 1 && days < 7)
        return "%a %H:%M";
    return tm->tm_year == today.tm_year ? "%-d %b %H:%M" : "%-d %b %Y";
}

/* The format is the user's own, for the user's own terminal: strftime cannot be made to write beyond
 * buf. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void append_strftime(struct str *out, const char *format, const struct tm *tm)
{
    char buf[256];
    size_t n = strftime(buf, sizeof buf, format, tm);
    str_append_n(out, buf, n);
}
#pragma GCC diagnostic pop

static void append_two(struct str *out, int v)
{
    str_append_char(out, (char)('0' + v / 10 % 10));
    str_append_char(out, (char)('0' + v % 10));
}

/* By hand: listings print two of these for each of 100,000 rows. */
static void append_iso(struct str *out, const struct tm *tm)
{
    int year = tm->tm_year + 1900;
    append_two(out, year / 100);
    append_two(out, year % 100);
    str_append_char(out, '-');
    append_two(out, tm->tm_mon + 1);
    str_append_char(out, '-');
    append_two(out, tm->tm_mday);
    str_append_char(out, 'T');
    append_two(out, tm->tm_hour);
    str_append_char(out, ':');
    append_two(out, tm->tm_min);
    str_append_char(out, ':');
    append_two(out, tm->tm_sec);
}

void timetext_append(struct str *out, const struct timetext *f, struct wall t, const char *unset)
{
    if (!wall_is_set(t)) {
        str_append(out, unset);
        return;
    }
    struct tm tm = local_time(t);
    switch (f->kind) {
    case TIMETEXT_ISO: append_iso(out, &tm); break;
    case TIMETEXT_RELATIVE: append_strftime(out, relative_format(&tm, f->now), &tm); break;
    case TIMETEXT_STRFTIME: append_strftime(out, f->format, &tm); break;
    }
}

void timetext_append_date_line(struct str *out, struct wall now)
{
    struct tm tm = local_time(now);
    append_strftime(out, "%a %b %d %H:%M:%S %Y", &tm);
    str_append_char(out, '\n');
}
