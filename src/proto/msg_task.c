/* msg_task.c - what supervisors of tasks need of the messages of nodes. */
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "src/proto/msg_node.h"

REC_DEFINE(msg_input, MSG_INPUT_FIELDS)
REC_DEFINE(msg_input_ack, MSG_INPUT_ACK_FIELDS)
REC_DEFINE(msg_pmi, MSG_PMI_FIELDS)
REC_DEFINE(msg_none, MSG_NONE_FIELDS)

void msg_append_as(struct str *out, const struct rec_desc *d, enum msg_kind kind, uint64_t tag,
                   const void *body)
{
    static const struct msg_none nothing = {0};
    bug_on(!body && d != &msg_none_rec);

    size_t at = frame_begin(out);
    codec_encode(d, body ? body : &nothing, out);
    frame_end(out, at, (uint16_t)kind, 0, tag);
}
