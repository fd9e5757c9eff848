#include "src/proto/msg_node.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"

REC_DEFINE(gpu_util, GPU_UTIL_FIELDS)
REC_DEFINE(task_util, TASK_UTIL_FIELDS)
REC_DEFINE(msg_hello, MSG_HELLO_FIELDS)
REC_DEFINE(msg_agent, MSG_AGENT_FIELDS)
REC_DEFINE(msg_tunnel_open, MSG_TUNNEL_OPEN_FIELDS)
REC_DEFINE(msg_tunnel_data, MSG_TUNNEL_DATA_FIELDS)
REC_DEFINE(msg_tunnel_taken, MSG_TUNNEL_TAKEN_FIELDS)
REC_DEFINE(msg_output_read, MSG_OUTPUT_READ_FIELDS)
REC_DEFINE(msg_output_data, MSG_OUTPUT_DATA_FIELDS)
REC_DEFINE(msg_watch_util, MSG_WATCH_UTIL_FIELDS)
REC_DEFINE(msg_util, MSG_UTIL_FIELDS)
REC_DEFINE(node_held_job, NODE_HELD_JOB_FIELDS)
REC_DEFINE(msg_held_jobs, MSG_HELD_JOBS_FIELDS)

static const struct rec_desc *const msg_node_recs[MSG_N_KINDS] = {
    [MSG_HELLO] = &msg_hello_rec,
    [MSG_AGENT] = &msg_agent_rec,
    [MSG_OUTPUT_READ] = &msg_output_read_rec,
    [MSG_OUTPUT_DATA] = &msg_output_data_rec,
    [MSG_INPUT] = &msg_input_rec,
    [MSG_INPUT_ACK] = &msg_input_ack_rec,
    [MSG_WATCH_UTIL] = &msg_watch_util_rec,
    [MSG_UTIL] = &msg_util_rec,
    [MSG_LAUNCH] = &launch_rec,
    [MSG_KILL] = &launch_kill_rec,
    [MSG_TASK_RUNNING] = &launch_status_rec,
    [MSG_TASK_END] = &launch_end_rec,
    [MSG_END_ACK] = &launch_key_rec,
    [MSG_PING] = &msg_none_rec,
    [MSG_PONG] = &msg_none_rec,
    [MSG_AGENT_STOP] = &msg_none_rec,
    [MSG_TUNNEL_OPEN] = &msg_tunnel_open_rec,
    [MSG_TUNNEL_DATA] = &msg_tunnel_data_rec,
    [MSG_TUNNEL_TAKEN] = &msg_tunnel_taken_rec,
    [MSG_TUNNEL_END] = &msg_tunnel_taken_rec,
    [MSG_PMI_FENCE] = &msg_pmi_rec,
    [MSG_PMI_ALL] = &msg_pmi_rec,
    [MSG_HELD_JOBS] = &msg_held_jobs_rec,
    [MSG_OVER_JOBS] = &msg_held_jobs_rec,
};

const struct rec_desc *msg_node_rec(enum msg_kind kind)
{
    bug_on((unsigned)kind >= MSG_N_KINDS);
    return msg_node_recs[kind];
}

int msg_decode_as(const struct rec_desc *d, const struct frame *f, void **ret, struct errtext *err)
{
    void *body = xmalloc(d->size);
    int r = codec_decode(d, f->body, f->size, body, err);
    if (r < 0) {
        free(body);
        return r;
    }
    *ret = body;
    return 0;
}

int msg_node_decode(const struct frame *f, void **ret, struct errtext *err)
{
    if (f->type >= MSG_N_KINDS)
        return err_set(err, -ENOSYS, "message kind %u is not known here", f->type);
    if (!msg_node_recs[f->type])
        return err_set(err, -EPROTO, "message kind %u is not for nodes", f->type);
    return msg_decode_as(msg_node_recs[f->type], f, ret, err);
}

void msg_node_free(enum msg_kind kind, void *body)
{
    if (!body)
        return;
    rec_fini(msg_node_rec(kind), body);
    free(body);
}
