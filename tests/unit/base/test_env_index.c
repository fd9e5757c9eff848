/* An environment with an index against one without. */
#include "tests/lib/check.h"

#include "src/base/env_index.h"
#include "src/base/xalloc.h"

#define N_ROUNDS 60
#define N_STEPS  400
#define N_NAMES  150

/* Names that differ in their beginning, in their end, and in their length alone. */
static const char *name_of(size_t i, char buf[static 40])
{
    if (i % 3 == 0)
        snprintf(buf, 40, "SLURM_JOB_VARIABLE_%zu", i);
    else if (i % 3 == 1)
        snprintf(buf, 40, "V%zu_WITH_ONE_END", i);
    else
        snprintf(buf, 40, "%.*s", (int)(1 + i % 30), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    return buf;
}

/* With names that are there twice, and entries that are none. */
static struct strv any_environment(uint64_t *rng)
{
    struct strv env = {0};
    char name[40], entry[64];
    for (size_t n = check_rand(rng) % 200; n--;) {
        uint64_t kind = check_rand(rng) % 20;
        name_of(check_rand(rng) % N_NAMES, name);
        snprintf(entry, sizeof entry, "%s%s%d", name, kind == 0 ? "" : "=", (int)n);
        strv_push(&env, kind == 1 ? "" : kind == 2 ? "=value" : entry);
    }
    return env;
}

static void check_same(const struct strv *got, const struct strv *want)
{
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < want->n; i++)
        check_str("entry", got->v[i], want->v[i]);
}

static void one_step(struct env_index *x, struct strv *plain, uint64_t *rng)
{
    char name[40];
    name_of(check_rand(rng) % N_NAMES, name);
    unsigned n = (unsigned)(check_rand(rng) % 1000);
    const char *want = strv_getenv(plain, name), *got = env_index_get(x, name);
    assert_int_equal(!want, !got);
    if (want)
        check_str(name, got, want);
    switch (check_rand(rng) % 4) {
    case 0:
        env_index_unset(x, name);
        strv_unsetenv(plain, name);
        break;
    case 1:
        env_index_set(x, name, "");
        strv_setenv(plain, name, "");
        break;
    default:
        env_index_setf(x, name, "%u", n);
        strv_setenvf(plain, name, "%u", n);
        break;
    }
}

static void as_without_an_index(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    for (size_t round = 0; round < N_ROUNDS; round++) {
        struct strv env = any_environment(&rng), plain = strv_copy(&env);
        struct env_index x;
        env_index_open(&x, &env);
        for (size_t i = 0; i < N_STEPS; i++)
            one_step(&x, &plain, &rng);
        env_index_close(&x);
        check_same(&env, &plain);
        strv_fini(&env);
        strv_fini(&plain);
    }
}

/* Entries that lie one behind the other: what a search may have to look at. */
static size_t longest_run(const struct env_index *x)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < 2 * x->n_slots && run < x->n_slots; i++) {
        run = x->slots[i % x->n_slots].entry ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A launch made eight million comparisons for four thousand variables whose names end alike. */
static void no_names_fall_together(void **unused)
{
    (void)unused;
    static const char *const forms[][2] = {
        {"VARIABLE_", ""},        {"V", "_WITH_ONE_END"},      {"", ""},
        {"A_", "_IN_THE_MIDDLE"}, {"A_LONGER_BEGINNING_", ""},
    };
    for (size_t k = 0; k < N_OF(forms); k++) {
        struct strv env = {0};
        struct env_index x;
        char name[64], number[16];
        for (int i = 0; i < 4000; i++) {
            snprintf(number, sizeof number, "%04d", i);
            snprintf(name, sizeof name, "%s%s%s", forms[k][0], number, forms[k][1]);
            strv_push_take(&env, xasprintf("%s=1", name));
        }
        env_index_open(&x, &env);
        size_t longest = longest_run(&x);
        if (longest > 64)
            fail_msg("[%sN%s] %zu entries one behind the other, more than 64", forms[k][0], forms[k][1],
                     longest);
        env_index_close(&x);
        strv_fini(&env);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_without_an_index),
                                       cmocka_unit_test(no_names_fall_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
