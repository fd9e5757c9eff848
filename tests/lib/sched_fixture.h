/* sched_fixture.h - what a test of the policy works in: one lab, a planner, and what the last cycle has
 * decided.
 */
#ifndef STOKER_TESTS_LIB_SCHED_FIXTURE_H
#define STOKER_TESTS_LIB_SCHED_FIXTURE_H

#include "tests/lib/lab_cycle.h"

extern struct lab l;
extern struct planner *planner;
extern struct sched_result last;

/* For a set-up, which then adds nodes and partitions and calls lab_configure. */
void sched_fixture_begin(void);
int sched_fixture_end(void **state); /* a tear-down */

/* A cycle by a planner that reads everything again, and one that goes on from what was noted: as lab_cycle
 * and lab_cycle_resume. */
size_t cycle_full(void);
size_t cycle_resume(void);

#endif
