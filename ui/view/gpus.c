/* gpus.c - every GPU of the cluster, a letter each.
 *
 *       a100    32: 8 free, 4 on one node  2 idle  12 out  10 busy
 *      S NODE     GPUS      FREE WHO
 *      + gpu01    AAABc...     3 A alice/pretrain  B bo/eval
 *      # gpu04    ########
 *
 * A letter stands for a job (an array as a whole), a small one for a device that is held and does nothing.
 * Letters and their jobs stand in the last column, so no colour is needed to tell them apart.
 */
#include "ui/view/gpus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/nodetext.h"
#include "ui/view/act.h"
#include "ui/view/jobinfo.h"
#include "ui/view/nodeinfo.h"
#include "ui/view/nodekeys.h"
#include "ui/view/tableview.h"
#include "ui/view/windows.h"
#include "ui/view/words.h"

#define TYPES_MAX   6
#define NO_OWNER    UINT32_MAX
#define LINES_BELOW 5 /* a node and four of its devices */

static const char job_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWYZ"; /* no X: a broken device has that */

struct owner {    /* a job that holds GPUs */
    uint32_t key; /* its id, or its array's */
    const struct job *job;
    uint32_t gpus;
    char letter;
};

struct gpu_row {
    const struct node *node;
    uint32_t *owners; /* index of the owner of each device; in gpus.devices */
    uint32_t held, busy, idle, foreign, broken, out, free; /* held: by a job, its use not measured */
};

struct gpu_type {
    const char *name;
    uint32_t all, held, busy, idle, foreign, broken, out, free, most; /* most: free on one node */
};

struct gpus {
    struct tablescreen s;
    struct gpu_row *rows;
    uint32_t *devices; /* of all rows */
    size_t n_rows;
    VEC(struct owner) owners;
    struct gpu_type types[TYPES_MAX];
    size_t n_types;
};

static struct gpus *gpus_of(struct view *v)
{
    return (struct gpus *)(void *)v;
}

/* --- who holds what --- */

static uint32_t owner_of(struct gpus *g, struct idmap *known, const struct job *j)
{
    uint32_t key = j->array_job ? j->array_job : j->id;
    uintptr_t at = (uintptr_t)idmap_get(known, key);
    if (at)
        return (uint32_t)(at - 1);
    vec_push(&g->owners, (struct owner){.key = key, .job = j});
    idmap_set(known, key, (void *)g->owners.n);
    return (uint32_t)(g->owners.n - 1);
}

static struct gpu_row *row_of(struct gpus *g, const struct idmap *by_node, const char *node)
{
    const struct node *n = node ? model_get_node(ui_model(g->s.v.ui), node) : NULL;
    uintptr_t at = n ? (uintptr_t)idmap_get(by_node, nodekeys_id(n)) : 0;
    return at ? &g->rows[at - 1] : NULL;
}

struct counting {
    struct gpus *g;
    struct idmap owners, by_node;
};

static void take_alloc(struct counting *c, const struct job *j, const struct alloc *a)
{
    struct gpu_row *r = cpuset_is_empty(&a->gpus) ? NULL : row_of(c->g, &c->by_node, a->node);
    if (!r)
        return;
    uint32_t owner = owner_of(c->g, &c->owners, j);
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++)
        if (cpuset_has(&a->gpus, i)) {
            r->owners[i] = owner;
            c->g->owners.v[owner].gpus++;
        }
}

static void take_job(struct counting *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n && j->holding; i++)
        take_alloc(c, j, &j->alloc.v[i]);
    for (size_t i = 0; i < j->steps.n && !j->alloc.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (task_is_live(&j->steps.v[i].tasks.v[k]))
                take_alloc(c, j, &j->steps.v[i].tasks.v[k].alloc);
}

/* Who holds most comes first, so that the letters of big jobs are early ones and stay. */
static int by_gpus(const void *pa, const void *pb)
{
    const struct owner *a = *(struct owner *const *)pa, *b = *(struct owner *const *)pb;
    return a->gpus != b->gpus ? (a->gpus < b->gpus) - (a->gpus > b->gpus)
                              : (a->key > b->key) - (a->key < b->key);
}

static void give_letters(struct gpus *g)
{
    struct owner **order = xcalloc(g->owners.n + 1, sizeof *order);
    vec_for_each (&g->owners, i)
        order[i] = &g->owners.v[i];
    if (g->owners.n)
        qsort(order, g->owners.n, sizeof *order, by_gpus);
    for (size_t i = 0; i < g->owners.n; i++)
        order[i]->letter = i < sizeof job_letters - 1 ? job_letters[i] : '&';
    free(order);
}

/* --- what each device is --- */

enum device {
    DEVICE_HELD,
    DEVICE_BUSY,
    DEVICE_IDLE,
    DEVICE_FOREIGN,
    DEVICE_BROKEN,
    DEVICE_OUT,
    DEVICE_FREE
};

