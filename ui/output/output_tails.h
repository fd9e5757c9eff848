/* output_tails.h - the last lines of many jobs at the same time: those of running jobs are kept up to date,
 * those of ended jobs are read once. They are read in a thread (ui/output/output_reader.h).
 */
#ifndef UI_OUTPUT_OUTPUT_TAILS_H
#define UI_OUTPUT_OUTPUT_TAILS_H

#include "ui/state/view.h"

#define TAILS_LIVE_MAX  32  /* running jobs: each is an open file */
#define TAILS_ENDED_MAX 512 /* ended jobs in all */

struct output_tails;

/* owner: the view that shows them, which calls the other functions. answered is its own: it calls
 * output_tails_answered with the same arg and in. */
struct output_tails *output_tails_new(struct view *owner, ui_reply_fn *answered)
    __attribute__((warn_unused_result));
void output_tails_free(struct output_tails *t);

/* Wants the last lines of these jobs, within the bounds above. Cheap if they are the same as before. */
void output_tails_want(struct output_tails *t, const struct job *const *live, size_t n_live,
                       const struct job *const *ended, size_t n_ended);
/* Counts the changes of lines: a text of output_tails_line is valid as long as there is no other one. */
uint64_t output_tails_changes(const struct output_tails *t);
/* The line, valid until the next change; "": the job wrote nothing; NULL: not known, or
 * not yet. */
const char *output_tails_line(const struct output_tails *t, uint32_t job);

void output_tails_answered(struct output_tails *t, uint64_t arg, const struct incoming *in);

/* For the fd and wake of the view. */
int output_tails_fd(const struct output_tails *t);
void output_tails_wake(struct output_tails *t);

#endif
