/* forecast_slices.h - the forecast of the whole queue, and its order, in slices beside the other work. */
#ifndef STOKER_BACKEND_CONTROL_FORECAST_SLICES_H
#define STOKER_BACKEND_CONTROL_FORECAST_SLICES_H

#include "backend/control/core.h"

extern const struct module_ops forecast_slices_module;

/* Something has changed: a new forecast soon. */
void forecast_slices_want(struct control *c);
/* Before forecasts are told: makes the new one at once if the last one is out of date and the
 * queue is short; of a long queue it begins in the next iteration of the loop. */
void forecast_slices_hurry(struct control *c);
/* A question has begun the order of a long queue: the rest of it follows. */
void forecast_slices_order(struct control *c);

#endif
