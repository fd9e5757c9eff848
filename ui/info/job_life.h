/* job_life.h - the life of a job in a few lines: a sentence that says how it stands, its time against the
 * limit, and a ribbon of what it has waited for and run. */
#ifndef UI_INFO_JOB_LIFE_H
#define UI_INFO_JOB_LIFE_H

#include "ui/state/view.h"

/* "Running on gpu01 since 13:44.", "Ended at 13:56 after 33:54 on gpu01: step 1 task 4 exited with 1." */
void joblife_headline(struct rich *r, struct ui *ui, const struct job *j);
/* A bar of width cells, and "1:12:13 of 2:00:00, 47:47 left, ends by 15:07". Nothing where it has not
 * run. */
void joblife_limit(struct rich *r, const struct ui *ui, const struct job *j, int width);
/* The last tenth of its time limit, an hour at most. */
bool joblife_ends_soon(int64_t left_s, int64_t limit_s);
/* What it has waited and run: a bar of width cells, and in words "waited 12 min, ran 40 min (preempted by
 * job 6), running for 22 min". Returns false where its life so far is not worth a picture: one run that did
 * not wait for long. */
bool joblife_ribbon(struct rich *bar, struct rich *words, const struct ui *ui, const struct job *j,
                    int width);

#endif
