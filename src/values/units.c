/* units.c - durations, sizes and counts as people and Slurm write them. */
#include "src/values/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/lang/lang.h"

#define DURATION_MAX (DURATION_NOT_SET - 1) /* the longest that is not a special value */
#define S_PER_DAY    86400u

static const char not_a_duration[] =
    N_("\"%s\" is not a time: give minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS or UNLIMITED");

static bool is_unlimited(const char *s)
{
    return strcasecmp(s, "UNLIMITED") == 0 || strcasecmp(s, "INFINITE") == 0 || strcmp(s, "-1") == 0;
}

bool digits_take(const char **p, uint64_t *ret)
{
    const char *from = *p;
    uint64_t v = 0;
    for (; isdigit((unsigned char)**p); (*p)++) {
        v = v * 10 + (uint64_t)(**p - '0');
        v = v > UINT32_MAX ? (uint64_t)UINT32_MAX + 1 : v;
    }
    *ret = v;
    return *p != from;
}

static bool units_take_digits(const char **p, uint64_t *ret)
{
    return digits_take(p, ret) && *ret <= UINT32_MAX;
}

/* [D-]A[:B[:C]] in seconds. Without days the last field of one is minutes, of two seconds; with days the
 * first is hours. */
static bool parse_fields(const char *s, uint64_t *ret_s)
{
    uint64_t days = 0, f[3] = {0};
    bool has_days = false;
    int n = 0;
    const char *p = s;
    if (!units_take_digits(&p, &f[n++]))
        return false;
    if (*p == '-') {
        p++;
        has_days = true;
        days = f[0];
        if (!units_take_digits(&p, &f[0]))
            return false;
    }
    while (*p == ':' && n < 3) {
        p++;
        if (!units_take_digits(&p, &f[n++]))
            return false;
    }
    if (*p)
        return false;
    if (has_days || n == 3)
        *ret_s = days * S_PER_DAY + f[0] * 3600 + f[1] * 60 + f[2];
    else
        *ret_s = f[0] * 60 + f[1];
    return *ret_s <= DURATION_MAX;
}

int duration_parse_slurm(const char *s, uint32_t *ret_s, struct errtext *err)
{
    uint64_t v = 0;
    if (!is_unlimited(s) && !parse_fields(s, &v))
        return err_set(err, -EINVAL, tr(not_a_duration), s);
    *ret_s = v ? (uint32_t)v : DURATION_UNLIMITED;
    return 0;
}

int duration_parse_conf(const char *s, uint32_t *ret_s, struct errtext *err)
{
    static const struct {
        char unit;
        uint32_t s;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', S_PER_DAY}, {'w', 7 * S_PER_DAY}, {'\0', 1}};

    uint64_t v = 0;
    if (is_unlimited(s)) {
        *ret_s = DURATION_UNLIMITED;
        return 0;
    }
    if (strpbrk(s, ":-")) {
        if (!parse_fields(s, &v))
            return err_set(err, -EINVAL, tr(not_a_duration), s);
        *ret_s = (uint32_t)v;
        return 0;
    }
    const char *p = s;
    if (units_take_digits(&p, &v) && (!*p || !p[1]))
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
            if (units[i].unit == *p && v * units[i].s <= DURATION_MAX) {
                *ret_s = (uint32_t)(v * units[i].s);
                return 0;
            }
    return err_set(err, -EINVAL,
                   tr("\"%s\" is not a time: give 90s, 5m, 2h, 7d, 1w, HH:MM:SS, D-HH or unlimited"), s);
}

static const char *special_duration(uint32_t s)
{
    return s == DURATION_UNLIMITED ? "UNLIMITED" : s == DURATION_NOT_SET ? "NOT_SET" : NULL;
}

const char *duration_format(uint32_t s, char buf[static UNITS_TEXT_SIZE])
{
    uint32_t d = s / S_PER_DAY, h = s / 3600 % 24, m = s / 60 % 60;
    if (special_duration(s))
        snprintf(buf, UNITS_TEXT_SIZE, "%s", special_duration(s));
    else if (d)
        snprintf(buf, UNITS_TEXT_SIZE, "%u-%02u:%02u:%02u", d, h, m, s % 60);
    else if (h)
        snprintf(buf, UNITS_TEXT_SIZE, "%u:%02u:%02u", h, m, s % 60);
    else
        snprintf(buf, UNITS_TEXT_SIZE, "%u:%02u", m, s % 60);
    return buf;
}

const char *duration_format_padded(uint32_t s, char buf[static UNITS_TEXT_SIZE])
{
    uint32_t d = s / S_PER_DAY, h = s / 3600 % 24, m = s / 60 % 60;
    if (special_duration(s) || d)
        return duration_format(s, buf);
    snprintf(buf, UNITS_TEXT_SIZE, "%02u:%02u:%02u", h, m, s % 60);
    return buf;
}

const char *duration_format_words(int64_t s, char buf[static UNITS_TEXT_SIZE])
{
    static const struct {
        int64_t s;
        const char *name, *minor_name;
        int64_t minor_s;
    } units[] = {{.s = 86400, .name = "d", .minor_s = 3600, .minor_name = "h"},
                 {.s = 3600, .name = "h", .minor_s = 60, .minor_name = "min"},
                 {.s = 60, .name = "min"},
                 {.s = 1, .name = "s"}};

    size_t u = 0;
    s = s < 0 ? 0 : s;
    while (u < 3 && s < units[u].s)
        u++;
    int64_t major = s / units[u].s, minor = units[u].minor_s ? s % units[u].s / units[u].minor_s : 0;
    if (minor)
        snprintf(buf, UNITS_TEXT_SIZE, "%" PRId64 " %s %" PRId64 " %s", major, units[u].name, minor,
                 units[u].minor_name);
    else
        snprintf(buf, UNITS_TEXT_SIZE, "%" PRId64 " %s", major, units[u].name);
    return buf;
}

const char *mem_format_slurm(uint64_t mib, char buf[static UNITS_TEXT_SIZE])
{
    static const char letters[] = "MGTP";
    size_t u = 0;
    for (; mib && mib % 1024 == 0 && u < 3; u++)
        mib /= 1024;
    if (mib)
        snprintf(buf, UNITS_TEXT_SIZE, "%" PRIu64 "%c", mib, letters[u]);
    else
        snprintf(buf, UNITS_TEXT_SIZE, "0");
    return buf;
}

const char *mem_format_words(uint64_t kib, char buf[static UNITS_TEXT_SIZE])
{
    static const char letters[] = "KMGTP";
    size_t u = 0;
    uint64_t size = 1;
    while (u < 4 && kib / size >= 1024) {
        size *= 1024;
        u++;
    }
    /* Tenths from G on, as long as they say something. */
    uint64_t whole = kib / size, tenth = kib % size * 10 / size;
    if (u >= 2 && tenth && whole < 100)
        snprintf(buf, UNITS_TEXT_SIZE, "%" PRIu64 ".%" PRIu64 "%c", whole, tenth, letters[u]);
    else
        snprintf(buf, UNITS_TEXT_SIZE, "%" PRIu64 "%c", whole, letters[u]);
    return buf;
}
