#include "backend/control/requests/req_script.h"

#include <stdlib.h>

#include "backend/control/payload_cache.h"
#include "src/proto/codec.h"

#define SCRIPTS_MAX  16u        /* that one client waits for */
#define SCRIPTS_USER 64u        /* all clients of a user */
#define SCRIPT_BYTES (4u << 20) /* sent at a time to the sessions that wait for the same script */

struct script_wait { /* a question whose answer is being read */
    struct list link;
    struct session *session;
    uint64_t tag;
    uint32_t job;
    bool old; /* of the history */
};

static struct list *script_waits(const struct control *c)
{
    return c->state[MODULE_SCRIPTS];
}

static void script_send(struct session *s, uint64_t tag, uint32_t job, const uint8_t *p, size_t n)
{
    struct step_payload payload;
    struct errtext err;
    if (!p || codec_decode(&step_payload_rec, p, n, &payload, &err) < 0) {
        session_refuse(s, tag, REFUSAL_NO_JOB, job, &(struct cause){.code = CAUSE_NO_SCRIPT, .n = job});
        return;
    }
    struct msg_script r = {.script = payload.script, .argv = payload.argv};
    session_send(s, MSG_SCRIPT_TEXT, tag, &r);
    rec_fini(&step_payload_rec, &payload);
}

static bool script_may_wait(struct session *s, uint64_t tag, uint32_t job)
{
    size_t own = 0, user = 0;
    list_for_each (w, script_waits(s->ctl), struct script_wait, link) {
        own += w->session == s;
        user += w->session->quota == s->quota;
    }
    bool may = own < SCRIPTS_MAX && user < SCRIPTS_USER;
    if (!may)
        session_refuse(s, tag, REFUSAL_RATE, job, &(struct cause){.code = CAUSE_SCRIPTS_TOO_MANY});
    return may;
}

static bool script_is_awaited(const struct control *c, uint32_t job, bool old)
{
    list_for_each (w, script_waits(c), struct script_wait, link)
        if (w->job == job && w->old == old)
            return true;
    return false;
}

static void script_on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n);
static void script_on_old(void *ctx, const struct old_script *o);

/* It is read once for all sessions that wait for it. */
static void script_wait(struct session *s, uint64_t tag, uint32_t job, bool old)
{
    struct control *c = s->ctl;
    bool asked = old && script_is_awaited(c, job, old);
    struct script_wait *w = xcalloc(1, sizeof *w);
    *w = (struct script_wait){.session = s, .tag = tag, .job = job, .old = old};
    list_init(&w->link);
    list_append(script_waits(c), &w->link);
    if (!old)
        payload_read(c, job, STEP_BATCH, script_on_payload, c);
    else if (!asked)
        store_get_script(c->store, job, script_on_old, c);
}

static void script_refuse_other(struct session *s, uint64_t tag, uint32_t job)
{
    session_refuse(s, tag, REFUSAL_NOT_ALLOWED, job, &(struct cause){.code = CAUSE_OTHER_USERS_SCRIPT});
}

void req_script(struct session *s, uint64_t tag, void *body)
{
    const struct msg_job *m = body;
    struct control *c = s->ctl;
    uint32_t raw = m->target.array_index == ARRAY_NONE ? m->target.job : 0;
    if (raw && raw < c->model.next_job && !model_get_job(&c->model, raw)) { /* it may be in the history */
        if (script_may_wait(s, tag, raw))
            script_wait(s, tag, raw, true);
        return;
    }
    const struct job *j = session_find_job(s, tag, &m->target);
    if (!j)
        return;
    if (!session_owns(s, j)) {
        script_refuse_other(s, tag, j->id);
        return;
    }
    size_t n = 0;
    uint32_t job = payload_owner(j, STEP_BATCH);
    const uint8_t *p = payload_cache_get(c->payloads, job, STEP_BATCH, &n);
    if (p)
        script_send(s, tag, j->id, p, n);
    else if (script_may_wait(s, tag, j->id))
        script_wait(s, tag, job, false);
}

/* One of the sessions that wait for this one, taken off the list; NULL: none does. */
static struct session *script_take_wait(struct control *c, uint32_t job, bool old, uint64_t *ret_tag)
{
    list_for_each (w, script_waits(c), struct script_wait, link)
        if (w->job == job && w->old == old) {
            struct session *s = w->session;
            *ret_tag = w->tag;
            list_unlink(&w->link);
            free(w);
            return s;
        }
    return NULL;
}

/* A large script is not sent to all sessions at once, so that other clients are served in between: for the
 * rest it is read again. */
static void script_on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    struct control *c = ctx;
    uint64_t tag;
    struct session *s;
    for (size_t sent = 0; sent < SCRIPT_BYTES && (s = script_take_wait(c, job, false, &tag)); sent += n)
        script_send(s, tag, job, p, n);
    if (script_is_awaited(c, job, false))
        payload_read(c, job, step, script_on_payload, c);
}

static void script_answer_old(struct session *s, uint64_t tag, const struct old_script *o)
{
    if (!o->known)
        session_refuse(s, tag, REFUSAL_NO_JOB, o->job, &(struct cause){.code = CAUSE_NO_JOB, .n = o->job});
    else if (!s->admin && s->uid != o->uid)
        script_refuse_other(s, tag, o->job);
    else
        script_send(s, tag, o->job, o->n ? o->p : NULL, o->n);
}

static void script_on_old(void *ctx, const struct old_script *o)
{
    struct control *c = ctx;
    uint64_t tag;
    struct session *s;
    for (size_t sent = 0; sent < SCRIPT_BYTES && (s = script_take_wait(c, o->job, true, &tag));
         sent += o->n)
        script_answer_old(s, tag, o);
    if (script_is_awaited(c, o->job, true))
        store_get_script(c->store, o->job, script_on_old, c);
}

static void script_start(struct control *c)
{
    struct list *waits = c->state[MODULE_SCRIPTS] = xcalloc(1, sizeof *waits);
    list_init(waits);
}

/* s: NULL: of all sessions. */
static void script_drop_waits(struct control *c, const struct session *s)
{
    list_for_each (w, script_waits(c), struct script_wait, link)
        if (!s || w->session == s) {
            list_unlink(&w->link);
            free(w);
        }
}

static void script_stop(struct control *c)
{
    script_drop_waits(c, NULL);
    free(c->state[MODULE_SCRIPTS]);
}

static void script_session_closed(struct control *c, struct session *s)
{
    script_drop_waits(c, s);
}

const struct module_ops req_script_module = {
    .start = script_start, .stop = script_stop, .session_closed = script_session_closed};