static const struct gpu_util *measured(const struct ui *ui, const struct node *n, unsigned index)
{
    const struct msg_util *u = ui_util(ui, n->spec.name);
    for (size_t i = 0; u && i < u->gpus.n; i++)
        if (u->gpus.v[i].index == index)
            return &u->gpus.v[i];
    return NULL;
}

static enum device device_is(const struct ui *ui, const struct gpu_row *r, unsigned i)
{
    const struct gpu_util *g = measured(ui, r->node, i);
    if (cpuset_has(&r->node->gpus_lost, i)) /* whoever holds it */
        return DEVICE_BROKEN;
    if (r->owners[i] != NO_OWNER || cpuset_has(&r->node->gpus_used, i))
        return !g ? DEVICE_HELD : g->busy_pct < GPU_IDLE_PERCENT ? DEVICE_IDLE : DEVICE_BUSY;
    if ((g && g->foreign) || cpuset_has(&r->node->gpus_out, i))
        return DEVICE_FOREIGN;
    return windows_node_is_out(ui, r->node) ? DEVICE_OUT : DEVICE_FREE;
}

static void count_row(const struct ui *ui, struct gpu_row *r)
{
    r->held = r->busy = r->idle = r->foreign = r->broken = r->out = r->free = 0;
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++)
        switch (device_is(ui, r, i)) {
        case DEVICE_HELD: r->held++; break;
        case DEVICE_BUSY: r->busy++; break;
        case DEVICE_IDLE: r->idle++; break;
        case DEVICE_FOREIGN: r->foreign++; break;
        case DEVICE_BROKEN: r->broken++; break;
        case DEVICE_OUT: r->out++; break;
        case DEVICE_FREE: r->free++; break;
        }
}

static struct gpu_type *type_of(struct gpus *g, const char *name)
{
    name = name ? name : "untyped";
    for (size_t i = 0; i < g->n_types; i++)
        if (str_eq(g->types[i].name, name))
            return &g->types[i];
    if (g->n_types < TYPES_MAX)
        g->types[g->n_types++] = (struct gpu_type){.name = name};
    else
        g->types[TYPES_MAX - 1].name = "others";
    return &g->types[g->n_types - 1];
}

/* Counted anew for each picture: what is measured changes without the model. */
static void count_all(struct gpus *g)
{
    g->n_types = 0;
    for (size_t i = 0; i < g->n_rows; i++) {
        struct gpu_row *r = &g->rows[i];
        struct gpu_type *t = type_of(g, r->node->gpu_type);
        count_row(g->s.v.ui, r);
        t->all += r->node->gpus;
        t->held += r->held;
        t->busy += r->busy;
        t->idle += r->idle;
        t->foreign += r->foreign;
        t->broken += r->broken;
        t->out += r->out;
        t->free += r->free;
        t->most = r->free > t->most ? r->free : t->most;
    }
}

/* --- columns --- */

static const struct gpus *ctx_of(const void *ctx)
{
    return ctx;
}

static void get_sign(const void *ctx, const void *row, struct field *f)
{
    windows_node_sign(f, ctx_of(ctx)->s.v.ui, ((const struct gpu_row *)row)->node);
}

static void get_node(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_STRONG, ((const struct gpu_row *)row)->node->spec.name);
}

static void add_device(struct rich *r, const struct gpus *g, const struct gpu_row *row, unsigned i)
{
    bool mine = row->owners[i] != NO_OWNER && g->owners.v[row->owners[i]].job->uid == ui_uid(g->s.v.ui);
    char letter = row->owners[i] == NO_OWNER ? '?' : g->owners.v[row->owners[i]].letter;
    switch (device_is(g->s.v.ui, row, i)) {
    case DEVICE_HELD:
    case DEVICE_BUSY: rich_addf(r, mine ? ROLE_RUNNING : ROLE_BAR_USED, "%c", letter); return;
    case DEVICE_IDLE: rich_addf(r, ROLE_BAR_IDLE, "%c", tolower((unsigned char)letter)); return;
    case DEVICE_FOREIGN: rich_add(r, ROLE_WARM, "!"); return;
    case DEVICE_BROKEN: rich_add(r, ROLE_ERROR, "X"); return;
    case DEVICE_OUT: rich_add(r, ROLE_BAR_OUT, "#"); return;
    case DEVICE_FREE: rich_add(r, ROLE_BAR_FREE, "."); return;
    }
}

static void get_devices(const void *ctx, const void *row, struct field *f)
{
    const struct gpu_row *r = row;
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++)
        add_device(&f->text, ctx_of(ctx), r, i);
}

static void get_free(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    field_count(f, ((const struct gpu_row *)row)->free, ROLE_GOOD);
}

