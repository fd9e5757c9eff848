/* job_tree.h - the steps, tasks and ranks of a job as a tree. */
#ifndef UI_JOBS_JOB_TREE_H
#define UI_JOBS_JOB_TREE_H

#include "ui/state/view.h"
#include "ui/table/table.h"

struct tree_row {
    const struct step *step;
    const struct task *task; /* NULL: a step with several tasks, or with none yet */
    int64_t rank;            /* -1: the task as a whole */
};

struct jobtree {
    struct ui *ui;
    uint32_t job;
    struct table table;
    struct tree_row *rows;
    size_t n_rows, cap;
    bool seen_any; /* steps have been opened once by themselves */
};

void jobtree_init(struct jobtree *t, struct ui *ui, uint32_t job);
void jobtree_fini(struct jobtree *t);
/* Shows the columns of what its tasks use now if that is known. */
void jobtree_show_use(struct jobtree *t, const struct job *j);
const struct tree_row *jobtree_current(const struct jobtree *t);
/* Puts the cursor on the next task that failed, behind the cursor's, and around. Returns false where none
 * did. */
bool jobtree_next_failed(struct jobtree *t);

#endif
