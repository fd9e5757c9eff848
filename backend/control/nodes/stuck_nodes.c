#include "backend/control/nodes/stuck_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/attempt_state.h"
#include "src/os/log.h"

#define REASON "unkillable: "
#define FULL   NODE_SPOOL_FULL ": no room on its disk"
#define US     "stokerd"

static bool stuck_nodes_is_our_drain(const struct node *n, const char *reason)
{
    return n->drain && str_eq(n->drain_user, US) && n->drain_reason &&
           strncmp(n->drain_reason, reason, strlen(reason)) == 0;
}

/* reason is taken; NULL: the drain is over. */
static void stuck_nodes_drain(struct control *c, const char *node, char *reason)
{
    struct ev_drain body = {
        .node = xstrdup(node), .drain = reason != NULL, .reason = reason, .user = xstrdup(US)};
    ctl_emit(c, EV_DRAIN, 0, &body);
}

void stuck_nodes_note(struct control *c, const char *node, const struct launch_status *st,
                      struct attempt_state *f)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!st->stuck || f->stuck || !n)
        return;
    f->stuck = true;
    log_warn("node=%s job=%u step=%d task=%u its processes cannot be killed", node, st->key.job,
             st->key.step, st->key.task);
    if (!n->drain)
        stuck_nodes_drain(c, node, xasprintf(REASON "processes of job %u will not die", st->key.job));
}

static bool stuck_nodes_any(struct control *c, const char *node)
{
    list_for_each (j, &c->model.active, struct job, in_queue)
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                if (t->state != TASK_DONE && t->attempt && str_eq(t->alloc.node, node) &&
                    attempt_state_get(c, j, &j->steps.v[i], t)->stuck)
                    return true;
            }
    return false;
}

void stuck_nodes_check_over(struct control *c, const char *node)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || !stuck_nodes_is_our_drain(n, REASON) || stuck_nodes_any(c, node))
        return;
    log_info("node=%s no unkillable processes left, resuming node", node);
    stuck_nodes_drain(c, node, NULL);
}

void stuck_nodes_note_disk(struct control *c, const char *node, bool full)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || full == stuck_nodes_is_our_drain(n, FULL) || (full && n->drain))
        return;
    log_warn("node=%s %s", node, full ? "its disk is full: drained" : "there is room on its disk: resumed");
    stuck_nodes_drain(c, node, full ? xstrdup(FULL) : NULL);
}
