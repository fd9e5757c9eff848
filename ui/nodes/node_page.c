/* node_page.c - the page of one node.
 *
 *      v draining for 2 h, by root: driver update                            | Events
 *        1 job still runs, until 18:40 at the latest                         |  12:20 drained by root ...
 *                                                                            |  09:02 back
 *      CPUs 8 of 48      71%   memory 64/512G   20%   GPUs 4 of 8       99%  |
 *      ####........            ##..........           #####.....             | Windows
 *      curve                   curve                  curve                  |  maintenance from 18:00
 *                                                                            |
 *      0 bo    1 bo    2 bo    3 bo    4       5       6       7             | Machine
 *       99%     98%     99%     97%    free    free    free    free          |  address  10.0.0.3
 *                                                                            |
 *      S JOB  NAME          USER       RAN  ENDS BY  CPUS  MEM GPU#          |
 *
 * The text at the right stands below the jobs where the screen is narrow and high, else Tab shows it.
 */
#include "ui/nodes/node_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/fold/nodeevents.h"
#include "src/values/units.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/shell.h"
#include "ui/dialogs/windows.h"
#include "ui/info/node_info.h"
#include "ui/info/node_mark.h"
#include "ui/info/node_story.h"
#include "ui/jobs/job_view.h"
#include "ui/nodes/gpu_map.h"
#include "ui/nodes/node_jobs.h"
#include "ui/output/output_view.h"
#include "ui/view/table_view.h"
#include "ui/widget/bar.h"
#include "ui/widget/graph.h"

#define STATE_LINES_MAX 5
#define BELOW_MIN       4 /* lines below the jobs that are worth a text */
#define TILE_MIN        20
#define TILE_MAX        40
#define TILE_GAP        3
#define GRAPH_MAX       4

struct nodepage {
    struct view v;
    char *node;
    struct nodejobs jobs;
    struct gpurows gpus;
    struct gpumap map;
    struct pane state, text;
    bool on_text; /* the text has the focus, and the room where there is little */
    struct rect jobs_area;
};

static struct nodepage *node_page_of(struct view *v)
{
    return (struct nodepage *)(void *)v;
}

static const struct node *node_page_node(const struct nodepage *p)
{
    return model_get_node(ui_model(p->v.ui), p->node);
}

/* --- life --- */

static void nodepage_sync(struct view *v)
{
    struct nodepage *p = node_page_of(v);
    table_refill(&p->jobs.table);
    gpurows_fill(&p->gpus);
    ownerroles_fill(&p->map.owners, v->ui);
}

static struct view *nodepage_open(struct ui *ui, const void *arg)
{
    if (!model_get_node(ui_model(ui), arg))
        return NULL;
    struct nodepage *p = xcalloc(1, sizeof *p);
    p->v = (struct view){.ops = &nodepage_view, .ui = ui};
    p->node = xstrdup(arg);
    p->gpus.ui = ui;
    p->map.rows = &p->gpus;
    nodejobs_init(&p->jobs, ui, arg);
    nodepage_sync(&p->v);
    return &p->v;
}

static void nodepage_close(struct view *v)
{
    struct nodepage *p = node_page_of(v);
    nodejobs_fini(&p->jobs);
    gpurows_fini(&p->gpus);
    pane_fini(&p->state);
    pane_fini(&p->text);
    free(p->node);
    free(p);
}

static void nodepage_title(struct view *v, struct rich *out)
{
    struct nodepage *p = node_page_of(v);
    const struct node *n = node_page_node(p);
    rich_addf(out, ROLE_TITLE, tr("Node %s"), p->node);
    if (!n)
        return;
    struct node_mark m = node_mark_of(v->ui, n);
    rich_addf(out, m.role, "  %s", m.word);
    if (n->gpu_type)
        rich_addf(out, ROLE_DIM, "  %s", n->gpu_type);
    if (list_n_marks(&p->jobs.table.list))
        rich_addf(out, ROLE_MARK, tr("   %zu marked"), list_n_marks(&p->jobs.table.list));
}

