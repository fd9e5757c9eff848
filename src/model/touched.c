/* touched.c - which jobs an event changes. */
#include "src/model/touched.h"

#include "src/model/model.h"

/* An array has one throttle: all of its jobs that wait get another one together. */
static void each_of_throttle(const struct model *m, const struct job *j, event_touched_fn *fn, void *ctx)
{
    fn(ctx, j->array_job);
    list_for_each (e, &m->pending, struct job, in_queue)
        if (e->array_job == j->array_job)
            fn(ctx, e->id);
}

void event_each_touched(const struct model *m, const struct event *ev, event_touched_fn *fn, void *ctx)
{
    const struct job *j = ev->job ? model_get_job(m, ev->job) : NULL;
    uint32_t element = 0;
    if (ev->job)
        fn(ctx, ev->job);
    if (ev->kind == EV_START)
        element = ((const struct ev_start *)ev->body)->new_id;
    else if (ev->kind == EV_SPLIT)
        element = ((const struct ev_split *)ev->body)->new_id;
    else if (ev->kind == EV_RETIRE && j)
        element = j->array_job; /* its record counts those that have left */
    if (element)
        fn(ctx, element);
    if (ev->kind == EV_UPDATE && j && j->array_job &&
        j->req.array_throttle != ((const struct ev_update *)ev->body)->req.array_throttle)
        each_of_throttle(m, j, fn, ctx);
}
