/* gpus_view.c - every GPU of the cluster, as a map (gpu_map.c) or as a table with a letter each.
 *
 *       a100    32: 8 free, 4 on one node  2 idle  12 out  10 busy
 *      S NODE     GPUS      FREE WHO
 *      + gpu01    AAABc...     3 A alice/pretrain  B bo/eval
 *      # gpu04    ########
 *
 * A letter stands for a job (an array as a whole), a small one for a device that is held and does nothing.
 * Letters and their jobs stand in the last column, so no colour is needed to tell them apart.
 */
#include "ui/nodes/gpus_view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/info/job_info.h"
#include "ui/info/node_info.h"
#include "ui/nodes/gpu_map.h"
#include "ui/nodes/gpu_rows.h"
#include "ui/nodes/node_screen.h"

struct gpus_screen {
    struct tablescreen s;
    struct gpurows all;
    struct gpumap map;
    bool as_table;
};

static struct gpus_screen *gpus_view_of(struct view *v)
{
    return (struct gpus_screen *)(void *)v;
}

/* --- columns --- */

static const struct gpus_screen *ctx_of(const void *ctx)
{
    return ctx;
}

static void gpus_get_sign(const void *ctx, const void *row, struct table_field *f)
{
    nodeinfo_sign(f, ctx_of(ctx)->s.v.ui, ((const struct gpu_row *)row)->node);
}

static void gpus_get_node(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_STRONG, ((const struct gpu_row *)row)->node->spec.name);
}

static void add_device(struct rich *r, const struct gpus_screen *g, const struct gpu_row *row, unsigned i)
{
    const struct gpu_row_owner *o = gpurows_owner(&g->all, row, i);
    bool mine = o && o->job->uid == ui_uid(g->s.v.ui);
    char letter = o ? o->letter : '?';
    switch (gpurows_device(&g->all, row, i)) {
    case GPU_HELD:
    case GPU_BUSY: rich_addf(r, mine ? ROLE_RUNNING : ROLE_BAR_USED, "%c", letter); return;
    case GPU_IDLE: rich_addf(r, ROLE_BAR_IDLE, "%c", tolower((unsigned char)letter)); return;
    case GPU_FOREIGN: rich_add(r, ROLE_WARM, "!"); return;
    case GPU_BROKEN: rich_add(r, ROLE_ERROR, "X"); return;
    case GPU_OUT: rich_add(r, ROLE_BAR_OUT, "#"); return;
    case GPU_FREE: rich_add(r, ROLE_BAR_FREE, "."); return;
    }
}

static void get_devices(const void *ctx, const void *row, struct table_field *f)
{
    const struct gpu_row *r = row;
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++)
        add_device(&f->text, ctx_of(ctx), r, i);
}

static void get_free(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, ((const struct gpu_row *)row)->free, ROLE_GOOD);
}

static void get_idle(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, ((const struct gpu_row *)row)->idle, ROLE_WARM);
}

static void get_all(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, ((const struct gpu_row *)row)->node->gpus, ROLE_NORMAL);
}

static void gpus_get_type(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, ((const struct gpu_row *)row)->node->gpu_type);
}

static void gpus_get_who(const void *ctx, const void *row, struct table_field *f)
{
    const struct gpus_screen *g = ctx_of(ctx);
    const struct gpu_row *r = row;
    const struct gpu_row_owner *seen[CPUSET_MAX];
    size_t n = 0;
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++) {
        const struct gpu_row_owner *o = gpurows_owner(&g->all, r, i);
        bool again = !o;
        for (size_t k = 0; k < n && !again; k++)
            again = seen[k] == o;
        if (again)
            continue;
        seen[n++] = o;
        const struct job *j = o->job;
        rich_addf(&f->text, ROLE_STRONG, "%s%c ", f->text.text.len ? "  " : "", o->letter);
        rich_addf(&f->text, j->uid == ui_uid(g->s.v.ui) ? ROLE_RUNNING : ROLE_NORMAL, "%s/%s",
                  jobtext_user(j), jobtext_name(j));
    }
    if (n)
        rich_add(&f->text, ROLE_NORMAL, "  ");
    nodeinfo_note(&f->text, g->s.v.ui, r->node);
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = gpus_get_sign},
    {.name = "node",
     .title = N_("NODE"),
     .min = 8,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE | COLUMN_ENDS,
     .get = gpus_get_node},
    {.name = "devices", .title = N_("GPUS"), .min = 8, .want = 16, .get = get_devices},
    {.name = "free",
     .title = N_("FREE"),
     .min = 4,
     .want = 4,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .get = get_free},
    {.name = "type",
     .title = N_("TYPE"),
     .min = 6,
     .want = 22,
     .fit = 8,
     .rank = 4,
     .flags = COLUMN_WORDS,
     .get = gpus_get_type},
    {.name = "who",
     .title = N_("WHO"),
     .min = 16,
     .share = 60,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = gpus_get_who},
    {.name = "idle",
     .title = N_("IDLE"),
     .min = 4,
     .want = 4,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_idle},
    {.name = "gpus",
     .title = N_("ALL"),
     .min = 4,
     .want = 4,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_all},
};

