/* output_relay.c - questions that a node answers: what its tasks print, what they are to read.
 *
 *     client --OUTPUT_READ, INPUT--> relay --the same, with a number of ours--> agent
 *        ^                                                                        |
 *        +-------------------------- OUTPUT_DATA, INPUT_ACK <---------------------+
 */
#include <stdlib.h>
#include <string.h>

#include "backend/control/private.h"
#include "src/base/xalloc.h"
#include "src/jobenv/filename.h"
#include "src/proto/codec.h"

#define READ_MAX        (256u << 10)
#define INPUT_MAX       (256u << 10)
#define INPUTS_MAX      64u
#define READS_MAX       (16u * NODE_RANKS_MAX)
#define USER_READS_MAX  (4u * READS_MAX) /* of all connections of a user who is no administrator */
#define INPUT_QUEUE_MAX (1u << 20)
#define READ_QUEUE_MAX  (16u << 20)
#define WAIT_MAX_MS     60000u
#define OLD_ID          (UINT64_C(1) << 62) /* marks our questions to the history among those of clients */
#define OLD_MAX         16u
#define WHO_MAX         200u

/* The task of a step that runs a rank: by number where the step has one task a rank. */
static const struct task *task_of_rank(const struct job *j, const struct step *s,
                                       const struct launch_key *key, uint32_t rank)
{
    if (j->kind == JOB_KIND_STEPS)
        return step_find_task(s, key->task);
    return step_find_rank(s, rank, NULL);
}

static const struct task *find_in_job(struct session *s, uint64_t tag, const struct job *j,
                                      struct launch_key *key, uint32_t rank, const struct step **ret_step)
{
    if (!j || !session_owns(s, j)) {
        session_reply(s, tag, REFUSAL_NO_JOB, key->job, 0, "there is no job %u of yours", key->job);
        return NULL;
    }
    *ret_step = job_find_step(j, key->step);
    const struct task *t = *ret_step ? task_of_rank(j, *ret_step, key, rank) : NULL;
    if (!t) {
        session_reply(s, tag, REFUSAL_NO_STEP, key->job, 0, "job %u has no such step or task", key->job);
        return NULL;
    }
    key->task = t->index;
    key->nonce = j->nonce;
    if (!key->attempt)
        key->attempt = t->attempt;
    return t;
}

static struct relay *add_relay(struct session *s, uint64_t tag, struct node_link *n, bool input)
{
    struct relay *r = xcalloc(1, sizeof *r);
    *r = (struct relay){.id = ++s->ctl->next_relay, .session = s, .tag = tag, .node = n, .input = input};
    idmap_set(&s->ctl->relays, r->id, r);
    s->n_inputs += input;
    s->n_reads += !input;
    s->party->n_reads += !input;
    return r;
}

static void relay_free(struct relay *r)
{
    r->session->n_inputs -= r->input;
    r->session->n_reads -= !r->input;
    r->session->party->n_reads -= !r->input;
    free(r);
}

/* What a session, and all of them towards one node, may have under way. Input is large and srun sends it
 * again; a reading is small, waits long, and there is one for each stream of each rank. */
static bool is_busy(const struct session *s, const struct node_link *n, bool input)
{
    if (input)
        return s->n_inputs >= INPUTS_MAX || nodeconn_queued(n->conn) > INPUT_QUEUE_MAX;
    if (!s->admin && s->party->n_reads >= USER_READS_MAX)
        return true;
    return s->n_reads >= READS_MAX || nodeconn_queued(n->conn) > READ_QUEUE_MAX;
}

static void relay(struct session *s, uint64_t tag, const struct task *t, enum msg_kind kind,
                  const void *body)
{
    struct control *c = s->ctl;
    struct node_link *n = t->alloc.node ? ctl_node(c, t->alloc.node) : NULL;
    if (!n || !nodeconn_is_up(n->conn)) {
        if (n || kind != MSG_OUTPUT_READ || !t->alloc.node)
            session_reply(
                s, tag, REFUSAL_NOT_RUNNING, 0, 0, "node %s does not answer now%s",
                t->alloc.node ? t->alloc.node : "(none yet)",
                kind == MSG_OUTPUT_READ && t->alloc.node ? ": what it keeps is read when it is back" : "");
        else
            session_reply(s, tag, REFUSAL_NOT_RUNNING, 0, 0,
                          "node %s, where it lies, is not in the cluster now", t->alloc.node);
        return;
    }
    if (is_busy(s, n, kind == MSG_INPUT)) {
        session_reply(s, tag, REFUSAL_STEP_BUSY, 0, 0, "node %s is busy: again later", t->alloc.node);
        return;
    }
    struct relay *r = add_relay(s, tag, n, kind == MSG_INPUT);
    nodeconn_send(n->conn, ctl_gate(c), kind, r->id, body);
}

/* --- output --- */

/* Whose file it is, and which, is what the job's record says and not what the question does. */
static void read_output(struct session *s, uint64_t tag, const struct job *j, struct msg_output_read *m)
{
    const struct step *st;
    const struct task *t = find_in_job(s, tag, j, &m->key, m->rank, &st);
    if (!t)
        return;
    m->max = m->max && m->max < READ_MAX ? m->max : READ_MAX;
    m->wait_ms = m->wait_ms < WAIT_MAX_MS ? m->wait_ms : WAIT_MAX_MS;
    free(m->path);
    free(m->user);
    m->path = m->stream == 2 ? step_stderr_path(j, st, t, m->rank) : step_stdout_path(j, st, t, m->rank);
    m->uid = j->uid;
    m->gid = j->gid;
    m->user = xstrdup(j->user);
    relay(s, tag, t, MSG_OUTPUT_READ, m);
}

