/* history_view.c - what has ended: how, what it used of what it had asked for.
 *
 *      S JOB     NAME      USER   ENDED        RAN   OF LIMIT  MEMORY        CPU  CAUSE
 *      M 4       merge     alice  11:02:13   45:12   19%       61.9 of 62G   88%  out of memory on cpu03
 *      ! > 8_[0-99] sweep  alice  10:40:01                                        34 done 2 failed
 *
 * Rows come from the queue, where they stay for a while, and from the controller's history, in pages: the
 * next one is asked for when the end of what is known comes near. What the filter says and the controller
 * can look for goes along. A number that was not measured is not shown.
 */
#include "ui/jobs/history_view.h"
#include "src/lang/lang.h"
#include "ui/array/array_view.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/array/array_view.h"
#include "ui/form/resubmit.h"
#include "ui/info/job_efficiency.h"
#include "ui/info/job_info.h"
#include "ui/jobs/history_table.h"
#include "ui/jobs/job_copy.h"
#include "ui/jobs/job_pane.h"
#include "ui/jobs/job_view.h"
#include "ui/output/output_view.h"
#include "ui/text/view_text.h"
#include "ui/view/table_view.h"

#define UNASKED_PAGES 8 /* pages in a row without a key, where the filter lets little through */

struct history {
    struct view v;
    struct pastlist list;
    struct jobpane pane;
    struct rect body;
    unsigned unasked;
};

static struct history *history_of(struct view *v)
{
    return (struct history *)(void *)v;
}

/* --- more of the past --- */

static void look_back(struct history *h)
{
    struct past_want want;
    pastlist_want(&h->list, &want);
    ui_want_past(h->v.ui, &want);
}

/* The end of what is shown is at most a screen away. */
static bool is_near_the_end(const struct table *t)
{
    size_t screen = t->list.height > 0 ? (size_t)t->list.height : 50;
    return t->list.top + 2 * screen >= t->shown.n || t->list.cursor + screen >= t->shown.n;
}

static void look_further(struct history *h)
{
    if (h->unasked && !h->list.table.typing && ui_past_state(h->v.ui) == PAST_MORE &&
        is_near_the_end(&h->list.table)) {
        h->unasked--;
        ui_want_more_past(h->v.ui);
    }
}

/* After a key: it may have changed the filter, or have come near the end. */
static void follow_key(struct history *h)
{
    h->unasked = UNASKED_PAGES;
    if (!h->list.table.typing)
        look_back(h);
    look_further(h);
}

/* --- the view --- */

static struct view *history_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct history *h = xcalloc(1, sizeof *h);
    h->v = (struct view){.ops = &history_view, .ui = ui};
    h->unasked = UNASKED_PAGES;
    pastlist_init(&h->list, ui);
    jobpane_init(&h->pane, &h->v);
    return &h->v;
}

static void history_close(struct view *v)
{
    struct history *h = history_of(v);
    pastlist_fini(&h->list);
    jobpane_fini(&h->pane);
    free(h);
}

static void history_sync(struct view *v)
{
    struct history *h = history_of(v);
    look_back(h); /* again after a connection that was lost */
    table_refill(&h->list.table);
    look_further(h);
}

static void past_words(const struct history *h, struct rich *out)
{
    struct wall until = ui_past_until(h->v.ui);
    switch (ui_past_state(h->v.ui)) {
    case PAST_COMING: rich_add(out, ROLE_DIM, tr("   loading ...")); return;
    case PAST_WHOLE: return;
    case PAST_MORE:
    case PAST_FULL: break;
    }
    if (!wall_is_set(until))
        return;
    rich_add(out, ROLE_DIM, tr("   back to "));
    when_text(&out->text, until, ui_now(h->v.ui));
    str_append(&out->text,
               ui_past_state(h->v.ui) == PAST_FULL ? tr("; a filter or sacct finds older jobs") : "");
    rich_role(out, ROLE_DIM);
}

/* Of the jobs of one user alone: what to ask for less of. */
static void history_use_words(const struct history *h, struct rich *out)
{
    struct past_use u = pastlist_use(&h->list);
    if (u.mem_percent >= 0 && u.cpu_percent >= 0 && u.gpu_percent >= 0)
        rich_addf(out, ROLE_DIM, tr("   used %d%% of memory, %d%% of CPUs, %d%% of GPUs"), u.mem_percent,
                  u.cpu_percent, u.gpu_percent);
    else if (u.mem_percent >= 0 && u.cpu_percent >= 0)
        rich_addf(out, ROLE_DIM, tr("   used %d%% of memory, %d%% of CPUs"), u.mem_percent, u.cpu_percent);
}

static void history_title(struct view *v, struct rich *out)
{
    struct history *h = history_of(v);
    rich_add(out, ROLE_TITLE, h->list.mine ? tr("My history") : tr("History"));
    tableview_title(v->ui, &h->list.table, h->list.rows.n_rows, out);
    past_words(h, out);
    if (h->list.mine)
        history_use_words(h, out);
}

