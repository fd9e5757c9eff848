/* touched.h - which jobs an event changes: those whose rows a mirror needs again. */
#ifndef STOKER_MODEL_TOUCHED_H
#define STOKER_MODEL_TOUCHED_H

#include "src/model/model_state.h"

typedef void event_touched_fn(void *ctx, uint32_t job);
/* Calls fn for every job that is another one, is there, or is not there any more once ev has been folded
 * into m, at least. Call it before the fold. Cost: constant, but for a new throttle of an array: all jobs
 * that wait. */
void event_each_touched(const struct model *m, const struct event *ev, event_touched_fn *fn, void *ctx);

#endif