/* --- drawing --- */

static void node_page_draw_state(struct nodepage *p, struct canvas *c, struct rect *body,
                                 const struct node *n)
{
    lines_clear(&p->state.lines);
    nodestory_state(&p->state.lines, p->v.ui, n);
    int h = (int)pane_height(&p->state, body->w - 2);
    int most = body->h / 3 > STATE_LINES_MAX ? body->h / 3 : STATE_LINES_MAX;
    h = h > most ? most : h;
    if (h < 1 || body->h < h + 6)
        return;
    struct rect r = rect_take_top(body, h);
    pane_draw(&p->state, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
    rect_take_top(body, body->h > 10 ? 1 : 0);
}

struct node_tile { /* one kind of resource */
    const char *label;
    char numbers[NODEINFO_MEM_SIZE];
    uint64_t used, all;
    int busy_permille; /* -1: not measured */
    const struct recent *past;
};

static void node_page_draw_tile(const struct nodepage *p, const struct node_tile *t, bool out,
                                struct canvas *c, struct rect r)
{
    struct rich line;
    struct rect head = rect_take_top(&r, 1), bar = rect_take_top(&r, 1);
    char busy[16] = "";
    if (t->busy_permille >= 0)
        snprintf(busy, sizeof busy, "%d%%", t->busy_permille / 10);
    rich_init(&line);
    rich_addf(&line, ROLE_LABEL, "%s ", t->label);
    rich_add(&line, t->all ? ROLE_NORMAL : ROLE_DIM, t->all ? t->numbers : tr("not known"));
    rich_draw(&line, c, head.y, head.x, head.w - cell_width(busy));
    canvas_text(c, head.y, head.x + head.w - cell_width(busy), load_role(t->busy_permille / 10), busy, -1);
    rich_clear(&line);
    if (t->all)
        bar_load(&line, t->used, t->busy_permille, t->all, out, bar.w);
    rich_draw(&line, c, bar.y, bar.x, bar.w);
    rich_fini(&line);
    if (t->past)
        graph_draw_span(t->past, ui_util_span(p->v.ui), ui_mono(p->v.ui), c, r, ROLE_BAR_USED);
}

static size_t node_page_tiles(const struct nodepage *p, const struct node *n, struct node_tile tiles[3])
{
    const struct msg_util *u = ui_util(p->v.ui, p->node);
    const struct util_past *past = ui_util_past(p->v.ui, p->node);
    unsigned cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used), gpu_busy = 0;
    size_t k = 0;
    tiles[k] = (struct node_tile){.label = tr("CPUs"),
                                  .used = cpus,
                                  .all = n->cpus,
                                  .busy_permille = u ? (int)u->cpu_permille : -1,
                                  .past = past ? &past->cpu : NULL};
    snprintf(tiles[k++].numbers, NODEINFO_MEM_SIZE, "%u/%u", cpus, n->cpus);
    tiles[k] = (struct node_tile){.label = tr("memory"),
                                  .used = n->mem_used_mib,
                                  .all = n->mem_mib,
                                  .busy_permille =
                                      u && u->mem_mib ? (int)(u->mem_used_mib * 1000 / u->mem_mib) : -1,
                                  .past = past ? &past->mem : NULL};
    nodeinfo_mem(n, tiles[k++].numbers);
    if (!n->gpus)
        return k;
    for (size_t i = 0; u && i < u->gpus.n; i++)
        gpu_busy += u->gpus.v[i].busy_pct;
    tiles[k] = (struct node_tile){.label = tr("GPUs"),
                                  .used = gpus,
                                  .all = n->gpus,
                                  .busy_permille = u && u->gpus.n ? (int)(gpu_busy * 10 / u->gpus.n) : -1,
                                  .past = past ? &past->gpu_mean : NULL};
    snprintf(tiles[k++].numbers, NODEINFO_MEM_SIZE, "%u/%u", gpus, n->gpus);
    return k;
}

