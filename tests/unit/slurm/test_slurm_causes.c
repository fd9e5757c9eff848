/* Why a job waits over a Slurm: a queue with one job for each cause, against the list of who built it. */
#include "backend/slurm/why/slurm_causes.h"

#include "backend/slurm/slurm_mirror.h"
#include "backend/slurm/slurm_table.h"
#include "src/text/cause_text.h"
#include "src/text/why_text.h"
#include "tests/unit/slurm/fixture.h"

#define WORD "\037abcdefgh"
#define NOW  ((struct wall){1795405800000})
#define AT   1795405800

/* main: n1 full, n2 half, n3 drained, n4 down; gpu: g1 with 4 A100, one free; small: s1 alone. */
static const char nodes[] =
    "NodeName=n1 CPUAlloc=8 CPUEfctv=8 AvailableFeatures=fast Gres=(null) RealMemory=32000 AllocMem=0 "
    "State=ALLOCATED\n"
    "NodeName=n2 CPUAlloc=4 CPUEfctv=8 AvailableFeatures=(null) Gres=(null) RealMemory=32000 AllocMem=0 "
    "State=MIXED\n"
    "NodeName=n3 CPUAlloc=0 CPUEfctv=8 AvailableFeatures=(null) Gres=(null) RealMemory=32000 AllocMem=0 "
    "State=IDLE+DRAIN Reason=new disk [root@1795400000]\n"
    "NodeName=n4 CPUAlloc=0 CPUEfctv=8 AvailableFeatures=(null) Gres=(null) RealMemory=32000 AllocMem=0 "
    "State=DOWN "
    "Reason=no power [root@1795400000]\n"
    "NodeName=g1 CPUAlloc=6 CPUEfctv=32 AvailableFeatures=(null) Gres=gpu:a100:4 "
    "GresUsed=gpu:a100:3(IDX:0-2) "
    "RealMemory=256000 AllocMem=64000 State=MIXED\n"
    "NodeName=s1 CPUAlloc=0 CPUEfctv=4 AvailableFeatures=(null) Gres=(null) RealMemory=8000 AllocMem=0 "
    "State=IDLE\n";
static const char partitions[] =
    "PartitionName=main Default=YES DefaultTime=01:00:00 MaxNodes=2 MaxTime=02:00:00 Nodes=n[1-4] "
    "State=UP\n"
    "PartitionName=gpu Default=NO DefaultTime=NONE MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=g1 State=UP\n"
    "PartitionName=small Default=NO DefaultTime=NONE MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=s1 "
    "State=UP\n"
    "PartitionName=shut Default=NO DefaultTime=NONE MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=s1 "
    "State=INACTIVE\n";
/* s1 is wanted by others in 80 minutes. */
static const char windows[] =
    "ReservationName=maint StartTime=1795410600 EndTime=1795414200 Duration=01:00:00 Nodes=s1 NodeCnt=1 "
    "CoreCnt=4 "
    "Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES TRES=cpu=4 Users=root Accounts=(null) "
    "State=INACTIVE\n"
    "ReservationName=course StartTime=1795420000 EndTime=1795430000 Duration=02:46:40 Nodes=n1 NodeCnt=1 "
    "CoreCnt=8 Flags=SPEC_NODES TRES=cpu=8 Users=ann Accounts=(null) State=INACTIVE\n";

struct row {
    const char *id, *state, *partition, *cpus, *nodes, *tres, *gres, *limit, *node_list, *reason, *priority,
        *start, *dependency, *array, *index, *features, *reservation, *licenses, *eligible;
};

