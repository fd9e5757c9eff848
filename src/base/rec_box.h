/* rec_box.h - members of records that stand in a box, for code that walks the tables. */
#ifndef STOKER_BASE_REC_BOX_H
#define STOKER_BASE_REC_BOX_H

#include "src/base/rec.h"

/* Whether f stands in a box that rec does not have: it is not set, and there is nothing to free. */
static inline bool rec_is_boxless(const struct rec_field *f, const void *rec)
{
    return f->box_size && !*(void *const *)(const void *)((const char *)rec + f->box);
}

#endif
