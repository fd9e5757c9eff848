#include "backend/control/nodes/node_peers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/control/emit.h"
#include "backend/control/lineage.h"
#include "backend/control/users/user_cache.h"
#include "src/model/fold/nodeevents.h"
#include "src/os/log.h"

struct node_peers {
    struct list all;
    struct ssh_process *ssh; /* NULL: no node is reached over SSH */
};

static struct node_peers *node_peers_of(const struct control *c)
{
    return c->state[MODULE_PEERS];
}

struct list *node_peers(struct control *c)
{
    return &node_peers_of(c)->all;
}

bool node_peers_only_stop(const struct control *c)
{
    return c->stopping == STOP_SOON;
}

struct node_peer *node_peer_find(struct control *c, const char *name)
{
    list_for_each (n, node_peers(c), struct node_peer, link)
        if (str_eq(nodeconn_node(n->conn), name))
            return n;
    return NULL;
}

bool node_is_configured(const struct control *c, const char *name)
{
    const struct node *n = model_get_node(&c->model, name);
    return n && !n->gone;
}

/* When its agent answered last. */
static struct wall node_peers_heard(struct control *c, const char *node)
{
    const struct node_peer *peer = node_peer_find(c, node);
    struct wall now = loop_wall(c->loop);
    if (!peer)
        return now;
    int64_t ago_ns = loop_now(c->loop).ns - nodeconn_t_heard(peer->conn).ns;
    return (struct wall){.ms = now.ms - ago_ns / NS_PER_MS};
}

void node_set_state(struct control *c, const char *node, enum node_state state)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || n->state == state)
        return;
    struct ev_node body = {.node = xstrdup(node), .state = state};
    if (state == NODE_SUSPECT && n->state == NODE_UP)
        body.t_heard = node_peers_heard(c, node);
    if (state == NODE_LOST && !nodeevents_is_away(n)) {
        body.news = NEWS_LOST;
        body.news_text = xstrdup(n->trouble);
    }
    ctl_emit(c, EV_NODE, 0, &body);
}

bool node_peer_must_wait(struct node_peer *peer, uint32_t job, size_t max)
{
    if (nodeconn_queued(peer->conn) < max)
        return false;
    if (!peer->jobs_wait.n || peer->jobs_wait.v[peer->jobs_wait.n - 1] != job)
        vec_push(&peer->jobs_wait, job);
    nodeconn_ask_drain(peer->conn);
    return true;
}

/* In the order in which the jobs came; a job that finds no room again waits behind the others. */
static void node_peers_on_drain(void *arg, struct nodeconn *conn)
{
    (void)conn;
    struct node_peer *peer = arg;
    vec_for_each (&peer->jobs_wait, i)
        ctl_touch(peer->ctl, peer->jobs_wait.v[i]);
    vec_clear(&peer->jobs_wait);
}

static void node_peers_on_agent(void *arg, struct nodeconn *conn, struct msg_agent *m)
{
    (void)conn;
    struct node_peer *peer = arg;
    peer->ctl->wiring.nodes->report(peer, m);
}

static int node_peers_on_msg(void *arg, struct nodeconn *conn, enum msg_kind kind, uint64_t tag, void *body)
{
    (void)conn;
    struct node_peer *peer = arg;
    return peer->ctl->wiring.nodes->message(peer, kind, tag, body);
}

static void node_peers_on_down(void *arg, struct nodeconn *conn, const char *why)
{
    struct node_peer *peer = arg;
    struct control *c = peer->ctl;
    peer->reconciled = peer->asks_again = false;
    vec_clear(&peer->jobs_wait); /* its next report touches all jobs */
    loop_timer_cancel(c->loop, &peer->again);
    modules_call(c, peer_down, c, peer);
    if (node_peers_only_stop(c))
        return;
    if (nodeconn_may_log(conn))
        log_warn("node=%s lost its connection: %s", nodeconn_node(conn), why);
    node_set_state(c, nodeconn_node(conn), NODE_SUSPECT);
}

static void node_peers_on_again(void *arg)
{
    struct node_peer *peer = arg;
    peer->asks_again = false;
    nodeconn_greet(peer->conn);
}

/* A node that was never up is down; a node that was up keeps its state, which its jobs depend on. */
static void node_peers_on_trouble(void *arg, struct nodeconn *conn, const char *text)
{
    struct node_peer *peer = arg;
    struct control *c = peer->ctl;
    const struct node *n = model_get_node(&c->model, nodeconn_node(conn));
    if (!n || node_peers_only_stop(c) || c->read_only || n->state == NODE_UP)
        return;
    struct ev_node body = {.node = xstrdup(n->spec.name),
                           .state = n->state == NODE_UNKNOWN ? (uint32_t)NODE_DOWN : n->state,
                           .trouble = xstrdup(text)};
    if (body.state == NODE_DOWN && !nodeevents_is_away(n)) {
        body.news = NEWS_LOST;
        body.news_text = xstrdup(text);
    }
    ctl_emit(c, EV_NODE, 0, &body);
}

