/* timeline.c - the plan on a line of time, by node or by job.
 *
 *      NODE   |13:00      14:00      15:00      16:00
 *      n01    4688########|#####     4720::::::::::::      # running  : a place is held
 *             4701########|################                 . forecast  % window
 *      n02    %%%%%%%%%%%%%%%%%%%%
 *
 * The plan is the scheduler's. It is asked for when the queue has changed, at most every few seconds, while
 * this is on the screen. Windows are the mirror's own.
 */
#include "ui/view/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/units.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/view/jobpage.h"
#include "ui/view/nodekeys.h"
#include "ui/view/planinfo.h"
#include "ui/view/seldom.h"
#include "ui/view/tableview.h"
#include "ui/view/words.h"

#define ASK_PAUSE_MS 4000
#define MINUTE_MS    60000
#define PAST_PART    8 /* of so many parts of the line one is past */
#define INFO_LINES   3
#define WIDTH_MAX    1024
#define TICK_CELLS   6 /* of a time on the scale: "|16:00" */

static const uint32_t spans[] = {3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400};
#define N_SPANS (sizeof spans / sizeof spans[0])

struct timeline {
    struct view v;
    struct table tables[2]; /* by node, by job */
    struct rect body;
    struct pane side;
    struct msg_plan plan;
    struct planlanes lanes;
    struct seldom plan_ask;
    struct mono minute; /* now has moved on then */
    bool by_job;
    size_t span, at; /* at: the column of the time cursor; 0: now's */
    int room;        /* cells of the line of time, as last drawn */
};

static struct timeline *timeline_of(struct view *v)
{
    return (struct timeline *)(void *)v;
}

static struct table *table_of(struct timeline *t)
{
    return &t->tables[t->by_job];
}

/* --- asking --- */

static void wake_when(struct timeline *t)
{
    bool ask_first = t->plan_ask.due.ns && t->plan_ask.due.ns < t->minute.ns;
    t->v.due = ask_first ? t->plan_ask.due : t->minute;
}

static void answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct timeline *t = timeline_of(owner);
    if (!seldom_answered(&t->plan_ask, in, MSG_PLAN_DATA))
        return;
    rec_fini(&msg_plan_rec, &t->plan);
    rec_copy(&msg_plan_rec, &t->plan, in->body);
    table_refill(table_of(t));
    ui_changed(ui);
}

static void ask_sometimes(struct timeline *t)
{
    struct msg_plan_get get = {.rows_max = 0};
    if (seldom_is_due(&t->plan_ask, t->v.ui, ASK_PAUSE_MS))
        seldom_sent(&t->plan_ask, ui_send(t->v.ui, MSG_PLAN, &get, &t->v, answered, 0));
    wake_when(t);
}

static void fill(void *ctx, struct table *table)
{
    struct timeline *t = ctx;
    planlanes_fill(&t->lanes, &t->plan, ui_model(t->v.ui), ui_now(t->v.ui), t->by_job);
    vec_for_each (&t->lanes.lanes, i)
        table_add(table, (struct trow){.id = t->lanes.lanes.v[i].id, .data = &t->lanes.lanes.v[i]});
}

/* --- the line of time --- */

static struct wall begin_of(const struct timeline *t)
{
    return wall_add_s(ui_now(t->v.ui), -(int64_t)(spans[t->span] / PAST_PART));
}

static int64_t cell_ms(const struct timeline *t, int width)
{
    return (int64_t)spans[t->span] * MS_PER_S / (width > 0 ? width : 1);
}

static int column_of(const struct timeline *t, struct wall when, int width)
{
    int64_t cell = cell_ms(t, width), at = when.ms - begin_of(t).ms;
    int64_t c = at < 0 ? -1 : at / (cell ? cell : 1);
    return c > width ? width : (int)c;
}

static bool is_mine(const struct timeline *t, const struct plan_row *r)
{
    const struct job *j = r->job ? ui_job(t->v.ui, r->job) : NULL;
    return j && j->uid == ui_uid(t->v.ui);
}

