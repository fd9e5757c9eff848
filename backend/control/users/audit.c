#include "backend/control/users/audit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/control/emit.h"
#include "backend/control/users/audit_syslog.h"
#include "backend/control/users/user_cache.h"
#include "src/base/idmap.h"
#include "src/proto/codec.h"
#include "src/text/cause_text.h"

#define REFUSED_MAX 30u /* lines of refused requests of a user in REFUSED_NS */
#define REFUSED_NS  (60 * NS_PER_S)
#define USERS_KEPT  1024u /* of which refusals are counted, before old counts are dropped */
#define SHARE_PART  16    /* of audit_size, for the lines of one user in audit_keep */

struct audit_note {   /* a request that has not been answered */
    struct list link; /* in session.audits */
    uint64_t tag;
    uint64_t seq; /* of the state when it came */
    struct audit_line line;
};

struct audit_refusals { /* of one user */
    struct mono from;
    uint32_t n, left_out;
};

/* Bytes that a user has put into the log, less what has run off since: a share in audit_keep. Counted from
 * the start of the controller. */
struct audit_share {
    double bytes;
    struct mono at;
};

struct audit {
    struct idmap refusals; /* uid + 1 -> struct audit_refusals */
    struct idmap shares;   /* uid + 1 -> struct audit_share */
    struct audit_syslog *syslog;
};

static struct audit *audit_of(const struct control *c)
{
    return c->state[MODULE_AUDIT];
}

/* --- lines --- */

static char *audit_cut(char *take_text)
{
    if (take_text && strlen(take_text) > AUDIT_TEXT_MAX) {
        size_t n = AUDIT_TEXT_MAX - 3;
        while (n && ((unsigned char)take_text[n] & 0xc0) == 0x80)
            n--;
        memcpy(take_text + n, "...", 4);
    }
    return take_text;
}

static void audit_bound(struct control *c)
{
    const struct cluster_spec *spec = &c->model.spec;
    int64_t keep = (int64_t)spec->audit_keep_s * MS_PER_S;
    struct audit_bounds b = {.before_ms = keep ? loop_wall(c->loop).ms - keep : INT64_MIN,
                             .bytes = spec->audit_mib << 20};
    store_bound_audit(c->store, &b);
}

/* Whether the user has had a share of the log: further lines push out those of such users alone. */
static bool audit_is_heavy(struct control *c, uint32_t uid, size_t n)
{
    const struct cluster_spec *spec = &c->model.spec;
    double share = (double)(spec->audit_mib << 20) / SHARE_PART, keep_s = spec->audit_keep_s;
    struct mono now = loop_now(c->loop);
    struct audit_share *u = idmap_get(&audit_of(c)->shares, (uint64_t)uid + 1);
    if (!u) {
        u = xcalloc(1, sizeof *u);
        u->at = now;
        idmap_set(&audit_of(c)->shares, (uint64_t)uid + 1, u);
    }
    double gone = keep_s > 0 ? share * (double)(now.ns - u->at.ns) / (keep_s * (double)NS_PER_S) : 0;
    u->bytes = (u->bytes > gone ? u->bytes - gone : 0) + (double)n;
    u->at = now;
    return share > 0 && u->bytes > share;
}

/* Into the batch that is being collected. */
static void audit_write(struct control *c, struct audit_line *l)
{
    struct str bytes = STR_INIT;
    l->t = loop_wall(c->loop);
    l->object = audit_cut(l->object);
    l->why = audit_cut(l->why);
    codec_encode(&audit_line_rec, l, &bytes);
    store_add_audit(c->store, l->t, audit_is_heavy(c, l->uid, bytes.len), bytes.s, bytes.len);
    audit_bound(c);
    if (c->model.spec.audit_syslog)
        audit_syslog_add(audit_of(c)->syslog, l, ctl_ticket(c));
    str_fini(&bytes);
}

void audit_add_job(struct control *c, struct audit_line *l, uint32_t job, uint32_t index)
{
    const struct job *j = model_get_job(&c->model, job);
    if (l->jobs.n < AUDIT_JOBS_MAX)
        *(struct audit_job *)rec_list_push(&l->jobs) =
            (struct audit_job){.job = job, .index = index, .uid = j ? j->uid : AUDIT_NO_OWNER};
}

void audit_own(struct control *c, enum audit_request request, char *take_object)
{
    struct audit_line l = {.uid = geteuid(),
                           .user = xstrdup(user_name(c->users, geteuid())),
                           .request = request,
                           .object = take_object};
    if (!c->read_only)
        audit_write(c, &l);
    rec_fini(&audit_line_rec, &l);
}

/* --- refused requests --- */

static void audit_drop_old(struct audit *a, struct mono now)
{
    VEC(uint64_t) old = VEC_INIT;
    idmap_for_each (&a->refusals, slot)
        if (now.ns - ((const struct audit_refusals *)slot->value)->from.ns > REFUSED_NS)
            vec_push(&old, slot->id);
    vec_for_each (&old, i)
        free(idmap_remove(&a->refusals, old.v[i]));
    vec_fini(&old);
}

