/* job_actions.c - what the state asks for: launches, kills, steps to place.
 *
 * Derived and idempotent: looks at a job, compares with what has been sent over the present connections,
 * and asks for what is missing. May be called at any time, as often as one likes.
 */
#include <signal.h>
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/proto/codec.h"

#define IN_VAIN_MAX 256u /* waiting steps of a job that are tried in a turn */
/* So much may wait for a node. A launch has several megabytes: what is ready beyond that is sent when the
 * node has taken the rest. A queue that is full would end the connection, and all of it come again. */
#define LAUNCH_QUEUE_MAX (4u << 20)
#define KILL_QUEUE_MAX   (32u << 20)

static uint64_t flight_id(uint32_t job, uint32_t attempt)
{
    return (uint64_t)job << 32 | attempt;
}

struct launch_key ctl_key(const struct job *j, const struct step *s, const struct task *t)
{
    return (struct launch_key){
        .job = j->id, .step = s->id, .task = t->index, .attempt = t->attempt, .nonce = j->nonce};
}

struct flight *ctl_flight(struct control *c, const struct job *j, const struct step *s,
                          const struct task *t)
{
    struct flight *f = idmap_get(&c->flights, flight_id(j->id, t->attempt));
    if (!f) {
        f = xcalloc(1, sizeof *f);
        f->key = ctl_key(j, s, t);
        idmap_set(&c->flights, flight_id(j->id, t->attempt), f);
    }
    return f;
}

void ctl_drop_flight(struct control *c, uint32_t job, uint32_t attempt)
{
    free(idmap_remove(&c->flights, flight_id(job, attempt)));
}

/* The connection to a node is new: nothing is known to have been sent until its report says so. */
void ctl_forget_sent(struct control *c, const char *node)
{
    idmap_for_each (&c->flights, slot) {
        struct flight *f = slot->value;
        const struct job *j = model_get_job(&c->model, f->key.job);
        const struct step *s = j ? job_find_step(j, f->key.step) : NULL;
        const struct task *t = s ? step_find_task(s, f->key.task) : NULL;
        if (!t || !str_eq(t->alloc.node, node))
            continue;
        f->sent = f->kill_sent = false;
        f->motion = MOTION_UNKNOWN;
        f->early_for_ms = f->limit_for_ms = 0;
    }
}

/* --- one node has no room for more now --- */

/* Its connection takes on_drain as often as it is asked for. */
static bool must_wait(struct node_link *link, uint32_t job, size_t max)
{
    if (nodeconn_queued(link->conn) < max)
        return false;
    if (!link->jobs_wait.n || link->jobs_wait.v[link->jobs_wait.n - 1] != job)
        vec_push(&link->jobs_wait, job);
    nodeconn_ask_drain(link->conn);
    return true;
}

/* In the order in which they came: what finds no room again waits behind the others. */
void ctl_on_drain(void *arg, struct nodeconn *conn)
{
    (void)conn;
    struct node_link *link = arg;
    vec_for_each (&link->jobs_wait, i)
        ctl_touch(link->ctl, link->jobs_wait.v[i]);
    vec_clear(&link->jobs_wait);
}

/* --- payloads --- */

uint32_t ctl_payload_job(const struct job *j, int32_t step)
{
    bool own = step >= 0 && j->kind != JOB_KIND_STEPS; /* what srun brought is no other element's */
    return j->array_job && !own ? j->array_job : j->id;
}

/* An attempt that could not be launched ends here and now, in words. */
static void end_unlaunched(struct control *c, const struct flight *f, enum end_kind kind,
                           const char *message)
{
    struct ev_end body = {.step = f->key.step,
                          .task = f->key.task,
                          .attempt = f->key.attempt,
                          .end_kind = kind,
                          .t_end = loop_wall(c->loop),
                          .message = xstrdup(message)};
    uint32_t job = f->key.job, attempt = f->key.attempt;
    ctl_emit(c, EV_END, job, &body);
    ctl_drop_flight(c, job, attempt);
}

