/* lab_cycle.h - a lab (tests/lib/lab.h) with the policy at work in it. */
#ifndef STOKER_TESTS_LIB_LAB_CYCLE_H
#define STOKER_TESTS_LIB_LAB_CYCLE_H

#include "backend/sched/explain/explain.h"
#include "tests/lib/lab.h"

/* The policy's view; no user is in any group. */
struct sched_view lab_view(const struct lab *l);

/* One cycle, whose decisions are folded as the controller does it: the test fails where the state refuses
 * one, or where a node carries more than it has; the planner reads everything again first. All
 * events have the time of the cycle. The result's starts and places are gone afterwards, the rest stays.
 * Returns how many there were. */
size_t lab_cycle(struct lab *l, struct planner *p, struct sched_result *ret);

/* The second half of it: folds what a cycle has decided, and notes that for p. */
size_t lab_fold_cycle(struct lab *l, struct planner *p, struct sched_result *r);

/* The same, but the planner goes on from what it knows: the test has noted what has changed since. */
size_t lab_cycle_resume(struct lab *l, struct planner *p, struct sched_result *ret);

/* The planner's caller keeps an index of the jobs that wait for other jobs: notes them all. */
void lab_note_dependents(const struct lab *l, struct planner *p);

#endif
