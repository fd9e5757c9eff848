/* req_misc.c - questions about one job, interactive jobs' terminals, figures, the end of the controller. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/proto/codec.h"

#define OWNER_GRACE_MS 30000 /* a terminal may come back: the controller or its connection was lost */
#define SESSION_MS     1000  /* between looks whether a session without its terminal has ended */
#define STOP_KILL_MS   200
#define STOP_AWAY_MS   10000 /* so long for a node that is out of reach to come back */
#define STOP_STUCK_MS  60000 /* beyond kill_wait: so long for processes that do not die */
#define STOP_COMMIT_MS 5
#define SCRIPTS_MAX    16u        /* that one client waits for */
#define SCRIPTS_USER   64u        /* all clients of a user */
#define SCRIPT_BYTES   (4u << 20) /* sent at a time to those who wait for the same */

static struct job *find_job(struct session *s, uint64_t tag, const struct job_target *t)
{
    struct control *c = s->ctl;
    struct job *j = t->array_index == ARRAY_NONE ? model_get_job(&c->model, t->job)
                                                 : model_get_element(&c->model, t->job, t->array_index);
    if (!j)
        session_reply(s, tag, REFUSAL_NO_JOB, t->job, 0, "there is no job %u", t->job);
    return j;
}

#define ORDER_MS    2   /* of a turn */
#define ORDER_UNITS 500 /* between two looks at the clock */

void ctl_order_queue(void *ctx)
{
    struct control *c = ctx;
    struct sched_view v = ctl_view(c);
    struct mono until = mono_add_ms(mono_read(), ORDER_MS);
    bool done = false;
    while (!done && mono_read().ns < until.ns)
        done = queue_order_step(c->planner, &v, loop_wall(c->loop), ORDER_UNITS);
    if (!done)
        loop_timer_set(c->loop, &c->queue_order, 1);
}

void req_why(struct session *s, uint64_t tag, const struct msg_job *m)
{
    struct control *c = s->ctl;
    const struct job *j = find_job(s, tag, &m->target);
    if (!j)
        return;
    struct sched_view v = ctl_view(c);
    struct msg_why w;
    sched_why(c->planner, &v, j, loop_wall(c->loop), &w);
    loop_timer_set(c->loop, &c->queue_order, 0);
    session_send(s, MSG_WHY_TEXT, tag, &w);
    rec_fini(&msg_why_rec, &w);
}

#define WAITS_MS 2 /* for one question */

/* As many as there is time for, one at least: the client asks again for the others. */
void req_waits(struct session *s, uint64_t tag, const struct msg_waits_get *m)
{
    struct control *c = s->ctl;
    struct sched_view v = ctl_view(c);
    struct wall now = loop_wall(c->loop);
    struct msg_waits r = {0};
    if (m->jobs.n > WAIT_ROWS_MAX) {
        session_reply(s, tag, REFUSAL_TOO_BIG, 0, 0, "more than %u jobs asked for", WAIT_ROWS_MAX);
        return;
    }
    sched_waits_begin(c->planner, &v, now);
    struct mono until = mono_add_ms(mono_read(), WAITS_MS);
    for (size_t i = 0; i < m->jobs.n && (!i || mono_read().ns < until.ns); i++) {
        const struct job *j = model_get_job(&c->model, m->jobs.v[i].job);
        struct job_wait *w = rec_list_push(&r.rows);
        *w = (struct job_wait){.job = m->jobs.v[i].job};
        if (j)
            sched_wait(c->planner, &v, j, now, &w->cause);
    }
    sched_waits_end(c->planner);
    loop_timer_set(c->loop, &c->queue_order, 0);
    session_send(s, MSG_WAIT_ROWS, tag, &r);
    rec_fini(&msg_waits_rec, &r);
}

/* --- scripts: read back from the store where they are not at hand --- */

static void send_script(struct session *s, uint64_t tag, uint32_t job, const uint8_t *p, size_t n)
{
    struct step_payload payload;
    struct errtext err;
    if (!p || codec_decode(&step_payload_rec, p, n, &payload, &err) < 0) {
        session_reply(s, tag, REFUSAL_NO_JOB, job, 0, "the script of job %u is not kept any more", job);
        return;
    }
    struct msg_script r = {.script = payload.script, .argv = payload.argv};
    session_send(s, MSG_SCRIPT_TEXT, tag, &r);
    rec_fini(&step_payload_rec, &payload);
}

static bool may_wait(struct session *s, uint64_t tag, uint32_t job)
{
    size_t n = 0;
    list_for_each (other, &s->ctl->sessions, struct session, link)
        n += other->party == s->party ? other->scripts.n : 0;
    bool may = s->scripts.n < SCRIPTS_MAX && n < SCRIPTS_USER;
    if (!may)
        session_reply(s, tag, REFUSAL_RATE, job, 0, "too many scripts are asked for at a time");
    return may;
}

