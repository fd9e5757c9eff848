/* timeline_view.c - the plan as a timeline, by node, by GPU or by job; time_bars.c has the picture.
 *
 * The plan is the scheduler's. It is asked for when the queue has changed, at most every few seconds, while
 * this is on the screen. Windows are the mirror's own.
 */
#include "ui/plan/timeline_view.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/score_text.h"
#include "src/values/units.h"
#include "ui/info/plan_info.h"
#include "ui/jobs/job_copy.h"
#include "ui/jobs/job_view.h"
#include "ui/nodes/node_copy.h"
#include "ui/nodes/node_keys.h"
#include "ui/plan/time_bars.h"
#include "ui/view/seldom.h"
#include "ui/view/table_view.h"

#define ASK_PAUSE_MS 4000
#define MINUTE_MS    60000
#define INFO_LINES   3
#define SCORE_ROWS   12

static const uint32_t spans[] = {3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400};
#define N_SPANS (sizeof spans / sizeof spans[0])

struct timeline_screen {
    struct view v;
    struct table tables[PLAN_WAYS];
    struct rect body;
    struct timebars bars;
    struct seldom plan_ask;
    struct mono minute; /* now has moved on then */
    size_t span, at;    /* in spans; the column of the time cursor, 0: now */
};

static struct timeline_screen *timeline_of(struct view *v)
{
    return (struct timeline_screen *)(void *)v;
}

static struct table *table_of(struct timeline_screen *t)
{
    return &t->tables[t->bars.by];
}

/* --- asking --- */

static void wake_when(struct timeline_screen *t)
{
    bool ask_first = t->plan_ask.due.ns && t->plan_ask.due.ns < t->minute.ns;
    t->v.due = ask_first ? t->plan_ask.due : t->minute;
}

static void timeline_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct timeline_screen *t = timeline_of(owner);
    if (!seldom_answered(&t->plan_ask, in, MSG_PLAN_DATA))
        return;
    rec_fini(&msg_plan_rec, &t->bars.plan);
    rec_copy(&msg_plan_rec, &t->bars.plan, in->body);
    table_refill(table_of(t));
    ui_changed(ui);
}

static void timeline_ask_sometimes(struct timeline_screen *t)
{
    struct msg_plan_get get = {.rows_max = 0};
    if (seldom_is_due(&t->plan_ask, t->v.ui, ASK_PAUSE_MS))
        seldom_sent(&t->plan_ask, ui_send(t->v.ui, MSG_PLAN, &get, &t->v, timeline_answered, 0));
    wake_when(t);
}

/* --- the view --- */

static void set_span(struct timeline_screen *t, size_t span)
{
    t->span = span;
    t->bars.axis.span_s = spans[span];
    t->at = 0;
}

static struct view *timeline_view_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct timeline_screen *t = xcalloc(1, sizeof *t);
    t->v = (struct view){.ops = &timeline_view, .ui = ui};
    t->bars.axis.ui = ui;
    set_span(t, 2);
    for (enum plan_by by = 0; by < PLAN_WAYS; by++)
        timebars_init_table(&t->bars, &t->tables[by], by);
    t->minute = mono_add_ms(ui_mono(ui), MINUTE_MS);
    return &t->v;
}

static void timeline_view_close(struct view *v)
{
    struct timeline_screen *t = timeline_of(v);
    for (size_t by = 0; by < PLAN_WAYS; by++)
        table_fini(&t->tables[by]);
    timebars_fini(&t->bars);
    free(t);
}

static void timeline_view_sync(struct view *v)
{
    struct timeline_screen *t = timeline_of(v);
    table_refill(table_of(t));
    timeline_ask_sometimes(t);
}

static void view_timer(struct view *v)
{
    struct timeline_screen *t = timeline_of(v);
    if (ui_mono(v->ui).ns >= t->minute.ns)
        t->minute = mono_add_ms(ui_mono(v->ui), MINUTE_MS);
    if (t->plan_ask.due.ns)
        timeline_ask_sometimes(t);
    else
        wake_when(t);
    ui_changed(v->ui);
}

static const char *const way_words[PLAN_WAYS] = {N_("by node"), N_("by GPU"), N_("by job")};

static void view_title(struct view *v, struct rich *out)
{
    struct timeline_screen *t = timeline_of(v);
    char b[UNITS_TEXT_SIZE];
    rich_add(out, ROLE_TITLE, tr("Timeline"));
    rich_addf(out, ROLE_NORMAL, " %s %s", duration_format_words(t->bars.axis.span_s, b),
              tr(way_words[t->bars.by]));
    if (table_of(t)->edit.text.len || table_of(t)->list.marks.n)
        tableview_title(v->ui, table_of(t), t->bars.axis.lanes.lanes.n, out);
    if (t->bars.plan.n_more)
        rich_addf(out, ROLE_WARN, tr("   %u left out"), t->bars.plan.n_more);
    if (t->plan_ask.has && wall_is_set(t->bars.plan.made))
        rich_addf(out, ROLE_DIM, tr("   %s old"),
                  duration_format_words(wall_elapsed_s(t->bars.plan.made, ui_now(v->ui)), b));
}

