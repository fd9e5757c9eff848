/* gpu_rows.c - nodes with GPUs, whose each device is, and sums. */
#include "ui/nodes/gpu_rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/nodestate.h"
#include "ui/nodes/node_keys.h"
#include "ui/state/view.h"
#include "ui/text/view_text.h"

#define NO_OWNER UINT32_MAX

static const char job_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWYZ"; /* no X: a broken device has that */

/* --- who holds what --- */

static uint32_t gpu_rows_owner_of(struct gpurows *g, struct idmap *known, const struct job *j)
{
    uint32_t key = j->array_job ? j->array_job : j->id;
    uintptr_t at = (uintptr_t)idmap_get(known, key);
    if (at)
        return (uint32_t)(at - 1);
    vec_push(&g->owners, (struct gpu_row_owner){.key = key, .job = j});
    idmap_set(known, key, (void *)g->owners.n);
    return (uint32_t)(g->owners.n - 1);
}

static struct gpu_row *gpu_rows_row_of(struct gpurows *g, const struct idmap *by_node, const char *node)
{
    const struct node *n = node ? model_get_node(ui_model(g->ui), node) : NULL;
    uintptr_t at = n ? (uintptr_t)idmap_get(by_node, nodekeys_id(n)) : 0;
    return at ? &g->rows[at - 1] : NULL;
}

struct counting {
    struct gpurows *g;
    struct idmap owners, by_node;
};

static void take_alloc(struct counting *c, const struct job *j, const struct alloc *a)
{
    struct gpu_row *r = cpuset_is_empty(&a->gpus) ? NULL : gpu_rows_row_of(c->g, &c->by_node, a->node);
    if (!r)
        return;
    uint32_t owner = gpu_rows_owner_of(c->g, &c->owners, j);
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++)
        if (cpuset_has(&a->gpus, i)) {
            r->owners[i] = owner;
            c->g->owners.v[owner].gpus++;
        }
}

static void gpu_rows_take_job(struct counting *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n && j->holding; i++)
        take_alloc(c, j, &j->alloc.v[i]);
    for (size_t i = 0; i < j->steps.n && !j->alloc.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (task_is_live(&j->steps.v[i].tasks.v[k]))
                take_alloc(c, j, &j->steps.v[i].tasks.v[k].alloc);
}

/* Jobs with the most GPUs come first, so that big jobs get the early letters and keep them. */
static int by_gpus(const void *pa, const void *pb)
{
    const struct gpu_row_owner *a = *(struct gpu_row_owner *const *)pa,
                               *b = *(struct gpu_row_owner *const *)pb;
    return a->gpus != b->gpus ? (a->gpus < b->gpus) - (a->gpus > b->gpus)
                              : (a->key > b->key) - (a->key < b->key);
}

static void give_letters(struct gpurows *g)
{
    struct gpu_row_owner **order = xcalloc(g->owners.n + 1, sizeof *order);
    vec_for_each (&g->owners, i)
        order[i] = &g->owners.v[i];
    if (g->owners.n)
        qsort(order, g->owners.n, sizeof *order, by_gpus);
    for (size_t i = 0; i < g->owners.n; i++)
        order[i]->letter = i < sizeof job_letters - 1 ? job_letters[i] : '&';
    free(order);
}

/* --- what each device is --- */

const struct gpu_row_owner *gpurows_owner(const struct gpurows *g, const struct gpu_row *r, unsigned i)
{
    return r->owners[i] == NO_OWNER ? NULL : &g->owners.v[r->owners[i]];
}

static const struct gpu_util *measured(const struct ui *ui, const struct node *n, unsigned index)
{
    const struct msg_util *u = ui_util(ui, n->spec.name);
    for (size_t i = 0; u && i < u->gpus.n; i++)
        if (u->gpus.v[i].index == index)
            return &u->gpus.v[i];
    return NULL;
}

const struct gpu_util *gpurows_measured(const struct gpurows *g, const struct gpu_row *r, unsigned i)
{
    return measured(g->ui, r->node, i);
}

enum gpu_device gpurows_device(const struct gpurows *g, const struct gpu_row *r, unsigned i)
{
    const struct gpu_util *u = measured(g->ui, r->node, i);
    if (cpuset_has(&node_rare(r->node)->gpus_lost, i)) /* whichever job has it */
        return GPU_BROKEN;
    if (gpurows_owner(g, r, i) || cpuset_has(&r->node->gpus_used, i))
        return !u ? GPU_HELD : u->busy_pct < GPU_IDLE_PERCENT ? GPU_IDLE : GPU_BUSY;
    if ((u && u->foreign) || node_gpu_is_out(r->node, i))
        return GPU_FOREIGN;
    return ui_node_is_out(g->ui, r->node) ? GPU_OUT : GPU_FREE;
}

static void count_row(const struct gpurows *g, struct gpu_row *r)
{
    r->held = r->busy = r->idle = r->foreign = r->broken = r->out = r->free = 0;
    for (unsigned i = 0; i < r->node->gpus && i < CPUSET_MAX; i++)
        switch (gpurows_device(g, r, i)) {
        case GPU_HELD: r->held++; break;
        case GPU_BUSY: r->busy++; break;
        case GPU_IDLE: r->idle++; break;
        case GPU_FOREIGN: r->foreign++; break;
        case GPU_BROKEN: r->broken++; break;
        case GPU_OUT: r->out++; break;
        case GPU_FREE: r->free++; break;
        }
}

static struct gpu_type *type_of(struct gpurows *g, const char *name)
{
    name = name ? name : tr("untyped");
    for (size_t i = 0; i < g->n_types; i++)
        if (str_eq(g->types[i].name, name))
            return &g->types[i];
    if (g->n_types < GPU_TYPES_MAX)
        g->types[g->n_types++] = (struct gpu_type){.name = name};
    else
        g->types[GPU_TYPES_MAX - 1].name = "others";
    return &g->types[g->n_types - 1];
}

void gpurows_count(struct gpurows *g)
{
    g->n_types = 0;
    for (size_t i = 0; i < g->n_rows; i++) {
        struct gpu_row *r = &g->rows[i];
        struct gpu_type *t = type_of(g, r->node->gpu_type);
        count_row(g, r);
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

/* --- all of it --- */

void gpurows_fill(struct gpurows *g)
{
    const struct model *m = ui_model(g->ui);
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
        gpu_rows_take_job(&c, j);
    give_letters(g);
    for (size_t i = 0; i < g->n_rows; i++)
        count_row(g, &g->rows[i]);
    idmap_fini(&c.owners);
    idmap_fini(&c.by_node);
}

void gpurows_fini(struct gpurows *g)
{
    vec_fini(&g->owners);
    free(g->rows);
    free(g->devices);
}
