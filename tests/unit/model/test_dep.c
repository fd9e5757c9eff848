/* test_dep.c - dependencies: the grammar, and when each kind is met, by hand-worked tables. */
#include <errno.h>

#include "src/base/xalloc.h"
#include "src/model/dep.h"
#include "tests/lib/lab.h"

static struct lab l;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 64, 64000, 0, NULL);
    lab_part(&l, "main", "n1");
    lab_configure(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

/* --- the grammar --- */

static void test_what_cannot_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"afterok", "names no job"},
        {"afterok:", "job id is missing"},
        {"afterok:x", "job id is missing"},
        {"afterok:0", "no job 0"},
        {"afterok:12:", "job id is missing"},
        {"afterok:12x", "not understood"},
        {"afterok:12_", "index is missing"},
        {"afterok:12+5", "only after"},
        {"after:12+", "minutes are missing"},
        {"after:12+99999999999", "too large"},
        {"afterok:99999999999", "too large"},
        {"sometime:12", "known are"},
        {"expand:12", "not supported"},
        {"afterburstbuffer:12", "not supported"},
        {"singleton:12", "names no job"},
        {"afterok:1,", "missing here"},
        {",afterok:1", "missing here"},
        {"afterok:1,,afterok:2", "missing here"},
        {"afterok:1?afterok:2,afterok:3", "not both"},
        {"afterok:1;afterok:2", "not understood"},
        {"afterok: 1", "job id is missing"},
        {"-1", "known are"},
        {"averyveryveryveryverylongwordthatisnokindofdependency:1", "no such kind"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct deps d = {.n = 7};
        struct errtext err = {""};
        check_int(rows[i].text, dep_parse(rows[i].text, &d, &err), -EINVAL);
        check_has(rows[i].text, err.s, rows[i].says);
        check_int(rows[i].text, d.n, 7);
    }
}

static void test_what_can_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *back;
        size_t n;
        bool any;
    } rows[] = {
        {"", "", 0, false},
        {"12", "afterany:12", 1, false},
        {"12_7", "afterany:12_7", 1, false},
        {"12:13", "afterany:12,afterany:13", 2, false},
        {"AfterOK:12", "afterok:12", 1, false},
        {"after:12+5", "after:12+5", 1, false},
        {"after:12+5:13:14+1", "after:12+5,after:13,after:14+1", 3, false},
        {"afterok:1_4,singleton", "afterok:1_4,singleton", 2, false},
        {"afterok:1?afternotok:2", "afterok:1?afternotok:2", 2, true},
        {"aftercorr:4294967294", "aftercorr:4294967294", 1, false},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct deps d;
        struct errtext err = {""};
        struct str back = STR_INIT;
        if (dep_parse(rows[i].text, &d, &err) < 0)
            fail_msg("[%s] %s", rows[i].text, err.s);
        dep_format(&d, &back);
        check_str(rows[i].text, back.s, rows[i].back);
        check_int(rows[i].text, d.n, rows[i].n);
        check_int(rows[i].text, d.any, rows[i].any);
        deps_fini(&d);
        str_fini(&back);
    }
}

/* --- when they are met --- */

static uint32_t submit(const char *dependency)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.dependency = xstrdup(dependency);
    return lab_submit(&l, j);
}

static uint32_t submit_named(const char *name, const char *dependency)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->req.name);
    j->req.name = xstrdup(name);
    j->req.dependency = xstrdup(dependency);
    return lab_submit(&l, j);
}

static uint32_t submit_array(uint32_t last, const char *dependency)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    struct index_range *r = rec_list_push(&job_rare_mut(j)->array_pending);
    *r = (struct index_range){.first = 0, .last = last, .step = 1};
    job_origin_mut(j)->array_count = last + 1;
    job_origin_mut(j)->array_max = last;
    job_origin_mut(j)->array_step = 1;
    j->req.dependency = xstrdup(dependency);
    return lab_submit(&l, j);
}

