/* msg.c - the tables of the messages, and messages as frames. */
#include "src/proto/msg.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "src/proto/msg_node.h"

REC_DEFINE(msg_welcome, MSG_WELCOME_FIELDS)
REC_DEFINE(msg_result, MSG_RESULT_FIELDS)
REC_DEFINE(step_payload, STEP_PAYLOAD_FIELDS)
REC_DEFINE(msg_submit, MSG_SUBMIT_FIELDS)
REC_DEFINE(msg_step_create, MSG_STEP_CREATE_FIELDS)
REC_DEFINE(msg_step_created, MSG_STEP_CREATED_FIELDS)
REC_DEFINE(job_target, JOB_TARGET_FIELDS)
REC_DEFINE(msg_act, MSG_ACT_FIELDS)
REC_DEFINE(msg_update, MSG_UPDATE_FIELDS)
REC_DEFINE(msg_drain, MSG_DRAIN_FIELDS)
REC_DEFINE(msg_node_note, MSG_NODE_NOTE_FIELDS)
REC_DEFINE(msg_node_task_end, MSG_NODE_TASK_END_FIELDS)
REC_DEFINE(msg_get, MSG_GET_FIELDS)
REC_DEFINE(msg_nodes, MSG_NODES_FIELDS)
REC_DEFINE(msg_jobs, MSG_JOBS_FIELDS)
REC_DEFINE(msg_snapshot, MSG_SNAPSHOT_FIELDS)
REC_DEFINE(msg_event, MSG_EVENT_FIELDS)
REC_DEFINE(job_reason, JOB_REASON_FIELDS)
REC_DEFINE(msg_reasons, MSG_REASONS_FIELDS)
REC_DEFINE(msg_job, MSG_JOB_FIELDS)
REC_DEFINE(msg_script, MSG_SCRIPT_FIELDS)
REC_DEFINE(msg_complete, MSG_COMPLETE_FIELDS)
REC_DEFINE(msg_flag, MSG_FLAG_FIELDS)
REC_DEFINE(user_stats, USER_STATS_FIELDS)
REC_DEFINE(msg_stats, MSG_STATS_FIELDS)
REC_DEFINE(msg_history, MSG_HISTORY_FIELDS)
REC_DEFINE(msg_history_end, MSG_HISTORY_END_FIELDS)
REC_DEFINE(msg_waits_get, MSG_WAITS_GET_FIELDS)
REC_DEFINE(msg_waits, MSG_WAITS_FIELDS)
REC_DEFINE(msg_prio, MSG_PRIO_FIELDS)
REC_DEFINE(msg_prio_rows, MSG_PRIO_ROWS_FIELDS)
REC_DEFINE(msg_shares, MSG_SHARES_FIELDS)
REC_DEFINE(msg_plan_get, MSG_PLAN_GET_FIELDS)
REC_DEFINE(msg_windows, MSG_WINDOWS_FIELDS)
REC_DEFINE(msg_window_set, MSG_WINDOW_SET_FIELDS)
REC_DEFINE(engine_calls, ENGINE_CALLS_FIELDS)
REC_DEFINE(engine_score, ENGINE_SCORE_FIELDS)
REC_DEFINE(msg_engine, MSG_ENGINE_FIELDS)
REC_DEFINE(step_use, STEP_USE_FIELDS)
REC_DEFINE(msg_job_use, MSG_JOB_USE_FIELDS)

const struct rec_desc *msg_rec(enum msg_kind kind)
{
    static const struct rec_desc *const recs[MSG_N_KINDS] = {
#define X(name, body, who) [MSG_##name] = &body##_rec,
        MSGS(X)
#undef X
    };
    bug_on((unsigned)kind >= MSG_N_KINDS);
    return recs[kind];
}

const char *msg_name(enum msg_kind kind)
{
    static const char *const names[MSG_N_KINDS] = {
#define X(name, body, who) [MSG_##name] = #name,
        MSGS(X)
#undef X
    };
    bug_on((unsigned)kind >= MSG_N_KINDS);
    return names[kind];
}

void msg_append(struct str *out, enum msg_kind kind, uint64_t tag, const void *body)
{
    msg_append_as(out, msg_rec(kind), kind, tag, body);
}

int msg_decode(const struct frame *f, void **ret, struct errtext *err)
{
    if (f->type >= MSG_N_KINDS)
        return err_set(err, -ENOSYS, "message kind %u is not known here", f->type);
    return msg_decode_as(msg_rec(f->type), f, ret, err);
}

void msg_free(enum msg_kind kind, void *body)
{
    if (!body)
        return;
    rec_fini(msg_rec(kind), body);
    free(body);
}

void event_to_msg(const struct event *ev, struct msg_event *ret)
{
    static const struct ev_none nothing = {0};
    const struct rec_desc *d = event_body_rec(ev->kind);
    bug_on(!ev->body && d != &ev_none_rec);

    struct str out = STR_INIT;
    codec_encode(d, ev->body ? ev->body : &nothing, &out);
    *ret = (struct msg_event){.seq = ev->seq, .t = ev->t, .kind = ev->kind, .job = ev->job};
    ret->body.n = out.len;
    ret->body.p = (uint8_t *)str_take(&out);
}

int event_from_msg(const struct msg_event *msg, struct event *ret, struct errtext *err)
{
    if (msg->kind >= EV_N_KINDS)
        return err_set(err, -ENOSYS, "event kind %u is not known here", msg->kind);
    const struct rec_desc *d = event_body_rec(msg->kind);
    void *body = xmalloc(d->size);
    int r = codec_decode_own(d, msg->body.p, msg->body.n, body, err);
    if (r < 0) {
        free(body);
        return err_prefix(err, r, "event %llu", (unsigned long long)msg->seq);
    }
    if (msg->kind == EV_SUBMIT) { /* a job's links are no members: they must be as job_new makes them */
        struct job *j = body;
        list_init(&j->in_all);
        list_init(&j->in_queue);
    }
    *ret = (struct event){.seq = msg->seq, .t = msg->t, .kind = msg->kind, .job = msg->job, .body = body};
    return 0;
}
