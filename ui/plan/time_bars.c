/* time_bars.c - the plan as the rows of a table, and the time above it.
 *
 *      NODE   ▾14:20     15:00      16:00      17:00
 *      n01    #4688 train, ann######     -4720 eval, bo---   # runs, - planned, each user's in a colour
 *             #4701 sweep, ann##################
 *      n02    xxxx maintenance xxxxxxxxxx
 */
#include "ui/plan/time_bars.h"

#include "src/base/vec.h"
#include "src/lang/lang.h"
#include "ui/info/plan_info.h"
#include "ui/text/view_text.h"

/* --- the axis --- */

static void get_plan(const void *ctx, const void *row, struct table_field *f)
{
    struct timebars *b = (struct timebars *)(uintptr_t)ctx; /* the width is kept for the bars */
    const struct lane *l = row;
    f->has_num = l->n > 0;
    f->num = l->n ? (double)b->axis.lanes.items.v[l->first].start.ms : 0;
    if (f->room > 0)
        b->axis.room = f->room;
}

void timebars_draw(const struct timebars *b, const struct table *t, struct canvas *c, struct rect axis)
{
    for (size_t k = 0; (int)k < axis.h && t->list.top + k < t->shown.n; k++) {
        struct rect line = rect_make(axis.y + (int)k, axis.x, 1, axis.w);
        planbars_draw_lane(&b->axis, c, line, table_shown(t, t->list.top + k)->data);
        if (t->list.top + k == t->list.cursor)
            canvas_over(c, line, ROLE_CURSOR);
    }
}

/* --- columns --- */

static const struct plan_row *first_row(const struct timebars *b, const struct lane *l)
{
    return l->n ? b->axis.lanes.items.v[l->first].row : NULL;
}

static void time_bars_get_where(const void *ctx, const void *row, struct table_field *f)
{
    const struct timebars *b = ctx;
    const struct lane *l = row;
    const struct plan_row *r = first_row(b, l);
    if (l->node) {
        rich_add(&f->text, ROLE_STRONG, l->again && field_is_seen(f) ? "" : l->node);
    } else if (r && r->job) {
        planinfo_id(&f->text.text, b->axis.ui, r);
        rich_role(&f->text, planinfo_is_own(b->axis.ui, r) ? ROLE_STRONG : ROLE_NORMAL);
    } else if (r) {
        rich_add(&f->text, ROLE_BAR_OUT, tr("window"));
    }
}

static void time_bars_get_who(const void *ctx, const void *row, struct table_field *f)
{
    const struct timebars *b = ctx;
    const struct lane *l = row;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct plan_row *r = b->axis.lanes.items.v[i].row;
        if (b->axis.lanes.items.v[i].rest)
            continue;
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
        when_about(&f->text.text, r->start, ui_now(b->axis.ui));
        rich_role(&f->text, r->kind == PLAN_RUNNING ? ROLE_DIM : ROLE_NORMAL);
    } else {
        rich_add(&f->text, ROLE_DIM, r->kind == PLAN_BEYOND ? tr("later") : tr("not known"));
    }
}

static void get_lane_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct lane *l = row;
    if (!l->has_gpus)
        return;
    lane_gpus_text(l, &f->text.text);
    rich_role(&f->text, ROLE_DIM);
}

static const struct table_column node_columns[] = {
    {.name = "node",
     .title = N_("NODE"),
     .min = 5,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = time_bars_get_where},
    {.name = "who",
     .title = N_("WHO"),
     .min = 12,
     .want = 20,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = time_bars_get_who},
    {.name = "plan", .title = "", .min = 20, .share = 70, .get = get_plan},
};

static const struct table_column gpu_columns[] = {
    {.name = "node",
     .title = N_("NODE"),
     .min = 5,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = time_bars_get_where},
    {.name = "gpus", .title = N_("GPUS"), .min = 4, .want = 5, .get = get_lane_gpus},
    {.name = "who",
     .title = N_("WHO"),
     .min = 12,
     .want = 20,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = time_bars_get_who},
    {.name = "plan", .title = "", .min = 20, .share = 70, .get = get_plan},
};

static const struct table_column job_columns[] = {
    {.name = "job",
     .title = N_("JOB"),
     .min = 5,
     .want = 10,
     .fit = 10,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = time_bars_get_where},
    {.name = "who",
     .title = N_("WHO"),
     .min = 12,
     .want = 22,
     .fit = 18,
     .rank = 2,
     .flags = COLUMN_WORDS,
     .get = time_bars_get_who},
    {.name = "start", .title = N_("START"), .min = 9, .want = 10, .rank = 1, .get = get_start},
    {.name = "plan", .title = "", .min = 20, .share = 50, .get = get_plan},
};

/* --- the table --- */

static void time_bars_fill(void *ctx, struct table *table)
{
    struct timebars *b = ctx;
    planbars_fill(&b->axis, &b->plan, b->by);
    const struct planlanes *p = &b->axis.lanes;
    vec_for_each (&p->lanes, i)
        table_add(table, (struct trow){.id = p->lanes.v[i].id, .data = &p->lanes.v[i]});
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
    planbars_fini(&b->axis);
}
