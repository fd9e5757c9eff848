#include "backend/control/nodes/util_watch.h"

#include <stdlib.h>

#include "backend/control/clients/session.h"
#include "backend/control/nodes/node_peers.h"

struct util_watcher {
    struct list link;
    struct session *session;
    uint64_t tag;
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

void util_watch_tell_nodes(struct control *c)
{
    struct msg_flag m = {.on = !list_empty(util_watchers(c))};
    list_for_each (peer, node_peers(c), struct node_peer, link)
        nodeconn_send(peer->conn, 0, MSG_WATCH_UTIL, 0, &m);
}

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
    const struct msg_flag *m = body;
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
    util_watch_tell_nodes(c);
}

void util_watch_push(struct control *c, const struct msg_util *u)
{
    list_for_each (w, util_watchers(c), struct util_watcher, link)
        if (conn_queued(w->session->conn) < CONN_LOW)
            conn_send(w->session->conn, 0, MSG_UTIL, w->tag, u);
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

const struct module_ops util_watch_module = {
    .start = util_watch_start, .stop = util_watch_stop, .session_closed = util_watch_end};
