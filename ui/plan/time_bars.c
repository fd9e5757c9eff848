/* time_bars.c - the plan as the rows of a table, and the time above it.
 *
 *      NODE   ▾14:20     15:00      16:00      17:00
 *      n01    #4688 train, ann######     -4720 eval, bo---   # runs, - planned, each user's in a colour
 *             #4701 sweep, ann##################
 *      n02    xxxx maintenance xxxxxxxxxx
 */
#include "ui/plan/time_bars.h"

#include <time.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "ui/info/node_info.h"
#include "ui/plan/plan_info.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"
#include "ui/view/table_view.h"

#define EIGHTHS         8
#define LEAST           4  /* eighths that a bar takes, however short it is */
#define LEAD_FROM       5  /* cells above which a bar keeps its first and its last one free of text */
#define NAME_MIN        5  /* cells in which a name says something: a blank, three letters and a mark */
#define PALE_PLANNED    55 /* percent of the track in the colour of a planned start ... */
#define PALE_FORECAST   70 /* ... and of one that is only expected */
#define HATCH_LEAD      4  /* cells before the word */
#define HATCH_WORD_FROM 16
#define TICK_CELLS      6 /* of a time on the scale, and a blank */
#define TICK_EVERY      9 /* cells from one to the next at least */
#define NOW_CELLS       8 /* of the mark of now */

/* --- the line of time --- */

static int64_t cell_ms(const struct timebars *b)
{
    int64_t ms = (int64_t)b->span_s * MS_PER_S / (b->room > 0 ? b->room : 1);
    return ms > 0 ? ms : 1;
}

/* In eighths of a cell from now on, as far as the axis goes. */
static int time_bars_at(const struct timebars *b, struct wall when)
{
    int64_t at = (when.ms - ui_now(b->ui).ms) * EIGHTHS, cell = cell_ms(b),
            end = (int64_t)b->room * EIGHTHS;
    return at < 0 ? -1 : at / cell > end ? (int)end : (int)(at / cell);
}

static void get_plan(const void *ctx, const void *row, struct table_field *f)
{
    struct timebars *b = (struct timebars *)(uintptr_t)ctx; /* the width is kept for the bars */
    const struct lane *l = row;
    f->has_num = l->n > 0;
    f->num = l->n ? (double)b->lanes.items.v[l->first].start.ms : 0;
    if (f->room > 0)
        b->room = f->room;
}

/* --- bars --- */

struct bar_look {
    enum role fill, text;
    int pale;
    const char *sign; /* of its cells where there are no colours */
};

static bool is_mine(const struct timebars *b, const struct plan_row *r)
{
    const struct job *j = r->job ? ui_job(b->ui, r->job) : NULL;
    return j && j->uid == ui_uid(b->ui);
}

static struct bar_look look_of(const struct timebars *b, const struct plan_row *r)
{
    bool mine = is_mine(b, r), runs = r->kind == PLAN_RUNNING;
    return (struct bar_look){
        .fill = mine ? ROLE_OWNER_1 : ownerroles_of(&b->owners, r->user),
        .text = runs   ? mine ? ROLE_BAR_OWN : ROLE_BAR_TEXT
                : mine ? ROLE_STRONG
                       : ROLE_NORMAL,
        .pale = runs                   ? 0
                : r->kind == PLAN_HELD ? PALE_PLANNED
                                       : PALE_FORECAST,
        .sign = runs ? "\u2588" : "\u2591",
    };
}

/* "4711 train, ann", or as much of it as says something in room cells. */
static void bar_words(const struct timebars *b, const struct plan_row *r, int room, struct str *out)
{
    planinfo_id(out, b->ui, r);
    int left = room - cell_width(out->s), name = cell_width(r->name ? r->name : "") + 1,
        user = cell_width(r->user ? r->user : "") + 2;
    if (left < 0)
        str_clear(out);
    else if (r->name && left >= (name < NAME_MIN ? name : NAME_MIN))
        str_appendf(out, " %s", r->name);
    if (r->name && r->user && left >= name + user)
        str_appendf(out, ", %s", r->user);
}

static void draw_bar_text(const struct timebars *b, struct canvas *c, const struct plan_row *r,
                          struct rect at, const struct bar_look *look)
{
    struct str words = STR_INIT;
    bar_words(b, r, at.w, &words);
    if (words.len)
        canvas_text(c, at.y, at.x, look->text, words.s, at.w);
    str_fini(&words);
}

