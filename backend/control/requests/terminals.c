#include "backend/control/requests/terminals.h"

#include <stdlib.h>

#include "backend/control/emit.h"

#define OWNER_GRACE_MS 30000 /* a terminal may come back: the controller or its connection was lost */
#define SESSION_MS     1000  /* between checks whether a session without its terminal has ended */

#define FIRST_ORPHANS_MS 30000

struct terminals {
    struct idmap owners;     /* job -> struct session */
    struct idmap orphaned;   /* job -> struct orphan: their terminal was lost */
    struct loop_timer timer; /* jobs of before the start that no client has claimed */
};

static struct terminals *terminals_of(const struct control *c)
{
    return c->state[MODULE_TERMINALS];
}

void terminals_own(struct session *s, uint32_t job)
{
    idmap_set(&terminals_of(s->ctl)->owners, job, s);
}

bool req_complete_frees(const void *body)
{
    (void)body;
    return true;
}

void req_complete(struct session *s, uint64_t tag, void *body)
{
    const struct msg_complete *m = body;
    struct control *c = s->ctl;
    const struct job *j = model_get_job(&c->model, m->job);
    if (!j || !session_owns(s, j)) {
        session_refuse(s, tag, REFUSAL_NO_JOB, m->job,
                       &(struct cause){.code = CAUSE_NO_JOB_OF_YOURS, .n = m->job});
        return;
    }
    if (m->code < 0 || m->code > 255 || m->signal < 0 || m->signal > 64) {
        session_refuse(s, tag, REFUSAL_BAD_REQUEST, m->job,
                       &(struct cause){.code = CAUSE_EXIT_STATUS,
                                       .n = (uint64_t)(int64_t)m->code,
                                       .of = (uint64_t)(int64_t)m->signal});
        return;
    }
    struct ev_complete over = {.code = m->code, .signal = m->signal};
    int r = ctl_emit(c, EV_COMPLETE, m->job, &over);
    session_answer(s, tag,
                   &(struct msg_result){
                       .refusal = r < 0 ? REFUSAL_ENDED : REFUSAL_NONE, .job = m->job, .count = r == 0});
}

void req_own(struct session *s, uint64_t tag, void *body)
{
    const struct msg_job *m = body;
    struct control *c = s->ctl;
    const struct job *j = model_get_job(&c->model, m->target.job);
    if (!j || !session_owns(s, j) || j->kind != JOB_KIND_INTERACTIVE) {
        session_refuse(s, tag, REFUSAL_NO_JOB, m->target.job,
                       &(struct cause){.code = CAUSE_NO_INTERACTIVE_JOB, .n = m->target.job});
        return;
    }
    terminals_own(s, j->id);
    session_done(s, tag, j->id, 1);
}

struct orphan {
    struct loop_timer timer;
    struct control *ctl;
    uint32_t job;
};

static bool terminals_is_unclaimed(const struct control *c, const struct job *j)
{
    return j->kind == JOB_KIND_INTERACTIVE && !j->detached && !job_state_is_final(j->state) &&
           !idmap_get(&terminals_of(c)->owners, j->id);
}

/* A session with a pseudo-terminal outlives the terminal that it was begun at: see `stoker attach`. */
static const struct step *terminals_find_session(const struct job *j, bool *ret_lives)
{
    const struct step *found = NULL;
    *ret_lives = false;
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.v[i].pty && !*ret_lives) {
            found = &j->steps.v[i];
            *ret_lives = !found->done;
        }
    return found;
}

static void terminals_end_unclaimed(struct control *c, const struct job *j)
{
    bool lives;
    const struct step *session = terminals_find_session(j, &lives);
    if (session && !lives && j->state == JOB_RUNNING) { /* as srun would have said */
        struct ev_complete over = {.code = session->code, .signal = session->signal};
        ctl_emit(c, EV_COMPLETE, j->id, &over);
        return;
    }
    struct ev_kill body = {.step = STEP_ALL,
                           .cause = KILL_OWNER_GONE,
                           .uid = j->uid,
                           .grace_s = c->model.spec.kill_wait_s,
                           .fate = FATE_END};
    ctl_emit(c, EV_KILL, j->id, &body);
}

