/* test_sim_policies.c - the simulator's policies on random small loads against the naive reference
 * (tests/lib/simple_policies.h): the same start for every job. */
#include "backend/sim/procs.h"
#include "tests/lib/check.h"
#include "tests/lib/simple_policies.h"

#define RUNS     400
#define JOBS_MAX 60

static uint64_t rnd;

static int64_t below(int64_t n)
{
    return (int64_t)(check_rand(&rnd) % (uint64_t)n);
}

/* Few different times and sizes, so that ends, submissions and reservations meet in one second. */
static void make_trace(struct procs_trace *t)
{
    int64_t at = 0, machine = 1 + below(12), spread = 1 + below(20), longest = 1 + below(60);
    size_t n = (size_t)(1 + below(JOBS_MAX));
    *t = (struct procs_trace){.procs = machine};
    for (size_t i = 0; i < n; i++) {
        at += below(3) ? below(spread) : 0;
        int64_t estimate = 1 + below(longest);
        int64_t run = below(3) ? 1 + below(estimate) : estimate;
        vec_push(&t->jobs, (struct procs_job){.id = (int64_t)i + 1,
                                              .submit = at,
                                              .run = run,
                                              .estimate = estimate,
                                              .procs = 1 + below(machine)});
    }
}

static void compare(const struct procs_trace *t, enum procs_policy policy, unsigned run_nr)
{
    size_t n = t->jobs.n;
    struct procs_job *want = calloc(n, sizeof *want);
    memcpy(want, t->jobs.v, n * sizeof *want);
    simple_run(want, n, t->procs, policy);
    for (size_t i = 0; i < n; i++)
        if (want[i].start != t->jobs.v[i].start)
            fail_msg("run %u, %s on %" PRId64 " processors: job %zu of %zu starts at %" PRId64
                     ", the reference says %" PRId64,
                     run_nr, procs_policy_name(policy), t->procs, i + 1, n, t->jobs.v[i].start,
                     want[i].start);
    free(want);
}

/* By another way than either: what runs at each start fits. */
static void never_too_much(const struct procs_trace *t)
{
    vec_for_each (&t->jobs, i) {
        int64_t at = t->jobs.v[i].start, used = 0;
        assert_true(at >= t->jobs.v[i].submit);
        vec_for_each (&t->jobs, k) {
            const struct procs_job *j = &t->jobs.v[k];
            used += j->start <= at && at < j->start + j->run ? j->procs : 0;
        }
        assert_true(used <= t->procs);
    }
}

static void test_same_starts(void **state)
{
    (void)state;
    rnd = check_seed();
    unsigned differ = 0;
    for (unsigned r = 0; r < RUNS; r++) {
        struct procs_trace t;
        int64_t sums[PROCS_N_POLICIES] = {0};
        make_trace(&t);
        for (int p = 0; p < PROCS_N_POLICIES; p++) {
            procs_run(&t, (enum procs_policy)p, NULL);
            never_too_much(&t);
            compare(&t, (enum procs_policy)p, r);
            vec_for_each (&t.jobs, i)
                sums[p] += t.jobs.v[i].start;
        }
        differ += sums[PROCS_CONS] != sums[PROCS_REPLAN] && sums[PROCS_EASY] != sums[PROCS_FCFS];
        procs_trace_fini(&t);
    }
    assert_true(differ > RUNS / 20); /* the loads tell the policies apart */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_starts)};
    return cmocka_run_group_tests_name("sim_policies", tests, NULL, NULL);
}
