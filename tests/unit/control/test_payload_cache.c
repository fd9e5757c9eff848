/* Payloads in the cache: which are kept, and which are decoded once for the launches that follow. */
#include "tests/lib/check.h"

#include "backend/control/payload_cache.h"
#include "src/proto/codec.h"

#define TOO_LARGE (300u << 10)

static void put_payload(struct payload_cache *p, uint32_t job, int32_t step, const char *word,
                        size_t script)
{
    struct step_payload s = {0};
    struct str b = STR_INIT;
    strv_push(&s.argv, word);
    strv_setenv(&s.env, "WORD", word);
    s.script.p = xcalloc(script + 1, 1);
    s.script.n = script;
    codec_encode(&step_payload_rec, &s, &b);
    payload_cache_put(p, job, step, b.s, b.len);
    str_fini(&b);
    rec_fini(&step_payload_rec, &s);
}

static void is_payload(const struct step_payload *s, const char *word)
{
    assert_non_null(s);
    assert_string_equal(s->argv.v[0], word);
    assert_string_equal(strv_getenv(&s->env, "WORD"), word);
}

static void decoded_once(void **unused)
{
    (void)unused;
    struct payload_cache *p = payload_cache_new();
    put_payload(p, 1, STEP_BATCH, "array", 10);
    const struct step_payload *s = payload_cache_decoded(p, 1, STEP_BATCH);
    is_payload(s, "array");
    const char *word = s->argv.v[0];
    for (int i = 0; i < 100; i++) {
        assert_ptr_equal(payload_cache_decoded(p, 1, STEP_BATCH), s);
        assert_ptr_equal(s->argv.v[0], word);
    }
    payload_cache_free(p);
}

/* A task of a step job needs two: its step's, and the environment of its job. Steps change, that stays. */
static void steps_beside_their_job(void **unused)
{
    (void)unused;
    struct payload_cache *p = payload_cache_new();
    char word[16];
    put_payload(p, 7, STEP_ALL, "all", 0);
    for (int32_t step = 0; step < 10; step++) {
        snprintf(word, sizeof word, "step %d", step);
        put_payload(p, 7, step, word, 0);
    }
    const struct step_payload *all = payload_cache_decoded(p, 7, STEP_ALL);
    const char *text = all->argv.v[0];
    for (int32_t step = 0; step < 10; step++) {
        snprintf(word, sizeof word, "step %d", step);
        is_payload(payload_cache_decoded(p, 7, step), word);
        assert_ptr_equal(payload_cache_decoded(p, 7, STEP_ALL), all);
        assert_ptr_equal(all->argv.v[0], text);
    }
    payload_cache_free(p);
}

static void one_that_was_replaced(void **unused)
{
    (void)unused;
    struct payload_cache *p = payload_cache_new();
    put_payload(p, 1, STEP_BATCH, "old", 10);
    is_payload(payload_cache_decoded(p, 1, STEP_BATCH), "old");
    put_payload(p, 1, STEP_BATCH, "new", 10);
    is_payload(payload_cache_decoded(p, 1, STEP_BATCH), "new");
    payload_cache_drop(p, 1, STEP_BATCH);
    assert_null(payload_cache_decoded(p, 1, STEP_BATCH));
    payload_cache_free(p);
}

static void none_to_be_had(void **unused)
{
    (void)unused;
    struct payload_cache *p = payload_cache_new();
    size_t n = 0;
    assert_null(payload_cache_decoded(p, 1, STEP_BATCH));
    payload_cache_put(p, 2, STEP_BATCH, "\xc1", 1);
    assert_null(payload_cache_decoded(p, 2, STEP_BATCH));
    put_payload(p, 3, STEP_BATCH, "large", TOO_LARGE);
    assert_null(payload_cache_decoded(p, 3, STEP_BATCH));
    assert_non_null(payload_cache_get(p, 3, STEP_BATCH, &n));
    put_payload(p, 4, STEP_BATCH, "after it", 10);
    is_payload(payload_cache_decoded(p, 4, STEP_BATCH), "after it");
    payload_cache_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_to_be_had),
        cmocka_unit_test(one_that_was_replaced),
        cmocka_unit_test(decoded_once),
        cmocka_unit_test(steps_beside_their_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
