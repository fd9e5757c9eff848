/* test_forecast.c - when the queue will start, worked by hand. The cluster, where a test does not make its
 * own:
 *
 *     n1 n2    4 CPUs   8000 MiB  2 GPUs      partition main (the default)
 *     n3       8 CPUs  16000 MiB              partition big
 *                                             partition all: n1 n2 n3
 *
 * Times are minutes after the cycle.
 */
#include "backend/sched/explain/explain.h"

#include "src/answers/answer_plan.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/lab_cycle.h"

#define MIN_MS 60000
#define BEYOND (-1)
#define NONE   (-2)
#define ROWS   10

static struct lab l;
static struct planner *planner;

static void begin_lab(void)
{
    lab_init(&l);
    l.spec.window_s = 24 * 3600;
    l.spec.priority.max_age_s = 3600;
    planner = planner_new();
}

static void end_lab(void)
{
    planner_free(planner);
    lab_fini(&l);
}

static int set_up(void **state)
{
    (void)state;
    begin_lab();
    lab_node(&l, "n1", 4, 8000, 2, NULL);
    lab_node(&l, "n2", 4, 8000, 2, NULL);
    lab_node(&l, "n3", 8, 16000, 0, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_part(&l, "big", "n3");
    lab_part(&l, "all", "n[1-3]");
    lab_configure(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    end_lab();
    return 0;
}

/* --- jobs by short names --- */

static void set_number(struct job *j, const char *key, uint32_t n)
{
    struct job_req *r = &j->req;
    const struct {
        const char *key;
        uint32_t *at;
    } counts[] = {{"N", &r->nodes_min},
                  {"n", &r->ntasks},
                  {"c", &r->cpus_per_task},
                  {"gn", &r->gpus_per_node},
                  {"g", &r->gpus}};
    for (size_t i = 0; i < N_OF(counts); i++)
        if (strcmp(key, counts[i].key) == 0)
            *counts[i].at = n;
    if (strcmp(key, "M") == 0)
        r->mem_node_mib = n;
    if (strcmp(key, "T") == 0)
        r->time_limit_s = n * 60;
    if (strcmp(key, "D") == 0)
        req_rare_mut(r)->deadline = wall_add_s(l.now, n * 60);
    if (strcmp(key, "A") == 0)
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, n - 1, 1};
    if (strcmp(key, "throttle") == 0)
        r->array_throttle = n;
    if (strcmp(key, "prio") == 0) {
        req_detail_mut(r)->has_priority = true;
        req_detail_mut(r)->priority = n;
    }
}

/* "p=big c=4 T=10 exclusive= u=bob" */
static struct job *job_of(const char *text)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    struct strv words = strv_split(text, " ");
    for (size_t i = 0; i < words.n; i++) {
        char *value = strchr(words.v[i], '=');
        assert_non_null(value);
        *value++ = '\0';
        if (strcmp(words.v[i], "p") == 0)
            j->req.partition = xstrdup(value);
        else if (strcmp(words.v[i], "r") == 0)
            req_rare_mut(&j->req)->reservation = xstrdup(value);
        else if (strcmp(words.v[i], "w") == 0)
            req_rare_mut(&j->req)->nodelist = xstrdup(value);
        else if (strcmp(words.v[i], "L") == 0)
            req_detail_mut(&j->req)->licenses = xstrdup(value);
        else if (strcmp(words.v[i], "exclusive") == 0)
            req_detail_mut(&j->req)->exclusive = true;
        else if (strcmp(words.v[i], "O") == 0)
            req_detail_mut(&j->req)->overcommit = true;
        else if (strcmp(words.v[i], "b") == 0)
            req_detail_mut(&j->req)->begin = wall_add_s(l.now, 60 * strtoll(value, NULL, 10));
        else if (strcmp(words.v[i], "u") == 0)
            j->user = (free(j->user), xstrdup(value));
        else
            set_number(j, words.v[i], (uint32_t)strtoul(value, NULL, 10));
    }
    strv_fini(&words);
    if (strcmp(j->user, "bob") == 0)
        j->uid = 1001;
    return j;
}

static uint32_t submit(const char *text)
{
    return lab_submit(&l, job_of(text));
}

static size_t run_cycle(void)
{
    struct sched_result r;
    size_t n = lab_cycle(&l, planner, &r);
    sched_result_fini(&r);
    return n;
}

