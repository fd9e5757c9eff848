/* nodes_view.c - the nodes screen.
 *
 *      S NODE STATE    CPU                 MEMORY           GPU          NOTE
 *      + n01  mixed    #####===.... 32/48 ####.... 80/128G ■■■■□□·· 6/8
 *      V n04  drained  xxxxxxxxxxxx  0/48 xxxxxxxx  0/128G xxxxxxxx 0/8 fan is loud  by root for 2 d
 */
#include "ui/nodes/nodes_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/info/node_free.h"
#include "ui/info/node_info.h"
#include "ui/info/node_mark.h"
#include "ui/nodes/node_screen.h"
#include "ui/widget/bar.h"

static struct tablescreen *nodes_view_of(struct view *v)
{
    return (struct tablescreen *)(void *)v;
}

static const struct ui *nodes_ui_of(const void *ctx)
{
    return ((const struct tablescreen *)ctx)->v.ui;
}

/* --- columns --- */

static void nodes_get_glyph(const void *ctx, const void *row, struct table_field *f)
{
    nodeinfo_sign(f, nodes_ui_of(ctx), row);
}

static void nodes_get_name(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_STRONG, ((const struct node *)row)->spec.name);
}

static void nodes_get_state(const void *ctx, const void *row, struct table_field *f)
{
    struct node_mark m = node_mark_of(nodes_ui_of(ctx), row);
    f->has_num = true;
    f->num = m.rank;
    bool usual = m.role == ROLE_NODE_FREE || m.role == ROLE_NODE_PART || m.role == ROLE_NODE_FULL;
    rich_add(&f->text, usual ? ROLE_NORMAL : m.role, m.word);
}

#define BAR_MIN 6

/* A bar with its number, in its cells, in the room there is; the number alone where there is not enough for
 * both. */
static void bar_with(struct table_field *f, uint64_t used, uint64_t all, int busy, bool out,
                     const char *number, int cells)
{
    int width = f->room - cells;
    f->has_num = true;
    f->num = all ? (double)used / (double)all : 0;
    if (width >= BAR_MIN)
        bar_load(&f->text, used, busy, all, out, width);
    rich_addf(&f->text, ROLE_NORMAL, "%*s", f->room ? cells : 0, number);
}

static void nodes_get_cpu(const void *ctx, const void *row, struct table_field *f)
{
    const struct node *n = row;
    const struct msg_util *u = ui_util(nodes_ui_of(ctx), n->spec.name);
    char number[32];
    if (!n->cpus || nodeinfo_is_bystander(n))
        return; /* not known: no number, and no bar that looks like one */
    snprintf(number, sizeof number, "%u/%u", cpuset_count(&n->cpus_used), n->cpus);
    bar_with(f, cpuset_count(&n->cpus_used), n->cpus, u ? (int)u->cpu_permille : -1,
             ui_node_is_out(nodes_ui_of(ctx), n), number, n->cpus > 99 ? 8 : 6);
}

static void get_mem(const void *ctx, const void *row, struct table_field *f)
{
    const struct node *n = row;
    const struct msg_util *u = ui_util(nodes_ui_of(ctx), n->spec.name);
    if (!n->mem_mib || nodeinfo_is_bystander(n))
        return;
    char number[NODEINFO_MEM_SIZE];
    int busy = u && u->mem_mib ? (int)(u->mem_used_mib * 1000 / u->mem_mib) : -1;
    nodeinfo_mem(n, number);
    bar_with(f, n->mem_used_mib, n->mem_mib, busy, ui_node_is_out(nodes_ui_of(ctx), n), number, 9);
}

static void get_gpu(const void *ctx, const void *row, struct table_field *f)
{
    const struct node *n = row;
    unsigned used = cpuset_count(&n->gpus_used);
    f->has_num = true;
    f->num = used;
    if (!n->gpus)
        return;
    char number[32];
    int width = f->room - snprintf(number, sizeof number, " %u/%u", used, n->gpus);
    if ((int)n->gpus <= width || f->room <= 0)
        nodeinfo_gpus(&f->text, nodes_ui_of(ctx), n);
    else
        bar_two_ended(&f->text, used, ui_node_is_out(nodes_ui_of(ctx), n) ? n->gpus - used : 0, n->gpus,
                      width);
    rich_add(&f->text, ROLE_NORMAL, number);
}

static void get_busy(const void *ctx, const void *row, struct table_field *f)
{
    const struct msg_util *u = ui_util(nodes_ui_of(ctx), ((const struct node *)row)->spec.name);
    if (!u)
        return; /* not measured */
    f->has_num = true;
    f->num = u->cpu_permille;
    rich_addf(&f->text, load_role((int)u->cpu_permille / 10), "%u%%", u->cpu_permille / 10);
}

static void get_jobs(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct node *n = row;
    f->has_num = true;
    f->num = n->n_jobs;
    if (n->n_jobs)
        rich_addf(&f->text, ROLE_NORMAL, "%u", n->n_jobs);
}

/* Sorted by GPUs, then by CPUs. */
static void nodes_get_free(const void *ctx, const void *row, struct table_field *f)
{
    const struct node *n = row;
    struct node_room has = node_free_of(nodes_ui_of(ctx), n);
    f->has_num = true;
    f->num = has.gpus * 1e5 + has.cpus;
    if (!nodeinfo_is_bystander(n) && !ui_node_is_out(nodes_ui_of(ctx), n))
        node_free_text(&f->text, nodes_ui_of(ctx), n);
}

static void get_note(const void *ctx, const void *row, struct table_field *f)
{
    nodeinfo_why(&f->text, nodes_ui_of(ctx), row);
}