static void gpus_fill(void *ctx, struct table *t)
{
    struct gpurows *all = &((struct gpus_screen *)ctx)->all;
    gpurows_fill(all);
    ownerroles_fill(&((struct gpus_screen *)ctx)->map.owners, all->ui);
    for (size_t i = 0; i < all->n_rows; i++)
        table_add(t, (struct trow){.id = nodekeys_id(all->rows[i].node), .data = &all->rows[i]});
}

/* --- the view --- */

static struct view *gpus_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct gpus_screen *g = xcalloc(1, sizeof *g);
    g->s.v = (struct view){.ops = &gpus_view, .ui = ui};
    g->all.ui = ui;
    g->map.rows = &g->all;
    table_init(&g->s.table, columns, sizeof columns / sizeof columns[0], gpus_fill, g);
    return &g->s.v;
}

static void gpus_close(struct view *v)
{
    struct gpus_screen *g = gpus_view_of(v);
    tablescreen_fini(&g->s);
    gpurows_fini(&g->all);
    free(g);
}

static void gpus_title(struct view *v, struct rich *out)
{
    struct gpus_screen *g = gpus_view_of(v);
    rich_add(out, ROLE_TITLE, tr("GPUs by node"));
    tableview_title(v->ui, &g->s.table, g->all.n_rows, out);
}

/* Where the line has room for all of it: half a number is another one. */
static void gpus_count_of(struct rich *r, int width, enum role role, uint32_t n, const char *what)
{
    char text[48];
    snprintf(text, sizeof text, "  %u %s", n, what);
    if (n && cell_width(r->text.s) + cell_width(text) <= width)
        rich_add(r, role, text);
}

static void type_line(struct rich *r, const struct gpu_type *t, int name_width, int width)
{
    rich_addf(r, ROLE_STRONG, "%-*s", name_width + 1, t->name);
    rich_addf(r, ROLE_NORMAL, "%4u: ", t->all);
    rich_addf(r, t->free ? ROLE_GOOD : ROLE_DIM, tr("%u free"), t->free);
    if (t->free)
        rich_addf(r, ROLE_DIM, tr(", %u on one node"), t->most);
    gpus_count_of(r, width, ROLE_WARM, t->idle, tr("idle"));
    gpus_count_of(r, width, ROLE_WARM, t->foreign, tr("foreign load"));
    gpus_count_of(r, width, ROLE_ERROR, t->broken, tr("broken"));
    gpus_count_of(r, width, ROLE_BAR_OUT, t->out, tr("offline"));
    gpus_count_of(r, width, ROLE_NORMAL, t->busy, tr("busy"));
    gpus_count_of(r, width, ROLE_NORMAL, t->held, tr("allocated"));
}

static void gpus_draw_types(struct tablescreen *s, struct canvas *c, struct rect *body)
{
    const struct gpus_screen *g = gpus_view_of(&s->v);
    int name_width = 0;
    for (size_t i = 0; i < g->all.n_types; i++) {
        int w = cell_width(g->all.types[i].name);
        name_width = w > name_width ? w : name_width;
    }
    for (size_t i = 0; i < g->all.n_types && body->h > 6; i++) {
        struct rect line = rect_take_top(body, 1);
        struct rich r;
        rich_init(&r);
        type_line(&r, &g->all.types[i], name_width, line.w - 3);
        rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
        rich_fini(&r);
    }
    if (g->all.n_types && body->h > 7)
        rect_take_top(body, 1);
}

