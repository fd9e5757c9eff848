/* array.h - job arrays: the grammar of --array.
 *
 *     spec = item { "," item } [ "%" limit ]        item = N | N "-" M [ ":" step ]
 *
 * Source: sbatch(1), --array.
 */
#ifndef STOKER_MODEL_ARRAY_H
#define STOKER_MODEL_ARRAY_H

#include "src/base/err.h"
#include "src/model/job.h"

#define ARRAY_SIZE_MAX 4000001u /* no configuration may allow indices from here on */

struct array_spec {
    REC_LIST(struct index_range) ranges; /* ascending, no index twice */
    uint32_t throttle;                   /* elements that may run at once; 0: not limited */
    uint32_t count, min, max;
    uint32_t step; /* of the whole array where it has one; else 1 */
};

/* Indices go from 0 to max_size - 1; one that is named twice counts once. Owns: the caller frees *ret with
 * array_spec_fini. Errors: -EINVAL with a text that quotes the item; -ERANGE for an index out of bounds. */
int array_parse(const char *spec, uint32_t max_size, struct array_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));
void array_spec_fini(struct array_spec *a);

/* Whether the array ever had that element, by what it was submitted with: elements that are gone leave no
 * trace of their own. array: its record, or what has kept its id. Cost: O(length of --array) where indices
 * are left out. */
bool array_had(const struct job *array, uint32_t index);

#endif
