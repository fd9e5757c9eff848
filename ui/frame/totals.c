/* totals.c - the sums of the header. */
#include "ui/frame/totals.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/frame/ui_state.h"

struct totals_state {
    struct header_totals sums;
};

void totals_new(struct ui *ui)
{
    ui->around.totals = xcalloc(1, sizeof *ui->around.totals);
}

void totals_free(struct ui *ui)
{
    free(ui->around.totals);
    ui->around.totals = NULL;
}

const struct header_totals *totals_get(const struct ui *ui)
{
    return &ui->around.totals->sums;
}

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

void totals_count(struct ui *ui)
{
    const struct model *m = ui->m;
    struct header_totals *t = &ui->around.totals->sums;
    *t = (struct header_totals){0};
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (str_eq(n->spec.role, "login"))
            continue;
        unsigned cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used);
        t->nodes++;
        t->nodes_used += n->n_jobs > 0;
        t->cpus += n->cpus;
        t->cpus_used += cpus;
        t->gpus += n->gpus;
        t->gpus_used += gpus;
        if (!ui_node_is_out(ui, n))
            continue;
        t->nodes_out += n->n_jobs == 0;
        t->cpus_out += n->cpus > cpus ? n->cpus - cpus : 0;
        t->gpus_out += n->gpus > gpus ? n->gpus - gpus : 0;
    }
    t->edge = totals_next_edge(m, ui->now);
    t->running = m->n_active;
    t->waiting = totals_waiting(m);
}
