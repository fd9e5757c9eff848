/* followers.c - what is pushed to the sessions that follow: events, reasons, utilisation.
 *
 * While a session gets its snapshot, nothing is pushed to it: the state that it shows still is an older
 * one. What changes of the rows that it has is noted (struct late) and told at the snapshot's end
 * (job_rows.c). A session that reads too slowly is told to ask again instead of filling the controller's
 * memory.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/proto/codec.h"

#define LATE_MAX     10000      /* jobs of each sort that change while rows are sent */
#define LEAVING_FULL (4u << 20) /* bytes not read yet: no more go out of turn */

void late_clear(struct session *s)
{
    vec_clear(&s->late.rows);
    vec_clear(&s->late.reasons);
    vec_clear(&s->late.retired);
    s->late.all_reasons = s->late.spec = false;
}

void late_fini(struct session *s)
{
    vec_fini(&s->late.rows);
    vec_fini(&s->late.reasons);
    vec_fini(&s->late.retired);
}

/* Too slow for pushes: once there is room it is told to ask again, and nothing else is sent. */
static void tell_resync(struct session *s)
{
    s->follow = FOLLOW_NONE;
    s->snapshotting = false;
    late_clear(s);
    s->resync_told = true;
    conn_ask_drain(s->conn);
}

/* Its snapshot is under way, and the job's row is among those that have been sent. */
static bool has_row(const struct session *s, uint32_t job)
{
    return s->follow == FOLLOW_STARTING && job && job <= s->cursor;
}

/* Jobs that change after their row was sent: the row goes again. */
static void note_late(struct session *s, const struct event *ev)
{
    if (ev->kind == EV_CONFIG)
        s->late.spec = true;
    if (!has_row(s, ev->job) || ev->kind == EV_RETIRE || rows_are_parts(&s->get) ||
        (s->late.rows.n && s->late.rows.v[s->late.rows.n - 1] == ev->job))
        return;
    if (s->late.rows.n < LATE_MAX)
        vec_push(&s->late.rows, ev->job);
    else if (s->get.follow) /* a single query gets the rows as they were when sent */
        tell_resync(s);
}

/* array: of the job, 0: none. A retired job is not in the state any more, so the caller names its array. */
static bool wants(const struct session *s, uint32_t job, uint32_t array)
{
    if (s->follow != FOLLOW_JOB)
        return s->follow == FOLLOW_ALL;
    return s->follow_job == job || (array && array == s->follow_job);
}

void ctl_push_event(struct control *c, const struct event *ev, uint32_t array, const void *encoded,
                    size_t n)
{
    struct str bytes = STR_INIT;
    uint64_t gate = 0;
    list_for_each (s, &c->sessions, struct session, link) {
        if (s->follow == FOLLOW_STARTING)
            note_late(s, ev);
        if (!wants(s, ev->job, array))
            continue;
        if (!bytes.len) {
            struct msg_event m = {.seq = ev->seq, .t = ev->t, .kind = ev->kind, .job = ev->job};
            m.body.p = xmemdup(encoded, n);
            m.body.n = n;
            codec_encode(&msg_event_rec, &m, &bytes);
            free(m.body.p);
            gate = ctl_gate(c);
        }
        if (!conn_send_encoded(s->conn, gate, MSG_EVENT, s->follow_tag, bytes.s, bytes.len))
            tell_resync(s);
    }
    str_fini(&bytes);
}

void ctl_note_leaving(struct control *c, const struct job *j, uint64_t seq)
{
    list_for_each (s, &c->sessions, struct session, link) {
        if (!s->get.follow || !has_row(s, j->id) || !job_state_is_final(j->state))
            continue;
        /* The row that the session has may be older than the job's end, and then could not be retired. */
        if (s->late.retired.n == LATE_MAX || conn_queued(s->conn) >= LEAVING_FULL)
            tell_resync(s);
        else if (rows_send_last(s, j))
            vec_push(&s->late.retired, ((struct retirement){.seq = seq, .job = j->id}));
    }
}

static void note_late_reasons(struct session *s, const struct msg_reasons *rows)
{
    struct late *late = &s->late;
    for (size_t i = 0; s->get.follow && i < rows->rows.n && !late->all_reasons; i++) {
        if (late->reasons.n == LATE_MAX)
            late->all_reasons = true;
        else if (has_row(s, rows->rows.v[i].job))
            vec_push(&late->reasons, rows->rows.v[i].job);
    }
}

void ctl_push_reasons(struct control *c, const struct msg_reasons *rows)
{
    list_for_each (s, &c->sessions, struct session, link) {
        if (s->follow == FOLLOW_STARTING)
            note_late_reasons(s, rows);
        else if (s->follow == FOLLOW_ALL || s->follow == FOLLOW_JOB)
            if (!conn_send(s->conn, ctl_gate(c), MSG_REASONS, s->follow_tag, rows))
                tell_resync(s);
    }
}

void ctl_push_util(struct control *c, const struct msg_util *u)
{
    list_for_each (s, &c->sessions, struct session, link)
        if (s->watch_util && conn_queued(s->conn) < CONN_LOW)
            conn_send(s->conn, 0, MSG_UTIL, s->util_tag, u);
}