static void node_page_draw_use(const struct nodepage *p, struct canvas *c, struct rect *body,
                               const struct node *n)
{
    struct node_tile tiles[3];
    size_t count = node_page_tiles(p, n, tiles);
    int graph = body->h < 20 ? 1 : (body->h - 12) / 5, width = (body->w - 2 + TILE_GAP) / 3 - TILE_GAP;
    graph = graph > GRAPH_MAX ? GRAPH_MAX : graph;
    if (width < TILE_MIN - TILE_GAP || body->h < 10)
        return;
    struct rect r = rect_take_top(body, 2 + graph);
    width = width > TILE_MAX ? TILE_MAX : width;
    for (size_t i = 0; i < count; i++)
        node_page_draw_tile(p, &tiles[i], ui_node_is_out(p->v.ui, n), c,
                            rect_make(r.y, r.x + 1 + (int)i * (width + TILE_GAP), r.h, width));
    rect_take_top(body, 1);
}

static void node_page_draw_gpus(struct nodepage *p, struct canvas *c, struct rect *body,
                                const struct node *n)
{
    const struct gpu_row *row = NULL;
    for (size_t i = 0; i < p->gpus.n_rows && !row; i++)
        if (p->gpus.rows[i].node == n)
            row = &p->gpus.rows[i];
    if (!row)
        return;
    int h = gpumap_node_lines(row, body->w - 2);
    if (body->h < h + 4)
        return;
    struct rect r = rect_take_top(body, h);
    gpumap_draw_node(&p->map, row, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
    rect_take_top(body, 1);
}

static void node_page_fill_text(struct nodepage *p, const struct node *n)
{
    struct lines *l = &p->text.lines;
    lines_clear(l);
    nodestory_events(l, p->v.ui, n, NODE_EVENTS_MAX);
    nodestory_windows(l, p->v.ui, n);
    nodeinfo_machine(l, p->v.ui, n);
}

static void node_page_draw_jobs(struct nodepage *p, struct canvas *c, const struct screen_layout *l,
                                struct rect r)
{
    struct screen_layout inner = *l;
    inner.body = p->jobs_area = r;
    if (p->jobs.table.rows.n)
        tableview_draw(p->v.ui, &p->jobs.table, c, &inner, &(struct lines){0});
    else
        canvas_text(c, r.y, r.x + 2, ROLE_DIM, tr("No job runs on this node."), r.w - 3);
}

static void node_page_draw_text(struct nodepage *p, struct canvas *c, struct rect r)
{
    pane_draw(&p->text, c, rect_make(r.y, r.x + 1, r.h, r.w - 2));
}

static void nodepage_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct nodepage *p = node_page_of(v);
    const struct node *n = node_page_node(p);
    struct rect body = l->body;
    if (!n) {
        canvas_text(c, body.y, body.x + 2, ROLE_DIM, tr("This node is no longer configured. q goes back."),
                    body.w - 3);
        return;
    }
    gpurows_count(&p->gpus);
    node_page_fill_text(p, n);
    v->ticks = true;
    node_page_draw_state(p, c, &body, n);
    if (!rect_is_empty(l->side)) {
        node_page_draw_text(p, c, l->side);
    } else if (p->on_text) {
        node_page_draw_text(p, c, body);
        return;
    }
    node_page_draw_use(p, c, &body, n);
    node_page_draw_gpus(p, c, &body, n);
    int left = body.h - (int)p->jobs.table.rows.n - 2;
    if (rect_is_empty(l->side) && left >= BELOW_MIN)
        node_page_draw_text(p, c, rect_take_bottom(&body, left));
    node_page_draw_jobs(p, c, l, body);
}

/* --- keys --- */

static unsigned nodepage_input(struct view *v, const struct input *in)
{
    struct nodepage *p = node_page_of(v);
    return table_input(&p->jobs.table, in, p->jobs_area);
}

static bool nodepage_typing(struct view *v)
{
    return node_page_of(v)->jobs.table.typing;
}

