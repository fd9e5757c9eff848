#include "backend/agent/spool/sweep.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/controller_id.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/task_end.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define SWEEP_MS     50
#define SWEEP_MAX_MS 1000
#define STUCK_ROUNDS 75 /* about a minute */

struct sweep {
    struct agent *a;
    struct loop_timer timer;
};

#define LOST_TEXT "its supervisor was lost; what it left was killed"

static void sweep_give_up(struct atask *t)
{
    struct launch_end end = {.key = t->st.key,
                             .end_kind = END_UNKNOWN,
                             .t_start = t->st.t_start,
                             .t_end = loop_wall(t->a->loop),
                             .message = xstrdup(LOST_TEXT)};
    task_end_record(t, &end);
    task_ended(t, &end);
}

static uint64_t sweep_kill(struct sweep *sw, const struct atask *t)
{
    struct rights_request q = {
        .kind = RIGHTS_SWEEP, .key = t->st.key, .uid = t->uid, .flag = t->gpus_known};
    snprintf(q.cluster, sizeof q.cluster, "%s", t->cluster ? t->cluster : sw->a->controller->cluster);
    return rights_ask_number(sw->a->rights, &q);
}

static void sweep_fire(void *ctx)
{
    struct sweep *sw = ctx;
    struct agent *a = sw->a;
    struct list *lost = &a->tasks->lost;
    list_for_each (t, lost, struct atask, in_lost) {
        containment_kill(a->containment, t); /* also what has left its session and its environment */
        uint64_t n = sweep_kill(sw, t);
        if (!n)
            sweep_give_up(t);
        else if (++t->lost_rounds == STUCK_ROUNDS) {
            log_error("task=%s %llu processes cannot be killed", t->name, (unsigned long long)n);
            t->st.stuck = true;
            uplink_send(&a->uplink, MSG_TASK_RUNNING, 0, &t->st);
        }
    }
    if (!list_empty(lost)) {
        const struct atask *first = list_first(lost, struct atask, in_lost);
        loop_timer_set(a->loop, &sw->timer, first->lost_rounds < 10 ? SWEEP_MS : SWEEP_MAX_MS);
    }
}

struct sweep *sweep_new(struct agent *a)
{
    struct sweep *sw = xcalloc(1, sizeof *sw);
    *sw = (struct sweep){.a = a, .timer = {.fn = sweep_fire, .ctx = sw}};
    return sw;
}

void sweep_free(struct sweep *sw)
{
    if (sw)
        loop_timer_cancel(sw->a->loop, &sw->timer);
    free(sw);
}

void sweep_add(struct sweep *sw, struct atask *t)
{
    log_warn("task=%s its supervisor was lost, killing what it left", t->name);
    list_move_to_end(&sw->a->tasks->lost, &t->in_lost);
    loop_timer_set(sw->a->loop, &sw->timer, 0);
}