static void append_row(struct str *out, const struct row *r)
{
    for (int c = 0; c < SLURM_N_COLUMNS; c++) {
        const char *v = NULL;
        switch (c) {
        case SLURM_COLUMN_ID: v = r->id; break;
        case SLURM_COLUMN_ARRAY: v = r->array; break;
        case SLURM_COLUMN_INDEX: v = r->index; break;
        case SLURM_COLUMN_STATE: v = r->state; break;
        case SLURM_COLUMN_UID: v = "7"; break;
        case SLURM_COLUMN_USER: v = "ann"; break;
        case SLURM_COLUMN_PARTITION: v = r->partition; break;
        case SLURM_COLUMN_ACCOUNT: v = "physics"; break;
        case SLURM_COLUMN_QOS: v = "small"; break;
        case SLURM_COLUMN_CPUS: v = r->cpus; break;
        case SLURM_COLUMN_NODES: v = r->nodes ? r->nodes : "1"; break;
        case SLURM_COLUMN_TASKS: v = "1"; break;
        case SLURM_COLUMN_TRES: v = r->tres; break;
        case SLURM_COLUMN_GRES: v = r->gres; break;
        case SLURM_COLUMN_TIME_LIMIT: v = r->limit ? r->limit : "1:00:00"; break;
        case SLURM_COLUMN_NODE_LIST: v = r->node_list; break;
        case SLURM_COLUMN_REASON: v = r->reason ? r->reason : "None"; break;
        case SLURM_COLUMN_PRIORITY: v = r->priority; break;
        case SLURM_COLUMN_ELIGIBLE: v = r->eligible; break;
        case SLURM_COLUMN_START: v = r->start; break;
        case SLURM_COLUMN_FEATURES: v = r->features; break;
        case SLURM_COLUMN_LICENSES: v = r->licenses; break;
        case SLURM_COLUMN_DEPENDENCY: v = r->dependency; break;
        case SLURM_COLUMN_RESERVATION: v = r->reservation; break;
        case SLURM_COLUMN_NAME: v = "job"; break;
        default: break;
        }
        str_append(out, v ? v : "N/A");
        str_append(out, WORD);
    }
    str_append_char(out, '\n');
}

static const struct row rows[] = {
    {"1", "RUNNING", "main", "8", .node_list = "n1",
     .start = "1795404000"}, /* until half an hour from now */
    {"2", "RUNNING", "main", "4", .node_list = "n2", .start = "1795404600"},
    {"3", "RUNNING", "gpu", "6", .tres = "cpu=6,gres/gpu=3", .node_list = "g1", .start = "1795405800"},
    {"10", "PENDING", "main", "8", .reason = "Resources", .priority = "100", .eligible = "1795404000"},
    {"11", "PENDING", "main", "2", .reason = "Priority", .priority = "50"},
    {"12", "PENDING", "main", "1", .reason = "Dependency",
     .dependency = "afterok:10(unfulfilled),afterany:1(unfulfilled)"},
    {"13", "PENDING", "main", "1", .reason = "DependencyNeverSatisfied",
     .dependency = "afterok:4711(failed)"},
    {"14", "PENDING", "main", "1", .reason = "BeginTime", .eligible = "1795409400"},
    {"15", "PENDING", "main", "1", .reason = "JobHeldUser"},
    {"16", "PENDING", "main", "1", .reason = "PartitionTimeLimit", .limit = "3:00:00"},
    {"17", "PENDING", "main", "6", .nodes = "3", .reason = "PartitionNodeLimit"},
    {"18", "PENDING", "main", "1", .reason = "JobArrayTaskLimit", .array = "18", .index = "2-9%2"},
    {"19", "RUNNING", "gpu", "1", .node_list = "g1", .array = "18", .index = "0", .start = "1795405800"},
    {"20", "RUNNING", "gpu", "1", .node_list = "g1", .array = "18", .index = "1", .start = "1795405800"},
    {"21", "PENDING", "gpu", "2", .gres = "gres:gpu:2", .reason = "Resources", .priority = "10"},
    {"22", "PENDING", "main", "1", .features = "fast&huge", .reason = "BadConstraints"},
    {"23", "PENDING", "main", "64", .reason = "BadConstraints"},
    {"24", "PENDING", "small", "2", .limit = "5:00:00",
     .reason = "ReqNodeNotAvail, Reserved for maintenance"},
    {"25", "PENDING", "main", "1", .reason = "Reservation", .reservation = "course"},
    {"26", "PENDING", "shut", "1", .reason = "PartitionInactive"},
    {"27", "PENDING", "main", "1", .licenses = "matlab:3", .reason = "Licenses"},
    {"28", "PENDING", "main", "2", .reason = "QOSMaxCpuPerUserLimit"},
    {"29", "PENDING", "main", "2", .reason = "QOSGrpCpuLimit"},
    {"30", "PENDING", "main", "2", .reason = "AssocGrpJobsLimit"},
    {"31", "PENDING", "main", "2", .reason = "QOSMaxWallDurationPerJobLimit", .limit = "2:00:00"},
    {"32", "PENDING", "main", "1", .reason = "BurstBufferStageIn"},
    {"33", "PENDING", "main", "1", .reason = "SomethingNew"},
    {"34", "PENDING", "main", "1", .reason = "None"},
    {"35", "PENDING", "main", "1", .reason = "AssocMaxGRESPerJob"},
    {"36", "PENDING", "main", "1", .reason = "JobHeldAdmin"},
};

