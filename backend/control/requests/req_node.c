#include "backend/control/requests/req_node.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/node_avoid.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/users/user_cache.h"
#include "src/base/utf8.h"
#include "src/os/log.h"

#define NOTE_MAX 1000u

/* Whether all exist; else answers. */
static bool req_node_are_there(struct session *s, uint64_t tag, const struct strv *nodes)
{
    for (size_t i = 0; i < nodes->n; i++)
        if (!node_is_configured(s->ctl, nodes->v[i])) {
            session_refuse(s, tag, REFUSAL_NO_NODE, 0,
                           &(struct cause){.code = CAUSE_NO_NODE, .name = xstrdup(nodes->v[i])});
            return false;
        }
    return true;
}

void req_drain(struct session *s, uint64_t tag, void *body)
{
    const struct msg_drain *m = body;
    struct control *c = s->ctl;
    uint32_t done = 0;
    if (m->drain && str_is_empty(m->reason)) {
        session_refuse(s, tag, REFUSAL_BAD_REQUEST, 0, &(struct cause){.code = CAUSE_DRAIN_REASON});
        return;
    }
    if (!req_node_are_there(s, tag, &m->nodes))
        return;
    for (size_t i = 0; i < m->nodes.n; i++) {
        struct ev_drain change = {.node = xstrdup(m->nodes.v[i]),
                                  .drain = m->drain,
                                  .reason = xstrdup(m->reason),
                                  .user = xstrdup(user_name(c->users, s->uid))};
        done += ctl_emit(c, EV_DRAIN, 0, &change) == 0;
        log_info("node=%s %s by user=%s%s%.200s", m->nodes.v[i], m->drain ? "drained" : "resumed",
                 user_name(c->users, s->uid), m->drain ? ": " : "", m->drain ? m->reason : "");
        if (!m->drain)
            node_avoid_clear(c, m->nodes.v[i]);
    }
    session_done(s, tag, 0, done);
}

void req_note(struct session *s, uint64_t tag, void *body)
{
    const struct msg_node_note *m = body;
    struct control *c = s->ctl;
    uint32_t done = 0;
    if (!str_is_empty(m->text) && !utf8_is_clean_name(m->text, NOTE_MAX)) {
        session_refuse(s, tag, REFUSAL_BAD_REQUEST, 0,
                       &(struct cause){.code = CAUSE_NOTE_TEXT, .most = NOTE_MAX});
        return;
    }
    if (!req_node_are_there(s, tag, &m->nodes))
        return;
    for (size_t i = 0; i < m->nodes.n; i++) {
        struct ev_note note = {.node = xstrdup(m->nodes.v[i]),
                               .text = xstrdup(m->text),
                               .user = xstrdup(user_name(c->users, s->uid))};
        done += ctl_emit(c, EV_NOTE, 0, &note) == 0;
        log_info("node=%s note by user=%s: %.200s", m->nodes.v[i], user_name(c->users, s->uid),
                 m->text ? m->text : "");
    }
    session_done(s, tag, 0, done);
}

static bool req_node_is_meant(const struct unknown_task *u, const struct msg_node_task_end *m)
{
    return u->job == m->target.job && (m->target.step == STEP_ALL || m->target.step == u->step) &&
           (m->task == NOT_GIVEN || m->task == u->task);
}

static void req_node_refuse_none(struct session *s, uint64_t tag, const struct msg_node_task_end *m)
{
    const struct job *j = model_get_job(&s->ctl->model, m->target.job);
    if (j && j->state != JOB_PENDING && !job_state_is_final(j->state))
        session_refuse(s, tag, REFUSAL_NOT_ALLOWED, j->id,
                       &(struct cause){.code = CAUSE_KNOWN_JOB, .n = j->id});
    else
        session_refuse(
            s, tag, REFUSAL_BAD_REQUEST, 0,
            &(struct cause){.code = CAUSE_NO_UNKNOWN_TASK, .name = xstrdup(m->node), .n = m->target.job});
}

void req_node_task_end(struct session *s, uint64_t tag, void *body)
{
    const struct msg_node_task_end *m = body;
    struct control *c = s->ctl;
    const struct node *n = m->node ? model_get_node(&c->model, m->node) : NULL;
    struct node_peer *peer = n ? node_peer_find(c, m->node) : NULL;
    if (!n || !peer) {
        session_refuse(s, tag, REFUSAL_NO_NODE, 0,
                       &(struct cause){.code = CAUSE_NO_NODE, .name = xstrdup(m->node)});
        return;
    }
    uint32_t done = 0, meant = 0;
    for (size_t i = 0; i < node_rare(n)->unknown.n; i++) {
        const struct unknown_task *u = &node_rare(n)->unknown.v[i];
        if (!req_node_is_meant(u, m))
            continue;
        struct launch_kill k = {
            .key = {.job = u->job, .step = u->step, .task = u->task, .attempt = u->attempt},
            .cause = KILL_CANCEL,
            .grace_s = c->model.spec.kill_wait_s};
        meant++;
        done += peer->reconciled && nodeconn_send(peer->conn, ctl_ticket(c), MSG_KILL, 0, &k);
    }
    if (meant && !done) {
        session_refuse(s, tag, REFUSAL_BAD_REQUEST, 0,
                       &(struct cause){.code = CAUSE_NODE_UNREACHED, .name = xstrdup(m->node)});
        return;
    }
    if (!meant) {
        req_node_refuse_none(s, tag, m);
        return;
    }
    log_info("node=%s %u unknown tasks of job %u ended by user=%s", m->node, done, m->target.job,
             user_name(c->users, s->uid));
    session_done(s, tag, 0, done);
}
