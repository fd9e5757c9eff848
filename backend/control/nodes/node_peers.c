/* node_peers.c - the controller's connections to its nodes: which there are, how each is reached, what a
 * lost one means. What they say is taken by node_reports.c, their long silence by lost_nodes.c.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define BEAT_MS       5000
#define FIRST_CALL_MS 15000 /* for many nodes to be called at a start */

struct node_link *ctl_node(struct control *c, const char *name)
{
    list_for_each (n, &c->nodes, struct node_link, link)
        if (str_eq(nodeconn_node(n->conn), name))
            return n;
    return NULL;
}

void ctl_set_node_state(struct control *c, const char *node, enum node_state state)
{
    const struct node *n = model_get_node(&c->model, node);
    if (!n || n->state == state)
        return;
    struct ev_node body = {.node = xstrdup(node), .state = state};
    ctl_emit(c, EV_NODE, 0, &body);
}

static void on_down(void *arg, struct nodeconn *conn, const char *why)
{
    struct node_link *link = arg;
    struct control *c = link->ctl;
    link->reconciled = false;
    vec_clear(&link->jobs_wait); /* its next report touches all */
    loop_timer_cancel(c->loop, &link->again);
    ctl_drop_relays(c, NULL, link);
    calls_drop(&link->calls);
    if (ctl_only_stops(c))
        return;
    if (nodeconn_may_log(conn))
        log_warn("node=%s lost its connection: %s", nodeconn_node(conn), why);
    ctl_set_node_state(c, nodeconn_node(conn), NODE_SUSPECT);
    ctl_lost_count(link, 0);
}

static void on_again(void *arg)
{
    struct node_link *link = arg;
    nodeconn_greet(link->conn);
}

/* A node that was never up is down; one that was keeps its state, which its jobs hang on. */
static void on_trouble(void *arg, struct nodeconn *conn, const char *text)
{
    struct node_link *link = arg;
    struct control *c = link->ctl;
    const struct node *n = model_get_node(&c->model, nodeconn_node(conn));
    if (!n || ctl_only_stops(c) || c->read_only || n->state == NODE_UP)
        return;
    struct ev_node body = {.node = xstrdup(n->spec.name),
                           .state = n->state == NODE_UNKNOWN ? (uint32_t)NODE_DOWN : n->state,
                           .trouble = xstrdup(text)};
    ctl_emit(c, EV_NODE, 0, &body);
}

static const struct nodeconn_ops ops = {.on_agent = ctl_take_report,
                                        .on_msg = ctl_take_node_msg,
                                        .on_down = on_down,
                                        .on_trouble = on_trouble,
                                        .on_drain = ctl_on_drain};

/* --- which nodes there are --- */

static void link_free(struct control *c, struct node_link *link)
{
    loop_timer_cancel(c->loop, &link->again);
    ctl_lost_found(link);
    ctl_drop_relays(c, NULL, link);
    calls_drop(&link->calls);
    nodeconn_free(link->conn);
    vec_fini(&link->jobs_wait);
    free(link->client_socket);
    free(link->bin_dir);
    list_unlink(&link->link);
    free(link);
}

/* Its agent has nothing more to do here; one that holds a task stays whatever it is told. A node without a
 * connection is not up: nothing may be placed there, and only another agent's answer makes it up again. */
static void link_leave(struct control *c, struct node_link *link)
{
    const struct node *n = model_get_node(&c->model, nodeconn_node(link->conn));
    nodeconn_send(link->conn, 0, MSG_AGENT_STOP, 0, NULL);
    link_free(c, link);
    if (n && !n->gone)
        ctl_set_node_state(c, n->spec.name, NODE_UNKNOWN);
}

/* What is borrowed from the state; valid until that changes. */
static struct msg_hello make_hello(struct control *c, const struct node *n)
{
    static char program[] = "stokerd";
    return (struct msg_hello){.version = PROTO_VERSION,
                              .program = program,
                              .cluster = c->model.uuid,
                              .epoch = c->model.epoch,
                              .incarnation = c->model.incarnation,
                              .node = n->spec.name,
                              .kill_wait_s = c->model.spec.kill_wait_s,
                              .spec = n->spec};
}

