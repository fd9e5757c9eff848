/* node_clients.c - clients on nodes: their streams come in pieces over the node's connection and become
 * sessions like those of this machine's socket.
 *
 * A node's word about who calls counts for users who have something running there, and for everybody on a
 * login node, where the name that the uid has there is the one that it has here; root of a node is no
 * administrator here.
 */
#include <stdlib.h>
#include <sys/socket.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/base/utf8.h"

#define CALLS_MAX  128         /* of one node */
#define QUEUED_MAX (48u << 20) /* bytes; below what ends a connection */

/* Over a connection that still takes something: one that is given up takes its calls with it, and must not
 * be found so in here. */
static bool say(void *ctx, enum msg_kind kind, const void *body)
{
    struct node_link *link = ctx;
    if (nodeconn_queued(link->conn) >= QUEUED_MAX)
        return false;
    nodeconn_send(link->conn, 0, kind, 0, body);
    return true;
}

void ctl_init_calls(struct node_link *link)
{
    calls_init(&link->calls, say, link);
}

/* Has something there, running or waiting for its end. */
static bool is_at_home(struct control *c, const struct node *n, uint32_t uid)
{
    if (str_eq(n->spec.role, "login"))
        return true;
    list_for_each (j, &c->model.active, struct job, in_queue) {
        if (j->uid != uid)
            continue;
        for (size_t i = 0; i < j->alloc.n; i++)
            if (str_eq(j->alloc.v[i].node, n->spec.name))
                return true;
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t t = 0; t < j->steps.v[i].tasks.n; t++)
                if (str_eq(j->steps.v[i].tasks.v[t].alloc.node, n->spec.name))
                    return true;
    }
    return false;
}

/* Why who calls is told nothing, caller frees; NULL: he is welcome. */
static char *shut_out(struct control *c, const struct node *n, const struct msg_call *m)
{
    const char *here = user_name(c->users, m->uid);
    if (m->user && !str_eq(m->user, here))
        return xasprintf("identity mismatch: uid %u is %.100s on %s and %s at the controller", m->uid,
                         utf8_is_clean_name(m->user, 100) ? m->user : "?", n->spec.name, here);
    if (!is_at_home(c, n, m->uid))
        return xasprintf("%s has nothing running on %s, which is no login node", here, n->spec.name);
    return NULL;
}

static void take_call(struct control *c, struct node_link *link, const struct msg_call *m)
{
    const struct node *n = model_get_node(&c->model, nodeconn_node(link->conn));
    int pair[2] = {-1, -1};
    char *refused = n ? shut_out(c, n, m) : NULL;
    if (refused && ctl_may_log(c, ctl_party(c, m->uid)))
        log_warn("node=%s uid=%u refused: %s", nodeconn_node(link->conn), m->uid, refused);
    if (!n || link->calls.n >= CALLS_MAX ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
        nodeconn_send(link->conn, 0, MSG_CALL_END, 0, &(struct msg_call_taken){.id = m->id});
        free(refused);
        return;
    }
    calls_add(&link->calls, c->loop, m->id, m->uid, pair[0]);
    ctl_let_in(c, pair[1], &(struct ucred){.pid = (pid_t)m->pid, .uid = m->uid, .gid = m->gid}, true,
               refused);
}

int ctl_take_call(struct control *c, struct node_link *link, enum msg_kind kind, const void *body)
{
    if (kind != MSG_CALL)
        return calls_take(&link->calls, kind, body);
    take_call(c, link, body);
    return 0;
}