static unsigned next_cpu;

static void start(uint32_t id)
{
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", next_cpu++, 1, 0, 0, 1)), 0);
}

/* Returns the element's own id. */
static uint32_t start_element(uint32_t id, uint32_t index)
{
    uint32_t new_id = job_pending_elements(lab_get(&l, id)) > 1 ? l.m.next_job : 0;
    assert_int_equal(lab_start(&l, id, index, new_id, lab_alloc("n1", next_cpu++, 1, 0, 0, 1)), 0);
    return new_id ? new_id : id;
}

static void end(uint32_t id, int32_t code)
{
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, code, 0), 0);
}

static enum dep_state state_of(uint32_t id, uint32_t index)
{
    return dep_job_state(&l.m, lab_get(&l, id), index, l.now, NULL);
}

enum at { WAITS, RUNS, SUCCEEDED, FAILED, CANCELLED, N_AT };

static uint32_t job_at(enum at at)
{
    uint32_t id = submit(NULL);
    if (at == CANCELLED)
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    if (at == WAITS || at == CANCELLED)
        return id;
    start(id);
    if (at != RUNS)
        end(id, at == FAILED);
    return id;
}

static void test_each_kind_in_each_state(void **state)
{
    (void)state;
    static const char *const names[N_AT] = {"waiting", "running", "succeeded", "failed", "cancelled"};
    static const struct {
        const char *kind;
        enum dep_state want[N_AT];
    } rows[] = {
        {"after", {DEP_WAIT, DEP_MET, DEP_MET, DEP_MET, DEP_MET}},
        {"afterany", {DEP_WAIT, DEP_WAIT, DEP_MET, DEP_MET, DEP_MET}},
        {"afterok", {DEP_WAIT, DEP_WAIT, DEP_MET, DEP_NEVER, DEP_NEVER}},
        {"aftercorr", {DEP_WAIT, DEP_WAIT, DEP_MET, DEP_NEVER, DEP_NEVER}},
        {"afternotok", {DEP_WAIT, DEP_WAIT, DEP_NEVER, DEP_MET, DEP_MET}},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        for (enum at at = 0; at < N_AT; at++) {
            char text[64], row[64];
            next_cpu = 0;
            tear_down(NULL);
            set_up(NULL);
            snprintf(text, sizeof text, "%s:%u", rows[i].kind, job_at(at));
            snprintf(row, sizeof row, "%s a %s job", rows[i].kind, names[at]);
            check_int(row, state_of(submit(text), ARRAY_NONE), rows[i].want[at]);
        }
}

static void test_lists(void **state)
{
    (void)state;
    /* 1 waits, 2 runs, 3 succeeded, 4 failed */
    for (enum at at = WAITS; at <= FAILED; at++)
        job_at(at);
    static const struct {
        const char *text;
        enum dep_state want;
    } rows[] = {
        {"afterok:3:3", DEP_MET},
        {"afterok:3,afterany:4", DEP_MET},
        {"afterok:3:1", DEP_WAIT},
        {"afterok:4:1", DEP_NEVER},
        {"afterok:4?afterok:1", DEP_WAIT},
        {"afterok:4?afterok:3", DEP_MET},
        {"afterok:4?afternotok:3", DEP_NEVER},
        {"afterok:1?afterok:2", DEP_WAIT},
        {"afterany:99", DEP_NEVER}, /* no such job has ever existed */
        {"afterany:99?afterok:3", DEP_MET},
        {"afterok:3_1", DEP_NEVER}, /* no array */
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].text, state_of(submit(rows[i].text), ARRAY_NONE), rows[i].want);
}

