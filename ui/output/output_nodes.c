/* output_nodes.c - questions of readers to nodes. */
#include "ui/output/output_nodes.h"

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
    *ret_why = !in                           ? "The connection to the controller was lost."
               : r && !str_is_empty(r->text) ? r->text
               : r                           ? refusal_slurm((enum refusal)r->refusal)
                                             : "The node did not answer.";
    return in && in->kind == MSG_OUTPUT_DATA ? in->body : NULL;
}
