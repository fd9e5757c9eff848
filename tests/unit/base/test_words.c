/* Lines cut into words as a shell does it; names that are nearly alike, or begun. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/base/words.h"

static void lines(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out; /* words with '|' behind each; NULL: refused */
        bool comments;
    } rows[] = {
        {"'open", NULL, false},
        {"a \"open", NULL, false},
        {"", "", false},
        {"  \t ", "", false},
        {"one", "one|", false},
        {" one  two ", "one|two|", false},
        {"'a b' \"c d\"", "a b|c d|", false},
        {"'' \"\"", "||", false},
        {"a'b'\"c\"", "abc|", false},
        {"a\\ b '\\'", "a b|\\|", false},
        {"\"a\\\"b\"", "a\"b|", false},
        {"$HOME `x` *", "$HOME|`x`|*|", false},
        {"a #b c", "a|", true},
        {"a #b c", "a|#b|c|", false},
        {"a#b c", "a|", true},
        {"'#c' d\\#e", "#c|d#e|", true},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv words = {0};
        struct str got = STR_INIT;
        int r = words_split(rows[i].in, rows[i].comments, &words);
        check_int(rows[i].in, r, rows[i].out ? 0 : -EINVAL);
        for (size_t k = 0; k < words.n && rows[i].out; k++)
            str_appendf(&got, "%s|", words.v[k]);
        check_str(rows[i].in, got.s, rows[i].out ? rows[i].out : "");
        str_fini(&got);
        strv_fini(&words);
    }
}

static void distances(void **unused)
{
    (void)unused;
    static const struct {
        const char *a, *b;
        size_t n;
    } rows[] = {{"", "", 0},
                {"", "abc", 3},
                {"abc", "", 3},
                {"same", "same", 0},
                {"memroy", "memory", 2},
                {"gpu", "gpus", 1},
                {"kitten", "sitting", 3}};
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].b, words_distance(rows[i].a, rows[i].b), rows[i].n);
    char longest[64], beyond[65];
    memset(longest, 'x', sizeof longest);
    memset(beyond, 'x', sizeof beyond);
    longest[63] = beyond[64] = '\0';
    assert_int_equal(words_distance(longest, "x"), 62);
    assert_true(words_distance(beyond, "x") == SIZE_MAX);
    assert_true(words_distance("x", beyond) == SIZE_MAX);
}

static void words_come_back(void **unused)
{
    (void)unused;
    static const char *const words[] = {"plain", "",         "two words", "it's", "$HOME",
                                        "a\\b",  "--lr=0.1", "\"",        "~"};
    struct str line = STR_INIT;
    struct strv back = {0};
    for (size_t i = 0; i < N_OF(words); i++)
        words_append(&line, words[i]);
    assert_string_equal(line.s, "plain '' 'two words' 'it'\\''s' '$HOME' 'a\\b' --lr=0.1 '\"' '~'");
    assert_int_equal(words_split(line.s, false, &back), 0);
    assert_int_equal(back.n, N_OF(words));
    for (size_t i = 0; i < N_OF(words); i++)
        assert_string_equal(back.v[i], words[i]);
    strv_fini(&back);
    str_fini(&line);
}

static void beginnings(void **unused)
{
    (void)unused;
    static const struct {
        const char *word;
        size_t min;
        bool is;
    } rows[] = {{"", 1, false},  {"s", 2, false},  {"so", 2, false},  {"shows", 2, false},
                {"sh", 2, true}, {"SHO", 2, true}, {"show", 4, true}, {"", 0, true}};
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].word, word_begins(rows[i].word, "show", rows[i].min), rows[i].is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(distances),
                                       cmocka_unit_test(beginnings), cmocka_unit_test(words_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
