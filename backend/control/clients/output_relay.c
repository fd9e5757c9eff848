#include "backend/control/clients/output_relay.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/clients/privacy.h"
#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "src/base/idmap.h"
#include "src/jobenv/filename.h"
#include "src/model/task_parts.h"
#include "src/proto/codec.h"

#define READ_MAX        (256u << 10)
#define INPUT_MAX       (256u << 10)
#define INPUTS_MAX      64u
#define READS_MAX       (16u * NODE_RANKS_MAX)
#define USER_READS_MAX  (4u * READS_MAX) /* of all connections of a user who is not an administrator */
#define INPUT_QUEUE_MAX (1u << 20)
#define READ_QUEUE_MAX  (16u << 20)
#define WAIT_MAX_MS     60000u
#define OLD_MAX         16u
#define WHO_MAX         200u

struct relay {   /* a request of a client that an agent answers */
    uint64_t id; /* tag towards the agent */
    struct session *session;
    uint64_t tag; /* of the client */
    struct node_peer *node;
    bool input;
};

struct relays {
    struct idmap map; /* id -> struct relay */
    uint64_t last_id;
    struct list old; /* of struct old_output */
};

static struct relays *relays_of(const struct control *c)
{
    return c->state[MODULE_RELAYS];
}

/* The task of a step that runs a rank: by number where the step has one task a rank. */
static const struct task *relay_task_of_rank(const struct job *j, const struct step *s,
                                             const struct launch_key *key, uint32_t rank)
{
    if (j->kind == JOB_KIND_STEPS) {
        const struct task *t = step_find_task(s, key->task);
        const struct task *part = t ? task_parts_find_rank(s, task_parts_of(s, t), rank) : NULL;
        return part ? part : t;
    }
    return step_find_rank(s, rank, NULL);
}

static const struct task *relay_find_task(struct session *s, uint64_t tag, const struct job *j,
                                          struct launch_key *key, uint32_t rank,
                                          const struct step **ret_step)
{
    if (!j || !session_owns(s, j)) {
        bool known = j && !privacy_hides_job(s, j);
        session_refuse(s, tag, known ? REFUSAL_NOT_ALLOWED : REFUSAL_NO_JOB, key->job,
                       &(struct cause){.code = known ? CAUSE_OTHER_USERS_OUTPUT : CAUSE_NO_JOB_OF_YOURS,
                                       .n = known ? 0 : key->job});
        return NULL;
    }
    *ret_step = job_find_step(j, key->step);
    const struct task *t = *ret_step ? relay_task_of_rank(j, *ret_step, key, rank) : NULL;
    if (!t) {
        session_refuse(s, tag, REFUSAL_NO_STEP, key->job,
                       &(struct cause){.code = CAUSE_NO_STEP_OR_TASK, .n = key->job});
        return NULL;
    }
    key->task = t->index;
    key->nonce = j->nonce;
    if (!key->attempt)
        key->attempt = t->attempt;
    return t;
}

static struct relay *relay_add(struct session *s, uint64_t tag, struct node_peer *n, bool input)
{
    struct relay *r = xcalloc(1, sizeof *r);
    *r = (struct relay){
        .id = ++relays_of(s->ctl)->last_id, .session = s, .tag = tag, .node = n, .input = input};
    idmap_set(&relays_of(s->ctl)->map, r->id, r);
    s->n_inputs += input;
    s->n_reads += !input;
    s->quota->n_reads += !input;
    return r;
}

static void relay_free(struct relay *r)
{
    r->session->n_inputs -= r->input;
    r->session->n_reads -= !r->input;
    r->session->quota->n_reads -= !r->input;
    free(r);
}

/* What a session, and all of them towards one node, may have under way. Input is large and srun sends it
 * again; a reading is small, waits long, and there is one for each stream of each rank. */
static bool relay_is_busy(const struct session *s, const struct node_peer *n, bool input)
{
    if (input)
        return s->n_inputs >= INPUTS_MAX || nodeconn_queued(n->conn) > INPUT_QUEUE_MAX;
    if (!s->admin && s->quota->n_reads >= USER_READS_MAX)
        return true;
    return s->n_reads >= READS_MAX || nodeconn_queued(n->conn) > READ_QUEUE_MAX;
}