/* Whether a refused request has a line; *ret_left_out: how many before it had none. */
static bool audit_admits_refusal(struct control *c, uint32_t uid, uint32_t *ret_left_out)
{
    struct audit *a = audit_of(c);
    struct mono now = loop_now(c->loop);
    struct audit_refusals *r = idmap_get(&a->refusals, (uint64_t)uid + 1);
    if (!r) {
        if (a->refusals.n >= USERS_KEPT)
            audit_drop_old(a, now);
        r = xcalloc(1, sizeof *r);
        r->from = now;
        idmap_set(&a->refusals, (uint64_t)uid + 1, r);
    }
    if (now.ns - r->from.ns > REFUSED_NS) {
        r->from = now;
        r->n = 0;
    }
    if (r->n >= REFUSED_MAX) {
        r->left_out++;
        return false;
    }
    r->n++;
    *ret_left_out = r->left_out;
    r->left_out = 0;
    return true;
}

/* --- requests --- */

static void audit_free_note(struct audit_note *n)
{
    list_unlink(&n->link);
    rec_fini(&audit_line_rec, &n->line);
    free(n);
}

void audit_begin(struct session *s, uint64_t tag, audit_fn *describe, const void *body)
{
    if (!describe || s->ctl->read_only)
        return;
    struct audit_note *n = xcalloc(1, sizeof *n);
    n->tag = tag;
    n->seq = s->ctl->model.seq;
    n->line.uid = s->uid;
    n->line.user = xstrdup(user_name(s->ctl->users, s->uid));
    n->line.node = s->node ? xstrdup(s->node) : NULL;
    describe(s->ctl, body, &n->line);
    if (n->line.request == AUDIT_NONE) { /* it changes nothing */
        rec_fini(&audit_line_rec, &n->line);
        free(n);
        return;
    }
    list_init(&n->link);
    list_append(&s->audits, &n->link);
    s->audit_now = n;
}

/* The request that is being handled, else the one that has waited longest: a client may give two requests
 * the same tag. */
static struct audit_note *audit_find(struct session *s, uint64_t tag)
{
    if (s->audit_now)
        return s->audit_now->tag == tag ? s->audit_now : NULL;
    list_for_each (n, &s->audits, struct audit_note, link)
        if (n->tag == tag)
            return n;
    return NULL;
}

static void audit_finish(struct session *s, struct audit_note *n)
{
    struct control *c = s->ctl;
    s->audit_now = s->audit_now == n ? NULL : s->audit_now;
    bool refused = n->line.refusal && !n->line.count;
    if (!c->read_only && (!refused || audit_admits_refusal(c, s->uid, &n->line.left_out)))
        audit_write(c, &n->line);
    audit_free_note(n);
}

void audit_answered(struct session *s, uint64_t tag, const struct msg_result *r)
{
    struct audit_note *n = audit_find(s, tag);
    if (!n)
        return;
    n->line.refusal = r->refusal;
    n->line.count = r->count;
    if (r->refusal)
        n->line.why = r->text ? xstrdup(r->text) : cause_string(&r->cause, NULL);
    else if (n->line.request == AUDIT_SUBMIT)
        audit_add_job(s->ctl, &n->line, r->job, AUDIT_NO_INDEX);
    else if (!n->line.object && r->text) /* what it is called */
        n->line.object = xstrdup(r->text);
    audit_finish(s, n);
}

/* A request that has changed something without an answer has its line now: what it changed is in this
 * batch. */
void audit_end(struct session *s)
{
    struct audit_note *n = s->audit_now;
    s->audit_now = NULL;
    if (n && s->ctl->model.seq != n->seq)
        audit_finish(s, n);
}

/* What it asked for has not been done: nothing is done for a client that has gone. */
static void audit_session_closed(struct control *c, struct session *s)
{
    (void)c;
    s->audit_now = NULL;
    list_for_each (n, &s->audits, struct audit_note, link)
        audit_free_note(n);
}

/* --- as a module --- */

static void audit_start(struct control *c)
{
    struct audit *a = c->state[MODULE_AUDIT] = xcalloc(1, sizeof *a);
    a->syslog = audit_syslog_new(c->loop, c->settings.hooks.syslog);
}

static void audit_stop(struct control *c)
{
    struct audit *a = audit_of(c);
    audit_syslog_free(a->syslog);
    idmap_for_each (&a->refusals, slot)
        free(slot->value);
    idmap_fini(&a->refusals);
    idmap_for_each (&a->shares, slot)
        free(slot->value);
    idmap_fini(&a->shares);
    free(a);
}

static void audit_serving(struct control *c)
{
    audit_own(c, AUDIT_START,
              xasprintf("release " STOKER_VERSION ", epoch %llu", (unsigned long long)c->model.epoch));
}

static void audit_committed(struct control *c, uint64_t ticket)
{
    audit_syslog_release(audit_of(c)->syslog, ticket);
}

static void audit_reset(struct control *c)
{
    audit_syslog_drop(audit_of(c)->syslog);
}

const struct module_ops audit_module = {.start = audit_start,
                                        .stop = audit_stop,
                                        .serving = audit_serving,
                                        .committed = audit_committed,
                                        .reset = audit_reset,
                                        .session_closed = audit_session_closed};
