#include "backend/control/state_load.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "backend/control/compact.h"
#include "backend/control/emit.h"
#include "backend/control/lineage.h"
#include "backend/control/users/user_budget.h"
#include "src/model/fold/apply_taking.h"
#include "src/os/log.h"

struct state_loading {
    struct control *c;
    struct compact *compact;
};

static int state_fold(void *ctx, struct event *ev)
{
    const struct state_loading *l = ctx;
    struct control *c = l->c;
    user_budget_note_stored(c, ev->job, ev->stored);
    int r = l->compact ? compact_apply(l->compact, &c->model, ev) : model_apply_taking(&c->model, ev);
    if (r < 0)
        log_warn("event=%llu %s job=%u does not fit the state and is skipped", (unsigned long long)ev->seq,
                 event_name(ev->kind), ev->job);
    event_fini(ev);
    return 0;
}

int state_load(struct control *c, struct compact *compact, struct errtext *err)
{
    struct state_loading l = {.c = c, .compact = compact};
    model_init(&c->model);
    int r = store_load(c->store, state_fold, &l, err);
    if (r < 0)
        return r;
    uint32_t last = store_last_job(c->store);
    if (last >= c->model.next_job)
        c->model.next_job = last + 1;
    struct errtext what;
    if (model_check(&c->model, &what) < 0)
        return err_set(err, -EUCLEAN, "the state on disk contradicts itself: %s", what.s);
    modules_call(c, loaded, c);
    return 0;
}

uint64_t random_nonce(void)
{
    uint64_t n = 0;
    while (!n) /* 0 means none */
        if (getrandom(&n, sizeof n, 0) != sizeof n)
            bug_on(true);
    return n;
}

static char *state_new_uuid(void)
{
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != sizeof b)
        bug_on(true);
    struct str s = STR_INIT;
    for (size_t i = 0; i < sizeof b; i++)
        str_appendf(&s, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    return str_take(&s);
}

void state_take_over(struct control *c, bool accept_loss)
{
    struct ev_epoch body = {.incarnation = c->settings.incarnation,
                            .uuid = c->model.uuid ? xstrdup(c->model.uuid) : state_new_uuid(),
                            .epoch = c->model.epoch + 1,
                            .next_job = c->model.next_job};
    lineage_follow(c, accept_loss, &body);
    ctl_emit(c, EV_EPOCH, 0, &body);
    lineage_begin_epoch(c);
    log_info("cluster=%s epoch=%llu jobs=%u next_job=%u", c->model.uuid, (unsigned long long)c->model.epoch,
             c->model.n_pending + c->model.n_active + c->model.n_ended, c->model.next_job);
}

void state_doubt_nodes(struct control *c)
{
    for (size_t i = 0; i < c->model.n_nodes; i++) {
        const struct node *n = c->model.nodes[i];
        if (n->state == NODE_UNKNOWN || n->gone)
            continue;
        struct ev_node body = {.node = xstrdup(n->spec.name), .state = NODE_UNKNOWN};
        ctl_emit(c, EV_NODE, 0, &body);
    }
}

void state_touch_active(struct control *c)
{
    list_for_each (j, &c->model.active, struct job, in_queue)
        ctl_touch(c, j->id);
    c->sched_dirty = true;
}
