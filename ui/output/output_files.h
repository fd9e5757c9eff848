/* output_files.h - the outputs of a job: their files, and their labels in a merged view. */
#ifndef UI_OUTPUT_OUTPUT_FILES_H
#define UI_OUTPUT_OUTPUT_FILES_H

#include "src/base/vec.h"
#include "ui/state/view.h"

#define PLACES_MAX 256 /* of a merged view: each is an open file */

struct output_at {
    uint32_t job;
    int32_t step;
    uint32_t task, rank; /* rank: in the step */
    uint32_t array;      /* the outputs of all its elements in one, of which the job is one; 0: its own */
};

struct output_file {
    struct output_at at;
    bool err;
    char *path;     /* NULL: kept on its node */
    uint32_t owner; /* of the job */
    bool own;       /* the path is a pattern: each element that has not started will have its own */
    char *label;    /* "3" (a rank; of a step job a task), "1.3" where there are several steps;
                       "3!" standard error */
};

struct places {
    VEC(struct output_file) v;
    size_t more; /* left out */
};

void places_fini(struct places *p);
/* The path of standard output (or error) of at, NULL for what is kept on its node; of the elements of an
 * array that have not started it is a pattern where each has its own. Caller frees. False where there is no
 * such task. */
bool place_path(const struct job *j, const struct output_at *at, bool err, char **ret);
/* Just that one; none where there is no such task. */
void places_one(const struct job *j, const struct output_at *at, bool err, struct places *ret);
/* All outputs of all tasks, each file once, patterns left out. The batch script's is left out where a
 * step's outputs are kept on its nodes: srun writes those lines there a second time. */
void places_all(const struct job *j, struct places *ret);
/* The output that says most: the batch script's; of a step job that of the first failed task, else of the
 * last task that has started. False where there is none. */
bool output_best_place(const struct job *j, struct output_at *ret);
/* Those of all elements of an array that have started, labelled with their indices, also of those that have
 * left the queue and are known; where there are too many, those that run and the last ones that have
 * ended. */
void places_array(const struct ui *ui, uint32_t array, struct places *ret);
/* Moves *at to the next (by 1) or previous (by -1) place that is another file. False if there is none. */
bool places_next(const struct job *j, struct output_at *at, bool err, int by);

#endif