static void relay_send(struct session *s, uint64_t tag, const struct task *t, enum msg_kind kind,
                       const void *body)
{
    struct control *c = s->ctl;
    struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
    if (!n || !nodeconn_is_up(n->conn)) {
        enum cause_code code = !t->alloc.node            ? CAUSE_NODE_NONE_YET
                               : kind != MSG_OUTPUT_READ ? CAUSE_NODE_SILENT
                               : n                       ? CAUSE_NODE_KEEPS
                                                         : CAUSE_NODE_REMOVED;
        session_refuse(s, tag, REFUSAL_NOT_RUNNING, 0,
                       &(struct cause){.code = code, .name = xstrdup(t->alloc.node)});
        return;
    }
    if (relay_is_busy(s, n, kind == MSG_INPUT)) {
        session_refuse(s, tag, REFUSAL_STEP_BUSY, 0,
                       &(struct cause){.code = CAUSE_NODE_BUSY, .name = xstrdup(t->alloc.node)});
        return;
    }
    struct relay *r = relay_add(s, tag, n, kind == MSG_INPUT);
    nodeconn_send(n->conn, ctl_ticket(c), kind, r->id, body);
}

/* The owner and the path of the file come from the job's record, never from the request. */
static void relay_read_output(struct session *s, uint64_t tag, const struct job *j,
                              struct msg_output_read *m)
{
    const struct step *st;
    const struct task *t = relay_find_task(s, tag, j, &m->key, m->rank, &st);
    if (!t)
        return;
    m->max = m->max && m->max < READ_MAX ? m->max : READ_MAX;
    m->wait_ms = m->wait_ms < WAIT_MAX_MS ? m->wait_ms : WAIT_MAX_MS;
    free(m->path);
    free(m->user);
    m->path = m->stream == 2 ? step_stderr_path(j, st, t, m->rank) : step_stdout_path(j, st, t, m->rank);
    m->uid = j->uid;
    m->gid = job_origin(j)->gid;
    m->user = xstrdup(j->user);
    relay_send(s, tag, t, MSG_OUTPUT_READ, m);
}

/* A question about a job that has left the state: its record comes from the history first. */
struct old_output {
    struct list link;
    struct control *ctl;
    struct session *session; /* NULL: it has gone, and the answer is on its way */
    uint64_t tag;
    struct msg_output_read m;
};

static void relay_on_history(void *ctx, const struct history_piece *p);

