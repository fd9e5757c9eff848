#include "backend/control/nodes/util_watch.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/clients/privacy.h"
#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "src/base/idmap.h"

#define PAST_MAX (8u << 20) /* bytes on their way to a client: earlier measurements come all at once */

struct util_watcher {
    struct list link;
    struct session *session;
    uint64_t tag;
    uint32_t job; /* 0: all nodes */
};

static struct list *util_watchers(const struct control *c)
{
    return c->state[MODULE_UTIL_WATCH];
}

static struct util_watcher *util_watch_find(struct control *c, const struct session *s)
{
    list_for_each (w, util_watchers(c), struct util_watcher, link)
        if (w->session == s)
            return w;
    return NULL;
}

/* --- which nodes measure --- */

static uint64_t util_watch_id(const char *node)
{
    return hash_bytes(node, strlen(node));
}

static void util_watch_add_node(struct idmap *nodes, const char *node)
{
    if (node)
        idmap_set(nodes, util_watch_id(node), nodes);
}

/* Those where something of the job runs. */
static void util_watch_add_job(const struct job *j, struct idmap *nodes)
{
    if (!j || j->state == JOB_PENDING || job_state_is_final((enum job_state)j->state))
        return;
    for (size_t i = 0; i < j->alloc.n; i++)
        util_watch_add_node(nodes, j->alloc.v[i].node);
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (j->steps.v[i].tasks.v[k].state != TASK_DONE)
                util_watch_add_node(nodes, j->steps.v[i].tasks.v[k].alloc.node);
}

void util_watch_tell_nodes(struct control *c)
{
    struct idmap nodes = {0};
    bool all = false;
    list_for_each (w, util_watchers(c), struct util_watcher, link) {
        all |= !w->job;
        if (w->job)
            util_watch_add_job(model_get_job(&c->model, w->job), &nodes);
    }
    list_for_each (peer, node_peers(c), struct node_peer, link) {
        bool on = all || idmap_get(&nodes, util_watch_id(nodeconn_node(peer->conn)));
        if (on != peer->measures && nodeconn_is_up(peer->conn)) {
            nodeconn_send(peer->conn, 0, MSG_WATCH_UTIL, 0, &(struct msg_watch_util){.on = on});
            peer->measures = on;
        }
    }
    idmap_fini(&nodes);
}

/* Its connection is over: the next one begins with nothing watched. */
static void util_watch_peer_down(struct control *c, struct node_peer *peer)
{
    (void)c;
    peer->measures = false;
}

/* A watched job may have got or left a node. */
static void util_watch_after(struct control *c, const struct emission *e)
{
    bool watched = false;
    list_for_each (w, util_watchers(c), struct util_watcher, link)
        watched |= w->job && w->job == e->ev->job;
    if (watched)
        util_watch_tell_nodes(c);
}

/* --- clients --- */

static void util_watch_end(struct control *c, struct session *s)
{
    struct util_watcher *w = util_watch_find(c, s);
    if (!w)
        return;
    list_unlink(&w->link);
    free(w);
    util_watch_tell_nodes(c);
}

void req_watch_util(struct session *s, uint64_t tag, void *body)
{
    const struct msg_watch_util *m = body;
    struct control *c = s->ctl;
    struct util_watcher *w = util_watch_find(c, s);
    if (!m->on) {
        util_watch_end(c, s);
        return;
    }
    if (!w) {
        w = xcalloc(1, sizeof *w);
        w->session = s;
        list_init(&w->link);
        list_append(util_watchers(c), &w->link);
    }
    w->tag = tag;
    w->job = m->job;
    util_watch_tell_nodes(c);
}

/* What u says of the job's tasks; nothing where the job has nothing on that node. */
/* Of all jobs on the node: those that the session may see. */
static void util_watch_push_all(const struct control *c, const struct util_watcher *w,
                                const struct msg_util *u)
{
    uint32_t hidden = privacy_of(w->session);
    struct msg_util part = *u;
    if (hidden & PRIVATE_NODES)
        return;
    if (!(hidden & PRIVATE_JOBS)) {
        conn_send(w->session->conn, 0, MSG_UTIL, w->tag, u);
        return;
    }
    part.tasks.v = xcalloc(u->tasks.n + 1, sizeof *part.tasks.v);
    part.tasks.n = 0;
    for (size_t i = 0; i < u->tasks.n; i++) {
        const struct job *j = model_get_job(&c->model, u->tasks.v[i].key.job);
        if (j && !privacy_hides_job(w->session, j))
            part.tasks.v[part.tasks.n++] = u->tasks.v[i];
    }
    conn_send(w->session->conn, 0, MSG_UTIL, w->tag, &part);
    free(part.tasks.v);
}

static void util_watch_push_job(const struct control *c, const struct util_watcher *w,
                                const struct msg_util *u)
{
    struct idmap nodes = {0};
    const struct job *j = model_get_job(&c->model, w->job);
    if (j && privacy_hides_job(w->session, j))
        return;
    util_watch_add_job(j, &nodes);
    bool there = idmap_get(&nodes, util_watch_id(u->node));
    idmap_fini(&nodes);
    if (!there)
        return;
    struct msg_util part = *u;
    part.tasks.v = xcalloc(u->tasks.n + 1, sizeof *part.tasks.v);
    part.tasks.n = 0;
    for (size_t i = 0; i < u->tasks.n; i++)
        if (u->tasks.v[i].key.job == w->job)
            part.tasks.v[part.tasks.n++] = u->tasks.v[i];
    conn_send(w->session->conn, 0, MSG_UTIL, w->tag, &part);
    free(part.tasks.v);
}

void util_watch_push(struct control *c, const struct msg_util *u)
{
    size_t most = u->age_ms ? PAST_MAX : CONN_LOW;
    list_for_each (w, util_watchers(c), struct util_watcher, link) {
        if (conn_queued(w->session->conn) >= most)
            continue;
        if (w->job)
            util_watch_push_job(c, w, u);
        else
            util_watch_push_all(c, w, u);
    }
}

static void util_watch_start(struct control *c)
{
    struct list *all = c->state[MODULE_UTIL_WATCH] = xcalloc(1, sizeof *all);
    list_init(all);
}

static void util_watch_stop(struct control *c)
{
    free(c->state[MODULE_UTIL_WATCH]);
}

const struct module_ops util_watch_module = {.start = util_watch_start,
                                             .stop = util_watch_stop,
                                             .after = util_watch_after,
                                             .loaded = util_watch_tell_nodes,
                                             .peer_down = util_watch_peer_down,
                                             .session_closed = util_watch_end};
