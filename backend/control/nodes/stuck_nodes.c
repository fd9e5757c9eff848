/* stuck_nodes.c - a node on which processes will not die, or whose disk is full, is drained, and taken back
 * when that is over.
 *
 * A supervisor that has killed for a minute says so (launch_status.stuck). What hangs in the kernel there,
 * on a dead file server most of the time, would hang the next job as well; the job itself keeps what it
 * holds and stays "completing".
 *
 * A node without room for what tasks write refuses every launch: undrained it would swallow the queue. What
 * it has refused goes back to the queue: node_avoid.c.
 *
 * A drain by an administrator is never touched.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define REASON "unkillable: "
#define FULL   NODE_SPOOL_FULL ": no room on its disk"
#define US     "stokerd"

static bool is_ours(const struct node *n, const char *reason)
{
    return n->drain && str_eq(n->drain_user, US) && n->drain_reason &&
           strncmp(n->drain_reason, reason, strlen(reason)) == 0;
}

/* reason is taken; NULL: the drain is over. */
static void drain(struct control *c, const char *node, char *reason)
{
    struct ev_drain body = {
        .node = xstrdup(node), .drain = reason != NULL, .reason = reason, .user = xstrdup(US)};
    ctl_emit(c, EV_DRAIN, 0, &body);
}

void ctl_note_stuck(struct control *c, const char *node, const struct launch_status *st, struct flight *f)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!st->stuck || f->stuck || !n)
        return;
    f->stuck = true;
    log_warn("node=%s job=%u step=%d task=%u its processes cannot be killed", node, st->key.job,
             st->key.step, st->key.task);
    if (!n->drain)
        drain(c, node, xasprintf(REASON "processes of job %u will not die", st->key.job));
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
    if (!n || !is_ours(n, REASON) || any_stuck(c, node))
        return;
    log_info("node=%s nothing that cannot be killed is left: taken back", node);
    drain(c, node, NULL);
}

void ctl_note_spool(struct control *c, const char *node, bool full)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || full == is_ours(n, FULL) || (full && n->drain))
        return;
    log_warn("node=%s %s", node,
             full ? "its disk is full: drained" : "there is room on its disk: taken back");
    drain(c, node, full ? xstrdup(FULL) : NULL);
}