static void forecast(uint32_t slice)
{
    struct sched_view v = lab_view(&l);
    forecast_begin(planner_forecaster(planner), &v, l.now);
    while (!forecast_step(planner_forecaster(planner), &v, slice))
        ;
}

/* In minutes from t on. */
static int minute_of(uint32_t id, struct wall t)
{
    const struct job *j = lab_get(&l, id);
    struct forecast f = forecast_of(planner_forecaster(planner), id);
    if (j->state == JOB_RUNNING)
        return 0;
    if (f.kind == FORECAST_NONE)
        return NONE;
    return f.kind == FORECAST_BEYOND ? BEYOND : (int)((f.start.ms - t.ms + MIN_MS / 2) / MIN_MS);
}

/* --- by hand --- */

struct forecast_row {
    const char *name;
    void (*make)(void); /* before the jobs come; NULL: nothing */
    struct {
        const char *job;
        int want;
    } rows[ROWS];
};

static void set_window(const char *nodes, int from_min, int to_min, const char *users)
{
    struct ev_window body = {.window = {.name = xstrdup("w"),
                                        .nodes = strv_split(nodes, ","),
                                        .start = wall_add_s(l.now, from_min * 60),
                                        .end = wall_add_s(l.now, to_min * 60),
                                        .kind = users ? WINDOW_RESERVATION : WINDOW_MAINTENANCE,
                                        .users = strv_split(users, ",")}};
    lab_must(&l, EV_WINDOW, 0, &body);
}

static void make_short(void)
{
    l.spec.window_s = 3600;
    lab_configure(&l);
}

static struct limit_set *limits_of_users(bool soft)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    const struct limit_set none = {LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE,
                                   LIMIT_NONE, LIMIT_NONE, LIMIT_NONE, LIMIT_NONE};
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*"), .soft = none, .hard = none};
    return soft ? &s->soft : &s->hard;
}

static void make_hard_limit(void)
{
    limits_of_users(false)->gpus = 1;
    lab_configure(&l);
}

static void make_licences(void)
{
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 2};
    lab_configure(&l);
}

static void make_soft_limit(void)
{
    limits_of_users(true)->cpus = 8;
    lab_configure(&l);
}

static void make_maintenance(void)
{
    set_window("n3", 16, 30, NULL);
}

static void make_reservation(void)
{
    set_window("n3", 0, 60, "alice");
}

static void make_drained(void)
{
    struct ev_drain body = {.node = xstrdup("n1"), .drain = true, .reason = xstrdup("fan")};
    lab_must(&l, EV_DRAIN, 0, &body);
}

