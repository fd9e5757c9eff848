#include "backend/control/clients/large_requests.h"

#include <stdlib.h>

#include "backend/control/payload_cache.h"
#include "backend/control/shortage.h"
#include "backend/control/users/user_budget.h"
#include "src/proto/codec.h"

#define LARGE_FROM (128u << 10) /* bytes to be run: with less a batch is not held up */

struct large_request {
    struct list link;
    struct session *session;
    enum msg_kind kind;
    uint64_t tag;
    void *body;
    large_request_fn *handle;
    struct stored_payloads *stored;
    struct budget_place room;
    struct loop_call again; /* what was stored is void: handled without it */
};

static struct list *large_requests_of(struct control *c)
{
    return c->state[MODULE_LARGE];
}

/* Calls fn with each payload that the request will store, in the order in which it will. */
static void large_request_each(enum msg_kind kind, const void *body,
                               void (*fn)(void *ctx, const struct step_payload *p), void *ctx)
{
    if (kind == MSG_STEP_CREATE)
        fn(ctx, &((const struct msg_step_create *)body)->payload);
    if (kind != MSG_SUBMIT)
        return;
    const struct msg_submit *m = body;
    if (m->test_only || m->kind == JOB_KIND_INTERACTIVE)
        return;
    fn(ctx, &m->payload);
    for (size_t i = 0; m->kind == JOB_KIND_STEPS && i < m->step_payloads.n; i++)
        fn(ctx, &m->step_payloads.v[i]);
}

static void large_request_count(void *ctx, const struct step_payload *p)
{
    *(size_t *)ctx += payload_size(p);
}

struct encoding {
    struct str bytes;
    struct stored_payloads *of;
};

static void large_request_encode(void *ctx, const struct step_payload *p)
{
    struct encoding *e = ctx;
    codec_encode(&step_payload_rec, p, &e->bytes);
    vec_push(&e->of->ends, e->bytes.len);
}

static void large_request_leave(struct large_request *r)
{
    list_unlink(&r->link);
    budget_place_leave(&r->room);
    loop_call_cancel(&r->again);
}

static void large_request_release(struct large_request *r)
{
    msg_free(r->kind, r->body);
    payload_free_stored(r->stored);
    free(r);
}

static void large_request_drop(struct large_request *r)
{
    large_request_leave(r);
    large_request_release(r);
}

static void large_request_on_stored(void *arg)
{
    struct large_request *r = arg;
    struct control *c = r->session->ctl;
    large_request_leave(r); /* the session may end with its answer */
    payload_use_stored(c, r->stored);
    int done = r->handle(r->session, r->kind, r->tag, r->body);
    bug_on(done < 0);            /* only what has a handler is held */
    if (!payload_take_stored(c)) /* it waits for something else now, and keeps them */
        r->stored = NULL;
    large_request_release(r);
}

bool large_requests_hold(struct session *s, enum msg_kind kind, uint64_t tag, void *body,
                         large_request_fn *handle)
{
    struct control *c = s->ctl;
    struct cause why = {0};
    size_t size = 0;
    large_request_each(kind, body, large_request_count, &size);
    if (size < LARGE_FROM || c->read_only)
        return false;
    if (!s->admin && (user_budget_is_spent(c, s->quota, &why) || shortage_is(c, &why))) {
        cause_clear(&why); /* it will be refused */
        return false;
    }
    struct large_request *r = xcalloc(1, sizeof *r);
    struct encoding e = {.bytes = STR_INIT, .of = xcalloc(1, sizeof *e.of)};
    large_request_each(kind, body, large_request_encode, &e);
    *r = (struct large_request){
        .session = s, .kind = kind, .tag = tag, .body = body, .handle = handle, .stored = e.of};
    r->again = (struct loop_call){.fn = large_request_on_stored, .ctx = r};
    list_init(&r->again.link);
    list_init(&r->link);
    list_append(large_requests_of(c), &r->link);
    list_init(&r->room.link);
    budget_place_join(&r->room, s->admin ? NULL : &s->quota->conns);
    budget_place_charge(&r->room, size + e.bytes.len);
    e.of->ctl = c;
    e.of->large = store_begin_large(c->store, s->uid, &e.bytes, large_request_on_stored, r);
    return true;
}

/* s NULL: of all sessions. */
static void large_requests_drop(struct control *c, const struct session *s)
{
    list_for_each (r, large_requests_of(c), struct large_request, link)
        if (!s || r->session == s)
            large_request_drop(r);
}

static void large_requests_closed(struct control *c, struct session *s)
{
    large_requests_drop(c, s);
}

/* The state cannot be written: once it has been read again that is the answer. */
static void large_requests_reset(struct control *c)
{
    list_for_each (r, large_requests_of(c), struct large_request, link) {
        payload_free_stored(r->stored);
        r->stored = NULL;
        loop_call_ask(c->loop, &r->again);
    }
}

static void large_requests_start(struct control *c)
{
    list_init(c->state[MODULE_LARGE] = xcalloc(1, sizeof(struct list)));
}

static void large_requests_stop(struct control *c)
{
    large_requests_drop(c, NULL);
    free(c->state[MODULE_LARGE]);
}

const struct module_ops large_requests_module = {.start = large_requests_start,
                                                 .stop = large_requests_stop,
                                                 .session_closed = large_requests_closed,
                                                 .reset = large_requests_reset};
