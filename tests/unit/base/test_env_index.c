/* An environment with an index against one without. */
#include "tests/lib/check.h"

#include "src/base/env_index.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_without_an_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
