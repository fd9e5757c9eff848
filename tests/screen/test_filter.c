/* test_filter.c - the words of a filter line: what they match, what is wrong with them, and lines of any
 * bytes. Then the filter line of a screen. */
#include <stdlib.h>
#include <string.h>

#include "tests/screen/ui_fixture.h"
#include "ui/table/filter.h"
#include "ui/table/fuzzy.h"

/* --- words --- */

static const char *const column_names[] = {"id", "name", "user", "gpus"};

static int column_of(const void *ctx, const char *name, enum filter_unit *unit)
{
    (void)ctx;
    *unit = FILTER_PLAIN;
    for (size_t i = 0; i < N_OF(column_names); i++)
        if (str_ieq(column_names[i], name))
            return (int)i;
    return -1;
}

static bool is_words(const void *ctx, size_t column)
{
    (void)ctx;
    return column < 3;
}

static const char *text_of(const void *ctx, const void *row, size_t column)
{
    (void)ctx;
    return ((const char *const *)row)[column];
}

static bool number_of(const void *ctx, const void *row, size_t column, double *ret)
{
    (void)ctx;
    *ret = atof(((const char *const *)row)[column]);
    return column == 3 && *((const char *const *)row)[column];
}

static bool row_passes(struct filter *f, const char *const *row)
{
    const struct filter_row r = {.row = row,
                                 .n_columns = N_OF(column_names),
                                 .is_words = is_words,
                                 .text = text_of,
                                 .number = number_of};
    return filter_match(f, &r);
}

static const char *const rows[][4] = {
    {"1", "train-resnet", "ann", "8"},
    {"2", "eval-resnet", "bob", "1"},
    {"3", "sweep 50", "ann", ""},
};

/* The rows that pass, as "13". */
static void words_match(void **state)
{
    (void)state;
    static const struct {
        const char *line, *want;
    } cases[] = {
        {"", "123"},
        {"resnet", "12"},
        {"RESNET ann", "1"},
        {"!resnet", "3"},
        {"user:ann|bob", "123"},
        {"user:ann|name:eval", "123"},
        {"user:=an", ""},
        {"name:=train-resnet", "1"},
        {"!user:ann|bob", ""}, /* neither */
        {"!user:ann | sweep", "23"},
        {"train | eval", "12"},
        {"train|eval bob", "2"},
        {"| train |", "1"},
        {"resnet gpus:>1 | gpus:=1", "12"},
        {"/^(train|sweep)/", "13"},
        {"/^(train|sweep)", "13"}, /* the last slash is still to come */
        {"name:/resnet$/ !bob", "1"},
        {"!/^train/", "23"},
        {"/n-r/|user:bob", "12"},
        {"/p 5/", "3"},
        {"\"p 5\"", "3"},
        {"name:\"sweep 50\"", "3"},
        {"name:=\"sweep 50\"", "3"},
        {"name:=\"sweep\"", ""},
        {"name:\"swe", "3"}, /* and the last quote */
        {"/(/", "123"},      /* wrong: it is being typed */
        {"!/(/ ann", "13"},
        {"no:column", ""},
        {"!", ""},
        {"gpus:>=1", "12"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct filter f = {0};
        char got[8] = "";
        filter_parse(&f, cases[i].line, column_of, NULL);
        for (size_t k = 0; k < N_OF(rows); k++)
            if (row_passes(&f, rows[k]))
                strcat(got, rows[k][0]);
        if (!str_eq(got, cases[i].want))
            fail_msg("\"%s\": %s, not %s", cases[i].line, got, cases[i].want);
        filter_fini(&f);
    }
}

static void wrong_expressions_are_told_with_their_place(void **state)
{
    (void)state;
    struct filter f = {0};
    filter_parse(&f, "ann name:/[a-/ x", column_of, NULL);
    const struct term_word *w = filter_wrong(&f);
    assert_non_null(w);
    assert_int_equal(w->at, 4);
    assert_int_equal(w->to, 14);
    assert_true(strlen(w->error) > 5);
    filter_fini(&f);
}

static void similar_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        bool like;
    } cases[] = {
        {"train-resnet", "trrn", true},   {"finetune-7b", "ftune", true},  {"sweep", "swp", true},
        {"alice", "alc", true},           {"train-resnet", "rain", false}, {"train", "rn", false},
        {"preprocess", "pps", false},     {"evalSet", "es", true},         {"convert", "xv", false},
        {"a-very-long-name", "ne", true}, {"resnet50", "r5", true},        {"", "a", false},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        if ((fuzzy_score(cases[i].text, cases[i].word) > 0) != cases[i].like)
            fail_msg("%s in %s", cases[i].word, cases[i].text);
    assert_true(fuzzy_score("train-x", "tr") > fuzzy_score("a-train", "tr"));
    assert_true(fuzzy_score("sweep", "swp") < fuzzy_score("swp-1", "swp"));
}

/* A line of any bytes is taken apart, its words stand in it in their order, and narrowing is no more than
 * it says. */
