#include "backend/control/requests/req_audit.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/users/audit.h"
#include "src/values/hostlist.h"

/* --- what a request says: before it is handled, which may take its texts --- */

static char *audit_text(const char *s)
{
    return s ? xstrndup(s, AUDIT_TEXT_MAX + 1) : NULL;
}

static void audit_target(struct control *c, const struct job_target *t, struct audit_line *l)
{
    audit_add_job(c, l, t->job, t->array_index);
}

static char *audit_nodes(const struct strv *nodes, const char *text)
{
    char *list = hostlist_compress(nodes);
    char *all = str_is_empty(text) ? xstrdup(list) : xasprintf("%.120s: %.200s", list, text);
    free(list);
    return all;
}

void audit_submit(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_submit *m = body;
    (void)c;
    l->request = m->test_only ? AUDIT_NONE : AUDIT_SUBMIT;
    l->object = audit_text(m->req.name);
}

void audit_step_create(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_step_create *m = body;
    l->request = AUDIT_STEP;
    l->object = audit_text(m->step.name);
    audit_add_job(c, l, m->job, ARRAY_NONE);
}

void audit_act(struct control *c, const void *body, struct audit_line *l)
{
    static const uint32_t requests[] = {
        [ACT_CANCEL] = AUDIT_CANCEL,   [ACT_SIGNAL] = AUDIT_SIGNAL,
        [ACT_HOLD] = AUDIT_HOLD,       [ACT_RELEASE] = AUDIT_RELEASE,
        [ACT_REQUEUE] = AUDIT_REQUEUE, [ACT_REQUEUE_HOLD] = AUDIT_REQUEUE_HOLD,
        [ACT_SUSPEND] = AUDIT_SUSPEND, [ACT_RESUME] = AUDIT_RESUME,
        [ACT_NOTIFY] = AUDIT_NOTIFY,
    };
    const struct msg_act *m = body;
    struct str text = STR_INIT;
    l->request = m->act <= ACT_NOTIFY ? requests[m->act] : AUDIT_NONE;
    for (size_t i = 0; i < m->targets.n && i < AUDIT_JOBS_MAX; i++)
        audit_target(c, &m->targets.v[i], l);
    if (m->act == ACT_SIGNAL)
        str_appendf(&text, "signal %d", m->signal);
    if (m->targets.n == 1 && m->targets.v[0].step != STEP_ALL)
        str_appendf(&text, "%sstep %d", text.len ? ", " : "", m->targets.v[0].step);
    if (m->targets.n > AUDIT_JOBS_MAX)
        str_appendf(&text, "%s%zu jobs in all", text.len ? ", " : "", m->targets.n);
    l->object = text.len ? str_take(&text) : NULL;
    str_fini(&text);
}

void audit_update(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_update *m = body;
    struct str text = STR_INIT;
    l->request = AUDIT_UPDATE;
    audit_target(c, &m->target, l);
    for (size_t i = 0; i < m->changes.n && text.len <= AUDIT_TEXT_MAX; i++)
        str_appendf(&text, "%s%.*s", i ? " " : "", (int)AUDIT_TEXT_MAX, m->changes.v[i]);
    l->object = str_take(&text);
}

void audit_complete(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_complete *m = body;
    l->request = AUDIT_COMPLETE;
    audit_add_job(c, l, m->job, ARRAY_NONE);
}

void audit_drain(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_drain *m = body;
    (void)c;
    l->request = m->drain ? AUDIT_DRAIN : AUDIT_UNDRAIN;
    l->object = audit_nodes(&m->nodes, m->drain ? m->reason : NULL);
}

void audit_note(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_node_note *m = body;
    (void)c;
    l->request = AUDIT_NOTE;
    l->object = audit_nodes(&m->nodes, m->text);
}

void audit_node_task_end(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_node_task_end *m = body;
    l->request = AUDIT_END_TASKS;
    l->object = audit_text(m->node);
    audit_add_job(c, l, m->target.job, ARRAY_NONE);
}

void audit_window(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_window_set *m = body;
    (void)c;
    l->request = m->remove ? AUDIT_WINDOW_REMOVE : AUDIT_WINDOW;
    l->object = audit_text(m->window.name);
}

void audit_reload(struct control *c, const void *body, struct audit_line *l)
{
    (void)c;
    (void)body;
    l->request = AUDIT_RELOAD;
}

void audit_shutdown(struct control *c, const void *body, struct audit_line *l)
{
    const struct msg_flag *m = body;
    (void)c;
    l->request = AUDIT_SHUTDOWN;
    l->object = m->on ? xstrdup("all jobs are ended") : NULL;
}

/* --- questions --- */

struct audit_ask {
    struct list link;
    struct session *session; /* NULL: it has gone, and the answer is on its way */
    uint64_t tag;
};

static struct list *audit_asks(const struct control *c)
{
    return c->state[MODULE_REQ_AUDIT];
}

static void audit_on_piece(void *ctx, const struct audit_piece *p)
{
    struct audit_ask *a = ctx;
    if (a->session && p->r < 0)
        session_refuse(a->session, a->tag, REFUSAL_BAD_REQUEST, 0,
                       &(struct cause){.code = CAUSE_HISTORY_UNREADABLE, .text = xstrdup(p->text)});
    else if (a->session)
        session_send_encoded(a->session, MSG_AUDIT_LINES, a->tag, p->body, p->size);
    list_unlink(&a->link);
    free(a);
}

/* One question of a connection at a time: the store's thread reads for all users. */
void req_audit(struct session *s, uint64_t tag, void *body)
{
    const struct msg_audit *m = body;
    if (m->users.n + m->nodes.n + m->requests.n > GET_NAMES_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, 0,
                       &(struct cause){.code = CAUSE_ASKED_TOO_MANY, .most = GET_NAMES_MAX});
        return;
    }
    list_for_each (other, audit_asks(s->ctl), struct audit_ask, link)
        if (other->session && other->session->uid == s->uid && (!s->admin || other->session == s)) {
            session_refuse(s, tag, REFUSAL_RATE, 0, &(struct cause){.code = CAUSE_HISTORY_BUSY});
            return;
        }
    struct audit_ask *a = xcalloc(1, sizeof *a);
    a->session = s;
    a->tag = tag;
    list_init(&a->link);
    list_append(audit_asks(s->ctl), &a->link);
    store_get_audit(s->ctl->store, m, &(struct audit_reader){.uid = s->uid, .admin = s->admin},
                    audit_on_piece, a);
}

static void req_audit_session_closed(struct control *c, struct session *s)
{
    list_for_each (a, audit_asks(c), struct audit_ask, link)
        if (a->session == s)
            a->session = NULL;
}

static void req_audit_start(struct control *c)
{
    struct list *all = c->state[MODULE_REQ_AUDIT] = xcalloc(1, sizeof *all);
    list_init(all);
}

static void req_audit_stop(struct control *c)
{
    list_for_each (a, audit_asks(c), struct audit_ask, link) {
        list_unlink(&a->link);
        free(a);
    }
    free(c->state[MODULE_REQ_AUDIT]);
}

const struct module_ops req_audit_module = {
    .start = req_audit_start, .stop = req_audit_stop, .session_closed = req_audit_session_closed};
