/* score_text.c - how forecasts came true, in words. */
#include "src/text/score_text.h"

#include "src/lang/lang.h"
#include "src/values/units.h"

void score_text_horizon(const struct msg_scores *m, size_t i, struct str *out)
{
    char from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE];
    uint32_t below_s = m->rows.v[i].below_s, from_s = i ? m->rows.v[i - 1].below_s : 0;
    duration_format_words(from_s, from);
    duration_format_words(below_s, to);
    if (!from_s)
        str_appendf(out, tr("under %s"), to);
    else if (!below_s)
        str_appendf(out, tr("over %s"), from);
    else
        str_appendf(out, tr("%1$s to %2$s"), from, to);
}

void score_text_brief(const struct msg_scores *m, struct str *out)
{
    struct score_row all = score_total(m);
    unsigned n = all.starts < UINT32_MAX ? (unsigned)all.starts : UINT32_MAX;
    if (!n)
        return;
    double inside = 100 * score_part(all.inside, all.ranges),
           later = 100 * score_part(all.later, all.starts);
    if (all.ranges)
        str_appendf(
            out,
            trn("%1$u start was forecast: %2$.0f %% within their range, %3$.0f %% later than told",
                "%1$u starts were forecast: %2$.0f %% within their range, %3$.0f %% later than told", n),
            n, inside, later);
    else
        str_appendf(out,
                    trn("%1$u start was forecast: %2$.0f %% later than told",
                        "%1$u starts were forecast: %2$.0f %% later than told", n),
                    n, later);
}