static bool is_awaited(const struct control *c, uint32_t job, bool old)
{
    list_for_each (s, &c->sessions, struct session, link)
        vec_for_each (&s->scripts, i)
            if (s->scripts.v[i].job == job && s->scripts.v[i].old == old)
                return true;
    return false;
}

/* It is read once for all who wait for it. */
static void wait_for_script(struct session *s, uint64_t tag, uint32_t job, bool old)
{
    bool asked = old && is_awaited(s->ctl, job, old);
    vec_push(&s->scripts, (struct script_wait){.tag = tag, .job = job, .old = old});
    if (!old)
        ctl_ask_payload(s->ctl, job, STEP_BATCH);
    else if (!asked)
        store_get_script(s->ctl->store, job);
}

static void refuse_other(struct session *s, uint64_t tag, uint32_t job)
{
    session_reply(s, tag, REFUSAL_NOT_ALLOWED, job, 0, "scripts are shown to their owner alone");
}

void req_script(struct session *s, uint64_t tag, const struct msg_job *m)
{
    struct control *c = s->ctl;
    uint32_t raw = m->target.array_index == ARRAY_NONE ? m->target.job : 0;
    if (raw && raw < c->model.next_job && !model_get_job(&c->model, raw)) { /* it may be in the history */
        if (may_wait(s, tag, raw))
            wait_for_script(s, tag, raw, true);
        return;
    }
    const struct job *j = find_job(s, tag, &m->target);
    if (!j)
        return;
    if (!session_owns(s, j)) {
        refuse_other(s, tag, j->id);
        return;
    }
    size_t n = 0;
    uint32_t job = ctl_payload_job(j, STEP_BATCH);
    const uint8_t *p = payload_cache_get(c->payloads, job, STEP_BATCH, &n);
    if (p)
        send_script(s, tag, j->id, p, n);
    else if (may_wait(s, tag, j->id))
        wait_for_script(s, tag, job, false);
}

/* One of those who wait for this one, taken off the list; NULL: nobody does. */
static struct session *take_wait(struct control *c, uint32_t job, bool old, uint64_t *ret_tag)
{
    list_for_each (s, &c->sessions, struct session, link)
        vec_for_each (&s->scripts, i)
            if (s->scripts.v[i].job == job && s->scripts.v[i].old == old) {
                *ret_tag = s->scripts.v[i].tag;
                vec_remove(&s->scripts, i);
                return s;
            }
    return NULL;
}

/* Where it is large not all get it at once, or nobody else would be served for so long: for the others it
 * is read again. */
void ctl_answer_scripts(struct control *c, uint32_t job, const uint8_t *p, size_t n)
{
    uint64_t tag;
    struct session *s;
    for (size_t sent = 0; sent < SCRIPT_BYTES && (s = take_wait(c, job, false, &tag)); sent += n)
        send_script(s, tag, job, p, n);
    if (is_awaited(c, job, false))
        ctl_ask_payload(c, job, STEP_BATCH);
}

static void answer_old_script(struct session *s, uint64_t tag, const struct old_script *o)
{
    if (!o->known)
        session_reply(s, tag, REFUSAL_NO_JOB, o->job, 0, "there is no job %u", o->job);
    else if (!s->admin && s->uid != o->uid)
        refuse_other(s, tag, o->job);
    else
        send_script(s, tag, o->job, o->n ? o->p : NULL, o->n);
}

void ctl_answer_old_script(void *ctx, const struct old_script *o)
{
    struct control *c = ctx;
    uint64_t tag;
    struct session *s;
    for (size_t sent = 0; sent < SCRIPT_BYTES && (s = take_wait(c, o->job, true, &tag)); sent += o->n)
        answer_old_script(s, tag, o);
    if (is_awaited(c, o->job, true))
        store_get_script(c->store, o->job);
}

/* --- interactive jobs --- */

void req_complete(struct session *s, uint64_t tag, const struct msg_complete *m)
{
    struct control *c = s->ctl;
    const struct job *j = model_get_job(&c->model, m->job);
    if (!j || !session_owns(s, j)) {
        session_reply(s, tag, REFUSAL_NO_JOB, m->job, 0, "there is no job %u of yours", m->job);
        return;
    }
    if (m->code < 0 || m->code > 255 || m->signal < 0 || m->signal > 64) {
        session_reply(s, tag, REFUSAL_BAD_REQUEST, m->job, 0, "no program ends with code %d and signal %d",
                      m->code, m->signal);
        return;
    }
    struct ev_complete body = {.code = m->code, .signal = m->signal};
    int r = ctl_emit(c, EV_COMPLETE, m->job, &body);
    session_reply(s, tag, r < 0 ? REFUSAL_ENDED : REFUSAL_NONE, m->job, r == 0, "%s", "");
}

