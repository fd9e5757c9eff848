/* The grammar of job names, and which jobs a filter takes. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/base/xalloc.h"
#include "src/cli/jobfilter.h"
#include "src/jobspec/jobtargets.h"

static void refused(void **unused)
{
    (void)unused;
    static const char *const rows[] = {
        "x",       "0",          "-1",          "1x",           "1_",       "1_x",    "1.",
        "1.x",     "1_[",        "1_[]",        "1_[a]",        "1_[1-",    "1_[1]x", "1_[1].",
        "1_[3-1]", "4294967295", "99999999999", "1_4294967295", "1.batchx", "1_2_3",  "1.0.x.y",
        "_1",      "."};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct target_list t = {0};
        struct errtext err = {0};
        check_int(rows[i], targets_add(&t, rows[i], &err), -EINVAL);
        check_has(rows[i], err.s, rows[i]);
        check_int(rows[i], t.list.n, 0);
        target_list_fini(&t);
    }
}

static void accepted(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"1", "1"},
        {"4711", "4711"},
        {"1_0", "1_0"},
        {"1_2", "1_2"},
        {"1_*", "1"},
        {"1.0", "1.0"},
        {"1.batch", "1.batch"},
        {"1.BATCH", "1.batch"},
        {"1.interactive", "1.interactive"},
        {"1_2.3", "1_2.3"},
        {"1_[1-3,5]", "1_1 1_2 1_3 1_5"},
        {"1_[1-9:4%2]", "1_1 1_5 1_9"},
        {"1_[1,2].0", "1_1.0 1_2.0"},
        {"1,2,3", "1 2 3"},
        {"1_[1,3],7", "1_1 1_3 7"},
        {" 1 , 2 ,", "1 2"},
        {"", ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct target_list t = {0};
        struct errtext err = {0};
        struct str s = STR_INIT;
        check_int(rows[i].in, targets_add_list(&t, rows[i].in, &err), 0);
        for (size_t k = 0; k < t.list.n; k++) {
            str_append(&s, k ? " " : "");
            target_append(&s, &t.list.v[k]);
        }
        check_str(rows[i].in, s.s, rows[i].out);
        str_fini(&s);
        target_list_fini(&t);
    }
}

static void too_many(void **unused)
{
    (void)unused;
    struct target_list t = {0};
    struct errtext err = {0};
    check_int("limit + 1", targets_add(&t, "1_[0-1000000]", &err), -E2BIG);
    target_list_fini(&t);
}

static void one_thing(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        int rc;
        uint32_t job, index;
        int32_t step;
        uint32_t task;
    } rows[] = {
        {"5", 0, 5, ARRAY_NONE, STEP_ALL, NOT_GIVEN},
        {"5_3", 0, 5, 3, STEP_ALL, NOT_GIVEN},
        {"5.0", 0, 5, ARRAY_NONE, 0, NOT_GIVEN},
        {"5.batch", 0, 5, ARRAY_NONE, STEP_BATCH, NOT_GIVEN},
        {"5.1.2", 0, 5, ARRAY_NONE, 1, 2},
        {"5_3.1.2", 0, 5, 3, 1, 2},
        {"5_[1-2]", -EINVAL, 0, 0, 0, 0},
        {"5.1.", -EINVAL, 0, 0, 0, 0},
        {"5.1.x", -EINVAL, 0, 0, 0, 0},
        {"5.1.2.3", -EINVAL, 0, 0, 0, 0},
        {"", -EINVAL, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_target t = {0};
        uint32_t task = 0;
        check_int(rows[i].in, target_parse_one(rows[i].in, &t, &task, NULL), rows[i].rc);
        if (rows[i].rc)
            continue;
        check_int(rows[i].in, t.job, rows[i].job);
        check_int(rows[i].in, t.array_index, rows[i].index);
        check_int(rows[i].in, t.step, rows[i].step);
        check_int(rows[i].in, task, rows[i].task);
    }
}

static void states(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        int rc;
        uint32_t mask;
    } rows[] = {
        {"PD", 0, 1u << JOB_PENDING},
        {"pending,r", 0, 1u << JOB_PENDING | 1u << JOB_RUNNING},
        {"Running", 0, 1u << JOB_RUNNING},
        {"all", 0, STATES_ALL},
        {"ALL", 0, STATES_ALL},
        {"CF", 0, 1u << 31},
        {"BOOT_FAIL,CD", 0, 1u << 31 | 1u << JOB_COMPLETED},
        {"oom", 0, 1u << JOB_OUT_OF_MEMORY},
        {"bogus", -EINVAL, 0},
        {"PD,bogus", -EINVAL, 0},
        {"", -EINVAL, 0},
        {",", -EINVAL, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t mask = 0;
        check_int(rows[i].in, filter_parse_states(rows[i].in, &mask, NULL), rows[i].rc);
        check_int(rows[i].in, mask, rows[i].mask);
    }
}

static struct job *sample(void)
{
    struct job *j = job_new();
    struct alloc *a = rec_list_push(&j->alloc);
    j->id = 7;
    j->state = JOB_RUNNING;
    j->user = xstrdup("alice");
    j->uid = 4242;
    j->partition = xstrdup("gpu");
    j->req.partition = xstrdup("gpu,main");
    j->req.name = xstrdup("train");
    j->req.account = xstrdup("vision");
    req_detail_mut(&j->req)->licenses = xstrdup("matlab:2,ansys");
    a->node = xstrdup("n7");
    return j;
}

static void filters(void **unused)
{
    (void)unused;
    static const struct {
        const char *row, *users, *parts, *names, *accounts, *nodes, *licenses;
        uint32_t states;
        bool pending, want;
    } rows[] = {
        {"nothing asked", NULL, NULL, NULL, NULL, NULL, NULL, 0, false, true},
        {"uid", "4242", NULL, NULL, NULL, NULL, NULL, 0, false, true},
        {"no user of the list", "root", NULL, NULL, NULL, NULL, NULL, 0, false, false},
        {"no user known", "no-such-user-here", NULL, NULL, NULL, NULL, NULL, 0, false, false},
        {"partition", NULL, "main,gpu", NULL, NULL, NULL, NULL, 0, false, true},
        {"another one asked for, but it runs", NULL, "main", NULL, NULL, NULL, NULL, 0, false, false},
        {"another one asked for, and it waits", NULL, "main", NULL, NULL, NULL, NULL, 0, true, true},
        {"name", NULL, NULL, "x,train", NULL, NULL, NULL, 0, false, true},
        {"name is whole", NULL, NULL, "trai", NULL, NULL, NULL, 0, false, false},
        {"account", NULL, NULL, NULL, "vision", NULL, NULL, 0, false, true},
        {"node", NULL, NULL, NULL, NULL, "n[1-8]", NULL, 0, false, true},
        {"other node", NULL, NULL, NULL, NULL, "n[1-6]", NULL, 0, false, false},
        {"on no node while it waits", NULL, NULL, NULL, NULL, "n7", NULL, 0, true, false},
        {"licence", NULL, NULL, NULL, NULL, NULL, "matlab", 0, false, true},
        {"other licence", NULL, NULL, NULL, NULL, NULL, "maple", 0, false, false},
        {"state", NULL, NULL, NULL, NULL, NULL, NULL, 1u << JOB_RUNNING, false, true},
        {"other state", NULL, NULL, NULL, NULL, NULL, NULL, 1u << JOB_PENDING, false, false},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_filter f = {.uids = VEC_INIT, .states = rows[i].states};
        struct strv unknown = {0};
        struct job *j = sample();
        j->state = rows[i].pending ? JOB_PENDING : JOB_RUNNING;
        if (rows[i].users)
            filter_set_users(&f, rows[i].users, &unknown);
        filter_set_list(&f.partitions, rows[i].parts ? rows[i].parts : "");
        filter_set_list(&f.names, rows[i].names ? rows[i].names : "");
        filter_set_list(&f.accounts, rows[i].accounts ? rows[i].accounts : "");
        filter_set_list(&f.licenses, rows[i].licenses ? rows[i].licenses : "");
        if (rows[i].nodes)
            check_int(rows[i].row, filter_set_nodes(&f, rows[i].nodes, NULL), 0);
        check_int(rows[i].row, job_filter_takes(&f, j), rows[i].want);
        job_free(j);
        strv_fini(&unknown);
        job_filter_fini(&f);
    }
}

static void finished_jobs_leave_after_min_job_age(void **unused)
{
    (void)unused;
    struct model m;
    struct job *j = sample();
    model_init(&m);
    m.spec.min_job_age_s = 300;
    m.now = (struct wall){.ms = 10000000};
    j->state = JOB_COMPLETED;
    j->t_end = wall_add_s(m.now, -299);
    assert_true(job_is_listed(j, &m));
    j->t_end = wall_add_s(m.now, -300);
    assert_false(job_is_listed(j, &m));
    j->state = JOB_RUNNING;
    assert_true(job_is_listed(j, &m));
    job_free(j);
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(accepted),
        cmocka_unit_test(too_many),
        cmocka_unit_test(one_thing),
        cmocka_unit_test(states),
        cmocka_unit_test(filters),
        cmocka_unit_test(finished_jobs_leave_after_min_job_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
