/* Waiting elements of arrays that squeue hides in the row of their array: as Slurm 24.11 prints them. */
#include "backend/slurm/array/slurm_split.h"

#include <errno.h>

#include "backend/slurm/slurm_mirror.h"
#include "src/model/array.h"
#include "tests/unit/slurm/fixture.h"

#define WORD "\037abcdefgh"
#define NOW  ((struct wall){1795405800000})

static struct slurm_span span(const char *text)
{
    return (struct slurm_span){text, strlen(text)};
}

/* "ID ARRAY INDEX STATE LIMIT [REASON]" as a row of squeue. */
static void append_row(struct str *out, const char *text)
{
    char id[16], array[16], index[32], state[16], limit[16], reason[64] = "None";
    assert_true(sscanf(text, "%15s %15s %31s %15s %15s %63s", id, array, index, state, limit, reason) >= 5);
    for (int c = 0; c < SLURM_N_COLUMNS; c++)
        str_appendf(out, "%s" WORD,
                    c == SLURM_COLUMN_ID           ? id
                    : c == SLURM_COLUMN_ARRAY      ? array
                    : c == SLURM_COLUMN_INDEX      ? index
                    : c == SLURM_COLUMN_STATE      ? state
                    : c == SLURM_COLUMN_TIME_LIMIT ? limit
                    : c == SLURM_COLUMN_REASON     ? reason
                    : c == SLURM_COLUMN_NAME       ? "sweep"
                    : c == SLURM_COLUMN_CPUS       ? "1"
                                                   : "7");
    str_append(out, "\n");
}

static int take_jobs(struct slurm_mirror *s, const char *const *rows, enum slurm_scope scope)
{
    struct str text = STR_INIT;
    for (; *rows; rows++)
        append_row(&text, *rows);
    struct slurm_span answer = {text.s, text.len};
    int r = slurm_mirror_take_jobs(s, &answer, WORD, scope, NOW, NULL);
    str_fini(&text);
    return r;
}

static int take_element_rows(struct slurm_mirror *s, const char *const *rows)
{
    struct str text = STR_INIT;
    for (; *rows; rows++)
        append_row(&text, *rows);
    struct slurm_span answer = {text.s, text.len};
    int r = slurm_mirror_take_element_rows(s, &answer, WORD, NOW, NULL);
    str_fini(&text);
    return r;
}

/* "ID ARRAY INDEX,..." */
static void take_elements(struct slurm_mirror *s, const char *list)
{
    struct str text = STR_INIT;
    for (struct strv v = strv_split(list, ","); v.n; v = (struct strv){0}) {
        for (size_t i = 0; i < v.n; i++) {
            unsigned id, array, index;
            assert_int_equal(sscanf(v.v[i], "%u %u %u", &id, &array, &index), 3);
            str_appendf(&text, "%u" WORD "%u" WORD "%u" WORD "\n", id, array, index);
        }
        strv_fini(&v);
    }
    struct slurm_span answer = {text.s ? text.s : "", text.len};
    assert_int_equal(slurm_mirror_take_elements(s, &answer, WORD, NULL), 0);
    str_fini(&text);
}

static struct slurm_mirror *mirror_of(const char *release)
{
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    char *text = xasprintf("ClusterName = bench\nSLURM_VERSION = %s\n", release);
    struct slurm_span config = span(text);
    assert_int_equal(slurm_mirror_take_config(s, &config, NULL), 1);
    free(text);
    return s;
}

/* All jobs and the elements that each stands for: "1:0-1,3 2:2". */
static void check_jobs(const char *what, const struct slurm_mirror *s, const char *want)
{
    struct str got = STR_INIT;
    list_for_each (j, &slurm_mirror_model(s)->all, struct job, in_all) {
        str_appendf(&got, "%s%u:", got.len ? " " : "", j->id);
        for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
            const struct index_range *r = &job_rare(j)->array_pending.v[i];
            str_appendf(&got,
                        r->first == r->last ? "%s%u"
                        : r->step == 1      ? "%s%u-%u"
                                            : "%s%u-%u:%u",
                        i ? "," : "", r->first, r->last, r->step);
        }
        if (j->array_index != ARRAY_NONE)
            str_appendf(&got, "%u", j->array_index);
    }
    check_str(what, got.len ? got.s : "", want);
    str_fini(&got);
}

static const char *const merged[] = {"1 1 0-5%2 PENDING 1:00:00", NULL};

static void test_releases(void **state)
{
    (void)state;
    static const struct {
        const char *release;
        bool hides;
    } rows[] = {{NULL, false},     {"", false},       {"20.11.4", false}, {"22.05.8", false},
                {"23.02.0", true}, {"24.11.5", true}, {"26.05.5", true}};
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_int_equal(slurm_splits_hide(rows[i].release), rows[i].hides);
}

static void test_hidden_element(void **state)
{
    (void)state;
    static const char *const rows[] = {"2 1 2 PENDING 20:00", "4 1 4 PENDING 30:00", NULL};
    struct slurm_mirror *s = mirror_of("24.11.5");
    assert_false(slurm_mirror_hides_elements(s));
    assert_int_equal(take_jobs(s, merged, SLURM_ALL), 1);
    assert_true(slurm_mirror_hides_elements(s));
    check_jobs("as squeue prints it", s, "1:0-5");
    take_elements(s, "1 1 0,1 1 1,1 1 3,1 1 5,4 1 4,2 1 2");
    assert_int_equal(slurm_mirror_splits(s)->n_wanted, 2);
    check_jobs("until the rows come", s, "1:0-5");
    assert_int_equal(take_element_rows(s, rows), 1);
    assert_int_equal(slurm_mirror_splits(s)->n_wanted, 0);
    check_jobs("with the rows", s, "1:0-1,3,5 2:2 4:4");
    assert_int_equal(model_get_job(slurm_mirror_model(s), 2)->req.time_limit_s, 1200);
    assert_int_equal(job_origin(model_get_job(slurm_mirror_model(s), 2))->array_count, 6);
    take_jobs(s, merged, SLURM_ALL);
    check_jobs("they stay", s, "1:0-1,3,5 2:2 4:4");
    assert_int_equal(take_jobs(s, merged, SLURM_ALL), 0);
    take_jobs(s, merged, SLURM_SOME);
    check_jobs("after an action on the array", s, "1:0-1,3,5 2:2 4:4");
    check_str("the whole array", req_detail(&model_get_job(slurm_mirror_model(s), 1)->req)->array_spec,
              "0-5%2");
    slurm_mirror_free(s);
}

