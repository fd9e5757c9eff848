/* node_story.c - how a node is and how it came to that. */
#include "ui/info/node_story.h"
#include "ui/info/node_free.h"

#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/nodetext.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/info/job_share.h"
#include "ui/info/node_mark.h"
#include "ui/info/window_text.h"
#include "ui/text/view_text.h"

/* --- its state --- */

static void nodestory_since(struct rich *r, const struct ui *ui, struct wall t)
{
    char b[UNITS_TEXT_SIZE];
    if (wall_is_set(t))
        rich_addf(r, ROLE_NORMAL, tr(" for %s"), duration_format_words(wall_elapsed_s(t, ui_now(ui)), b));
}

static void nodestory_drain(struct rich *r, const struct ui *ui, const struct node *n)
{
    nodestory_since(r, ui, n->t_drain);
    if (!str_is_empty(n->drain_user))
        rich_addf(r, ROLE_NORMAL, tr(", by %s"), n->drain_user);
    if (!str_is_empty(n->drain_reason))
        rich_addf(r, ROLE_STRONG, ": %s", n->drain_reason);
}

/* The first line; a node that is lost and drained has one for each. */
static void nodestory_head(struct lines *l, const struct ui *ui, const struct node *n)
{
    struct node_mark m = node_mark_of(ui, n);
    struct rich *r = lines_add(l);
    rich_addf(r, m.role, "%s %s", m.sign, m.word);
    if (m.bad) {
        nodestory_since(r, ui, n->t_state);
        if (!str_is_empty(n->trouble))
            rich_addf(r, ROLE_STRONG, ": %s", n->trouble);
    }
    if (m.bad && n->drain) {
        r = lines_add(l);
        rich_add(r, ROLE_NODE_DRAIN, n->n_jobs ? tr("  draining") : tr("  drained"));
    }
    if (n->drain)
        nodestory_drain(r, ui, n);
    if (m.bad && str_is_empty(n->trouble)) /* which says what to look at */
        lines_addf(l, ROLE_NORMAL,
                   tr("  It is back as soon as its agent answers: check its power and its network."));
}

/* What runs there, and until when at the latest. */
static void nodestory_jobs(struct lines *l, const struct ui *ui, const struct node *n)
{
    size_t jobs = 0, endless = 0;
    struct wall last = {0};
    struct job_share share;
    list_for_each (j, &ui_model(ui)->active, struct job, in_queue) {
        if (!jobshare_of(j, n->spec.name, &share))
            continue;
        struct wall end = job_end_time(j, ui_model(ui));
        jobs++;
        endless += !wall_is_set(end);
        last = end.ms > last.ms ? end : last;
    }
    if (!jobs) {
        if (n->drain)
            lines_addf(l, ROLE_NORMAL, tr("  No job is left on it: the work can begin."));
        return;
    }
    struct rich *r = lines_add(l);
    str_append(&r->text, "  ");
    count_text(&r->text, jobs, "%llu job", "%llu jobs");
    rich_role(r, ROLE_STRONG);
    struct str when = STR_INIT;
    when_about(&when, last, ui_now(ui));
    if (endless)
        rich_add(r, ROLE_NORMAL,
                 jobs == 1 ? tr(" here, without a time limit") : tr(" here, not all with a time limit"));
    else
        rich_addf(r, ROLE_NORMAL, tr(" here, until %s at the latest"), when.s);
    str_fini(&when);
}

static void nodestory_troubles(struct lines *l, const struct ui *ui, const struct node *n)
{
    for (size_t i = 0; i < n->gpu_notes.n; i++)
        lines_addf(l, ROLE_ERROR, "  %s", n->gpu_notes.v[i]);
    if (node_rare(n)->n_unknown)
        lines_addf(l, ROLE_WARN,
                   trn("  %u task that this controller does not know: stoker node tasks %s",
                       "  %u tasks that this controller does not know: stoker node tasks %s",
                       node_rare(n)->n_unknown),
                   node_rare(n)->n_unknown, n->spec.name);
    for (size_t i = 0; i < n->avoids.n; i++) {
        const struct node_avoid *a = &n->avoids.v[i];
        struct str until = STR_INIT;
        when_about(&until, a->until, ui_now(ui));
        if (a->user)
            lines_addf(l, ROLE_WARN, tr("  It starts no jobs of %s until %s: %s"), a->user, until.s,
                       a->text ? a->text : "?");
        else
            lines_addf(l, ROLE_WARN, tr("  It starts no jobs until %s: %s"), until.s,
                       a->text ? a->text : "?");
        str_fini(&until);
    }
}

static void nodestory_free(struct lines *l, const struct ui *ui, const struct node *n)
{
    if (ui_node_is_out(ui, n) || str_eq(n->spec.role, "login"))
        return;
    struct rich *r = lines_add(l);
    rich_add(r, ROLE_DIM, tr("  fits now: "));
    node_free_text(r, ui, n);
}

void nodestory_state(struct lines *l, const struct ui *ui, const struct node *n)
{
    const struct window *w = ui_window_of_node(ui, n);
    nodestory_head(l, ui, n);
    nodestory_jobs(l, ui, n);
    nodestory_free(l, ui, n);
    nodestory_troubles(l, ui, n);
    if (w) {
        struct rich *r = lines_add(l);
        rich_add(r, ROLE_NORMAL, "  ");
        window_words(r, ui, w);
    }
    if (n->note) {
        struct str when = STR_INIT;
        when_text(&when, n->t_note, ui_now(ui));
        struct rich *r = lines_addf(l, ROLE_NORMAL, tr("  note: %s"), n->note);
        rich_addf(r, ROLE_DIM, "  %s, %s", n->note_user ? n->note_user : "?", when.s);
        str_fini(&when);
    }
}

/* --- what was, and what will be --- */

static enum role nodestory_role(const struct node_event *e)
{
    switch ((enum node_news)e->kind) {
    case NEWS_LOST:
    case NEWS_REBOOTED: return ROLE_ERROR;
    case NEWS_DRAINED: return ROLE_NODE_DRAIN;
    case NEWS_GPUS: return ROLE_WARN;
    case NEWS_BACK:
    case NEWS_RESUMED: return ROLE_GOOD;
    case NEWS_NONE:
    case NEWS_NOTED:
    case NEWS_N: break;
    }
    return ROLE_NORMAL;
}

void nodestory_events(struct lines *l, const struct ui *ui, const struct node *n, size_t max)
{
    if (!n->events.n)
        return;
    jobinfo_section(l, tr("Events"));
    for (size_t i = n->events.n; i-- > 0 && n->events.n - i <= max;) {
        const struct node_event *e = &n->events.v[i];
        struct rich *r = lines_add(l);
        when_text(&r->text, e->t, ui_now(ui));
        str_append(&r->text, "  ");
        rich_role(r, ROLE_DIM);
        r->hang = (int)r->text.len;
        nodetext_event(&r->text, e);
        rich_role(r, nodestory_role(e));
    }
}

void nodestory_windows(struct lines *l, const struct ui *ui, const struct node *n)
{
    const struct model *m = ui_model(ui);
    bool any = false;
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        if (w->end.ms <= ui_now(ui).ms || !window_has_node(w, n->spec.name))
            continue;
        if (!any)
            jobinfo_section(l, tr("Windows"));
        any = true;
        struct rich *r = lines_add(l);
        window_words(r, ui, w);
        rich_addf(r, ROLE_DIM, "  %s", w->name);
        r->hang = 2;
    }
}
