#include "src/text/amount_text.h"

#include "src/lang/lang.h"
#include "src/values/units.h"

void text_append_u64(struct str *out, uint64_t v)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[sizeof digits - ++n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    str_append_n(out, digits + sizeof digits - n, n);
}

const char *weekday_word(int wday)
{
    switch (wday) {
    case 0: return trc("day of the week", "Sun");
    case 1: return trc("day of the week", "Mon");
    case 2: return trc("day of the week", "Tue");
    case 3: return trc("day of the week", "Wed");
    case 4: return trc("day of the week", "Thu");
    case 5: return trc("day of the week", "Fri");
    default: return trc("day of the week", "Sat");
    }
}

void text_append_ordinal(struct str *out, uint64_t v)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    uint64_t last = v % 10, two = v % 100;
    /* T: 1st, 2nd ...: English has a rule of its own below, other languages take this */
    if (!str_starts(trn("%lluth", "%lluths", v), "%lluth")) {
        str_appendf(out, trn("%lluth", "%lluths", v), (unsigned long long)v);
        return;
    }
    text_append_u64(out, v);
    str_append(out, ends[last < 4 && (two < 11 || two > 13) ? last : 0]);
}

/* By hand what is below a day: listings print one or two of these for each of 100,000 rows. */
void text_append_duration(struct str *out, uint32_t s)
{
    char buf[UNITS_TEXT_SIZE];
    if (s >= 86400) {
        str_append(out, duration_format(s, buf));
        return;
    }
    uint32_t h = s / 3600, m = s / 60 % 60;
    char *p = buf;
    if (h) {
        if (h >= 10)
            *p++ = (char)('0' + h / 10);
        *p++ = (char)('0' + h % 10);
        *p++ = ':';
    }
    if (h || m >= 10)
        *p++ = (char)('0' + m / 10);
    *p++ = (char)('0' + m % 10);
    *p++ = ':';
    *p++ = (char)('0' + s / 10 % 6);
    *p++ = (char)('0' + s % 10);
    str_append_n(out, buf, (size_t)(p - buf));
}

void jobtext_mem(struct str *out, uint64_t mib, bool noconvert)
{
    char buf[UNITS_TEXT_SIZE];
    if (!noconvert || !mib) {
        str_append(out, mem_format_slurm(mib, buf));
        return;
    }
    text_append_u64(out, mib);
    str_append_char(out, 'M');
}
