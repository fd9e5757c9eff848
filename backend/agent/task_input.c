#include "backend/agent/task_input.h"

#include "backend/agent/agent_internal.h"

static bool task_input_is_awaited(const struct atask *t)
{
    return t->a->uplink.wire && t->a->uplink.serial == t->input_peer;
}

void task_input_answered(struct atask *t, const struct frame *f)
{
    vec_for_each (&t->inputs, i)
        if (t->inputs.v[i] == f->tag) {
            vec_remove(&t->inputs, i);
            break;
        }
    if (task_input_is_awaited(t))
        uplink_send_encoded(&t->a->uplink, MSG_INPUT_ACK, f->tag, f->body, f->size);
}

void task_input_give_up(struct atask *t)
{
    struct msg_input_ack ack = {.closed = t->end != NULL};
    vec_for_each (&t->inputs, i)
        if (task_input_is_awaited(t))
            uplink_send(&t->a->uplink, MSG_INPUT_ACK, t->inputs.v[i], &ack);
    vec_clear(&t->inputs);
}

void task_input_send(struct agent *a, uint64_t tag, const struct msg_input *m, const struct frame *f)
{
    struct atask *t = task_table_find_latest(a->tasks, &m->key);
    if (!t || t->end || !t->wire.open) {
        /* An adopted shim that is not reached yet has taken nothing of it: the sender comes again. */
        struct msg_input_ack ack = {.closed = !t || t->end};
        uplink_send(&a->uplink, MSG_INPUT_ACK, tag, &ack);
        return;
    }
    uint64_t peer = a->uplink.wire ? a->uplink.serial : 0;
    if (t->input_peer != peer)
        vec_clear(&t->inputs); /* the connection that waits for those answers is gone */
    t->input_peer = peer;
    vec_push(&t->inputs, tag);
    wire_send_encoded(&t->wire, MSG_INPUT, tag, f->body, f->size);
}
