/* Stoker's planner over a mirrored Slurm, and how forecasts came true. */
#include "backend/slurm/plan/slurm_planner.h"

#include "backend/slurm/slurm_table.h"
#include "tests/unit/slurm/fixture.h"

#define WORD "\037abcdefgh"
#define NOW  ((struct wall){1795405800000})

static const char nodes[] =
    "NodeName=n1 CPUAlloc=8 CPUEfctv=8 Gres=(null) RealMemory=32000 AllocMem=0 State=ALLOCATED\n"
    "NodeName=n2 CPUAlloc=4 CPUEfctv=8 Gres=(null) RealMemory=32000 AllocMem=0 State=MIXED\n"
    "NodeName=n3 CPUAlloc=8 CPUEfctv=8 Gres=(null) RealMemory=32000 AllocMem=0 State=ALLOCATED\n";
static const char partitions[] = "PartitionName=main Default=YES DefaultTime=01:00:00 MaxNodes=UNLIMITED "
                                 "MaxTime=UNLIMITED AllowGroups=lab "
                                 "AllowQos=small Nodes=n[1-3] State=UP\n";

struct row {
    const char *id, *state, *cpus, *limit, *node_list, *reason, *priority, *start, *dependency;
};

/* n1 and n2 are known to be used; what uses n3 is not shown. */
static const struct row rows[] = {
    {"1", "RUNNING", "8", .node_list = "n1", .start = "1795404000"},
    {"2", "RUNNING", "4", .node_list = "n2", .start = "1795404600"},
    {"10", "PENDING", "8", .reason = "Resources", .priority = "100", .start = "1795409400"},
    {"11", "PENDING", "8", .reason = "Priority", .priority = "90"},
    {"12", "PENDING", "8", .reason = "Priority", .priority = "80"},
    {"13", "PENDING", "1", .reason = "Dependency", .priority = "70",
     .dependency = "afterok:10(unfulfilled)"},
    {"14", "PENDING", "1", .reason = "QOSMaxCpuPerUserLimit", .priority = "60"},
};

static void append_row(struct str *out, const struct row *r)
{
    for (int c = 0; c < SLURM_N_COLUMNS; c++) {
        const char *v = NULL;
        switch (c) {
        case SLURM_COLUMN_ID: v = r->id; break;
        case SLURM_COLUMN_STATE: v = r->state; break;
        case SLURM_COLUMN_UID: v = "7"; break;
        case SLURM_COLUMN_USER: v = "ann"; break;
        case SLURM_COLUMN_PARTITION: v = "main"; break;
        case SLURM_COLUMN_QOS: v = "small"; break;
        case SLURM_COLUMN_CPUS: v = r->cpus; break;
        case SLURM_COLUMN_NODES: v = "1"; break;
        case SLURM_COLUMN_TASKS: v = "1"; break;
        case SLURM_COLUMN_TRES: v = "cpu=1,mem=32000M,node=1"; break;
        case SLURM_COLUMN_TIME_LIMIT: v = r->limit ? r->limit : "1:00:00"; break;
        case SLURM_COLUMN_NODE_LIST: v = r->node_list; break;
        case SLURM_COLUMN_REASON: v = r->reason ? r->reason : "None"; break;
        case SLURM_COLUMN_PRIORITY: v = r->priority; break;
        case SLURM_COLUMN_SUBMIT:
        case SLURM_COLUMN_ELIGIBLE: v = "1795400000"; break;
        case SLURM_COLUMN_START: v = r->start; break;
        case SLURM_COLUMN_DEPENDENCY: v = r->dependency; break;
        case SLURM_COLUMN_NAME: v = "job"; break;
        default: break;
        }
        str_append(out, v ? v : "N/A");
        str_append(out, WORD);
    }
    str_append_char(out, '\n');
}

static struct slurm_mirror *built(void)
{
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    struct str jobs = STR_INIT;
    for (size_t i = 0; i < N_OF(rows); i++)
        append_row(&jobs, &rows[i]);
    struct slurm_span n = {nodes, sizeof nodes - 1}, p = {partitions, sizeof partitions - 1},
                      j = {jobs.s, jobs.len};
    assert_int_equal(slurm_mirror_take_partitions(s, &p, NULL), 1);
    assert_int_equal(slurm_mirror_take_jobs(s, &j, WORD, SLURM_ALL, NOW, NULL), 1);
    assert_int_equal(slurm_mirror_take_nodes(s, &n, NOW, NULL), 1);
    str_fini(&jobs);
    return s;
}

static const struct plan_row *row_of(const struct msg_plan *p, uint32_t job)
{
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.v[i].job == job)
            return &p->rows.v[i];
    fail_msg("job %u has no row", job);
    return NULL;
}

static void stop(void *ctx)
{
    loop_stop(*(struct loop **)ctx);
}

/* In the order of Slurm's priorities, without the node that is used by what is not shown; what Slurm alone
 * knows of gets no forecast. The clock is far from the rows': what runs is past its limit. */
