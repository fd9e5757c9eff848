/* past.c - jobs that have left the controller's state: asked for once when somebody wants to see them, and
 * kept up by taking along what leaves the mirror from then on. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/app/private.h"

#define PAST_ROWS 2000 /* asked for, newest ends first */
#define PAST_MAX  6000 /* kept */

void past_fini(struct past *p)
{
    vec_for_each (&p->jobs, i)
        job_free(p->jobs.v[i]);
    vec_fini(&p->jobs);
    idmap_fini(&p->by_id);
    *p = (struct past){0};
}

static void drop_oldest(struct past *p)
{
    struct job *j = p->jobs.v[0];
    idmap_remove(&p->by_id, j->id);
    job_free(j);
    vec_remove(&p->jobs, 0);
}

static void take(struct past *p, struct job *take_j)
{
    if (idmap_get(&p->by_id, take_j->id)) {
        job_free(take_j);
        return;
    }
    if (p->jobs.n >= PAST_MAX)
        drop_oldest(p);
    idmap_set(&p->by_id, take_j->id, take_j);
    vec_push(&p->jobs, take_j);
}

static struct job *copy_of(const struct job *j)
{
    struct job *copy = job_new();
    rec_fini(&job_rec, copy);
    rec_copy(&job_rec, copy, j);
    return copy;
}

void past_keep(struct ui *a, const struct job *j)
{
    if (a->past.asked)
        take(&a->past, copy_of(j));
}

static void answered(struct ui *a, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    (void)arg;
    if (in && in->kind == MSG_JOBS) {
        const struct msg_jobs *rows = in->body;
        for (size_t i = 0; i < rows->rows.n; i++)
            take(&a->past, copy_of(&rows->rows.v[i]));
    } else {
        a->past.asking = false;
        if (!in)
            a->past.asked = false; /* asked again when the connection is back */
    }
    app_changed(a);
}

void ui_want_past(struct ui *a)
{
    struct msg_history ask = {.newest = true, .limit = PAST_ROWS};
    if (a->past.asked || !a->online)
        return;
    a->past.asked = true;
    a->past.asking = ui_send(a, MSG_HISTORY, &ask, NULL, answered, 0);
}

bool ui_past_is_coming(const struct ui *a)
{
    return a->past.asking;
}

size_t ui_past(const struct ui *a, struct job *const **ret)
{
    *ret = a->past.jobs.v;
    return a->past.jobs.n;
}

const struct job *ui_job(const struct ui *a, uint32_t id)
{
    const struct job *j = model_get_job(a->m, id);
    return j ? j : idmap_get(&a->past.by_id, id);
}
