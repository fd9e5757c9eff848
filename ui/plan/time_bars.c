/* time_bars.c - the plan as the rows of a table.
 *
 *      NODE   |13:00      14:00      15:00      16:00
 *      n01    4688########|#####     4720::::::::::::      # running  : planned start
 *             4701########|################                 . forecast  % window
 *      n02    %%%%%%%%%%%%%%%%%%%%
 */
#include "ui/plan/time_bars.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/vec.h"
#include "ui/plan/plan_info.h"
#include "ui/text/view_text.h"

#define PAST_PART  8 /* one part in this many shows the past */
#define WIDTH_MAX  1024
#define TICK_CELLS 6 /* of a time on the scale: "|16:00" */

/* --- the line of time --- */

static struct wall begin_of(const struct timebars *b)
{
    return wall_add_s(ui_now(b->ui), -(int64_t)(b->span_s / PAST_PART));
}

static int64_t cell_ms(const struct timebars *b, int width)
{
    return (int64_t)b->span_s * MS_PER_S / (width > 0 ? width : 1);
}

static int time_bars_column_of(const struct timebars *b, struct wall when, int width)
{
    int64_t cell = cell_ms(b, width), at = when.ms - begin_of(b).ms;
    int64_t c = at < 0 ? -1 : at / (cell ? cell : 1);
    return c > width ? width : (int)c;
}

static bool is_mine(const struct timebars *b, const struct plan_row *r)
{
    const struct job *j = r->job ? ui_job(b->ui, r->job) : NULL;
    return j && j->uid == ui_uid(b->ui);
}

static void look_of(const struct timebars *b, const struct plan_row *r, char *sign, enum role *role)
{
    bool mine = is_mine(b, r);
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

static void put_bar(const struct timebars *b, const struct bar_item *bar, char *signs, uint8_t *roles,
                    int width)
{
    char sign;
    struct str label = STR_INIT;
    enum role role;
    int from = time_bars_column_of(b, bar->start, width), to = time_bars_column_of(b, bar->end, width);
    int now = time_bars_column_of(b, ui_now(b->ui), width);
    from = from < 0 ? 0 : from;
    if (to < 0 || from >= width || !plan_has_bar(bar->row))
        return;
    if (to <= from)
        to = from + 1;
    look_of(b, bar->row, &sign, &role);
    if (bar->row->job)
        planinfo_id(&label, b->ui, bar->row);
    else
        str_append(&label, bar->row->name ? bar->row->name : "window");
    size_t n = label.len;
    for (int c = from; c < to && c < width; c++) {
        size_t k = (size_t)(c - from);
        unsigned char letter = k < n && n + 1 < (size_t)(to - from) ? (unsigned char)label.s[k] : 0;
        signs[c] = letter >= ' ' && letter < 0x7f ? (char)letter : sign;
        if (c == now && !letter)
            signs[c] = '|'; /* running jobs continue through it */
        roles[c] = (uint8_t)role;
    }
    str_fini(&label);
}

/* Nothing starts on a node that takes no jobs. */
static bool lane_is_out(const struct timebars *b, const struct lane *l)
{
    const struct node *n = l->node ? model_get_node(ui_model(b->ui), l->node) : NULL;
    return n && node_is_out(n);
}

static void get_plan(const void *ctx, const void *row, struct table_field *f)
{
    struct timebars *b = (struct timebars *)(uintptr_t)ctx; /* the width is kept for the scale above */
    const struct lane *l = row;
    char signs[WIDTH_MAX];
    uint8_t roles[WIDTH_MAX];
    int width = f->room > WIDTH_MAX ? WIDTH_MAX : f->room;
    f->has_num = l->n > 0;
    f->num = l->n ? (double)b->lanes.items.v[l->first].start.ms : 0;
    if (width <= 0)
        return;
    b->room = width;
    bool out = lane_is_out(b, l);
    int now = time_bars_column_of(b, ui_now(b->ui), width);
    for (int c = 0; c < width; c++) {
        signs[c] = c == now ? '|' : out && c > now ? 'x' : ' ';
        roles[c] = out && c > now ? ROLE_BAR_OUT : ROLE_RULE;
    }
    for (size_t i = l->first; i < l->first + l->n; i++)
        put_bar(b, &b->lanes.items.v[i], signs, roles, width);
    for (int c = 0, from = 0; c < width; c = from) {
        while (from < width && roles[from] == roles[c])
            str_append_char(&f->text.text, signs[from++]);
        rich_role(&f->text, (enum role)roles[c]);
    }
}

/* --- columns --- */

static const struct plan_row *first_row(const struct timebars *b, const struct lane *l)
{
    return l->n ? b->lanes.items.v[l->first].row : NULL;
}

static void time_bars_get_where(const void *ctx, const void *row, struct table_field *f)
{
    const struct timebars *b = ctx;
    const struct lane *l = row;
    const struct plan_row *r = first_row(b, l);
    if (l->node) {
        rich_add(&f->text, ROLE_STRONG, l->again && f->room ? "" : l->node);
    } else if (r && r->job) {
        planinfo_id(&f->text.text, b->ui, r);
        rich_role(&f->text, is_mine(b, r) ? ROLE_STRONG : ROLE_NORMAL);
    } else if (r) {
        rich_add(&f->text, ROLE_BAR_OUT, "window");
    }
}

static void time_bars_get_who(const void *ctx, const void *row, struct table_field *f)
{
    const struct timebars *b = ctx;
    const struct lane *l = row;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct plan_row *r = b->lanes.items.v[i].row;
        rich_addf(&f->text, ROLE_NORMAL, "%s%s%s%s", f->text.text.len ? " " : "", r->user ? r->user : "",
                  r->user ? "/" : "", r->name ? r->name : "");
        if (!l->node && r->count > 1)
            rich_addf(&f->text, ROLE_DIM, " x%u", r->count);
    }
}

