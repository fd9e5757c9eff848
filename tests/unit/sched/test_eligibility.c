/* test_eligibility.c - gates by tables: licences, deadlines, reservations, dependencies, and each closed
 * one as a cause of its own. */
#include <errno.h>

#include "backend/sched/explain/why_internal.h"
#include "backend/sched/limits/limits.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/lab.h"
#include "tests/unit/sched/said.h"

static struct lab l;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 64, 64000, 8, NULL);
    lab_part(&l, "main", "n1")->max_time_s = 7200;
    struct part_spec *p = lab_part(&l, "short", "n1");
    p->max_time_s = 600;
    p->default_time_s = 300;
    *(struct license_spec *)rec_list_push(&l.spec.licenses) =
        (struct license_spec){.name = xstrdup("matlab"), .count = 4};
    *(struct license_spec *)rec_list_push(&l.spec.licenses) =
        (struct license_spec){.name = xstrdup("ansys"), .count = 1};
    lab_configure(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static struct job *job_with(char **member, struct job *j, const char *value)
{
    *member = xstrdup(value);
    return j;
}

static struct sched_view view(void)
{
    return (struct sched_view){.model = &l.m};
}

/* --- licences --- */

static void test_licence_requests(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int r;
        const char *says;
        uint32_t matlab, ansys;
    } rows[] = {
        {"matlab", 0, "", 1, 0},
        {"matlab:4", 0, "", 4, 0},
        {"matlab:2,ansys", 0, "", 2, 1},
        {"matlab*3; ansys=1", 0, "", 3, 1},
        {"matlab:1,matlab:2", 0, "", 3, 0},
        {"matlab:0", 0, "", 0, 0},
        {"", 0, "", 0, 0},
        {"matlab:5", -ERANGE, "5 of licence matlab asked, there are 4", 0, 0},
        {"matlab:3,matlab:2", -ERANGE, "5 of licence matlab asked", 0, 0},
        {"gaussian", -ENOENT, "there is no licence gaussian", 0, 0},
        {"Matlab", -ENOENT, "there is no licence Matlab", 0, 0},
        {"matlab:", -EINVAL, "licence matlab", 0, 0},
        {"matlab:-1", -EINVAL, "licence matlab", 0, 0},
        {"matlab:1x", -EINVAL, "licence matlab", 0, 0},
        {"matlab:99999999999999999999", -EINVAL, "licence matlab", 0, 0},
        {":3", -ENOENT, "there is no licence", 0, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct licence_list list = {VEC_INIT};
        struct cause err = {0};
        uint32_t n[2] = {0, 0};
        check_int(rows[i].text, licence_parse(&l.m, rows[i].text, &list, &err), rows[i].r);
        check_has(rows[i].text, said(&err), rows[i].says);
        cause_clear(&err);
        vec_for_each (&list.v, k)
            n[list.v.v[k].spec != &l.m.spec.licenses.v[0]] += list.v.v[k].count;
        check_int(rows[i].text, n[0], rows[i].matlab);
        check_int(rows[i].text, n[1], rows[i].ansys);
        licence_fini(&list);
    }
}

static uint32_t submit_licences(const char *text)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    return lab_submit(&l, job_with(&req_detail_mut(&j->req)->licenses, j, text));
}

