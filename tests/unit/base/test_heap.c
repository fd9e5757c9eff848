/* The heap against a scan of an array. */
#include "tests/lib/check.h"

#include "src/base/heap.h"

#define N_NODES 120
#define N_STEPS 20000

static void empty_heap(void **unused)
{
    (void)unused;
    struct heap h = {0};
    struct heap_node node = {0};
    assert_null(heap_peek(&h));
    assert_null(heap_pop(&h));
    heap_remove(&h, &node);
    assert_false(heap_has(&node));
    heap_fini(&h);
}

static void equal_keys_keep_their_order(void **unused)
{
    (void)unused;
    struct heap h = {0};
    struct heap_node nodes[50] = {0};
    for (size_t i = 0; i < N_OF(nodes); i++)
        heap_insert(&h, &nodes[i], 5);
    for (size_t i = 0; i < N_OF(nodes); i++)
        assert_ptr_equal(heap_pop(&h), &nodes[i]);
    heap_fini(&h);
}

static void keys_at_the_ends_of_the_range(void **unused)
{
    (void)unused;
    static const int64_t keys[] = {INT64_MAX, 0, INT64_MIN, -1, 1};
    static const int64_t sorted[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    struct heap h = {0};
    struct heap_node nodes[N_OF(keys)] = {0};
    for (size_t i = 0; i < N_OF(keys); i++)
        heap_insert(&h, &nodes[i], keys[i]);
    for (size_t i = 0; i < N_OF(keys); i++)
        check_int("pop", heap_pop(&h)->key, sorted[i]);
    heap_fini(&h);
}

static void fini_forgets_the_nodes(void **unused)
{
    (void)unused;
    struct heap h = {0};
    struct heap_node node = {0};
    heap_insert(&h, &node, 1);
    assert_true(heap_has(&node));
    heap_fini(&h);
    assert_false(heap_has(&node));
}

static struct heap_node *smallest(struct heap_node *nodes)
{
    struct heap_node *best = NULL;
    for (size_t i = 0; i < N_NODES; i++)
        if (heap_has(&nodes[i]) &&
            (!best || nodes[i].key < best->key || (nodes[i].key == best->key && nodes[i].seq < best->seq)))
            best = &nodes[i];
    return best;
}

static void random_churn(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    struct heap h = {0};
    static struct heap_node nodes[N_NODES];
    size_t n = 0;
    for (int step = 0; step < N_STEPS; step++) {
        struct heap_node *node = &nodes[check_rand(&rng) % N_NODES];
        if (check_rand(&rng) % 8 == 0) {
            struct heap_node *want = smallest(nodes);
            assert_ptr_equal(heap_pop(&h), want);
            n -= want != NULL;
        } else if (heap_has(node)) {
            heap_remove(&h, node);
            assert_false(heap_has(node));
            n--;
        } else {
            heap_insert(&h, node, (int64_t)(check_rand(&rng) % 40) - 20);
            n++;
        }
        assert_int_equal(h.n, n);
        assert_ptr_equal(heap_peek(&h), smallest(nodes));
    }
    for (struct heap_node *want; (want = smallest(nodes));)
        assert_ptr_equal(heap_pop(&h), want);
    assert_null(heap_pop(&h));
    heap_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_heap), cmocka_unit_test(equal_keys_keep_their_order),
        cmocka_unit_test(keys_at_the_ends_of_the_range), cmocka_unit_test(fini_forgets_the_nodes),
        cmocka_unit_test(random_churn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
