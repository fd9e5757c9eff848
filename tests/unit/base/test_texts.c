/* Shared texts against an array that counts. */
#include "tests/lib/check.h"

#include <stdbool.h>

#include "src/base/texts.h"
#include "src/base/xalloc.h"

#define N_TEXTS 300
#define N_STEPS 30000

static void nothing_stays_nothing(void **unused)
{
    (void)unused;
    struct texts *t = texts_new();
    assert_null(texts_take(t, NULL));
    assert_null(texts_give(t, NULL));
    texts_drop(t, NULL);
    assert_int_equal(texts_count(t), 0);
    texts_unref(t);
    texts_unref(NULL);
}

static void equal_ones_are_one(void **unused)
{
    (void)unused;
    struct texts *t = texts_new();
    char *first = xstrdup("alice");
    char *a = texts_take(t, first), *b = texts_take(t, xstrdup("alice")), *c = texts_take(t, xstrdup("alic"));
    assert_ptr_equal(a, first);
    assert_ptr_equal(b, a);
    assert_string_equal(c, "alic");
    assert_int_equal(texts_count(t), 2);
    char *copy = texts_give(t, b);
    assert_ptr_not_equal(copy, a); /* somebody else reads it */
    assert_string_equal(copy, "alice");
    assert_ptr_equal(texts_give(t, a), first);
    free(copy);
    free(first);
    assert_int_equal(texts_count(t), 1);
    texts_drop(t, c);
    assert_int_equal(texts_count(t), 0);
    texts_unref(t);
}

static void last_owner_frees_what_is_held(void **unused)
{
    (void)unused;
    struct texts *t = texts_new(), *same = texts_ref(t);
    const char *a = texts_take(t, xstrdup(""));
    texts_unref(t);
    assert_string_equal(a, "");
    assert_int_equal(texts_count(same), 1);
    texts_unref(same); /* the leak check sees what stays */
}

/* Of all lengths, most of them alike at the beginning or at the end. */
static char *text_of(unsigned i)
{
    return i % 2 ? xasprintf("%.*s%u", (int)(i % 40), "a directory that is quite deep, and deeper", i)
                 : xasprintf("%u/a/b", i);
}

static void random_churn(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    char *held[N_TEXTS] = {NULL};
    unsigned holders[N_TEXTS] = {0};
    size_t n = 0;
    struct texts *t = texts_new();
    for (unsigned step = 0; step < N_STEPS; step++) {
        unsigned i = (unsigned)(check_rand(&rng) % N_TEXTS);
        char *s = text_of(i);
        if (!holders[i] || check_rand(&rng) % 4 < (step < N_STEPS / 2 ? 3u : 1u)) {
            bool fresh = holders[i]++ == 0;
            n += fresh ? 1 : 0;
            char *at = texts_take(t, s);
            assert_true(fresh || at == held[i]);
            held[i] = at;
        } else {
            n -= --holders[i] ? 0 : 1;
            assert_string_equal(held[i], s);
            free(s);
            if (step % 2) {
                texts_drop(t, held[i]);
            } else {
                char *own = texts_give(t, held[i]);
                assert_true((own == held[i]) == !holders[i]);
                free(own);
            }
        }
        assert_int_equal(texts_count(t), n);
    }
    texts_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_stays_nothing), cmocka_unit_test(equal_ones_are_one),
        cmocka_unit_test(last_owner_frees_what_is_held), cmocka_unit_test(random_churn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