static void test_forecasts(void **state)
{
    (void)state;
    struct slurm_mirror *mirror = built();
    struct slurm_scores *scores = slurm_scores_new();
    struct loop *l = loop_new();
    struct slurm_planner *p = slurm_planner_new(l, mirror, scores, stop, &l);
    struct msg_plan plan;
    assert_false(slurm_planner_is_ready(p));
    slurm_planner_want(p);
    loop_run(l);
    assert_true(slurm_planner_is_ready(p));
    slurm_planner_report(p, &(struct plan_filter){.rows_max = 100}, &plan);
    const struct plan_row *first = row_of(&plan, 10), *second = row_of(&plan, 11),
                          *third = row_of(&plan, 12);
    assert_true(wall_is_set(first->start));
    assert_true(wall_is_set(second->start));
    assert_true(first->start.ms <= second->start.ms);
    assert_true(third->start.ms >= first->start.ms + 3600000); /* two nodes, three jobs */
    assert_int_equal(first->engine_start.ms, 1795409400000);
    assert_false(wall_is_set(second->engine_start));
    assert_int_equal(first->priority, 100);
    assert_int_equal(row_of(&plan, 13)->kind, PLAN_UNKNOWN);
    assert_int_equal(row_of(&plan, 14)->kind, PLAN_UNKNOWN);
    assert_int_equal(row_of(&plan, 1)->kind, PLAN_RUNNING);
    for (size_t i = 0; i < plan.rows.n; i++)
        if (plan.rows.v[i].nodes)
            assert_null(strstr(plan.rows.v[i].nodes, "n3"));
    rec_fini(&msg_plan_rec, &plan);
    slurm_planner_free(p);
    slurm_scores_free(scores);
    slurm_mirror_free(mirror);
    loop_free(l);
}

/* The planner's model has nothing that it would judge in Slurm's place. */
static void test_model(void **state)
{
    (void)state;
    struct slurm_mirror *mirror = built();
    struct model m;
    slurm_planner_model(slurm_mirror_model(mirror), false, &m);
    assert_int_equal(m.jobs.n, N_OF(rows));
    assert_int_equal(m.n_nodes, 3);
    assert_int_equal(m.spec.parts.v[0].allow_groups.n, 0);
    assert_int_equal(m.spec.parts.v[0].allow_qos.n, 0);
    assert_null(model_get_job(&m, 13)->req.dependency);
    assert_int_equal(model_get_job(&m, 13)->hold, HOLD_ADMIN);
    assert_int_equal(model_get_job(&m, 10)->hold, HOLD_NONE);
    assert_true(model_get_job(&m, 10)->req.mem_node_mib == MEM_NOT_GIVEN);
    assert_int_equal(cpuset_count(&node_rare(model_get_node(&m, "n3"))->unknown_cpus), 8);
    assert_int_equal(node_rare(model_get_node(&m, "n1"))->n_unknown, 0);
    model_fini(&m);
    slurm_planner_model(slurm_mirror_model(mirror), true, &m);
    assert_true(model_get_job(&m, 10)->req.mem_node_mib == 32000);
    model_fini(&m);
    slurm_mirror_free(mirror);
}

static void tell(struct slurm_scores *s, uint32_t job, enum slurm_forecaster whose, int64_t start_ms)
{
    struct forecast_told t = {.made = {900000}, .start = {start_ms}};
    forecast_scores_tell(s->of[whose], job, &t);
}

/* The first forecast of each counts, once, and only where the job has started. */
static void test_scores(void **state)
{
    (void)state;
    struct slurm_scores *s = slurm_scores_new();
    const struct forecast_scores *slurm = s->of[SCORE_SLURM], *stoker = s->of[SCORE_STOKER];
    for (uint32_t job = 1; job <= 10; job++) {
        tell(s, job, SCORE_SLURM, 1000000 + job * 60000);
        tell(s, job, SCORE_SLURM, 9000000);
    }
    tell(s, 3, SCORE_STOKER, 940000);
    tell(s, 11, SCORE_STOKER, 940000);
    assert_int_equal(forecast_scores_starts(slurm), 0);
    for (uint32_t job = 1; job <= 10; job++)
        slurm_scores_started(s, job, (struct wall){1000000});
    slurm_scores_gone(s, 11);
    slurm_scores_started(s, 11, (struct wall){1000000});
    slurm_scores_started(s, 1, (struct wall){5000000});
    assert_int_equal(forecast_scores_starts(slurm), 10);
    assert_int_equal(forecast_scores_off_s(slurm, 50), 5 * 60);
    assert_int_equal(forecast_scores_off_s(slurm, 90), 9 * 60);
    assert_int_equal(forecast_scores_starts(stoker), 1);
    assert_int_equal(forecast_scores_off_s(stoker, 50), 60);
    slurm_scores_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forecasts),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
