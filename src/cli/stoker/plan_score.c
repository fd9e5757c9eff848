/* plan_score.c - the table of forecast scores, as text and as JSON. */
#include "src/cli/stoker/plan_score.h"

#include <inttypes.h>

#include "src/cli/ask.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/record/json.h"
#include "src/text/score_text.h"
#include "src/values/units.h"

static void plan_score_add_part(struct texttable *t, uint64_t n, uint64_t of)
{
    if (of)
        texttable_addf(t, TONE_PLAIN, "%.1f %%", 100 * score_part(n, of));
    else
        texttable_add(t, TONE_DIM, NULL);
}

static void plan_score_add_seconds(struct texttable *t, double s, uint64_t of)
{
    char text[UNITS_TEXT_SIZE];
    if (of)
        texttable_add(t, TONE_PLAIN, duration_format_words((int64_t)(s + 0.5), text));
    else
        texttable_add(t, TONE_DIM, NULL);
}

static void plan_score_add_row(struct texttable *t, const char *wait, const struct score_row *r)
{
    texttable_add(t, TONE_PLAIN, wait);
    texttable_addf(t, TONE_PLAIN, "%" PRIu64, r->starts);
    plan_score_add_part(t, r->inside, r->ranges);
    plan_score_add_part(t, r->before, r->ranges);
    plan_score_add_part(t, r->behind, r->ranges);
    plan_score_add_part(t, r->later, r->starts);
    plan_score_add_seconds(t, score_early_s(r), r->starts);
    plan_score_add_seconds(t, score_late_s(r), r->starts);
    plan_score_add_seconds(t, score_width_s(r), r->ranges);
    plan_score_add_seconds(t, score_interval_s(r), r->ranges);
}

void plan_score_text(const struct msg_scores *m, struct str *out)
{
    static const struct table_col cols[] = {
        {.title = N_("WAIT TOLD")},
        {.title = N_("STARTS"), .right = true},
        {.title = N_("IN RANGE"), .right = true},
        {.title = N_("BEFORE"), .right = true, .drop = 3},
        {.title = N_("AFTER"), .right = true, .drop = 2},
        {.title = N_("LATE"), .right = true},
        {.title = N_("SOONER BY"), .right = true},
        {.title = N_("LATER BY"), .right = true},
        {.title = N_("RANGE"), .right = true, .drop = 1},
        {.title = N_("SCORE"), .right = true, .drop = 4},
    };
    struct score_row all = score_total(m);
    struct texttable t = TEXTTABLE_INIT(cols);
    char since[WALL_TEXT_SIZE];
    if (!all.starts) {
        str_append(out, tr("No job has started yet that was told a wait of a minute or more.\n"));
        return;
    }
    for (size_t i = 0; i < m->rows.n; i++) {
        struct str wait = STR_INIT;
        score_text_horizon(m, i, &wait);
        if (m->rows.v[i].starts)
            plan_score_add_row(&t, wait.s, &m->rows.v[i]);
        str_fini(&wait);
    }
    plan_score_add_row(&t, tr("all"), &all);
    texttable_print(&t, out, listing_width(), color_is_welcome());
    texttable_fini(&t);
    wall_format_iso(m->since, since);
    str_appendf(out, tr("Since %1$s. %2$d %% of the starts should be in their range.\n"), since,
                SCORE_BAND);
    str_appendf(out, tr("LATE: over %d s after the time told. Times are means over the starts.\n"),
                SCORE_TOLERANCE_S);
}

static void plan_score_json_row(struct str *out, const struct score_row *r, uint32_t from_s)
{
    json_begin_object(out, NULL);
    json_int(out, "wait_from", from_s);
    json_count(out, "wait_below", r->below_s ? r->below_s : UINT32_MAX);
    json_int(out, "starts", (int64_t)r->starts);
    json_int(out, "later", (int64_t)r->later);
    json_int(out, "ranges", (int64_t)r->ranges);
    json_int(out, "before", (int64_t)r->before);
    json_int(out, "inside", (int64_t)r->inside);
    json_int(out, "after", (int64_t)r->behind);
    json_int(out, "bias", (int64_t)score_bias_s(r));
    json_int(out, "sooner_mean", (int64_t)score_early_s(r));
    json_int(out, "later_mean", (int64_t)score_late_s(r));
    json_int(out, "range_mean", (int64_t)score_width_s(r));
    json_int(out, "interval_score", (int64_t)score_interval_s(r));
    json_end_object(out);
}

void plan_score_json(const struct msg_scores *m, struct str *out)
{
    struct score_row all = score_total(m);
    json_time(out, "since", m->since);
    json_int(out, "range_percent", SCORE_BAND);
    json_begin_array(out, "scores");
    for (size_t i = 0; i < m->rows.n; i++)
        plan_score_json_row(out, &m->rows.v[i], i ? m->rows.v[i - 1].below_s : 0);
    plan_score_json_row(out, &all, 0);
    json_end_array(out);
}
