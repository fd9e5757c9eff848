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
    struct strpool *t = strpool_new();
    assert_null(strpool_take(t, NULL));
    assert_null(strpool_give(t, NULL));
    strpool_drop(t, NULL);
    assert_int_equal(strpool_count(t), 0);
    strpool_unref(t);
    strpool_unref(NULL);
}

static void equal_ones_are_one(void **unused)
{
    (void)unused;
    struct strpool *t = strpool_new();
    char *first = xstrdup("alice"), *second = xstrdup("alice");
    assert_ptr_equal(strpool_take(t, first), first); /* who knows whether there will be another */
    assert_int_equal(strpool_count(t), 0);
    assert_ptr_equal(strpool_take(t, second), second);
    char *third = strpool_take(t, xstrdup("alice")), *other = strpool_take(t, xstrdup("alic"));
    assert_ptr_equal(third, second);
    assert_string_equal(other, "alic");
    assert_int_equal(strpool_count(t), 1);
    char *copy = strpool_give(t, third);
    assert_ptr_not_equal(copy, second); /* another holder reads it */
    assert_string_equal(copy, "alice");
    assert_ptr_equal(strpool_give(t, second), second);
    assert_int_equal(strpool_count(t), 0);
    assert_ptr_equal(strpool_give(t, first), first);
    strpool_drop(t, other);
    free(first);
    free(second);
    free(copy);
    strpool_unref(t);
}

/* From the middle of a message: no NUL behind it. */
static void bytes_are_held(void **unused)
{
    (void)unused;
    struct strpool *t = strpool_new();
    const char message[] = "alicebobalicealalice";
    char *first = strpool_hold(t, message, 5), *second = strpool_hold(t, message + 8, 5);
    char *third = strpool_hold(t, message + 15, 5), *al = strpool_hold(t, message + 13, 2);
    assert_string_equal(first, "alice");
    assert_ptr_equal(second, third);
    assert_string_equal(third, "alice");
    assert_string_equal(al, "al");
    assert_ptr_equal(strpool_take(t, xstrdup("alice")), second);
    char *none = strpool_hold(t, message, 0);
    assert_string_equal(none, "");
    strpool_drop(t, none);
    strpool_drop(t, second);
    strpool_drop(t, third);
    assert_int_equal(strpool_count(t), 1);
    strpool_drop(t, second);
    assert_int_equal(strpool_count(t), 0);
    strpool_drop(t, first);
    strpool_drop(t, al);
    strpool_unref(t);
}

static void belongs_to_all_owners(void **unused)
{
    (void)unused;
    struct strpool *t = strpool_new(), *same = strpool_ref(t);
    char *a = strpool_take(t, xstrdup("")), *b = strpool_take(t, xstrdup("")),
         *c = strpool_take(t, xstrdup(""));
    strpool_unref(t);
    assert_string_equal(c, "");
    strpool_drop(same, b);
    strpool_drop(same, c);
    strpool_drop(same, a);
    assert_int_equal(strpool_count(same), 0);
    strpool_unref(same); /* the leak check sees what stays */
}

/* A text that comes only once is not kept. */
static void single_ones_stay_outside(void **unused)
{
    (void)unused;
    struct strpool *t = strpool_new();
    char *v[20000];
    for (size_t i = 0; i < N_OF(v); i++)
        v[i] = strpool_take(t, xasprintf("job-%zu", i));
    assert_true(strpool_count(t) < N_OF(v) / 1000);
    for (size_t i = 0; i < N_OF(v); i++)
        strpool_drop(t, v[i]);
    assert_int_equal(strpool_count(t), 0);
    strpool_unref(t);
}

struct pair {
    uint32_t a, b;
};

static struct pair *pair_of(uint32_t a)
{
    struct pair *p = xcalloc(1, sizeof *p);
    *p = (struct pair){.a = a, .b = 0x41414141};
    return p;
}

static void structs_are_shared(void **unused)
{
    (void)unused;
    struct strpool *t = strpool_new();
    struct pair *v[4];
    for (size_t i = 0; i < N_OF(v); i++)
        v[i] = strpool_take_struct(t, pair_of(i < 3 ? 0x42424242 : 1), sizeof(struct pair));
    assert_ptr_not_equal(v[0], v[1]); /* the first of a kind stays outside */
    assert_ptr_equal(v[1], v[2]);
    assert_int_equal(strpool_count(t), 1);
    char *text = strpool_take(t, xstrdup("BBBBAAAA")), *again = strpool_take(t, xstrdup("BBBBAAAA"));
    assert_ptr_not_equal(text, v[1]); /* the same bytes, and no text */
    assert_ptr_not_equal(again, v[1]);
    struct pair *own = strpool_give_struct(t, v[2], sizeof *own);
    assert_ptr_not_equal(own, v[1]);
    assert_memory_equal(own, v[1], sizeof *own);
    assert_ptr_equal(strpool_give_struct(t, v[1], sizeof *own), v[1]);
    assert_ptr_equal(strpool_give_struct(t, v[3], sizeof *own), v[3]);
    strpool_drop(t, text);
    strpool_drop(t, again);
    assert_int_equal(strpool_count(t), 0);
    free(own);
    free(v[0]);
    free(v[1]);
    free(v[3]);
    strpool_unref(t);
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
    struct strpool *t = strpool_new();
    for (unsigned step = 0; step < N_STEPS; step++) {
        size_t at = (size_t)(check_rand(&rng) % N_HELD);
        if (!held[at]) {
            of[at] = (unsigned)(check_rand(&rng) % N_TEXTS);
            char *text = text_of(of[at]);
            held[at] = step % 3 ? strpool_hold(t, text, strlen(text)) : strpool_take(t, text);
            if (step % 3)
                free(text);
            shared = strpool_count(t) > shared ? strpool_count(t) : shared;
            continue;
        }
        char *should = text_of(of[at]);
        assert_string_equal(held[at], should);
        free(should);
        if (step % 2)
            strpool_drop(t, held[at]);
        else
            free(strpool_give(t, held[at]));
        held[at] = NULL;
    }
    assert_true(shared > N_TEXTS / 2);
    for (size_t at = 0; at < N_HELD; at++)
        strpool_drop(t, held[at]);
    assert_int_equal(strpool_count(t), 0);
    strpool_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_stays_nothing),
                                       cmocka_unit_test(equal_ones_are_one),
                                       cmocka_unit_test(bytes_are_held),
                                       cmocka_unit_test(belongs_to_all_owners),
                                       cmocka_unit_test(single_ones_stay_outside),
                                       cmocka_unit_test(structs_are_shared),
                                       cmocka_unit_test(random_churn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
