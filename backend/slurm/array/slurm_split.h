/* slurm_split.h - waiting elements of arrays that have a job of their own, and no row of their own. Pure.
 *
 * An element whose request was changed leaves the record of its array. From Slurm 23.02 on (seen with 24.11
 * and 26.05), squeue prints such an element in the row of its array, with the request of the others, and no
 * option but --array, a row for each element, takes the row apart. So the ids of all waiting elements are
 * asked for in three short columns: an id that stands for one element, and is not that of the array, is
 * such an element. Their rows come by their ids: asked for without its array, each has a row.
 */
#ifndef STOKER_BACKEND_SLURM_ARRAY_SLURM_SPLIT_H
#define STOKER_BACKEND_SLURM_ARRAY_SLURM_SPLIT_H

#include "backend/slurm/slurm_table.h"
#include "src/base/idmap.h"

struct slurm_split {
    uint32_t id, array, index;
    bool has_row; /* its own row has come, once at least */
};

struct slurm_splits {
    struct idmap by_id; /* struct slurm_split */
    size_t n_wanted;    /* whose rows have not come since the last answer about elements */
};

void slurm_splits_fini(struct slurm_splits *s);

/* Whether the squeue of that release of Slurm ("24.11.5") hides such elements; NULL: it is not known. */
bool slurm_splits_hide(const char *release);

/* Adds the command that prints the ids of all waiting elements: other options may follow. */
void slurm_splits_ask(struct strv *argv, const char *word);
/* Takes its answer: an element that it does not name counts as part of its array again. Rows are wanted
 * of all that it names. Returns 0, or -EBADMSG with a text, and then nothing has changed. */
int slurm_splits_take(struct slurm_splits *s, const struct slurm_span *answer, const char *word,
                      struct errtext *err) __attribute__((warn_unused_result));

/* Adds the command that prints the rows of those that are wanted: by their ids, or if these are many, the
 * rows of all waiting elements. */
void slurm_splits_ask_rows(const struct slurm_splits *s, struct strv *argv, const char *word);
/* The answer has come: none is wanted any more. */
void slurm_splits_asked(struct slurm_splits *s);

#endif