static void get_idle(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    field_count(f, ((const struct gpu_row *)row)->idle, ROLE_BAR_IDLE);
}

static void get_all(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    field_count(f, ((const struct gpu_row *)row)->node->gpus, ROLE_NORMAL);
}

static void get_type(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, ((const struct gpu_row *)row)->node->gpu_type);
}

static void get_who(const void *ctx, const void *row, struct field *f)
{
    const struct gpus *g = ctx_of(ctx);
    const struct gpu_row *r = row;
    uint32_t seen[CPUSET_MAX];
    size_t n = 0;
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++) {
        uint32_t o = r->owners[i];
        bool again = o == NO_OWNER;
        for (size_t k = 0; k < n && !again; k++)
            again = seen[k] == o;
        if (again)
            continue;
        seen[n++] = o;
        const struct job *j = g->owners.v[o].job;
        rich_addf(&f->text, ROLE_STRONG, "%s%c ", f->text.text.len ? "  " : "", g->owners.v[o].letter);
        rich_addf(&f->text, j->uid == ui_uid(g->s.v.ui) ? ROLE_RUNNING : ROLE_NORMAL, "%s/%s",
                  j->user ? j->user : "", j->req.name ? j->req.name : "");
    }
    if (n)
        rich_add(&f->text, ROLE_NORMAL, "  ");
    nodeinfo_note(&f->text, g->s.v.ui, r->node);
}

static const struct column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = get_sign},
    {.name = "node",
     .title = "NODE",
     .min = 8,
     .want = 28,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE | COLUMN_ENDS,
     .get = get_node},
    {.name = "devices", .title = "GPUS", .min = 8, .want = 16, .get = get_devices},
    {.name = "free",
     .title = "FREE",
     .min = 4,
     .want = 4,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .get = get_free},
    {.name = "type",
     .title = "TYPE",
     .min = 6,
     .want = 22,
     .fit = 8,
     .rank = 4,
     .flags = COLUMN_WORDS,
     .get = get_type},
    {.name = "who",
     .title = "WHO",
     .min = 16,
     .share = 60,
     .rank = 1,
     .flags = COLUMN_WORDS,
     .get = get_who},
    {.name = "idle",
     .title = "IDLE",
     .min = 4,
     .want = 4,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_idle},
    {.name = "gpus",
     .title = "ALL",
     .min = 4,
     .want = 4,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_all},
};

static void fill(void *ctx, struct table *t)
{
    struct gpus *g = ctx;
    const struct model *m = ui_model(g->s.v.ui);
    struct counting c = {.g = g};
    size_t all = 0, at = 0;
    for (size_t i = 0; i < m->n_nodes; i++)
        all += m->nodes[i]->gpus;
    g->rows = xreallocarray(g->rows, m->n_nodes + 1, sizeof *g->rows);
    g->devices = xreallocarray(g->devices, all + 1, sizeof *g->devices);
    memset(g->devices, 0xff, (all + 1) * sizeof *g->devices); /* NO_OWNER */
    g->n_rows = 0;
    vec_clear(&g->owners);
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (!n->gpus)
            continue;
        struct gpu_row *r = &g->rows[g->n_rows++];
        *r = (struct gpu_row){.node = n, .owners = g->devices + at};
        at += n->gpus;
        idmap_set(&c.by_node, nodekeys_id(n), (void *)(uintptr_t)g->n_rows);
    }
    list_for_each (j, &m->active, struct job, in_queue)
        take_job(&c, j);
    give_letters(g);
    for (size_t i = 0; i < g->n_rows; i++) {
        count_row(g->s.v.ui, &g->rows[i]);
        table_add(t, (struct trow){.id = nodekeys_id(g->rows[i].node), .data = &g->rows[i]});
    }
    idmap_fini(&c.owners);
    idmap_fini(&c.by_node);
}

/* --- the view --- */

static struct view *gpus_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct gpus *g = xcalloc(1, sizeof *g);
    g->s.v = (struct view){.ops = &gpus_view, .ui = ui};
    table_init(&g->s.table, columns, sizeof columns / sizeof columns[0], fill, g);
    return &g->s.v;
}

static void gpus_close(struct view *v)
{
    struct gpus *g = gpus_of(v);
    tablescreen_fini(&g->s);
    vec_fini(&g->owners);
    free(g->rows);
    free(g->devices);
    free(g);
}

static void gpus_title(struct view *v, struct rich *out)
{
    struct gpus *g = gpus_of(v);
    rich_add(out, ROLE_TITLE, "GPUs");
    tableview_title(v->ui, &g->s.table, g->n_rows, out);
}