static void test_licences_in_use(void **state)
{
    (void)state;
    uint32_t a = submit_licences("matlab:3"), b = submit_licences("matlab:2,ansys"),
             c = submit_licences("matlab");
    struct licence_use u;
    licence_use_init(&u, &l.m);
    assert_true(licence_fits(&u, &l.m, lab_get(&l, b))); /* what waits holds nothing */
    licence_take(&u, &l.m, lab_get(&l, a));
    assert_false(licence_fits(&u, &l.m, lab_get(&l, b)));
    assert_true(licence_fits(&u, &l.m, lab_get(&l, c)));
    licence_book(&u, &l.m, "matlab:3", true);
    assert_true(licence_fits(&u, &l.m, lab_get(&l, b)));
    licence_use_fini(&u);
    assert_int_equal(lab_start(&l, a, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    licence_use_init(&u, &l.m);
    assert_false(licence_fits(&u, &l.m, lab_get(&l, b)));
    licence_use_fini(&u);
    struct cause cause = {0};
    assert_true(licence_explain(&l.m, NULL, lab_get(&l, b), &cause));
    assert_string_equal(said(&cause), "needs 2 of licence matlab, 3 of 4 in use by job 1");
    assert_true(licence_explain(&l.m, NULL, lab_get(&l, c), &cause));
    assert_int_equal(cause.code, CAUSE_NONE);
    /* One that is no longer configured fits nowhere, and is not counted where it runs. */
    for (size_t i = 0; i < l.spec.licenses.n; i++)
        rec_fini(&license_spec_rec, &l.spec.licenses.v[i]);
    l.spec.licenses.n = 0;
    lab_configure(&l);
    licence_use_init(&u, &l.m);
    assert_false(licence_fits(&u, &l.m, lab_get(&l, c)));
    licence_use_fini(&u);
}

/* --- deadlines --- */

static void test_when_a_deadline_is_missed(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.time_limit_s = 600;
    assert_false(deadline_missed(&l.m, j, l.now)); /* it has none */
    req_rare_mut(&j->req)->deadline = wall_add_s(l.now, 1000);
    assert_false(deadline_missed(&l.m, j, wall_add_s(l.now, 400)));
    assert_true(deadline_missed(&l.m, j, wall_add_s(l.now, 401)));
    req_detail_mut(&j->req)->time_min_s = 100;
    assert_false(deadline_missed(&l.m, j, wall_add_s(l.now, 900)));
    assert_true(deadline_missed(&l.m, j, wall_add_s(l.now, 901)));
    req_detail_mut(&j->req)->time_min_s = j->req.time_limit_s = DURATION_NOT_SET;
    assert_true(deadline_missed(&l.m, j, l.now)); /* two hours in main */
    j->req.partition = xstrdup("main,short");
    assert_false(deadline_missed(&l.m, j, l.now)); /* one that lets it end in time is enough */
    j->state = JOB_RUNNING;
    assert_false(deadline_missed(&l.m, j, wall_add_s(l.now, 5000)));
    job_free(j);
}

/* A reload may have left it out by mistake: until it is back only the deadline itself counts. */
static void test_deadline_in_a_partition_that_is_gone(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    req_rare_mut(&j->req)->deadline = wall_add_s(l.now, 1000);
    j->req.time_limit_s = 600;
    j->req.partition = xstrdup("night");
    assert_false(deadline_missed(&l.m, j, wall_add_s(l.now, 999)));
    assert_true(deadline_missed(&l.m, j, wall_add_s(l.now, 1001)));
    free(j->req.partition);
    job_with(&j->req.partition, j, "short,night");
    assert_false(deadline_missed(&l.m, j, wall_add_s(l.now, 999)));
    assert_true(deadline_missed(&l.m, j, wall_add_s(l.now, 1001)));
    job_free(j);
}

/* --time-min below what the partition allows: the job is cut to that. */
static void test_least_time_against_the_longest(void **state)
{
    (void)state;
    static const struct {
        uint32_t limit_s, min_s;
        enum reason want;
        uint32_t gets_s;
    } rows[] = {
        {600, DURATION_NOT_SET, REASON_NONE, 600},
        {601, DURATION_NOT_SET, REASON_PART_TIME, 601},
        {601, 600, REASON_NONE, 600},
        {86400, 60, REASON_NONE, 600},
        {DURATION_UNLIMITED, 60, REASON_NONE, 600},
        {86400, 601, REASON_PART_TIME, 86400},
        {DURATION_NOT_SET, 900, REASON_NONE, 300},
        {500, 60, REASON_NONE, 500},
        {86400, DURATION_UNLIMITED, REASON_PART_TIME, 86400},
    };
    const struct part_spec *part = model_get_part(&l.m, "short");
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct sched_view v = view();
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        char *name = xasprintf("row %zu", i);
        j->req.time_limit_s = rows[i].limit_s;
        req_detail_mut(&j->req)->time_min_s = rows[i].min_s;
        check_int(name, eligibility_in_partition(&v, j, part, NULL), rows[i].want);
        check_int(name, deadline_limit_s(j, part), rows[i].gets_s);
        free(name);
        job_free(j);
    }
}

/* --- all of them as causes --- */

static void set_window(const char *name, int64_t start, int64_t end, const char *users)
{
    struct ev_window body = {.window = {.name = xstrdup(name),
                                        .nodes = strv_split("n1", ","),
                                        .start = wall_add_s(l.now, start),
                                        .end = wall_add_s(l.now, end),
                                        .kind = users ? WINDOW_RESERVATION : WINDOW_MAINTENANCE,
                                        .users = strv_split(users, ",")}};
    lab_must(&l, EV_WINDOW, 0, &body);
}

static void causes_must_be(const char *row, uint32_t id, const char *want)
{
    struct sched_view v = view();
    struct msg_why w = {.job = id};
    struct str b = STR_INIT;
    eligibility_explain(&v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++)
        str_appendf(&b, "%s%s: %s", i ? " | " : "", why_class_name(w.causes.v[i].cls),
                    said(&w.causes.v[i]));
    check_str(row, b.s, want);
    str_fini(&b);
    rec_fini(&msg_why_rec, &w);
}

static void reason_must_be(const char *row, uint32_t id, enum reason want)
{
    struct sched_view v = view();
    struct wall clears = {0};
    enum reason got = eligibility_of_job(&v, lab_get(&l, id), l.now, &clears);
    check_str(row, reason_slurm(got), reason_slurm(want));
}

static void test_reservations(void **state)
{
    (void)state;
    set_window("mine", 100, 1000, "bob,alice");
    set_window("hers", 100, 1000, "eve");
    set_window("fans", 100, 1000, NULL);
    static const struct {
        const char *name;
        enum reason want;
        const char *cause;
    } rows[] = {
        {"mine", REASON_RESERVATION, "WINDOW: its reservation mine begins in"},
        {"hers", REASON_RESERVATION_GONE, "NOT_ALLOWED: reservation hers is not for user alice"},
        {"fans", REASON_RESERVATION_GONE, "NOT_ALLOWED: there is no reservation fans"},
        {"none", REASON_RESERVATION_GONE, "NOT_ALLOWED: there is no reservation none"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        uint32_t id = lab_submit(&l, job_with(&req_rare_mut(&j->req)->reservation, j, rows[i].name));
        reason_must_be(rows[i].name, id, rows[i].want);
        struct sched_view v = view();
        struct msg_why w = {.job = id};
        eligibility_explain(&v, lab_get(&l, id), l.now, &w);
        assert_int_equal(w.causes.n, 1);
        char *got = xasprintf("%s: %s", why_class_name(w.causes.v[0].cls), said(&w.causes.v[0]));
        check_has(rows[i].name, got, rows[i].cause);
        free(got);
        rec_fini(&msg_why_rec, &w);
    }
    l.now = wall_add_s(l.now, 200);
    reason_must_be("it has begun", 1, REASON_NONE);
    l.now = wall_add_s(l.now, 2000);
    reason_must_be("it is over", 1, REASON_RESERVATION_GONE);
}

static void test_each_gate_is_a_cause(void **state)
{
    (void)state;
    uint32_t first = lab_submit_kind(&l, JOB_KIND_BATCH);
    causes_must_be("all are open", first, "");
    assert_int_equal(lab_start(&l, first, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.dependency = xstrdup("afterok:1");
    j->req.time_limit_s = 100 * 3600;
    req_detail_mut(&j->req)->licenses = xstrdup("gaussian");
    j->t_eligible = (struct wall){0};
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    req_detail_mut(&lab_get(&l, id)->req)->begin = wall_add_s(l.now, 7200);
    causes_must_be("closed", id,
                   "HELD: held by alice | "
                   "DEP_WAIT: waits for job 1 (running) to succeed | "
                   "NOT_YET: its earliest start is in 2 h | "
                   "NOT_ALLOWED: time limit 4-04:00:00 asked, partition main allows 2:00:00 | "
                   "NOT_ALLOWED: there is no licence gaussian");
    reason_must_be("the hold is first", id, REASON_HELD_USER);
    assert_int_equal(lab_hold(&l, id, HOLD_NONE), 0);
    assert_false(wall_is_set(lab_get(&l, id)->t_eligible)); /* released, but not eligible */
    reason_must_be("then the dependency", id, REASON_DEPENDENCY);
    assert_int_equal(lab_end(&l, first, STEP_BATCH, 0, END_EXITED, 1, 0), 0);
    reason_must_be("which can die", id, REASON_DEPENDENCY_NEVER);
    lab_get(&l, id)->dep_met = true;
    reason_must_be("then the time", id, REASON_BEGIN_TIME);
}

/* --- who waits for whom --- */

static void touched_must_be(struct dep_index *x, uint32_t id, const char *want)
{
    struct dep_list found = {VEC_INIT};
    struct str b = STR_INIT;
    char row[32];
    snprintf(row, sizeof row, "touched %u", id);
    dep_index_touched(x, &l.m, lab_get(&l, id), &found);
    vec_for_each (&found.v, i)
        str_appendf(&b, "%s%u", i ? " " : "", found.v.v[i]);
    check_str(row, b.s, want);
    str_fini(&b);
    vec_fini(&found.v);
}

static uint32_t submit_dep(const char *name, const char *dependency)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->req.name);
    j->req.name = xstrdup(name);
    return lab_submit(&l, job_with(&j->req.dependency, j, dependency));
}

static void index_all(struct dep_index *x)
{
    list_for_each (j, &l.m.pending, struct job, in_queue)
        dep_index_add(x, &l.m, j);
}

static void test_the_index_of_who_waits(void **state)
{
    (void)state;
    struct dep_index x;
    dep_index_init(&x);
    uint32_t a = submit_dep("a", NULL), b = submit_dep("b", "afterok:1:1"),
             c = submit_dep("a", "singleton"), d = submit_dep("d", "afterany:2,singleton");
    index_all(&x);
    dep_index_add(&x, &l.m, lab_get(&l, b)); /* once more */
    touched_must_be(&x, a, "2 3");
    touched_must_be(&x, b, "4");
    touched_must_be(&x, d, "4");
    assert_true(dep_index_names(&x, &l.m, lab_get(&l, a)));
    assert_false(dep_index_names(&x, &l.m, lab_get(&l, c)));
    struct ev_eligible met = {.dep_met = true};
    lab_must(&l, EV_ELIGIBLE, b, &met); /* it waits for nothing any more: its entries are stale, and go */
    touched_must_be(&x, a, "3");
    assert_false(dep_index_names(&x, &l.m, lab_get(&l, a)));
    lab_must(&l, EV_ELIGIBLE, d, &(struct ev_eligible){.dep_met = true});
    touched_must_be(&x, b, "");
    touched_must_be(&x, d, "4"); /* a singleton always looks */
    struct dep_list due = {VEC_INIT};
    dep_index_remind(&x, c, wall_add_s(l.now, 10));
    dep_index_remind(&x, d, wall_add_s(l.now, 20));
    assert_int_equal(dep_index_due(&x, l.now, &due).ms, wall_add_s(l.now, 10).ms);
    assert_int_equal(dep_index_due(&x, wall_add_s(l.now, 10), &due).ms, wall_add_s(l.now, 20).ms);
    assert_int_equal(due.v.n, 1);
    assert_int_equal(due.v.v[0], c);
    assert_false(wall_is_set(dep_index_due(&x, wall_add_s(l.now, 30), &due)));
    vec_fini(&due.v);
    dep_index_fini(&x);
}

/* Elements 0 ... n-1; returns the array's id. */
static uint32_t submit_array(uint32_t n)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    uint32_t id = l.m.next_job;
    *(struct index_range *)rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = 0, .last = n - 1, .step = 1};
    j->array_job = id;
    job_origin_mut(j)->array_count = n;
    job_origin_mut(j)->array_max = n - 1;
    job_origin_mut(j)->array_step = 1;
    assert_int_equal(lab_submit(&l, j), id);
    return id;
}

