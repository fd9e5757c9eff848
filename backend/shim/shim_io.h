/* shim_io.h - streams that pass through the shim: labelled output, and standard input for all ranks. */
#ifndef STOKER_BACKEND_SHIM_SHIM_IO_H
#define STOKER_BACKEND_SHIM_SHIM_IO_H

#include "backend/shim/shim_state.h"

void shim_io_pump_read(struct shim *s, struct rank *r, int stream);
/* Reads what is left, a bounded piece of it, and closes. */
void shim_io_pump_finish(struct shim *s, struct rank *r);
/* Whether the sink of that stream takes more now: else its rank waits, not the shim. */
bool shim_io_sink_has_room(const struct shim *s, const struct rank *r, int stream);
/* Nothing may wait for the readers of k, which only the shim writes to, where it is not a plain file. */
void shim_io_sink_setup(struct sink *k);
/* Writes, or queues what does not leave now. */
void shim_io_sink_write(struct shim *s, struct sink *k, const struct str *text);
void shim_io_sink_flush(struct shim *s, struct sink *k);
/* All processes are gone: whether something queued is still worth waiting for. What a kill has cut off is
 * not, nor what no reader has taken for a while. */
bool shim_io_sinks_drain(struct shim *s);
void shim_io_input_take(struct shim *s, uint64_t tag, const struct msg_input *m);
void shim_io_input_push(struct shim *s);

#endif