static void look_of(const struct timeline *t, const struct plan_row *r, char *sign, enum role *role)
{
    bool mine = is_mine(t, r);
    switch ((enum plan_kind)r->kind) {
    case PLAN_RUNNING:
        *sign = '#';
        *role = mine ? ROLE_RUNNING : ROLE_BAR_USED;
        return;
    case PLAN_HELD:
        *sign = ':';
        *role = mine ? ROLE_STRONG : ROLE_WAITING;
        return;
    case PLAN_FORECAST:
        *sign = '.';
        *role = mine ? ROLE_STRONG : ROLE_DIM;
        return;
    case PLAN_WINDOW:
        *sign = '%';
        *role = ROLE_BAR_OUT;
        return;
    case PLAN_BEYOND:
    case PLAN_UNKNOWN:
    case PLAN_N_KINDS: break;
    }
    *sign = ' ';
    *role = ROLE_DIM;
}

static void put_bar(const struct timeline *t, const struct bar_item *b, char *signs, uint8_t *roles,
                    int width)
{
    char sign;
    struct str label = STR_INIT;
    enum role role;
    int from = column_of(t, b->start, width), to = column_of(t, b->end, width);
    int now = column_of(t, ui_now(t->v.ui), width);
    from = from < 0 ? 0 : from;
    if (to < 0 || from >= width || !plan_has_bar(b->row))
        return;
    if (to <= from)
        to = from + 1;
    look_of(t, b->row, &sign, &role);
    if (b->row->job)
        planinfo_id(&label, t->v.ui, b->row);
    else
        str_append(&label, b->row->name ? b->row->name : "window");
    size_t n = label.len;
    for (int c = from; c < to && c < width; c++) {
        size_t k = (size_t)(c - from);
        unsigned char letter = k < n && n + 1 < (size_t)(to - from) ? (unsigned char)label.s[k] : 0;
        signs[c] = letter >= ' ' && letter < 0x7f ? (char)letter : sign;
        if (c == now && !letter)
            signs[c] = '|'; /* what runs goes on through it */
        roles[c] = (uint8_t)role;
    }
    str_fini(&label);
}

/* Nothing starts on a node that takes no jobs. */
static bool lane_is_out(const struct timeline *t, const struct lane *l)
{
    const struct node *n = l->node ? model_get_node(ui_model(t->v.ui), l->node) : NULL;
    return n && node_is_out(n);
}

static void get_plan(const void *ctx, const void *row, struct field *f)
{
    struct timeline *t = (struct timeline *)(uintptr_t)ctx; /* the room is remembered for the scale above */
    const struct lane *l = row;
    char signs[WIDTH_MAX];
    uint8_t roles[WIDTH_MAX];
    int width = f->room > WIDTH_MAX ? WIDTH_MAX : f->room;
    f->has_num = l->n > 0;
    f->num = l->n ? (double)t->lanes.items.v[l->first].start.ms : 0;
    if (width <= 0)
        return;
    t->room = width;
    bool out = lane_is_out(t, l);
    int now = column_of(t, ui_now(t->v.ui), width);
    for (int c = 0; c < width; c++) {
        signs[c] = c == now ? '|' : out && c > now ? 'x' : ' ';
        roles[c] = out && c > now ? ROLE_BAR_OUT : ROLE_RULE;
    }
    for (size_t i = l->first; i < l->first + l->n; i++)
        put_bar(t, &t->lanes.items.v[i], signs, roles, width);
    for (int c = 0, from = 0; c < width; c = from) {
        while (from < width && roles[from] == roles[c])
            str_append_char(&f->text.text, signs[from++]);
        rich_role(&f->text, (enum role)roles[c]);
    }
}

/* --- columns --- */

static const struct plan_row *first_row(const struct timeline *t, const struct lane *l)
{
    return l->n ? t->lanes.items.v[l->first].row : NULL;
}

static void get_where(const void *ctx, const void *row, struct field *f)
{
    const struct timeline *t = ctx;
    const struct lane *l = row;
    const struct plan_row *r = first_row(t, l);
    if (l->node) {
        rich_add(&f->text, ROLE_STRONG, l->again && f->room ? "" : l->node);
    } else if (r && r->job) {
        planinfo_id(&f->text.text, t->v.ui, r);
        rich_role(&f->text, is_mine(t, r) ? ROLE_STRONG : ROLE_NORMAL);
    } else if (r) {
        rich_add(&f->text, ROLE_BAR_OUT, "window");
    }
}

