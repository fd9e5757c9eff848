/* What jobs look like in words: goldens. */
#include "tests/lib/check.h"

#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/values/units.h"

#define T0 1700000000000LL

static struct job *new_job(uint32_t id, enum job_state state)
{
    struct job *j = job_new();
    j->id = id;
    j->state = (uint8_t)state;
    j->t_submit = (struct wall){.ms = T0};
    if (state != JOB_PENDING)
        j->t_start = (struct wall){.ms = T0 + 60000};
    return j;
}

static void add_node(struct job *j, const char *name, unsigned cpus, unsigned gpus, uint64_t mem)
{
    struct alloc *a = rec_list_push(&j->alloc);
    a->node = xstrdup(name);
    cpuset_add_range(&a->cpus, 0, cpus);
    cpuset_add_range(&a->gpus, 0, gpus);
    a->mem_mib = mem;
}

static void add_range(struct job *j, uint32_t first, uint32_t last, uint32_t step)
{
    *rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = first, .last = last, .step = step};
}

static void ids(void **unused)
{
    (void)unused;
    static const struct {
        const char *row;
        uint32_t array, index, first, last, step, throttle;
        size_t max;
        const char *want;
    } rows[] = {
        {"plain", 0, ARRAY_NONE, 0, 0, 0, 0, 64, "6"},
        {"largest", 0, ARRAY_NONE, 0, 0, 0, 0, 0, "6"},
        {"element", 5, 3, 0, 0, 0, 0, 64, "5_3"},
        {"element 0", 5, 0, 0, 0, 0, 0, 64, "5_0"},
        {"run", 6, ARRAY_NONE, 0, 199, 1, 0, 64, "6_[0-199]"},
        {"stride", 6, ARRAY_NONE, 1, 9, 2, 4, 64, "6_[1,3,5,7,9%4]"},
        {"one left", 6, ARRAY_NONE, 7, 7, 1, 0, 64, "6_[7]"},
        {"cut", 6, ARRAY_NONE, 10, 1000, 10, 0, 8, "6_[10,20,...]"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = new_job(6, JOB_PENDING);
        struct str s = STR_INIT;
        j->array_job = rows[i].array;
        j->array_index = rows[i].index;
        j->req.array_throttle = rows[i].throttle;
        if (rows[i].step)
            add_range(j, rows[i].first, rows[i].last, rows[i].step);
        jobtext_id(&s, j, rows[i].max);
        check_str(rows[i].row, s.s, rows[i].want);
        str_fini(&s);
        job_free(j);
    }
}

static void reasons(void **unused)
{
    (void)unused;
    static const struct {
        enum job_state state;
        enum reason reason;
        enum job_hold hold;
        int32_t signal;
        const char *reason_want, *where_want;
    } rows[] = {
        {JOB_PENDING, REASON_RESOURCES, HOLD_NONE, 0, "Resources", "(Resources)"},
        {JOB_PENDING, REASON_NONE, HOLD_NONE, 0, "None", "(None)"},
        {JOB_PENDING, REASON_PRIORITY, HOLD_USER, 0, "JobHeldUser", "(JobHeldUser)"},
        {JOB_PENDING, REASON_NONE, HOLD_ADMIN, 0, "JobHeldAdmin", "(JobHeldAdmin)"},
        {JOB_PENDING, REASON_HELD_REQUEUE, HOLD_ADMIN, 0, "JobHoldMaxRequeue", "(JobHoldMaxRequeue)"},
        {JOB_RUNNING, REASON_RESOURCES, HOLD_NONE, 0, "None", "n1"},
        {JOB_COMPLETING, REASON_NONE, HOLD_NONE, 0, "None", "n1"},
        {JOB_COMPLETED, REASON_NONE, HOLD_NONE, 0, "None", "n1"},
        {JOB_CANCELLED, REASON_NONE, HOLD_NONE, 0, "None", "n1"},
        {JOB_FAILED, REASON_NON_ZERO_EXIT, HOLD_NONE, 0, "NonZeroExitCode", "(NonZeroExitCode)"},
        {JOB_FAILED, REASON_RAISED_SIGNAL, HOLD_NONE, 9, "RaisedSignal:9", "(RaisedSignal:9)"},
        {JOB_TIMEOUT, REASON_TIME_LIMIT, HOLD_NONE, 0, "TimeLimit", "(TimeLimit)"},
        {JOB_OUT_OF_MEMORY, REASON_OUT_OF_MEMORY, HOLD_NONE, 0, "OutOfMemory", "(OutOfMemory)"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = new_job(6, rows[i].state);
        struct str s = STR_INIT;
        j->reason = (uint8_t)rows[i].reason;
        j->hold = (uint8_t)rows[i].hold;
        j->exit_signal = rows[i].signal;
        if (rows[i].state != JOB_PENDING)
            add_node(j, "n1", 1, 0, 0);
        jobtext_reason(&s, j, NULL);
        check_str(rows[i].reason_want, s.s, rows[i].reason_want);
        str_clear(&s);
        jobtext_nodes_or_reason(&s, j, NULL);
        check_str(rows[i].reason_want, s.s, rows[i].where_want);
        str_fini(&s);
        job_free(j);
    }
}

/* What of its request is in the way, and the token's meaning where that says no more. */
static void words_of_a_waiting_job(void **unused)
{
    (void)unused;
    static const struct {
        enum reason reason;
        const char *dependency, *licenses, *partition, *nodelist, *features, *reservation;
        uint32_t gpus, cpus, nodes, throttle;
        uint64_t mem_mib;
        bool whole, steps;
        const char *want;
    } rows[] = {
        {.reason = REASON_PRIORITY, .gpus = 2, .want = "other jobs are ahead"},
        {.reason = REASON_RESOURCES, .gpus = 4, .cpus = 8, .want = "needs 4 GPUs, 8 CPUs"},
        {.reason = REASON_RESOURCES, .cpus = 8, .mem_mib = 65536, .want = "needs 8 CPUs, 64G"},
        {.reason = REASON_RESOURCES, .nodes = 3, .whole = true, .want = "needs 3 whole nodes"},
        {.reason = REASON_RESOURCES, .nodes = 2, .cpus = 4, .want = "needs 2 nodes, 8 CPUs"},
        {.reason = REASON_RESOURCES, .features = "bigmem", .want = "needs 1 CPU with bigmem"},
        {.reason = REASON_RESOURCES, .nodelist = "n7", .want = "needs 1 CPU on n7"},
        {.reason = REASON_RESOURCES, .steps = true, .want = "next in line, nothing fits yet"},
        {.reason = REASON_DEPENDENCY, .dependency = "afterok:33", .want = "waits for 33 to succeed"},
        {.reason = REASON_DEPENDENCY,
         .dependency = "afterok:33:34_2,afterany:5",
         .want = "waits for 33, 34_2 to succeed and 5 to end"},
        {.reason = REASON_DEPENDENCY,
         .dependency = "afterok:33?afternotok:34",
         .want = "waits for 33 to succeed or 34 to fail"},
        {.reason = REASON_DEPENDENCY,
         .dependency = "singleton",
         .want = "waits for another job named \"sing\" (singleton)"},
        {.reason = REASON_DEPENDENCY, .dependency = "nonsense:", .want = "a dependency is open"},
        {.reason = REASON_LICENSES, .licenses = "matlab:2", .want = "needs licence matlab:2"},
        {.reason = REASON_LICENSES, .licenses = "a,b:2", .want = "needs licences a,b:2"},
        {.reason = REASON_PART_DOWN, .partition = "night", .want = "partition night is down"},
        {.reason = REASON_PART_DOWN, .partition = "night,day", .want = "its partition is down"},
        {.reason = REASON_ARRAY_LIMIT, .throttle = 3, .want = "array limit: 3 at a time"},
        {.reason = REASON_RESERVATION, .reservation = "exam", .want = "reservation exam has not started"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = new_job(6, JOB_PENDING);
        struct str s = STR_INIT;
        j->reason = (uint8_t)rows[i].reason;
        free(j->req.name);
        j->req.name = xstrdup("sing");
        j->kind = rows[i].steps ? JOB_KIND_STEPS : JOB_KIND_BATCH;
        const struct {
            char **to;
            const char *from;
        } texts[] = {{&j->req.dependency, rows[i].dependency},
                     {&req_detail_mut(&j->req)->licenses, rows[i].licenses},
                     {&j->req.partition, rows[i].partition},
                     {&req_rare_mut(&j->req)->nodelist, rows[i].nodelist},
                     {&req_detail_mut(&j->req)->features, rows[i].features},
                     {&req_rare_mut(&j->req)->reservation, rows[i].reservation}};
        for (size_t k = 0; k < N_OF(texts); k++) {
            free(*texts[k].to);
            *texts[k].to = texts[k].from ? xstrdup(texts[k].from) : NULL;
        }
        if (rows[i].gpus)
            j->req.gpus = rows[i].gpus;
        if (rows[i].cpus)
            j->req.cpus_per_task = rows[i].cpus;
        if (rows[i].nodes)
            j->req.nodes_min = rows[i].nodes;
        if (rows[i].mem_mib)
            j->req.mem_node_mib = rows[i].mem_mib;
        req_detail_mut(&j->req)->exclusive = rows[i].whole;
        j->req.array_throttle = rows[i].throttle;
        jobtext_reason_words(&s, j);
        check_str(rows[i].want, s.s, rows[i].want);
        str_fini(&s);
        job_free(j);
    }
}

static void words_for_people(void **unused)
{
    (void)unused;
    struct job *j = new_job(6, JOB_PENDING);
    struct str s = STR_INIT;
    j->reason = REASON_RESOURCES;
    jobtext_reason_words(&s, j);
    check_str("of its own request", s.s, "needs 1 CPU");
    str_clear(&s);
    j->hold = HOLD_USER; /* and not what the last pass said */
    jobtext_reason_words(&s, j);
    check_str("held since", s.s, "held by its owner");
    str_clear(&s);
    j->hold = HOLD_NONE;
    j->state = JOB_RUNNING;
    jobtext_reason_words(&s, j);
    check_str("running", s.s, "");
    j->state = JOB_FAILED;
    j->reason = REASON_NON_ZERO_EXIT;
    j->exit_code = 3;
    jobtext_reason_words(&s, j);
    check_str("failed", s.s, "it exited with code 3");
    str_fini(&s);
    job_free(j);
}

static void times(void **unused)
{
    (void)unused;
    static const struct {
        const char *row;
        enum job_state state;
        uint32_t limit_s;
        int64_t run_s;
        const char *elapsed, *limit, *left;
    } rows[] = {
        {"waiting", JOB_PENDING, 300, 0, "0:00", "5:00", "5:00"},
        {"running", JOB_RUNNING, 3600, 62, "1:02", "1:00:00", "58:58"},
        {"days", JOB_RUNNING, 5 * 86400, 86400 + 7384, "1-02:03:04", "5-00:00:00", "3-21:56:56"},
        {"unlimited", JOB_RUNNING, DURATION_UNLIMITED, 3723, "1:02:03", "UNLIMITED", "UNLIMITED"},
        {"not set", JOB_RUNNING, DURATION_NOT_SET, 5, "0:05", "NOT_SET", "NOT_SET"},
        {"over its limit", JOB_COMPLETING, 60, 75, "1:15", "1:00", "INVALID"},
        {"ended over it", JOB_TIMEOUT, 60, 75, "1:15", "1:00", "0:00"},
        {"clock set back", JOB_RUNNING, 60, -500, "0:00", "1:00", "1:00"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = new_job(6, rows[i].state);
        struct wall now = wall_add_s(j->t_start, rows[i].run_s);
        struct str s = STR_INIT;
        j->time_limit_s = j->req.time_limit_s = rows[i].limit_s;
        if (job_state_is_final(rows[i].state))
            j->t_end = now;
        jobtext_elapsed(&s, j, now);
        check_str(rows[i].row, s.s, rows[i].elapsed);
        str_clear(&s);
        jobtext_limit(&s, j, NULL);
        check_str(rows[i].row, s.s, rows[i].limit);
        str_clear(&s);
        jobtext_left(&s, j, NULL, now);
        check_str(rows[i].row, s.s, rows[i].left);
        str_fini(&s);
        job_free(j);
    }
}

static void durations_as_units_has_them(void **unused)
{
    (void)unused;
    static const uint32_t edges[] = {0,
                                     9,
                                     10,
                                     59,
                                     60,
                                     599,
                                     600,
                                     3599,
                                     3600,
                                     35999,
                                     36000,
                                     86399,
                                     86400,
                                     90061,
                                     DURATION_NOT_SET - 1,
                                     DURATION_NOT_SET,
                                     DURATION_UNLIMITED};
    for (size_t i = 0; i < N_OF(edges); i++) {
        char want[UNITS_TEXT_SIZE];
        struct str s = STR_INIT;
        text_append_duration(&s, edges[i]);
        check_str("edge", s.s, duration_format(edges[i], want));
        str_fini(&s);
    }
    for (uint32_t v = 0; v < 86400; v += 61) {
        char want[UNITS_TEXT_SIZE];
        struct str s = STR_INIT;
        text_append_duration(&s, v);
        check_str("grid", s.s, duration_format(v, want));
        str_fini(&s);
    }
}

static void limit_of_the_partition(void **unused)
{
    (void)unused;
    struct model m;
    struct cluster_spec spec = {0};
    struct part_spec *p = rec_list_push(&spec.parts);
    struct job *j = new_job(6, JOB_PENDING);
    p->name = xstrdup("main");
    p->is_default = true;
    p->max_time_s = 7200;
    p->default_time_s = 600;
    model_init(&m);
    model_take_spec(&m, &spec);
    j->partition = xstrdup("main");
    check_int("default", job_limit_s(j, &m), 600);
    m.spec.parts.v[0].default_time_s = DURATION_NOT_SET;
    check_int("maximum", job_limit_s(j, &m), 7200);
    j->req.time_limit_s = 60;
    check_int("request", job_limit_s(j, &m), 60);
    job_free(j);
    model_fini(&m);
}

static void resources(void **unused)
{
    (void)unused;
    struct job *j = new_job(6, JOB_RUNNING);
    struct str s = STR_INIT;
    add_node(j, "n1", 4, 2, 8192);
    add_node(j, "n2", 4, 2, 8192);
    req_detail_mut(&j->req)->gpu_type = xstrdup("a100");
    jobtext_tres(&s, j, NULL);
    check_str("tres", s.s, "cpu=8,mem=16G,node=2,gres/gpu=4,gres/gpu:a100=4");
    str_clear(&s);
    jobtext_nodes(&s, j);
    check_str("nodes", s.s, "n[1-2]");
    str_clear(&s);
    jobtext_tres_per_node(&s, j);
    check_str("none per node", s.s, "N/A");
    str_clear(&s);
    j->req.gpus_per_node = 2;
    jobtext_tres_per_node(&s, j);
    check_str("per node", s.s, "gres:gpu:a100:2");
    str_clear(&s);
    jobtext_min_memory(&s, j, false);
    check_str("memory not said", s.s, "0");
    str_clear(&s);
    req_detail_mut(&j->req)->mem_cpu_mib = 2048;
    jobtext_min_memory(&s, j, false);
    check_str("memory of a CPU", s.s, "2G");
    str_clear(&s);
    jobtext_min_memory(&s, j, true);
    check_str("not converted", s.s, "2048M");
    str_clear(&s);
    j->state = JOB_PENDING;
    jobtext_nodes(&s, j);
    check_str("no nodes while it waits", s.s, "");
    str_fini(&s);
    job_free(j);
}

static void dependencies(void **unused)
{
    (void)unused;
    static const struct {
        const char *dep;
        enum reason reason;
        const char *want;
    } rows[] = {
        {NULL, REASON_NONE, ""},
        {"", REASON_NONE, ""},
        {"afterok:34", REASON_DEPENDENCY, "afterok:34(unfulfilled)"},
        {"afterok:34:35", REASON_DEPENDENCY, "afterok:34(unfulfilled),afterok:35(unfulfilled)"},
        {"afterany:34_2,singleton", REASON_DEPENDENCY, "afterany:34_2(unfulfilled),singleton(unfulfilled)"},
        {"afterok:34?afterok:35", REASON_DEPENDENCY, "afterok:34(unfulfilled)?afterok:35(unfulfilled)"},
        {"34", REASON_DEPENDENCY, "afterany:34(unfulfilled)"},
        {"afterok:34", REASON_DEPENDENCY_NEVER, "afterok:34(failed)"},
        {"afterok:90", REASON_DEPENDENCY, ""}, /* it has ended */
        {"afterok:90:34", REASON_DEPENDENCY, "afterok:34(unfulfilled)"},
    };
    struct model m;
    model_init(&m);
    model_take_job(&m, new_job(90, JOB_COMPLETED));
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = new_job(100, JOB_PENDING);
        struct str s = STR_INIT;
        j->req.dependency = xstrdup(rows[i].dep);
        j->reason = (uint8_t)rows[i].reason;
        jobtext_dependency(&s, j, &m);
        check_str(rows[i].dep ? rows[i].dep : "none", s.s, rows[i].want);
        str_fini(&s);
        job_free(j);
    }
    model_fini(&m);
}

static void names(void **unused)
{
    (void)unused;
    struct job *j = new_job(51, JOB_PENDING);
    j->array_job = 50;
    add_range(j, 1, 9, 2);
    assert_true(job_is_named(j, 51, ARRAY_NONE));
    assert_true(job_is_named(j, 50, ARRAY_NONE));
    assert_true(job_is_named(j, 50, 3));
    assert_false(job_is_named(j, 50, 4));
    assert_false(job_is_named(j, 50, 11));
    assert_false(job_is_named(j, 51, 3));
    assert_false(job_is_named(j, 5, ARRAY_NONE));
    j->array_index = 4;
    assert_true(job_is_named(j, 50, 4));
    assert_false(job_is_named(j, 50, 3));
    job_free(j);
}

static void every_state_has_a_word_and_its_own_glyph(void **unused)
{
    (void)unused;
    for (enum job_state a = 0; a < JOB_N_STATES; a++) {
        assert_true(job_state_word(a) && job_state_word(a)[0]);
        assert_true(job_state_glyph(a) > ' ');
        for (enum job_state b = 0; b < a; b++)
            assert_int_not_equal(job_state_glyph(a), job_state_glyph(b));
    }
}

static void every_code_of_the_state_has_words(void **unused)
{
    (void)unused;
    for (enum reason r = 0; r < REASON_N; r++)
        assert_true(reason_text(r) && reason_text(r)[0]);
    for (enum end_kind k = 0; k < END_N_KINDS; k++)
        assert_true(end_kind_text(k) && end_kind_text(k)[0]);
    for (enum kill_cause c = 0; c < KILL_N_CAUSES; c++)
        assert_true(kill_cause_text(c) && (c == KILL_NONE || kill_cause_text(c)[0]));
    for (enum dep_type t = 0; t < DEP_N_TYPES; t++)
        assert_true(dep_type_text(t) && dep_type_text(t)[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids),
        cmocka_unit_test(reasons),
        cmocka_unit_test(words_of_a_waiting_job),
        cmocka_unit_test(words_for_people),
        cmocka_unit_test(times),
        cmocka_unit_test(durations_as_units_has_them),
        cmocka_unit_test(limit_of_the_partition),
        cmocka_unit_test(resources),
        cmocka_unit_test(dependencies),
        cmocka_unit_test(names),
        cmocka_unit_test(every_state_has_a_word_and_its_own_glyph),
        cmocka_unit_test(every_code_of_the_state_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
