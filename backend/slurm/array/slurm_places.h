/* slurm_places.h - where the rows of an answer about jobs are, and what the rows of each array come to.
 * Pure. */
#ifndef STOKER_BACKEND_SLURM_ARRAY_SLURM_PLACES_H
#define STOKER_BACKEND_SLURM_ARRAY_SLURM_PLACES_H

#include "backend/slurm/slurm_job.h"
#include "src/base/idmap.h"

struct row_place { /* of a row in an answer */
    uint32_t id;
    struct slurm_span text; /* with the end of the line */
};

struct row_places {
    VEC(struct row_place) v; /* by id */
    struct idmap arrays;     /* array id -> struct slurm_array */
};

/* The model takes jobs that come in the order of their ids without a walk; squeue prints them by priority.
 * Returns 0, or -EBADMSG with a text where the answer is cut off or of another form. The caller frees *ret
 * with slurm_places_fini, also then. */
int slurm_places_find(const struct slurm_span *answer, const char *word, struct row_places *ret,
                      struct errtext *err) __attribute__((warn_unused_result));
void slurm_places_fini(struct row_places *r);
bool slurm_places_has(const struct row_places *r, uint32_t id);

#endif