static struct slurm_mirror *built(void)
{
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    struct str jobs = STR_INIT;
    for (size_t i = 0; i < N_OF(rows); i++)
        append_row(&jobs, &rows[i]);
    struct slurm_span n = {nodes, sizeof nodes - 1}, p = {partitions, sizeof partitions - 1},
                      w = {windows, sizeof windows - 1}, j = {jobs.s, jobs.len};
    assert_int_equal(slurm_mirror_take_partitions(s, &p, NULL), 1);
    assert_int_equal(slurm_mirror_take_windows(s, &w, NULL), 1);
    assert_int_equal(slurm_mirror_take_windows(s, &w, NULL), 0);
    assert_int_equal(slurm_mirror_take_jobs(s, &j, WORD, SLURM_ALL, NOW, NULL), 1);
    assert_int_equal(slurm_mirror_take_nodes(s, &n, NOW, NULL), 1);
    str_fini(&jobs);
    return s;
}

static void clock_seconds(struct str *out, struct wall t, struct wall now)
{
    (void)now;
    str_appendf(out, "%+lld s", (long long)(t.ms / 1000 - AT));
}

static struct slurm_span span_of(const char *text)
{
    return (struct slurm_span){text, strlen(text)};
}

static void test_one_job_for_each_cause(void **state)
{
    (void)state;
    static const struct {
        uint32_t job;
        enum why_class cls;
        const char *first, *also; /* in full */
    } want[] = {
        {10, WHY_BUSY,
         "needs 8 CPUs in main; 4 nodes: 2 too few free CPUs (n[1-2]), 1 drained, 1 not answering; n3 is "
         "drained: "
         "new disk (root), n4 is down: no power; room comes when job 1 reaches its limit",
         "Slurm says Resources: it is its turn, and what it asks for is not free"},
        {11, WHY_BEHIND, "1 job (8 CPUs) is ahead in main; the first of them, 10, waits for resources",
         "Slurm says Priority"},
        {12, WHY_DEP_WAIT, "waits for job 10 (waiting) to succeed; job 1 (running) to end", NULL},
        {13, WHY_DEP_DEAD, "can never start: job 4711 (no longer known) had to succeed", NULL},
        {14, WHY_NOT_YET, "its earliest start is in 1 h", NULL},
        {15, WHY_HELD, "held by ann", NULL},
        {36, WHY_HELD, "held by an administrator, who must release it", NULL},
        {16, WHY_NOT_ALLOWED, "time limit 3:00:00 asked, partition main allows 2:00:00", NULL},
        {17, WHY_NOT_ALLOWED, "3 nodes asked, partition main allows 2", NULL},
        {18, WHY_ARRAY_THROTTLE, "its array may run 2 elements at once and 2 run", NULL},
        {21, WHY_BUSY,
         "needs 2 CPUs, 2 GPUs in gpu; 1 node: 1 too few free GPUs (g1); room comes when job 3 reaches "
         "its limit",
         "Slurm says Resources"},
        {22, WHY_NO_FIT, "no node of main has 1 CPU (4 nodes: 4 without the features (n[1-4]))",
         "Slurm says BadConstraints"},
        {23, WHY_NO_FIT,
         "no node of main has 64 CPUs (4 nodes: 4 too few CPUs (n[1-4]: 64 asked, 8 at most))", NULL},
        {24, WHY_WINDOW,
         "1 node is kept for the maintenance window maint in 1 h 20 min: it would not end before that",
         "Slurm says ReqNodeNotAvail: nodes that it needs are not to be had: down, drained or reserved "
         "(Reserved for "
         "maintenance)"},
        {25, WHY_WINDOW, "its reservation course begins in", NULL},
        {26, WHY_PARTITION_DOWN, "partition shut is inactive", NULL},
        {27, WHY_BUSY, "needs 3 of licence matlab, 3 of 4 in use", "Slurm says Licenses"},
        {28, WHY_USER_LIMIT, "user ann holds 3 of 4 CPUs and asks for 2 more (hard limit for users)",
         "Slurm says QOSMaxCpuPerUserLimit: its user is at the limit of CPUs in its QOS"},
        {29, WHY_GROUP_LIMIT, "QOS small holds 5 of 6 CPUs and asks for 2 more (hard limit for each QOS)",
         "Slurm says QOSGrpCpuLimit: its QOS is at its limit of CPUs"},
        {30, WHY_GROUP_LIMIT, "account physics has 5 of 5 running jobs (hard limit for accounts)",
         "Slurm says AssocGrpJobsLimit: its account is at its limit of running jobs"},
        {31, WHY_NOT_ALLOWED, "time limit 2:00:00 asked, QOS small allows 1:00:00", NULL},
        {32, WHY_BUSY,
         "Slurm says BurstBufferStageIn: its files are being copied into the burst buffer; nothing more "
         "can be known "
         "from outside",
         NULL},
        {33, WHY_BUSY, "Slurm says SomethingNew; nothing more can be known from outside", NULL},
        {34, WHY_BUSY,
         "Slurm says None: Slurm has not looked at it yet; nothing more can be known from outside", NULL},
        {35, WHY_NOT_ALLOWED,
         "Slurm says AssocMaxGRESPerJob: it asks for more than its account allows a job: GPUs and other "
         "generic "
         "resources; nothing more can be known from outside",
         NULL},
    };
    struct slurm_mirror *s = built();
    const struct model *m = slurm_mirror_model(s);
    struct cause_reader reader = {.clock = clock_seconds, .now = NOW};
    struct slurm_span limits = fixture_read("assoc_mgr");
    struct slurm_facts facts = {
        .has_all = true,
        .limits = limits,
        .licences = span_of("LicenseName=matlab Total=4 Used=3 Free=1 Reserved=0 Remote=no\n")};
    for (size_t i = 0; i < N_OF(want); i++) {
        struct msg_why why;
        char *what = xasprintf("job %u", want[i].job);
        struct str all = STR_INIT;
        slurm_cause_why(m, model_get_job(m, want[i].job), &facts, &why);
        assert_true(why.causes.n);
        for (size_t k = 0; k < why.causes.n; k++) {
            cause_full(&all, &why.causes.v[k], &reader);
            str_append_char(&all, '\n');
        }
        check_int(what, why.causes.v[0].cls, want[i].cls);
        check_has(what, all.s, want[i].first);
        check_int(what, strncmp(all.s, want[i].first, strlen(want[i].first)), 0);
        if (want[i].also)
            check_has(what, all.s, want[i].also);
        struct str summary = STR_INIT;
        why_text_summary(&summary, &why, &reader);
        if (why.causes.n == 2) /* Slurm's word is the second one, and no cause of its own */
            assert_null(strstr(summary.s, "more cause"));
        str_fini(&summary);
        str_fini(&all);
        free(what);
        rec_fini(&msg_why_rec, &why);
    }
    free((void *)(uintptr_t)limits.p);
    slurm_mirror_free(s);
}

