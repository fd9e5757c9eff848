/* lost.h - what becomes of a job whose node is lost: its own word, else its partition's, else the
 * cluster's.
 */
#ifndef STOKER_MODEL_JOBEFFECTIVE_H
#define STOKER_MODEL_JOBEFFECTIVE_H

#include "src/model/model.h"

/* Never LOST_NOT_SAID. */
enum lost_node job_lost_node(const struct model *m, const struct job *j);

/* What an attempt of the job that is given out now gets as its lease: 0 where the job has opted for none.
 */
uint32_t job_lease_s(const struct model *m, const struct job *j);

#endif
