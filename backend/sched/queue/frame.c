/* frame.c - what the configuration makes of a planner before any job is read: its pool of nodes,
 * partitions, how places are held, whether anybody may have to go. */
#include <string.h>

#include "backend/sched/queue/sync_private.h"

static bool has_soft(const struct limit_set *l)
{
    const uint64_t most[] = {l->gpus, l->cpus, l->mem_mib, l->nodes, l->running_jobs, l->gpu_minutes};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        if (most[i] != LIMIT_NONE)
            return true;
    return false;
}

static bool has_preemption(const struct cluster_spec *s)
{
    for (size_t i = 0; i < s->parts.n; i++)
        if (s->parts.v[i].preempt_mode != PREEMPT_OFF)
            return true;
    for (size_t i = 0; i < s->qos.n; i++)
        if (s->qos.v[i].preempt.n)
            return true;
    for (size_t i = 0; i < s->limits.n; i++)
        if (has_soft(&s->limits.v[i].soft))
            return true;
    return false;
}

static void make_parts(struct planner *p)
{
    uint32_t n = p->n_parts = (uint32_t)p->view->model->spec.parts.n;
    p->part_nodes = xcalloc(n ? n : 1, sizeof *p->part_nodes);
    p->first_blocked = xcalloc(n ? n : 1, sizeof *p->first_blocked);
    for (uint32_t i = 0; i < n; i++)
        nodeset_init(&p->part_nodes[i], p->pool.n_nodes);
}

static struct backfill_opts opts_of(const struct cluster_spec *s)
{
    switch ((enum backfill_mode)s->backfill) {
    case BACKFILL_EASY: return (struct backfill_opts){.depth = 1, .backfill = true};
    case BACKFILL_OFF: return (struct backfill_opts){.depth = 0};
    case BACKFILL_CONSERVATIVE: break;
    }
    uint32_t depth = s->reservations ? s->reservations : 1;
    return (struct backfill_opts){.depth = depth, .backfill = true, .keep = true};
}

void planner_read_frame(struct planner *p)
{
    const struct model *m = p->view->model;
    pool_init_bare(&p->pool, (uint32_t)m->n_nodes, p->now.ms);
    pool_init_bare(&p->empty, (uint32_t)m->n_nodes, p->now.ms);
    p->n_avoids = m->n_avoids;
    p->gpu_types = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof(char *));
    p->tmp_mib = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *p->tmp_mib);
    p->unknown = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *p->unknown);
    p->taken = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *p->taken);
    make_parts(p);
    struct backfill_opts opts = opts_of(&m->spec);
    backfill_init(&p->backfill, &p->pool, &opts, (uint32_t)m->spec.parts.n);
    p->limits = limits_new_empty(m);
    p->may_preempt = has_preemption(&m->spec);
    p->qos_levels = qos_levels_of(&m->spec);
    for (size_t i = 0; i < m->spec.licenses.n; i++)
        vec_push(&p->licences_held.used, 0);
}

void planner_read_room(struct planner *p, uint32_t at)
{
    uint32_t n = p->pool.n_nodes;
    pool_init_node(at < n ? &p->pool : &p->empty, at < n ? at : at - n);
}

void planner_read_node(struct planner *p, uint32_t at)
{
    const char *name = p->view->model->nodes[at]->spec.name;
    idmap_set(&p->node_at, hash_bytes(name, strlen(name)), (void *)(uintptr_t)(at + 1));
    sync_node(p, at);
}

void planner_read_part(struct planner *p, uint32_t at)
{
    const struct strv *names = &p->view->model->spec.parts.v[at].nodes;
    for (size_t k = 0; k < names->n; k++) {
        uint32_t node = planner_find_node(p, names->v[k]);
        if (node != UINT32_MAX)
            nodeset_add(&p->part_nodes[at], node);
    }
}
