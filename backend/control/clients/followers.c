#include "backend/control/clients/followers.h"

#include <stdlib.h>

#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/privacy.h"
#include "backend/control/clients/sessions.h"
#include "backend/control/emit.h"
#include "src/model/touched.h"
#include "src/proto/codec.h"

#define LATE_MAX     10000      /* jobs of each kind that change while rows are sent */
#define LEAVING_FULL (4u << 20) /* bytes not read yet: no further rows of retiring jobs */

void followers_tell_resync(struct session *s)
{
    s->follow = FOLLOW_NONE;
    s->snapshotting = false;
    rows_clear_late(s);
    s->resync_told = true;
    conn_ask_drain(s->conn);
}

/* Its snapshot is under way, and the job's row is among those that have been sent. */
static bool followers_has_row(const struct session *s, uint32_t job)
{
    return s->follow == FOLLOW_STARTING && job && job <= s->cursor;
}

struct late_note {
    struct session *s;
    const struct event *ev;
};

/* Jobs that change after their row was sent: the row goes again. */
static void followers_note_late_row(void *ctx, uint32_t job)
{
    const struct late_note *note = ctx;
    struct session *s = note->s;
    bool leaves = note->ev->kind == EV_RETIRE && note->ev->job == job;
    if (!followers_has_row(s, job) || leaves || rows_are_parts(&s->get) ||
        (s->late.rows.n && s->late.rows.v[s->late.rows.n - 1] == job))
        return;
    if (s->late.rows.n < LATE_MAX)
        vec_push(&s->late.rows, job);
    else if (s->get.follow) /* a single query gets the rows as they were when sent */
        followers_tell_resync(s);
}

static void followers_note_late(struct control *c, struct session *s, const struct event *ev)
{
    struct late_note note = {.s = s, .ev = ev};
    if (ev->kind == EV_CONFIG)
        s->late.spec = true;
    event_each_touched(&c->model, ev, followers_note_late_row, &note);
}

/* array: of the job, 0: none. A retired job is not in the state any more, so the caller names its array. */
static bool followers_wants(const struct session *s, const struct emission *e)
{
    const struct event *ev = e->ev;
    uint32_t array = e->array;
    if (s->follow == FOLLOW_JOB && e->uid != s->uid && (privacy_of(s) & PRIVATE_JOBS))
        return false;
    if (s->follow == FOLLOW_MASKED && ev->kind == EV_WINDOW)
        return !(privacy_of(s) & PRIVATE_NODES);
    if (s->follow == FOLLOW_OWN || s->follow == FOLLOW_MASKED) /* row_feed.c sends the rest */
        return ev->kind == EV_WINDOW || ev->kind == EV_EPOCH;
    if (s->follow != FOLLOW_JOB)
        return s->follow == FOLLOW_ALL;
    return s->follow_job == ev->job || (array && array == s->follow_job);
}

static void followers_encode_body(const struct event *ev, const void *p, size_t n, struct str *out)
{
    struct msg_event m = {.seq = ev->seq, .t = ev->t, .kind = ev->kind, .job = ev->job};
    m.body.p = xmemdup(p, n);
    m.body.n = n;
    codec_encode(&msg_event_rec, &m, out);
    free(m.body.p);
}

/* Each of the two forms is made once: what one session may not see of an event, no other one that gets the
 * masked form may. */
static const struct str *followers_encode(const struct session *s, const struct emission *e,
                                          struct str *bytes, struct str *masked)
{
    struct str body = STR_INIT;
    bool is_masked = privacy_event(s, e->uid, e, &body);
    if (is_masked && !masked->len)
        followers_encode_body(e->ev, body.s, body.len, masked);
    if (!is_masked && !bytes->len)
        followers_encode_body(e->ev, e->bytes, e->n, bytes);
    str_fini(&body);
    return is_masked ? masked : bytes;
}

/* Usage is not pushed: the table is large, and clients ask for shares when they need them. */
static void followers_after(struct control *c, const struct emission *e)
{
    const struct event *ev = e->ev;
    if (ev->kind == EV_USAGE)
        return;
    struct str bytes = STR_INIT, masked = STR_INIT;
    list_for_each (s, sessions(c), struct session, link) {
        bool rows = s->follow == FOLLOW_OWN || s->follow == FOLLOW_MASKED;
        bool private = s->follow != FOLLOW_NONE && privacy_of(s);
        if (ev->kind == EV_CONFIG && (rows || private))
            followers_tell_resync(s);
        if (!followers_wants(s, e))
            continue;
        if (!session_push(s, MSG_EVENT, followers_encode(s, e, &bytes, &masked)))
            followers_tell_resync(s);
    }
    str_fini(&bytes);
    str_fini(&masked);
}

/* What the rows of a snapshot under way miss is noted. A job retires: sessions whose snapshot has its row
 * already get its last one. */
static void followers_before(struct control *c, struct emission *e)
{
    const struct job *j = e->job;
    uint64_t seq = e->ev->seq;
    list_for_each (s, sessions(c), struct session, link)
        if (s->follow == FOLLOW_STARTING)
            followers_note_late(c, s, e->ev);
    if (e->ev->kind != EV_RETIRE || !j)
        return;
    list_for_each (s, sessions(c), struct session, link) {
        if (!s->get.follow || !followers_has_row(s, j->id) || !job_state_is_final(j->state))
            continue;
        /* The row that the session has may be older than the job's end, and then could not be retired. */
        if (s->late.retired.n == LATE_MAX || conn_queued(s->conn) >= LEAVING_FULL)
            followers_tell_resync(s);
        else if (rows_send_last(s, j))
            vec_push(&s->late.retired, ((struct retirement){.seq = seq, .job = j->id}));
    }
}

static void followers_note_late_reasons(struct session *s, const struct msg_reasons *rows)
{
    struct late *late = &s->late;
    for (size_t i = 0; s->get.follow && i < rows->rows.n && !late->all_reasons; i++) {
        if (late->reasons.n == LATE_MAX)
            late->all_reasons = true;
        else if (followers_has_row(s, rows->rows.v[i].job))
            vec_push(&late->reasons, rows->rows.v[i].job);
    }
}

static void followers_push_own_reasons(struct session *s, const struct msg_reasons *rows)
{
    struct msg_reasons own = {0};
    for (size_t i = 0; i < rows->rows.n; i++) {
        const struct job *j = model_get_job(&s->ctl->model, rows->rows.v[i].job);
        if (j && j->uid == s->uid)
            *(struct job_reason *)rec_list_push(&own.rows) = rows->rows.v[i];
    }
    if (own.rows.n && !conn_send(s->conn, ctl_ticket(s->ctl), MSG_REASONS, s->follow_tag, &own))
        followers_tell_resync(s);
    rec_fini(&msg_reasons_rec, &own);
}

void followers_push_reasons(struct control *c, const struct msg_reasons *rows)
{
    list_for_each (s, sessions(c), struct session, link) {
        if (s->follow == FOLLOW_STARTING)
            followers_note_late_reasons(s, rows);
        else if (s->follow == FOLLOW_OWN || (s->follow == FOLLOW_JOB && (privacy_of(s) & PRIVATE_JOBS)))
            followers_push_own_reasons(s, rows);
        else if (s->follow == FOLLOW_ALL || s->follow == FOLLOW_MASKED || s->follow == FOLLOW_JOB)
            if (!conn_send(s->conn, ctl_ticket(c), MSG_REASONS, s->follow_tag, rows))
                followers_tell_resync(s);
    }
}

const struct module_ops followers_module = {.before = followers_before, .after = followers_after};
