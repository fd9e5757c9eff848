/* rec_box.h - members of records that stand in a box, for code that walks the tables. */
#ifndef STOKER_RECORD_REC_BOX_H
#define STOKER_RECORD_REC_BOX_H

#include "src/record/rec.h"

/* Whether f stands in a box that rec does not have: it is not set, and there is nothing to free. */
static inline bool rec_is_boxless(const struct rec_field *f, const void *rec)
{
    return f->box_size && !*(void *const *)(const void *)((const char *)rec + f->box);
}

static inline void **rec_box_of(const struct rec_field *f, void *rec)
{
    return (void **)(void *)((char *)rec + f->box);
}

static inline void *rec_box_in(const struct rec_field *f, const void *rec)
{
    return *(void *const *)(const void *)((const char *)rec + f->box);
}

/* Whether a member of this type points to memory of its own. */
static inline bool rec_type_owns(enum rec_type t)
{
    const unsigned owners =
        1u << REC_STR | 1u << REC_BLOB | 1u << REC_STRV | 1u << REC_SUB | 1u << REC_LISTOF;
    return owners >> t & 1;
}

#endif
