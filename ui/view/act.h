/* act.h - what is done to jobs and nodes from the keyboard: collect what is meant, ask, send, tell the
 * answer.
 *
 * What is meant is fixed when the key goes down: ids, not rows, so that nothing that moves while the
 * question stands is hit.
 */
#ifndef UI_VIEW_ACT_H
#define UI_VIEW_ACT_H

#include "ui/view/view.h"

#define ACT_TYPE_ABOVE 10 /* above so many jobs the count must be typed */

struct target {
    struct job_target to;
    char *label; /* for the list in the question */
    char glyph;
    enum role role;
    uint32_t counts[JOB_N_STATES]; /* jobs by state: an array counts its elements */
    uint32_t held;                 /* of the pending ones */
};

struct targets {
    struct target *v;
    size_t n, cap;
};

void targets_fini(struct targets *t);
void targets_add_job(struct targets *t, const struct job *j);
/* A whole array: one request for all of it. members: its jobs in the model. */
void targets_add_array(struct targets *t, const struct job *const *members, size_t n);

/* CANCEL, SIGNAL, HOLD, RELEASE or REQUEUE: asks, then sends. Takes t's contents. No-op with a toast where
 * nothing of it can be done. */
void act_on_jobs(struct ui *ui, enum action a, struct targets *take_t);

/* Asks for a reason, then drains; or shows the reason there was, then resumes. */
void act_on_nodes(struct ui *ui, bool drain, const struct node *const *nodes, size_t n);

#endif