static void get_who(const void *ctx, const void *row, struct field *f)
{
    const struct timeline *t = ctx;
    const struct lane *l = row;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct plan_row *r = t->lanes.items.v[i].row;
        rich_addf(&f->text, ROLE_NORMAL, "%s%s%s%s", f->text.text.len ? " " : "", r->user ? r->user : "",
                  r->user ? "/" : "", r->name ? r->name : "");
        if (!l->node && r->count > 1)
            rich_addf(&f->text, ROLE_DIM, " x%u", r->count);
    }
}

static void get_start(const void *ctx, const void *row, struct field *f)
{
    const struct timeline *t = ctx;
    const struct plan_row *r = first_row(t, row);
    if (!r || ((const struct lane *)row)->node)
        return;
    if (wall_is_set(r->start)) {
        f->has_num = true;
        f->num = (double)r->start.ms;
        when_about(&f->text.text, r->start, ui_now(t->v.ui));
        rich_role(&f->text, r->kind == PLAN_RUNNING ? ROLE_DIM : ROLE_NORMAL);
    } else {
        rich_add(&f->text, ROLE_DIM, r->kind == PLAN_BEYOND ? "later" : "not known");
    }
}

static const struct column by_node[] = {
    {.name = "node",
     .title = "NODE",
     .min = 5,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_where},
    {.name = "who",
     .title = "WHO",
     .min = 12,
     .want = 20,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_who},
    {.name = "plan", .title = "", .min = 20, .share = 70, .get = get_plan},
};

static const struct column by_job[] = {
    {.name = "job",
     .title = "JOB",
     .min = 5,
     .want = 10,
     .fit = 10,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_where},
    {.name = "who",
     .title = "WHO",
     .min = 12,
     .want = 22,
     .fit = 18,
     .rank = 2,
     .flags = COLUMN_WORDS,
     .get = get_who},
    {.name = "start", .title = "START", .min = 9, .want = 10, .rank = 1, .get = get_start},
    {.name = "plan", .title = "", .min = 20, .share = 50, .get = get_plan},
};

/* --- the view --- */

static struct view *view_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct timeline *t = xcalloc(1, sizeof *t);
    t->v = (struct view){.ops = &timeline_view, .ui = ui};
    t->span = 2;
    table_init(&t->tables[0], by_node, sizeof by_node / sizeof by_node[0], fill, t);
    table_init(&t->tables[1], by_job, sizeof by_job / sizeof by_job[0], fill, t);
    t->minute = mono_add_ms(ui_mono(ui), MINUTE_MS);
    return &t->v;
}

static void view_close(struct view *v)
{
    struct timeline *t = timeline_of(v);
    table_fini(&t->tables[0]);
    table_fini(&t->tables[1]);
    rec_fini(&msg_plan_rec, &t->plan);
    planlanes_fini(&t->lanes);
    pane_fini(&t->side);
    free(t);
}

static void view_sync(struct view *v)
{
    struct timeline *t = timeline_of(v);
    table_refill(table_of(t));
    ask_sometimes(t);
}

static void view_timer(struct view *v)
{
    struct timeline *t = timeline_of(v);
    if (ui_mono(v->ui).ns >= t->minute.ns)
        t->minute = mono_add_ms(ui_mono(v->ui), MINUTE_MS);
    if (t->plan_ask.due.ns)
        ask_sometimes(t);
    else
        wake_when(t);
    ui_changed(v->ui);
}

static void view_title(struct view *v, struct rich *out)
{
    struct timeline *t = timeline_of(v);
    char b[UNITS_TEXT_SIZE];
    rich_add(out, ROLE_TITLE, "Timeline");
    rich_addf(out, ROLE_NORMAL, " %s by %s", duration_format_words(spans[t->span], b),
              t->by_job ? "job" : "node");
    if (table_of(t)->edit.text.len || table_of(t)->list.marks.n)
        tableview_title(v->ui, table_of(t), t->lanes.lanes.n, out);
    if (t->plan_ask.has && wall_is_set(t->plan.made))
        rich_addf(out, ROLE_DIM, "   planned %s ago",
                  duration_format_words(wall_elapsed_s(t->plan.made, ui_now(v->ui)), b));
    if (t->plan.n_more)
        rich_addf(out, ROLE_WARN, "   %u more are not shown", t->plan.n_more);
}

