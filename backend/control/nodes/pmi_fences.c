#include "backend/control/nodes/pmi_fences.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "src/base/idmap.h"
#include "src/model/task_parts.h"

#define ALL_MAX    (256u << 20) /* bytes of the fences of all steps */
#define QUEUE_MAX  (16u << 20)  /* beyond this a node's tasks ask again later */
#define BEHIND_MAX 3
#define ASK_AGAIN  1000 /* ms without a piece of a kept answer: another task is asked */

struct pmi_past { /* a task that is known to be past a fence */
    uint32_t task;
    bool asks; /* its shim stays until all tasks are */
};

struct pmi_step {
    uint32_t job;
    int32_t step;
    uint32_t task, attempt; /* of the first of the group: which run of it this is */
    uint32_t fence;         /* being collected */
    uint32_t n_behind;      /* times that the task `behind` has asked for an earlier fence */
    uint32_t behind;
    bool answered;       /* last is the answer of the fence before */
    bool keeps;          /* a task of parts keeps that answer */
    bool was_open;       /* no earlier controller has answered the fence that is being collected */
    VEC(uint32_t) parts; /* tasks whose part is here */
    struct strv pairs, last;
    size_t bytes, last_bytes;
    /* Not answered: last is what has come of the kept answer of the fence `of`. */
    bool asked;
    uint32_t of, source; /* the task that was asked */
    int64_t asked_ms;    /* for the piece that is missing */
    /* Of the latest fence that a shim without ranks has asked about. */
    uint32_t past_of;
    VEC(struct pmi_past) past;
    int64_t past_asked_ms; /* the other tasks; 0: not yet */
};

struct pmi_fences {
    struct idmap steps; /* job << 32 | attempt -> struct pmi_step */
    size_t bytes;       /* that they hold */
};

static struct pmi_fences *pmi_fences_of(const struct control *c)
{
    return c->state[MODULE_PMI];
}

/* Whose ranks are one MPI program: the tasks of an srun step, the parts of a declared task. A task's number
 * is its place among them. */
struct pmi_group {
    const struct step *s;
    const struct task *v;
    size_t n;
    bool is_declared;
};

static uint64_t pmi_id(uint32_t job, uint32_t attempt)
{
    return (uint64_t)job << 32 | attempt;
}

static void pmi_free(struct control *c, struct pmi_step *p)
{
    pmi_fences_of(c)->bytes -= p->bytes + p->last_bytes;
    vec_fini(&p->parts);
    vec_fini(&p->past);
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

/* The group of a task that has not ended, and the task; NULL: there is none. */
static const struct task *pmi_find(const struct control *c, const struct launch_key *k,
                                   struct pmi_group *ret)
{
    const struct job *j = model_get_job(&c->model, k->job);
    const struct step *s = j ? job_find_step(j, k->step) : NULL;
    const struct task *t = s && !s->done ? step_find_attempt(s, k->task, k->attempt) : NULL;
    if (!t)
        return NULL;
    bool is_declared = j->kind == JOB_KIND_STEPS;
    size_t begin = is_declared ? task_parts_of(s, t) : 0;
    size_t end = is_declared ? task_parts_end(s, begin) : s->tasks.n;
    *ret = (struct pmi_group){s, s->tasks.v + begin, end - begin, is_declared};
    return is_declared && task_parts_are_over(s, begin) ? NULL : t;
}

static uint32_t pmi_number(const struct pmi_group *g, const struct task *t)
{
    return (uint32_t)(t - g->v);
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
        struct launch_key k = {.job = p->job, .step = p->step, .task = p->task, .attempt = p->attempt};
        struct pmi_group g;
        if (p->job == job && !pmi_find(c, &k, &g))
            vec_push(&over, slot->id);
    }
    vec_for_each (&over, i)
        pmi_forget(c, over.v[i]);
    vec_fini(&over);
}

