#include "backend/control/requests/req_step.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/payload_cache.h"
#include "backend/control/requests/req_check.h"
#include "backend/control/users/audit.h"
#include "src/base/idmap.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"

#define NAME_CELLS 128
#define STEPS_MAX  40000u     /* of a job, Slurm's default: each stays in the record */
#define RECORD_MAX (4u << 20) /* bytes of the record, which every client reads that shows the whole job */
#define TASK_BYTES 160        /* that the end of a task adds at most, but for a message ... */
#define RANK_BYTES 6          /* ... and for each of its processes, up to RANK_ENDS_MAX */

/* The step that an earlier attempt of the same request made. */
static const struct step *req_step_find_repeated(const struct job *j, const char *request_id)
{
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.v[i].id >= 0 && str_eq(j->steps.v[i].request_id, request_id))
            return &j->steps.v[i];
    return NULL;
}

static bool req_step_waits(const struct step *s)
{
    return s->tasks.n && s->tasks.v[0].state == TASK_WAITING;
}

static void req_step_add_task(struct step *s, uint32_t index, uint32_t rank_base, uint32_t n_ranks)
{
    struct task *t = rec_list_push(&s->tasks);
    t->index = index;
    t->rank_base = rank_base;
    t->n_ranks = n_ranks;
}

static void req_step_drop_places(struct sched_places *p)
{
    vec_for_each (&p->v, i)
        rec_fini(&ev_place_rec, &p->v.v[i]);
    vec_fini(&p->v);
}

/* Gives a new step its tasks, one for each node. *ret_places tells where they run if there is room now;
 * else its ranks are spread evenly, and its tasks wait. */
static enum refusal req_step_shape(const struct job *j, struct step *s, bool no_wait,
                                   struct sched_places *ret_places, struct cause *why)
{
    if (s->n_ranks > (uint64_t)s->nodes * NODE_RANKS_MAX) {
        *why = (struct cause){.code = CAUSE_STEP_NODE_TASKS,
                              .ranks = s->n_ranks,
                              .nodes_n = s->nodes,
                              .most = NODE_RANKS_MAX};
        return REFUSAL_STEP_TOO_BIG;
    }
    enum step_fit fit = sched_fit_step(j, s, ret_places, why);
    if (fit == STEP_TOO_BIG)
        return REFUSAL_STEP_TOO_BIG;
    if (fit == STEP_BUSY && no_wait)
        return REFUSAL_STEP_BUSY;
    vec_for_each (&ret_places->v, i) {
        const struct ev_place *p = &ret_places->v.v[i];
        req_step_add_task(s, p->task, p->rank_base, p->n_ranks);
    }
    uint32_t nodes = s->nodes ? s->nodes : 1, base = 0;
    for (uint32_t i = 0; fit == STEP_BUSY && i < nodes; i++) {
        uint32_t here = (s->n_ranks - base + nodes - i - 1) / (nodes - i);
        req_step_add_task(s, i, base, here);
        base += here;
    }
    return REFUSAL_NONE;
}

/* The size of a record is kept as long as no other event changes it: the number of the next step and of the
 * run in the upper bits tell. */
#define SIZE_BITS 40

#define RUN_BITS 8

static uint64_t req_step_size_stamp(const struct job *j)
{
    return (uint64_t)(j->next_step & 0xffffu) << RUN_BITS | (j->restarts & 0xffu);
}

static size_t req_step_record_size(struct control *c, const struct job *j)
{
    uint64_t known = (uint64_t)(uintptr_t)idmap_get(c->state[MODULE_REQ_STEP], j->id);
    if (known && known >> SIZE_BITS == req_step_size_stamp(j))
        return known & ((UINT64_C(1) << SIZE_BITS) - 1);
    struct str b = STR_INIT;
    codec_encode(&job_rec, j, &b);
    size_t n = b.len;
    str_fini(&b);
    return n;
}

static size_t req_step_size(const struct step *s)
{
    struct str b = STR_INIT;
    codec_encode(&step_rec, s, &b);
    size_t n = b.len;
    str_fini(&b);
    for (size_t i = 0; i < s->tasks.n; i++) {
        uint32_t ranks = s->tasks.v[i].n_ranks;
        n += TASK_BYTES + (ranks < RANK_ENDS_MAX ? ranks : RANK_ENDS_MAX) * RANK_BYTES;
    }
    return n;
}

/* The name of a step is that of its program, which may be anything: escaped and cut, not refused. */
static char *req_step_shown_name(const char *s)
{
    struct str b = STR_INIT;
    if (!s)
        return NULL;
    cell_text(&b, s, NAME_CELLS, true, false);
    if (b.len > NAME_CELLS) { /* of several bytes each */
        str_clear(&b);
        cell_text(&b, s, NAME_CELLS, true, true);
    }
    return str_take(&b);
}