static bool is_ssh(const struct node *n)
{
    return str_eq(n->spec.transport, "ssh");
}

static void add_key(struct strv *keys, const char *dir, const char *name)
{
    char *file = xasprintf("%s/%s", dir, name);
    if (access(file, R_OK) == 0)
        strv_push(keys, file);
    free(file);
}

/* The controller's own key; where its user has keys of his own they may serve too. */
static struct strv find_keys(const struct control *c, const struct node_spec *spec)
{
    struct strv keys = {0};
    char *own = xasprintf("%s/ssh", c->state_dir);
    if (spec->identity) {
        strv_push(&keys, spec->identity);
    } else if (!c->model.spec.link_socket) { /* else it has its own, which we cannot read */
        const struct passwd *pw = getpwuid(geteuid());
        char *users = xasprintf("%s/.ssh", pw ? pw->pw_dir : "/");
        add_key(&keys, own, "id_ed25519");
        add_key(&keys, users, "id_ed25519");
        add_key(&keys, users, "id_ecdsa");
        add_key(&keys, users, "id_rsa");
        free(users);
        if (!keys.n)
            strv_push_take(&keys, xasprintf("%s/id_ed25519", own));
    }
    free(own);
    return keys;
}

static struct link_open make_target(const struct control *c, const struct node *n)
{
    const struct node_spec *s = &n->spec;
    const struct passwd *pw = s->ssh_user ? NULL : getpwuid(geteuid());
    return (struct link_open){
        .node = xstrdup(s->name),
        .address = xstrdup(s->address ? s->address : s->name),
        .port = s->port ? s->port : 22,
        .user = xstrdup(s->ssh_user ? s->ssh_user
                        : pw        ? pw->pw_name
                                    : "root"),
        .identities = find_keys(c, s),
        .known_hosts = s->known_hosts              ? xstrdup(s->known_hosts)
                       : c->model.spec.link_socket ? NULL
                                                   : xasprintf("%s/ssh/known_hosts", c->state_dir),
        .cluster = xstrdup(c->model.uuid),
    };
}

/* Tests cannot wait for fifteen seconds of silence. */
int64_t ctl_beat_ms(void)
{
    const char *s = getenv("STOKER_BEAT_MS");
    long ms = s ? strtol(s, NULL, 10) : 0;
    return ms >= 20 && ms < BEAT_MS ? ms : BEAT_MS;
}

static struct linkproc *get_links(struct control *c)
{
    if (!c->links) {
        char *log = xasprintf("%s/stoker-link.log", c->log_dir);
        c->links = linkproc_new(c->loop, log, c->model.spec.link_socket, ctl_beat_ms());
        free(log);
    }
    return c->links;
}

static void connect_node(struct control *c, const struct node *n)
{
    struct link_open to = {0};
    char *agents = xasprintf("%s/agent", c->state_dir), *dir = xasprintf("%s/%s", agents, n->spec.name);
    char *log = xasprintf("%s/agent-%s.log", c->log_dir, n->spec.name);
    struct msg_hello hello = make_hello(c, n);
    struct nodeconn_config cfg = {.dir = dir,
                                  .socket = n->spec.agent_socket,
                                  .log = log,
                                  .node = n->spec.name,
                                  .hello = &hello,
                                  .hello_gate = c->epoch_gate,
                                  .beat_ms = ctl_beat_ms()};
    struct node_link *link = xcalloc(1, sizeof *link);
    if (is_ssh(n)) {
        to = make_target(c, n);
        cfg.links = get_links(c);
        cfg.to = &to;
    } else if (!n->spec.agent_socket) {
        mkdir(agents, 0700);
        mkdir(dir, 0700);
    }
    link->ctl = c;
    ctl_init_calls(link);
    link->again = (struct loop_timer){.fn = on_again, .ctx = link};
    ctl_lost_init(link);
    link->conn = nodeconn_new(c->loop, &cfg, store_committed(c->store), &ops, link);
    ctl_lost_count(link, FIRST_CALL_MS); /* an earlier controller may have left jobs there */
    list_init(&link->link);
    list_append(&c->nodes, &link->link);
    rec_fini(&link_open_rec, &to);
    free(agents);
    free(dir);
    free(log);
}