static const struct nodeconn_ops node_peers_ops = {.on_agent = node_peers_on_agent,
                                                   .on_msg = node_peers_on_msg,
                                                   .on_down = node_peers_on_down,
                                                   .on_trouble = node_peers_on_trouble,
                                                   .on_drain = node_peers_on_drain};

static void node_peer_free(struct control *c, struct node_peer *peer)
{
    loop_timer_cancel(c->loop, &peer->again);
    modules_call(c, peer_removed, c, peer);
    nodeconn_free(peer->conn);
    vec_fini(&peer->jobs_wait);
    free(peer->client_socket);
    free(peer->bin_dir);
    list_unlink(&peer->link);
    free(peer);
}

/* The agent is told to end; one that holds a task stays. A node without a connection is not up: nothing may
 * be placed there, and only an agent's answer makes it up again. */
static void node_peer_leave(struct control *c, struct node_peer *peer)
{
    const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
    nodeconn_send(peer->conn, 0, MSG_AGENT_STOP, 0, NULL);
    node_peer_free(c, peer);
    if (n && !n->gone)
        node_set_state(c, n->spec.name, NODE_UNKNOWN);
}

/* Points into the state; valid until that changes. */
static struct msg_hello node_peer_hello(struct control *c, const struct node *n)
{
    static char program[] = "stokerd";
    return (struct msg_hello){.version = PROTO_VERSION,
                              .program = program,
                              .cluster = c->model.uuid,
                              .epoch = c->model.epoch,
                              .incarnation = c->model.incarnation,
                              .node = n->spec.name,
                              .kill_wait_s = c->model.spec.kill_wait_s,
                              .answers_held = true,
                              .spec = n->spec};
}

static bool node_peer_is_ssh(const struct node *n)
{
    return str_eq(n->spec.transport, "ssh");
}

static void node_peer_add_key(struct strv *keys, const char *dir, const char *name)
{
    char *file = xasprintf("%s/%s", dir, name);
    if (access(file, R_OK) == 0)
        strv_push(keys, file);
    free(file);
}

/* The controller's own key, and the keys of the user that it runs as. */
static struct strv node_peer_keys(const struct control *c, const struct node_spec *spec)
{
    struct strv keys = {0};
    char *own = xasprintf("%s/ssh", c->settings.state_dir);
    if (spec->identity) {
        strv_push(&keys, spec->identity);
    } else if (!c->model.spec.link_socket) { /* else stoker-link has its own, which we cannot read */
        char *users = xasprintf("%s/.ssh", user_cache_own_home(c->users));
        node_peer_add_key(&keys, own, "id_ed25519");
        node_peer_add_key(&keys, users, "id_ed25519");
        node_peer_add_key(&keys, users, "id_ecdsa");
        node_peer_add_key(&keys, users, "id_rsa");
        free(users);
        if (!keys.n)
            strv_push_take(&keys, xasprintf("%s/id_ed25519", own));
    }
    free(own);
    return keys;
}

static struct ssh_order node_peer_target(const struct control *c, const struct node *n)
{
    const struct node_spec *s = &n->spec;
    return (struct ssh_order){
        .node = xstrdup(s->name),
        .address = xstrdup(s->address ? s->address : s->name),
        .port = s->port ? s->port : 22,
        .user = xstrdup(s->ssh_user ? s->ssh_user : user_name(c->users, geteuid())),
        .identities = node_peer_keys(c, s),
        .known_hosts = s->known_hosts              ? xstrdup(s->known_hosts)
                       : c->model.spec.link_socket ? NULL
                                                   : xasprintf("%s/ssh/known_hosts", c->settings.state_dir),
        .cluster = xstrdup(c->model.uuid),
    };
}

static struct ssh_process *node_peers_ssh(struct control *c)
{
    if (!node_peers_of(c)->ssh) {
        char *log = xasprintf("%s/stoker-link.log", c->settings.log_dir);
        node_peers_of(c)->ssh =
            ssh_process_new(c->loop, log, c->model.spec.link_socket, c->settings.hooks.beat_ms);
        free(log);
    }
    return node_peers_of(c)->ssh;
}

