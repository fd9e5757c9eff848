/* pass.h - a lab (tests/lib/lab.h) with the policy at work in it. */
#ifndef STOKER_TESTS_LIB_PASS_H
#define STOKER_TESTS_LIB_PASS_H

#include "backend/sched/explain/explain.h"
#include "tests/lib/lab.h"

/* The policy's view; no user is in any group. */
struct sched_view pass_view(const struct lab *l);

/* One pass, whose decisions are folded as the controller does it: the test fails where the state refuses
 * one, or where a node carries more than it has; the planner reads everything again first. All
 * events have the time of the pass. The result's starts and places are gone afterwards, the rest stays.
 * Returns how many there were. */
size_t pass_run(struct lab *l, struct planner *p, struct sched_result *ret);

/* The second half of it: folds what a pass has decided, and notes that for p. */
size_t pass_fold(struct lab *l, struct planner *p, struct sched_result *r);

/* The same, but the planner goes on from what it knows: the test has noted what has changed since. */
size_t pass_again(struct lab *l, struct planner *p, struct sched_result *ret);

/* The planner's caller keeps an index of the jobs that wait for other jobs: notes them all. */
void pass_note_dependents(const struct lab *l, struct planner *p);

#endif
