/* test_slab.c - pieces stay apart, blocks come and go. */
#include "tests/lib/check.h"

#include "src/base/slab.h"
#include "src/base/xalloc.h"

#define N_HELD  3000
#define N_STEPS 60000

static void nothing_holds_nothing(void **unused)
{
    (void)unused;
    struct slab s = {0};
    char *p = slab_take(&s, 1);
    assert_int_equal(s.n_blocks, 1);
    slab_give(&s, p, 1);
    assert_int_equal(s.n_blocks, 0);
}

/* At the edges of each size; what is large comes from elsewhere. */
static void sizes(void **unused)
{
    (void)unused;
    struct slab s = {0};
    char *v[SLAB_MOST + 3];
    for (size_t n = 0; n < N_OF(v); n++) {
        v[n] = slab_take(&s, n);
        memset(v[n], (int)n, n);
    }
    assert_int_equal(s.n_blocks, SLAB_MOST / SLAB_STEP);
    for (size_t n = 0; n < N_OF(v); n++) {
        for (size_t i = 0; i < n; i++)
            assert_int_equal((uint8_t)v[n][i], n);
        slab_give(&s, v[n], n);
    }
    assert_int_equal(s.n_blocks, 0);
}

static void pieces_lie_side_by_side(void **unused)
{
    (void)unused;
    struct slab s = {0};
    enum { N = 100000, SIZE = 16 };
    char **v = xcalloc(N, sizeof *v);
    for (size_t i = 0; i < N; i++)
        v[i] = slab_take(&s, SIZE);
    assert_true(s.n_blocks <= N * SIZE / 16000 + 1);
    for (size_t i = N; i-- > 0;)
        slab_give(&s, v[i], SIZE);
    assert_int_equal(s.n_blocks, 0);
    free(v);
}

static void random_churn(void **unused)
{
    (void)unused;
    struct slab s = {0};
    uint64_t rng = check_seed();
    static uint8_t *held[N_HELD];
    static size_t size[N_HELD];
    for (unsigned step = 0; step < N_STEPS; step++) {
        size_t at = (size_t)(check_rand(&rng) % N_HELD);
        if (held[at]) {
            for (size_t i = 0; i < size[at]; i++)
                assert_int_equal(held[at][i], (uint8_t)at);
            slab_give(&s, held[at], size[at]);
            held[at] = NULL;
        } else {
            size[at] = 1 + (size_t)(check_rand(&rng) % (SLAB_MOST + 20));
            held[at] = slab_take(&s, size[at]);
            memset(held[at], (int)at, size[at]);
        }
    }
    for (size_t at = 0; at < N_HELD; at++)
        if (held[at])
            slab_give(&s, held[at], size[at]);
    assert_int_equal(s.n_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_holds_nothing), cmocka_unit_test(sizes),
                                       cmocka_unit_test(pieces_lie_side_by_side),
                                       cmocka_unit_test(random_churn)};
    return cmocka_run_group_tests_name("slab", tests, NULL, NULL);
}
