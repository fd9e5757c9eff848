#include "backend/control/nodes/pmi_fences.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "src/base/idmap.h"

#define ALL_MAX    (256u << 20) /* bytes of the fences of all steps */
#define PIECE_MAX  (1u << 20)
#define QUEUE_MAX  (16u << 20) /* beyond this a node's tasks ask again later */
#define BEHIND_MAX 3

struct pmi_step {
    uint32_t job;
    int32_t step;
    uint32_t attempt;  /* of its first task: which run of the step it is */
    uint32_t fence;    /* being collected */
    uint32_t n_behind; /* times that the task `behind` has asked for an earlier fence */
    uint32_t behind;
    bool answered;       /* last is the answer of the fence before */
    VEC(uint32_t) parts; /* tasks whose part is here */
    struct strv pairs, last;
    size_t bytes, last_bytes;
};

struct pmi_fences {
    struct idmap steps; /* job << 32 | step -> struct pmi_step */
    size_t bytes;       /* that they hold */
};

static struct pmi_fences *pmi_fences_of(const struct control *c)
{
    return c->state[MODULE_PMI];
}

static uint64_t pmi_id(uint32_t job, int32_t step)
{
    return (uint64_t)job << 32 | (uint32_t)step;
}

static void pmi_free(struct control *c, struct pmi_step *p)
{
    pmi_fences_of(c)->bytes -= p->bytes + p->last_bytes;
    vec_fini(&p->parts);
    strv_fini(&p->pairs);
    strv_fini(&p->last);
    free(p);
}

static void pmi_fences_stop(struct control *c)
{
    idmap_for_each (&pmi_fences_of(c)->steps, slot)
        pmi_free(c, slot->value);
    idmap_fini(&pmi_fences_of(c)->steps);
    free(pmi_fences_of(c));
}

static const struct step *pmi_find_step(const struct control *c, uint32_t job, int32_t step)
{
    const struct job *j = model_get_job(&c->model, job);
    const struct step *s = j ? job_find_step(j, step) : NULL;
    return s && !s->done ? s : NULL;
}

static void pmi_forget(struct control *c, uint64_t id)
{
    pmi_free(c, idmap_remove(&pmi_fences_of(c)->steps, id));
}

/* Frees what is kept for steps that the event has ended. */
static void pmi_fences_after(struct control *c, const struct emission *e)
{
    uint32_t job = e->ev->job;
    bool ends = e->ev->kind == EV_END || e->ev->kind == EV_KILL || e->ev->kind == EV_COMPLETE;
    if (!ends || !pmi_fences_of(c)->steps.n)
        return;
    VEC(uint64_t) over = VEC_INIT;
    idmap_for_each (&pmi_fences_of(c)->steps, slot) {
        const struct pmi_step *p = slot->value;
        if (p->job == job && !pmi_find_step(c, p->job, p->step))
            vec_push(&over, slot->id);
    }
    vec_for_each (&over, i)
        pmi_forget(c, over.v[i]);
    vec_fini(&over);
}

static struct pmi_step *pmi_get(struct control *c, const struct launch_key *k, uint32_t attempt)
{
    uint64_t id = pmi_id(k->job, k->step);
    struct pmi_step *p = idmap_get(&pmi_fences_of(c)->steps, id);
    if (p && p->attempt == attempt)
        return p;
    if (p)
        pmi_forget(c, id);
    p = xcalloc(1, sizeof *p);
    p->job = k->job;
    p->step = k->step;
    p->attempt = attempt;
    idmap_set(&pmi_fences_of(c)->steps, id, p);
    return p;
}

/* complete: what has been collected is the answer of the fence before. */
static void pmi_begin(struct control *c, struct pmi_step *p, uint32_t fence, bool complete)
{
    pmi_fences_of(c)->bytes -= complete ? p->last_bytes : p->bytes + p->last_bytes;
    strv_fini(&p->last);
    if (!complete)
        strv_fini(&p->pairs);
    p->last = complete ? p->pairs : (struct strv){0};
    p->last_bytes = complete ? p->bytes : 0;
    p->answered = complete;
    p->n_behind = 0;
    p->pairs = (struct strv){0};
    p->bytes = 0;
    p->fence = fence;
    vec_clear(&p->parts);
}

static size_t pmi_size(const struct strv *pairs, size_t i)
{
    return strlen(pairs->v[i]) + strlen(pairs->v[i + 1]) + 2 * (size_t)PMI_STRING;
}