static void node_peer_connect(struct control *c, const struct node *n)
{
    struct ssh_order to = {0};
    char *agents = xasprintf("%s/agent", c->settings.state_dir),
         *dir = xasprintf("%s/%s", agents, n->spec.name);
    char *log = xasprintf("%s/agent-%s.log", c->settings.log_dir, n->spec.name);
    struct msg_hello hello = node_peer_hello(c, n);
    struct nodeconn_config cfg = {.dir = dir,
                                  .socket = n->spec.agent_socket,
                                  .log = log,
                                  .node = n->spec.name,
                                  .hello = &hello,
                                  .hello_ticket = lineage_epoch_ticket(c),
                                  .beat_ms = c->settings.hooks.beat_ms};
    struct node_peer *peer = xcalloc(1, sizeof *peer);
    if (node_peer_is_ssh(n)) {
        to = node_peer_target(c, n);
        cfg.ssh = node_peers_ssh(c);
        cfg.to = &to;
    } else if (!n->spec.agent_socket) {
        mkdir(agents, 0700);
        mkdir(dir, 0700);
    }
    peer->ctl = c;
    peer->again = (struct loop_timer){.fn = node_peers_on_again, .ctx = peer};
    peer->conn = nodeconn_new(c->loop, &cfg, store_committed(c->store), &node_peers_ops, peer);
    list_init(&peer->link);
    list_append(node_peers(c), &peer->link);
    modules_call(c, peer_added, c, peer);
    rec_fini(&ssh_order_rec, &to);
    free(agents);
    free(dir);
    free(log);
}

/* A node that is no longer configured is served until its jobs have ended. Its settings may be gone with
 * the configuration that named it: then it counts as local. The agent of a login node serves clients there;
 * on this machine they reach the controller itself. */
static bool node_peer_is_ours(const struct node *n)
{
    if (n->gone)
        return n->n_jobs;
    return n->n_jobs || node_peer_is_ssh(n) || !str_eq(n->spec.role, "login");
}

static void node_peer_update(struct control *c, struct node_peer *peer, const struct node *n)
{
    struct msg_hello hello = node_peer_hello(c, n);
    peer->facts_due = nodeconn_set_hello(peer->conn, &hello, lineage_epoch_ticket(c)) || peer->facts_due;
    if (nodeconn_is_local(peer->conn)) {
        nodeconn_set_socket(peer->conn, n->spec.agent_socket);
        return;
    }
    struct ssh_order to = node_peer_target(c, n);
    nodeconn_set_target(peer->conn, &to);
    nodeconn_hurry(peer->conn); /* a key or a line in known_hosts may have been added */
    rec_fini(&ssh_order_rec, &to);
}

void node_peers_connect(struct control *c)
{
    if (node_peers_of(c)->ssh)
        ssh_process_set_socket(node_peers_of(c)->ssh, c->model.spec.link_socket);
    list_for_each (peer, node_peers(c), struct node_peer, link) {
        const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
        bool kept = n && (node_peer_is_ours(n) || n->n_jobs);
        peer->leaving = !kept || n->gone || !node_peer_is_ours(n) ||
                        (str_eq(n->spec.role, "login") && !node_peer_is_ssh(n));
        peer->left_ticket = 0;
        if (!kept || (!n->gone && nodeconn_is_local(peer->conn) == node_peer_is_ssh(n)))
            node_peer_leave(c,
                            peer); /* a node that is reached in another way now is connected again below */
        else if (!n->gone)
            node_peer_update(c, peer, n);
    }
    for (size_t i = 0; i < c->model.n_nodes; i++) {
        const struct node *n = c->model.nodes[i];
        if (node_peer_is_ours(n) && !node_peer_find(c, n->spec.name)) {
            node_peer_connect(c, n);
            node_peer_find(c, n->spec.name)->leaving = n->gone;
        }
    }
}

/* The last message to a node that leaves acknowledges its last end: it waits for the disk. */
void node_peers_drop_left(struct control *c)
{
    list_for_each (peer, node_peers(c), struct node_peer, link) {
        if (!peer->leaving)
            continue;
        const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
        if (n && n->n_jobs) {
            peer->left_ticket = 0;
        } else if (!peer->left_ticket) {
            peer->left_ticket = ctl_ticket(c) + 1;
        }
        if (peer->left_ticket && peer->left_ticket <= store_committed(c->store) + 1)
            node_peer_leave(c, peer);
    }
}

void node_peers_drop_all(struct control *c)
{
    list_for_each (peer, node_peers(c), struct node_peer, link)
        node_peer_free(c, peer);
    ssh_process_free(node_peers_of(c)->ssh);
    node_peers_of(c)->ssh = NULL;
}

void node_peers_stop_agents(struct control *c)
{
    list_for_each (peer, node_peers(c), struct node_peer, link)
        nodeconn_send(peer->conn, 0, MSG_AGENT_STOP, 0, NULL);
}

static void node_peers_start(struct control *c)
{
    struct node_peers *p = c->state[MODULE_PEERS] = xcalloc(1, sizeof *p);
    list_init(&p->all);
}

static void node_peers_stop(struct control *c)
{
    free(c->state[MODULE_PEERS]);
}

const struct module_ops node_peers_module = {.start = node_peers_start, .stop = node_peers_stop};
