/* output_nodes.h - questions of readers to nodes: as messages, what their answers say, and both in one for
 * the reader of a view. */
#ifndef UI_OUTPUT_OUTPUT_NODES_H
#define UI_OUTPUT_OUTPUT_NODES_H

#include "ui/output/output_files.h"
#include "ui/output/output_reader.h"

/* The question of a reader about that output. It owns nothing. */
struct msg_output_read output_nodes_question(const struct output_file *f, const struct stream_ask *a);
/* The data in an answer (NULL: the connection was lost); NULL where it has none: then *ret_why says why. */
const struct msg_output_data *output_nodes_data(const struct incoming *in, const char **ret_why);

/* Sends the open questions of r about the outputs in shown, which are its places. answered is to call
 * output_nodes_take with the same arg and in, unless owner has been closed. */
void output_nodes_ask(struct output_reader *r, const struct places *shown, struct view *owner,
                      ui_reply_fn *answered);
void output_nodes_take(struct output_reader *r, uint64_t arg, const struct incoming *in);

#endif