static const struct forecast_row rows[] = {
    {"one after the other",
     NULL,
     {{"p=big c=8 T=10", 0}, {"p=big c=8 T=20", 10}, {"p=big c=8 T=5", 30}, {"p=big c=1 T=1", 35}}},
    {"in the gaps, where no job is delayed",
     NULL,
     {{"p=big c=6 T=10", 0},
      {"p=big c=4 T=10", 10},
      {"p=big c=2 T=10", 0},
      {"p=big c=2 T=10", 10},
      {"p=big c=2 T=10", 10},
      {"p=big c=2 T=3", 20}}},
    {"two nodes",
     NULL,
     {{"c=4 T=10", 0}, {"c=4 T=20", 0}, {"N=2 T=5", 20}, {"c=4 T=5", 10}, {"c=4 T=10", 25}}},
    {"at a time ahead, behind all that wait now, by that time",
     NULL,
     {{"p=big c=8 T=60", 0},
      {"p=big c=8 T=25 b=100", 100},
      {"p=big c=8 T=10 b=30", 80},
      {"p=big c=8 T=10 b=120", 125},
      {"p=big c=1 T=1 b=85", 90},
      {"p=big c=8 T=20", 60},
      {"c=1 T=5 b=40", 40},
      {"c=1 T=5 b=2000", BEYOND}}},
    {"GPUs",
     NULL,
     {{"g=2 T=10", 0},
      {"g=2 T=30", 0},
      {"g=1 T=10", 10},
      {"g=2 T=10", 20},
      {"c=1 T=1", 0},
      {"g=1 T=10", 10},
      {"gn=2 N=2 T=5", 30}}},
    {"memory",
     NULL,
     {{"p=big M=10000 T=10", 0},
      {"p=big M=10000 T=10", 10},
      {"p=big M=6000 T=30", 0},
      {"p=big M=100 T=5", 20}}},
    {"a share of memory is taken as well",
     NULL,
     {{"p=big c=8 T=10", 0}, {"p=big c=4 T=10", 10}, {"p=big c=2 T=10", 10}, {"p=big M=5000 T=10", 20}}},
    {"whole nodes",
     NULL,
     {{"p=big c=1 T=10", 0}, {"p=big exclusive= T=10", 10}, {"p=big c=1 T=10", 0}, {"p=big c=1 T=11", 20}}},
    {"whole nodes for tasks",
     NULL,
     {{"exclusive= n=8 T=10", 0},
      {"exclusive= n=8 T=10", 10},
      {"exclusive= n=5 T=10", 20},
      {"c=1 T=1", 30}}},
    {"an array, and what stands behind",
     NULL,
     {{"p=big A=6 c=4 T=10", 10}, {"p=big c=8 T=5", 30}, {"p=big c=4 T=5", 35}}},
    {"a throttled array: its next when one has ended, behind a place that is held",
     NULL,
     {{"p=big A=6 throttle=1 c=4 T=10", 15}, {"p=big c=8 T=5", 10}, {"p=big c=8 T=5", 65}}},
    {"two of a throttled array at once, and what stands behind all of them",
     NULL,
     {{"p=big A=6 throttle=2 c=2 T=10", 15}, {"p=big c=8 T=5", 10}, {"p=big c=8 T=5", 35}}},
    {"a throttled array: its next when one has ended",
     NULL,
     {{"p=big A=6 throttle=1 c=4 T=10", 10}, {"p=big c=4 T=30", 0}, {"p=main c=1 T=5", 0}}},
    {"several partitions: the earliest",
     NULL,
     {{"c=4 T=30", 0},
      {"c=4 T=30", 0},
      {"p=big c=8 T=10", 0},
      {"p=main,big c=4 T=10", 10},
      {"p=main c=4 T=1", 30},
      {"p=big,main c=4 T=25", 10},
      {"p=main,big c=4 T=5", 20}}},
    {"not within what is planned ahead",
     make_short,
     {{"p=big c=8 T=61", 0}, {"p=big c=8 T=5", 61}, {"p=big c=8 T=5", BEYOND}, {"p=main c=1 T=5", 0}}},
    {"behind what has no limit", NULL, {{"p=big c=7", 0}, {"p=big c=2 T=5", BEYOND}, {"p=big c=1 T=5", 0}}},
    {"over a limit: when enough that counts has ended",
     make_hard_limit,
     {{"g=1 T=10", 0},
      {"g=1 T=10", 10},
      {"g=1 T=10 u=bob", 0},
      {"g=1 T=5", 20},
      {"g=2 T=5", BEYOND},
      {"c=1 T=1", 0}}},
    {"no licence left: when one is given back",
     make_licences,
     {{"L=lic T=10", 0}, {"L=lic:2 T=10", 10}, {"L=lic T=5", 0}, {"c=1 T=1", 0}}},
    {"over a soft limit: behind all others",
     make_soft_limit,
     {{"p=big c=8 T=10", 0}, {"p=big c=8 T=10", 20}, {"p=big c=8 T=10 u=bob", 10}}},
    {"maintenance",
     make_maintenance,
     {{"p=big c=8 T=10", 0}, {"p=big c=8 T=10", 30}, {"p=big c=4 T=5", 10}, {"p=big c=4 T=7", 40}}},
    {"in a reservation, and beside it",
     make_reservation,
     {{"p=big r=w c=8 T=10", 0},
      {"p=big r=w c=8 T=10", 10},
      {"p=big c=1 T=1", 60},
      {"p=big r=w c=8 T=10", 20},
      {"p=big r=w c=8 T=40", BEYOND}}},
    {"tasks over nodes",
     NULL,
     {{"p=all n=12 T=10", 0}, {"p=all n=12 T=10", 10}, {"p=all n=16 T=5", 20}, {"p=all n=16 T=5", 25}}},
    {"tasks over a number of nodes",
     NULL,
     {{"c=4 T=10", 0},
      {"c=4 T=20", 0},
      {"p=all N=2 n=5 T=5", 10},
      {"p=all N=3 n=7 T=5", 20},
      {"p=all n=16 T=5", 25}}},
    {"GPUs anywhere",
     NULL,
     {{"g=3 n=2 T=10", 0},
      {"g=1 T=5", 0},
      {"g=4 n=2 T=10", 10},
      {"g=3 n=2 T=10", 20},
      {"g=4 n=2 T=10", 30}}},
    {"more tasks than GPUs",
     NULL,
     {{"g=4 n=2 T=10", 0}, {"g=2 n=4 T=10", 10}, {"g=2 n=4 T=10", 10}, {"g=2 n=4 T=10", 20}}},
    {"tasks that share CPUs",
     NULL,
     {{"p=big O= n=20 T=10", 0}, {"p=big O= n=20 T=10", 10}, {"p=big O= n=20 T=1", 20}}},
    {"an administrator's order",
     NULL,
     {{"p=big c=8 T=10 prio=9", 0},
      {"p=big c=8 T=10 prio=1", 30},
      {"p=big c=8 T=10 prio=3", 10},
      {"p=big c=8 T=10 prio=2", 20}}},
    {"too late for its deadline",
     NULL,
     {{"p=big c=8 T=10", 0},
      {"p=big c=8 T=10", 10},
      {"p=big c=4 T=10 D=25", BEYOND},
      {"p=big c=4 T=5 D=27", 20}}},
    {"a drained node takes nothing",
     make_drained,
     {{"c=4 T=10", 0}, {"c=4 T=10", 10}, {"c=4 T=10", 20}, {"N=2 T=1", BEYOND}}},
    {"a job waits for a drained node that it names, also if others do beside it",
     make_drained,
     {{"c=4 T=10", 0},
      {"p=big c=8 T=10", 0},
      {"p=all N=2 T=5", 10},
      {"p=all N=2 w=n1 T=5", BEYOND},
      {"w=n1 T=5", BEYOND},
      {"p=all N=2 T=5", 10}}},
    {"nodes that are named take part",
     NULL,
     {{"w=n1 c=4 T=20", 0},
      {"w=n2 c=4 T=10", 0},
      {"p=all N=2 w=n1 c=4 T=5", 20},
      {"p=all N=2 w=n1,n2 c=4 T=5", 25},
      {"p=all N=2 w=n2 c=4 T=5", 10}}},
};

