/* tally.h - how far the jobs of an array are. */
#ifndef STOKER_MODEL_TALLY_H
#define STOKER_MODEL_TALLY_H

#include "src/model/model_state.h"

/* NULL: no job of such an array is here. */
const struct array_tally *model_get_tally(const struct model *m, uint32_t array_id);

#endif
