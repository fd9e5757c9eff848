/* tally.c - how many jobs of each array wait, run and have ended: kept up with the queues, so that asking
 * for the whole of a large array costs nothing. */
#include <errno.h>
#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"
#include "src/model/model_private.h"
#include "src/model/tally.h"

const struct array_tally *model_get_tally(const struct model *m, uint32_t array_id)
{
    return idmap_get(&m->arrays, array_id);
}

static void tally_count(struct array_tally *t, const struct job *j, uint32_t by)
{
    if (j->state == JOB_PENDING) {
        t->pending += by;
    } else if (!job_state_is_final(j->state)) {
        t->active += by;
    } else {
        t->ended += by;
        t->bad += job_succeeded(j) ? 0 : by;
    }
}

void tally_add(struct model *m, const struct job *j)
{
    if (!j->array_job)
        return;
    struct array_tally *t = idmap_get(&m->arrays, j->array_job);
    if (!t) {
        t = xcalloc(1, sizeof *t);
        idmap_set(&m->arrays, j->array_job, t);
    }
    tally_count(t, j, 1);
    if (j->t_start.ms > t->last_start.ms)
        t->last_start = j->t_start;
}

void tally_remove(struct model *m, const struct job *j)
{
    struct array_tally *t = j->array_job ? idmap_get(&m->arrays, j->array_job) : NULL;
    if (!t)
        return;
    tally_count(t, j, UINT32_MAX); /* -1 */
    if (!t->pending && !t->active && !t->ended)
        free(idmap_remove(&m->arrays, j->array_job));
}

int tally_check(const struct model *m, struct errtext *err)
{
    struct idmap seen = {0};
    int r = 0;
    size_t n = 0;
    list_for_each (j, &m->all, struct job, in_all) {
        if (!j->array_job)
            continue;
        struct array_tally *t = idmap_get(&seen, j->array_job);
        if (!t) {
            t = xcalloc(1, sizeof *t);
            idmap_set(&seen, j->array_job, t);
            n++;
        }
        tally_count(t, j, 1);
    }
    idmap_for_each (&seen, slot) {
        const struct array_tally *t = slot->value, *kept = model_get_tally(m, (uint32_t)slot->id);
        if (!r && (!kept || kept->pending != t->pending || kept->active != t->active ||
                   kept->ended != t->ended || kept->bad != t->bad))
            r = err_set(err, -EINVAL, "array %u: its jobs are counted wrongly", (uint32_t)slot->id);
        free(slot->value);
    }
    if (!r && n != m->arrays.n)
        r = err_set(err, -EINVAL, "%zu arrays counted, there are %zu", m->arrays.n, n);
    idmap_fini(&seen);
    return r;
}
