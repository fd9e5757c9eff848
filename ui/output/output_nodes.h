/* output_nodes.h - questions of readers to nodes, as messages, and what their answers say. */
#ifndef UI_OUTPUT_OUTPUT_NODES_H
#define UI_OUTPUT_OUTPUT_NODES_H

#include "ui/output/output_files.h"
#include "ui/output/output_stream.h"

/* The question of a reader about that output. It owns nothing. */
struct msg_output_read output_nodes_question(const struct output_file *f, const struct stream_ask *a);
/* The data in an answer (NULL: the connection was lost); NULL where it has none: then *ret_why says why. */
const struct msg_output_data *output_nodes_data(const struct incoming *in, const char **ret_why);

#endif
