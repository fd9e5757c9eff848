/* sched_fixture.c - what a test of the policy works in. */
#include "tests/lib/sched_fixture.h"

struct lab l;
struct planner *planner;
struct sched_result last;

void sched_fixture_begin(void)
{
    lab_init(&l);
    planner = planner_new();
    sched_result_init(&last);
}

int sched_fixture_end(void **state)
{
    (void)state;
    sched_result_fini(&last);
    planner_free(planner);
    lab_fini(&l);
    return 0;
}

size_t cycle_full(void)
{
    sched_result_fini(&last);
    return lab_cycle(&l, planner, &last);
}

size_t cycle_resume(void)
{
    sched_result_fini(&last);
    return lab_cycle_resume(&l, planner, &last);
}