static void send_launch(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                        struct flight *f, const uint8_t *p, size_t n)
{
    struct node_link *link = ctl_node(c, t->alloc.node);
    struct launch l;
    if (!link || !link->reconciled)
        return; /* its report will bring us here again */
    if (ctl_waits_for_opener(c, j, s, t))
        return; /* the news that the other task runs, or has ended, will */
    if (must_wait(link, j->id, LAUNCH_QUEUE_MAX))
        return;
    if (t->n_ranks > NODE_RANKS_MAX) { /* of an older state: none is taken in now */
        end_unlaunched(c, f, END_LAUNCH_FAILED, "it has more processes than a node starts at once");
        return;
    }
    f->early_for_ms = f->limit_for_ms = ctl_early_base_ms(j);
    if (!ctl_build_launch(c, j, s, t, p, n, &l)) {
        end_unlaunched(c, f, END_LAUNCH_FAILED, "its script or command is no longer in the store");
        return;
    }
    struct str b = STR_INIT;
    codec_encode(&launch_rec, &l, &b);
    rec_fini(&launch_rec, &l);
    if (b.len > FRAME_MAX)
        end_unlaunched(c, f, END_LAUNCH_FAILED,
                       "its command, environment and output names are over 8 MiB in all");
    else
        f->sent = nodeconn_send_encoded(link->conn, ctl_gate(c), MSG_LAUNCH, 0, b.s, b.len);
    str_fini(&b);
}

static void launch(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                   struct flight *f)
{
    size_t n = 0;
    uint32_t job = ctl_payload_job(j, s->id);
    const uint8_t *p = payload_cache_get(c->payloads, job, s->id, &n);
    size_t env_n;
    bool steps = j->kind == JOB_KIND_STEPS;
    if (p && (!steps || payload_cache_get(c->payloads, job, STEP_ALL, &env_n))) {
        send_launch(c, j, s, t, f, p, n);
    } else if (!f->loading) {
        f->loading = true;
        if (steps) /* just before the step's own, whose arrival starts it: then neither has left the cache
                    */
            ctl_ask_payload(c, job, STEP_ALL);
        ctl_ask_payload(c, job, s->id);
    }
}

void ctl_ask_payload(struct control *c, uint32_t job, int32_t step)
{
    if (payload_cache_ask(c->payloads, job, step))
        store_get_payload(c->store, job, step);
}

void ctl_payload_ready(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    struct control *c = ctx;
    payload_cache_answer(c->payloads, job, step);
    if (p)
        payload_cache_put(c->payloads, job, step, p, n);
    if (step == STEP_BATCH)
        ctl_answer_scripts(c, job, p, n);
    VEC(struct launch_key) waiting = VEC_INIT;
    idmap_for_each (&c->flights, slot) {
        const struct flight *f = slot->value;
        if (f->loading && f->key.step == step)
            vec_push(&waiting, f->key);
    }
    vec_for_each (&waiting, i) {
        struct flight *f = idmap_get(&c->flights, flight_id(waiting.v[i].job, waiting.v[i].attempt));
        const struct job *j = f ? model_get_job(&c->model, f->key.job) : NULL;
        const struct step *s = j ? job_find_step(j, step) : NULL;
        const struct task *t = s ? step_find_task(s, f->key.task) : NULL;
        if (!t || ctl_payload_job(j, step) != job)
            continue;
        f->loading = false;
        if (!f->sent && t->attempt == f->key.attempt && t->state == TASK_LAUNCHING && !t->killing)
            send_launch(c, j, s, t, f, p, n);
    }
    vec_fini(&waiting);
}

/* --- tasks --- */

/* srun --wait gives the ranks that are left no grace, as in Slurm. */
static bool waited_out(const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].waited_out)
            return true;
    return false;
}

/* What outlives its batch script goes at once; otherwise there is time to save. */
static uint32_t grace_of(const struct control *c, const struct job *j, const struct step *s)
{
    if (s->wait_s && waited_out(s))
        return 0;
    return j->kill_cause != KILL_NONE ? job_rare(j)->kill_grace_s : c->model.spec.kill_wait_s;
}

static enum kill_cause cause_of(const struct job *j, const struct step *s)
{
    return j->kill_cause != KILL_NONE ? j->kill_cause : s->kill_cause;
}

static void send_kill(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                      struct flight *f)
{
    struct node_link *link = ctl_node(c, t->alloc.node);
    enum kill_cause cause = cause_of(j, s);
    struct launch_kill k = {
        .key = f->key, .cause = cause, .grace_s = grace_of(c, j, s), .note = ctl_kill_note(c, j, s, t)};
    f->kill_sent = nodeconn_send(link->conn, ctl_gate(c), MSG_KILL, 0, &k);
    f->kill_grace_s = k.grace_s;
    f->kill_cause = cause;
    free(k.note);
}

/* Stops or continues what runs, where the node has not been told so over this connection. Of a job that
 * was never suspended nothing needs to be said. */
