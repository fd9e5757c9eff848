/* random.h - seeded random numbers: the same seed gives the same workload on every machine. */
#ifndef STOKER_SIM_RANDOM_H
#define STOKER_SIM_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

double random_unit(struct random *r);        /* 0 <= x < 1 */
double random_exponential(struct random *r); /* mean 1 */
double random_normal(struct random *r);      /* mean 0, deviation 1 */

#endif