static void forecast_row_must_be(const struct forecast_row *s, const uint32_t *ids, struct wall t,
                                 const char *how)
{
    for (size_t i = 0; i < ROWS && s->rows[i].job; i++) {
        int got = minute_of(ids[i], t);
        if (got != s->rows[i].want)
            fail_msg("%s (%s): %s: %d instead of %d", s->name, how, s->rows[i].job, got, s->rows[i].want);
    }
}

static void test_by_hand(void **state)
{
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct forecast_row *s = &rows[i];
        uint32_t ids[ROWS];
        tear_down(state);
        set_up(state);
        if (s->make)
            s->make();
        for (size_t k = 0; k < ROWS && s->rows[k].job; k++)
            ids[k] = submit(s->rows[k].job);
        run_cycle();
        struct wall t = l.now;
        forecast(1000);
        forecast_row_must_be(s, ids, t, "in one go");
        forecast(1);
        forecast_row_must_be(s, ids, t, "one by one");
        struct sched_view v = lab_view(&l);
        forecast_begin(planner_forecaster(planner), &v, l.now);
        while (!forecast_step(planner_forecaster(planner), &v, 1)) {
            struct sched_result r; /* a cycle of a queue in which nothing has happened */
            assert_int_equal(lab_cycle_resume(&l, planner, &r), 0);
            sched_result_fini(&r);
        }
        forecast_row_must_be(s, ids, t, "with cycles between");
    }
}

static enum forecast_kind kind_of(uint32_t id)
{
    return forecast_of(planner_forecaster(planner), id).kind;
}

/* Something has happened to a job. */
static void cycle_resume(uint32_t id)
{
    struct sched_result r;
    planner_note_job(planner, id);
    assert_int_equal(lab_cycle_resume(&l, planner, &r), 0);
    sched_result_fini(&r);
}

/* Of one that waits for a time: as long as nothing but the clock keeps it, and of the time that it has
 * now. */
