/* columns.h - the columns of jobs and steps: one extraction each, for squeue -o and -O, stoker jobs, JSON
 * and sorting. */
#ifndef STOKER_CLI_COLUMNS_H
#define STOKER_CLI_COLUMNS_H

#include "src/cli/listing/format.h"
#include "src/cli/timetext.h"
#include "src/model/model.h"

struct job_row {
    const struct job *job;
    const struct step *step; /* squeue -s; else NULL */
    uint32_t element;        /* one pending element of an array record; ARRAY_NONE: the record */
};

struct job_cx {
    const struct model *m;
    struct wall now;
    struct timetext time;
    size_t bitstr_len; /* SLURM_BITSTR_LEN */
    bool noconvert;
    const struct idmap *starts; /* job id -> struct wall: estimated starts; NULL: not asked for */
};

/* From the environment: SLURM_TIME_FORMAT, SLURM_BITSTR_LEN. */
struct job_cx job_cx_from_env(const struct model *m);

/* Rows are struct job_row, the context is struct job_cx. A column's `reads` are the members of its job that
 * it looks at, beside id, kind and state; all of them: it may look at other jobs of the model too. */
extern const struct columns job_columns, step_columns;

/* Does it tell the elements of an array's record apart? All other columns are the same for all of them. */
bool column_names_element(const struct column *col);

/* Appends every column that has a key as one JSON object. */
void columns_to_json(struct str *out, const struct columns *cs, const void *row, const void *cx);

#endif
