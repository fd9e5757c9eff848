#include "backend/control/requests/req_history.h"

#include <stdlib.h>

#include "backend/control/clients/privacy.h"

#define PIECE_ROWS 500u

struct history_ask {
    struct list in_all;
    struct control *ctl;
    struct session *session; /* NULL: it has gone, and a piece for it is on its way */
    struct user_quota *quota;
    struct list link; /* in quota->history_asks: another question of the user is being read */
    uint64_t tag;
    struct msg_history query;
    struct history_place place;
    uint32_t sent;
    bool reading; /* a piece is on its way from the store */
};

static void req_history_on_piece(void *ctx, const struct history_piece *p);

static struct list *history_asks(const struct control *c)
{
    return c->state[MODULE_REQ_HISTORY];
}

static void req_history_forget(struct history_ask *a)
{
    list_unlink(&a->in_all);
    list_unlink(&a->link);
    if (a->session)
        a->session->history = NULL;
    rec_fini(&msg_history_rec, &a->query);
    free(a);
}

static void req_history_session_closed(struct control *c, struct session *s)
{
    (void)c;
    struct history_ask *a = s->history;
    if (a && a->reading) {
        a->session = NULL;
        s->history = NULL;
    } else if (a) {
        req_history_forget(a);
    }
}

/* The store's thread reads one piece after the other, of each user one at a time. */
static void req_history_ask_piece(struct control *c, struct history_ask *a)
{
    if (a->quota->reads_history) {
        list_append(&a->quota->history_asks, &a->link);
        return;
    }
    a->quota->reads_history = true;
    uint32_t left = a->query.limit ? a->query.limit - a->sent : PIECE_ROWS;
    a->reading = true;
    bool admin = a->session && a->session->admin;
    store_get_history_for(c->store, &a->query, &a->place, left < PIECE_ROWS ? left : PIECE_ROWS,
                          admin ? NULL : &a->quota->uid, req_history_on_piece, a);
}

void req_history(struct session *s, uint64_t tag, void *body)
{
    struct msg_history *m = body;
    struct control *c = s->ctl;
    size_t names = m->users.n + m->names.n + m->partitions.n + m->accounts.n;
    if (m->jobs.n > GET_NAMES_MAX || names > GET_NAMES_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = GET_NAMES_MAX});
        return;
    }
    if (s->history) {
        session_refuse(s, tag, REFUSAL_RATE, 0, &(struct cause){.code = CAUSE_HISTORY_BUSY});
        return;
    }
    if ((privacy_of(s) & (PRIVATE_JOBS | PRIVATE_USAGE)) && !privacy_own_users(s, &m->users)) {
        session_send(s, MSG_HISTORY_END, tag, &(struct msg_history_end){0});
        return;
    }
    struct history_ask *a = xcalloc(1, sizeof *a);
    a->ctl = c;
    a->session = s;
    a->quota = s->quota;
    list_init(&a->link);
    a->tag = tag;
    a->query = *m;
    *m = (struct msg_history){0};
    s->history = a;
    list_init(&a->in_all);
    list_append(history_asks(c), &a->in_all);
    req_history_ask_piece(c, a);
}

static void req_history_drained(struct control *c, struct session *s)
{
    struct history_ask *a = s->history;
    if (!a || a->reading || !list_empty(&a->link))
        return;
    if (conn_queued(s->conn) < CONN_LOW * 4)
        req_history_ask_piece(c, a);
    else
        conn_ask_drain(s->conn);
}

static void req_history_on_piece(void *ctx, const struct history_piece *p)
{
    struct history_ask *a = ctx;
    struct control *c = a->ctl;
    struct session *s = a->session;
    a->reading = a->quota->reads_history = false;
    struct history_ask *next = list_first(&a->quota->history_asks, struct history_ask, link);
    if (next) {
        list_unlink(&next->link);
        req_history_ask_piece(c, next);
    }
    if (!s) {
        req_history_forget(a);
        return;
    }
    a->place = p->next;
    a->sent += p->n;
    if (p->r < 0) {
        session_refuse(s, a->tag, REFUSAL_BAD_REQUEST, 0,
                       &(struct cause){.code = CAUSE_HISTORY_UNREADABLE, .text = xstrdup(p->text)});
        req_history_forget(a);
        return;
    }
    if (p->n && !conn_send_encoded(s->conn, 0, MSG_JOBS, a->tag, p->body, p->size))
        conn_give_up(s->conn);
    if (p->next.whole || (a->query.limit && a->sent >= a->query.limit)) {
        struct msg_history_end end = {.n = a->sent};
        session_send(s, MSG_HISTORY_END, a->tag, &end);
        req_history_forget(a);
        return;
    }
    req_history_drained(c, s);
}

static void req_history_start(struct control *c)
{
    struct list *all = c->state[MODULE_REQ_HISTORY] = xcalloc(1, sizeof *all);
    list_init(all);
}

static void req_history_stop(struct control *c)
{
    list_for_each (a, history_asks(c), struct history_ask, in_all)
        req_history_forget(a);
    free(c->state[MODULE_REQ_HISTORY]);
}

const struct module_ops req_history_module = {.start = req_history_start,
                                              .stop = req_history_stop,
                                              .session_closed = req_history_session_closed,
                                              .session_drained = req_history_drained};