static void get_features(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    char *s = strv_join(&((const struct node *)row)->spec.features, ",");
    rich_add(&f->text, ROLE_NORMAL, s);
    free(s);
}

static void nodes_get_type(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, ((const struct node *)row)->gpu_type);
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = nodes_get_glyph},
    {.name = "node",
     .title = N_("NODE"),
     .min = 8,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE | COLUMN_ENDS,
     .get = nodes_get_name},
    {.name = "state",
     .title = N_("STATE"),
     .min = 8,
     .want = 11,
     .fit = 11,
     .flags = COLUMN_WORDS,
     .get = nodes_get_state},
    {.name = "cpu", .title = N_("CPU"), .min = 14, .want = 24, .rank = 2, .get = nodes_get_cpu},
    {.name = "busy",
     .title = N_("BUSY"),
     .min = 4,
     .want = 5,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .get = get_busy},
    {.name = "memory", .title = N_("MEMORY"), .min = 9, .want = 24, .rank = 4, .get = get_mem},
    {.name = "gpu",
     .title = N_("GPU"),
     .min = 12,
     .want = 14,
     .rank = 3,
     .flags = COLUMN_IF_ANY,
     .get = get_gpu},
    {.name = "jobs",
     .title = N_("JOBS"),
     .min = 4,
     .want = 4,
     .rank = 6,
     .flags = COLUMN_RIGHT,
     .get = get_jobs},
    {.name = "fits",
     .title = N_("FITS NOW"),
     .min = 12,
     .want = 24,
     .fit = 24,
     .rank = 8,
     .flags =
         COLUMN_HIDDEN, /* hidden: the line about the node shows it too, and the notes need the space */
     .get = nodes_get_free},
    {.name = "note",
     .title = N_("NOTE"),
     .min = 10,
     .want = 120,
     .fit = 36,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = get_note},
    {.name = "type", .title = N_("TYPE"), .flags = COLUMN_HIDDEN | COLUMN_WORDS, .get = nodes_get_type},
    {.name = "features",
     .title = N_("FEATURES"),
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_features},
};

static void nodes_fill(void *ctx, struct table *t)
{
    const struct model *m = ui_model(nodes_ui_of(ctx));
    for (size_t i = 0; i < m->n_nodes; i++)
        table_add(t, (struct trow){.id = nodekeys_id(m->nodes[i]), .data = m->nodes[i]});
}

/* --- the view --- */

static struct view *nodes_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct tablescreen *n = xcalloc(1, sizeof *n);
    n->v = (struct view){.ops = &nodes_view, .ui = ui};
    table_init(&n->table, columns, sizeof columns / sizeof columns[0], nodes_fill, n);
    return &n->v;
}

static void nodes_close(struct view *v)
{
    struct tablescreen *n = nodes_view_of(v);
    tablescreen_fini(n);
    free(n);
}

static void nodes_title(struct view *v, struct rich *out)
{
    rich_add(out, ROLE_TITLE, tr("Nodes"));
    tableview_title(v->ui, &nodes_view_of(v)->table, ui_model(v->ui)->n_nodes, out);
}

static void nodes_legend(struct rich *r, int width)
{
    tableview_legend_bar(r, ROLE_BAR_USED, GLYPH_GPU_BUSY, tr("used"), width);
    tableview_legend_bar(r, ROLE_BAR_IDLE, GLYPH_GPU_IDLE, tr("allocated but idle"), width);
    tableview_legend_bar(r, ROLE_BAR_FREE, GLYPH_FREE, tr("free"), width);
    tableview_legend(r, ROLE_BAR_OUT, bar_sign(ROLE_BAR_OUT), tr("offline"), width);
    tableview_legend_bar(r, ROLE_BAR_FOREIGN, GLYPH_N, tr("foreign load"), width);
    tableview_legend(r, ROLE_ERROR, "X", tr("broken"), width);
}

static void nodes_details(struct tablescreen *s, const void *row, struct lines *ret)
{
    nodeinfo_lines(ret, s->v.ui, row);
}

static const struct node *nodes_node_of_row(struct ui *ui, const struct trow *row)
{
    (void)ui;
    return row->data;
}

static const struct node_screen_ops nodes_screen = {
    .empty = N_("No nodes are configured."),
    .legend = nodes_legend,
    .details = nodes_details,
    .node_of = nodes_node_of_row,
};

static void nodes_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    nodescreen_draw(&nodes_screen, nodes_view_of(v), c, l);
}

#define LINES_BELOW 4 /* what the node is, its state and why, and what is allocated of it */

static int nodes_pane_lines(struct view *v, int h, int w)
{
    (void)w;
    return tablescreen_lines_below(nodes_view_of(v), h - 1, LINES_BELOW); /* the legend has a line */
}

static unsigned nodes_act(struct view *v, enum action a, const struct input *in)
{
    return nodescreen_act(&nodes_screen, nodes_view_of(v), a, in);
}

static void nodes_subject(struct view *v, struct row_subject *ret)
{
    nodescreen_subject(&nodes_screen, nodes_view_of(v), ret);
}

static const enum scope scopes[] = {NODE_SCREEN_SCOPES};

const struct view_ops nodes_view = {
    .name = "nodes",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .watches_util = true,
    .open = nodes_open,
    .close = nodes_close,
    .sync = tablescreen_sync,
    .title = nodes_title,
    .draw = nodes_draw,
    .input = tablescreen_input,
    .act = nodes_act,
    .subject = nodes_subject,
    .table = tablescreen_table,
    .pane = tablescreen_pane,
    .pane_lines = nodes_pane_lines,
};
