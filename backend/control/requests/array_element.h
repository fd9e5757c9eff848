/* array_element.h - elements of arrays, of which something is done to one alone. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_ARRAY_ELEMENT_H
#define STOKER_BACKEND_CONTROL_REQUESTS_ARRAY_ELEMENT_H

#include "backend/control/core.h"

/* An element that still stands in its array record becomes a job of its own, so that something can be done
 * to it alone. NULL: the record has ended, and its elements with it. To be called when nothing can be
 * refused any more. */
struct job *array_element_split(struct control *c, struct job *record, uint32_t index);
/* The job that it would be, to look at: it owns nothing, its id and its boxes are the record's. */
struct job array_element_of(const struct job *record, uint32_t index);
struct job_ids { /* what is done to one of them may free it */
    VEC(uint32_t) ids;
};
/* The job with the array's own id, and its elements that have left the record and have not ended. */
void array_element_ids(struct control *c, const struct job *array, struct job_ids *ret);

#endif