static void test_a_time_ahead(void **state)
{
    (void)state;
    submit("p=big c=8 T=60");
    struct job *j = job_of("p=big c=8 T=10 b=20");
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 1, 1};
    uint32_t array = lab_submit(&l, j), held = submit("c=1 T=5 b=40"), next = submit("p=big c=8 T=5 b=30");
    assert_int_equal(lab_hold(&l, held, HOLD_USER), 0);
    uint32_t free_then = submit("c=1 T=5 b=50");
    run_cycle();
    struct wall t = l.now;
    assert_int_equal(kind_of(array), FORECAST_NONE);
    forecast(1);
    assert_int_equal(kind_of(array), FORECAST_LATER);
    assert_int_equal(minute_of(array, t), 60);
    assert_int_equal(minute_of(next, t), 80);
    assert_int_equal(minute_of(free_then, t), 50);
    assert_int_equal(kind_of(held), FORECAST_NONE);
    struct forecast f = forecast_of(planner_forecaster(planner), next);
    assert_false(wall_is_set(f.likely) || f.samples);
    /* A later time holds at once, another forecast makes the rest of it. */
    struct ev_update u = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &u.req, &lab_get(&l, free_then)->req);
    req_detail_mut(&u.req)->begin = wall_add_s(t, 70 * 60);
    lab_must(&l, EV_UPDATE, free_then, &u);
    cycle_resume(free_then);
    assert_int_equal(minute_of(free_then, t), 70);
    /* Its time has come: it has what the queue is told, and learning begins again. */
    l.now = wall_add_s(t, 25 * 60);
    cycle_resume(next);
    assert_int_equal(kind_of(array), FORECAST_SLOT);
    assert_int_equal(kind_of(next), FORECAST_LATER);
    forecast(1);
    assert_int_equal(minute_of(next, t), 80);
}

