/* random_cluster.h - random clusters and queues: a lab (tests/lib/lab.h) that chance fills.
 *
 * Everything at once: uneven demands, step jobs, arrays, dependencies, tiers and QOS that preempt, soft
 * limits, licences, windows, nodes that come and go. What happens is noted for the planner.
 */
#ifndef STOKER_TESTS_LIB_RANDOM_CLUSTER_H
#define STOKER_TESTS_LIB_RANDOM_CLUSTER_H

#include "tests/lib/lab_cycle.h"

void any_seed(uint64_t seed); /* from here on the same comes out */
uint32_t any_below(uint32_t n);
bool any_one_in(uint32_t n);
uint32_t any_maybe(uint32_t n, uint32_t value); /* in one of n cases; else NOT_GIVEN */

void any_cluster(struct lab *l); /* initialises l */
void any_submit(struct lab *l, struct planner *p);
void any_end(struct lab *l, struct planner *p); /* of a task that is on its way or runs, if there is one */
void any_node_change(struct lab *l, struct planner *p); /* down, up, drained, resumed */
/* Maintenance or a reservation, made, changed, deleted. */
void any_window(struct lab *l, struct planner *p);
void any_cancel(struct lab *l, struct planner *p); /* of a job that waits or runs */
void any_hold(struct lab *l, struct planner *p);   /* of one that waits; or its release */

void any_update(struct lab *l, struct planner *p); /* of a job's priority, limit, partition, size */

#endif
