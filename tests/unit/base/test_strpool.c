/* Shared texts against an array that counts. */
#include "tests/lib/check.h"

#include "src/base/strpool.h"
#include "src/base/xalloc.h"

#define N_TEXTS 300
#define N_HELD  2000
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
    char *first = xstrdup("alice"), *second = xstrdup("alice");
    assert_ptr_equal(texts_take(t, first), first); /* who knows whether there will be another */
    assert_int_equal(texts_count(t), 0);
    assert_ptr_equal(texts_take(t, second), second);
    char *third = texts_take(t, xstrdup("alice")), *other = texts_take(t, xstrdup("alic"));
    assert_ptr_equal(third, second);
    assert_string_equal(other, "alic");
    assert_int_equal(texts_count(t), 1);
    char *copy = texts_give(t, third);
    assert_ptr_not_equal(copy, second); /* another holder reads it */
    assert_string_equal(copy, "alice");
    assert_ptr_equal(texts_give(t, second), second);
    assert_int_equal(texts_count(t), 0);
    assert_ptr_equal(texts_give(t, first), first);
    texts_drop(t, other);
    free(first);
    free(second);
    free(copy);
    texts_unref(t);
}

/* From the middle of a message: no NUL behind it. */
static void bytes_are_held(void **unused)
{
    (void)unused;
    struct texts *t = texts_new();
    const char message[] = "alicebobalicealalice";
    char *first = texts_hold(t, message, 5), *second = texts_hold(t, message + 8, 5);
    char *third = texts_hold(t, message + 15, 5), *al = texts_hold(t, message + 13, 2);
    assert_string_equal(first, "alice");
    assert_ptr_equal(second, third);
    assert_string_equal(third, "alice");
    assert_string_equal(al, "al");
    assert_ptr_equal(texts_take(t, xstrdup("alice")), second);
    char *none = texts_hold(t, message, 0);
    assert_string_equal(none, "");
    texts_drop(t, none);
    texts_drop(t, second);
    texts_drop(t, third);
    assert_int_equal(texts_count(t), 1);
    texts_drop(t, second);
    assert_int_equal(texts_count(t), 0);
    texts_drop(t, first);
    texts_drop(t, al);
    texts_unref(t);
}

static void belongs_to_all_owners(void **unused)
{
    (void)unused;
    struct texts *t = texts_new(), *same = texts_ref(t);
    char *a = texts_take(t, xstrdup("")), *b = texts_take(t, xstrdup("")), *c = texts_take(t, xstrdup(""));
    texts_unref(t);
    assert_string_equal(c, "");
    texts_drop(same, b);
    texts_drop(same, c);
    texts_drop(same, a);
    assert_int_equal(texts_count(same), 0);
    texts_unref(same); /* the leak check sees what stays */
}

/* A text that comes only once is not kept. */
static void single_ones_stay_outside(void **unused)
{
    (void)unused;
    struct texts *t = texts_new();
    char *v[20000];
    for (size_t i = 0; i < N_OF(v); i++)
        v[i] = texts_take(t, xasprintf("job-%zu", i));
    assert_true(texts_count(t) < N_OF(v) / 1000);
    for (size_t i = 0; i < N_OF(v); i++)
        texts_drop(t, v[i]);
    assert_int_equal(texts_count(t), 0);
    texts_unref(t);
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
    char *held[N_HELD] = {NULL};
    unsigned of[N_HELD] = {0};
    size_t shared = 0;
    struct texts *t = texts_new();
    for (unsigned step = 0; step < N_STEPS; step++) {
        size_t at = (size_t)(check_rand(&rng) % N_HELD);
        if (!held[at]) {
            of[at] = (unsigned)(check_rand(&rng) % N_TEXTS);
            char *text = text_of(of[at]);
            held[at] = step % 3 ? texts_hold(t, text, strlen(text)) : texts_take(t, text);
            if (step % 3)
                free(text);
            shared = texts_count(t) > shared ? texts_count(t) : shared;
            continue;
        }
        char *should = text_of(of[at]);
        assert_string_equal(held[at], should);
        free(should);
        if (step % 2)
            texts_drop(t, held[at]);
        else
            free(texts_give(t, held[at]));
        held[at] = NULL;
    }
    assert_true(shared > N_TEXTS / 2);
    for (size_t at = 0; at < N_HELD; at++)
        texts_drop(t, held[at]);
    assert_int_equal(texts_count(t), 0);
    texts_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_stays_nothing),    cmocka_unit_test(equal_ones_are_one),
        cmocka_unit_test(bytes_are_held),           cmocka_unit_test(belongs_to_all_owners),
        cmocka_unit_test(single_ones_stay_outside), cmocka_unit_test(random_churn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
