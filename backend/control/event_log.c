#include "backend/control/event_log.h"

#include <stdlib.h>

#include "backend/control/emit.h"

static void event_log_on_store(void *ctx, unsigned ready)
{
    (void)ready;
    struct control *c = ctx;
    store_dispatch(c->store);
}

static void event_log_serving(struct control *c)
{
    struct loop_fd *watch = c->state[MODULE_EVENT_LOG] = xcalloc(1, sizeof *watch);
    *watch = (struct loop_fd){.fd = store_fd(c->store), .fn = event_log_on_store, .ctx = c};
    loop_watch(c->loop, watch, LOOP_READ);
}

/* What has been collected is still committed. */
static void event_log_stop(struct control *c)
{
    if (c->state[MODULE_EVENT_LOG])
        loop_unwatch(c->loop, c->state[MODULE_EVENT_LOG]);
    free(c->state[MODULE_EVENT_LOG]);
    store_close(c->store);
}

static void event_log_before(struct control *c, struct emission *e)
{
    bool retires = e->ev->kind == EV_RETIRE;
    e->kept = !retires || (e->job && store_retire_job(c->store, e->job));
}

static void event_log_after(struct control *c, const struct emission *e)
{
    if (e->kept)
        store_add_event(c->store, e->ev, e->bytes, e->n);
}

const struct module_ops event_log_module = {.serving = event_log_serving,
                                            .stop = event_log_stop,
                                            .before = event_log_before,
                                            .after = event_log_after};
