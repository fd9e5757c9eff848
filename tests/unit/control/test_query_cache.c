/* Cached answers: given only while they are current, or to clients that had asked before they were begun.
 */
#include <string.h>

#include "backend/control/clients/query_cache.h"
#include "tests/lib/check.h"

static struct str key_of(const char *s)
{
    struct str k = STR_INIT;
    str_append(&k, s);
    return k;
}

static void keep(struct query_cache *a, const char *question, const char *text, struct query_stamp made)
{
    struct str key = key_of(question);
    struct query_answer answer = ANSWER_INIT;
    assert_true(query_answer_add(&answer, text, strlen(text)));
    query_cache_take(a, &key, made, &answer);
    assert_int_equal(key.len, 0);
    assert_int_equal(answer.ends.n, 0);
}

/* The answer's text, or NULL; the next call makes it void. */
static const char *find(struct query_cache *a, const char *question, struct query_stamp now,
                        int64_t asked_ns)
{
    static char text[64];
    struct str key = key_of(question);
    const struct query_answer *found = query_cache_find(a, &key, now, asked_ns);
    if (found)
        snprintf(text, sizeof text, "%.*s", (int)found->bytes.len, found->bytes.s);
    str_fini(&key);
    return found ? text : NULL;
}

static void test_answers_hold_until_something_happens(void **state)
{
    (void)state;
    struct query_cache *a = query_cache_new();
    struct query_stamp made = {.events = 7, .cycles = 3, .second = 100, .begun_ns = 50};
    static const struct {
        const char *name, *question;
        struct query_stamp now;
        int64_t asked_ns;
        bool found;
    } rows[] = {
        {"the same", "q", {7, 3, 100, 0, 0}, 90, true},
        {"another question", "r", {7, 3, 100, 0, 0}, 90, false},
        {"the beginning of one", "", {7, 3, 100, 0, 0}, 10, false},
        {"an event since", "q", {8, 3, 100, 0, 0}, 90, false},
        {"a pass since", "q", {7, 4, 100, 0, 0}, 90, false},
        {"a second later", "q", {7, 3, 101, 0, 0}, 90, false},
        {"another forecast", "q", {7, 3, 100, 0, 5}, 90, false},
        {"an event since, but asked before it was begun", "q", {8, 3, 101, 0, 0}, 50, true},
        {"asked while it was made", "q", {8, 3, 101, 0, 0}, 51, false},
    };
    assert_null(find(a, "q", made, 90));
    keep(a, "q", "rows", made);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_int(rows[i].name, find(a, rows[i].question, rows[i].now, rows[i].asked_ns) != NULL,
                  rows[i].found);
    query_cache_clear(a);
    assert_null(find(a, "q", made, 90));
    query_cache_free(a);
}

static void test_answers_are_few(void **state)
{
    (void)state;
    struct query_cache *a = query_cache_new();
    struct query_stamp made = {.events = 1}, later = {.events = 2};
    char question[8];
    for (int i = 0; i <= ANSWERS; i++) {
        snprintf(question, sizeof question, "q%d", i);
        keep(a, question, question, made);
    }
    int n = 0;
    for (int i = 0; i <= ANSWERS; i++) {
        snprintf(question, sizeof question, "q%d", i);
        n += find(a, question, made, 1) != NULL;
    }
    assert_int_equal(n, ANSWERS);
    assert_string_equal(find(a, question, made, 1), question);
    keep(a, question, "new", later); /* in the place of the old answer to it */
    assert_string_equal(find(a, question, later, 1), "new");
    assert_null(find(a, question, made, 1));
    query_cache_free(a);
}

static void test_large_answers_are_not_kept(void **state)
{
    (void)state;
    struct query_answer a = ANSWER_INIT;
    char *big = xcalloc(1, ANSWER_MAX);
    assert_true(query_answer_add(&a, "x", 1));
    assert_true(query_answer_add(&a, "y", 1));
    assert_int_equal(a.ends.n, 2);
    assert_false(query_answer_add(&a, big, ANSWER_MAX));
    assert_int_equal(a.bytes.len, 0);
    assert_true(query_answer_add(&a, big, ANSWER_MAX));
    query_answer_fini(&a);
    free(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_hold_until_something_happens),
        cmocka_unit_test(test_answers_are_few),
        cmocka_unit_test(test_large_answers_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