static const uint32_t ticks_s[] = {300, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400};

/* The hours over the bars, as many as have room. */
static void draw_scale(const struct timeline *t, struct canvas *c, struct rect head, int width)
{
    struct wall begin = begin_of(t);
    size_t k = 0;
    while (k + 1 < sizeof ticks_s / sizeof ticks_s[0] &&
           (int64_t)ticks_s[k] * MS_PER_S / cell_ms(t, width) < 9)
        k++;
    time_t first = (time_t)(begin.ms / MS_PER_S), step = (time_t)ticks_s[k];
    struct tm tm;
    localtime_r(&first, &tm);
    time_t offset = tm.tm_gmtoff;
    for (time_t at = (first + offset) / step * step + step - offset;; at += step) {
        int col = column_of(t, (struct wall){.ms = (int64_t)at * MS_PER_S}, width);
        char text[16];
        if (col >= width - TICK_CELLS)
            return;
        localtime_r(&at, &tm);
        strftime(text, sizeof text,
                 step >= 86400 || (tm.tm_hour == 0 && tm.tm_min == 0) ? "%a %d" : "%H:%M", &tm);
        if (col >= 0)
            canvas_printf(c, head.y, head.x + col, ROLE_HEAD, width - col, "|%s", text);
    }
}

static const struct lane *current_lane(const struct timeline *t)
{
    const struct trow *row = table_current(&t->tables[t->by_job]);
    return row ? row->data : NULL;
}

static struct wall cursor_time(const struct timeline *t)
{
    int64_t cell = cell_ms(t, t->room), col = (int64_t)t->at;
    return t->at ? (struct wall){.ms = begin_of(t).ms + col * cell + cell / 2} : ui_now(t->v.ui);
}

static void draw_info(const struct timeline *t, struct canvas *c, struct rect r)
{
    const struct lane *l = current_lane(t);
    struct lines told = {0};
    if (rect_is_empty(r) || !l)
        return;
    planinfo_brief(&told, t->v.ui, &t->lanes, l, cursor_time(t));
    canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    for (int i = 0; i < 2; i++)
        rich_draw(&told.v[i], c, r.y + 1 + i, r.x + 2, r.w - 3);
    lines_fini(&told);
}

static void draw_side(struct timeline *t, struct canvas *c, struct rect r)
{
    const struct lane *l = current_lane(t);
    if (rect_is_empty(r) || !l)
        return;
    lines_clear(&t->side.lines);
    planinfo_lines(&t->side.lines, t->v.ui, &t->lanes, l, cursor_time(t));
    pane_draw(&t->side, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
}

static void draw_legend(const struct timeline *t, struct canvas *c, struct rect line)
{
    struct rich r;
    (void)t;
    rich_init(&r);
    rich_add(&r, ROLE_BAR_USED, "#");
    rich_add(&r, ROLE_DIM, " runs  ");
    rich_add(&r, ROLE_WAITING, ":");
    rich_add(&r, ROLE_DIM, " kept  ");
    rich_add(&r, ROLE_DIM, ". forecast  ");
    rich_add(&r, ROLE_BAR_OUT, "%");
    rich_add(&r, ROLE_DIM, " window  ");
    rich_add(&r, ROLE_BAR_OUT, "x");
    rich_add(&r, ROLE_DIM, " out  | now");
    rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
    rich_fini(&r);
}

/* A line through what is empty, a role over what is not. */
static void draw_time_cursor(struct canvas *c, struct rect column)
{
    for (int y = column.y + 1; y < column.y + column.h; y++) {
        const struct cell *cell = canvas_at(c, y, column.x);
        if (cell->cp[0] == ' ' && !cell->over)
            canvas_glyph(c, y, column.x, ROLE_LINK, GLYPH_VLINE);
        else
            canvas_over(c, rect_make(y, column.x, 1, 1), ROLE_CURSOR_IDLE);
    }
    canvas_over(c, rect_make(column.y, column.x, 1, 1), ROLE_CURSOR);
}

static void view_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct timeline *t = timeline_of(v);
    struct layout inner = *l;
    struct rect legend = {0}, info = {0};
    struct lines empty = {0};
    if (inner.body.h > 10)
        legend = rect_take_bottom(&inner.body, 1);
    if (rect_is_empty(l->side) && inner.body.h > INFO_LINES + 4)
        info = rect_take_bottom(&inner.body, INFO_LINES);
    lines_addf(&empty, ROLE_NORMAL,
               t->plan_ask.refused ? "The controller tells no plan." : "Nothing runs and nothing waits.");
    t->body = inner.body;
    t->room = 0;
    tableview_draw(v->ui, table_of(t), c, &inner, &empty);
    lines_fini(&empty);
    v->ticks = false;
    if (t->room > 0) { /* the line of time is the last column */
        bool bar = table_of(t)->shown.n > (size_t)table_of(t)->list.height;
        int x = inner.body.x + inner.body.w - t->room - (bar ? 2 : 0);
        struct rect head = rect_make(inner.body.y, x, 1, t->room);
        draw_scale(t, c, head, t->room);
        if (t->at) {
            int col = (int)t->at < t->room ? (int)t->at : t->room - 1;
            if (x + col >= inner.body.x) /* where all is cut off the line may begin outside */
                draw_time_cursor(c, rect_make(inner.body.y, x + col, inner.body.h, 1));
        }
    }
    draw_info(t, c, info);
    draw_side(t, c, l->side);
    if (!rect_is_empty(legend))
        draw_legend(t, c, legend);
}