/* A limit that ends before the window: what Enter would ask Slurm for. */
static void test_remedy(void **state)
{
    (void)state;
    struct slurm_mirror *s = built();
    struct msg_why why;
    slurm_cause_why(slurm_mirror_model(s), model_get_job(slurm_mirror_model(s), 24),
                    &(struct slurm_facts){.has_all = true}, &why);
    assert_string_equal(why.advice_key, "TimeLimit");
    assert_string_equal(why.advice_value, "1:20:00");
    assert_string_equal(why.advice.nodes, "s1");
    rec_fini(&msg_why_rec, &why);
    slurm_mirror_free(s);
}

/* What squeue does not print: nodes by name, nodes of its own. */
static void test_detail(void **state)
{
    (void)state;
    struct slurm_mirror *s = built();
    const struct model *m = slurm_mirror_model(s);
    struct cause_reader reader = {.clock = clock_seconds, .now = NOW};
    struct msg_why why;
    struct str out = STR_INIT;
    slurm_cause_why(m, model_get_job(m, 10),
                    &(struct slurm_facts){.has_all = true,
                                          .detail = span_of("JobId=10 JobName=x OverSubscribe=NO "
                                                            "ReqNodeList=n[2-3] ExcNodeList=(null)\n")},
                    &why);
    cause_full(&out, &why.causes.v[0], &reader);
    check_has("whole nodes", out.s, "on a whole node in main");
    check_has("not empty", out.s, "1 not empty (n2)");
    check_has("by name", out.s, "2 not among those asked for (n[1,4])");
    str_fini(&out);
    rec_fini(&msg_why_rec, &why);
    slurm_mirror_free(s);
}

/* The first cause of job 10 says that, as its answer of `scontrol show job` is. */
static bool detail_is_why(const char *detail, const char *says)
{
    struct cause_reader reader = {.clock = clock_seconds, .now = NOW};
    struct slurm_mirror *s = built();
    const struct model *m = slurm_mirror_model(s);
    struct msg_why why;
    struct str out = STR_INIT;
    slurm_cause_why(m, model_get_job(m, 10),
                    &(struct slurm_facts){.has_all = true, .detail = span_of(detail)}, &why);
    cause_full(&out, &why.causes.v[0], &reader);
    bool has = strstr(out.s, says);
    str_fini(&out);
    rec_fini(&msg_why_rec, &why);
    slurm_mirror_free(s);
    return has;
}

