/* output_nodes.c - questions of readers to nodes. */
#include "ui/output/output_nodes.h"

#include "src/lang/lang.h"

struct msg_output_read output_nodes_question(const struct output_file *f, const struct stream_ask *a)
{
    return (struct msg_output_read){.key = {.job = f->at.job, .step = f->at.step, .task = f->at.task},
                                    .rank = f->at.rank,
                                    .stream = f->err ? 2 : 1,
                                    .offset = a->offset,
                                    .max = a->max,
                                    .wait_ms = a->wait_ms};
}

const struct msg_output_data *output_nodes_data(const struct incoming *in, const char **ret_why)
{
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    *ret_why = !in                           ? tr("The connection to the controller was lost.")
               : r && !str_is_empty(r->text) ? r->text
               : r                           ? refusal_slurm((enum refusal)r->refusal)
                                             : tr("The node did not answer.");
    return in && in->kind == MSG_OUTPUT_DATA ? in->body : NULL;
}

/* --- of the reader of a view --- */

#define ASK_ARG(generation, number, piece) \
    ((uint64_t)(generation) << 32 | (uint64_t)(number) << 1 | (piece ? 1u : 0u))

void output_nodes_take(struct output_reader *r, uint64_t arg, const struct incoming *in)
{
    const char *why;
    const struct msg_output_data *d = output_nodes_data(in, &why);
    reader_take(r, (uint32_t)(arg >> 32), (uint32_t)(arg & UINT32_MAX) >> 1, arg & 1, d, why);
}

void output_nodes_ask(struct output_reader *r, const struct places *shown, struct view *owner,
                      ui_reply_fn *answered)
{
    struct stream_ask a;
    uint32_t generation;
    while (reader_next_ask(r, &a, &generation)) {
        struct msg_output_read m = output_nodes_question(&shown->v.v[a.stream], &a);
        if (!ui_send(owner->ui, MSG_OUTPUT_READ, &m, owner, answered,
                     ASK_ARG(generation, a.stream, a.piece)))
            reader_take(r, generation, a.stream, a.piece, NULL, tr("There is no connection."));
    }
}