static struct pmi_step *pmi_get(struct control *c, uint32_t job, const struct pmi_group *g)
{
    uint64_t id = pmi_id(job, g->v->attempt);
    struct pmi_step *p = idmap_get(&pmi_fences_of(c)->steps, id);
    if (p)
        return p;
    p = xcalloc(1, sizeof *p);
    p->job = job;
    p->step = g->s->id;
    p->task = g->v->index;
    p->attempt = g->v->attempt;
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
    p->was_open = complete;
    p->keeps = p->asked = false;
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
                        .more = true,
                        .keeps = true};
    if (!n || nodeconn_queued(n->conn) > QUEUE_MAX)
        return;
    for (size_t i = 0; m.more; m.piece++) {
        size_t size = 0, from = i;
        for (; i + 1 < pairs->n && size < PMI_PIECE_MAX; i += 2)
            size += pmi_size(pairs, i);
        m.pairs = (struct strv){.v = pairs->v ? pairs->v + from : NULL, .n = i - from};
        m.more = i + 1 < pairs->n;
        nodeconn_send(n->conn, 0, MSG_PMI_ALL, 0, &m);
    }
}

static void pmi_note_to_tasks(struct control *c, const struct pmi_group *g, uint32_t job, const char *text)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct task *t = &g->v[i];
        struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
        struct launch_kill k = {
            .key = {.job = job, .step = g->s->id, .task = t->index, .attempt = t->attempt},
            .signal = LAUNCH_NOTE_ONLY,
            .note = xasprintf("slurmstepd: error: PMI: %s", text)};
        if (n && t->state == TASK_RUNNING)
            nodeconn_send(n->conn, ctl_ticket(c), MSG_KILL, 0, &k);
        free(k.note);
    }
}

static void pmi_end_group(struct control *c, const struct pmi_group *g, const struct launch_key *k)
{
    struct ev_kill body = {.step = k->step,
                           .task = g->is_declared ? 1 + k->task : 0,
                           .cause = KILL_STEP_FAILED,
                           .grace_s = c->model.spec.kill_wait_s,
                           .fate = FATE_END};
    ctl_emit(c, EV_KILL, k->job, &body);
}

/* Adds the pairs of m to those. Without room for them the step is ended: false. */
static bool pmi_add_pairs(struct control *c, const struct pmi_group *g, const struct msg_pmi *m,
                          struct strv *pairs, size_t *bytes)
{
    size_t size = 0;
    for (size_t i = 0; i + 1 < m->pairs.n; i += 2)
        size += pmi_size(&m->pairs, i);
    bool full = pmi_fences_of(c)->bytes + size > ALL_MAX;
    if (full || *bytes + size > PMI_PAIRS_MAX) {
        pmi_note_to_tasks(c, g, m->key.job,
                          full ? "the controller has no room for what the steps of all jobs have put"
                               : "the ranks of the step have put more than 32 MiB before a fence");
        pmi_end_group(c, g, &m->key);
        return false;
    }
    *bytes += size;
    pmi_fences_of(c)->bytes += size;
    for (size_t i = 0; i + 1 < m->pairs.n; i += 2) {
        strv_push(pairs, m->pairs.v[i]);
        strv_push(pairs, m->pairs.v[i + 1]);
    }
    return true;
}

/* --- a fence that was complete before this controller was started --- */

static int64_t pmi_now_ms(const struct control *c)
{
    return loop_now(c->loop).ns / NS_PER_MS;
}

static bool pmi_has_part(const struct pmi_step *p, uint32_t task)
{
    vec_for_each (&p->parts, i)
        if (p->parts.v[i] == task)
            return true;
    return false;
}

static void pmi_drop_last(struct control *c, struct pmi_step *p)
{
    pmi_fences_of(c)->bytes -= p->last_bytes;
    p->last_bytes = 0;
    strv_fini(&p->last);
}

/* Returns false where the task's node is out of reach. */
static bool pmi_ask_piece(struct control *c, struct pmi_step *p, const struct task *t)
{
    struct msg_pmi m = {.key = {.job = p->job, .step = p->step, .task = t->index, .attempt = t->attempt},
                        .fence = PMI_KEPT,
                        .of = p->of,
                        .piece = (uint32_t)(p->last.n / 2)};
    struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
    p->asked_ms = pmi_now_ms(c);
    return n && nodeconn_queued(n->conn) <= QUEUE_MAX && nodeconn_send(n->conn, 0, MSG_PMI_ALL, 0, &m);
}

