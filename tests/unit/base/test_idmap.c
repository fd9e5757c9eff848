/* The id map against an array. */
#include "tests/lib/check.h"

#include "src/base/idmap.h"

#define N_IDS   200
#define N_STEPS 20000

static char values[N_IDS * 2];

/* Ids that are small, consecutive, or differ only in their high bits. */
static uint64_t id_of(size_t i)
{
    return i % 3 == 0 ? i : i % 3 == 1 ? UINT64_MAX - i : (uint64_t)i << 40;
}

static void empty_map(void **unused)
{
    (void)unused;
    struct idmap m = {0};
    assert_null(idmap_get(&m, 0));
    assert_null(idmap_remove(&m, 7));
    idmap_for_each (&m, s)
        fail_msg("an empty map has slot %p", (void *)s);
    idmap_fini(&m);
    idmap_fini(&m);
}

static void id_zero_is_an_id(void **unused)
{
    (void)unused;
    struct idmap m = {0};
    idmap_set(&m, 0, &values[3]);
    assert_ptr_equal(idmap_get(&m, 0), &values[3]);
    assert_null(idmap_get(&m, 1));
    assert_ptr_equal(idmap_remove(&m, 0), &values[3]);
    assert_null(idmap_remove(&m, 0));
    assert_int_equal(m.n, 0);
    idmap_fini(&m);
}

static void check_against(const struct idmap *m, void *const *model)
{
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < N_IDS; i++) {
        assert_ptr_equal(idmap_get(m, id_of(i)), model[i]);
        n += model[i] != NULL;
    }
    idmap_for_each (m, s)
        seen++;
    assert_int_equal(m->n, n);
    assert_int_equal(seen, n);
}

static void random_churn(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    void *model[N_IDS] = {0};
    struct idmap m = {0};
    for (int step = 0; step < N_STEPS; step++) {
        size_t i = check_rand(&rng) % N_IDS;
        /* Mostly full in the first half, mostly empty in the second. */
        if (check_rand(&rng) % 4 < (step < N_STEPS / 2 ? 3u : 1u)) {
            model[i] = &values[check_rand(&rng) % sizeof values];
            idmap_set(&m, id_of(i), model[i]);
        } else {
            assert_ptr_equal(idmap_remove(&m, id_of(i)), model[i]);
            model[i] = NULL;
        }
        if (step % 50 == 0)
            check_against(&m, model);
    }
    check_against(&m, model);
    idmap_fini(&m);
}

static void room_is_made_once(void **unused)
{
    (void)unused;
    struct idmap m = {0};
    idmap_set(&m, 5, &values[5]);
    idmap_reserve(&m, N_IDS);
    assert_ptr_equal(idmap_get(&m, 5), &values[5]);
    const struct idmap_slot *at = m.slots;
    for (size_t i = 0; i < N_IDS - 1; i++)
        idmap_set(&m, i + 1000, &values[i]);
    assert_ptr_equal(m.slots, at);
    assert_int_equal(m.n, N_IDS);
    idmap_reserve(&m, 3); /* there is more already */
    assert_ptr_equal(m.slots, at);
    for (size_t i = 0; i < N_IDS - 1; i++)
        assert_ptr_equal(idmap_get(&m, i + 1000), &values[i]);
    idmap_fini(&m);
}

static void hash_of_bytes(void **unused)
{
    (void)unused;
    assert_true(hash_bytes("", 0) != hash_bytes("\0", 1));
    assert_true(hash_bytes("ab", 2) != hash_bytes("ba", 2));
    assert_true(hash_bytes("abc", 2) == hash_bytes("abd", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(empty_map), cmocka_unit_test(id_zero_is_an_id),
                                       cmocka_unit_test(random_churn), cmocka_unit_test(room_is_made_once),
                                       cmocka_unit_test(hash_of_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
