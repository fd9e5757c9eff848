/* other_matches.c - matches among the jobs of other users. */
#include "ui/jobs/other_matches.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

#define SLICE    4000 /* jobs that are looked at between two inputs */
#define AGAIN_MS 2000 /* after a change of the model they are counted again, not more often than this */

void othermatches_fini(struct other_matches *o)
{
    free(o->filter);
    *o = (struct other_matches){0};
}

static const struct job *first_job(const struct joblist *l)
{
    list_for_each (j, &ui_model(l->cols.ui)->all, struct job, in_all)
        return j;
    return NULL;
}

static const struct job *job_behind(const struct joblist *l, const struct job *j)
{
    struct list *next = j->in_all.next;
    return next == &ui_model(l->cols.ui)->all ? NULL : container_of(next, struct job, in_all);
}

static void othermatches_begin(struct other_matches *o, const struct joblist *l)
{
    o->at = first_job(l);
    o->model = ui_model(l->cols.ui);
    o->seq = o->model->seq;
    o->n_jobs = ui_model(l->cols.ui)->jobs.n;
    o->found = 0;
}

void othermatches_sync(struct other_matches *o, struct joblist *l)
{
    bool old = ui_mono(l->cols.ui).ns - o->counted.ns > AGAIN_MS * NS_PER_MS,
         came = ui_model(l->cols.ui)->jobs.n > 2 * o->n_jobs; /* those of other users, which were missing */
    if (o->filter && (o->at || old || came))
        othermatches_begin(o, l);
}

static bool is_wanted(const struct joblist *l)
{
    return l->mine && table_is_filtered(&l->table) && !filter_wrong(&l->table.filter);
}

bool othermatches_work(struct other_matches *o, struct joblist *l, bool *ret_done)
{
    uint32_t before = o->n;
    *ret_done = false;
    if (!is_wanted(l)) {
        *ret_done = o->n > 0;
        othermatches_fini(o);
        return false;
    }
    if (l->table.matching) /* what is shown comes first */
        return true;
    if (!str_eq(o->filter, l->table.edit.text.s)) {
        xstrset(&o->filter, l->table.edit.text.s);
        o->n = 0;
        othermatches_begin(o, l);
    }
    const struct model *m = ui_model(l->cols.ui);
    if (o->at && (o->model != m || o->seq != m->seq)) /* it may have gone, or all of them have */
        othermatches_begin(o, l);
    if (!o->at)
        return false;
    for (int i = 0; o->at && i < SLICE; i++) {
        const struct jobs_row row = {.cols.shown = o->at};
        if (o->at->uid != ui_uid(l->cols.ui) && table_row_passes(&l->table, &row))
            o->found++;
        o->at = job_behind(l, o->at);
    }
    if (o->at)
        return true;
    o->n = o->found;
    o->counted = ui_mono(l->cols.ui);
    *ret_done = o->n != before;
    return false;
}
