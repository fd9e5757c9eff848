/* test_limit_sweep.c - limits and licences at many times: the sweep answers as one question for each time.
 */
#include "backend/sched/limits/limits.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/lab.h"

#define S       INT64_C(1000)
#define WORLDS  300
#define RUNNING 6
#define PLANNED 12

static struct lab l;
static struct limits *lim;
static uint64_t random_state = 7;
static int64_t ends[RUNNING + 1]; /* of the running jobs, by id */

static uint32_t below(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

static const char *any_user(void)
{
    static const char *const users[] = {"ann", "bob", "cid"};
    return users[below(3)];
}

static void add_limit(enum limit_scope scope)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = scope, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft); /* LIMIT_NONE everywhere */
    s->hard = s->soft;
    s->hard.gpus = 8 + below(30);
    s->hard.running_jobs = 6 + below(12);
    s->hard.gpu_minutes = below(2) ? 2000 + below(6000) : LIMIT_NONE;
}

static void run_one(uint32_t nth)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->user);
    j->user = xstrdup(any_user());
    uint32_t id = lab_submit(&l, j), gpus = below(3);
    struct ev_start body = {.array_index = ARRAY_NONE, .partition = xstrdup("main"), .time_limit_s = 3600};
    *(struct alloc *)rec_list_push(&body.alloc) = lab_alloc("n1", nth * 3, 1, nth * 3, gpus, 100);
    lab_must(&l, EV_START, id, &body);
    rec_fini(&ev_start_rec, &body);
    ends[id] = l.now.ms + (int64_t)below(100) * S;
}

static struct limit_request any_request(void)
{
    return (struct limit_request){.who = limits_who(lim, &l.m, any_user(), "lab", NULL, "main"),
                                  .jobs = 1,
                                  .gpus = below(4),
                                  .cpus = 1,
                                  .nodes = 1,
                                  .limit_s = below(10) ? 600 + below(6000) : DURATION_UNLIMITED};
}

static int64_t end_of(void *ctx, uint32_t job)
{
    (void)ctx;
    return ends[job];
}

static int64_t any_time(void)
{
    return l.now.ms + (int64_t)below(50) * S;
}

static void begin_world(void)
{
    lab_init(&l);
    lab_node(&l, "n1", 64, 64000, 64, NULL);
    lab_part(&l, "main", "n1");
    add_limit(LIMIT_USER);
    add_limit(LIMIT_ACCOUNT);
    lab_configure(&l);
    for (uint32_t i = 0; i < RUNNING; i++)
        run_one(i);
    lim = limits_new(&l.m);
}

static void end_world(void)
{
    limits_free(lim);
    lim = NULL;
    lab_fini(&l);
}

static void fill(struct limit_sweep *s)
{
    s->end_of = end_of;
    for (uint32_t i = 0; i < PLANNED; i++) {
        struct sweep_use u = {.request = any_request(), .limited = true, .start = any_time()};
        u.end = u.start + (1 + (int64_t)below(30)) * S;
        vec_push(&s->planned, u);
    }
    for (uint32_t i = 0; i < 3; i++) { /* starts of this cycle */
        struct sweep_use u = {.request = any_request(), .limited = true, .end = any_time()};
        limits_charge(lim, &u.request);
        vec_push(&s->gone, u);
    }
    for (size_t i = 0; i < PLANNED; i++)
        vec_push(&s->times, ((struct sweep_time){any_time(), i}));
}

static bool allows_at(const struct limit_sweep *s, const struct limit_request *request, int64_t t)
{
    struct limit_request planned[PLANNED], gone[PLANNED];
    struct limit_future f = {.t = t, .planned = planned, .gone = gone, .end_of = end_of};
    struct limit_verdict v;
    vec_for_each (&s->planned, i)
        if (s->planned.v[i].start <= t && s->planned.v[i].end > t)
            planned[f.n_planned++] = s->planned.v[i].request;
    vec_for_each (&s->gone, i)
        if (s->gone.v[i].end <= t)
            gone[f.n_gone++] = s->gone.v[i].request;
    return limits_allow_at(lim, request, &f, &v);
}