static void get_start(const void *ctx, const void *row, struct table_field *f)
{
    const struct timebars *b = ctx;
    const struct plan_row *r = first_row(b, row);
    if (!r || ((const struct lane *)row)->node)
        return;
    if (wall_is_set(r->start)) {
        f->has_num = true;
        f->num = (double)r->start.ms;
        when_about(&f->text.text, r->start, ui_now(b->ui));
        rich_role(&f->text, r->kind == PLAN_RUNNING ? ROLE_DIM : ROLE_NORMAL);
    } else {
        rich_add(&f->text, ROLE_DIM, r->kind == PLAN_BEYOND ? "later" : "not known");
    }
}

static const struct table_column node_columns[] = {
    {.name = "node",
     .title = "NODE",
     .min = 5,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = time_bars_get_where},
    {.name = "who",
     .title = "WHO",
     .min = 12,
     .want = 20,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = time_bars_get_who},
    {.name = "plan", .title = "", .min = 20, .share = 70, .get = get_plan},
};

static const struct table_column job_columns[] = {
    {.name = "job",
     .title = "JOB",
     .min = 5,
     .want = 10,
     .fit = 10,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = time_bars_get_where},
    {.name = "who",
     .title = "WHO",
     .min = 12,
     .want = 22,
     .fit = 18,
     .rank = 2,
     .flags = COLUMN_WORDS,
     .get = time_bars_get_who},
    {.name = "start", .title = "START", .min = 9, .want = 10, .rank = 1, .get = get_start},
    {.name = "plan", .title = "", .min = 20, .share = 50, .get = get_plan},
};

/* --- the table --- */

static void time_bars_fill(void *ctx, struct table *table)
{
    struct timebars *b = ctx;
    planlanes_fill(&b->lanes, &b->plan, ui_model(b->ui), ui_now(b->ui), b->by_job);
    vec_for_each (&b->lanes.lanes, i)
        table_add(table, (struct trow){.id = b->lanes.lanes.v[i].id, .data = &b->lanes.lanes.v[i]});
}

void timebars_init_table(struct timebars *b, struct table *t, bool by_job)
{
    if (by_job)
        table_init(t, job_columns, sizeof job_columns / sizeof job_columns[0], time_bars_fill, b);
    else
        table_init(t, node_columns, sizeof node_columns / sizeof node_columns[0], time_bars_fill, b);
}

void timebars_fini(struct timebars *b)
{
    rec_fini(&msg_plan_rec, &b->plan);
    planlanes_fini(&b->lanes);
}

/* --- above and below it --- */

struct wall timebars_time(const struct timebars *b, int column)
{
    int64_t cell = cell_ms(b, b->room);
    return (struct wall){.ms = begin_of(b).ms + column * cell + cell / 2};
}

int timebars_now(const struct timebars *b)
{
    return time_bars_column_of(b, ui_now(b->ui), b->room);
}

static const uint32_t ticks_s[] = {300, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400};

void timebars_draw_scale(const struct timebars *b, struct canvas *c, struct rect head)
{
    int width = b->room;
    struct wall begin = begin_of(b);
    size_t k = 0;
    while (k + 1 < sizeof ticks_s / sizeof ticks_s[0] &&
           (int64_t)ticks_s[k] * MS_PER_S / cell_ms(b, width) < 9)
        k++;
    time_t first = (time_t)(begin.ms / MS_PER_S), step = (time_t)ticks_s[k];
    struct tm tm;
    localtime_r(&first, &tm);
    time_t offset = tm.tm_gmtoff;
    for (time_t at = (first + offset) / step * step + step - offset;; at += step) {
        int col = time_bars_column_of(b, (struct wall){.ms = (int64_t)at * MS_PER_S}, width);
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

void timebars_draw_legend(struct canvas *c, struct rect line)
{
    struct rich r;
    rich_init(&r);
    rich_add(&r, ROLE_BAR_USED, "#");
    rich_add(&r, ROLE_DIM, " running  ");
    rich_add(&r, ROLE_WAITING, ":");
    rich_add(&r, ROLE_DIM, " planned  ");
    rich_add(&r, ROLE_DIM, ". forecast  ");
    rich_add(&r, ROLE_BAR_OUT, "%");
    rich_add(&r, ROLE_DIM, " window  ");
    rich_add(&r, ROLE_BAR_OUT, "x");
    rich_add(&r, ROLE_DIM, " offline  | now");
    rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
    rich_fini(&r);
}
