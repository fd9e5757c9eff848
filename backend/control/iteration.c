#include "backend/control/iteration.h"

#include "backend/control/clients/query_queue.h"
#include "backend/control/clients/row_feed.h"
#include "backend/control/clients/sessions.h"
#include "backend/control/eligibility_watch.h"
#include "backend/control/nodes/job_actions.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/read_only.h"
#include "backend/control/schedule.h"
#include "backend/control/users/user_quota.h"

#define ITERATIONS_MAX 64 /* actions emit events that need actions: this settles after a few */

static void iteration_act(struct control *c)
{
    while (c->touched.n) {
        __typeof__(c->touched) now = c->touched;
        c->touched.v = NULL;
        c->touched.n = c->touched.cap = 0;
        vec_for_each (&now, i) {
            struct job *j = model_get_job(&c->model, now.v[i]);
            if (j)
                job_actions_derive(c, j);
        }
        vec_fini(&now);
    }
}

void iteration_end(void *ctx)
{
    struct control *c = ctx;
    if (c->read_only) {
        vec_clear(&c->touched);
        user_quota_next_batch(c);
        query_queue_serve(c);
        return;
    }
    uint32_t n_done = 0;
    bool left = eligibility_watch_run(c, &n_done);
    for (int n = 0; n < ITERATIONS_MAX && (c->touched.n || c->sched_dirty); n++) {
        iteration_act(c);
        left = eligibility_watch_run(c, &n_done);
        if (c->sched_dirty) {
            c->sched_dirty = false;
            schedule_run(c);
        }
    }
    node_peers_drop_left(c);
    row_feed_flush(c);
    if (store_turn(c->store))
        user_quota_next_batch(c);
    query_queue_serve(c); /* while the store commits */
    if (left || c->touched.n || c->sched_dirty)
        schedule_wake(c, 1);
}

void iteration_on_commit(void *ctx, uint64_t ticket, int r, const char *text)
{
    struct control *c = ctx;
    if (r < 0) {
        read_only_enter(c, text);
        return;
    }
    test_hooks_crash(&c->settings.hooks, CRASH_AFTER_COMMIT);
    modules_call(c, committed, c, ticket);
    list_for_each (s, sessions(c), struct session, link)
        conn_release(s->conn, ticket);
    test_hooks_crash(&c->settings.hooks, CRASH_AFTER_REPLY);
    list_for_each (n, node_peers(c), struct node_peer, link)
        nodeconn_release(n->conn, ticket);
    test_hooks_crash(&c->settings.hooks, CRASH_AFTER_LAUNCH);
    modules_call(c, released, c);
}
