#include "backend/control/clients/query_queue.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/privacy.h"
#include "backend/control/emit.h"
#include "backend/control/forecast_slices.h"
#include "src/proto/codec.h"

#define TURN_MS 2

struct query_queue {
    struct list users; /* quotas of users of whose sessions some wait for rows */
    size_t n;          /* sessions that wait */
    struct loop_timer timer;
    struct query_cache *cache;
};

static struct query_queue *query_queue_of(const struct control *c)
{
    return c->state[MODULE_QUERIES];
}

static void query_queue_add(struct session *s)
{
    struct user_quota *p = s->quota;
    list_append(&p->queries, &s->query.link);
    if (list_empty(&p->query_link))
        list_append(&query_queue_of(s->ctl)->users, &p->query_link);
    query_queue_of(s->ctl)->n++;
}

static void query_queue_leave(struct session *s)
{
    if (list_empty(&s->query.link))
        return;
    list_unlink(&s->query.link);
    if (list_empty(&s->quota->queries))
        list_unlink(&s->quota->query_link);
    query_queue_of(s->ctl)->n--;
}

/* The next session of the next user: fifty connections do not get a user served more often than one. */
static struct session *query_queue_take_next(struct control *c)
{
    struct user_quota *p = list_first(&query_queue_of(c)->users, struct user_quota, query_link);
    list_move_to_end(&query_queue_of(c)->users, &p->query_link);
    struct session *s = list_first(&p->queries, struct session, query.link);
    query_queue_leave(s);
    return s;
}

void query_queue_end(struct session *s)
{
    query_queue_leave(s);
    str_fini(&s->query.key);
    query_answer_fini(&s->query.keep);
    s->query.begun = s->query.keeping = false;
}

void query_queue_begin(struct session *s)
{
    s->query.asked = mono_read();
    if (!s->get.follow)
        codec_encode(&msg_get_rec, &s->get, &s->query.key);
    if (!s->get.follow && (privacy_of(s) || rows_have_commands(&s->get))) /* an answer of its own */
        str_append_n(&s->query.key, s->admin ? "admin" : (const char *)&s->uid,
                     s->admin ? 5 : sizeof s->uid);
    query_queue_add(s);
}

void query_queue_note(struct session *s, const void *body, size_t n)
{
    struct row_query *l = &s->query;
    if (l->keeping)
        l->keeping = query_answer_add(&l->keep, body, n);
}

static bool query_queue_is_same(const struct row_query *a, const struct row_query *b)
{
    return a->key.len && a->key.len == b->key.len && memcmp(a->key.s, b->key.s, a->key.len) == 0;
}

/* A session in the queue gets the same answer, and may have been sent half of it. */
static bool query_queue_is_being_made(const struct session *s)
{
    list_for_each (p, &query_queue_of(s->ctl)->users, struct user_quota, query_link)
        list_for_each (o, &p->queries, struct session, query.link)
            if (o->query.begun && o->query.keeping && query_queue_is_same(&o->query, &s->query))
                return true;
    return false;
}

static struct query_stamp query_queue_stamp(const struct control *c)
{
    return (struct query_stamp){.events = c->stats.events,
                                .cycles = c->stats.passes,
                                .second = loop_wall(c->loop).ms / MS_PER_S,
                                .begun_ns = mono_read().ns,
                                .forecast_ms = forecast_made(planner_forecaster(c->planner)).ms};
}

static void query_queue_keep(struct session *s)
{
    struct row_query *l = &s->query;
    struct query_stamp made = l->stamp, now = query_queue_stamp(s->ctl);
    if (made.events != now.events || made.cycles != now.cycles)
        made.events = ANSWER_CHANGED;
    if (l->keeping)
        query_cache_take(query_queue_of(s->ctl)->cache, &l->key, made, &l->keep);
}

static void query_queue_serve_one(struct session *s, struct mono until)
{
    struct control *c = s->ctl;
    struct row_query *l = &s->query;
    if (!l->begun) {
        if (rows_tell_starts(&s->get))
            forecast_slices_hurry(c);
        rows_send_spec(s);
        l->stamp = query_queue_stamp(c);
        const struct query_answer *a =
            l->key.len ? query_cache_find(query_queue_of(c)->cache, &l->key, l->stamp, l->asked.ns) : NULL;
        if (a) {
            rows_send_kept(s, a);
            query_queue_end(s);
            return;
        }
        l->begun = true;
        l->keeping = l->key.len > 0;
    }
    switch (rows_slice(s, until)) {
    case SLICE_MORE: query_queue_add(s); return;
    case SLICE_FULL: conn_ask_drain(s->conn); return;
    case SLICE_LAST: query_queue_keep(s); break;
    }
    query_queue_end(s);
}

static void query_queue_on_timer(void *ctx)
{
    (void)ctx; /* the end of the loop iteration does the rest */
}

void query_queue_serve(struct control *c)
{
    struct mono until = mono_add_ms(mono_read(), TURN_MS);
    size_t passed_over = 0;
    bool late = false;
    while (!late && query_queue_of(c)->n > passed_over) {
        struct session *s = query_queue_take_next(c);
        if (!s->snapshotting) { /* its snapshot is void */
            query_queue_end(s);
            continue;
        }
        if (!s->query.begun && query_queue_is_being_made(s)) {
            query_queue_add(s);
            passed_over++;
            continue;
        }
        passed_over = 0;
        query_queue_serve_one(s, until);
        late = mono_read().ns >= until.ns;
    }
    if (query_queue_of(c)->n)
        loop_timer_set(c->loop, &query_queue_of(c)->timer, 0);
}

/* The connection has room again. */
static void query_queue_drained(struct control *c, struct session *s)
{
    (void)c;
    if (s->snapshotting && list_empty(&s->query.link))
        query_queue_add(s);
}

static void query_queue_session_closed(struct control *c, struct session *s)
{
    (void)c;
    query_queue_end(s);
    rec_fini(&msg_get_rec, &s->get);
    vec_fini(&s->late.rows);
    vec_fini(&s->late.reasons);
    vec_fini(&s->late.retired);
}

/* Answers name partitions as the configuration before did. */
static void query_queue_before(struct control *c, struct emission *e)
{
    if (e->ev->kind == EV_CONFIG)
        query_cache_clear(query_queue_of(c)->cache);
}

static void query_queue_reset(struct control *c)
{
    query_cache_clear(query_queue_of(c)->cache);
}

static void query_queue_start(struct control *c)
{
    struct query_queue *q = c->state[MODULE_QUERIES] = xcalloc(1, sizeof *q);
    list_init(&q->users);
    q->timer = (struct loop_timer){.fn = query_queue_on_timer, .ctx = c};
    q->cache = query_cache_new();
}

static void query_queue_stop(struct control *c)
{
    struct query_queue *q = query_queue_of(c);
    loop_timer_cancel(c->loop, &q->timer);
    query_cache_free(q->cache);
    free(q);
}

const struct module_ops query_queue_module = {.start = query_queue_start,
                                              .stop = query_queue_stop,
                                              .before = query_queue_before,
                                              .reset = query_queue_reset,
                                              .session_closed = query_queue_session_closed,
                                              .session_drained = query_queue_drained};
