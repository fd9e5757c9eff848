/* said.h - causes in words, for tests that compare sentences. */
#ifndef STOKER_TESTS_UNIT_SCHED_SAID_H
#define STOKER_TESTS_UNIT_SCHED_SAID_H

#include "src/text/why_text.h"
#include "src/values/units.h"

#define SAID_MAX 8 /* sentences that are good at a time */

/* An instant in seconds from now. */
static inline void said_clock(struct str *out, struct wall t, struct wall now)
{
    str_appendf(out, "%lld", (long long)(t.ms - now.ms) / MS_PER_S);
}

static inline const char *said_keep(struct str *s)
{
    static struct str kept[SAID_MAX];
    static unsigned next;
    struct str *to = &kept[next++ % SAID_MAX];
    str_fini(to);
    *to = *s;
    return to->s;
}

static inline const char *said_in(const struct cause *c, struct wall now, bool brief)
{
    struct cause_reader r = {.clock = said_clock, .now = now};
    struct str s = STR_INIT;
    if (brief)
        cause_brief(&s, c, &r);
    else
        cause_full(&s, c, &r);
    return said_keep(&s);
}

/* In full and in brief, as of now. */
#define said(c)       said_in(c, l.now, false)
#define said_brief(c) said_in(c, l.now, true)

static inline const char *said_summary(const struct msg_why *w)
{
    struct cause_reader r = {0};
    struct str s = STR_INIT;
    why_text_summary(&s, w, &r);
    return said_keep(&s);
}

#endif
