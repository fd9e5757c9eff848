/* stuck.c - a node on which processes will not die is drained, and taken back when they have.
 *
 * A supervisor that has killed for a minute says so (launch_status.stuck). What hangs in the kernel there,
 * on a dead file server most of the time, would hang the next job as well; the job itself keeps what it
 * holds and stays "completing". A drain by an administrator is never touched.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define REASON "unkillable: "

static bool is_ours(const struct node *n)
{
    return n->drain && str_eq(n->drain_user, "stokerd") && n->drain_reason &&
           strncmp(n->drain_reason, REASON, strlen(REASON)) == 0;
}

void ctl_note_stuck(struct control *c, const char *node, const struct launch_status *st, struct flight *f)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!st->stuck || f->stuck || !n)
        return;
    f->stuck = true;
    log_warn("node=%s job=%u step=%d task=%u its processes cannot be killed", node, st->key.job,
             st->key.step, st->key.task);
    if (n->drain)
        return;
    struct ev_drain body = {.node = xstrdup(node),
                            .drain = true,
                            .reason = xasprintf(REASON "processes of job %u will not die", st->key.job),
                            .user = xstrdup("stokerd")};
    ctl_emit(c, EV_DRAIN, 0, &body);
}

static bool any_stuck(struct control *c, const char *node)
{
    list_for_each (j, &c->model.active, struct job, in_queue)
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                if (t->state != TASK_DONE && t->attempt && str_eq(t->alloc.node, node) &&
                    ctl_flight(c, j, &j->steps.v[i], t)->stuck)
                    return true;
            }
    return false;
}

void ctl_stuck_over(struct control *c, const char *node)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || !is_ours(n) || any_stuck(c, node))
        return;
    log_info("node=%s nothing that cannot be killed is left: taken back", node);
    struct ev_drain body = {.node = xstrdup(node), .user = xstrdup("stokerd")};
    ctl_emit(c, EV_DRAIN, 0, &body);
}