static void test_element_starts_and_leaves(void **state)
{
    (void)state;
    static const char *const rows[] = {"2 1 2 PENDING 20:00", "4 1 4 PENDING 30:00", NULL};
    static const char *const later[] = {"1 1 0-1,3-5%2 PENDING 1:00:00", "2 1 2 RUNNING 20:00", NULL};
    static const char *const last[] = {"1 1 0-1,3,5%2 PENDING 1:00:00", NULL};
    struct slurm_mirror *s = mirror_of("24.11.5");
    assert_int_equal(take_jobs(s, merged, SLURM_ALL), 1);
    take_elements(s, "1 1 0,2 1 2,4 1 4");
    assert_int_equal(take_element_rows(s, rows), 1);
    assert_int_equal(take_jobs(s, later, SLURM_ALL), 1);
    check_jobs("one runs", s, "1:0-1,3,5 2:2 4:4");
    assert_int_equal(model_get_job(slurm_mirror_model(s), 2)->state, JOB_RUNNING);
    assert_int_equal(take_jobs(s, last, SLURM_ALL), 1);
    check_jobs("both have left", s, "1:0-1,3,5");
    slurm_mirror_free(s);
}

/* An array whose record has gone: each element has a row, and none is asked for. */
static void test_elements_with_rows(void **state)
{
    (void)state;
    static const char *const rows[] = {"1 1 5 PENDING 31:00", "2 1 2 PENDING 20:00",
                                       "9 9 0-3 PENDING 1:00:00", NULL};
    struct slurm_mirror *s = mirror_of("26.05.5");
    assert_int_equal(take_jobs(s, rows, SLURM_OWN), 1);
    take_elements(s, "1 1 5,2 1 2,9 9 0,9 9 1,9 9 2,9 9 3");
    assert_int_equal(slurm_mirror_splits(s)->n_wanted, 0);
    check_jobs("all of them", s, "1:5 2:2 9:0-3");
    slurm_mirror_free(s);
}

static void test_questions(void **state)
{
    (void)state;
    struct slurm_splits s = {0};
    struct str text = STR_INIT;
    struct strv argv = {0};
    struct slurm_span cut = span("2" WORD "1" WORD "2"),
                      few = span("9" WORD "1" WORD "2" WORD "\n2" WORD "1" WORD "3" WORD "\n");
    slurm_splits_ask(&argv, "W");
    char *line = strv_join(&argv, " ");
    assert_string_equal(
        line, "squeue --all --noheader --states=PENDING --array -O JobID:W,ArrayJobID:W,ArrayTaskID:W");
    free(line);
    assert_int_equal(slurm_splits_take(&s, &cut, WORD, NULL), -EBADMSG);
    assert_int_equal(slurm_splits_take(&s, &few, WORD, NULL), 0);
    strv_fini(&argv);
    slurm_splits_ask_rows(&s, &argv, "W");
    assert_string_equal(argv.v[argv.n - 2], "-j");
    assert_string_equal(argv.v[argv.n - 1], "2,9");
    strv_fini(&argv);
    for (unsigned i = 0; i < 201; i++)
        str_appendf(&text, "%u" WORD "1" WORD "%u" WORD "\n", i + 2, i);
    struct slurm_span many = {text.s, text.len};
    assert_int_equal(slurm_splits_take(&s, &many, WORD, NULL), 0);
    slurm_splits_ask_rows(&s, &argv, "W");
    assert_string_equal(argv.v[argv.n - 1], "--array");
    strv_fini(&argv);
    str_fini(&text);
    slurm_splits_fini(&s);
}

/* The row of an array has the reasons of all its elements. */
static void test_reason_of_record(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        enum reason reason;
        bool held;
    } rows[] = {{"1 1 0-5 PENDING 1:00:00 Priority,JobHeldUser,None", REASON_PRIORITY, false},
                {"1 1 0-5 PENDING 1:00:00 None,JobHeldUser", REASON_NONE, false},
                {"1 1 0-5 PENDING 1:00:00 JobHeldUser,BeginTime", REASON_BEGIN_TIME, false},
                {"1 1 0-5 PENDING 1:00:00 JobHeldUser", REASON_HELD_USER, true}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_mirror *s = mirror_of("24.11.5");
        const char *const one[] = {rows[i].row, NULL};
        assert_int_equal(take_jobs(s, one, SLURM_ALL), 1);
        const struct job *j = model_get_job(slurm_mirror_model(s), 1);
        check_int(rows[i].row, j->reason, rows[i].reason);
        check_int(rows[i].row, j->hold != HOLD_NONE, rows[i].held);
        assert_null(job_rare(j)->reason_detail);
        slurm_mirror_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_releases),
                                       cmocka_unit_test(test_hidden_element),
                                       cmocka_unit_test(test_element_starts_and_leaves),
                                       cmocka_unit_test(test_elements_with_rows),
                                       cmocka_unit_test(test_questions),
                                       cmocka_unit_test(test_reason_of_record)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
