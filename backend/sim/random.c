/* random.c - seeded random numbers. */
#include "backend/sim/random.h"

#include <math.h>

/* splitmix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t random_next_u64(struct random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_unit(struct random *r)
{
    return (double)(random_next_u64(r) >> 11) * 0x1p-53;
}

double random_exponential(struct random *r)
{
    return -log(1 - random_unit(r));
}

/* By Box and Muller, one of the two. */
double random_normal(struct random *r)
{
    double length = sqrt(2 * random_exponential(r));
    return length * cos(6.283185307179586 * random_unit(r));
}
