#include "backend/control/emit.h"

#include <errno.h>

#include "src/model/fold/apply_taking.h"
#include "src/os/log.h"
#include "src/proto/codec.h"

void ctl_touch(struct control *c, uint32_t job)
{
    planner_note_job(c->planner, job);
    if (c->touched.n && c->touched.v[c->touched.n - 1] == job)
        return;
    vec_push(&c->touched, job);
}

uint64_t ctl_ticket(const struct control *c)
{
    return store_ticket(c->store);
}

/* What the fold takes out of the event's body, or changes, is noted before it. */
static struct emission emit_describe(struct control *c, const struct event *ev, const struct str *bytes)
{
    struct emission e = {.ev = ev,
                         .bytes = bytes->s,
                         .n = bytes->len,
                         .job = ev->job ? model_get_job(&c->model, ev->job) : NULL,
                         .state_before = JOB_PENDING,
                         .elements_before = 1,
                         .queued_before = c->model.n_pending + c->model.n_active,
                         .step = STEP_ALL};
    if (e.job) {
        e.state_before = e.job->state;
        e.uid = e.job->uid;
        e.array = e.job->array_job;
    }
    if (e.job && e.state_before == JOB_PENDING)
        e.elements_before = job_pending_elements(e.job);
    if (ev->kind == EV_END)
        e.step = ((const struct ev_end *)ev->body)->step;
    else if (ev->kind == EV_KILL)
        e.step = ((const struct ev_kill *)ev->body)->step;
    else if (ev->kind == EV_START)
        e.element = ((const struct ev_start *)ev->body)->new_id;
    else if (ev->kind == EV_SPLIT)
        e.element = ((const struct ev_split *)ev->body)->new_id;
    return e;
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
    struct emission e = emit_describe(c, &ev, &bytes);
    modules_call(c, before, c, &e);
    uint64_t seq = c->model.seq;
    int r = model_apply_taking(&c->model, &ev);
    if (r < 0) {
        c->model.seq = seq;
        log_debug("event=%s job=%u refused by the state: %d", event_name(kind), job, r);
    } else {
        e.job = job && kind != EV_RETIRE ? model_get_job(&c->model, job) : NULL;
        e.uid = e.job ? e.job->uid : e.uid;
        modules_call(c, after, c, &e);
    }
    str_fini(&bytes);
    rec_fini(d, body);
    return r;
}
