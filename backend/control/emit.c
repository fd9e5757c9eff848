/* emit.c - the only way into the state: an event is folded, collected for the disk, pushed, and its job
 * marked. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/proto/codec.h"

void ctl_touch(struct control *c, uint32_t job)
{
    planner_note_job(c->planner, job);
    if (c->touched.n && c->touched.v[c->touched.n - 1] == job)
        return;
    vec_push(&c->touched, job);
}

uint64_t ctl_gate(const struct control *c)
{
    return store_gate(c->store);
}

/* Everything but a hold of something or a word about it may let something start. j: the job after the
 * event, or NULL. A pass walks past every job that is held: a thousand of them submitted must not cost a
 * thousand walks. */
static bool may_change_plan(enum event_kind kind, const struct job *j)
{
    switch (kind) {
    case EV_SUBMIT: return !j || j->hold == HOLD_NONE;
    case EV_EPOCH:
    case EV_STEP:
    case EV_RUNNING:
    case EV_SIGNAL:
    case EV_PREEMPT:
    case EV_USAGE:
    case EV_NOTE:
    case EV_RETIRE:
    case EV_START:
    case EV_PLACE:
    case EV_SPLIT: return false;
    case EV_CONFIG:
    case EV_NODE:
    case EV_DRAIN:
    case EV_END:
    case EV_KILL:
    case EV_HOLD:
    case EV_REQUEUE:
    case EV_UPDATE:
    case EV_COMPLETE:
    case EV_ELIGIBLE:
    case EV_WINDOW:
    case EV_SUSPEND:
    case EV_AVOID:
    case EV_UNKNOWN:
    case EV_UNPLACE:
    case EV_N_KINDS: break;
    }
    return true;
}

/* Whose payload may be over after it. */
static int32_t named_step(enum event_kind kind, const void *body)
{
    if (kind == EV_END)
        return ((const struct ev_end *)body)->step;
    return kind == EV_KILL ? ((const struct ev_kill *)body)->step : STEP_ALL;
}

static bool may_end_steps(enum event_kind kind)
{
    return kind == EV_END || kind == EV_KILL || kind == EV_COMPLETE;
}

/* What the planner has to read again beside the jobs that are touched. */
static void note_change(struct control *c, enum event_kind kind, uint32_t job)
{
    if (kind == EV_NODE || kind == EV_DRAIN || kind == EV_AVOID || kind == EV_UNKNOWN)
        planner_note_nodes(c->planner);
    else if (kind == EV_WINDOW)
        planner_note_windows(c->planner);
    else if (kind == EV_RETIRE)
        planner_note_job(c->planner, job);
}

/* n: how many it was before it ended; the elements of an array that wait are one record. */
static void count_end(struct msg_stats *m, enum job_state state, uint32_t n)
{
    if (state == JOB_COMPLETED)
        m->completed += n;
    else if (state == JOB_CANCELLED)
        m->cancelled += n;
    else if (job_state_is_final(state))
        m->failed += n;
}

int ctl_emit(struct control *c, enum event_kind kind, uint32_t job, void *body)
{
    struct event ev = {
        .seq = c->model.seq + 1, .t = loop_wall(c->loop), .kind = kind, .job = job, .body = body};
    const struct rec_desc *d = event_body_rec(kind);
    if (c->read_only) {
        rec_fini(d, body);
        return -EROFS;
    }
    struct str bytes = STR_INIT;
    codec_encode(d, body, &bytes);
    bool kept = kind != EV_RETIRE;
    const struct job *retired = kept ? NULL : model_get_job(&c->model, job);
    if (retired) {
        past_note(c, retired);
        ctl_note_leaving(c, retired, ev.seq);
        kept = store_retire_job(c->store, retired);
    }
    if (kind == EV_CONFIG) {
        ctl_forget_pass(c);
        ctl_forget_prio(c); /* its tables are as long as those of the configuration that goes */
    }
    uint64_t seq = c->model.seq;
    int32_t step = named_step(kind, body);
    const struct job *changed = job ? model_get_job(&c->model, job) : NULL;
    enum job_state before = changed ? changed->state : JOB_PENDING;
    uint32_t n_before = changed && before == JOB_PENDING ? job_pending_elements(changed) : 1;
    uint32_t uid = changed ? changed->uid : 0, n_queued = c->model.n_pending + c->model.n_active;
    uint32_t array = changed ? changed->array_job : 0;
    uint32_t split = kind == EV_START ? ((const struct ev_start *)body)->new_id : 0;
    int r = model_apply(&c->model, &ev);
    if (r < 0) {
        c->model.seq = seq;
        log_debug("event=%s job=%u refused by the state: %d", event_name(kind), job, r);
    } else {
        if (kept)
            store_add_event(c->store, &ev, bytes.s, bytes.len);
        if (kind != EV_USAGE) /* who follows asks for shares; the table is large */
            ctl_push_event(c, &ev, array, bytes.s, bytes.len);
        if (job && kind != EV_RETIRE)
            ctl_touch(c, job);
        note_change(c, kind, job);
        ctl_note_gates(c, &ev);
        ctl_wipe_payloads(c, kind, job, step);
        if (c->pmi.n && may_end_steps(kind))
            ctl_pmi_over(c, job);
        if (kind == EV_UPDATE && before != JOB_PENDING)
            ctl_lost_again(c);
        changed = job && kind != EV_RETIRE ? model_get_job(&c->model, job) : NULL;
        if (changed) {
            uid = changed->uid;
            ctl_mail_change(c, changed, before);
            if (!job_state_is_final(before))
                count_end(&c->stats, changed->state, n_before);
        }
        n_queued = c->model.n_pending + c->model.n_active - n_queued; /* more, or modulo 2^32 fewer */
        if (n_queued)
            ctl_party(c, uid)->n_jobs += n_queued;
        if (split && (changed = model_get_job(&c->model, split)))
            ctl_mail_change(c, changed, JOB_PENDING);
        c->sched_dirty =
            c->sched_dirty || may_change_plan(kind, job ? model_get_job(&c->model, job) : NULL);
        store_note(c->store, ctl_cluster_hash(c), c->model.epoch, c->model.next_job);
        if (c->ids_noted && c->model.next_job > c->ids_noted)
            ctl_note_lineage(c);
        c->stats.events++;
    }
    str_fini(&bytes);
    rec_fini(d, body);
    return r;
}

void crash_point(const char *name)
{
    static long left = -1;
    const char *want = getenv("STOKER_CRASH");
    size_t n = strlen(name);
    if (!want || strncmp(want, name, n) != 0 || want[n] != ':')
        return;
    if (left < 0)
        left = atol(want + n + 1);
    if (--left <= 0)
        kill(getpid(), SIGKILL);
}
