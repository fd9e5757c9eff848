#include "backend/control/clients/row_feed.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/clients/followers.h"
#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/privacy.h"
#include "backend/control/clients/sessions.h"
#include "backend/control/emit.h"
#include "src/base/idmap.h"
#include "src/model/cluster_totals.h"
#include "src/model/touched.h"
#include "src/proto/codec.h"

#define TOTALS_MS 50

struct departure { /* a job that has left the state */
    uint32_t job, uid;
};

struct row_feed {
    bool used; /* a session follows rows, or has lately */
    VEC(uint32_t) touched;
    VEC(struct departure) gone;
    bool counts;        /* the totals may be others */
    struct str totals;  /* as they were sent last */
    struct idmap nodes; /* hash of the name -> a node's figures as they were sent last, hashed */
    struct mono told;   /* ... then */
    struct loop_timer timer;
};

static struct row_feed *row_feed_of(const struct control *c)
{
    return c->state[MODULE_ROW_FEED];
}

static bool row_feed_follows(const struct session *s)
{
    return s->follow == FOLLOW_OWN || s->follow == FOLLOW_MASKED;
}

static void row_feed_send(struct session *s, enum msg_kind kind, const struct str *bytes)
{
    if (!session_push(s, kind, bytes))
        followers_tell_resync(s);
}

/* --- what is noted --- */

static void row_feed_note(void *ctx, uint32_t job)
{
    struct row_feed *f = ctx;
    if (!f->touched.n || f->touched.v[f->touched.n - 1] != job)
        vec_push(&f->touched, job);
}

static void row_feed_before(struct control *c, struct emission *e)
{
    struct row_feed *f = row_feed_of(c);
    if (!f->used)
        return;
    event_each_touched(&c->model, e->ev, row_feed_note, f);
    if (e->ev->kind == EV_RETIRE && e->job)
        vec_push(&f->gone, ((struct departure){.job = e->job->id, .uid = e->job->uid}));
    f->counts = true;
}

/* --- rows --- */

static void row_feed_tell_gone(struct control *c, const struct departure *d)
{
    struct ev_none none = {0};
    struct event ev = {
        .seq = c->model.seq, .t = loop_wall(c->loop), .kind = EV_JOB_GONE, .job = d->job, .body = &none};
    struct msg_event m;
    event_to_msg(&ev, &m);
    list_for_each (s, sessions(c), struct session, link)
        if (row_feed_follows(s) && (s->uid == d->uid || s->follow == FOLLOW_MASKED) &&
            !conn_send(s->conn, ctl_ticket(c), MSG_EVENT, s->follow_tag, &m))
            followers_tell_resync(s);
    rec_fini(&msg_event_rec, &m);
}

static void row_feed_tell_row(struct control *c, const struct job *j)
{
    struct str own = STR_INIT, hidden = STR_INIT;
    list_for_each (s, sessions(c), struct session, link) {
        bool is_own = s->uid == j->uid;
        struct str *bytes = is_own ? &own : &hidden;
        if (!row_feed_follows(s) || (!is_own && s->follow == FOLLOW_OWN))
            continue;
        if (!bytes->len)
            rows_encode_pushed(s, j, bytes);
        row_feed_send(s, MSG_EVENT, bytes);
    }
    str_fini(&own);
    str_fini(&hidden);
}

static int row_feed_by_id(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a > b) - (a < b);
}

static void row_feed_tell_rows(struct control *c)
{
    struct row_feed *f = row_feed_of(c);
    if (f->touched.n)
        qsort(f->touched.v, f->touched.n, sizeof *f->touched.v, row_feed_by_id);
    for (size_t i = 0; i < f->touched.n; i++) {
        const struct job *j = model_get_job(&c->model, f->touched.v[i]);
        if (j && (!i || f->touched.v[i - 1] != f->touched.v[i]))
            row_feed_tell_row(c, j);
    }
    vec_for_each (&f->gone, i)
        if (!model_get_job(&c->model, f->gone.v[i].job))
            row_feed_tell_gone(c, &f->gone.v[i]);
    vec_clear(&f->touched);
    vec_clear(&f->gone);
}

/* --- totals --- */

static void row_feed_wake(struct control *c, int64_t ms)
{
    loop_timer_set(c->loop, &row_feed_of(c)->timer, ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (int)ms);
}

/* --- nodes, for sessions that are told of all jobs what they hold --- */

static uint64_t row_feed_node_hash(const struct node *n)
{
    const uint64_t figures[] = {n->state,
                                n->drain,
                                n->n_jobs,
                                n->exclusive,
                                n->gone,
                                n->mem_used_mib,
                                n->mem_mib,
                                n->cpus,
                                n->gpus,
                                (uint64_t)n->t_state.ms,
                                (uint64_t)n->t_drain.ms,
                                (uint64_t)n->t_note.ms,
                                hash_bytes(&n->cpus_used, sizeof n->cpus_used),
                                hash_bytes(&n->gpus_used, sizeof n->gpus_used),
                                hash_bytes(&node_rare(n)->gpus_out, sizeof node_rare(n)->gpus_out)};
    return hash_bytes(figures, sizeof figures) | 1;
}