/* next: where the next bar begins, in eighths. */
static void draw_bar(const struct timebars *b, struct canvas *c, struct rect line,
                     const struct bar_item *bar, int next)
{
    int from = time_bars_at(b, bar->start) / EIGHTHS, end = time_bars_at(b, bar->end);
    struct bar_look look = look_of(b, bar->row);
    char block[4];
    from = from < 0 ? 0 : from;
    if (end < 0 || from >= line.w)
        return;
    if (end < from * EIGHTHS + LEAST)
        end = from * EIGHTHS + LEAST;
    if (next / EIGHTHS <= end / EIGHTHS && next / EIGHTHS > from) /* a gap is seen between the two */
        end = next / EIGHTHS * EIGHTHS - 1;
    canvas_fill_pale(c, look.fill, look.pale);
    for (int x = from; x < end / EIGHTHS; x++)
        canvas_text(c, line.y, line.x + x, look.fill, look.sign, 1);
    int cells = end / EIGHTHS - from, lead = cells > LEAD_FROM;
    draw_bar_text(b, c, bar->row, rect_make(line.y, line.x + from + lead, 1, cells - 2 * lead), &look);
    canvas_fill_pale(c, ROLE_NORMAL, look.pale);
    if (end % EIGHTHS && end / EIGHTHS < line.w) {
        block[utf8_encode(0x2590u - (uint32_t)(end % EIGHTHS), block)] = '\0';
        canvas_text(c, line.y, line.x + end / EIGHTHS, look.fill, block, 1);
    }
    canvas_fill_with(c, ROLE_NORMAL);
}

/* What keeps jobs off: hatched, with a word in it. */
static void draw_hatch(struct canvas *c, struct rect at, const struct rich *word)
{
    for (int i = 0; i < at.w; i++)
        canvas_text(c, at.y, at.x + i, ROLE_RULE, bar_sign(ROLE_BAR_OUT), 1);
    if (at.w < HATCH_WORD_FROM || !word->text.len)
        return;
    canvas_text(c, at.y, at.x + HATCH_LEAD, ROLE_RULE, " ", 1);
    int used = rich_draw(word, c, at.y, at.x + HATCH_LEAD + 1, at.w - 2 * HATCH_LEAD - 2);
    canvas_text(c, at.y, at.x + HATCH_LEAD + 1 + used, ROLE_RULE, " ", 1);
}

static void draw_window(const struct timebars *b, struct canvas *c, struct rect line,
                        const struct bar_item *bar, bool again)
{
    int from = time_bars_at(b, bar->start) / EIGHTHS, end = time_bars_at(b, bar->end);
    struct rich word;
    rich_init(&word);
    if (!again)
        rich_add(&word, ROLE_WARM, bar->row->name ? bar->row->name : "maintenance");
    from = from < 0 ? 0 : from;
    end = (end + EIGHTHS - 1) / EIGHTHS;
    draw_hatch(c, rect_make(line.y, line.x + from, 1, end - from), &word);
    rich_fini(&word);
}

/* Nothing starts on a node that takes no jobs: from the end of what runs there. */
static void draw_offline(const struct timebars *b, struct canvas *c, struct rect line, const struct lane *l)
{
    const struct node *n = l->node ? model_get_node(ui_model(b->ui), l->node) : NULL;
    struct rich word;
    int from = 0;
    if (!n || !node_is_out(n))
        return;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        int end = time_bars_at(b, b->lanes.items.v[i].end);
        from = end > from ? end : from;
    }
    from = (from + EIGHTHS - 1) / EIGHTHS;
    rich_init(&word);
    if (!l->again)
        nodeinfo_note(&word, b->ui, n);
    draw_hatch(c, rect_make(line.y, line.x + from, 1, line.w - from), &word);
    rich_fini(&word);
}

static void draw_lane(const struct timebars *b, struct canvas *c, struct rect line, const struct lane *l)
{
    canvas_glyph(c, line.y, line.x, ROLE_RULE, GLYPH_VLINE); /* now */
    draw_offline(b, c, line, l);
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct bar_item *bar = &b->lanes.items.v[i];
        int next = i + 1 < l->first + l->n ? time_bars_at(b, bar[1].start) : line.w * EIGHTHS + EIGHTHS;
        if (bar->row->kind == PLAN_WINDOW)
            draw_window(b, c, line, bar, l->again && l->has_gpus);
        else if (plan_has_bar(bar->row))
            draw_bar(b, c, line, bar, next);
    }
}

