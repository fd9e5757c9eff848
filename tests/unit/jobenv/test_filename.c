/* test_filename.c - output file patterns. */
#include "src/jobenv/filename.h"

#include "src/base/xalloc.h"
#include "tests/lib/check.h"

static struct job plain, element;

static int set_up(void **state)
{
    (void)state;
    plain = (struct job){.id = 4711,
                         .array_index = ARRAY_NONE,
                         .user = xstrdup("alice"),
                         .restarts = 2,
                         .req = {.name = xstrdup("train"), .workdir = xstrdup("/w")}};
    rec_copy(&job_rec, &element, &plain);
    element.id = 4715;
    element.array_job = 4712;
    element.array_index = 23;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rec_fini(&job_rec, &plain);
    rec_fini(&job_rec, &element);
    return 0;
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *name, *pattern, *workdir;
        bool element;
        int32_t step;
        const char *want;
    } rows[] = {
        /* text that is not a pattern stays */
        {"percent at the end", "x%", "/w", false, 0, "/w/x%"},
        {"unknown letter", "x%q%z", "/w", false, 0, "/w/x%q%z"},
        {"width without a letter", "x%4", "/w", false, 0, "/w/x%4"},
        {"width before an unknown letter", "%4q", "/w", false, 0, "/w/%4q"},
        {"percent sign", "100%%j", "/w", false, 0, "/w/100%j"},
        {"nothing", "", "/w", false, 0, "/w/"},
        /* each letter */
        {"j", "%j", "/w", false, 0, "/w/4711"},
        {"j of an element", "%j", "/w", true, 0, "/w/4715"},
        {"J in a step", "%J", "/w", false, 3, "/w/4711.3"},
        {"J in the script", "%J", "/w", false, STEP_BATCH, "/w/4711"},
        {"J in a terminal", "%J", "/w", false, STEP_INTERACTIVE, "/w/4711.interactive"},
        {"A", "%A", "/w", false, 0, "/w/4711"},
        {"A of an element", "%A", "/w", true, 0, "/w/4712"},
        {"a outside an array", "%a", "/w", false, 0, "/w/4294967294"},
        {"a of an element", "%a", "/w", true, 0, "/w/23"},
        {"b outside an array", "%b", "/w", false, 0, "/w/4"},
        {"b of an element", "%b", "/w", true, 0, "/w/3"},
        {"x", "%x", "/w", false, 0, "/w/train"},
        {"u", "%u", "/w", false, 0, "/w/alice"},
        {"N", "%N", "/w", false, 0, "/w/n07"},
        {"n", "%n", "/w", false, 0, "/w/1"},
        {"t", "%t", "/w", false, 0, "/w/5"},
        {"s", "%s", "/w", false, 3, "/w/3"},
        {"s in the script", "%s", "/w", false, STEP_BATCH, "/w/batch"},
        {"r", "%r", "/w", false, 0, "/w/2"},
        {"all at once", "%x-%A_%a.%t", "/w", true, 0, "/w/train-4712_23.5"},
        /* widths */
        {"width", "%4t", "/w", false, 0, "/w/0005"},
        {"width of zero", "%0t", "/w", false, 0, "/w/5"},
        {"width too small", "%2j", "/w", false, 0, "/w/4711"},
        {"width 10", "%10j", "/w", false, 0, "/w/0000004711"},
        {"width over 10 is 10", "%12j", "/w", false, 0, "/w/0000004711"},
        {"width far over 10 is 10", "%99999999999999j", "/w", false, 0, "/w/0000004711"},
        {"width of a text says nothing", "%8x", "/w", false, 0, "/w/train"},
        {"width of the step", "%3s", "/w", false, 7, "/w/007"},
        /* backslashes */
        {"a pair turns it off", "\\\\%j", "/w", false, 0, "/w/\\%j"},
        {"a pair in the middle", "a\\\\%j%%", "/w", false, 0, "/w/a\\%j%%"},
        {"a single one does not", "a\\%j", "/w", false, 0, "/w/a\\4711"},
        /* where it lies */
        {"absolute", "/out/%j", "/w", false, 0, "/out/4711"},
        {"absolute, not expanded", "/out\\\\/%j", "/w", false, 0, "/out\\/%j"},
        {"relative with a folder", "logs/%j", "/w", false, 0, "/w/logs/4711"},
        {"root", "%j", "/", false, 0, "/4711"},
        {"directory with a slash", "%j", "/w/", false, 0, "/w/4711"},
        {"no directory", "%j", NULL, false, 0, "/4711"},
        {"directory with a percent sign", "%j", "/w/100%j", false, 0, "/w/100%j/4711"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct filename_args a = {.job = rows[i].element ? &element : &plain,
                                  .step = rows[i].step,
                                  .rank = 5,
                                  .node_index = 1,
                                  .node = "n07"};
        char *got = filename_expand(rows[i].pattern, rows[i].workdir, &a);
        check_str(rows[i].name, got, rows[i].want);
        free(got);
    }
}