static void row_feed_tell_node(struct control *c, const struct node *n)
{
    struct node shown;
    struct node_rare rare;
    privacy_mask_node(n, &shown, &rare);
    struct event ev = {.seq = c->model.seq, .t = loop_wall(c->loop), .kind = EV_NODE_ROW, .body = &shown};
    struct msg_event m;
    event_to_msg(&ev, &m);
    list_for_each (s, sessions(c), struct session, link)
        if (s->follow == FOLLOW_MASKED && !(privacy_of(s) & PRIVATE_NODES) &&
            !conn_send(s->conn, ctl_ticket(c), MSG_EVENT, s->follow_tag, &m))
            followers_tell_resync(s);
    rec_fini(&msg_event_rec, &m);
}

static void row_feed_tell_nodes(struct control *c)
{
    struct row_feed *f = row_feed_of(c);
    bool any = false;
    list_for_each (s, sessions(c), struct session, link)
        any = any || s->follow == FOLLOW_MASKED;
    for (size_t i = 0; any && i < c->model.n_nodes; i++) {
        const struct node *n = c->model.nodes[i];
        uint64_t id = hash_bytes(n->spec.name, strlen(n->spec.name)), now = row_feed_node_hash(n);
        if ((uint64_t)(uintptr_t)idmap_get(&f->nodes, id) == now)
            continue;
        idmap_set(&f->nodes, id, (void *)(uintptr_t)now);
        row_feed_tell_node(c, n);
    }
}

static void row_feed_tell_totals(struct control *c)
{
    struct row_feed *f = row_feed_of(c);
    int64_t ms = (loop_now(c->loop).ns - f->told.ns) / NS_PER_MS;
    if (!f->counts)
        return;
    if (f->told.ns && ms < TOTALS_MS) {
        row_feed_wake(c, TOTALS_MS - ms);
        return;
    }
    struct cluster_totals t = model_totals(&c->model, loop_wall(c->loop));
    struct str bytes = STR_INIT;
    codec_encode(&cluster_totals_rec, &t, &bytes);
    f->counts = false;
    f->told = loop_now(c->loop);
    row_feed_tell_nodes(c);
    if (wall_is_set(t.edge))
        row_feed_wake(c, t.edge.ms - loop_wall(c->loop).ms);
    if (bytes.len != f->totals.len || memcmp(bytes.s, f->totals.s, bytes.len) != 0)
        list_for_each (s, sessions(c), struct session, link)
            if (s->follow == FOLLOW_OWN)
                row_feed_send(s, MSG_TOTALS, &bytes);
    str_fini(&f->totals);
    f->totals = bytes;
}

static void row_feed_on_timer(void *ctx)
{
    struct control *c = ctx;
    row_feed_of(c)->counts = true;
    row_feed_flush(c);
}

/* --- when --- */

static bool row_feed_has_sessions(struct control *c)
{
    list_for_each (s, sessions(c), struct session, link)
        if ((s->get.own && s->follow != FOLLOW_NONE) || s->follow == FOLLOW_MASKED)
            return true;
    return false;
}

void row_feed_flush(struct control *c)
{
    struct row_feed *f = row_feed_of(c);
    if (!f->used || (!f->touched.n && !f->gone.n && !f->counts))
        return;
    f->used = row_feed_has_sessions(c);
    row_feed_tell_rows(c);
    if (f->used)
        row_feed_tell_totals(c);
}

static void row_feed_session_follows(struct control *c, struct session *s)
{
    struct row_feed *f = row_feed_of(c);
    if (!s->get.own && s->follow != FOLLOW_MASKED)
        return;
    f->used = f->counts = true;
    str_clear(&f->totals); /* it has not been sent any */
}

static void row_feed_answering(struct control *c, struct session *s)
{
    if (row_feed_follows(s))
        row_feed_flush(c);
}

/* What was noted is void, and the sessions ask again. */
static void row_feed_reset(struct control *c)
{
    struct row_feed *f = row_feed_of(c);
    vec_clear(&f->touched);
    vec_clear(&f->gone);
    f->counts = true;
}

static void row_feed_start(struct control *c)
{
    struct row_feed *f = c->state[MODULE_ROW_FEED] = xcalloc(1, sizeof *f);
    f->timer = (struct loop_timer){.fn = row_feed_on_timer, .ctx = c};
    str_init(&f->totals);
}

static void row_feed_stop(struct control *c)
{
    struct row_feed *f = row_feed_of(c);
    loop_timer_cancel(c->loop, &f->timer);
    vec_fini(&f->touched);
    vec_fini(&f->gone);
    str_fini(&f->totals);
    idmap_fini(&f->nodes);
    free(f);
}

const struct module_ops row_feed_module = {.start = row_feed_start,
                                           .stop = row_feed_stop,
                                           .before = row_feed_before,
                                           .reset = row_feed_reset,
                                           .session_follows = row_feed_session_follows,
                                           .answering = row_feed_answering};
