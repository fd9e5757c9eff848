/* sched_fixture.h - what a test of the policy works in: one lab, a planner, and what the last pass has
 * decided.
 */
#ifndef STOKER_TESTS_LIB_SCHED_FIXTURE_H
#define STOKER_TESTS_LIB_SCHED_FIXTURE_H

#include "tests/lib/pass.h"

extern struct lab l;
extern struct planner *planner;
extern struct sched_result last;

/* For a set-up, which then adds nodes and partitions and calls lab_configure. */
void sched_fixture_begin(void);
int sched_fixture_end(void **state); /* a tear-down */

/* A pass by a planner that reads everything again, and one that goes on from what was noted: as pass_run
 * and pass_again. */
size_t pass_anew(void);
size_t pass_on(void);

#endif
