/* once_eligible_why.c - what would be in the way of a job that is not eligible, if it were: it asks for
 * something that no node ever has, or nodes will be out, busy or kept for a window when it is expected to
 * become eligible.
 *
 * Such a job has no class and is not in the queue's order, so nothing is said of its turn.
 */
#include "backend/sched/explain/refused.h"
#include "backend/sched/explain/why_internal.h"

/* The latest time at which a cause is known to clear; now if none is known. */
static int64_t opens_from(const struct question *q)
{
    int64_t begin = req_detail(&q->j->req)->begin.ms,
            t = q->queue->pool.now > begin ? q->queue->pool.now : begin;
    for (size_t i = 0; i < q->w->causes.n; i++) {
        const struct cause *c = &q->w->causes.v[i];
        bool opens = c->cls == WHY_NOT_YET || c->cls == WHY_DEP_WAIT || c->cls == WHY_WINDOW;
        t = opens && c->clears.ms > t ? c->clears.ms : t;
    }
    return t;
}

/* Checks one of its partitions. */
struct once {
    struct plan_choice choice;
    struct request_shape *shape;
};

static struct once once_in(const struct question *q, uint32_t part)
{
    struct request_shape *sh = request_shape_in(q->queue, q->j, q->step, part);
    return (struct once){.shape = sh,
                         .choice = {.partition = part,
                                    .demand = &sh->demand,
                                    .set = &sh->set->nodes,
                                    .len = sh->len,
                                    .len_min = sh->len_min,
                                    .own = queue_reservation_of(q->queue, q->j)}};
}

/* It asks for more nodes than the partition allows and can never start there. */
static bool once_is_too_wide(const struct question *q, uint32_t part)
{
    return job_need_nodes(q->j) > q->v->model->spec.parts.v[part].max_nodes;
}

/* Checks its partitions: only those that admit it, if there are any. */
static uint32_t once_in_all(const struct question *q, struct once *ret, uint32_t most)
{
    const struct cluster_spec *spec = &q->v->model->spec;
    struct strv names = eligible_partitions(q->v->model, q->j);
    uint32_t n = 0;
    bool admitted = false;
    for (size_t i = 0; i < names.n; i++)
        admitted = admitted || eligibility_in_partition(q->v, q->j, model_get_part(q->v->model, names.v[i]),
                                                        NULL) == REASON_NONE;
    for (size_t i = 0; i < names.n && n < most; i++) {
        uint32_t at = spec_part_position(spec, names.v[i]);
        if (at != UINT32_MAX && !once_is_too_wide(q, at) &&
            (!admitted || eligibility_in_partition(q->v, q->j, &spec->parts.v[at], NULL) == REASON_NONE))
            ret[n++] = once_in(q, at);
    }
    strv_fini(&names);
    return n;
}

#define ONCE_MAX 16 /* partitions that are checked */

static void once_explain(const struct question *q, const struct once *v, uint32_t n)
{
    struct pool_use *own = n ? v[0].choice.own : NULL;
    if (own && own->parts)
        pool_suspend(&q->queue->pool, own);
    for (uint32_t i = 0; i < n; i++)
        if (request_shape_could_ever(q->queue, v[i].shape))
            why_no_place(q, &v[i].choice);
    if (own && own->parts)
        pool_restore(&q->queue->pool, own);
}

/* Each declared step of a step job is checked: a step that can never run prevents admission. */
static bool once_steps_never(const struct question *q)
{
    struct cause why = {0};
    bool never = q->j->kind == JOB_KIND_STEPS && sched_admit(q->p, q->v, q->j, &why) == REFUSAL_NEVER_FITS;
    if (never)
        why_add_take(q->w, WHY_NO_FIT, &why);
    cause_clear(&why);
    return never;
}

void why_once_eligible(struct question *q)
{
    struct once v[ONCE_MAX];
    bool held = q->w->causes.n && q->w->causes.v[0].cls == WHY_HELD, ever = false;
    if ((q->brief && held) || once_steps_never(q)) /* a hold comes first in any case */
        return;
    uint32_t n = once_in_all(q, v, ONCE_MAX);
    q->from = opens_from(q);
    for (uint32_t i = 0; i < n; i++)
        ever = request_shape_could_ever(q->queue, v[i].shape) || ever;
    for (uint32_t i = 0; i < n && !ever; i++)
        why_never(q, &v[i].choice);
    if (ever && (!q->brief || !q->w->causes.n))
        once_explain(q, v, n);
    for (uint32_t i = 0; i < n; i++)
        request_shape_drop(q->queue, v[i].shape);
}