static const struct lane *current_lane(const struct timeline_screen *t)
{
    const struct trow *row = table_current(&t->tables[t->bars.by]);
    return row ? row->data : NULL;
}

static struct wall cursor_time(const struct timeline_screen *t)
{
    return t->at ? planbars_time(&t->bars.axis, (int)t->at) : ui_now(t->v.ui);
}

static void draw_scores(const struct timeline_screen *t, struct canvas *c, struct rect r)
{
    struct rich line = {0};
    struct str text = STR_INIT;
    score_text_brief(&t->bars.plan.scores, &text);
    rich_addf(&line, ROLE_DIM, "%s", text.len ? text.s : "");
    rich_draw(&line, c, r.y, r.x, r.w);
    rich_fini(&line);
    str_fini(&text);
}

static void draw_info(const struct timeline_screen *t, struct canvas *c, struct rect r)
{
    const struct lane *l = current_lane(t);
    struct lines told = {0};
    struct lines flowed = {0};
    if (rect_is_empty(r) || !l)
        return;
    planinfo_brief(&told, t->v.ui, &t->bars.axis.lanes, l, cursor_time(t));
    lines_flow(&told, r.w - 3, &flowed); /* the first line has the times, and the others give way to it */
    canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    int n = (int)flowed.n < r.h - 1 ? (int)flowed.n : r.h - 1;
    for (int i = 0; i < n; i++)
        rich_draw(&flowed.v[i], c, r.y + 1 + i, r.x + 2, r.w - 3);
    lines_fini(&flowed);
    lines_fini(&told);
    if (r.h > INFO_LINES && n < INFO_LINES)
        draw_scores(t, c, rect_make(r.y + INFO_LINES, r.x + 2, 1, r.w - 3));
}

/* A line through empty cells and bars; letters stay. */
static void draw_time_cursor(struct canvas *c, struct rect column)
{
    for (int y = column.y + 1; y < column.y + column.h; y++) {
        const struct canvas_cell *cell = canvas_at(c, y, column.x);
        if (cell->fill != ROLE_NORMAL && cell->fill == cell->role) {
            canvas_fill_pale(c, (enum role)cell->fill, cell->pale);
            canvas_glyph(c, y, column.x, cell->pale ? ROLE_STRONG : ROLE_BAR_OWN, GLYPH_VLINE);
            canvas_fill_with(c, ROLE_NORMAL);
        } else if (cell->cp[0] == ' ' && !cell->over && cell->fill == ROLE_NORMAL) {
            canvas_glyph(c, y, column.x, ROLE_LINK, GLYPH_VLINE);
        } else {
            canvas_over(c, rect_make(y, column.x, 1, 1), ROLE_CURSOR_IDLE);
        }
    }
    canvas_over(c, rect_make(column.y, column.x, 1, 1), ROLE_CURSOR);
}

/* The line of time is the last column of the table. */
static void draw_axis(struct timeline_screen *t, struct canvas *c, struct rect body)
{
    const struct table *table = table_of(t);
    bool bar = table->shown.n > (size_t)table->list.height;
    int x = body.x + body.w - t->bars.axis.room - (bar ? 2 : 0), rows = table->list.height;
    if (t->bars.axis.room <= 0 || body.h <= 2 || x < body.x) /* a very narrow terminal has no room for it */
        return;
    struct rect axis = rect_make(body.y, x, body.h < rows + 1 ? body.h : rows + 1, t->bars.axis.room),
                head = rect_take_top(&axis, 1);
    struct rect old = canvas_clip(c, body);
    timebars_draw(&t->bars, table, c, axis);
    planbars_draw_scale(&t->bars.axis, c, head);
    if (t->at) {
        int col = (int)t->at < t->bars.axis.room ? (int)t->at : t->bars.axis.room - 1;
        int n = (int)(table->shown.n - table->list.top);
        draw_time_cursor(c, rect_make(body.y, x + col, 1 + (n < axis.h ? n : axis.h), 1));
    }
    canvas_unclip(c, old);
}

/* The scores have a line of their own if the screen is high enough. */
static bool has_scores(const struct timeline_screen *t, int rows)
{
    return score_total(&t->bars.plan.scores).starts && rows > SCORE_ROWS;
}

static void view_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct timeline_screen *t = timeline_of(v);
    struct screen_layout inner = *l;
    struct rect legend = {0}, info = {0};
    struct lines empty = {0};
    if (inner.body.h > 10)
        legend = rect_take_bottom(&inner.body, 1);
    if (inner.body.h > INFO_LINES + 4)
        info = rect_take_bottom(&inner.body, INFO_LINES + has_scores(t, inner.body.h));
    lines_addf(&empty, ROLE_NORMAL,
               t->plan_ask.refused ? tr("The controller has no plan.") : tr("No jobs."));
    t->body = inner.body;
    t->bars.axis.room = 0;
    tableview_draw(v->ui, table_of(t), c, &inner, &empty);
    lines_fini(&empty);
    v->ticks = false;
    draw_axis(t, c, inner.body);
    int rows = (int)table_of(t)->shown.n;
    if (t->body.h > 1 + rows && !rect_is_empty(info)) { /* right below the rows */
        info.y = t->body.y + 1 + rows;
        legend.y = info.y + info.h;
    }
    draw_info(t, c, info);
    if (!rect_is_empty(legend))
        planbars_draw_legend(c, legend);
}

