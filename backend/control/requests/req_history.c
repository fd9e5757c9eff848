/* req_history.c - questions about jobs that have left the state: answered in pieces by the store's thread.
 *
 *     client --HISTORY--> req_history --piece?--> store's thread
 *                             ^                        |
 *            more, room? -----+---- on_history <-------+        JOBS ... HISTORY_END --> client
 *
 * One question at a time for each session; a piece is asked for only while the client reads what it got.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/log.h"

#define PIECE_ROWS 500u

struct history_ask {
    uint64_t id;
    struct session *session; /* NULL: it has gone, and a piece for it is on its way */
    struct party *party;
    struct list link; /* in party->asks: another question of his is being read */
    uint64_t tag;
    struct msg_history query;
    struct history_place place;
    uint32_t sent;
    bool reading; /* a piece is on its way from the store */
};

static void forget(struct control *c, struct history_ask *a)
{
    idmap_remove(&c->histories, a->id);
    list_unlink(&a->link);
    if (a->session)
        a->session->history = NULL;
    rec_fini(&msg_history_rec, &a->query);
    free(a);
}

void ctl_drop_history(struct session *s)
{
    struct history_ask *a = s->history;
    if (a && a->reading) {
        a->session = NULL;
        s->history = NULL;
    } else if (a) {
        forget(s->ctl, a);
    }
}

/* The store's thread reads one piece after the other. Of each user there is no more than one among them. */
static void ask_piece(struct control *c, struct history_ask *a)
{
    if (a->party->reads_history) {
        list_append(&a->party->asks, &a->link);
        return;
    }
    a->party->reads_history = true;
    uint32_t left = a->query.limit ? a->query.limit - a->sent : PIECE_ROWS;
    a->reading = true;
    store_get_history(c->store, a->id, &a->query, &a->place, left < PIECE_ROWS ? left : PIECE_ROWS);
}

void req_history(struct session *s, uint64_t tag, struct msg_history *m)
{
    struct control *c = s->ctl;
    size_t names = m->users.n + m->names.n + m->partitions.n + m->accounts.n;
    if (m->jobs.n > GET_NAMES_MAX || names > GET_NAMES_MAX) {
        session_reply(s, tag, REFUSAL_TOO_BIG, 0, 0, "more than %u jobs or names asked for", GET_NAMES_MAX);
        return;
    }
    if (s->history) {
        session_reply(s, tag, REFUSAL_RATE, 0, 0, "another question about the history is being answered");
        return;
    }
    struct history_ask *a = xcalloc(1, sizeof *a);
    a->id = ++c->next_history;
    a->session = s;
    a->party = s->party;
    list_init(&a->link);
    a->tag = tag;
    a->query = *m;
    *m = (struct msg_history){0};
    s->history = a;
    idmap_set(&c->histories, a->id, a);
    ask_piece(c, a);
}

void history_continue(struct session *s)
{
    struct history_ask *a = s->history;
    if (!a || a->reading || !list_empty(&a->link))
        return;
    if (conn_queued(s->conn) < CONN_LOW * 4)
        ask_piece(s->ctl, a);
    else
        conn_ask_drain(s->conn);
}

void ctl_free_history(struct control *c)
{
    VEC(struct history_ask *) all = VEC_INIT;
    idmap_for_each (&c->histories, slot)
        vec_push(&all, slot->value);
    vec_for_each (&all, i)
        forget(c, all.v[i]);
    vec_fini(&all);
    idmap_fini(&c->histories);
}

void ctl_on_history(void *ctx, const struct history_piece *p)
{
    struct control *c = ctx;
    if (p->n_damaged)
        log_warn(
            "%u jobs of the history are damaged and left out (their checksums do not fit); the first is "
            "job %u",
            p->n_damaged, p->damaged_job);
    if (past_answer(c, p) || ctl_take_old_output(c, p))
        return;
    struct history_ask *a = idmap_get(&c->histories, p->id);
    if (!a)
        return;
    struct session *s = a->session;
    a->reading = a->party->reads_history = false;
    struct history_ask *next = list_first(&a->party->asks, struct history_ask, link);
    if (next) {
        list_unlink(&next->link);
        ask_piece(c, next);
    }
    if (!s) {
        forget(c, a);
        return;
    }
    a->place = p->next;
    a->sent += p->n;
    if (p->r < 0) {
        session_reply(s, a->tag, REFUSAL_BAD_REQUEST, 0, 0, "the history cannot be read: %s", p->text);
        forget(c, a);
        return;
    }
    if (p->n && !conn_send_encoded(s->conn, 0, MSG_JOBS, a->tag, p->body, p->size))
        conn_give_up(s->conn);
    if (p->next.whole || (a->query.limit && a->sent >= a->query.limit)) {
        struct msg_history_end end = {.n = a->sent};
        session_send(s, MSG_HISTORY_END, a->tag, &end);
        forget(c, a);
        return;
    }
    history_continue(s);
}
