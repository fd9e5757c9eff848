/* apply_row.c - the folds of rows: a job or a node as a whole takes the place of what was known of it.
 *
 * Rows alone keep a mirror up. A row of a job leaves the nodes alone, for a mirror may
 * have some of the jobs only: what a node carries is in the node's own row.
 */
#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/model.h"
#include "src/model/model_private.h"

static bool ranges_are_sound(const struct job *j)
{
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        if (!r->step || r->last < r->first || r->last == ARRAY_NONE || (r->last - r->first) % r->step)
            return false;
    }
    return true;
}

static bool tasks_are_sound(const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (j->steps.v[i].tasks.v[k].state > TASK_DONE)
                return false;
    return true;
}

/* A job that waits or has ended holds nothing. */
static bool holds_what_it_may(const struct job *j)
{
    bool idle = j->state == JOB_PENDING || job_state_is_final((enum job_state)j->state);
    return !idle || (!j->holding && !job_live_tasks(j));
}

bool job_row_is_sound(const struct job *j)
{
    return j->id && j->id != UINT32_MAX && j->state < JOB_N_STATES && j->kind <= JOB_KIND_INTERACTIVE &&
           j->hold <= HOLD_ADMIN && j->fate <= FATE_REQUEUE_HOLD && j->kill_cause < KILL_N_CAUSES &&
           (j->array_job || !job_rare(j)->array_pending.n) && ranges_are_sound(j) && tasks_are_sound(j) &&
           holds_what_it_may(j);
}

int apply_job_row(struct model *m, const struct event *ev, const struct job *body)
{
    if (body->id != ev->job || !job_row_is_sound(body))
        return -EINVAL;
    struct job *old = model_get_job(m, body->id), *j = xcalloc(1, sizeof *j);
    rec_copy(&job_rec, j, body);
    list_init(&j->in_all);
    list_init(&j->in_queue);
    if (old) {
        model_replace_job(m, old, j);
        job_free(j); /* as it was */
    } else {
        model_link_job(m, j);
    }
    return 0;
}

int apply_job_gone(struct model *m, struct job *j)
{
    model_unlink_job(m, j);
    job_free(j);
    return 0;
}

/* No figure is beyond what the folds of single events let in. */
static bool node_row_is_sound(const struct node *n)
{
    return !str_is_empty(n->spec.name) && n->state < NODE_N_STATES &&
           (n->gpus <= CPUSET_MAX || n->gpus == UINT32_MAX);
}

int apply_node_row(struct model *m, const struct node *body)
{
    if (!node_row_is_sound(body))
        return -EINVAL;
    struct node *n = model_get_node(m, body->spec.name), copy;
    m->n_avoids += body->avoids.n || (n && n->avoids.n);
    if (body->gone && !body->n_jobs) {
        for (size_t i = 0; n && i < m->n_nodes; i++)
            if (m->nodes[i] == n) {
                model_drop_node(m, i);
                return 0;
            }
        return -ENOENT;
    }
    rec_copy(&node_rec, &copy, body);
    model_take_node(m, &copy);
    return 0;
}