static size_t first_refused(const struct limit_sweep *s, const struct limit_request *request)
{
    size_t first = SIZE_MAX;
    vec_for_each (&s->times, i)
        if (s->times.v[i].nth < first && !allows_at(s, request, s->times.v[i].t))
            first = s->times.v[i].nth;
    return first;
}

static void test_agrees_with_one_time_after_the_other(void **state)
{
    unsigned refused = 0, allowed = 0;
    (void)state;
    for (int world = 0; world < WORLDS; world++) {
        struct limit_sweep s = {.times = VEC_INIT};
        begin_world();
        fill(&s);
        limit_sweep_order(&s);
        struct limit_request request = any_request();
        size_t want = first_refused(&s, &request);
        assert_int_equal(limit_sweep_refused(&s, lim, &request), want);
        refused += want != SIZE_MAX;
        allowed += want == SIZE_MAX;
        limit_sweep_fini(&s);
        end_world();
    }
    assert_true(refused > WORLDS / 20 && allowed > WORLDS / 20);
}

/* Then each of the planned starts is allowed beside the others, at any time of it. */
static void test_all_fit(void **state)
{
    unsigned fit = 0;
    (void)state;
    for (int world = 0; world < WORLDS; world++) {
        struct limit_sweep s = {.times = VEC_INIT};
        begin_world();
        fill(&s);
        s.planned.n = 1 + below(4);
        struct sweep_use last = s.planned.v[s.planned.n - 1];
        const uint32_t *counters;
        bool all = true;
        size_t n = limits_counters(lim, last.request.who, &counters);
        for (size_t i = 0; i < n; i++)
            all = all && limit_sweep_fits(&s, lim, counters[i]);
        s.planned.n--; /* it is asked about */
        for (int64_t t = last.start; t < last.end && all; t += S)
            assert_true(allows_at(&s, &last.request, t));
        fit += all;
        limit_sweep_fini(&s);
        end_world();
    }
    assert_true(fit > WORLDS / 10 && fit < WORLDS);
}

static void add_licences(const char *text, int64_t start, int64_t end, struct licence_list *list,
                         struct limit_sweep *s, bool planned)
{
    licence_list_held(&l.m, text, list);
    struct sweep_use u = {.licences = list, .start = start, .end = end};
    if (planned)
        vec_push(&s->planned, u);
    else
        vec_push(&s->gone, u);
}

/* Four licences: two of them are in use until 10, and two are promised from 20 to 30. */
static void test_licences(void **state)
{
    struct limit_sweep s = {.times = VEC_INIT};
    struct licence_list held, planned, two, three;
    struct licence_use used = {VEC_INIT};
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 64, 64000, 64, NULL);
    lab_part(&l, "main", "n1");
    *rec_list_push(&l.spec.licenses) = (struct license_spec){.name = xstrdup("tool"), .count = 4};
    lab_configure(&l);
    vec_push(&used.used, 2);
    add_licences("tool:2", 0, 10, &held, &s, false);
    add_licences("tool:2", 20, 30, &planned, &s, true);
    licence_list_held(&l.m, "tool:1,tool:1", &two);
    licence_list_held(&l.m, "tool:3", &three);
    static const int64_t times[] = {30, 20, 10, 0};
    for (size_t i = 0; i < 4; i++)
        vec_push(&s.times, ((struct sweep_time){times[i], i}));
    limit_sweep_order(&s);
    assert_int_equal(limit_sweep_licences_refused(&s, &l.m, &used, &two), SIZE_MAX);
    assert_int_equal(limit_sweep_licences_refused(&s, &l.m, &used, &three), 1); /* at 20 before 0 */
    assert_true(limit_sweep_licences_fit(&s, &l.m, &used));
    s.planned.v[0].start = 5;
    used.used.v[0] = 3;
    assert_false(limit_sweep_licences_fit(&s, &l.m, &used));
    licence_fini(&held);
    licence_fini(&planned);
    licence_fini(&two);
    licence_fini(&three);
    licence_use_fini(&used);
    limit_sweep_fini(&s);
    lab_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_one_time_after_the_other),
        cmocka_unit_test(test_all_fit),
        cmocka_unit_test(test_licences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
