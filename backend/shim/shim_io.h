/* shim_io.h - streams that pass through the shim: labelled output, and standard input for all ranks. */
#ifndef STOKER_BACKEND_SHIM_SHIM_IO_H
#define STOKER_BACKEND_SHIM_SHIM_IO_H

#include "backend/shim/shim_state.h"

void pump_read(struct shim *s, struct rank *r, int stream);
/* Reads what is left, a bounded piece of it, and closes. */
void pump_finish(struct shim *s, struct rank *r);
/* Whether the sink of that stream takes more now: else its rank waits, not the shim. */
bool sink_has_room(const struct shim *s, const struct rank *r, int stream);
/* Nothing may wait for the readers of k, which only the shim writes to, where it is not a plain file. */
void sink_setup(struct sink *k);
/* Writes, or queues what does not leave now. */
void sink_write(struct shim *s, struct sink *k, const struct str *text);
void sink_flush(struct shim *s, struct sink *k);
/* All processes are gone: whether something queued is still worth waiting for. What a kill has cut off is
 * not, nor what no reader has taken for a while. */
bool sinks_drain(struct shim *s);
void input_take(struct shim *s, uint64_t tag, const struct msg_input *m);
void input_push(struct shim *s);

#endif