static void test_not_known_yet(void **state)
{
    (void)state;
    struct job no_user = {.id = 1, .array_index = ARRAY_NONE};
    struct filename_args a = {.job = &no_user, .step = STEP_BATCH};
    char *got = filename_expand("%N-%x-%u.out", "/w", &a);
    assert_string_equal(got, "/w/%N--.out");
    free(got);
}

/* "/slurm-1.out" was shown for the output of another user's job, of which nothing was told. */
static void test_a_hidden_job_has_no_path(void **state)
{
    (void)state;
    struct job hidden = {.id = 1, .array_index = ARRAY_NONE, .uid = UINT32_MAX};
    struct step s = {.id = 0};
    struct task t = {.index = 0};
    assert_null(job_stdout_path(&hidden));
    assert_null(job_stderr_path(&hidden));
    assert_null(job_stdout_pattern(&hidden));
    assert_null(job_stderr_pattern(&hidden));
    hidden.kind = JOB_KIND_STEPS;
    assert_null(step_stdout_path(&hidden, &s, &t, 0));
    assert_null(step_stderr_path(&hidden, &s, &t, 0));
}

/* A pattern of 4,000 bytes stood for 256,000: the controller made three of them for each rank. */
static void test_a_name_is_no_longer_than_a_path(void **state)
{
    (void)state;
    struct job j = {.id = 1, .array_index = ARRAY_NONE, .req = {.name = xcalloc(1, 129)}};
    struct filename_args a = {.job = &j, .step = STEP_BATCH};
    struct str pattern = STR_INIT, longest = STR_INIT;
    memset(j.req.name, 'x', 128);
    for (int i = 0; i < 2000; i++)
        str_append(&pattern, "%x");
    char *got = filename_expand(pattern.s, "/w", &a);
    assert_int_equal(strlen(got), FILENAME_BYTES_MAX + 1); /* too long to be opened */
    free(got);
    while (longest.len < FILENAME_BYTES_MAX - 1)
        str_append_char(&longest, longest.len ? 'y' : '/');
    got = filename_expand(longest.s, "/w", &a);
    check_str("the longest that can be", got, longest.s);
    free(got);
    str_fini(&pattern);
    str_fini(&longest);
    free(j.req.name);
}

static void test_name_with_a_slash_is_a_path(void **state)
{
    (void)state;
    free(plain.req.name);
    plain.req.name = xstrdup("runs/a");
    struct filename_args a = {.job = &plain, .step = STEP_BATCH};
    char *got = filename_expand("%x.out", "/w", &a);
    assert_string_equal(got, "/w/runs/a.out");
    free(got);
}

static void check_path(const char *name, char *got, const char *want)
{
    check_str(name, got, want);
    free(got);
}

static void test_paths_of_a_job(void **state)
{
    (void)state;
    check_path("default", job_stdout_path(&plain), "/w/slurm-4711.out");
    check_path("default stderr", job_stderr_path(&plain), "/w/slurm-4711.out");
    check_path("default of an element", job_stdout_path(&element), "/w/slurm-4712_23.out");
    plain.req.std_out = xstrdup("o.%j.%N");
    check_path("stderr follows", job_stderr_path(&plain), "/w/o.4711.%N");
    *rec_list_push(&plain.alloc) = (struct alloc){.node = xstrdup("n03")};
    check_path("node", job_stdout_path(&plain), "/w/o.4711.n03");
    req_detail_mut(&plain.req)->std_err = xstrdup("/e/%j");
    check_path("both", job_stderr_path(&plain), "/e/4711");
}

