/* demo_cluster.h - a cluster in ordinary use, for pictures and tests of the screens. */
#ifndef STOKER_TESTS_LIB_DEMO_CLUSTER_H
#define STOKER_TESTS_LIB_DEMO_CLUSTER_H

#include "tests/lib/lab.h"

/* Ids of its jobs. */
struct demo_cluster {
    uint32_t train, multi, sweep, steps, eval, big, held, chained, failed, oom, timeout, done, cancelled,
        hostile, wide;
};

/* Ten nodes, alice (1000), bo (1001) and chen (1002), and about twenty jobs in every state. */
void demo_cluster_build(struct lab *l, struct demo_cluster *s);

#endif
