/* time_parse.c - what people write for an instant, in local time. */
#include "src/values/time_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "src/base/err.h"
#include "src/lang/lang.h"

#define S_PER_DAY 86400

/* What the words of the text have said so far; what they leave open is filled in at the end. */
struct moment {
    struct tm now; /* local */
    bool has_date, has_year, has_time, is_exact;
    int year, month, day; /* month 1..12 */
    int hour, min, s;
    int64_t exact_s; /* is_exact: since the Epoch */
};

/* Between min and max digits at *p, which moves past them. */
static bool time_take_digits(const char **p, int min, int max, int *ret)
{
    int n = 0, v = 0;
    while (n < max && isdigit((unsigned char)(*p)[n]))
        v = v * 10 + ((*p)[n++] - '0');
    if (n < min)
        return false;
    *p += n;
    *ret = v;
    return true;
}

static bool take_char(const char **p, char c)
{
    if (**p != c)
        return false;
    ++*p;
    return true;
}

static size_t count_digits(const char *s)
{
    return strspn(s, "0123456789");
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool set_date(struct moment *m, int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (m->has_date || month < 1 || month > 12 || day < 1)
        return false;
    bool may_be_leap = year < 0 || is_leap(year);
    if (day > days[month - 1] + (month == 2 && may_be_leap))
        return false;
    m->has_date = true;
    m->has_year = year >= 0;
    m->year = year;
    m->month = month;
    m->day = day;
    return true;
}

/* Days after today; mktime carries an overflowing day into the month. */
static bool set_day_from_now(struct moment *m, int days)
{
    if (m->has_date)
        return false;
    m->has_date = m->has_year = true;
    m->year = m->now.tm_year + 1900;
    m->month = m->now.tm_mon + 1;
    m->day = m->now.tm_mday + days;
    return true;
}

static bool time_set_time(struct moment *m, int hour, int min, int s)
{
    if (m->has_time || hour > 23 || min > 59 || s > 59)
        return false;
    m->has_time = true;
    m->hour = hour;
    m->min = min;
    m->s = s;
    return true;
}

/* HH:MM[:SS][AM|PM] at *p. */
static bool take_time(const char **p, struct moment *m)
{
    int hour, min, s = 0;
    if (!time_take_digits(p, 1, 2, &hour) || !take_char(p, ':') || !time_take_digits(p, 2, 2, &min))
        return false;
    if (take_char(p, ':') && !time_take_digits(p, 2, 2, &s))
        return false;
    bool am = strncasecmp(*p, "am", 2) == 0, pm = strncasecmp(*p, "pm", 2) == 0;
    if (am || pm) {
        if (hour < 1 || hour > 12)
            return false;
        hour = hour % 12 + (pm ? 12 : 0);
        *p += 2;
    }
    return time_set_time(m, hour, min, s);
}

/* YYYY-MM-DD, MM/DD[/YY], MMDD[YY]; YY is 20YY. */
static bool take_date(const char **p, struct moment *m)
{
    int year = -1, month, day;
    size_t n = count_digits(*p);
    if (n == 4 && (*p)[4] == '-') {
        if (!time_take_digits(p, 4, 4, &year) || !take_char(p, '-') || !time_take_digits(p, 1, 2, &month) ||
            !take_char(p, '-') || !time_take_digits(p, 1, 2, &day))
            return false;
        /* Before the Epoch there are no jobs, and not every calendar agrees on what was there. */
        return year >= 1970 && set_date(m, year, month, day);
    }
    if (n == 4 || n == 6) {
        if (!time_take_digits(p, 2, 2, &month) || !time_take_digits(p, 2, 2, &day) ||
            (n == 6 && !time_take_digits(p, 2, 2, &year)))
            return false;
    } else {
        if (!time_take_digits(p, 1, 2, &month) || !take_char(p, '/') || !time_take_digits(p, 1, 2, &day))
            return false;
        if (take_char(p, '/') && !time_take_digits(p, 2, 2, &year))
            return false;
    }
    return set_date(m, year < 0 ? -1 : 2000 + year, month, day);
}

/* +COUNT[unit] after "now"; the unit may stand apart. */
static bool take_offset(const char **p, struct wall now, struct moment *m)
{
    static const struct {
        const char *name;
        int64_t s;
    } units[] = {{"seconds", 1},           {"second", 1},          {"secs", 1},         {"sec", 1},
                 {"minutes", 60},          {"minute", 60},         {"mins", 60},        {"min", 60},
                 {"hours", 3600},          {"hour", 3600},         {"days", S_PER_DAY}, {"day", S_PER_DAY},
                 {"weeks", 7 * S_PER_DAY}, {"week", 7 * S_PER_DAY}};

    int64_t sign = **p == '-' ? -1 : 1, unit = 1;
    int count;
    if (!take_char(p, '+') && !take_char(p, '-'))
        return false;
    if (!time_take_digits(p, 1, 9, &count))
        return false;
    *p += strspn(*p, " \t");
    size_t n = strcspn(*p, " \t");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (n == strlen(units[i].name) && strncasecmp(*p, units[i].name, n) == 0) {
            unit = units[i].s;
            *p += n;
            break;
        }
    m->exact_s = now.ms / MS_PER_S + sign * count * unit;
    return true;
}

/* The words. A time of day by name is its next one, unless a date is given too. */
static bool time_take_word(const char **p, size_t n, struct wall now, struct moment *m)
{
    static const struct {
        const char *name;
        int hour;
    } hours[] = {{"midnight", 0}, {"elevenses", 11}, {"noon", 12}, {"fika", 15}, {"teatime", 16}};

    const char *word = *p;
    *p += n;
    for (size_t i = 0; i < sizeof hours / sizeof hours[0]; i++)
        if (n == strlen(hours[i].name) && strncasecmp(word, hours[i].name, n) == 0)
            return time_set_time(m, hours[i].hour, 0, 0);
    if (n == 5 && strncasecmp(word, "today", n) == 0)
        return set_day_from_now(m, 0);
    if (n == 8 && strncasecmp(word, "tomorrow", n) == 0)
        return set_day_from_now(m, 1);
    if (n != 3 || strncasecmp(word, "now", n) != 0 || m->is_exact)
        return false;
    m->is_exact = true;
    m->exact_s = now.ms / MS_PER_S;
    const char *next = *p + strspn(*p, " \t");
    if (*next != '+' && *next != '-')
        return true;
    *p = next;
    return take_offset(p, now, m);
}

static bool take_epoch(const char **p, struct moment *m)
{
    size_t n = count_digits(++*p);
    if (!n || n > 11 || m->is_exact)
        return false;
    m->is_exact = true;
    for (; n; n--)
        m->exact_s = m->exact_s * 10 + (*(*p)++ - '0');
    return m->exact_s > 0;
}

static bool take_token(const char **p, struct wall now, struct moment *m)
{
    size_t n = strspn(*p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (**p == '@')
        return take_epoch(p, m);
    if (n)
        return time_take_word(p, n, now, m);
    n = count_digits(*p);
    return (*p)[n] == ':' ? take_time(p, m) : take_date(p, m);
}

/* Local time of the moment; -1 where it does not exist. */
static int64_t to_epoch_s(const struct moment *m)
{
    struct tm tm = {.tm_year = m->year - 1900,
                    .tm_mon = m->month - 1,
                    .tm_mday = m->day,
                    .tm_hour = m->hour,
                    .tm_min = m->min,
                    .tm_sec = m->s,
                    .tm_isdst = -1};
    return mktime(&tm);
}

/* Fills in what was not said: the next such time of day, the next such day of the year. */
static int64_t time_resolve(struct moment *m, int64_t now_s)
{
    if (!m->has_date) {
        bool passed = m->hour * 3600 + m->min * 60 + m->s <=
                      m->now.tm_hour * 3600 + m->now.tm_min * 60 + m->now.tm_sec;
        set_day_from_now(m, passed ? 1 : 0);
        return to_epoch_s(m);
    }
    if (m->has_year)
        return to_epoch_s(m);
    bool is_today = m->month == m->now.tm_mon + 1 && m->day == m->now.tm_mday;
    bool is_leap_day = m->month == 2 && m->day == 29;
    m->year = m->now.tm_year + 1900;
    while ((is_leap_day && !is_leap(m->year)) || (to_epoch_s(m) < now_s && !is_today))
        m->year++;
    return to_epoch_s(m);
}

/* The same backwards: the last such time of day, the last such day of the year. */
static int64_t resolve_past(struct moment *m, int64_t now_s)
{
    if (!m->has_date) {
        set_day_from_now(m, 0);
        m->day -= to_epoch_s(m) > now_s;
        return to_epoch_s(m);
    }
    if (m->has_year)
        return to_epoch_s(m);
    bool is_leap_day = m->month == 2 && m->day == 29;
    m->year = m->now.tm_year + 1900;
    while ((is_leap_day && !is_leap(m->year)) || to_epoch_s(m) > now_s)
        m->year--;
    return to_epoch_s(m);
}

static int time_parse(const char *s, struct wall now, bool past, struct wall *ret, struct errtext *err)
{
    struct moment m = {0};
    time_t now_s = (time_t)(now.ms / MS_PER_S);
    const char *p = s + strspn(s, " \t");
    bool ok = *p && localtime_r(&now_s, &m.now);
    while (ok && *p) {
        ok = take_token(&p, now, &m);
        /* A date and its time are joined by a T or by blanks; no two tokens stand side by side. */
        if (ok && *p == 'T' && m.has_date && !m.has_time && isdigit((unsigned char)p[1]))
            p++;
        else if (ok && *p)
            ok = *p == ' ' || *p == '\t';
        p += strspn(p, " \t");
    }
    if (!ok || (m.is_exact && (m.has_date || m.has_time)))
        return err_set(err, -EINVAL,
                       tr("\"%s\" is not a time: give YYYY-MM-DD[THH:MM[:SS]], HH:MM[:SS], MMDD[YY], "
                          "MM/DD[/YY], today, "
                          "tomorrow, midnight, noon, now+COUNT[unit] or @SECONDS"),
                       s);
    int64_t t = m.is_exact ? m.exact_s : past ? resolve_past(&m, now_s) : time_resolve(&m, now_s);
    if (past && t <= 0)
        t = 1;
    if (t <= 0)
        return err_set(err, -EINVAL, tr("\"%s\" is not a time that a job could wait for"), s);
    *ret = (struct wall){.ms = t * MS_PER_S};
    return 0;
}

int wall_parse(const char *s, struct wall now, struct wall *ret, struct errtext *err)
{
    return time_parse(s, now, false, ret, err);
}

int wall_parse_past(const char *s, struct wall now, struct wall *ret, struct errtext *err)
{
    return time_parse(s, now, true, ret, err);
}