void req_own(struct session *s, uint64_t tag, const struct msg_job *m)
{
    struct control *c = s->ctl;
    const struct job *j = model_get_job(&c->model, m->target.job);
    if (!j || !session_owns(s, j) || j->kind != JOB_KIND_INTERACTIVE) {
        session_reply(s, tag, REFUSAL_NO_JOB, m->target.job, 0, "job %u is no interactive job of yours",
                      m->target.job);
        return;
    }
    idmap_set(&c->owners, j->id, s);
    session_reply(s, tag, REFUSAL_NONE, j->id, 1, "%s", "");
}

struct orphan {
    struct loop_timer timer;
    struct control *ctl;
    uint32_t job;
};

static bool is_unclaimed(const struct control *c, const struct job *j)
{
    return j->kind == JOB_KIND_INTERACTIVE && !j->detached && !job_state_is_final(j->state) &&
           !idmap_get(&c->owners, j->id);
}

/* A session on a terminal of its own outlives the one that it was begun at: there is `stoker attach`. */
static const struct step *find_session(const struct job *j, bool *ret_lives)
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

static void end_unclaimed(struct control *c, const struct job *j)
{
    bool lives;
    const struct step *session = find_session(j, &lives);
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

/* Its terminal has not come back, nor another one taken its place. */
static void on_grace_over(void *ctx)
{
    struct orphan *o = ctx;
    struct control *c = o->ctl;
    const struct job *j = model_get_job(&c->model, o->job);
    if (c->read_only) {
        loop_timer_set(c->loop, &o->timer, OWNER_GRACE_MS);
        return;
    }
    bool lives = false;
    if (j && is_unclaimed(c, j))
        find_session(j, &lives);
    if (lives) {
        loop_timer_set(c->loop, &o->timer, SESSION_MS);
        return;
    }
    free(idmap_remove(&c->orphaned, o->job));
    if (j && is_unclaimed(c, j))
        end_unclaimed(c, j);
}

/* Each job has a grace of its own: the losses of others do not move it. */
static void add_orphan(struct control *c, uint32_t job)
{
    struct orphan *o = idmap_get(&c->orphaned, job);
    if (!o) {
        o = xcalloc(1, sizeof *o);
        *o = (struct orphan){.ctl = c, .job = job};
        o->timer = (struct loop_timer){.fn = on_grace_over, .ctx = o};
        idmap_set(&c->orphaned, job, o);
    }
    const struct job *j = model_get_job(&c->model, job);
    bool lives = false;
    if (j)
        find_session(j, &lives);
    loop_timer_set(c->loop, &o->timer, lives ? SESSION_MS : OWNER_GRACE_MS);
}

void ctl_free_orphans(struct control *c)
{
    idmap_for_each (&c->orphaned, slot) {
        struct orphan *o = slot->value;
        loop_timer_cancel(c->loop, &o->timer);
        free(o);
    }
    idmap_fini(&c->orphaned);
}

void ctl_owner_gone(struct control *c, struct session *s)
{
    VEC(uint32_t) jobs = VEC_INIT;
    idmap_for_each (&c->owners, slot)
        if (slot->value == s)
            vec_push(&jobs, (uint32_t)slot->id);
    vec_for_each (&jobs, i)
        idmap_remove(&c->owners, jobs.v[i]);
    vec_for_each (&jobs, i)
        if (!c->stopping)
            add_orphan(c, jobs.v[i]);
    vec_fini(&jobs);
}

/* Some time after the controller's start: interactive jobs of before that nobody has claimed. What was
 * lost since has a timer of its own. */
void ctl_end_orphans(void *ctx)
{
    struct control *c = ctx;
    list_for_each (j, &c->model.all, struct job, in_all)
        if (is_unclaimed(c, j) && !idmap_get(&c->orphaned, j->id))
            end_unclaimed(c, j);
}

void ctl_watch_sessions(struct control *c)
{
    list_for_each (j, &c->model.all, struct job, in_all) {
        bool lives = false;
        if (is_unclaimed(c, j) && find_session(j, &lives))
            add_orphan(c, j->id);
    }
}

/* --- figures and the end --- */

static uint64_t rss_kib(void)
{
    unsigned long size = 0, rss = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%lu %lu", &size, &rss) != 2)
        rss = 0;
    if (f)
        fclose(f);
    return (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

void req_stats(struct session *s, uint64_t tag)
{
    struct control *c = s->ctl;
    struct store_stats st;
    store_get_stats(c->store, &st);
    struct msg_stats m = c->stats;
    m.t_start = c->t_start;
    m.commits = st.commits;
    m.commit_us_max = st.commit_us_max;
    m.commit_us_sum = st.commit_us_sum;
    m.db_bytes = st.db_bytes;
    m.rss_kib = rss_kib();
    list_for_each (other, &c->sessions, struct session, link)
        m.sessions++;
    list_for_each (n, &c->nodes, struct node_link, link)
        m.nodes_up += nodeconn_is_up(n->conn);
    ctl_tell_parties(c, &m);
    session_send(s, MSG_STATS_DATA, tag, &m);
    rec_fini(&msg_stats_rec, &m);
}

static void end_all_jobs(struct control *c, uint32_t uid)
{
    VEC(uint32_t) ids = VEC_INIT;
    list_for_each (j, &c->model.all, struct job, in_all)
        if (!job_state_is_final(j->state))
            vec_push(&ids, j->id);
    vec_for_each (&ids, i) {
        struct ev_kill body = {.step = STEP_ALL,
                               .cause = KILL_CANCEL,
                               .uid = uid,
                               .grace_s = c->model.spec.kill_wait_s,
                               .fate = FATE_END,
                               .user = ctl_user_of(c, uid)};
        ctl_emit(c, EV_KILL, ids.v[i], &body);
    }
    vec_fini(&ids);
}

/* Has it a task that lives, and none of them where it could be ended now? The kill is in the state: it is
 * sent when both the node and a controller are there again. */
static bool is_out_of_reach(struct control *c, const struct job *j)
{
    bool live = false;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; !j->steps.v[i].done && k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state != TASK_LAUNCHING && t->state != TASK_RUNNING)
                continue;
            const struct node_link *link = ctl_node(c, t->alloc.node);
            if (link && nodeconn_is_up(link->conn))
                return false;
            live = true;
        }
    return live;
}

static uint32_t count_out_of_reach(struct control *c)
{
    uint32_t n = 0;
    list_for_each (j, &c->model.active, struct job, in_queue)
        n += is_out_of_reach(c, j);
    return n;
}

static bool waits_for_jobs(struct control *c)
{
    int64_t waited_ms = (loop_now(c->loop).ns - c->stop_since.ns) / NS_PER_MS;
    if (!c->stop_kills || !c->model.n_active || c->read_only)
        return false;
    if (waited_ms < STOP_AWAY_MS)
        return true;
    return waited_ms < (int64_t)c->model.spec.kill_wait_s * MS_PER_S + STOP_STUCK_MS &&
           c->model.n_active > count_out_of_reach(c);
}

/* Stops once what must be said has been said: at the next tick, or, when the jobs are to end, as soon as
 * those have that can be reached. */
/* The second answer to the request: how many jobs are left after all. */
static void tell_stopper(struct control *c)
{
    c->stop_told = true;
    if (c->stopper)
        session_reply(c->stopper, c->stop_tag, REFUSAL_NONE, 0, c->model.n_active, "%s", "");
}

void ctl_try_stop(void *ctx)
{
    struct control *c = ctx;
    if (waits_for_jobs(c)) {
        loop_timer_set(c->loop, &c->stop_timer, STOP_KILL_MS);
        return;
    }
    if (c->stop_kills && c->model.n_active && !c->stop_told) {
        log_warn("jobs=%u have not ended: they do when their nodes and the controller are there again",
                 c->model.n_active);
        tell_stopper(c);
        loop_timer_set(c->loop, &c->stop_timer, STOP_COMMIT_MS);
        return;
    }
    /* What agents are told goes behind what waits for the disk: with the last end just in, they would not
     * hear that they may go. */
    if (!c->read_only && store_committed(c->store) < store_gate(c->store)) {
        loop_timer_set(c->loop, &c->stop_timer, STOP_COMMIT_MS);
        return;
    }
    log_info("stopping jobs_pending=%u jobs_active=%u", c->model.n_pending, c->model.n_active);
    loop_stop(c->loop);
}

void req_shutdown(struct session *s, uint64_t tag, const struct msg_flag *m)
{
    struct control *c = s->ctl;
    if (!s->admin) {
        session_reply(s, tag, REFUSAL_NOT_ALLOWED, 0, 0, "only administrators stop the controller");
        return;
    }
    c->stopping = true;
    if (m->on && !c->stop_kills)
        c->stop_since = loop_now(c->loop);
    c->stop_kills = m->on; /* who only stops it does not wait for the jobs, whatever was asked before */
    if (m->on && !c->read_only)
        end_all_jobs(c, s->uid);
    c->stopper = s;
    c->stop_tag = tag;
    session_reply(s, tag, REFUSAL_NONE, 0, m->on ? count_out_of_reach(c) : 0, "%s", "");
    loop_timer_set(c->loop, &c->stop_timer, 20);
}
