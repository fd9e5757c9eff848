/* slurm_job.h - a row of squeue becomes a job of the model. Pure.
 *
 * What Slurm does not tell stays unset. Of a job on several nodes squeue tells the sums alone: they are
 * spread evenly over its nodes, and sets of CPUs and GPUs are counts, not the devices (LACK_DEVICES).
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_JOB_H
#define STOKER_BACKEND_SLURM_SLURM_JOB_H

#include "backend/slurm/slurm_table.h"
#include "src/base/vec.h"
#include "src/model/job.h"

/* The id of the row; 0 where it has none. */
uint32_t slurm_job_id(const struct slurm_row *row);
/* The array that the row is an element or the record of; 0: none. *ret_single: it is one element. */
uint32_t slurm_job_array(const struct slurm_row *row, bool *ret_single);

/* What the rows of an array come to: Slurm tells of the elements that are still in the queue alone. */
struct slurm_array {
    uint32_t count, min, max, step;  /* count 0: no row yet */
    VEC(uint32_t) singles;           /* indices of elements with a row of their own */
    uint64_t hash;                   /* of these, in any order: that of squeue changes with priorities */
    VEC(struct index_range) waiting; /* of its record's row */
    VEC(uint32_t) apart;             /* of these, elements with a job of their own: slurm_split.h */
};
void slurm_array_fini(struct slurm_array *a);
/* Whether the row of its record stands for that element. */
bool slurm_array_waits(const struct slurm_array *a, uint32_t index);
/* The element has a job of its own: the record does not stand for it. */
void slurm_array_set_apart(struct slurm_array *a, uint32_t index);
/* Takes these elements out of those that the array's record stands for. At least one is left. */
void slurm_job_set_apart(struct job *record, uint32_t *indices, size_t n);
/* The same for arrays with the same elements. */
uint64_t slurm_array_hash(const struct slurm_array *a);
/* Adds a row of the array, of one element or of its record. */
void slurm_array_add(struct slurm_array *a, const struct slurm_row *row);

/* The state of that name; the nearest one where the model has none like it. */
enum job_state slurm_job_state(const struct slurm_span *s);

struct slurm_amounts { /* of a whole job */
    uint32_t nodes, cpus, gpus;
    uint64_t mem_mib; /* MEM_NOT_GIVEN where it is not told */
};
/* Gives j an allocation: the amounts, spread evenly over the nodes. */
void slurm_job_spread(struct job *j, const struct strv *nodes, const struct slurm_amounts *a);

/* array: of all rows of its array; NULL: it has none. has_memory: Slurm hands out memory; where it does
 * not, squeue prints that of whole nodes of jobs that did not ask for any, so memory stays unset. Returns
 * the job, to be freed with job_free, or NULL where the row is not a job. */
struct job *slurm_job_read(const struct slurm_row *row, const struct slurm_array *array, bool has_memory)
    __attribute__((warn_unused_result));

#endif