/* The terminal has not come back, and no other has taken its place. */
static void terminals_on_grace_over(void *ctx)
{
    struct orphan *o = ctx;
    struct control *c = o->ctl;
    const struct job *j = model_get_job(&c->model, o->job);
    if (c->read_only) {
        loop_timer_set(c->loop, &o->timer, OWNER_GRACE_MS);
        return;
    }
    bool lives = false;
    if (j && terminals_is_unclaimed(c, j))
        terminals_find_session(j, &lives);
    if (lives) {
        loop_timer_set(c->loop, &o->timer, SESSION_MS);
        return;
    }
    free(idmap_remove(&terminals_of(c)->orphaned, o->job));
    if (j && terminals_is_unclaimed(c, j))
        terminals_end_unclaimed(c, j);
}

/* Each job has a grace time of its own. */
static void terminals_add_orphan(struct control *c, uint32_t job)
{
    struct orphan *o = idmap_get(&terminals_of(c)->orphaned, job);
    if (!o) {
        o = xcalloc(1, sizeof *o);
        *o = (struct orphan){.ctl = c, .job = job};
        o->timer = (struct loop_timer){.fn = terminals_on_grace_over, .ctx = o};
        idmap_set(&terminals_of(c)->orphaned, job, o);
    }
    const struct job *j = model_get_job(&c->model, job);
    bool lives = false;
    if (j)
        terminals_find_session(j, &lives);
    loop_timer_set(c->loop, &o->timer, lives ? SESSION_MS : OWNER_GRACE_MS);
}

static void terminals_stop(struct control *c)
{
    loop_timer_cancel(c->loop, &terminals_of(c)->timer);
    idmap_for_each (&terminals_of(c)->orphaned, slot) {
        struct orphan *o = slot->value;
        loop_timer_cancel(c->loop, &o->timer);
        free(o);
    }
    idmap_fini(&terminals_of(c)->orphaned);
    idmap_fini(&terminals_of(c)->owners);
    free(terminals_of(c));
}

static void terminals_session_closed(struct control *c, struct session *s)
{
    VEC(uint32_t) jobs = VEC_INIT;
    idmap_for_each (&terminals_of(c)->owners, slot)
        if (slot->value == s)
            vec_push(&jobs, (uint32_t)slot->id);
    vec_for_each (&jobs, i)
        idmap_remove(&terminals_of(c)->owners, jobs.v[i]);
    vec_for_each (&jobs, i)
        if (!c->stopping)
            terminals_add_orphan(c, jobs.v[i]);
    vec_fini(&jobs);
}

/* Some time after the controller's start: earlier interactive jobs that no client has claimed. Jobs whose
 * terminal was lost since have timers of their own. */
static void terminals_end_orphans(void *ctx)
{
    struct control *c = ctx;
    list_for_each (j, &c->model.all, struct job, in_all)
        if (terminals_is_unclaimed(c, j) && !idmap_get(&terminals_of(c)->orphaned, j->id))
            terminals_end_unclaimed(c, j);
}

static void terminals_serving(struct control *c)
{
    loop_timer_set(c->loop, &terminals_of(c)->timer, FIRST_ORPHANS_MS);
    list_for_each (j, &c->model.all, struct job, in_all) {
        bool lives = false;
        if (terminals_is_unclaimed(c, j) && terminals_find_session(j, &lives))
            terminals_add_orphan(c, j->id);
    }
}

static void terminals_start(struct control *c)
{
    struct terminals *t = c->state[MODULE_TERMINALS] = xcalloc(1, sizeof *t);
    t->timer = (struct loop_timer){.fn = terminals_end_orphans, .ctx = c};
}

/* Terminals of jobs that were never acknowledged. */
static void terminals_loaded(struct control *c)
{
    VEC(uint32_t) lost = VEC_INIT;
    idmap_for_each (&terminals_of(c)->owners, slot)
        if (!model_get_job(&c->model, (uint32_t)slot->id))
            vec_push(&lost, (uint32_t)slot->id);
    vec_for_each (&lost, i)
        idmap_remove(&terminals_of(c)->owners, lost.v[i]);
    vec_fini(&lost);
}

const struct module_ops terminals_module = {.start = terminals_start,
                                            .stop = terminals_stop,
                                            .loaded = terminals_loaded,
                                            .serving = terminals_serving,
                                            .session_closed = terminals_session_closed};