/* One that is no longer configured is served until what it carries has ended. Its settings may be gone from
 * the state with the configuration that named it: then it is taken for a local one. A login node's agent
 * serves clients there; on this machine they have the controller itself. */
static bool is_ours(const struct node *n)
{
    if (n->gone)
        return n->n_jobs;
    return n->n_jobs || is_ssh(n) || !str_eq(n->spec.role, "login");
}

static void update_node(struct control *c, struct node_link *link, const struct node *n)
{
    struct msg_hello hello = make_hello(c, n);
    link->facts_due = nodeconn_set_hello(link->conn, &hello, c->epoch_gate) || link->facts_due;
    if (nodeconn_is_local(link->conn)) {
        nodeconn_set_socket(link->conn, n->spec.agent_socket);
        return;
    }
    struct link_open to = make_target(c, n);
    nodeconn_set_target(link->conn, &to);
    nodeconn_hurry(link->conn); /* a key, a line in known_hosts may have come with it */
    rec_fini(&link_open_rec, &to);
}

void ctl_connect_nodes(struct control *c)
{
    if (c->links)
        linkproc_set_socket(c->links, c->model.spec.link_socket);
    list_for_each (link, &c->nodes, struct node_link, link) {
        const struct node *n = model_get_node(&c->model, nodeconn_node(link->conn));
        bool kept = n && (is_ours(n) || n->n_jobs);
        link->leaving = !kept || n->gone || !is_ours(n) || (str_eq(n->spec.role, "login") && !is_ssh(n));
        link->left_gate = 0;
        if (!kept || (!n->gone && nodeconn_is_local(link->conn) == is_ssh(n)))
            link_leave(c, link); /* one that is reached in another way now is made anew below */
        else if (!n->gone)
            update_node(c, link, n);
    }
    for (size_t i = 0; i < c->model.n_nodes; i++) {
        const struct node *n = c->model.nodes[i];
        if (is_ours(n) && !ctl_node(c, n->spec.name)) {
            connect_node(c, n);
            ctl_node(c, n->spec.name)->leaving = n->gone;
        }
    }
}

/* The last word to a node that leaves is that its last end has been heard: it waits for the disk. */
void ctl_drop_left_nodes(struct control *c)
{
    list_for_each (link, &c->nodes, struct node_link, link) {
        if (!link->leaving)
            continue;
        const struct node *n = model_get_node(&c->model, nodeconn_node(link->conn));
        if (n && n->n_jobs) {
            link->left_gate = 0;
        } else if (!link->left_gate) {
            link->left_gate = ctl_gate(c) + 1;
        }
        if (link->left_gate && link->left_gate <= store_committed(c->store) + 1)
            link_leave(c, link);
    }
}

void ctl_free_nodes(struct control *c)
{
    list_for_each (link, &c->nodes, struct node_link, link)
        link_free(c, link);
    linkproc_free(c->links);
    c->links = NULL;
}

void ctl_update_util_watch(struct control *c)
{
    struct msg_flag m = {.on = false};
    list_for_each (s, &c->sessions, struct session, link)
        m.on = m.on || s->watch_util;
    list_for_each (link, &c->nodes, struct node_link, link)
        nodeconn_send(link->conn, 0, MSG_WATCH_UTIL, 0, &m);
}

/* An agent that holds a task stays whatever it is told. */
void ctl_stop_agents(struct control *c)
{
    list_for_each (link, &c->nodes, struct node_link, link)
        nodeconn_send(link->conn, 0, MSG_AGENT_STOP, 0, NULL);
}

bool ctl_is_configured(const struct control *c, const char *name)
{
    const struct node *n = model_get_node(&c->model, name);
    return n && !n->gone;
}