/* Groups, their shapes and sets go while a forecast still names them. */
static void test_the_queue_goes_meanwhile(void **state)
{
    (void)state;
    uint32_t ids[12];
    submit("p=all N=3 exclusive= T=10");
    for (uint32_t i = 0; i < N_OF(ids); i++) {
        char text[64];
        snprintf(text, sizeof text, "p=%s c=%u T=%u", i % 2 ? "all" : "big", i % 4 + 1, i + 1);
        ids[i] = submit(text);
    }
    assert_int_equal(run_cycle(), 1);
    struct sched_view v = lab_view(&l);
    struct sched_result r;
    forecast_begin(planner_forecaster(planner), &v, l.now);
    assert_false(forecast_step(planner_forecaster(planner), &v, 3));
    for (uint32_t i = 0; i < N_OF(ids); i++) {
        assert_int_equal(lab_kill(&l, ids[i], STEP_ALL, KILL_CANCEL, FATE_END), 0);
        planner_note_job(planner, ids[i]);
    }
    assert_int_equal(lab_cycle_resume(&l, planner, &r), 0);
    sched_result_fini(&r);
    while (!forecast_step(planner_forecaster(planner), &v, 1))
        ;
    for (uint32_t i = 0; i < N_OF(ids); i++)
        assert_int_equal(forecast_of(planner_forecaster(planner), ids[i]).kind, FORECAST_NONE);
    /* Before the next cycle has looked. */
    uint32_t late = submit("p=big c=8 T=10");
    run_cycle();
    assert_int_equal(lab_kill(&l, late, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    planner_note_job(planner, late);
    forecast(1);
    /* The planner goes, and the configuration changes, in the middle of one. */
    submit("p=big c=8 T=10");
    submit("p=big c=7 T=10");
    run_cycle();
    forecast_begin(planner_forecaster(planner), &v, l.now);
    assert_true(forecast_is_running(planner_forecaster(planner)));
    lab_configure(&l);
    run_cycle();
    assert_false(forecast_is_running(planner_forecaster(planner)));
    forecast_begin(planner_forecaster(planner), &v, l.now);
}

/* --- against a plain planner: minute by minute, one job after the other --- */

static uint64_t seed_state;

static uint32_t any(uint32_t n)
{
    return (uint32_t)(check_rand(&seed_state) % n);
}

#define QUEUE   30
#define LATER   12 /* of them */
#define MINUTES (QUEUE * 60 + 1)

struct plain { /* a cluster of equal nodes, from the end of the first job on */
    uint32_t nodes;
    struct amount (*free)[MINUTES];
};

static bool has_room(const struct plain *p, uint32_t node, uint32_t from, uint32_t len, struct amount need)
{
    for (uint32_t t = from; t < from + len && t < MINUTES; t++)
        if (!amount_covers(p->free[node][t], need))
            return false;
    return true;
}

/* On the first k nodes that have room, at the earliest from a minute on. */
static uint32_t plain_start(struct plain *p, uint32_t first, uint32_t k, uint32_t len, struct amount need)
{
    for (uint32_t from = first; from < MINUTES; from++) {
        uint32_t room = 0, left = k;
        for (uint32_t i = 0; i < p->nodes; i++)
            room += has_room(p, i, from, len, need);
        if (room < k)
            continue;
        for (uint32_t i = 0; i < p->nodes && left; i++) {
            if (!has_room(p, i, from, len, need))
                continue;
            left--;
            for (uint32_t t = from; t < from + len && t < MINUTES; t++)
                p->free[i][t] = amount_minus(p->free[i][t], need);
        }
        return from;
    }
    return MINUTES;
}

static void plain_init(struct plain *p, uint32_t nodes, struct amount cap)
{
    p->nodes = nodes;
    p->free = xcalloc(nodes, sizeof *p->free);
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t t = 0; t < MINUTES; t++)
            p->free[i][t] = cap;
}

/* A cluster of equal nodes, all of them taken for ten minutes. */
static void make_cluster(uint32_t nodes)
{
    char text[64];
    begin_lab();
    l.spec.window_s = 30 * 24 * 3600;
    for (uint32_t i = 1; i <= nodes; i++) {
        snprintf(text, sizeof text, "m%u", i);
        lab_node(&l, text, 8, 16000, 4, NULL);
    }
    snprintf(text, sizeof text, nodes > 1 ? "m[1-%u]" : "m%u", nodes);
    lab_part(&l, "only", text);
    lab_configure(&l);
    snprintf(text, sizeof text, "N=%u exclusive= T=10", nodes);
    submit(text);
    assert_int_equal(run_cycle(), 1);
}

/* More than 256 nodes that are alike are planned as one. The last ones wait for a time: each for a later
 * one. */
static void test_random_queues(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 1, 3, 20, 257, 300};
    seed_state = check_seed();
    for (size_t i = 0; i < N_OF(sizes); i++) {
        uint32_t nodes = sizes[i], ids[QUEUE], want[QUEUE];
        bool as_one = nodes > 256, whole = nodes > 1;
        const struct amount node = {8, 16000, 4};
        struct plain p;
        end_lab();
        make_cluster(nodes);
        struct wall free_at = wall_add_s(l.now, 600);
        uint32_t begin = 0;
        if (as_one)
            plain_init(&p, 1, (struct amount){8 * nodes, 16000 * nodes, 4 * nodes});
        else
            plain_init(&p, nodes, node);
        for (size_t k = 0; k < QUEUE; k++) {
            uint32_t time = 1 + any(60), n = 1 + any(nodes), parts = as_one ? n : 1;
            struct amount need = whole ? node : (struct amount){1 + any(8), 1 + any(16000), any(5)};
            char text[96];
            if (whole)
                snprintf(text, sizeof text, "exclusive= N=%u T=%u", n, time);
            else
                snprintf(text, sizeof text, "c=%u g=%u M=%u T=%u", (unsigned)need.cpus, (unsigned)need.gpus,
                         (unsigned)need.mem_mib, time);
            struct job *j = job_of(text);
            begin += k >= QUEUE - LATER ? 1 + any(40) : 0;
            if (begin)
                req_detail_mut(&j->req)->begin = wall_add_s(free_at, begin * 60);
            ids[k] = lab_submit(&l, j);
            want[k] =
                plain_start(&p, begin, n / parts, time,
                            (struct amount){need.cpus * parts, need.mem_mib * parts, need.gpus * parts});
        }
        assert_int_equal(run_cycle(), 0);
        forecast(7);
        for (size_t k = 0; k < QUEUE; k++) {
            struct forecast f = forecast_of(planner_forecaster(planner), ids[k]);
            enum forecast_kind kind = k >= QUEUE - LATER ? FORECAST_LATER : FORECAST_PLANNED;
            assert_int_equal(f.kind, k ? kind : FORECAST_SLOT);
            if (f.start.ms != free_at.ms + (int64_t)want[k] * MIN_MS)
                fail_msg("%u nodes, job %zu: %lld min instead of %u", nodes, k,
                         (long long)(f.start.ms - free_at.ms) / MIN_MS, want[k]);
        }
        free(p.free);
    }
}

/* --- how good they are --- */

