/* Each action on a single job, on marked ones, on an array, an element and a step: the command that is run
 * hits exactly what was meant. */
#include "backend/slurm/slurm_act.h"

#include "backend/slurm/slurm_mirror.h"
#include "backend/slurm/slurm_table.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define WORD "qZw"

/* Rows as squeue prints them: 5 is a job, 6 the record of an array of which 7 runs as element 3. */
static void add_row(struct str *out, const char *id, const char *array, const char *index,
                    const char *state)
{
    for (int c = 0; c < SLURM_N_COLUMNS; c++)
        str_appendf(out, "%s" WORD,
                    c == SLURM_COLUMN_ID      ? id
                    : c == SLURM_COLUMN_ARRAY ? array
                    : c == SLURM_COLUMN_INDEX ? index
                    : c == SLURM_COLUMN_STATE ? state
                    : c == SLURM_COLUMN_UID   ? "1000"
                                              : "");
    str_append(out, "\n");
}

static struct slurm_mirror *queue(void)
{
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    struct str rows = STR_INIT;
    add_row(&rows, "5", "5", "N/A", "RUNNING");
    add_row(&rows, "6", "6", "0-2,4-9", "PENDING");
    add_row(&rows, "7", "6", "3", "RUNNING");
    struct slurm_span answer = {rows.s, rows.len};
    assert_int_equal(slurm_mirror_take_jobs(s, &answer, WORD, SLURM_ALL, (struct wall){1}, NULL), 1);
    str_fini(&rows);
    return s;
}

#define JOB(id)                                                \
    {                                                          \
        .job = id, .array_index = ARRAY_NONE, .step = STEP_ALL \
    }
#define ELEMENT(id, i)                                \
    {                                                 \
        .job = id, .array_index = i, .step = STEP_ALL \
    }
#define STEP(id, s)                                     \
    {                                                   \
        .job = id, .array_index = ARRAY_NONE, .step = s \
    }

static const struct {
    const char *name;
    struct job_target targets[4];
    size_t n;
    const char *words, *list; /* as scancel and as scontrol take them */
} rows[] = {
    {"single", {JOB(5)}, 1, "5", "5"},
    {"array", {JOB(6)}, 1, "6", "6"},
    {"element that waits", {ELEMENT(6, 4)}, 1, "6_4", "6_4"},
    {"element that runs, by its own id", {JOB(7)}, 1, "6_3", "6_3"},
    {"element that runs, by its index", {ELEMENT(6, 3)}, 1, "6_3", "6_3"},
    {"marked", {JOB(5), JOB(7), ELEMENT(6, 9)}, 3, "5 6_3 6_9", "5,6_3,6_9"},
    {"a job that is not in the list", {JOB(99)}, 1, "99", "99"},
    {"step", {STEP(5, 0)}, 1, "5.0", "5.0"},
    {"step of an element", {STEP(7, 2)}, 1, "6_3.2", "6_3.2"},
    {"batch step", {STEP(5, STEP_BATCH)}, 1, "5.batch", "5.batch"},
};

static const struct {
    struct msg_act act;
    const char *command;
    bool list;
} keys[] = {
    {{.act = ACT_CANCEL}, "scancel", false},
    {{.act = ACT_SIGNAL, .signal = 10, .else_batch = true}, "scancel --signal=10 --full", false},
    {{.act = ACT_SIGNAL, .signal = 10, .batch = true}, "scancel --signal=10 --batch", false},
    {{.act = ACT_HOLD}, "scontrol uhold", true},
    {{.act = ACT_HOLD, .admin_hold = true}, "scontrol hold", true},
    {{.act = ACT_RELEASE}, "scontrol release", true},
    {{.act = ACT_REQUEUE}, "scontrol requeue", true},
    {{.act = ACT_REQUEUE_HOLD}, "scontrol requeuehold", true},
    {{.act = ACT_SUSPEND}, "scontrol suspend", true},
    {{.act = ACT_RESUME}, "scontrol resume", true},
};

static void test_each_key_on_each_row(void **state)
{
    (void)state;
    struct slurm_mirror *s = queue();
    for (size_t k = 0; k < N_OF(keys); k++)
        for (size_t i = 0; i < N_OF(rows); i++) {
            struct msg_act m = keys[k].act;
            struct strv argv = {0};
            for (size_t t = 0; t < rows[i].n; t++)
                *rec_list_push(&m.targets) = rows[i].targets[t];
            assert_true(slurm_act_argv(slurm_mirror_model(s), &m, 0, rows[i].n, &argv));
            char *line = strv_join(&argv, " "),
                 *want = xasprintf("%s %s", keys[k].command, keys[k].list ? rows[i].list : rows[i].words);
            check_str(rows[i].name, line, want);
            free(line);
            free(want);
            strv_fini(&argv);
            rec_fini(&msg_act_rec, &m);
        }
    slurm_mirror_free(s);
}

/* Commands take a part of the targets each: none is left out, none is hit twice. */
static void test_parts(void **state)
{
    (void)state;
    struct slurm_mirror *s = queue();
    struct msg_act m = {.act = ACT_CANCEL};
    for (uint32_t i = 0; i < 5; i++)
        *rec_list_push(&m.targets) = (struct job_target)JOB(100 + i);
    struct strv first = {0}, second = {0};
    assert_true(slurm_act_argv(slurm_mirror_model(s), &m, 0, 3, &first));
    assert_true(slurm_act_argv(slurm_mirror_model(s), &m, 3, 2, &second));
    char *a = strv_join(&first, " "), *b = strv_join(&second, " ");
    assert_string_equal(a, "scancel 100 101 102");
    assert_string_equal(b, "scancel 103 104");
    free(a);
    free(b);
    strv_fini(&first);
    strv_fini(&second);
    rec_fini(&msg_act_rec, &m);
    slurm_mirror_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_key_on_each_row),
                                       cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
