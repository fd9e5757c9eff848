/* Shares and priorities. The rows of sshare are made by its manual (tests/slurm/fixtures/constructed);
 * those of sprio are as Slurm 22.05 has printed them, with weights by its manual. */
#include "backend/slurm/usage/slurm_usage.h"

#include <errno.h>

#include "tests/unit/slurm/fixture.h"

static void test_shares(void **state)
{
    (void)state;
    struct slurm_span text = fixture_read("../constructed/sshare");
    struct msg_shares_rows rows = {0};
    assert_int_equal(slurm_usage_read_shares(&text, &rows, NULL), 0);
    free((void *)(uintptr_t)text.p);
    static const struct {
        const char *account, *user, *parent;
        uint32_t level, shares;
        double effective, factor, level_fs, hours;
    } want[] = {
        {"root", NULL, NULL, 0, 1, 1, 0, 0, 20},
        {"root", "root", "root", 1, 1, 0, 1, -1, 0},
        {"lab", NULL, "root", 1, 2, 1, 0, 0.666667, 20},
        {"vision", NULL, "lab", 2, 1, 0.833333, 0, 0.6, 19},
        {"vision", "ann", "vision", 3, 1, 0.7, 0.25, 0.714286, 10},
        {"vision", "bob", "vision", 3, 1, 0.3, 0.5, 1.666667, 9},
        {"sound", NULL, "lab", 2, 1, 0.166667, 0, 3, 1},
    };
    assert_int_equal(rows.rows.n, N_OF(want));
    for (size_t i = 0; i < N_OF(want); i++) {
        const struct share_row *r = &rows.rows.v[i];
        check_str("account", r->account, want[i].account);
        check_str("user", r->user, want[i].user);
        check_str("parent", r->parent, want[i].parent);
        assert_int_equal(r->level, want[i].level);
        assert_int_equal(r->raw_shares, want[i].shares);
        assert_float_equal(r->effective_usage, want[i].effective, 1e-6);
        assert_float_equal(r->fairshare, want[i].factor, 1e-6);
        assert_float_equal(r->level_fs, want[i].level_fs, 1e-6);
        assert_float_equal(r->gpu_hours, want[i].hours, 1e-6);
    }
    rec_fini(&msg_shares_rows_rec, &rows);
}

static void test_shares_of_another_form(void **state)
{
    (void)state;
    static const char *const texts[] = {"root|root\n", "a|b|c|d|e|f|g|h|i|j|k\n"};
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct slurm_span text = {texts[i], strlen(texts[i])};
        struct msg_shares_rows rows = {0};
        struct errtext err;
        assert_int_equal(slurm_usage_read_shares(&text, &rows, &err), -EBADMSG);
        rec_fini(&msg_shares_rows_rec, &rows);
    }
    struct slurm_span empty = {"", 0};
    struct msg_shares_rows none = {0};
    assert_int_equal(slurm_usage_read_shares(&empty, &none, NULL), 0);
    assert_int_equal(none.rows.n, 0);
}

static void test_priorities(void **state)
{
    (void)state;
    static const char text[] =
        "8|root|big|19|0|0|19|0|0|0|0||0.0000000|0.0000000|0.0194225|0.0000000|0.0000000\n"
        "12_[1-9]|ann|main|1310|250|1000|19|10|20|-5|6|cpu=3,mem=2,gres/gpu=5|0.25|0.5|0.0194|0.1|0.2\n"
        "not a row\n";
    struct slurm_span answer = {text, sizeof text - 1};
    struct slurm_mirror *mirror = slurm_mirror_new(NULL, NULL);
    struct msg_prio_rows rows = {0};
    slurm_usage_read_prio(&answer, slurm_mirror_model(mirror), &rows);
    assert_int_equal(rows.rows.n, 2);
    const struct prio_row *r = &rows.rows.v[1];
    assert_int_equal(rows.rows.v[0].parts.job_size_points, 19);
    assert_int_equal(r->job, 12);
    assert_string_equal(r->user, "ann");
    assert_string_equal(r->partition, "main");
    assert_int_equal(r->parts.total, 1310);
    assert_int_equal(r->parts.age_points, 250);
    assert_int_equal(r->parts.fairshare_points, 1000);
    assert_int_equal(r->parts.partition_points, 10);
    assert_int_equal(r->parts.qos_points, 20);
    assert_int_equal(r->parts.nice, -5);
    assert_int_equal(r->parts.admin, 6);
    assert_int_equal(r->parts.cpu_points + r->parts.mem_points + r->parts.gpu_points, 10);
    assert_float_equal(r->parts.fairshare, 0.5, 1e-9);
    rec_fini(&msg_prio_rows_rec, &rows);
    slurm_mirror_free(mirror);
}

/* The why page drew no part of a priority: it leaves out those that count nothing. */
static void test_weights(void **state)
{
    (void)state;
    static const char text[] = "ClusterName             = bench\n"
                               "PriorityWeightAge       = 1000\n"
                               "PriorityWeightFairShare = 10000\n"
                               "PriorityWeightQOS       = 0\n"
                               "PriorityWeightTRES      = CPU=20,Mem=30,GRES/gpu=40\n";
    struct slurm_span config = {text, sizeof text - 1};
    struct slurm_mirror *mirror = slurm_mirror_new(NULL, NULL);
    assert_int_equal(slurm_mirror_take_config(mirror, &config, NULL), 1);
    const struct priority_spec *w = slurm_mirror_weights(mirror);
    assert_int_equal(w->weight_age, 1000);
    assert_int_equal(w->weight_fairshare, 10000);
    assert_int_equal(w->weight_job_size, 0);
    assert_int_equal(w->weight_qos, 0);
    assert_int_equal(w->weight_cpu, 20);
    assert_int_equal(w->weight_mem, 30);
    assert_int_equal(w->weight_gpu, 40);
    slurm_mirror_free(mirror);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_shares_of_another_form),
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
