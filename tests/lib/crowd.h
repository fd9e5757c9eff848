/* crowd.h - a cluster as big as the screens must bear: 100,000 jobs, 10,000 nodes. */
#ifndef STOKER_TESTS_LIB_CROWD_H
#define STOKER_TESTS_LIB_CROWD_H

#include "tests/lib/uilab.h"

#define CROWD_JOBS    100000
#define CROWD_NODES   10000
#define CROWD_RUNNING 8000 /* of the jobs: one on each node */

/* Jobs 1 to CROWD_JOBS, of four users and seven accounts, with names and output files of their own; the
 * first CROWD_RUNNING of them run. */
void crowd_build(struct lab *l);
/* The nodes, and the jobs as elements of one array, 7: few run, some have failed, most are done. */
void crowd_build_array(struct lab *l);
/* What the controller pushes: a job that waits is held, or no longer. */
void crowd_change(struct uilab *u, uint32_t job);
/* CPU time of this process so far: others use the machine too. */
double crowd_cpu_ms(void);

#endif
