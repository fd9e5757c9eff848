#include "backend/control/nodes/node_clients.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "backend/control/clients/sessions.h"
#include "backend/control/users/user_cache.h"
#include "backend/control/users/user_quota.h"
#include "src/base/utf8.h"
#include "src/os/log.h"
#include "src/text/cause_text.h"

#define CLIENTS_MAX 128         /* of one node */
#define QUEUED_MAX  (48u << 20) /* bytes; below what ends a connection */

/* Only while the connection has room: a connection that is given up closes its clients, which must not
 * happen in here. */
static bool node_clients_say(void *ctx, enum msg_kind kind, const void *body)
{
    struct node_peer *peer = ctx;
    if (nodeconn_queued(peer->conn) >= QUEUED_MAX)
        return false;
    nodeconn_send(peer->conn, 0, kind, 0, body);
    return true;
}

/* Whether the user has something there, running or ending. */
static bool node_clients_is_at_home(struct control *c, const struct node *n, uint32_t uid)
{
    if (str_eq(n->spec.role, "login"))
        return true;
    list_for_each (j, &c->model.active, struct job, in_queue) {
        if (j->uid != uid)
            continue;
        if (job_alloc_on(j, n->spec.name))
            return true;
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t t = 0; t < j->steps.v[i].tasks.n; t++)
                if (str_eq(j->steps.v[i].tasks.v[t].alloc.node, n->spec.name))
                    return true;
    }
    return false;
}

/* A node that was broken into may name any user, as often as it likes: where it has no room for one more
 * client, or its look-ups are used up, the stream ends without a word. */
static bool node_clients_may_ask(struct control *c, struct node_peer *peer, uint32_t uid)
{
    return peer->clients.n < CLIENTS_MAX &&
           (user_is_known(c->users, uid) || node_budget_lookup(&peer->budget, loop_now(c->loop)));
}

static void node_clients_log(struct control *c, const struct ucred *cred, const char *node,
                             const struct cause *refused)
{
    const struct node_peer *peer = node_peer_find(c, node);
    if (refused->code == CAUSE_NONE || !peer || !nodeconn_may_log(peer->conn) ||
        !user_quota_may_log(c, user_quota_get(c, cred->uid)))
        return;
    char *text = cause_string(refused, NULL);
    log_warn("node=%s uid=%u refused: %s", node, cred->uid, text);
    free(text);
}

/* The name service has said who the user is here. */
static void node_clients_vet(struct control *c, const struct ucred *cred, const struct session_origin *from,
                             struct cause *ret_refused)
{
    const struct node *n = model_get_node(&c->model, from->node);
    const char *here = user_name(c->users, cred->uid);
    if (from->user && !str_eq(from->user, here))
        *ret_refused =
            (struct cause){.code = CAUSE_OTHER_IDENTITY,
                           .n = cred->uid,
                           .user = xstrdup(here),
                           .name = xstrdup(from->node),
                           .text = xstrdup(utf8_is_clean_name(from->user, 100) ? from->user : "?")};
    else if (!n || !node_clients_is_at_home(c, n, cred->uid))
        *ret_refused = (struct cause){
            .code = CAUSE_NOT_ON_LOGIN_NODE, .user = xstrdup(here), .name = xstrdup(from->node)};
    node_clients_log(c, cred, from->node, ret_refused);
}

static void node_clients_let_in(struct control *c, struct node_peer *peer, const struct msg_tunnel_open *m)
{
    const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
    int pair[2] = {-1, -1};
    bool may = n && node_clients_may_ask(c, peer, m->uid);
    if (!may || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
        nodeconn_send(peer->conn, 0, MSG_TUNNEL_END, 0, &(struct msg_tunnel_taken){.id = m->id});
        return;
    }
    stream_mux_add(&peer->clients, c->loop, m->id, m->uid, pair[0]);
    sessions_let_in(
        c, pair[1], &(struct ucred){.pid = (pid_t)m->pid, .uid = m->uid, .gid = m->gid},
        &(struct session_origin){.node = n->spec.name, .user = m->user, .vet = node_clients_vet});
}

int node_clients_take(struct control *c, struct node_peer *peer, enum msg_kind kind, const void *body)
{
    if (kind != MSG_TUNNEL_OPEN)
        return stream_mux_take(&peer->clients, kind, body);
    node_clients_let_in(c, peer, body);
    return 0;
}

static void node_clients_peer_added(struct control *c, struct node_peer *peer)
{
    (void)c;
    stream_mux_init(&peer->clients, node_clients_say, peer);
}

static void node_clients_drop(struct control *c, struct node_peer *peer)
{
    (void)c;
    stream_mux_drop(&peer->clients);
}

const struct module_ops node_clients_module = {.peer_added = node_clients_peer_added,
                                               .peer_down = node_clients_drop,
                                               .peer_removed = node_clients_drop};