static unsigned timeline_view_input(struct view *v, const struct input *in)
{
    return table_input(table_of(timeline_of(v)), in, timeline_of(v)->body);
}

static void move_time(struct timeline_screen *t, int by)
{
    if (by < 0 && t->at)
        t->at--;
    else if (by > 0 && (int)t->at + 1 < t->bars.axis.room)
        t->at++;
}

/* The number of the job under the cursor; 0: none. */
static uint32_t timeline_job(const struct timeline_screen *t)
{
    const struct lane *l = current_lane(t);
    struct wall at = cursor_time(t);
    for (size_t i = l ? l->first : 0; l && i < l->first + l->n; i++) {
        const struct bar_item *b = &t->bars.axis.lanes.items.v[i];
        if (b->row->job && (!l->node || (b->start.ms <= at.ms && at.ms < b->end.ms)))
            return b->row->job;
    }
    return 0;
}

static void timeline_open_job(struct timeline_screen *t)
{
    uint32_t job = timeline_job(t);
    if (job)
        ui_push(t->v.ui, &jobpage_view, &job);
    else
        ui_toast(t->v.ui, ROLE_NORMAL, tr("no job here: Left and Right move in time"));
}

/* NULL: the plan is shown by job. */
static const struct node *timeline_node_of_row(struct ui *ui, const struct trow *row)
{
    const struct lane *l = row->data;
    return l->node ? model_get_node(ui_model(ui), l->node) : NULL;
}

static void timeline_view_subject(struct view *v, struct row_subject *ret)
{
    struct timeline_screen *t = timeline_of(v);
    const struct trow *row = table_current(table_of(t));
    uint32_t job = timeline_job(t);
    ret->job = job ? model_get_job(ui_model(v->ui), job) : NULL;
    ret->node = row ? timeline_node_of_row(v->ui, row) : NULL;
}

/* Of the job under the cursor, else of the node. Returns false where there is neither. */
static bool timeline_copy(struct timeline_screen *t)
{
    struct row_subject of = {0};
    timeline_view_subject(&t->v, &of);
    if (of.job)
        job_copy_open(t->v.ui, of.job, table_of(t));
    else if (of.node)
        node_copy_open(t->v.ui, of.node, table_of(t));
    return of.job || of.node;
}

/* A cluster without GPUs has no lanes of them. */
static enum plan_by next_way(const struct timeline_screen *t)
{
    const struct model *m = ui_model(t->v.ui);
    bool gpus = false;
    for (size_t i = 0; i < m->n_nodes && !gpus; i++)
        gpus = m->nodes[i]->gpus > 0;
    enum plan_by next = (t->bars.by + 1) % PLAN_WAYS;
    return next == PLAN_BY_GPU && !gpus ? PLAN_BY_JOB : next;
}

static unsigned timeline_view_act(struct view *v, enum action a, const struct input *in)
{
    struct timeline_screen *t = timeline_of(v);
    if (a == ACTION_PLAN_LEFT || a == ACTION_PLAN_RIGHT)
        move_time(t, a == ACTION_PLAN_LEFT ? -1 : 1);
    else if (a == ACTION_PLAN_CLOSER || a == ACTION_PLAN_WIDER) {
        bool closer = a == ACTION_PLAN_CLOSER;
        size_t end = closer ? 0 : N_SPANS - 1;
        set_span(t, t->span == end ? end : closer ? t->span - 1 : t->span + 1);
        table_refill(table_of(t));
    } else if (a == ACTION_PLAN_MODE) {
        t->bars.by = next_way(t);
        table_refill(table_of(t));
    } else if (a == ACTION_PLAN_OPEN)
        timeline_open_job(t);
    else if (a == ACTION_CLOSE && t->at)
        t->at = 0;
    else if (a == ACTION_WINDOWS)
        nodekeys_act(v->ui, table_of(t), timeline_node_of_row, a);
    else if (a != ACTION_COPY || !timeline_copy(t))
        return tableview_act(v->ui, table_of(t), a, in);
    return DID_HANDLE | DID_REDRAW;
}

static const char *timeline_view_label(struct view *v, enum action a)
{
    return a == ACTION_PLAN_MODE ? tr(way_words[next_way(timeline_of(v))]) : NULL;
}

static struct table *view_table(struct view *v)
{
    return table_of(timeline_of(v));
}

static const enum scope scopes[] = {SCOPE_PLAN, SCOPE_WINDOWS, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops timeline_view = {
    .name = "timeline",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .open = timeline_view_open,
    .close = timeline_view_close,
    .sync = timeline_view_sync,
    .title = view_title,
    .draw = view_draw,
    .input = timeline_view_input,
    .act = timeline_view_act,
    .timer = view_timer,
    .label = timeline_view_label,
    .subject = timeline_view_subject,
    .table = view_table,
};
