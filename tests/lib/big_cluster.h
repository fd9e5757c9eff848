/* big_cluster.h - a cluster as large as the screens must support: 100,000 jobs, 10,000 nodes. */
#ifndef STOKER_TESTS_LIB_BIG_CLUSTER_H
#define STOKER_TESTS_LIB_BIG_CLUSTER_H

#include "tests/lib/uilab.h"

#define BIG_CLUSTER_JOBS    100000
#define BIG_CLUSTER_NODES   10000
#define BIG_CLUSTER_RUNNING 8000 /* of the jobs: one on each node */

/* Jobs 1 to BIG_CLUSTER_JOBS, of four users and seven accounts, with names and output files of their own;
 * the first BIG_CLUSTER_RUNNING of them run. */
void big_cluster_build(struct lab *l);
/* The nodes, and the jobs as elements of one array, 7: few run, some have failed, most are done. */
void big_cluster_build_array(struct lab *l);
/* What the controller pushes: a job that waits is held, or no longer. */
void big_cluster_change(struct uilab *u, uint32_t job);
/* CPU time of this process so far: others use the machine too. */
double big_cluster_cpu_ms(void);

#endif