static void test_likely_range(void **state)
{
    (void)state;
    static const uint32_t after_min[] = {20, 40, 60, 80, 20, 40, 60, 80};
    uint32_t runs = submit("p=big c=8 T=100");
    run_cycle();
    for (size_t i = 0; i < N_OF(after_min); i++) {
        uint32_t next = submit("p=big c=8 T=100");
        l.now = lab_get(&l, runs)->t_start;
        run_cycle();
        forecast(10);
        assert_int_equal(minute_of(next, l.now), 100);
        struct forecast f = forecast_of(planner_forecaster(planner), next);
        assert_int_equal(f.samples, i);
        assert_int_equal(wall_is_set(f.likely), i >= RANGE_LEAST);
        assert_int_equal(wall_is_set(f.unlikely), i >= RANGE_LEAST);
        l.now = wall_add_s(l.now, after_min[i] * 60 - 1);
        assert_int_equal(lab_end(&l, runs, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
        struct sched_result r;
        planner_note_job(planner, runs);
        assert_int_equal(lab_cycle_resume(&l, planner, &r), 1);
        sched_result_fini(&r);
        runs = next;
    }
    uint32_t last = submit("p=big c=8 T=100");
    l.now = lab_get(&l, runs)->t_start;
    run_cycle();
    forecast(10);
    struct forecast f = forecast_of(planner_forecaster(planner), last);
    assert_int_equal(f.samples, 8);
    /* .2 .2 .4 .4 .6 .6 .8 .8 of 100 minutes: half of them and a little more */
    assert_int_equal((f.likely.ms - l.now.ms + MIN_MS / 2) / MIN_MS, 20);
    assert_int_equal((f.unlikely.ms - l.now.ms + MIN_MS / 2) / MIN_MS, 80);
    /* Another user's job goes by all waits about as long. Of one until tonight nothing has been learnt. */
    uint32_t behind[3];
    for (size_t i = 0; i < N_OF(behind); i++)
        behind[i] = submit("p=big c=8 T=200 u=bob");
    run_cycle();
    forecast(20);
    f = forecast_of(planner_forecaster(planner), behind[2]);
    assert_true(f.start.ms - l.now.ms > 360 * MIN_MS);
    assert_int_equal(f.samples, 0);
    assert_false(wall_is_set(f.likely) || wall_is_set(f.unlikely));
}

/* --- one that is not in the queue --- */

static struct trial try(const char *text)
{
    struct sched_view v = lab_view(&l);
    struct trial t;
    struct job *j = job_of(text);
    planner_try(planner, &v, j, l.now, &t);
    job_free(j);
    return t;
}

static void test_one_that_is_not_in_the_queue(void **state)
{
    (void)state;
    limits_of_users(false)->gpus = 2;
    lab_configure(&l);
    struct trial t = try("p=big c=8 T=10"); /* nothing has been forecast */
    assert_true(t.now);
    assert_string_equal(t.nodes, "n3");
    assert_string_equal(t.partition, "big");
    assert_int_equal(t.cpus, 8);
    assert_int_equal(t.len_ms, 10 * MIN_MS);
    trial_fini(&t);
    submit("p=big c=6 T=10");
    submit("p=big c=8 T=20");
    submit("p=main g=2 T=10");
    run_cycle();
    t = try("p=big c=4 T=10"); /* nothing has been forecast: by a plan of its own */
    assert_false(t.now);
    assert_int_equal(t.forecast.kind, FORECAST_PLANNED);
    assert_int_equal((t.forecast.start.ms - l.now.ms) / MIN_MS, 30);
    trial_fini(&t);
    forecast(10);
    t = try("p=big c=4 T=10"); /* behind both */
    assert_false(t.now);
    assert_int_equal(t.forecast.kind, FORECAST_PLANNED);
    assert_int_equal((t.forecast.start.ms - l.now.ms) / MIN_MS, 30);
    assert_string_equal(t.partition, "big");
    assert_null(t.nodes);
    trial_fini(&t);
    t = try("p=big c=2 T=10"); /* ends as the place that is held begins */
    assert_true(t.now);
    trial_fini(&t);
    t = try("p=big c=2 T=11");
    assert_false(t.now);
    trial_fini(&t);
    t = try("p=big,main c=4 T=11"); /* in the partition that has it */
    assert_true(t.now);
    assert_string_equal(t.partition, "main");
    trial_fini(&t);
    t = try("p=all N=3 T=11");
    assert_false(t.now);
    assert_int_equal((t.forecast.start.ms - l.now.ms) / MIN_MS, 30);
    trial_fini(&t);
    t = try("p=big c=9 T=10"); /* never */
    assert_false(t.now);
    assert_int_equal(t.reason, REASON_NONE);
    assert_int_equal(t.forecast.kind, FORECAST_BEYOND);
    trial_fini(&t);
    t = try("p=none c=1 T=10");
    assert_false(t.now);
    assert_int_equal(t.reason, REASON_PART_CONFIG);
    trial_fini(&t);
    t = try("p=main g=1 T=10"); /* alice has two GPUs already */
    assert_false(t.now);
    assert_int_equal(t.reason, REASON_USER_GPUS);
    assert_int_equal(t.verdict.used, 2);
    trial_fini(&t);
    t = try("p=main g=1 T=10 u=bob");
    assert_true(t.now);
    trial_fini(&t);
    /* Asking has changed nothing. */
    assert_int_equal(run_cycle(), 0);
    assert_int_equal(l.m.n_pending, 1);
}

/* --- the plan in rows --- */

static void plan_must_be(const char *name, const struct plan_filter *filter, const char *want)
{
    struct sched_view v = lab_view(&l);
    struct msg_plan plan;
    struct str b = STR_INIT;
    planner_report(planner, &v, l.now, filter, &plan);
    for (size_t i = 0; i < plan.rows.n; i++) {
        const struct plan_row *r = &plan.rows.v[i];
        str_appendf(&b, "%s%s", i ? "; " : "", plan_kind_name((enum plan_kind)r->kind));
        if (r->job)
            str_appendf(&b, " %u", r->job);
        if (r->count > 1)
            str_appendf(&b, " x%u", r->count);
        if (wall_is_set(r->start))
            str_appendf(&b, " %lld", (long long)((r->start.ms - l.now.ms) / MIN_MS));
        if (wall_is_set(r->end))
            str_appendf(&b, "-%lld", (long long)((r->end.ms - l.now.ms) / MIN_MS));
        if (r->nodes)
            str_appendf(&b, " %s", r->nodes);
    }
    if (plan.n_more)
        str_appendf(&b, "; %u more", plan.n_more);
    check_str(name, b.s ? b.s : "", want);
    str_fini(&b);
    rec_fini(&msg_plan_rec, &plan);
}

static void test_plan_in_rows(void **state)
{
    (void)state;
    struct plan_filter all = {.rows_max = 100}, few = {.rows_max = 3}, bob = {.rows_max = 100},
                       main = {.rows_max = 100};
    strv_push(&bob.users, "bob");
    strv_push(&main.partitions, "main");
    plan_must_be("nothing at all", &all, "");
    set_window("n2", 100, 120, NULL);
    submit("p=big c=8 T=10");          /* 1 */
    submit("p=big c=8 T=20");          /* 2: held */
    submit("p=big c=8 T=5 u=bob");     /* 3 */
    submit("p=big,main g=2 c=4 T=40"); /* 4: on n1 */
    submit("p=main A=5 c=4 T=15");     /* 5: one on n2, as 9 */
    submit("p=big c=8");               /* 6: without a limit */
    submit("p=big c=8 T=5");           /* 7: behind it */
    uint32_t held = submit("p=big c=1 T=1");
    assert_int_equal(lab_hold(&l, held, HOLD_USER), 0);
    run_cycle();
    forecast(100);
    plan_must_be("all", &all,
                 "running 1 0-10 n3; running 4 0-40 n1; running 9 0-15 n2; reserved 2 10-30 n3; "
                 "reserved 5 x4 15-30 n2; forecast 3 30-35 n3; forecast 6 35 n3; window 99-119 n2; "
                 "beyond 7; unknown 8");
    plan_must_be("bob's", &bob, "forecast 3 30-35 n3; window 99-119 n2");
    plan_must_be("of main", &main,
                 "running 4 0-40 n1; running 9 0-15 n2; reserved 5 x4 15-30 n2; window 99-119 n2");
    plan_must_be("a few", &few, "running 1 0-10 n3; reserved 2 10-30 n3; window 99-119 n2; 7 more");
    strv_fini(&bob.users);
    strv_fini(&main.partitions);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_time_ahead),  TEST(test_by_hand),      TEST(test_the_queue_goes_meanwhile),
        TEST(test_random_queues), TEST(test_likely_range), TEST(test_one_that_is_not_in_the_queue),

        TEST(test_plan_in_rows),

    };
    return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