static void test_after_so_many_minutes(void **state)
{
    (void)state;
    uint32_t first = submit(NULL);
    uint32_t id = submit("after:1+10");
    struct wall clears = {0}, begun;
    const struct job *j = lab_get(&l, id);
    assert_int_equal(dep_job_state(&l.m, j, ARRAY_NONE, l.now, &clears), DEP_WAIT);
    assert_false(wall_is_set(clears));
    start(first);
    begun = lab_get(&l, first)->t_start;
    assert_int_equal(dep_job_state(&l.m, j, ARRAY_NONE, wall_add_s(begun, 599), &clears), DEP_WAIT);
    assert_int_equal(clears.ms, wall_add_s(begun, 600).ms);
    assert_int_equal(dep_job_state(&l.m, j, ARRAY_NONE, wall_add_s(begun, 600), NULL), DEP_MET);
}

static void test_a_whole_array(void **state)
{
    (void)state;
    uint32_t a = submit_array(2, NULL), any = submit("afterany:1"), ok = submit("afterok:1"),
             not_ok = submit("afternotok:1"), begun = submit("after:1");
    uint32_t e0 = start_element(a, 0), e1 = start_element(a, 1);
    end(e0, 0);
    assert_int_equal(state_of(any, ARRAY_NONE), DEP_WAIT);
    assert_int_equal(state_of(begun, ARRAY_NONE), DEP_WAIT);
    uint32_t e2 = start_element(a, 2);
    assert_int_equal(e2, a); /* the last one keeps the array's id */
    assert_int_equal(state_of(begun, ARRAY_NONE), DEP_MET);
    end(e1, 3);
    assert_int_equal(state_of(ok, ARRAY_NONE), DEP_NEVER); /* known before the rest has ended */
    assert_int_equal(state_of(not_ok, ARRAY_NONE), DEP_WAIT);
    end(e2, 0);
    assert_int_equal(state_of(any, ARRAY_NONE), DEP_MET);
    assert_int_equal(state_of(ok, ARRAY_NONE), DEP_NEVER);
    assert_int_equal(state_of(not_ok, ARRAY_NONE), DEP_MET);
}

static void retire(uint32_t id)
{
    struct ev_none none = {0};
    lab_must(&l, EV_RETIRE, id, &none);
}

static void test_elements_that_have_been_retired(void **state)
{
    (void)state;
    uint32_t a = submit_array(4, NULL);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t e = start_element(a, k);
        end(e, k == 1 || k == 2);
        retire(e);
    }
    const struct job *array = lab_get(&l, a);
    assert_int_equal(job_rare(array)->array_failed.n, 1); /* 1-2 */
    static const struct {
        const char *text;
        enum dep_state want;
    } rows[] = {
        {"afterok:1_0", DEP_MET},  {"afterok:1_1", DEP_NEVER}, {"afternotok:1_2", DEP_MET},
        {"afterany:1_3", DEP_MET}, {"afterok:1_4", DEP_WAIT},  {"afterok:1_5", DEP_NEVER},
        {"afterok:1", DEP_NEVER},  {"afterany:1", DEP_WAIT},   {"afternotok:1", DEP_WAIT},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].text, state_of(submit(rows[i].text), ARRAY_NONE), rows[i].want);
    end(start_element(a, 4), 0);
    assert_int_equal(state_of(submit("afternotok:1"), ARRAY_NONE), DEP_MET);
}

static void test_element_by_element(void **state)
{
    (void)state;
    uint32_t a = submit_array(3, NULL), b = submit_array(3, "aftercorr:1");
    assert_int_equal(state_of(b, ARRAY_NONE), DEP_WAIT);
    uint32_t e0 = start_element(a, 0), e1 = start_element(a, 1);
    end(e1, 0);
    assert_int_equal(state_of(b, ARRAY_NONE), DEP_MET); /* one of them may go */
    assert_int_equal(state_of(b, 0), DEP_WAIT);
    assert_int_equal(state_of(b, 1), DEP_MET);
    assert_int_equal(state_of(b, 3), DEP_WAIT);
    struct deps d;
    assert_int_equal(dep_parse("aftercorr:1", &d, NULL), 0);
    assert_false(dep_is_final(&l.m, lab_get(&l, b), &d));
    deps_fini(&d);
    end(start_element(b, 1), 0);
    assert_int_equal(state_of(b, ARRAY_NONE), DEP_WAIT);
    end(e0, 1);
    assert_int_equal(state_of(b, 0), DEP_NEVER);
    assert_int_equal(state_of(b, ARRAY_NONE), DEP_WAIT); /* 2 and 3 still may */
    end(start_element(a, 2), 9);
    end(start_element(a, 3), 9);
    assert_int_equal(state_of(b, ARRAY_NONE), DEP_NEVER);
}