static void history_fill_side(struct history *h, const struct trow *row)
{
    struct lines *l = &h->pane.pane.lines;
    const struct jobs_row *p = jobrows_row(row);
    const struct job *j = pastlist_job(row);
    lines_clear(l);
    if (!jobrows_job(p))
        lines_addf(l, ROLE_DIM, tr("%zu of %u elements are loaded; the latest:"), p->array->n,
                   job_origin(j)->array_count);
    jobinfo_summary(l, h->v.ui, j);
    jobinfo_section(l, tr("Efficiency"));
    job_use_lines(l, j, ui_model(h->v.ui), ui_now(h->v.ui));
    if (j->steps.n) {
        jobinfo_section(l, tr("Steps"));
        jobinfo_steps(l, h->v.ui, j, 8);
    }
    jobinfo_section(l, tr("Events"));
    jobinfo_story(l, h->v.ui, j);
    jobinfo_section(l, tr("Request"));
    jobinfo_request(l, h->v.ui, j);
}

static void history_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct history *h = history_of(v);
    struct lines empty = {0};
    if (h->list.mine && h->list.n_all)
        lines_addf(&empty, ROLE_NORMAL, tr("None of the %zu jobs is yours. m shows all users."),
                   h->list.n_all);
    else if (ui_past_state(v->ui) != PAST_COMING)
        lines_addf(&empty, ROLE_NORMAL, tr("No job has ended yet."));
    h->body = l->body;
    v->ticks = tableview_draw(v->ui, &h->list.table, c, l, &empty);
    lines_fini(&empty);
    const struct trow *row = table_current(&h->list.table);
    if (rect_is_empty(l->side) || !row) {
        jobpane_rest(&h->pane);
        return;
    }
    enum job_tab tab = (enum job_tab)ui_pane_tab(v->ui, v);
    if (tab == JOB_TAB_DETAILS)
        history_fill_side(h, row);
    jobpane_draw(&h->pane, pastlist_job(row), tab, c, l);
}

/* --- the pane --- */

#define BELOW_FROM  30 /* lines of a body that has room for details, whatever is listed */
#define BELOW_LINES 10

static int history_pane_lines(struct view *v, int h, int w)
{
    (void)w;
    return tableview_lines_spare(&history_of(v)->list.table, h, BELOW_FROM, BELOW_LINES);
}

static struct pane *history_pane(struct view *v)
{
    return &history_of(v)->pane.pane;
}

static void history_rest(struct view *v)
{
    jobpane_rest(&history_of(v)->pane);
}

static void history_timer(struct view *v)
{
    jobpane_timer(&history_of(v)->pane);
}

static int history_fd(struct view *v)
{
    return peek_fd(&history_of(v)->pane.peek);
}

static unsigned history_wake(struct view *v)
{
    return peek_wake(&history_of(v)->pane.peek);
}

static bool history_work(struct view *v)
{
    return peek_work(&history_of(v)->pane.peek);
}

static unsigned history_input(struct view *v, const struct input *in)
{
    struct history *h = history_of(v);
    unsigned did = table_input(&h->list.table, in, h->body);
    if (did)
        follow_key(h);
    return did;
}

static unsigned history_act(struct view *v, enum action a, const struct input *in)
{
    struct history *h = history_of(v);
    const struct trow *row = table_current(&h->list.table);
    const struct job *j = pastlist_job(row);
    if (a == ACTION_PAST_MINE) {
        h->list.mine = !h->list.mine;
        table_refill(&h->list.table);
    } else if (a == ACTION_OPEN_PAST && j && row->branch) {
        ui_push(v->ui, &array_view, &j->array_job);
    } else if (a == ACTION_OPEN_PAST && j) {
        ui_push(v->ui, &jobpage_view, &j->id);
    } else if (a == ACTION_COPY && j) {
        job_copy_open(v->ui, j, &h->list.table);
    } else if (a == ACTION_PAST_OUTPUT && j) {
        output_open(v->ui, j);
    } else if (!again_act(v->ui, j, a)) {
        unsigned did = tableview_act(v->ui, &h->list.table, a, in);
        follow_key(h);
        return did;
    }
    return DID_HANDLE | DID_REDRAW;
}

static const char *history_label(struct view *v, enum action a)
{
    const struct trow *row = table_current(&history_of(v)->list.table);
    const struct jobs_row *r = jobrows_row(row);
    return again_label(pastlist_job(row), r && !jobrows_job(r) && r->array->fail, a);
}

static void history_subject(struct view *v, struct row_subject *ret)
{
    ret->job = pastlist_job(table_current(&history_of(v)->list.table));
}

static struct table *history_table(struct view *v)
{
    return &history_of(v)->list.table;
}

static bool *history_mine(struct view *v)
{
    return &history_of(v)->list.mine;
}

static const enum scope scopes[] = {SCOPE_HISTORY, SCOPE_AGAIN, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops history_view = {
    .name = "history",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = history_open,
    .close = history_close,
    .sync = history_sync,
    .title = history_title,
    .draw = history_draw,
    .input = history_input,
    .act = history_act,
    .label = history_label,
    .subject = history_subject,
    .table = history_table,
    .mine = history_mine,
    .pane = history_pane,
    .pane_lines = history_pane_lines,
    .tabs = job_tab_names,
    .n_tabs = JOB_TABS,
    .rest = history_rest,
    .timer = history_timer,
    .fd = history_fd,
    .wake = history_wake,
    .work = history_work,
};