/* Thousands of elements must not mean thousands of looks at each of thousands that wait for the array. */
static void test_who_waits_for_an_array_is_looked_at_when_it_tells(void **state)
{
    (void)state;
    struct dep_index x;
    dep_index_init(&x);
    uint32_t a = submit_array(3), last = a, el[3];
    char text[32];
    uint32_t whole = submit_dep("w", "afterany:1"), one = submit_dep("e", "afterok:1_1"),
             each = submit_dep("c", "aftercorr:1");
    index_all(&x);
    assert_true(dep_index_names(&x, &l.m, lab_get(&l, a)));
    for (uint32_t i = 0; i < 3; i++) {
        el[i] = i < 2 ? l.m.next_job : last;
        assert_int_equal(lab_start(&l, a, i, i < 2 ? el[i] : 0, lab_alloc("n1", i, 1, 0, 0, 100)), 0);
        if (i < 2)
            touched_must_be(&x, a, ""); /* some are still to start: nothing new for anybody */
        text[0] = '\0';
        if (i == 1)
            snprintf(text, sizeof text, "%u", one);
        if (i < 2)
            touched_must_be(&x, el[i], text);
    }
    snprintf(text, sizeof text, "%u", whole);
    touched_must_be(&x, el[2], text); /* all have started */
    touched_must_be(&x, el[2], "");
    assert_int_equal(lab_end(&l, el[0], STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    snprintf(text, sizeof text, "%u", each);
    touched_must_be(&x, el[0], text);
    assert_int_equal(lab_end(&l, el[1], STEP_BATCH, 0, END_EXITED, 1, 0), 0);
    snprintf(text, sizeof text, "%u %u %u", whole, one, each); /* the first that fails */
    touched_must_be(&x, el[1], text);
    assert_int_equal(lab_end(&l, el[2], STEP_BATCH, 0, END_EXITED, 1, 0), 0);
    snprintf(text, sizeof text, "%u %u %u", whole, each, one); /* all have ended: the record too */
    struct dep_list found = {VEC_INIT};
    dep_index_touched(&x, &l.m, lab_get(&l, el[2]), &found);
    bool told = false;
    vec_for_each (&found.v, i)
        told = told || found.v.v[i] == whole;
    assert_true(told);
    vec_fini(&found.v);
    dep_index_fini(&x);
}

/* What is cancelled before any of it has started ends for all that wait for some of it. */
static void test_a_cancelled_array_tells_all(void **state)
{
    (void)state;
    struct dep_index x;
    dep_index_init(&x);
    uint32_t a = submit_array(5);
    submit_dep("e", "afterok:1_3");
    index_all(&x);
    assert_int_equal(lab_kill(&l, a, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    touched_must_be(&x, a, "2");
    dep_index_fini(&x);
}

/* Of thousands of one name only the first can go: the others are not asked. */
static void test_of_one_name_the_first_is_looked_at(void **state)
{
    (void)state;
    struct dep_index x;
    struct dep_list found = {VEC_INIT};
    dep_index_init(&x);
    uint32_t a = submit_dep("s", NULL), b = submit_dep("s", "singleton"), c = submit_dep("s", "singleton"),
             d = submit_dep("s", "singleton");
    assert_true(dep_index_add(&x, &l.m, lab_get(&l, b)));
    assert_false(dep_index_add(&x, &l.m, lab_get(&l, c)));
    assert_false(dep_index_add(&x, &l.m, lab_get(&l, d)));
    touched_must_be(&x, a, "2");
    lab_must(&l, EV_ELIGIBLE, b, &(struct ev_eligible){.dep_met = true});
    touched_must_be(&x, a, "2 3"); /* one that was met has been queued again, say */
    assert_int_equal(lab_kill(&l, b, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    touched_must_be(&x, b, "3");
    dep_index_add(&x, &l.m, lab_get(&l, d));
    dep_index_add(&x, &l.m, lab_get(&l, c)); /* again, and in another order: each stands there once */
    touched_must_be(&x, a, "3");
    dep_index_renamed(&x, &l.m, lab_get(&l, a)->uid, "s", &found);
    assert_int_equal(found.v.n, 1);
    assert_int_equal(found.v.v[0], c);
    vec_fini(&found.v);
    dep_index_fini(&x);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_licence_requests),
        TEST(test_licences_in_use),
        TEST(test_when_a_deadline_is_missed),
        TEST(test_deadline_in_a_partition_that_is_gone),
        TEST(test_least_time_against_the_longest),
        TEST(test_reservations),
        TEST(test_each_gate_is_a_cause),
        TEST(test_the_index_of_who_waits),
        TEST(test_who_waits_for_an_array_is_looked_at_when_it_tells),
        TEST(test_a_cancelled_array_tells_all),
        TEST(test_of_one_name_the_first_is_looked_at),
    };
    return cmocka_run_group_tests_name("gates", tests, NULL, NULL);
}