void timebars_draw(const struct timebars *b, const struct table *t, struct canvas *c, struct rect axis)
{
    for (size_t k = 0; (int)k < axis.h && t->list.top + k < t->shown.n; k++) {
        struct rect line = rect_make(axis.y + (int)k, axis.x, 1, axis.w);
        draw_lane(b, c, line, table_shown(t, t->list.top + k)->data);
        if (t->list.top + k == t->list.cursor)
            canvas_over(c, line, ROLE_CURSOR);
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

static void get_lane_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct lane *l = row;
    if (!l->has_gpus)
        return;
    rich_addf(&f->text, ROLE_DIM, "%u", l->gpu);
    if (l->gpu_last > l->gpu)
        rich_addf(&f->text, ROLE_DIM, "-%u", l->gpu_last);
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

static const struct table_column gpu_columns[] = {
    {.name = "node",
     .title = "NODE",
     .min = 5,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = time_bars_get_where},
    {.name = "gpus", .title = "GPUS", .min = 4, .want = 5, .get = get_lane_gpus},
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
    ownerroles_fill(&b->owners, b->ui);
    planlanes_fill(&b->lanes, &b->plan, ui_model(b->ui), ui_now(b->ui), b->by);
    vec_for_each (&b->lanes.lanes, i)
        table_add(table, (struct trow){.id = b->lanes.lanes.v[i].id, .data = &b->lanes.lanes.v[i]});
}

void timebars_init_table(struct timebars *b, struct table *t, enum plan_by by)
{
    static const struct {
        const struct table_column *columns;
        size_t n;
    } ways[PLAN_WAYS] = {
        [PLAN_BY_NODE] = {node_columns, sizeof node_columns / sizeof node_columns[0]},
        [PLAN_BY_GPU] = {gpu_columns, sizeof gpu_columns / sizeof gpu_columns[0]},
        [PLAN_BY_JOB] = {job_columns, sizeof job_columns / sizeof job_columns[0]},
    };
    table_init(t, ways[by].columns, ways[by].n, time_bars_fill, b);
}

void timebars_fini(struct timebars *b)
{
    rec_fini(&msg_plan_rec, &b->plan);
    planlanes_fini(&b->lanes);
}

/* --- above and below it --- */

struct wall timebars_time(const struct timebars *b, int column)
{
    int64_t cell = cell_ms(b);
    return (struct wall){.ms = ui_now(b->ui).ms + column * cell + cell / 2};
}

static const uint32_t ticks_s[] = {300, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400};

static void draw_now(const struct timebars *b, struct canvas *c, struct rect head)
{
    time_t now = (time_t)(ui_now(b->ui).ms / MS_PER_S);
    struct tm tm;
    char text[16];
    localtime_r(&now, &tm);
    strftime(text, sizeof text, "%H:%M", &tm);
    int used = canvas_glyph(c, head.y, head.x, ROLE_STRONG, GLYPH_DOWN);
    canvas_text(c, head.y, head.x + used, ROLE_STRONG, text, head.w - used);
}

void timebars_draw_scale(const struct timebars *b, struct canvas *c, struct rect head)
{
    size_t k = 0;
    while (k + 1 < sizeof ticks_s / sizeof ticks_s[0] &&
           (int64_t)ticks_s[k] * MS_PER_S / cell_ms(b) < TICK_EVERY)
        k++;
    time_t first = (time_t)(ui_now(b->ui).ms / MS_PER_S), step = (time_t)ticks_s[k];
    struct tm tm;
    localtime_r(&first, &tm);
    time_t offset = tm.tm_gmtoff;
    draw_now(b, c, head);
    for (time_t at = (first + offset) / step * step + step - offset;; at += step) {
        int col = time_bars_at(b, (struct wall){.ms = (int64_t)at * MS_PER_S}) / EIGHTHS;
        char text[16];
        if (col > head.w - TICK_CELLS)
            return;
        localtime_r(&at, &tm);
        strftime(text, sizeof text,
                 step >= 86400 || (tm.tm_hour == 0 && tm.tm_min == 0) ? "%a %d" : "%H:%M", &tm);
        if (col >= NOW_CELLS)
            canvas_printf(c, head.y, head.x + col, ROLE_HEAD, head.w - col, "%s", text);
    }
}

static int legend_sample(struct canvas *c, struct rect line, enum role fill, int pale, const char *sign,
                         const char *means)
{
    canvas_fill_pale(c, fill, pale);
    for (int i = 0; i < 2; i++)
        canvas_text(c, line.y, line.x + i, fill, sign, 1);
    canvas_fill_with(c, ROLE_NORMAL);
    return 5 + canvas_text(c, line.y, line.x + 3, ROLE_DIM, means, line.w - 3);
}

void timebars_draw_legend(struct canvas *c, struct rect line)
{
    line.x += 2;
    line.w -= 3;
    rect_take_left(&line, legend_sample(c, line, ROLE_OWNER_1, 0, "\u2588", "runs"));
    rect_take_left(&line, legend_sample(c, line, ROLE_OWNER_1, PALE_PLANNED, "\u2591", "planned"));
    for (int i = 0; i < 2; i++)
        canvas_text(c, line.y, line.x + i, ROLE_RULE, bar_sign(ROLE_BAR_OUT), 1);
    rect_take_left(&line,
                   5 + canvas_text(c, line.y, line.x + 3, ROLE_DIM, "maintenance or offline", line.w - 3));
    canvas_text(c, line.y, line.x, ROLE_DIM, "colour: user, bold: yours", line.w);
}