static void pmi_send_all(struct control *c, const struct step *s, const struct task *t, uint32_t job,
                         uint32_t fence, const struct strv *pairs)
{
    struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
    struct msg_pmi m = {.key = {.job = job, .step = s->id, .task = t->index, .attempt = t->attempt},
                        .fence = fence,
                        .more = true};
    if (!n || nodeconn_queued(n->conn) > QUEUE_MAX)
        return;
    for (size_t i = 0; m.more; m.piece++) {
        size_t size = 0, from = i;
        for (; i + 1 < pairs->n && size < PIECE_MAX; i += 2)
            size += pmi_size(pairs, i);
        m.pairs = (struct strv){.v = pairs->v ? pairs->v + from : NULL, .n = i - from};
        m.more = i + 1 < pairs->n;
        nodeconn_send(n->conn, 0, MSG_PMI_ALL, 0, &m);
    }
}

static void pmi_note_to_tasks(struct control *c, const struct step *s, uint32_t job, const char *text)
{
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
        struct launch_kill k = {.key = {.job = job, .step = s->id, .task = t->index, .attempt = t->attempt},
                                .signal = LAUNCH_NOTE_ONLY,
                                .note = xasprintf("slurmstepd: error: PMI: %s", text)};
        if (n && t->state == TASK_RUNNING)
            nodeconn_send(n->conn, ctl_ticket(c), MSG_KILL, 0, &k);
        free(k.note);
    }
}

static void pmi_end_step(struct control *c, const struct launch_key *k)
{
    struct ev_kill body = {
        .step = k->step, .cause = KILL_STEP_FAILED, .grace_s = c->model.spec.kill_wait_s, .fate = FATE_END};
    ctl_emit(c, EV_KILL, k->job, &body);
}

/* Whether it is new, and has room. */
static bool pmi_add_part(struct control *c, struct pmi_step *p, const struct step *s,
                         const struct msg_pmi *m)
{
    size_t size = 0;
    vec_for_each (&p->parts, i)
        if (p->parts.v[i] == m->key.task)
            return false; /* sent again */
    for (size_t i = 0; i + 1 < m->pairs.n; i += 2)
        size += pmi_size(&m->pairs, i);
    bool full = pmi_fences_of(c)->bytes + size > ALL_MAX;
    if (full || p->bytes + size > PMI_PAIRS_MAX) {
        pmi_note_to_tasks(c, s, m->key.job,
                          full ? "the controller has no room for what the steps of all jobs have put"
                               : "the ranks of the step have put more than 32 MiB before a fence");
        pmi_end_step(c, &m->key);
        return false;
    }
    p->bytes += size;
    pmi_fences_of(c)->bytes += size;
    for (size_t i = 0; i + 1 < m->pairs.n; i += 2) {
        strv_push(&p->pairs, m->pairs.v[i]);
        strv_push(&p->pairs, m->pairs.v[i + 1]);
    }
    vec_push(&p->parts, m->key.task);
    return true;
}

void pmi_fences_take(struct control *c, struct msg_pmi *m)
{
    const struct step *s = pmi_find_step(c, m->key.job, m->key.step);
    const struct task *t = s ? step_find_task(s, m->key.task) : NULL;
    if (!t)
        return;
    if (m->fence == PMI_ABORT) {
        pmi_end_step(c, &m->key);
        return;
    }
    struct pmi_step *p = pmi_get(c, &m->key, s->tasks.v[0].attempt);
    if (m->fence + 1 == p->fence && p->answered) { /* its answer was lost */
        pmi_send_all(c, s, t, m->key.job, m->fence, &p->last);
        return;
    }
    if (m->fence < p->fence) { /* not at the first: what an earlier controller answered may be on its way */
        p->behind = p->n_behind ? p->behind : m->key.task;
        p->n_behind += p->behind == m->key.task;
        if (p->n_behind < BEHIND_MAX)
            return;
        pmi_note_to_tasks(c, s, m->key.job, "a fence was over when its controller was restarted");
        pmi_end_step(c, &m->key);
        return;
    }
    if (m->fence > p->fence) /* this controller did not see the fences before */
        pmi_begin(c, p, m->fence, false);
    if (!pmi_add_part(c, p, s, m) || p->parts.n < s->tasks.n)
        return;
    for (size_t i = 0; i < s->tasks.n; i++)
        pmi_send_all(c, s, &s->tasks.v[i], m->key.job, p->fence, &p->pairs);
    pmi_begin(c, p, p->fence + 1, true);
}

static void pmi_fences_start(struct control *c)
{
    c->state[MODULE_PMI] = xcalloc(1, sizeof(struct pmi_fences));
}

const struct module_ops pmi_fences_module = {
    .start = pmi_fences_start, .stop = pmi_fences_stop, .after = pmi_fences_after};
