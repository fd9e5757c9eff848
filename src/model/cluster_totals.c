/* cluster_totals.c - the sums over a cluster. */
#include "src/model/cluster_totals.h"

#include "src/model/model.h"
#include "src/model/nodestate.h"

REC_DEFINE(cluster_totals, CLUSTER_TOTALS_FIELDS)

/* When the next window begins or ends: what is out then is another. */
static struct wall totals_next_edge(const struct model *m, struct wall now)
{
    struct wall edge = {0};
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        struct wall at = w->start.ms > now.ms ? w->start : w->end;
        if (at.ms > now.ms && (!wall_is_set(edge) || at.ms < edge.ms))
            edge = at;
    }
    return edge;
}

/* A job counts as one, the record of an array as its elements. */
static uint32_t totals_waiting(const struct model *m)
{
    uint32_t n = m->n_pending;
    idmap_for_each (&m->arrays, array) {
        const struct job *record = model_get_job(m, (uint32_t)array->id);
        if (record && record->state == JOB_PENDING)
            n += job_pending_elements(record) - 1;
    }
    return n;
}

static bool totals_is_out(const struct model *m, const struct node *n, struct wall now)
{
    return node_is_out(n) || window_in_way(m, n->spec.name, NULL, now, (struct wall){.ms = now.ms + 1});
}

static void totals_add_node(struct cluster_totals *t, const struct node *n, bool out)
{
    unsigned cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used);
    t->nodes++;
    t->nodes_used += n->n_jobs > 0;
    t->cpus += n->cpus;
    t->cpus_used += cpus;
    t->gpus += n->gpus;
    t->gpus_used += gpus;
    t->gpus_split += !out && gpus && n->gpus > gpus ? n->gpus - gpus : 0;
    if (!out)
        return;
    t->nodes_out += n->n_jobs == 0;
    t->nodes_out_used += n->n_jobs > 0;
    t->cpus_out += n->cpus > cpus ? n->cpus - cpus : 0;
    t->gpus_out += n->gpus > gpus ? n->gpus - gpus : 0;
}

struct cluster_totals model_totals(const struct model *m, struct wall now)
{
    struct cluster_totals t = {.jobs = (uint32_t)m->jobs.n,
                               .running = m->n_active,
                               .waiting = totals_waiting(m),
                               .edge = totals_next_edge(m, now)};
    for (size_t i = 0; i < m->n_nodes; i++)
        if (!str_eq(m->nodes[i]->spec.role, "login"))
            totals_add_node(&t, m->nodes[i], totals_is_out(m, m->nodes[i], now));
    return t;
}