static void test_causes_of_a_detail(void **state)
{
    static const char memory[] = "too little memory", whole[] = "whole node";
    static const struct {
        const char *detail, *says;
        bool is_why;
    } cases[] = {/* Slurm does not hand out memory: what is asked of a node, and of each of its 8 CPUs */
                 {"JobId=10 MinCPUsNode=1 MinMemoryNode=0 \n", memory, false},
                 {"JobId=10 MinCPUsNode=1 MinMemoryNode=31G \n", memory, false},
                 {"JobId=10 MinCPUsNode=1 MinMemoryNode=64000M \n", memory, true},
                 {"JobId=10 MinCPUsNode=1 MinMemoryCPU=3G \n", memory, false},
                 {"JobId=10 MinCPUsNode=1 MinMemoryCPU=8G \n", memory, true},
                 /* Slurm 26.05 prints OverSubscribe=NO of jobs that share nodes, too */
                 {"JobId=10 OverSubscribe=OK \n", whole, false},
                 {"JobId=10 OverSubscribe=NO \n", whole, true},
                 {"JobId=10 OverSubscribe=NO Exclusive=NO \n", whole, false},
                 {"JobId=10 OverSubscribe=NO Exclusive=NODE \n", whole, true}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        check_int(cases[i].detail, detail_is_why(cases[i].detail, cases[i].says), cases[i].is_why);
}

/* The lines of a list. */
static void test_first(void **state)
{
    (void)state;
    static const struct {
        uint32_t job;
        const char *want;
    } want[] = {
        {1, ""},
        {10, "next in line, needs 8 CPUs (4 free)"},
        {11, "1 job ahead"},
        {12, "waits for job 10 (waiting) to succeed; job 1"},
        {24, "would run into maintenance at +4800 s"},
        {29, "QOS or partition limit reached: CPUs"},
        {33, "SomethingNew"},
        {36, "held by an administrator"},
    };
    struct slurm_mirror *s = built();
    const struct model *m = slurm_mirror_model(s);
    struct cause_reader reader = {.clock = clock_seconds, .now = NOW};
    for (size_t i = 0; i < N_OF(want); i++) {
        struct cause c;
        struct str out = STR_INIT;
        char *what = xasprintf("job %u", want[i].job);
        slurm_cause_first(m, model_get_job(m, want[i].job), true, &c);
        cause_brief(&out, &c, &reader);
        check_has(what, out.s, want[i].want);
        free(what);
        str_fini(&out);
        cause_clear(&c);
    }
    slurm_mirror_free(s);
}

/* Without the jobs of others nothing is said of the queue. */
static void test_own_jobs_only(void **state)
{
    (void)state;
    struct slurm_mirror *s = built();
    const struct model *m = slurm_mirror_model(s);
    struct msg_why why;
    slurm_cause_why(m, model_get_job(m, 11), &(struct slurm_facts){0}, &why);
    assert_int_equal(why.rank, 0);
    for (size_t i = 0; i < why.causes.n; i++)
        assert_int_not_equal(why.causes.v[i].code, CAUSE_AHEAD);
    rec_fini(&msg_why_rec, &why);
    slurm_mirror_free(s);
}

static void test_no_reservations(void **state)
{
    (void)state;
    struct slurm_mirror *s = built();
    struct slurm_span none = span_of("No reservations in the system\n"), broken = span_of("error\n");
    struct errtext err;
    assert_int_equal(slurm_mirror_model(s)->windows.n, 2);
    assert_int_equal(slurm_mirror_model(s)->windows.v[0].kind, WINDOW_MAINTENANCE);
    assert_true(slurm_mirror_take_windows(s, &broken, &err) < 0);
    assert_int_equal(slurm_mirror_model(s)->windows.n, 2);
    assert_int_equal(slurm_mirror_take_windows(s, &none, NULL), 1);
    assert_int_equal(slurm_mirror_model(s)->windows.n, 0);
    slurm_mirror_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_job_for_each_cause),
        cmocka_unit_test(test_remedy),
        cmocka_unit_test(test_causes_of_a_detail),
        cmocka_unit_test(test_detail),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_own_jobs_only),
        cmocka_unit_test(test_no_reservations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
