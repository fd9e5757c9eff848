/* array_status.c - the page of an array above its sections: title, bar, estimate, the element under the
 * cursor. */
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/array/array_internal.h"
#include "ui/info/job_efficiency.h"
#include "ui/jobs/array_info.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"

struct array_row array_screen_row(const struct array_screen *a)
{
    const struct array_elements *e = &a->e;
    struct array_row row = {.id = e->id,
                            .any = e->any,
                            .pending = e->record,
                            .run = e->counts[ELEMENT_RUNNING],
                            .wait = e->counts[ELEMENT_WAITING],
                            .done = e->counts[ELEMENT_DONE],
                            .fail = e->counts[ELEMENT_FAILED],
                            .ended = e->counts[ELEMENT_CANCELLED],
                            .total = (uint32_t)e->v.n};
    for (size_t i = 0; i < e->v.n && !row.pending; i++)
        if (e->v.v[i].is == ELEMENT_WAITING)
            row.pending = e->v.v[i].job;
    return row;
}

static void add_duration(struct rich *r, enum role role, uint32_t s)
{
    char b[UNITS_TEXT_SIZE];
    rich_add(r, role, duration_format(s, b));
}

static struct wall array_last_end(const struct array_elements *e)
{
    struct wall end = {0};
    for (size_t i = 0; i < e->v.n; i++)
        if (e->v.v[i].job && e->v.v[i].job->t_end.ms > end.ms)
            end = e->v.v[i].job->t_end;
    return end;
}

/* From its first start to now, or to its last end. Elements that left the queue may have started before. */
static void add_elapsed(const struct array_screen *a, struct rich *r)
{
    const struct array_elements *e = &a->e;
    bool over = !(e->counts[ELEMENT_RUNNING] + e->counts[ELEMENT_WAITING]);
    if (!e->first || e->unknown)
        return;
    rich_add(r, ROLE_DIM, " \u00b7 ");
    add_duration(r, ROLE_DIM,
                 (uint32_t)wall_elapsed_s(e->first->t_start, over ? array_last_end(e) : ui_now(a->v.ui)));
}

void array_title(struct view *v, struct rich *out)
{
    const struct array_screen *a = (const struct array_screen *)(void *)v;
    const struct job *j = a->e.any;
    uint32_t throttle;
    bool changes = array_throttle_wanted(a, &throttle);
    rich_addf(out, ROLE_TITLE, tr("Array %u"), a->e.id);
    if (!j)
        return;
    rich_addf(out, ROLE_STRONG, "  %s  ", jobtext_name(j));
    rich_addf(out, ROLE_DIM, tr("%zu elements of %s"), a->e.v.n, jobtext_user(j));
    if (throttle)
        rich_addf(out, changes ? ROLE_WARN : ROLE_DIM, tr(" \u00b7 %u at a time"), throttle);
    else if (changes)
        rich_add(out, ROLE_WARN, tr(" \u00b7 all at a time"));
    const char *partition = job_partition_text(j);
    if (!str_is_empty(partition))
        rich_addf(out, ROLE_DIM, " \u00b7 %s", partition);
    add_elapsed(a, out);
}

void array_bar(const struct array_screen *a, int width, struct rich *r)
{
    struct array_row row = array_screen_row(a);
    arrayinfo_bar(&row, true, width, width, r);
}

static void add_usual(const struct array_times *t, struct rich *r)
{
    if (!t->slowest_s) {
        rich_add(r, ROLE_NORMAL, tr(" \u00b7 an element takes less than a second"));
        return;
    }
    rich_add(r, ROLE_NORMAL, tr(" \u00b7 an element takes "));
    add_duration(r, ROLE_STRONG, t->median_s);
    if (t->slowest_s == t->fastest_s)
        return;
    char fastest[UNITS_TEXT_SIZE], slowest[UNITS_TEXT_SIZE];
    rich_addf(r, ROLE_NORMAL, tr(" (%s to %s)"), duration_format(t->fastest_s, fastest),
              duration_format(t->slowest_s, slowest));
}

void array_estimate(const struct array_screen *a, struct rich *r)
{
    const struct array_elements *e = &a->e;
    struct wall now = ui_now(a->v.ui);
    struct array_forecast f = array_times_forecast(&a->times, e, now);
    uint32_t left = e->counts[ELEMENT_RUNNING] + e->counts[ELEMENT_WAITING];
    struct wall end = left ? f.end : array_last_end(e);
    struct str when = STR_INIT;
    if (wall_is_set(end)) {
        when_about(&when, end, now);
        rich_addf(r, ROLE_WHEN,
                  !left       ? tr("ended %s")
                  : f.overdue ? tr("all others done about %s")
                              : tr("done about %s"),
                  when.s);
    } else if (!left) {
        rich_add(r, ROLE_NORMAL, tr("all elements have ended"));
    } else if (!e->counts[ELEMENT_RUNNING]) {
        rich_add(r, ROLE_WAITING, tr("no element runs now"));
    } else if (!f.overdue) {
        rich_add(r, ROLE_DIM, tr("the end can be estimated when the first element is done"));
    }
    if (f.overdue) {
        rich_add(r, ROLE_NORMAL, wall_is_set(end) ? " \u00b7 " : "");
        rich_addf(r, ROLE_WARM,
                  trn("%u element runs longer than any that is done",
                      "%u elements run longer than any that is done", f.overdue),
                  f.overdue);
    }
    if (a->times.n)
        add_usual(&a->times, r);
    str_fini(&when);
}

