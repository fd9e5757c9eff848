/* scene.h - a cluster in the middle of its day, for pictures and tests of the screens. */
#ifndef STOKER_TESTS_LIB_SCENE_H
#define STOKER_TESTS_LIB_SCENE_H

#include "tests/lib/lab.h"

/* Ids of its jobs. */
struct scene {
    uint32_t train, multi, sweep, steps, eval, big, held, chained, failed, oom, timeout, done, cancelled,
        hostile, wide;
};

/* Ten nodes, alice (1000), bo (1001) and chen (1002), and about twenty jobs in every state. */
void scene_build(struct lab *l, struct scene *s);

#endif