static void req_step_answer(struct session *s, uint64_t tag, const struct msg_step_created *r)
{
    audit_answered(s, tag, &(struct msg_result){.count = 1});
    session_send(s, MSG_STEP_CREATED, tag, r);
}

void req_step_create(struct session *s, uint64_t tag, void *request)
{
    struct msg_step_create *m = request;
    struct control *c = s->ctl;
    struct job *j = model_get_job(&c->model, m->job);
    struct cause why = {0};
    if (!j || !session_owns(s, j)) {
        session_refuse(s, tag, REFUSAL_NO_JOB, m->job,
                       &(struct cause){.code = CAUSE_NO_JOB_OF_YOURS, .n = m->job});
        return;
    }
    const struct step *old = m->request_id ? req_step_find_repeated(j, m->request_id) : NULL;
    if (old) {
        struct msg_step_created r = {.job = j->id, .step = old->id, .waiting = req_step_waits(old)};
        req_step_answer(s, tag, &r);
        return;
    }
    if (j->state != JOB_RUNNING || j->kind == JOB_KIND_STEPS) {
        session_refuse(s, tag, job_state_is_final(j->state) ? REFUSAL_ENDED : REFUSAL_NOT_RUNNING, j->id,
                       &(struct cause){.code = CAUSE_JOB_IN_STATE, .n = j->id, .state = j->state});
        return;
    }
    if (j->next_step >= STEPS_MAX) {
        session_refuse(s, tag, REFUSAL_POLICY, j->id,
                       &(struct cause){.code = CAUSE_STEP_OVER, .n = j->id, .most = STEPS_MAX});
        return;
    }
    struct ev_step body = {.step = m->step};
    m->step = (struct step){0};
    struct step *st = &body.step;
    char *command = req_check_shown_command(st->command), *name = req_step_shown_name(st->name);
    free(st->command);
    free(st->name);
    st->command = command;
    st->name = name;
    st->id = (int32_t)j->next_step;
    xstrset(&st->request_id, m->request_id);
    st->stream_in = m->stream_in;
    if (!st->n_ranks)
        st->n_ranks = 1;
    /* No more nodes than ranks: the step is placed as one task for each node. */
    if (!st->nodes || st->nodes > st->n_ranks)
        st->nodes = st->nodes ? st->n_ranks : 1;
    struct sched_places places = {0};
    enum refusal refusal = req_check_step(st, &m->payload, &why);
    if (refusal == REFUSAL_NONE)
        refusal = req_step_shape(j, st, m->no_wait, &places, &why);
    bool waiting = !places.v.n;
    size_t size = refusal == REFUSAL_NONE ? req_step_record_size(c, j) + req_step_size(st) : 0;
    if (size > RECORD_MAX) {
        refusal = REFUSAL_POLICY;
        cause_clear(&why);
        why = (struct cause){
            .code = CAUSE_RECORD_LARGE, .n = j->id, .of = j->next_step + 1, .most = RECORD_MAX};
    }
    if (refusal != REFUSAL_NONE) {
        req_step_drop_places(&places);
        session_refuse(s, tag, refusal, j->id, &why);
        rec_fini(&ev_step_rec, &body);
        return;
    }
    cause_clear(&why); /* of one that waits */
    int32_t id = st->id;
    uint32_t job = j->id;
    if (ctl_emit(c, EV_STEP, job, &body) < 0) {
        req_step_drop_places(&places);
        session_refuse(s, tag, REFUSAL_BAD_REQUEST, job, &(struct cause){.code = CAUSE_MALFORMED});
        return;
    }
    idmap_set(c->state[MODULE_REQ_STEP], job,
              (void *)(uintptr_t)(req_step_size_stamp(j) << SIZE_BITS | size));
    vec_for_each (&places.v,
                  i) { /* at once: the next request of this loop iteration must find the room taken */
        places.v.v[i].step = id;
        ctl_emit(c, EV_PLACE, job, &places.v.v[i]);
    }
    vec_fini(&places.v);
    payload_add(c, job, id, &m->payload);
    struct msg_step_created r = {.job = job, .step = id, .waiting = waiting};
    req_step_answer(s, tag, &r);
}

static void req_step_start(struct control *c)
{
    c->state[MODULE_REQ_STEP] = xcalloc(1, sizeof(struct idmap)); /* job -> size of its record */
}

static void req_step_stop(struct control *c)
{
    idmap_fini(c->state[MODULE_REQ_STEP]);
    free(c->state[MODULE_REQ_STEP]);
}

static void req_step_before(struct control *c, struct emission *e)
{
    if (e->ev->kind == EV_RETIRE)
        idmap_remove(c->state[MODULE_REQ_STEP], e->ev->job);
}

const struct module_ops req_step_module = {
    .start = req_step_start, .stop = req_step_stop, .before = req_step_before};