static void any_line_is_taken(void **state)
{
    (void)state;
    static const char bytes[] = "ab /|!:\"=<>()[]*\\name:user:gpus:1\xc3\xa9 ";
    unsigned seed = 4711;
    for (int round = 0; round < 20000; round++) {
        char line[24], longer[25];
        size_t n = 0;
        seed = seed * 1103515245u + 12345u;
        for (unsigned k = seed, len = (seed >> 16) % (sizeof line - 1); n < len; n++) {
            k = k * 1103515245u + 12345u;
            line[n] = bytes[(k >> 16) % (sizeof bytes - 1)];
        }
        line[n] = '\0';
        snprintf(longer, sizeof longer, "%s%c", line, bytes[seed >> 8 & 31]);
        struct filter f = {0}, g = {0};
        filter_parse(&f, line, column_of, NULL);
        filter_parse(&g, longer, column_of, NULL);
        size_t at = 0;
        for (size_t i = 0; i < f.n; i++) {
            if (f.v[i].at < at || f.v[i].to < f.v[i].at || f.v[i].to > n)
                fail_msg("\"%s\": word %zu stands at %zu to %zu", line, i, f.v[i].at, f.v[i].to);
            at = f.v[i].to;
        }
        for (size_t k = 0; filter_narrows(&f, &g) && k < N_OF(rows); k++)
            if (row_passes(&g, rows[k]) && !row_passes(&f, rows[k]))
                fail_msg("\"%s\" lets row %zu pass, \"%s\" does not", longer, k, line);
        filter_fini(&f);
        filter_fini(&g);
    }
}

/* --- the line of a screen --- */

static void must_have(struct uilab *u, const char *keys, const char *text)
{
    uilab_keys(u, keys);
    uilab_draw(u, 24, 100);
    if (uilab_find(u, text) < 0)
        fail_msg("%s: no \"%s\" in\n%s", keys, text, uilab_text(u));
}

static void must_lack(struct uilab *u, const char *text)
{
    if (uilab_find(u, text) >= 0)
        fail_msg("\"%s\" in\n%s", text, uilab_text(u));
}

/* Texts that are like a word are shown only where no row has the word. */
static void similar_rows_stand_in(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    must_have(u, "/trrn<Enter>", "train-resnet");
    must_have(u, "", "1 of 15");
    must_have(u, "", "similar");
    must_have(u, "/train<Enter>", "train-resnet");
    must_lack(u, "similar");
    must_have(u, "/zzqx<Enter>", "No row matches");
}

/* "/" selects what is there: a letter replaces it, End keeps it. */
static void the_old_filter_is_selected(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    must_have(u, "/chen<Enter>", "filter chen");
    must_have(u, "/eval", "filter eval");
    must_lack(u, "chen");
    must_have(u, "<Enter>/<End> user:bo", "filter eval user:bo");
    must_have(u, "<Esc>/convert<Enter>/<Backspace>", "15 match");
}

static void earlier_filters_come_back_with_up(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    must_have(u, "/chen<Enter>/eval<Enter><Esc>/<Up>", "filter eval");
    must_have(u, "<Up>", "filter chen");
    must_have(u, "<Down>", "filter eval");
    must_have(u, "<Enter>", "filter eval");
}

static void columns_and_values_are_suggested(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    must_have(u, "/!stat", "state:");
    must_have(u, "<Tab>", "filter !state:");
    must_have(u, "", "running");
    must_have(u, "wai<Tab>", "filter !state:waiting");
    must_have(u, "|run<Tab>", "filter !state:waiting|running");
    must_have(u, " user:<Down><Down><Enter>", "filter !state:waiting|running user:");
}

static void a_wrong_expression_is_told_where_it_is_typed(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    must_have(u, "/name:/[a", "nmatched [");
    must_have(u, "-z]+net/", "2 match");
    must_lack(u, "nmatched [");
}

/* The cursor goes to the first row that matches if its own does not. */
static void the_cursor_goes_to_the_first_match(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    struct view *v = ui_view(u->app);
    struct table *t = v->ops->table(v);
    uilab_keys(u, "G/user:alice");
    assert_int_equal(t->list.cursor, 0);
    uilab_keys(u, "<Esc>G");
    size_t end = t->list.cursor;
    uilab_keys(u, "/<Esc>");
    assert_int_equal(t->list.cursor, end);
}

/* Matches that "my jobs" hides are counted. */
static void matches_of_others_are_told(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "m/user:chen<Enter>");
    while (app_work(u->app))
        ;
    must_have(u, "", "3 matches in other users' jobs: m");
    must_have(u, "m", "3 of 15");
    must_lack(u, "other users' jobs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_match),
        cmocka_unit_test(wrong_expressions_are_told_with_their_place),
        cmocka_unit_test(similar_texts),
        cmocka_unit_test(any_line_is_taken),
        UI_FIXTURE_CASE(similar_rows_stand_in),
        UI_FIXTURE_CASE(the_old_filter_is_selected),
        UI_FIXTURE_CASE(earlier_filters_come_back_with_up),
        UI_FIXTURE_CASE(columns_and_values_are_suggested),
        UI_FIXTURE_CASE(a_wrong_expression_is_told_where_it_is_typed),
        UI_FIXTURE_CASE(the_cursor_goes_to_the_first_match),
        UI_FIXTURE_CASE(matches_of_others_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
