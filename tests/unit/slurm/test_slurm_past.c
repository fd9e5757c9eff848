/* Rows of sacct, forged ones too, and the log of ends of a Slurm without accounting. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/slurm/past/slurm_ends.h"
#include "backend/slurm/past/slurm_sacct.h"
#include "src/base/xalloc.h"
#include "tests/unit/slurm/fixture.h"

#define W "\037abcDEF"

/* Made by the manual of sacct: no accounting was at hand to record. */
#define ROW(raw, id, state, name)                                                                          \
    raw W id W "1000" W "ann" W "ann" W "lab" W "normal" W "main" W state W "3:0" W "1795405000" W         \
               "1795405000" W "1795405100" W "1795405700" W "90" W "2" W "4" W "cpu=4,mem=2G,gres/gpu=2" W \
               "n[1-2]" W "/home/ann" W name W "\n"

static void test_rows(void **state)
{
    (void)state;
    static const char text[] = ROW("12", "12", "FAILED", "a|b\n99 RUNNING\n\037abc") //
        ROW("13", "11_2", "CANCELLED by 1000", "x") ROW("14", "14", "RUNNING", "y");
    struct slurm_span rest = {text, sizeof text - 1};
    struct job *j;
    assert_int_equal(slurm_sacct_next(&rest, W, &j, NULL), 1);
    assert_int_equal(j->id, 12);
    assert_int_equal(j->state, JOB_FAILED);
    assert_int_equal(j->exit_code, 3);
    assert_int_equal(j->time_limit_s, 5400);
    assert_int_equal(j->t_end.ms, 1795405700000);
    assert_int_equal(j->alloc.n, 2);
    assert_int_equal(job_cpus(j), 4);
    assert_string_equal(j->req.name, "a|b\n99 RUNNING\n\037abc");
    job_free(j);
    assert_int_equal(slurm_sacct_next(&rest, W, &j, NULL), 1);
    assert_int_equal(j->state, JOB_CANCELLED);
    assert_int_equal(j->kill_cause, KILL_CANCEL);
    assert_int_equal(job_rare(j)->kill_uid, 1000);
    assert_int_equal(j->array_job, 11);
    assert_int_equal(j->array_index, 2);
    assert_string_equal(job_origin(j)->group, "ann");
    job_free(j);
    assert_int_equal(slurm_sacct_next(&rest, W, &j, NULL), 1);
    assert_null(j); /* it has not ended */
    assert_int_equal(slurm_sacct_next(&rest, W, &j, NULL), 0);
    struct slurm_span cut = {text, sizeof text - 10};
    int r;
    while ((r = slurm_sacct_next(&cut, W, &j, NULL)) > 0)
        job_free(j);
    assert_int_equal(r, -EBADMSG);
}

static void count(void *ctx, const struct job *j)
{
    unsigned *n = ctx;
    *n += j->id == 12 && str_eq(j->req.name, "name");
}

static void test_log_of_ends(void **state)
{
    (void)state;
    char dir[] = "/tmp/st-ends.XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path = xasprintf("%s/ends", dir);
    struct slurm_ends *e = slurm_ends_new(path);
    struct job *j = job_new();
    unsigned n = 0;
    j->id = 12;
    j->req.name = xstrdup("name");
    j->t_submit = (struct wall){.ms = 1};
    slurm_ends_note(e, j); /* it waits */
    slurm_ends_each(e, count, &n);
    assert_int_equal(n, 0);
    j->state = JOB_COMPLETED;
    j->t_end = (struct wall){.ms = 2};
    slurm_ends_note(e, j);
    slurm_ends_note(e, j);
    slurm_ends_free(e);
    e = slurm_ends_new(path); /* the next server sees the same rows again */
    slurm_ends_note(e, j);
    slurm_ends_each(e, count, &n);
    assert_int_equal(n, 1);
    /* A row that was cut off by a crash is written over. */
    slurm_ends_free(e);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs("\x40\x01", f);
    fclose(f);
    e = slurm_ends_new(path);
    j->t_submit = (struct wall){.ms = 5}; /* another job of that id */
    slurm_ends_note(e, j);
    slurm_ends_free(e);
    e = slurm_ends_new(path);
    n = 0;
    slurm_ends_each(e, count, &n);
    assert_int_equal(n, 2);
    slurm_ends_free(e);
    job_free(j);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_log_of_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