/* Asks one task for the answer of this fence, the next one where the last one has not replied: a task that
 * is in the fence after it, else one that is not known to be in this one. Such a task has the answer,
 * unless it has not come to the fence yet; then it does not reply. */
static void pmi_ask_kept(struct control *c, struct pmi_step *p, const struct pmi_group *g, uint32_t fence)
{
    if (p->asked && p->of == fence && pmi_now_ms(c) < p->asked_ms + ASK_AGAIN)
        return;
    uint32_t first = p->asked ? p->source + 1 : 0;
    pmi_drop_last(c, p);
    p->asked = false;
    p->of = fence;
    for (size_t i = 0; i < g->n && !p->asked; i++) {
        const struct task *t = &g->v[(first + i) % g->n];
        if (t->state != TASK_RUNNING || pmi_has_part(p, pmi_number(g, t)) != (p->fence > fence))
            continue;
        p->source = pmi_number(g, t);
        p->asked = pmi_ask_piece(c, p, t);
    }
}

/* The tasks that lack this answer get it when they repeat their part. */
static void pmi_kept_is_whole(struct control *c, struct pmi_step *p)
{
    struct strv last = p->last;
    size_t bytes = p->last_bytes;
    p->asked = false;
    p->answered = p->was_open = true;
    if (p->fence != p->of)
        return;
    p->last = (struct strv){0};
    p->last_bytes = 0;
    pmi_begin(c, p, p->of + 1, false);
    p->last = last;
    p->last_bytes = bytes;
    p->answered = p->was_open = true;
}

static void pmi_take_kept(struct control *c, struct pmi_step *p, const struct pmi_group *g,
                          const struct task *t, const struct msg_pmi *m)
{
    bool expected =
        p->asked && pmi_number(g, t) == p->source && m->of == p->of && m->piece == p->last.n / 2;
    if (!expected || (m->more && m->pairs.n < 2))
        return;
    if (!pmi_add_pairs(c, g, m, &p->last, &p->last_bytes))
        return;
    if (m->more)
        pmi_ask_piece(c, p, t);
    else
        pmi_kept_is_whole(c, p);
}

/* --- shims that stay until no task needs their answer --- */

static void pmi_send_past(struct control *c, const struct pmi_step *p, const struct task *t, uint32_t of,
                          bool asks)
{
    struct msg_pmi m = {.key = {.job = p->job, .step = p->step, .task = t->index, .attempt = t->attempt},
                        .fence = PMI_KEPT,
                        .of = of,
                        .piece = PMI_PAST,
                        .more = asks};
    struct node_peer *n = t->alloc.node ? node_peer_find(c, t->alloc.node) : NULL;
    if (n)
        nodeconn_send(n->conn, 0, MSG_PMI_ALL, 0, &m);
}

static struct pmi_past *pmi_find_past(const struct pmi_step *p, uint32_t task)
{
    vec_for_each (&p->past, i)
        if (p->past.v[i].task == task)
            return &p->past.v[i];
    return NULL;
}

/* Returns whether all tasks that have not ended are past the fence. Asks the others at most once a
 * second. */
static bool pmi_all_are_past(struct control *c, struct pmi_step *p, const struct pmi_group *g)
{
    int64_t now = pmi_now_ms(c);
    bool asks = !p->past_asked_ms || now >= p->past_asked_ms + ASK_AGAIN, all = true;
    for (size_t i = 0; i < g->n; i++) {
        const struct task *t = &g->v[i];
        if (t->state == TASK_DONE || pmi_find_past(p, pmi_number(g, t)))
            continue;
        all = false;
        if (asks)
            pmi_send_past(c, p, t, p->past_of, true);
    }
    if (!all && asks)
        p->past_asked_ms = now;
    return all;
}