static void node_page_gather(void *targets, const struct trow *row)
{
    targets_add_job(targets, nodejobs_job(row));
}

/* What the keys of the node do. Returns false for others. */
static bool node_page_act_on_node(struct nodepage *p, enum action a, const struct node *n)
{
    struct ui *ui = p->v.ui;
    if (a == ACTION_DRAIN)
        act_on_nodes(ui, true, &n, 1, "");
    else if (a == ACTION_RESUME && !n->drain && n->state == NODE_UP)
        ui_toast(ui, ROLE_NORMAL, tr("the node already takes jobs"));
    else if (a == ACTION_RESUME)
        act_on_nodes(ui, false, &n, 1, "");
    else if (a == ACTION_NODE_NOTE)
        act_note_nodes(ui, &n, 1, NULL);
    else if (a == ACTION_WINDOWS)
        windows_open(ui, n->spec.name);
    else if (a == ACTION_NODE_SHELL)
        shell_on_node(ui, n);
    else
        return false;
    return true;
}

static unsigned nodepage_act(struct view *v, enum action a, const struct input *in)
{
    struct nodepage *p = node_page_of(v);
    const struct node *n = node_page_node(p);
    const struct job *j = nodejobs_current(&p->jobs);
    if (!n)
        return 0;
    if (a == ACTION_NODE_PANEL) {
        p->on_text = !p->on_text;
    } else if (a == ACTION_CLOSE && p->on_text) {
        p->on_text = false;
    } else if (act_is_job_action(a)) {
        struct targets t = {0};
        table_targets(&p->jobs.table, node_page_gather, &t);
        act_on_jobs(v->ui, a, &t);
    } else if (a == ACTION_NODE_JOB && j) {
        ui_push(v->ui, &jobpage_view, &j->id);
    } else if (a == ACTION_NODE_OUTPUT && j) {
        output_open(v->ui, j);
    } else if (a == ACTION_SHELL && j) {
        shell_in_job(v->ui, j);
    } else if (!node_page_act_on_node(p, a, n)) {
        unsigned did = p->on_text ? pane_act(&p->text, a) : 0;
        return did ? did : tableview_act(v->ui, &p->jobs.table, a, in);
    }
    return DID_HANDLE | DID_REDRAW;
}

static void nodepage_subject(struct view *v, struct row_subject *ret)
{
    struct nodepage *p = node_page_of(v);
    ret->node = node_page_node(p);
    ret->job = nodejobs_current(&p->jobs);
}

/* The keys of the node come before those of its jobs; the footer names what a key does here. */
static const char *nodepage_label(struct view *v, enum action a)
{
    struct nodepage *p = node_page_of(v);
    const struct node *n = node_page_node(p);
    bool of_job = a == ACTION_NODE_JOB || a == ACTION_NODE_OUTPUT || a == ACTION_CANCEL;
    if (a == ACTION_OPEN_NODE || a == ACTION_WHY || (of_job && !nodejobs_current(&p->jobs)))
        return "";
    if (n && a == (n->drain ? ACTION_DRAIN : ACTION_RESUME))
        return "";
    return a == ACTION_NODE_PANEL && p->on_text ? tr("jobs") : NULL;
}

static const enum scope scopes[] = {SCOPE_NODE, SCOPE_NODES, SCOPE_WINDOWS,
                                    SCOPE_ACTS, SCOPE_LIST,  SCOPE_MOVE};

/* Its curves and GPUs need as much as a narrow terminal has. */
static int nodepage_cols(struct view *v)
{
    (void)v;
    return 78;
}

const struct view_ops nodepage_view = {
    .name = "node",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .body_cols = nodepage_cols,
    .watches_util = true,
    .open = nodepage_open,
    .close = nodepage_close,
    .sync = nodepage_sync,
    .title = nodepage_title,
    .draw = nodepage_draw,
    .input = nodepage_input,
    .act = nodepage_act,
    .label = nodepage_label,
    .subject = nodepage_subject,
    .typing = nodepage_typing,
};