static void gpus_details(struct tablescreen *s, const void *data, struct lines *l)
{
    const struct gpus_screen *g = gpus_view_of(&s->v);
    const struct gpu_row *row = data;
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_TITLE, "%s", row->node->spec.name);
    if (row->node->gpu_type)
        rich_addf(r, ROLE_DIM, "  %s", row->node->gpu_type);
    rich_add(r, ROLE_NORMAL, "  ");
    nodeinfo_note(r, g->s.v.ui, row->node);
    for (unsigned i = 0; i < row->node->gpus && i < CPUSET_MAX; i++)
        nodeinfo_gpu_line(lines_add(l), g->s.v.ui, row->node, i);
    if (g->all.owners.n)
        jobinfo_section(l, tr("Largest users"));
    for (int letter = 'A'; letter <= 'Z'; letter++)
        vec_for_each (&g->all.owners, i) {
            const struct gpu_row_owner *o = &g->all.owners.v[i];
            if (o->letter != letter)
                continue;
            r = lines_add(l);
            if (g->as_table) /* the map has names and colours */
                rich_addf(r, ROLE_STRONG, "%c  ", o->letter);
            rich_addf(r, ROLE_NORMAL, "%3u  %s/%s", o->gpus, jobtext_user(o->job), jobtext_name(o->job));
            rich_addf(r, ROLE_DIM, "  %u", o->key);
        }
}

static void gpus_legend(struct rich *r, int width)
{
    tableview_legend(r, ROLE_BAR_USED, "A", tr("a job"), width);
    tableview_legend(r, ROLE_BAR_IDLE, "a", tr("allocated but idle"), width);
    tableview_legend(r, ROLE_BAR_FREE, ".", tr("free"), width);
    tableview_legend(r, ROLE_BAR_OUT, "#", tr("offline"), width);
    tableview_legend(r, ROLE_WARM, "!", tr("foreign load"), width);
    tableview_legend(r, ROLE_ERROR, "X", tr("broken"), width);
}

static const struct node *gpus_node_of_row(struct ui *ui, const struct trow *row)
{
    (void)ui;
    return ((const struct gpu_row *)row->data)->node;
}

static const struct node_screen_ops gpus_screen_ops = {
    .empty = N_("No node has GPUs."),
    .legend = gpus_legend,
    .head = gpus_draw_types,
    .details = gpus_details,
    .node_of = gpus_node_of_row,
};

#define MAP_MIN_WIDTH  40
#define MAP_MIN_HEIGHT 8
#define SUM_LINES      2
#define NAME_CELLS     10 /* of a node on the map, with its mark */
#define BLOCK_CELLS    15 /* of a GPU with all that is known of it */

/* Of all its nodes, with a blank line each, if that is not more than `most`. */
static int map_lines(const struct gpus_screen *g, int most, int w)
{
    int n = 0;
    for (size_t i = 0; i < g->s.table.shown.n && n <= most; i++)
        n += gpumap_node_lines(table_shown(&g->s.table, i)->data, w - NAME_CELLS) + 1;
    return n;
}

static void draw_sums(const struct gpus_screen *g, struct canvas *c, struct rect r)
{
    struct lines l = {0};
    gpumap_sums(&g->map, &l, r.w);
    for (size_t i = 0; i < l.n && (int)i < r.h; i++)
        rich_draw(&l.v[i], c, r.y + (int)i, r.x + 2, r.w - 3);
    lines_fini(&l);
}

static void draw_map(struct gpus_screen *g, struct canvas *c, struct rect r)
{
    if (r.h > MAP_MIN_HEIGHT + 2) {
        struct rect legend = rect_take_bottom(&r, 1);
        canvas_text(c, legend.y, legend.x + 2, ROLE_DIM,
                    !gpumap_is_measured(&g->map) ? tr("colour: owner")
                    : ui_util_span(g->s.v.ui) == RECENT_HOUR
                        ? tr("colour: owner  brightness: use now  trail: use in the last hour")
                        : tr("colour: owner  brightness: use now  trail: use in the last 6 minutes"),
                    legend.w - 3);
    }
    struct rect sums = rect_take_bottom(&r, SUM_LINES + 1);
    int most = r.h - (int)g->all.n_types, lines = map_lines(g, r.h, r.w);
    if (lines <= most || lines > r.h) /* else the map takes all of it */
        gpus_draw_types(&g->s, c, &r);
    g->s.body = r;
    int taken = gpumap_draw(&g->map, &g->s.table, c, r);
    draw_sums(g, c, rect_make(r.y + taken + (taken == r.h), sums.x, SUM_LINES, sums.w));
}

