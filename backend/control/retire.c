/* retire.c - jobs that ended long ago leave the state for the history. */
#include "backend/control/private.h"

#define RETIRE_MS    5000
#define ENDED_MAX    200000u /* beyond that the oldest go earlier */
#define RETIRE_BATCH 5000    /* in one turn */

/* An array's record holds the payload of its elements: it goes last. */
static bool is_needed(const struct control *c, const struct job *j)
{
    if (j->array_job != j->id)
        return false;
    list_for_each (other, &c->model.all, struct job, in_all)
        if (other != j && other->array_job == j->id)
            return true;
    return false;
}

void ctl_retire(void *ctx)
{
    struct control *c = ctx;
    struct wall now = loop_wall(c->loop);
    int64_t age_ms = (int64_t)c->model.spec.min_job_age_s * MS_PER_S;
    int n = 0;
    list_for_each (j, &c->model.ended, struct job, in_queue) {
        int64_t since_ms = wall_is_set(j->t_settled) ? j->t_settled.ms : j->t_end.ms;
        bool old = since_ms + age_ms <= now.ms;
        if ((!old && c->model.n_ended <= ENDED_MAX) || n >= RETIRE_BATCH || c->read_only)
            break;
        if (is_needed(c, j))
            continue;
        ctl_drop_timer(c, j->id);
        payload_cache_drop(c->payloads, j->id, STEP_BATCH);
        struct ev_none body = {0};
        n += ctl_emit(c, EV_RETIRE, j->id, &body) == 0;
    }
    loop_timer_set(c->loop, &c->retire, n >= RETIRE_BATCH ? 0 : RETIRE_MS);
}