/* Where the line has room for all of it: half a number is another one. */
static void count_of(struct rich *r, int width, enum role role, uint32_t n, const char *what)
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
    rich_addf(r, t->free ? ROLE_GOOD : ROLE_DIM, "%u free", t->free);
    if (t->free)
        rich_addf(r, ROLE_DIM, ", %u on one node", t->most);
    count_of(r, width, ROLE_BAR_IDLE, t->idle, "idle");
    count_of(r, width, ROLE_WARM, t->foreign, "not ours");
    count_of(r, width, ROLE_ERROR, t->broken, "broken");
    count_of(r, width, ROLE_BAR_OUT, t->out, "out");
    count_of(r, width, ROLE_NORMAL, t->busy, "busy");
    count_of(r, width, ROLE_NORMAL, t->held, "held");
}

static void draw_types(struct gpus *g, struct canvas *c, struct rect *body)
{
    int name_width = 0;
    for (size_t i = 0; i < g->n_types; i++) {
        int w = cell_width(g->types[i].name);
        name_width = w > name_width ? w : name_width;
    }
    for (size_t i = 0; i < g->n_types && body->h > 6; i++) {
        struct rect line = rect_take_top(body, 1);
        struct rich r;
        rich_init(&r);
        type_line(&r, &g->types[i], name_width, line.w - 3);
        rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
        rich_fini(&r);
    }
    if (g->n_types && body->h > 7)
        rect_take_top(body, 1);
}

static void draw_legend(struct canvas *c, struct rect line)
{
    struct rich r;
    int width = line.w - 3;
    rich_init(&r);
    tableview_legend(&r, ROLE_BAR_USED, "A", "a job's", width);
    tableview_legend(&r, ROLE_BAR_IDLE, "a", "held, idle", width);
    tableview_legend(&r, ROLE_BAR_FREE, ".", "free", width);
    tableview_legend(&r, ROLE_BAR_OUT, "#", "out", width);
    tableview_legend(&r, ROLE_WARM, "!", "not ours", width);
    tableview_legend(&r, ROLE_ERROR, "X", "broken", width);
    rich_draw(&r, c, line.y, line.x + 2, width);
    rich_fini(&r);
}

static void fill_side(struct gpus *g, const struct gpu_row *row)
{
    struct lines *l = &g->s.side.lines;
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_TITLE, "%s", row->node->spec.name);
    if (row->node->gpu_type)
        rich_addf(r, ROLE_DIM, "  %s", row->node->gpu_type);
    rich_add(r, ROLE_NORMAL, "  ");
    nodeinfo_note(r, g->s.v.ui, row->node);
    for (unsigned i = 0; i < row->node->gpus && i < CPUSET_MAX; i++)
        nodeinfo_gpu_line(lines_add(l), g->s.v.ui, row->node, i);
    jobinfo_section(l, "Who holds most");
    for (int letter = 'A'; letter <= 'Z'; letter++)
        vec_for_each (&g->owners, i) {
            const struct owner *o = &g->owners.v[i];
            if (o->letter != letter)
                continue;
            r = lines_add(l);
            rich_addf(r, ROLE_STRONG, "%c  ", o->letter);
            rich_addf(r, ROLE_NORMAL, "%3u  %s/%s", o->gpus, o->job->user ? o->job->user : "",
                      o->job->req.name ? o->job->req.name : "");
            rich_addf(r, ROLE_DIM, "  %u", o->key);
        }
}

static void gpus_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct gpus *g = gpus_of(v);
    struct layout inner = *l;
    struct lines empty = {0};
    count_all(g);
    lines_addf(&empty, ROLE_NORMAL, "No node has GPUs.");
    if (inner.body.h > 8)
        draw_legend(c, rect_take_bottom(&inner.body, 1));
    draw_types(g, c, &inner.body);
    struct rect below = tablescreen_below(&g->s, c, &inner, LINES_BELOW);
    if (!rect_is_empty(below)) {
        lines_clear(&g->s.side.lines);
        fill_side(g, table_current(&g->s.table)->data);
        pane_draw(&g->s.side, c, below);
    }
    const struct trow *row = tablescreen_draw(&g->s, c, &inner, &empty);
    lines_fini(&empty);
    if (!row)
        return;
    fill_side(g, row->data);
    side_draw(&g->s.side, c, l);
}

static const struct node *node_of_row(struct ui *ui, const struct trow *row)
{
    (void)ui;
    return ((const struct gpu_row *)row->data)->node;
}

static unsigned gpus_act(struct view *v, enum action a, const struct input *in)
{
    struct table *t = &gpus_of(v)->s.table;
    unsigned did = nodekeys_act(v->ui, t, node_of_row, a);
    return did ? did : tableview_act(v->ui, t, a, in);
}

static const enum scope scopes[] = {SCOPE_NODES, SCOPE_WINDOWS, SCOPE_LIST, SCOPE_MOVE};

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
    .input = tablescreen_input,
    .act = gpus_act,
    .table = tablescreen_table,
};
