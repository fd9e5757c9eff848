/* req_node.c - drain, resume, note: what administrators say about nodes. */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"

#define NOTE_MAX 1000u

/* Answers where one of them is none. */
static bool are_there(struct session *s, uint64_t tag, const struct strv *nodes)
{
    for (size_t i = 0; i < nodes->n; i++)
        if (!ctl_is_configured(s->ctl, nodes->v[i])) {
            session_reply(s, tag, REFUSAL_NO_NODE, 0, 0, "there is no node %s", nodes->v[i]);
            return false;
        }
    return true;
}

void req_drain(struct session *s, uint64_t tag, const struct msg_drain *m)
{
    struct control *c = s->ctl;
    uint32_t done = 0;
    if (!s->admin) {
        session_reply(s, tag, REFUSAL_NOT_ALLOWED, 0, 0, "only administrators drain and resume nodes");
        return;
    }
    if (m->drain && str_is_empty(m->reason)) {
        session_reply(s, tag, REFUSAL_BAD_REQUEST, 0, 0, "a reason is needed to drain a node");
        return;
    }
    if (!are_there(s, tag, &m->nodes))
        return;
    for (size_t i = 0; i < m->nodes.n; i++) {
        struct ev_drain body = {.node = xstrdup(m->nodes.v[i]),
                                .drain = m->drain,
                                .reason = xstrdup(m->reason),
                                .user = xstrdup(user_name(c->users, s->uid))};
        done += ctl_emit(c, EV_DRAIN, 0, &body) == 0;
        log_info("node=%s %s by user=%s%s%.200s", m->nodes.v[i], m->drain ? "drained" : "resumed",
                 user_name(c->users, s->uid), m->drain ? ": " : "", m->drain ? m->reason : "");
        if (!m->drain)
            ctl_avoid_over(c, m->nodes.v[i]);
    }
    session_reply(s, tag, REFUSAL_NONE, 0, done, "%s", "");
}

void req_note(struct session *s, uint64_t tag, const struct msg_node_note *m)
{
    struct control *c = s->ctl;
    uint32_t done = 0;
    if (!s->admin) {
        session_reply(s, tag, REFUSAL_NOT_ALLOWED, 0, 0, "only administrators write notes about nodes");
        return;
    }
    if (!str_is_empty(m->text) && !utf8_is_clean_name(m->text, NOTE_MAX)) {
        session_reply(s, tag, REFUSAL_BAD_REQUEST, 0, 0, "a note is one line of at most %u printable bytes",
                      NOTE_MAX);
        return;
    }
    if (!are_there(s, tag, &m->nodes))
        return;
    for (size_t i = 0; i < m->nodes.n; i++) {
        struct ev_note body = {.node = xstrdup(m->nodes.v[i]),
                               .text = xstrdup(m->text),
                               .user = xstrdup(user_name(c->users, s->uid))};
        done += ctl_emit(c, EV_NOTE, 0, &body) == 0;
        log_info("node=%s note by user=%s: %.200s", m->nodes.v[i], user_name(c->users, s->uid),
                 m->text ? m->text : "");
    }
    session_reply(s, tag, REFUSAL_NONE, 0, done, "%s", "");
}