static void set_motion(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                       struct flight *f)
{
    bool stop = j->state == JOB_SUSPENDED;
    bool known = f->motion == (stop ? MOTION_STOPPED : MOTION_GOING);
    struct node_link *link = ctl_node(c, t->alloc.node);
    if (known || (!stop && !wall_is_set(job_rare(j)->t_suspend)))
        return;
    struct launch_kill k = {
        .key = ctl_key(j, s, t), .signal = stop ? SIGSTOP : SIGCONT, .target = SIGNAL_TREE};
    if (nodeconn_send(link->conn, ctl_gate(c), MSG_KILL, 0, &k))
        f->motion = stop ? MOTION_STOPPED : MOTION_GOING;
}

/* Returns false where the task's job may have changed under the caller. */
static bool act_on_task(struct control *c, const struct job *j, const struct step *s, const struct task *t)
{
    struct node_link *link = ctl_node(c, t->alloc.node);
    struct flight *f = ctl_flight(c, j, s, t);
    if (!link || !link->reconciled || must_wait(link, j->id, KILL_QUEUE_MAX))
        return true;
    if (t->killing && !f->sent) { /* the node does not have it: it never will */
        end_unlaunched(c, f, END_KILLED, "ended before it was started");
        return false;
    }
    /* Said again where it is to be sooner, or for another cause: a cancel ends the grace time of a
     * preemption. */
    if (t->killing &&
        (!f->kill_sent || grace_of(c, j, s) < f->kill_grace_s || cause_of(j, s) != f->kill_cause))
        send_kill(c, j, s, t, f);
    else if (t->state == TASK_LAUNCHING && !f->sent && !must_wait(link, j->id, LAUNCH_QUEUE_MAX))
        launch(c, j, s, t, f);
    else if (t->state == TASK_RUNNING && !t->killing && f->sent) {
        set_motion(c, j, s, t, f);
        ctl_tell_early(c, j, s, t, f);
        ctl_tell_limit(c, j, t, f);
    }
    return true;
}

static bool act_on_tasks(struct control *c, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        for (size_t k = 0; !s->done && k < s->tasks.n; k++) {
            enum task_state state = s->tasks.v[k].state;
            if ((state == TASK_LAUNCHING || state == TASK_RUNNING) && !act_on_task(c, j, s, &s->tasks.v[k]))
                return false;
        }
    }
    return true;
}

/* --- steps that wait for a part of their allocation, in their order --- */

static void place_steps(struct control *c, struct job *j)
{
    uint32_t id = j->id, in_vain = 0;
    for (size_t i = 0;
         j->kind != JOB_KIND_STEPS && j->state == JOB_RUNNING && i < j->steps.n && in_vain < IN_VAIN_MAX;
         i++) {
        const struct step *s = &j->steps.v[i];
        if (s->done || s->id < 0 || !s->tasks.n || s->tasks.v[0].state != TASK_WAITING)
            continue;
        struct sched_places places = {0};
        struct errtext text;
        bool fits = sched_fit_step(j, s, &places, &text) == STEP_FITS && places.v.n == s->tasks.n;
        in_vain += !fits;
        vec_for_each (&places.v, k) {
            if (fits)
                ctl_emit(c, EV_PLACE, id, &places.v.v[k]);
            else
                rec_fini(&ev_place_rec, &places.v.v[k]);
        }
        vec_fini(&places.v);
    }
}

static void wipe_payload(struct control *c, uint32_t job, int32_t step)
{
    payload_cache_drop(c->payloads, job, step);
    store_del_payload(c->store, job, step);
}

/* A declared step's, and the script, stay with their job: it may be requeued. One that is not found went
 * with its run. The end of a batch script takes with it the steps that still waited. */
void ctl_wipe_payloads(struct control *c, enum event_kind kind, uint32_t job, int32_t step)
{
    const struct job *j = model_get_job(&c->model, job);
    if (!j || j->kind == JOB_KIND_STEPS || (kind != EV_END && kind != EV_KILL && kind != EV_COMPLETE))
        return;
    const struct step *one = step >= 0 ? job_find_step(j, step) : NULL;
    if (step >= 0 && (!one || one->done))
        wipe_payload(c, job, step);
    for (size_t i = 0; step < 0 && i < j->steps.n; i++)
        if (j->steps.v[i].id >= 0 && j->steps.v[i].done)
            wipe_payload(c, job, j->steps.v[i].id);
}

void ctl_act_on_job(struct control *c, struct job *j)
{
    if (job_state_is_final(j->state) || j->state == JOB_PENDING) {
        ctl_drop_timer(c, j->id);
        return;
    }
    ctl_set_timer(c, j);
    if (!act_on_tasks(c, j))
        return; /* its event has put the job among the touched again */
    place_steps(c, j);
}
