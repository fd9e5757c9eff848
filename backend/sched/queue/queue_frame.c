/* queue_frame.c - what the configuration makes of a queue before any job is read: its pool of nodes,
 * partitions, how starts are planned, whether any job may be preempted. */
#include <string.h>

#include "backend/sched/queue/queue.h"
#include "src/base/xalloc.h"

static bool queue_frame_has_soft(const struct limit_set *l)
{
    const uint64_t most[] = {l->gpus, l->cpus, l->mem_mib, l->nodes, l->running_jobs, l->gpu_minutes};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        if (most[i] != LIMIT_NONE)
            return true;
    return false;
}

static bool queue_frame_has_preemption(const struct cluster_spec *s)
{
    for (size_t i = 0; i < s->parts.n; i++)
        if (s->parts.v[i].preempt_mode != PREEMPT_OFF)
            return true;
    for (size_t i = 0; i < s->qos.n; i++)
        if (s->qos.v[i].preempt.n)
            return true;
    for (size_t i = 0; i < s->limits.n; i++)
        if (queue_frame_has_soft(&s->limits.v[i].soft))
            return true;
    return false;
}

static bool queue_frame_has_exclusive_users(const struct cluster_spec *s)
{
    for (size_t i = 0; i < s->parts.n; i++)
        if (s->parts.v[i].exclusive_user)
            return true;
    return false;
}

static void queue_frame_make_parts(struct queue *q)
{
    uint32_t n = q->nodes.n_parts = (uint32_t)q->view->model->spec.parts.n;
    q->nodes.part_nodes = xcalloc(n ? n : 1, sizeof *q->nodes.part_nodes);
    for (uint32_t i = 0; i < n; i++)
        nodeset_init(&q->nodes.part_nodes[i], q->pool.n_nodes);
}

static struct plan_opts queue_frame_opts_of(const struct cluster_spec *s)
{
    switch ((enum backfill_mode)s->backfill) {
    case BACKFILL_EASY:
        return (struct plan_opts){.depth = 1,
                                  .backfill = true,
                                  .shortest = s->backfill_shortest,
                                  .predicts = s->predict_run_times};
    case BACKFILL_OFF: return (struct plan_opts){.depth = 0};
    case BACKFILL_CONSERVATIVE: break;
    }
    uint32_t depth = s->reservations ? s->reservations : 1;
    return (struct plan_opts){.depth = depth,
                              .backfill = true,
                              .keep = true,
                              .shortest = s->backfill_shortest,
                              .predicts = s->predict_run_times};
}

void queue_frame_begin(struct queue *q)
{
    const struct model *m = q->view->model;
    pool_init_bare(&q->pool, (uint32_t)m->n_nodes, q->now.ms);
    pool_init_bare(&q->empty, (uint32_t)m->n_nodes, q->now.ms);
    q->by_user = q->by_user || queue_frame_has_exclusive_users(&m->spec);
    q->pool.by_user = q->by_user;
    q->nodes.n_avoids = m->n_avoids;
    q->nodes.gpu_types = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof(char *));
    q->nodes.tmp_mib = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *q->nodes.tmp_mib);
    q->nodes.size_unknown = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *q->nodes.size_unknown);
    q->nodes.unknown = xcalloc(m->n_nodes ? m->n_nodes : 1, sizeof *q->nodes.unknown);
    queue_frame_make_parts(q);
    struct plan_opts opts = queue_frame_opts_of(&m->spec);
    plan_slots_init(&q->slots, &q->pool, &opts, (uint32_t)m->spec.parts.n);
    q->limits = limits_new_empty(m);
    q->may_preempt = queue_frame_has_preemption(&m->spec);
    q->qos_levels = qos_levels_of(&m->spec);
    for (size_t i = 0; i < m->spec.licenses.n; i++)
        vec_push(&q->active.licences.used, 0);
}

void queue_frame_init_node(struct queue *q, uint32_t at)
{
    uint32_t n = q->pool.n_nodes;
    pool_init_node(at < n ? &q->pool : &q->empty, at < n ? at : at - n);
}

void queue_frame_read_node(struct queue *q, uint32_t at)
{
    const char *name = q->view->model->nodes[at]->spec.name;
    idmap_set(&q->nodes.node_at, hash_bytes(name, strlen(name)), (void *)(uintptr_t)(at + 1));
    const char *group = q->view->model->nodes[at]->spec.group;
    uint64_t hash = str_is_empty(group) ? 0 : hash_bytes(group, strlen(group));
    if (hash && !idmap_get(&q->nodes.groups, hash))
        idmap_set(&q->nodes.groups, hash, (void *)(uintptr_t)(q->pool.n_groups + 1));
    if (hash)
        pool_set_group(&q->pool, at, (uint32_t)(uintptr_t)idmap_get(&q->nodes.groups, hash));
    sync_node(q, at);
}

void queue_frame_read_partition(struct queue *q, uint32_t at)
{
    const struct strv *names = &q->view->model->spec.parts.v[at].nodes;
    for (size_t k = 0; k < names->n; k++) {
        uint32_t node = queue_find_node(q, names->v[k]);
        if (node != UINT32_MAX)
            nodeset_add(&q->nodes.part_nodes[at], node);
    }
}