static unsigned view_input(struct view *v, const struct input *in)
{
    return table_input(table_of(timeline_of(v)), in, timeline_of(v)->body);
}

static void move_time(struct timeline *t, int by)
{
    if (!t->at && t->room)
        t->at = (size_t)column_of(t, ui_now(t->v.ui), t->room);
    if (by < 0 && t->at > 1)
        t->at--;
    else if (by > 0 && (int)t->at + 1 < t->room)
        t->at++;
}

static void open_job(struct timeline *t)
{
    const struct lane *l = current_lane(t);
    struct wall at = cursor_time(t);
    for (size_t i = l ? l->first : 0; l && i < l->first + l->n; i++) {
        const struct bar_item *b = &t->lanes.items.v[i];
        if (b->row->job && (!l->node || (b->start.ms <= at.ms && at.ms < b->end.ms))) {
            ui_push(t->v.ui, &jobpage_view, &b->row->job);
            return;
        }
    }
    ui_toast(t->v.ui, ROLE_NORMAL, "no job is there: Left and Right move the time");
}

/* NULL: the plan is shown by job. */
static const struct node *node_of_row(struct ui *ui, const struct trow *row)
{
    const struct lane *l = row->data;
    return l->node ? model_get_node(ui_model(ui), l->node) : NULL;
}

static unsigned view_act(struct view *v, enum action a, const struct input *in)
{
    struct timeline *t = timeline_of(v);
    if (a == ACTION_PLAN_LEFT || a == ACTION_PLAN_RIGHT)
        move_time(t, a == ACTION_PLAN_LEFT ? -1 : 1);
    else if (a == ACTION_PLAN_CLOSER || a == ACTION_PLAN_WIDER) {
        size_t last = N_SPANS - 1;
        t->span = a == ACTION_PLAN_CLOSER ? (t->span ? t->span - 1 : 0)
                  : t->span < last        ? t->span + 1
                                          : last;
        t->at = 0;
    } else if (a == ACTION_PLAN_MODE) {
        t->by_job = !t->by_job;
        table_refill(table_of(t));
    } else if (a == ACTION_PLAN_OPEN)
        open_job(t);
    else if (a == ACTION_CLOSE && t->at)
        t->at = 0;
    else if (a == ACTION_WINDOWS)
        nodekeys_act(v->ui, table_of(t), node_of_row, a);
    else
        return tableview_act(v->ui, table_of(t), a, in);
    return DID_HANDLE | DID_REDRAW;
}

static const char *view_label(struct view *v, enum action a)
{
    return a == ACTION_PLAN_MODE && timeline_of(v)->by_job ? "by node" : NULL;
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
    .wants_side = true,
    .open = view_open,
    .close = view_close,
    .sync = view_sync,
    .title = view_title,
    .draw = view_draw,
    .input = view_input,
    .act = view_act,
    .timer = view_timer,
    .label = view_label,
    .table = view_table,
};
