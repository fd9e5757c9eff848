#include "backend/control/nodes/node_clients.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "backend/control/clients/sessions.h"
#include "backend/control/user_cache.h"
#include "backend/control/user_quota.h"
#include "src/base/log.h"
#include "src/base/utf8.h"
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

/* Why the client is refused; CAUSE_NONE: it is welcome. */
static void node_clients_check(struct control *c, const struct node *n, const struct msg_tunnel_open *m,
                               struct cause *why)
{
    const char *here = user_name(c->users, m->uid);
    if (m->user && !str_eq(m->user, here))
        *why = (struct cause){.code = CAUSE_OTHER_IDENTITY,
                              .n = m->uid,
                              .user = xstrdup(here),
                              .name = xstrdup(n->spec.name),
                              .text = xstrdup(utf8_is_clean_name(m->user, 100) ? m->user : "?")};
    else if (!node_clients_is_at_home(c, n, m->uid))
        *why = (struct cause){
            .code = CAUSE_NOT_ON_LOGIN_NODE, .user = xstrdup(here), .name = xstrdup(n->spec.name)};
}

static void node_clients_log(struct control *c, struct node_peer *peer, uint32_t uid,
                             const struct cause *refused)
{
    if (refused->code == CAUSE_NONE || !nodeconn_may_log(peer->conn) ||
        !user_quota_may_log(c, user_quota_get(c, uid)))
        return;
    char *text = cause_string(refused, NULL);
    log_warn("node=%s uid=%u refused: %s", nodeconn_node(peer->conn), uid, text);
    free(text);
}

static void node_clients_let_in(struct control *c, struct node_peer *peer, const struct msg_tunnel_open *m)
{
    const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
    int pair[2] = {-1, -1};
    struct cause refused = {0};
    bool may = n && node_clients_may_ask(c, peer, m->uid);
    if (may)
        node_clients_check(c, n, m, &refused);
    node_clients_log(c, peer, m->uid, &refused);
    if (!may || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
        nodeconn_send(peer->conn, 0, MSG_TUNNEL_END, 0, &(struct msg_tunnel_taken){.id = m->id});
        cause_clear(&refused);
        return;
    }
    stream_mux_add(&peer->clients, c->loop, m->id, m->uid, pair[0]);
    sessions_let_in(c, pair[1], &(struct ucred){.pid = (pid_t)m->pid, .uid = m->uid, .gid = m->gid},
                    n->spec.name, &refused);
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