static void test_one_singleton_at_a_time(void **state)
{
    (void)state;
    uint32_t plain = submit_named("sim", NULL), first = submit_named("sim", "singleton"),
             second = submit_named("sim", "singleton"), other = submit_named("other", "singleton");
    assert_int_equal(state_of(other, ARRAY_NONE), DEP_MET);
    assert_int_equal(state_of(first, ARRAY_NONE), DEP_WAIT); /* the one before waits, with that name */
    start(plain);
    assert_int_equal(state_of(first, ARRAY_NONE), DEP_WAIT);
    end(plain, 1);
    assert_int_equal(state_of(first, ARRAY_NONE), DEP_MET);
    assert_int_equal(state_of(second, ARRAY_NONE), DEP_WAIT);
    struct ev_eligible met = {.dep_met = true};
    lab_must(&l, EV_ELIGIBLE, second, &met); /* even where it was met once: one runs at a time */
    start(first);
    assert_int_equal(state_of(second, ARRAY_NONE), DEP_WAIT);
    end(first, 0);
    assert_int_equal(state_of(second, ARRAY_NONE), DEP_MET);
    assert_true(dep_is_singleton(lab_get(&l, second)));
    assert_false(dep_is_singleton(lab_get(&l, plain)));
}

static void test_what_was_met_stays_met(void **state)
{
    (void)state;
    uint32_t a = job_at(SUCCEEDED), id = submit("afterok:1");
    struct ev_eligible met = {.dep_met = true};
    lab_must(&l, EV_ELIGIBLE, id, &met);
    assert_int_equal(lab_get(&l, id)->t_eligible.ms, l.now.ms);
    assert_int_equal(lab_requeue(&l, a, false), 0);
    assert_int_equal(state_of(id, ARRAY_NONE), DEP_MET);
    /* Other dependencies are other dependencies. */
    struct ev_update other = {.time_limit_s = 60};
    rec_copy(&job_req_rec, &other.req, &lab_get(&l, id)->req);
    free(other.req.dependency);
    other.req.dependency = xstrdup("afterany:1");
    lab_must(&l, EV_UPDATE, id, &other);
    assert_int_equal(state_of(id, ARRAY_NONE), DEP_WAIT);
    assert_false(wall_is_set(lab_get(&l, id)->t_eligible));
}

static void test_eligible_is_not_before_its_begin(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    struct ev_eligible body = {.dep_met = true};
    req_detail_mut(&j->req)->begin = wall_add_s(l.now, 3600);
    uint32_t id = lab_submit(&l, j);
    lab_must(&l, EV_ELIGIBLE, id, &body);
    assert_int_equal(lab_get(&l, id)->t_eligible.ms, req_detail(&lab_get(&l, id)->req)->begin.ms);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_cannot_be_read),
        cmocka_unit_test(test_what_can_be_read),
        TEST(test_each_kind_in_each_state),
        TEST(test_lists),
        TEST(test_after_so_many_minutes),
        TEST(test_a_whole_array),
        TEST(test_elements_that_have_been_retired),
        TEST(test_element_by_element),
        TEST(test_one_singleton_at_a_time),
        TEST(test_what_was_met_stays_met),
        TEST(test_eligible_is_not_before_its_begin),
    };
    return cmocka_run_group_tests_name("dep", tests, NULL, NULL);
}
