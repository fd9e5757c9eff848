/* action_targets.h - the targets of an action on jobs: ids, fixed when the key goes down. */
#ifndef UI_DIALOGS_ACTION_TARGETS_H
#define UI_DIALOGS_ACTION_TARGETS_H

#include "ui/state/view.h"

struct target_counts {
    uint32_t by_state[JOB_N_STATES]; /* an array counts its elements */
    uint32_t held;                   /* of the pending ones */
};

/* Small: there may be 100,000 of them. */
struct target {
    struct job_target to;
    uint32_t uid; /* whose it is */
    const struct target_counts *counts;
    struct target_counts *own_counts; /* counts, if they are not those of a single job */
    char *label;                      /* for the list in the question; NULL: see targets_label */
    uint32_t *waiting; /* the indices of the elements that have not started; NULL: not an array */
    uint32_t n_waiting;
    char glyph;
    bool array; /* one, or an element of one */
    enum role role;
};

void target_fini(struct target *t);
struct target target_copy(const struct target *t);
/* Adds the names that the controller uses. The record of the elements that have not started has the array's
 * own number: if other elements exist, those of the record are named one by one, or the action would hit
 * the whole array. */
void target_name(const struct target *t, const struct model *m, struct msg_act *ret);

struct targets {
    struct target *v;
    size_t n, cap;
};

void targets_fini(struct targets *t);
void targets_add_job(struct targets *t, const struct job *j);
/* Gives the first n their labels, from the state that they were added from: a question lists a dozen of a
 * hundred thousand marked jobs. */
void targets_label(struct targets *t, size_t n, const struct model *m);
/* A whole array: one request for all of it. members: its jobs in the model. */
void targets_add_array(struct targets *t, const struct job *const *members, size_t n);

/* The targets of a word such as 12, 12_3, 12_[1-4] or 12.0. Errors: -EINVAL, -ENOENT (not in the queue). */
int targets_add_arg(struct targets *t, const struct ui *ui, const char *word, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
