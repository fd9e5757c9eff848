/* test_jobfileedit.c - job files are edited, and every other byte of them stays. */
#include "tests/lib/check.h"

#include <stdlib.h>

#include "src/conf/jobfile.h"
#include "src/jobspec/jobfileedit.h"

#define FILE_TEXT                                                       \
    "// what this does\n"                                               \
    "name = \"train\"; partition = \"main\"; # where\n"                 \
    "time = \"2h\";\n"                                                  \
    "gpus = 1;\n"                                                       \
    "steps = (\n"                                                       \
    "  { name = \"prepare\"; command = \"./a.sh; echo {x}\"; gpus = 0; },\n" \
    "  /* the long one: { } */\n"                                       \
    "  { name = \"train\"; tasks = 8; command = \"say \\\"hi\\\"\" }\n" \
    ");\n"

static void keys_are_found(void **state)
{
    (void)state;
    static const struct {
        int step;
        const char *key, *want;
    } rows[] = {
        {JOBFILE_JOB, "name", "train"},
        {JOBFILE_JOB, "gpus", "1"},
        {JOBFILE_JOB, "command", NULL},
        {0, "name", "prepare"},
        {0, "command", "./a.sh; echo {x}"},
        {0, "tasks", NULL},
        {1, "tasks", "8"},
        {1, "command", "say \"hi\""},
        {2, "name", NULL},
    };
    assert_int_equal(jobfile_count_steps(FILE_TEXT), 2);
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = jobfile_get(FILE_TEXT, rows[i].step, rows[i].key);
        check_str(rows[i].key, got ? got : "none", rows[i].want ? rows[i].want : "none");
        free(got);
    }
}

static void only_what_is_meant_changes(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int step;
        const char *key, *value; /* NULL: taken out */
        bool quoted;
        const char *old, *new;
    } rows[] = {
        {"text", JOBFILE_JOB, "name", "a \"b\"", true, "\"train\"; partition",
         "\"a \\\"b\\\"\"; partition"},
        {"number", JOBFILE_JOB, "gpus", "4", false, "gpus = 1", "gpus = 4"},
        {"of a step", 1, "tasks", "16", false, "tasks = 8", "tasks = 16"},
        {"new in the job", JOBFILE_JOB, "qos", "high", true, "steps = (", "qos = \"high\";\nsteps = ("},
        {"new in a step", 0, "mem", "8G", true, "gpus = 0;", "gpus = 0; mem = \"8G\";"},
        {"behind one without ;", 1, "gpus", "2", false, "\\\"hi\\\"\" }", "\\\"hi\\\"\"; gpus = 2; }"},
        {"out, a line of its own", JOBFILE_JOB, "gpus", NULL, false, "gpus = 1;\n", ""},
        {"out of a line", JOBFILE_JOB, "partition", NULL, false, " partition = \"main\";", ""},
        {"out of a step", 0, "gpus", NULL, false, " gpus = 0;", ""},
        {"none there", 0, "mem", NULL, false, "", ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str text = STR_INIT, want = STR_INIT;
        const char *at = strstr(FILE_TEXT, rows[i].old);
        str_append_n(&want, FILE_TEXT, (size_t)(at - FILE_TEXT));
        str_append(&want, rows[i].new);
        str_append(&want, at + strlen(rows[i].old));
        str_append(&text, FILE_TEXT);
        if (rows[i].value)
            jobfile_set(&text, rows[i].step, rows[i].key, rows[i].value, rows[i].quoted);
        else
            jobfile_remove(&text, rows[i].step, rows[i].key);
        check_str(rows[i].what, text.s, want.s);
        str_fini(&text);
        str_fini(&want);
    }
}

static void must_be_a_job(const char *text, size_t n_steps)
{
    struct jobfile f;
    struct errtext err = {""};
    if (jobfile_parse("x.job", text, (struct wall){.ms = 1}, &f, &err))
        fail_msg("%s\n%s", err.s, text);
    check_int("steps", (long)f.steps.n, (long)n_steps);
    jobfile_fini(&f);
}

static void steps_come_and_go(void **state)
{
    (void)state;
    struct str text = STR_INIT;
    str_append(&text, FILE_TEXT);
    jobfile_add_step(&text, "report", "echo \"done\"");
    must_be_a_job(text.s, 3);
    char *command = jobfile_get(text.s, 2, "command");
    assert_string_equal(command, "echo \"done\"");
    free(command);
    jobfile_remove_step(&text, 2);
    assert_string_equal(text.s, FILE_TEXT);
    jobfile_remove_step(&text, 0);
    must_be_a_job(text.s, 1);
    assert_non_null(strstr(text.s, "// what this does"));
    str_clear(&text);
    jobfile_add_step(&text, "only", "true"); /* from nothing */
    must_be_a_job(text.s, 1);
    jobfile_set(&text, JOBFILE_JOB, "name", "x", true);
    jobfile_set(&text, 0, "tasks", "3", false);
    must_be_a_job(text.s, 1);
    str_fini(&text);
}

/* A step that was taken out goes back to where it was, or to the end of what is left. */
static void a_step_is_put_back(void **state)
{
    (void)state;
    for (int step = 0; step < 2; step++) {
        struct str text = STR_INIT;
        str_append(&text, FILE_TEXT);
        char *group = jobfile_get_step(text.s, step), *other = jobfile_get_step(text.s, 1 - step);
        assert_non_null(group);
        jobfile_remove_step(&text, step);
        char *left = jobfile_get_step(text.s, 0);
        check_str("the other one", left, other);
        assert_null(jobfile_get_step(text.s, 1));
        jobfile_insert_step(&text, step, group);
        must_be_a_job(text.s, 2);
        char *back = jobfile_get_step(text.s, step);
        check_str("as it was", back, group);
        jobfile_remove_step(&text, 0);
        jobfile_remove_step(&text, 0);
        jobfile_insert_step(&text, step, group); /* nothing is left to stand before */
        must_be_a_job(text.s, 1);
        str_clear(&text);
        jobfile_insert_step(&text, step, group);
        must_be_a_job(text.s, 1);
        free(group);
        free(other);
        free(left);
        free(back);
        str_fini(&text);
    }
}

/* Whatever is typed: no end of the text is passed. */
static void broken_files_are_edited_too(void **state)
{
    (void)state;
    for (size_t n = 0; n < strlen(FILE_TEXT); n++) {
        struct str text = STR_INIT;
        str_append_n(&text, FILE_TEXT, n);
        free(jobfile_get(text.s, 1, "tasks"));
        jobfile_set(&text, 1, "tasks", "9", false);
        jobfile_set(&text, JOBFILE_JOB, "mem", "1G", true);
        jobfile_remove(&text, 0, "gpus");
        jobfile_remove_step(&text, 0);
        jobfile_insert_step(&text, 0, "{ command = \"ls\"; }");
        free(jobfile_get_step(text.s, 0));
        str_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(only_what_is_meant_changes),
        cmocka_unit_test(steps_come_and_go),
        cmocka_unit_test(a_step_is_put_back),
        cmocka_unit_test(broken_files_are_edited_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