/* A filter that is typed, and what is said where no row matches, are the table's. */
static void gpus_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct gpus_screen *g = gpus_view_of(v);
    struct rect all = l->body;
    gpurows_count(&g->all);
    if (g->as_table || !g->s.table.shown.n || all.w < MAP_MIN_WIDTH || all.h < MAP_MIN_HEIGHT) {
        g->map.lines = 0;
        nodescreen_draw(&gpus_screen_ops, &g->s, c, l);
        return;
    }
    struct screen_layout inner = *l;
    inner.body = rect_make(all.y, all.x, 0, 0);
    tableview_draw(v->ui, &g->s.table, c, &inner, NULL);
    canvas_fill(c, all, ROLE_NORMAL);
    draw_map(g, c, all);
    const struct trow *row = table_current(&g->s.table);
    if (row && !rect_is_empty(l->side)) {
        lines_clear(&g->s.side.lines);
        gpus_details(&g->s, row->data, &g->s.side.lines);
        side_draw(&g->s.side, c, l);
    }
}

/* The table counts a line for each row. */
static unsigned gpus_input(struct view *v, const struct input *in)
{
    struct gpus_screen *g = gpus_view_of(v);
    struct input at = *in;
    if (g->map.lines && rect_has(g->s.body, in->y, in->x))
        at.y = g->s.body.y + 1 + (in->y - g->s.body.y) / g->map.lines;
    return table_input(&g->s.table, &at, g->s.body);
}

static unsigned gpus_act(struct view *v, enum action a, const struct input *in)
{
    struct gpus_screen *g = gpus_view_of(v);
    if (a == ACTION_GPU_TABLE) {
        g->as_table = !g->as_table;
        return DID_HANDLE | DID_REDRAW;
    }
    return nodescreen_act(&gpus_screen_ops, &g->s, a, in);
}

#define LINES_BELOW 5 /* a node and four of its devices */

static struct pane *gpus_pane(struct view *v)
{
    return &gpus_view_of(v)->s.side;
}

/* What the map leaves, if that is enough. */
static int lines_below_map(const struct gpus_screen *g, int h, int w)
{
    int left =
        h - (int)g->all.n_types - SUM_LINES - 3; /* with the legend, and a blank line around the sums */
    left -= map_lines(g, left, w);
    return left > LINES_BELOW ? left : 0;
}

/* A pane stands beside the map where it can show eight GPUs with all that is known of them. */
static int gpus_cols(struct view *v)
{
    return gpus_view_of(v)->as_table ? 0 : NAME_CELLS + 8 * BLOCK_CELLS;
}

static int gpus_pane_lines(struct view *v, int h, int w)
{
    struct gpus_screen *g = gpus_view_of(v);
    gpurows_count(&g->all);
    if (!g->as_table && g->s.table.shown.n)
        return lines_below_map(g, h, w);
    int head = 1 + (int)g->all.n_types + (g->all.n_types > 0); /* and the legend */
    return tablescreen_lines_below(&g->s, h - head, LINES_BELOW);
}

static void gpus_subject(struct view *v, struct row_subject *ret)
{
    nodescreen_subject(&gpus_screen_ops, &gpus_view_of(v)->s, ret);
}

static const char *gpus_label(struct view *v, enum action a)
{
    return a == ACTION_GPU_TABLE && gpus_view_of(v)->as_table ? tr("as map") : NULL;
}

static const enum scope scopes[] = {SCOPE_GPUS, NODE_SCREEN_SCOPES};

const struct view_ops gpus_view = {
    .name = "gpus",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .watches_util = true,
    .open = gpus_open,
    .close = gpus_close,
    .sync = tablescreen_sync,
    .title = gpus_title,
    .draw = gpus_draw,
    .input = gpus_input,
    .act = gpus_act,
    .label = gpus_label,
    .subject = gpus_subject,
    .table = tablescreen_table,
    .pane = gpus_pane,
    .pane_lines = gpus_pane_lines,
    .body_cols = gpus_cols,
};
