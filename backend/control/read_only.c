#include "backend/control/read_only.h"

#include <stdlib.h>

#include "backend/control/clients/sessions.h"
#include "backend/control/lineage.h"
#include "backend/control/nodes/node_avoid.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/shortage.h"
#include "backend/control/state_load.h"
#include "src/os/log.h"
#include "src/text/cause_text.h"

#define PROBE_MS 1000

struct read_only {
    struct loop_timer probe; /* tries again */
};

static void read_only_tell(void *ctx, struct conn *conn, enum msg_kind kind, uint64_t tag)
{
    struct control *c = ctx;
    if (kind == MSG_EVENT || kind == MSG_REASONS || kind == MSG_JOBS || kind == MSG_NODES ||
        kind == MSG_SPEC || kind == MSG_TOTALS)
        return;
    struct msg_result r = {.refusal = REFUSAL_READ_ONLY,
                           .cause = {.code = CAUSE_NOT_COMMITTED, .text = xstrdup(c->read_only)}};
    r.text = cause_string(&r.cause, NULL); /* which causes the client knows is not known here */
    conn_send(conn, 0, MSG_RESULT, tag, &r);
    rec_fini(&msg_result_rec, &r);
}

static void read_only_leave(struct control *c)
{
    log_info("the state can be written again");
    free(c->read_only);
    c->read_only = NULL;
    if (lineage_epoch_ticket(c)) /* the first batch of all was void: no node knows its epoch yet */
        state_take_over(c, false);
    state_doubt_nodes(c); /* what was read back may say "up" of a node that went down meanwhile */
    node_avoid_expire(c);
    node_peers_connect(c); /* a change of the configuration may have been undone */
    list_for_each (peer, node_peers(c), struct node_peer, link)
        nodeconn_reset(peer->conn, store_committed(c->store), "asking for its report");
    state_touch_active(c);
}

static void read_only_probe_later(struct control *c)
{
    struct read_only *r = c->state[MODULE_READ_ONLY];
    loop_timer_set(c->loop, &r->probe, PROBE_MS);
}

static void read_only_on_probe(void *ctx)
{
    struct control *c = ctx;
    struct errtext err;
    if (store_probe(c->store, &err) == 0)
        read_only_leave(c);
    else
        read_only_probe_later(c);
}

void read_only_enter(struct control *c, const char *why)
{
    if (c->read_only)
        return;
    log_error("cannot write the state: %s; read-only until it can be written", why);
    shortage_give_up_reserve(c);
    c->read_only = xasprintf("the state cannot be written (%s)", why);
    store_reset(c->store);
    uint64_t ticket = store_committed(c->store);
    list_for_each (s, sessions(c), struct session, link) {
        conn_drop_uncommitted(s->conn, read_only_tell, c);
        conn_release(s->conn, ticket);
        if (s->follow != FOLLOW_NONE || s->snapshotting) {
            s->follow = FOLLOW_NONE;
            s->snapshotting = false;
            conn_send(s->conn, 0, MSG_RESYNC, s->follow_tag, NULL);
        }
    }
    list_for_each (peer, node_peers(c), struct node_peer, link)
        nodeconn_reset(peer->conn, ticket, "what was queued for it is void");
    if (lineage_epoch_ticket(c)) /* so is this controller's epoch */
        list_for_each (peer, node_peers(c), struct node_peer, link)
            nodeconn_hold_hello(peer->conn);
    modules_call(c, reset, c);
    uint32_t next_job = c->model.next_job;
    model_fini(&c->model);
    vec_clear(&c->touched);
    struct errtext err;
    if (state_load(c, NULL, &err) < 0) {
        log_error("the state cannot be read back either: %s", err.s);
        abort(); /* the next start checks the file and reports what is wrong */
    }
    /* No id is given out twice, not even of a job that was never committed: a client may have seen it. */
    if (next_job > c->model.next_job)
        c->model.next_job = next_job;
    read_only_probe_later(c);
}

static void read_only_start(struct control *c)
{
    struct read_only *r = c->state[MODULE_READ_ONLY] = xcalloc(1, sizeof *r);
    r->probe = (struct loop_timer){.fn = read_only_on_probe, .ctx = c};
}

static void read_only_stop(struct control *c)
{
    struct read_only *r = c->state[MODULE_READ_ONLY];
    loop_timer_cancel(c->loop, &r->probe);
    free(r);
    free(c->read_only);
}

const struct module_ops read_only_module = {.start = read_only_start, .stop = read_only_stop};