/* A question about a job that has left the state: its record comes from the history first. */
struct old_output {
    uint64_t id;
    struct session *session;
    uint64_t tag;
    struct msg_output_read m;
};

static void ask_history(struct control *c, const struct old_output *o, const struct history_place *from)
{
    struct msg_history q = {.limit = 1};
    struct history_place start = {0};
    struct job_target *t = rec_list_push(&q.jobs);
    *t = (struct job_target){.job = o->m.key.job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    store_get_history(c->store, o->id, &q, from ? from : &start, 1);
    rec_fini(&msg_history_rec, &q);
}

static void forget(struct control *c, struct old_output *o)
{
    idmap_remove(&c->old_outputs, o->id);
    o->session->n_old--;
    rec_fini(&msg_output_read_rec, &o->m);
    free(o);
}

void ctl_drop_old_outputs(struct control *c, const struct session *s)
{
    VEC(uint64_t) gone = VEC_INIT;
    idmap_for_each (&c->old_outputs, slot)
        if (!s || ((const struct old_output *)slot->value)->session == s)
            vec_push(&gone, slot->id);
    vec_for_each (&gone, i)
        forget(c, idmap_get(&c->old_outputs, gone.v[i]));
    vec_fini(&gone);
}

bool ctl_take_old_output(struct control *c, const struct history_piece *p)
{
    struct old_output *o = idmap_get(&c->old_outputs, p->id);
    if (!o)
        return (p->id & OLD_ID) != 0;
    if (p->r == 0 && !p->n && !p->next.whole) { /* a piece without rows: more may lie behind it */
        ask_history(c, o, &p->next);
        return true;
    }
    struct msg_jobs jobs = {0};
    struct errtext err = {""};
    int r = p->r == 0 && p->n ? codec_decode_own(&msg_jobs_rec, p->body, p->size, &jobs, &err) : p->r;
    const struct job *found = NULL;
    for (size_t i = 0; r == 0 && i < jobs.rows.n; i++)
        if (jobs.rows.v[i].id == o->m.key.job)
            found = &jobs.rows.v[i];
    if (r < 0)
        session_reply(o->session, o->tag, REFUSAL_BAD_REQUEST, o->m.key.job, 0,
                      "the history cannot be read: %s", p->r < 0 ? p->text : err.s);
    else
        read_output(o->session, o->tag, found, &o->m);
    rec_fini(&msg_jobs_rec, &jobs);
    forget(c, o);
    return true;
}

void req_output(struct session *s, uint64_t tag, struct msg_output_read *m)
{
    struct control *c = s->ctl;
    const struct job *j = model_get_job(&c->model, m->key.job);
    if (j || m->key.job >= c->model.next_job) {
        read_output(s, tag, j, m);
        return;
    }
    if (s->n_old >= OLD_MAX) {
        session_reply(s, tag, REFUSAL_RATE, m->key.job, 0, "too many questions about old jobs at a time");
        return;
    }
    struct old_output *o = xcalloc(1, sizeof *o);
    *o = (struct old_output){.id = OLD_ID | ++c->next_history, .session = s, .tag = tag, .m = *m};
    *m = (struct msg_output_read){0};
    s->n_old++;
    idmap_set(&c->old_outputs, o->id, o);
    ask_history(c, o, NULL);
}

/* --- input --- */

void req_input(struct session *s, uint64_t tag, struct msg_input *m)
{
    if (m->data.n > INPUT_MAX) {
        session_reply(s, tag, REFUSAL_TOO_BIG, m->key.job, 0, "input comes in pieces of 256 KiB at most");
        return;
    }
    if (m->who && strlen(m->who) > WHO_MAX)
        m->who[WHO_MAX] = '\0'; /* it is kept on the node, and shown to whoever comes second */
    const struct step *st;
    const struct task *t =
        find_in_job(s, tag, model_get_job(&s->ctl->model, m->key.job), &m->key, m->key.task, &st);
    if (t)
        relay(s, tag, t, MSG_INPUT, m);
}

void ctl_relay_answer(struct control *c, const struct node_link *from, uint64_t id, enum msg_kind kind,
                      const void *body)
{
    struct relay *r = idmap_get(&c->relays, id);
    if (!r || r->node != from)
        return;
    idmap_remove(&c->relays, id);
    session_send(r->session, kind, r->tag, body);
    relay_free(r);
}

void ctl_drop_relays(struct control *c, const struct session *s, const struct node_link *n)
{
    VEC(uint64_t) gone = VEC_INIT;
    if (s && !s->n_inputs && !s->n_reads)
        return;
    idmap_for_each (&c->relays, slot) {
        const struct relay *r = slot->value;
        if ((s && r->session == s) || (n && r->node == n))
            vec_push(&gone, slot->id);
    }
    vec_for_each (&gone, i) {
        struct relay *r = idmap_remove(&c->relays, gone.v[i]);
        if (n)
            session_reply(r->session, r->tag, REFUSAL_NOT_RUNNING, 0, 0, "node %s does not answer now",
                          nodeconn_node(n->conn));
        relay_free(r);
    }
    vec_fini(&gone);
}