static void relay_ask_history(struct control *c, struct old_output *o, const struct history_place *from)
{
    struct msg_history q = {.limit = 1};
    struct history_place start = {0};
    struct job_target *t = rec_list_push(&q.jobs);
    *t = (struct job_target){.job = o->m.key.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    store_get_history(c->store, &q, from ? from : &start, 1, relay_on_history, o);
    rec_fini(&msg_history_rec, &q);
}

static void relay_forget_old(struct old_output *o)
{
    if (o->session)
        o->session->n_old--;
    list_unlink(&o->link);
    rec_fini(&msg_output_read_rec, &o->m);
    free(o);
}

static void relay_on_history(void *ctx, const struct history_piece *p)
{
    struct old_output *o = ctx;
    struct control *c = o->ctl;
    if (!o->session) {
        relay_forget_old(o);
        return;
    }
    if (p->r == 0 && !p->n && !p->next.whole) { /* a piece without rows: more may lie behind it */
        relay_ask_history(c, o, &p->next);
        return;
    }
    struct msg_jobs jobs = {0};
    struct errtext err = {""};
    int r = p->r == 0 && p->n ? codec_decode_own(&msg_jobs_rec, p->body, p->size, &jobs, &err) : p->r;
    const struct job *found = NULL;
    for (size_t i = 0; r == 0 && i < jobs.rows.n; i++)
        if (jobs.rows.v[i].id == o->m.key.job)
            found = &jobs.rows.v[i];
    if (r < 0)
        session_refuse(
            o->session, o->tag, REFUSAL_BAD_REQUEST, o->m.key.job,
            &(struct cause){.code = CAUSE_HISTORY_UNREADABLE, .text = xstrdup(p->r < 0 ? p->text : err.s)});
    else
        relay_read_output(o->session, o->tag, found, &o->m);
    rec_fini(&msg_jobs_rec, &jobs);
    relay_forget_old(o);
}

void req_output(struct session *s, uint64_t tag, void *body)
{
    struct msg_output_read *m = body;
    struct control *c = s->ctl;
    const struct job *j = model_get_job(&c->model, m->key.job);
    if (j || m->key.job >= c->model.next_job) {
        relay_read_output(s, tag, j, m);
        return;
    }
    if (s->n_old >= OLD_MAX) {
        session_refuse(s, tag, REFUSAL_RATE, m->key.job, &(struct cause){.code = CAUSE_OUTPUTS_TOO_MANY});
        return;
    }
    struct old_output *o = xcalloc(1, sizeof *o);
    *o = (struct old_output){.ctl = c, .session = s, .tag = tag, .m = *m};
    *m = (struct msg_output_read){0};
    s->n_old++;
    list_init(&o->link);
    list_append(&relays_of(c)->old, &o->link);
    relay_ask_history(c, o, NULL);
}

void req_input(struct session *s, uint64_t tag, void *body)
{
    struct msg_input *m = body;
    if (m->data.n > INPUT_MAX) {
        session_refuse(s, tag, REFUSAL_TOO_BIG, m->key.job,
                       &(struct cause){.code = CAUSE_INPUT_LARGE, .most = INPUT_MAX});
        return;
    }
    if (m->who && strlen(m->who) > WHO_MAX)
        m->who[WHO_MAX] = '\0'; /* it is kept on the node, and shown to the second writer */
    const struct step *st;
    const struct task *t =
        relay_find_task(s, tag, model_get_job(&s->ctl->model, m->key.job), &m->key, m->key.task, &st);
    if (t)
        relay_send(s, tag, t, MSG_INPUT, m);
}

void output_relay_answer(struct control *c, const struct node_peer *from, uint64_t id, enum msg_kind kind,
                         const void *body)
{
    struct relay *r = idmap_get(&relays_of(c)->map, id);
    if (!r || r->node != from)
        return;
    idmap_remove(&relays_of(c)->map, id);
    session_send(r->session, kind, r->tag, body);
    relay_free(r);
}

/* Of a session, or of a node. */
static void relay_drop(struct control *c, const struct session *s, const struct node_peer *n)
{
    VEC(uint64_t) gone = VEC_INIT;
    if (s && !s->n_inputs && !s->n_reads)
        return;
    idmap_for_each (&relays_of(c)->map, slot) {
        const struct relay *r = slot->value;
        if ((s && r->session == s) || (n && r->node == n))
            vec_push(&gone, slot->id);
    }
    vec_for_each (&gone, i) {
        struct relay *r = idmap_remove(&relays_of(c)->map, gone.v[i]);
        if (n)
            session_refuse(
                r->session, r->tag, REFUSAL_NOT_RUNNING, 0,
                &(struct cause){.code = CAUSE_NODE_SILENT, .name = xstrdup(nodeconn_node(n->conn))});
        relay_free(r);
    }
    vec_fini(&gone);
}

static void relay_session_closed(struct control *c, struct session *s)
{
    relay_drop(c, s, NULL);
    list_for_each (o, &relays_of(c)->old, struct old_output, link)
        if (o->session == s)
            o->session = NULL;
}

static void relay_peer_down(struct control *c, struct node_peer *n)
{
    relay_drop(c, NULL, n);
}

static void relay_start(struct control *c)
{
    struct relays *r = c->state[MODULE_RELAYS] = xcalloc(1, sizeof *r);
    list_init(&r->old);
}

static void relay_stop(struct control *c)
{
    list_for_each (o, &relays_of(c)->old, struct old_output, link)
        relay_forget_old(o);
    idmap_fini(&relays_of(c)->map);
    free(relays_of(c));
}

const struct module_ops output_relay_module = {.start = relay_start,
                                               .stop = relay_stop,
                                               .session_closed = relay_session_closed,
                                               .peer_down = relay_peer_down,
                                               .peer_removed = relay_peer_down};