static void add_times_of(const struct array_screen *a, const struct job *j, struct rich *r)
{
    struct wall now = ui_now(a->v.ui);
    struct str s = STR_INIT;
    if (wall_is_set(j->t_start)) {
        str_append(&s, "  ");
        when_text(&s, j->t_start, now);
    }
    if (wall_is_set(j->t_start) && wall_is_set(j->t_end)) {
        str_append(&s, tr(" to "));
        when_text(&s, j->t_end, now);
    }
    rich_add(r, ROLE_DIM, s.s);
    str_fini(&s);
}

static void current_element(const struct array_screen *a, const struct array_element *x, struct rich *r)
{
    const struct job *j = x->job;
    rich_addf(r, ROLE_STRONG, "_%u  ", x->index);
    if (!j && x->gone) {
        rich_add(r, ROLE_DIM,
                 x->is == ELEMENT_DONE     ? tr("done, has left the queue")
                 : x->is == ELEMENT_FAILED ? tr("failed, has left the queue")
                                           : tr("has left the queue"));
        return;
    }
    if (!j) {
        const struct job *record = a->e.record;
        if (record && record->hold)
            rich_add(r, ROLE_HELD, tr("held"));
        else
            rich_add(r, ROLE_WAITING, tr("waiting"));
        return;
    }
    if (j->state == JOB_PENDING || x->is == ELEMENT_RUNNING) {
        job_words(r, j);
        rich_add(r, ROLE_NORMAL, x->is == ELEMENT_RUNNING ? tr(" for ") : "");
        if (x->is == ELEMENT_RUNNING)
            add_duration(r, ROLE_NORMAL, job_run_s(j, ui_now(a->v.ui)));
        struct str nodes = STR_INIT;
        jobtext_nodes(&nodes, j);
        rich_addf(r, ROLE_DIM, nodes.len ? "  %s" : "%s", nodes.s);
        str_fini(&nodes);
    } else {
        job_cause(r, j);
        rich_add(r, ROLE_NORMAL, tr("  ran "));
        add_duration(r, ROLE_NORMAL, x->ran_s);
    }
    add_times_of(a, j, r);
    const char *line = x->is == ELEMENT_DONE ? NULL : output_tails_line(a->tails, j->id);
    if (!str_is_empty(line))
        rich_addf(r, ROLE_DIM, "  %s", line);
}

static void current_cell(const struct array_screen *a, struct grid_span span, struct rich *r)
{
    static const struct {
        enum role role;
        const char *sign, *word;
    } kinds[ELEMENT_KINDS] = {
        [ELEMENT_DONE] = {ROLE_GOOD, SIGN_DONE, N_("done")},
        [ELEMENT_FAILED] = {ROLE_ERROR, SIGN_FAILED, N_("failed")},
        [ELEMENT_CANCELLED] = {ROLE_CANCELLED, SIGN_CANCELLED, N_("cancelled")},
        [ELEMENT_RUNNING] = {ROLE_NODE_PART, SIGN_RUNNING, N_("running")},
        [ELEMENT_WAITING] = {ROLE_DIM, SIGN_WAITING, N_("waiting")},
        [ELEMENT_EARLIER] = {ROLE_DIM, "", N_("ended earlier")},
    };
    uint32_t counts[ELEMENT_KINDS] = {0};
    for (size_t i = span.from; i < span.to; i++)
        counts[a->e.v.v[i].is]++;
    rich_addf(r, ROLE_STRONG, tr("_%u to _%u"), a->e.v.v[span.from].index, a->e.v.v[span.to - 1].index);
    for (size_t i = 0; i < ELEMENT_KINDS; i++)
        if (counts[i]) {
            rich_addf(r, kinds[i].role, "   %u%s", counts[i], kinds[i].sign);
            rich_addf(r, ROLE_DIM, " %s", tr(kinds[i].word));
        }
}

void array_current(const struct array_screen *a, struct rich *r)
{
    struct grid_span span = array_grid_current(&a->grid);
    if (!a->e.v.n)
        return;
    if (span.to == span.from + 1)
        current_element(a, &a->e.v.v[span.from], r);
    else
        current_cell(a, span, r);
}