/* Elements that have not started have no number yet: 4294967294 is never shown. */
static void test_elements_to_come_have_a_pattern(void **state)
{
    (void)state;
    check_path("an element", job_stdout_pattern(&element), "/w/slurm-4712_23.out");
    check_path("a job", job_stdout_pattern(&plain), "/w/slurm-4711.out");
    element.array_index = ARRAY_NONE;
    check_path("as Slurm has it", job_stdout_path(&element), "/w/slurm-4712_4294967294.out");
    check_path("default", job_stdout_pattern(&element), "/w/slurm-4712_%a.out");
    check_path("stderr follows", job_stderr_pattern(&element), "/w/slurm-4712_%a.out");
    element.req.std_out = xstrdup("%x-%A/%4a-%b-%j-%J-%5q.%%a");
    req_detail_mut(&element.req)->std_err = xstrdup("/e/%A-%u");
    check_path("each letter", job_stdout_pattern(&element), "/w/train-4712/%4a-%b-%j-%J-%5q.%a");
    check_path("one for all", job_stderr_pattern(&element), "/e/4712-alice");
    element.req.std_out[0] = '\\';
    element.req.std_out[1] = '\\';
    check_path("taken literally", job_stdout_pattern(&element), "/w/\\-%A/%4a-%b-%j-%J-%5q.%%a");
}

static void test_paths_of_a_step(void **state)
{
    (void)state;
    struct step srun = {.id = 2};
    struct task t = {.index = 1, .rank_base = 4, .alloc = {.node = xstrdup("n03")}};
    check_path("streamed", step_stdout_path(&plain, &srun, &t, 5), NULL);
    check_path("streamed", step_stderr_path(&plain, &srun, &t, 5), NULL);
    srun.std_out = xstrdup("%J.%t.%n.%N");
    check_path("file for a rank", step_stdout_path(&plain, &srun, &t, 5), "/w/4711.2.5.1.n03");
    check_path("stderr follows", step_stderr_path(&plain, &srun, &t, 5), "/w/4711.2.5.1.n03");
    srun.std_err = xstrdup("e%t");
    srun.workdir = xstrdup("/elsewhere");
    check_path("directory of its own", step_stderr_path(&plain, &srun, &t, 5), "/elsewhere/e5");
    rec_fini(&step_rec, &srun);
    srun.id = STEP_BATCH;
    check_path("script", step_stdout_path(&plain, &srun, &t, 0), "/w/slurm-4711.out");
    check_path("script", step_stderr_path(&plain, &srun, &t, 0), "/w/slurm-4711.out");
    plain.kind = JOB_KIND_STEPS;
    srun.id = 0;
    check_path("declared", step_stdout_path(&plain, &srun, &t, 0), "/w/stoker-4711-0-1.out");
    check_path("declared", step_stderr_path(&plain, &srun, &t, 0), "/w/stoker-4711-0-1.out");
    plain.req.std_out = xstrdup("job-%s-%t");
    req_detail_mut(&plain.req)->std_err = xstrdup("err-%s-%t");
    check_path("the job's", step_stdout_path(&plain, &srun, &t, 0), "/w/job-0-1");
    check_path("the job's", step_stderr_path(&plain, &srun, &t, 0), "/w/err-0-1");
    srun.std_out = xstrdup("mine-%t");
    check_path("the step's", step_stdout_path(&plain, &srun, &t, 0), "/w/mine-1");
    rec_fini(&step_rec, &srun);
    rec_fini(&task_rec, &t);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_patterns),
        TEST(test_not_known_yet),
        TEST(test_a_hidden_job_has_no_path),
        TEST(test_a_name_is_no_longer_than_a_path),
        TEST(test_name_with_a_slash_is_a_path),
        TEST(test_paths_of_a_job),
        TEST(test_elements_to_come_have_a_pattern),
        TEST(test_paths_of_a_step),
    };
    return cmocka_run_group_tests_name("filename", tests, NULL, NULL);
}