static void pmi_note_past(struct control *c, struct pmi_step *p, const struct pmi_group *g,
                          const struct task *t, const struct msg_pmi *m)
{
    if (m->of < p->past_of) { /* a task is past a later one: all have the answer of this one */
        if (m->more)
            pmi_send_past(c, p, t, m->of, false);
        return;
    }
    if (m->of > p->past_of) {
        vec_clear(&p->past);
        p->past_of = m->of;
        p->past_asked_ms = 0;
    }
    struct pmi_past *past = pmi_find_past(p, pmi_number(g, t));
    if (past)
        past->asks |= m->more;
    else
        vec_push(&p->past, (struct pmi_past){.task = pmi_number(g, t), .asks = m->more});
    if (!pmi_all_are_past(c, p, g))
        return;
    vec_for_each (&p->past, i) {
        if (p->past.v[i].asks && p->past.v[i].task < g->n)
            pmi_send_past(c, p, &g->v[p->past.v[i].task], p->past_of, false);
    }
}

/* A task asks for the answer of a fence that this controller has not answered. Tasks of the releases that
 * do not keep answers, and a fence that is older still, are not helped: the step is ended. Not at the first
 * such message: what an earlier controller has answered may be on its way. */
static void pmi_take_behind(struct control *c, struct pmi_step *p, const struct pmi_group *g,
                            const struct task *t, const struct msg_pmi *m)
{
    uint32_t number = pmi_number(g, t);
    p->was_open = true; /* a task has not left the fence before */
    if (m->fence + 1 == p->fence && p->keeps) {
        pmi_ask_kept(c, p, g, m->fence);
        return;
    }
    p->behind = p->n_behind ? p->behind : number;
    p->n_behind += p->behind == number;
    if (p->n_behind < BEHIND_MAX)
        return;
    pmi_note_to_tasks(c, g, m->key.job, "a fence was over when its controller was restarted");
    pmi_end_group(c, g, &m->key);
}

/* A part of the fence that is being collected. */
static void pmi_take_part(struct control *c, struct pmi_step *p, const struct pmi_group *g,
                          const struct task *t, const struct msg_pmi *m)
{
    if (pmi_has_part(p, pmi_number(g, t))) { /* repeated */
        if (!p->was_open)
            pmi_ask_kept(c, p, g, m->fence);
        return;
    }
    if (!pmi_add_pairs(c, g, m, &p->pairs, &p->bytes))
        return;
    vec_push(&p->parts, pmi_number(g, t));
    p->keeps |= m->keeps;
    if (p->parts.n < g->n)
        return;
    for (size_t i = 0; i < g->n; i++)
        pmi_send_all(c, g->s, &g->v[i], m->key.job, p->fence, &p->pairs);
    pmi_begin(c, p, p->fence + 1, true);
}

void pmi_fences_take(struct control *c, struct msg_pmi *m)
{
    struct pmi_group found, *g = &found;
    const struct task *t = pmi_find(c, &m->key, g);
    if (!t)
        return;
    if (m->fence == PMI_ABORT) {
        if (!t->killing) /* repeated until the kill has come there */
            pmi_end_group(c, g, &m->key);
        return;
    }
    struct pmi_step *p = pmi_get(c, m->key.job, g);
    if (m->fence == PMI_KEPT && m->piece == PMI_PAST) {
        pmi_note_past(c, p, g, t, m);
    } else if (m->fence == PMI_KEPT) {
        pmi_take_kept(c, p, g, t, m);
    } else if (m->fence + 1 == p->fence && p->answered) { /* its answer was lost */
        pmi_send_all(c, g->s, t, m->key.job, m->fence, &p->last);
    } else if (m->fence < p->fence) {
        pmi_take_behind(c, p, g, t, m);
    } else {
        if (m->fence > p->fence) /* this controller did not see the fences before */
            pmi_begin(c, p, m->fence, false);
        pmi_take_part(c, p, g, t, m);
    }
}

static void pmi_fences_start(struct control *c)
{
    c->state[MODULE_PMI] = xcalloc(1, sizeof(struct pmi_fences));
}

const struct module_ops pmi_fences_module = {
    .start = pmi_fences_start, .stop = pmi_fences_stop, .after = pmi_fences_after};
