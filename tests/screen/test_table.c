/* test_table.c - the columns of a table: how wide they are, and what of a row is cut; the marks. */
#include "tests/screen/ui_fixture.h"
#include "ui/table/table.h"

/* A column with a fit is as wide as its rows: details go first, then it is cut itself. */
static void columns_are_as_wide_as_their_rows(void **state)
{
    (void)state;
    static const struct table_column cols[] = {
        {.min = 12, .want = 24, .fit = 16},
        {.min = 18, .rank = 3},
        {.min = 4, .want = 4, .rank = 7},
    };
    static const struct {
        int need, width, id, rest, detail;
    } cases[] = {
        {0, 80, 12, 62, 4},  {9, 80, 12, 62, 4},  {14, 80, 14, 60, 4}, {16, 80, 16, 58, 4},
        {20, 80, 20, 54, 4}, {99, 80, 24, 50, 4}, {16, 40, 16, 18, 4}, {16, 39, 16, 22, 0},
        {16, 35, 16, 18, 0}, {16, 33, 14, 18, 0}, {16, 31, 12, 18, 0}, {16, 30, 16, 0, 0},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        int needs[] = {cases[i].need, 0, 0}, widths[3];
        table_fit(cols, NULL, needs, 3, cases[i].width, widths);
        if (widths[0] != cases[i].id || widths[1] != cases[i].rest || widths[2] != cases[i].detail)
            fail_msg("%d needed in %d cells: %d %d %d", cases[i].need, cases[i].width, widths[0], widths[1],
                     widths[2]);
    }
}

/* A number stands clear of the text behind it; a name is cut before the column of users is left out. */
static void numbers_stand_clear(void **state)
{
    (void)state;
    static const struct table_column cols[] = {
        {.min = 12, .want = 40, .fit = 14, .rank = 1, .flags = COLUMN_CUT},
        {.min = 4, .want = 12, .fit = 8, .rank = 5},
        {.min = 3, .want = 4, .rank = 6, .flags = COLUMN_RIGHT},
        {.min = 20, .rank = 3},
    };
    static const struct {
        int width, widths[4];
    } cases[] = {
        {47, {14, 6, 3, 20}}, {46, {14, 6, 0, 24}}, {42, {14, 6, 0, 20}},
        {41, {13, 6, 0, 20}}, {40, {12, 6, 0, 20}}, {39, {14, 0, 0, 24}},
    };
    const int needs[] = {14, 6, 1, 0};
    assert_int_equal(table_gap(cols, -1, 0), 0);
    assert_int_equal(table_gap(cols, 1, 2), 1);
    assert_int_equal(table_gap(cols, 2, 3), 2);
    static const struct table_column full[] = {{.flags = COLUMN_FULL}, {.min = 1}};
    assert_int_equal(table_gap(full, 0, 1), 2);
    for (size_t i = 0; i < N_OF(cases); i++) {
        int widths[4];
        table_fit(cols, NULL, needs, 4, cases[i].width, widths);
        for (size_t k = 0; k < 4; k++)
            if (widths[k] != cases[i].widths[k])
                fail_msg("column %zu in %d cells: %d, not %d", k, cases[i].width, widths[k],
                         cases[i].widths[k]);
    }
}

static void take_array(struct lab *l, uint32_t id, const char *user)
{
    struct job *j = lab_job(l, JOB_KIND_BATCH);
    j->id = j->array_job = id;
    j->array_index = 1;
    job_origin_mut(j)->array_min = 1;
    job_origin_mut(j)->array_max = job_origin_mut(j)->array_count = 500;
    job_origin_mut(j)->array_step = 1;
    j->state = JOB_RUNNING;
    free(j->user);
    j->user = xstrdup(user);
    model_take_job(&l->m, j);
}

/* The id of an array says which indices it has, at 80 cells as well; with its throttle where there is
 * room. */
static void ids_of_arrays_are_whole(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    take_array(&u.lab, 148, "ann");
    uilab_connect(&u);
    uilab_draw(&u, 24, 80);
    assert_true(uilab_find(&u, " 148_[1-500] ") > 0);
    assert_true(uilab_find(&u, "WHERE OR WHY") > 0);
    take_array(&u.lab, 9148001, "christopher");
    uilab_keys(&u, "r");
    uilab_snapshot(&u);
    uilab_draw(&u, 24, 80);
    assert_true(uilab_find(&u, " 9148001_[1-500] ") > 0);
    assert_true(uilab_find(&u, "WHERE OR WHY") > 0);
    uilab_draw(&u, 50, 200);
    assert_true(uilab_find(&u, " 9148001_[1-500] ") > 0);
    assert_true(uilab_find(&u, " christopher ") > 0);
    uilab_draw(&u, 12, 40);
    assert_true(uilab_find(&u, " 148_[1-5") > 0);
    uilab_fini(&u);
}

/* Marks against an array of flags: ids of neighbours, of different words, and with the highest bits. */
static void marks_are_a_set(void **state)
{
    (void)state;
    enum { IDS = 300 };
    bool is[IDS] = {false};
    size_t n = 0;
    struct marks m = {0};
    uint64_t dice = check_seed();
    for (int k = 0; k < 20000; k++) {
        size_t i = (size_t)(check_rand(&dice) % IDS);
        bool on = check_rand(&dice) % 2;
        marks_set(&m, i % 3 ? i : UINT64_MAX - i, on);
        n += (size_t)on - (size_t)is[i];
        is[i] = on;
        assert_int_equal(m.n, n);
        i = (size_t)(check_rand(&dice) % IDS);
        assert_int_equal(marks_has(&m, i % 3 ? i : UINT64_MAX - i), is[i]);
    }
    for (size_t i = 0; i < IDS; i++)
        marks_set(&m, i % 3 ? i : UINT64_MAX - i, false);
    assert_int_equal(m.n, 0);
    assert_int_equal(m.words.n, 0); /* what is not marked takes no room */
    marks_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_rows),
        cmocka_unit_test(numbers_stand_clear),
        cmocka_unit_test(ids_of_arrays_are_whole),
        cmocka_unit_test(marks_are_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
