/* scontrol's records and sinfo's columns over a small cluster: goldens. */
#include "tests/lib/check.h"

#include "src/cli/scontrol/scontrol_record.h"
#include "src/text/nodetext.h"
#include "tests/unit/cli/clicase.h"

static void job_record(void **unused)
{
    (void)unused;
    struct model m;
    struct str s = STR_INIT;
    setenv("TZ", "UTC", 1);
    make_cluster(&m);
    struct job *j = make_job(51, JOB_RUNNING, "train");
    give_node(j, "n1", 0, 4, 4096);
    j->time_limit_s = 3600;
    job_origin_mut(j)->submit_host = xstrdup("head");
    job_origin_mut(j)->command = xstrdup("/home/alice/train.sh");
    req_rare_mut(&j->req)->comment = xstrdup("first try");
    model_take_job(&m, j);
    struct job_cx cx = job_cx_from_env(&m);
    struct job_row r = {.job = j, .element = ARRAY_NONE};
    record_job(&s, &r, &cx, false, false);
    check_str("running", s.s,
              "JobId=51 JobName=train\n"
              "   UserId=alice(1000) GroupId=staff(100) MCS_label=N/A\n"
              "   Priority=1051 Nice=0 Account=(null) QOS=normal\n"
              "   JobState=RUNNING Reason=None Dependency=(null)\n"
              "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
              "   RunTime=01:02:03 TimeLimit=01:00:00 TimeMin=N/A\n"
              "   SubmitTime=2023-11-14T22:13:20 EligibleTime=2023-11-14T22:13:20\n"
              "   AccrueTime=2023-11-14T22:13:20\n"
              "   StartTime=2023-11-14T22:11:17 EndTime=2023-11-14T23:11:17 Deadline=N/A\n"
              "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2023-11-14T22:11:17 Scheduler=Backfill\n"
              "   Partition=main AllocNode:Sid=head:0\n"
              "   ReqNodeList=(null) ExcNodeList=(null)\n"
              "   NodeList=n1\n"
              "   BatchHost=n1\n"
              "   NumNodes=1 NumCPUs=4 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
              "   ReqTRES=cpu=4,mem=4G,node=1,billing=4\n"
              "   AllocTRES=cpu=4,mem=4G,node=1,billing=4\n"
              "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
              "   MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0\n"
              "   Features=(null) DelayBoot=00:00:00\n"
              "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)\n"
              "   Command=/home/alice/train.sh\n"
              "   WorkDir=/home/alice\n"
              "   Comment=first try\n"
              "   StdErr=/home/alice/slurm-51.out\n"
              "   StdIn=/dev/null\n"
              "   StdOut=/home/alice/slurm-51.out\n"
              "   Power=\n\n");
    str_clear(&s);
    record_job(&s, &r, &cx, true, true);
    check_int("one line", strchr(s.s, '\n') == s.s + s.len - 1, 1);
    check_has("one line", s.s, "DerivedExitCode=0:0 RunTime=01:02:03");
    check_has("details", s.s, " Nodes=n1 CPU_IDs=0-3 Mem=4096 GRES= MinCPUsNode=1");
    str_fini(&s);
    model_fini(&m);
}

static void array_and_waiting_records(void **unused)
{
    (void)unused;
    struct model m;
    struct str s = STR_INIT;
    make_cluster(&m);
    struct job *j = make_job(6, JOB_PENDING, "sweep");
    j->array_job = 6;
    j->req.array_throttle = 2;
    j->reason = REASON_DEPENDENCY;
    j->req.dependency = xstrdup("afterok:34");
    *rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = 0, .last = 3, .step = 1};
    model_take_job(&m, j);
    struct job_cx cx = job_cx_from_env(&m);
    struct job_row r = {.job = j, .element = ARRAY_NONE};
    record_job(&s, &r, &cx, false, false);
    check_has("array", s.s, "JobId=6 ArrayJobId=6 ArrayTaskId=0-3 ArrayTaskThrottle=2 JobName=sweep\n");
    check_has("dependency", s.s, "JobState=PENDING Reason=Dependency Dependency=afterok:34(unfulfilled)\n");
    check_has("times", s.s, "StartTime=Unknown EndTime=Unknown Deadline=N/A\n");
    check_has("no nodes", s.s, "   NodeList=\n   NumNodes=1");
    check_has("nothing held", s.s, "AllocTRES=(null)\n");
    str_clear(&s);
    r.element = 2;
    record_job(&s, &r, &cx, false, false);
    check_has("element", s.s, "ArrayTaskId=2 ");
    str_fini(&s);
    model_fini(&m);
}

static void node_and_partition_records(void **unused)
{
    (void)unused;
    struct model m;
    struct str s = STR_INIT;
    make_cluster(&m);
    struct node *g = model_get_node(&m, "g1");
    struct node_cx cx = {.m = &m, .time = timetext_from(NULL, m.now)};
    cpuset_add_range(&g->cpus_used, 0, 4);
    cpuset_add_range(&g->gpus_used, 0, 2);
    g->mem_used_mib = 8192;
    g->n_jobs = 1;
    g->drain = true;
    g->drain_reason = xstrdup("fan broken");
    g->drain_user = xstrdup("root");
    g->t_drain = (struct wall){.ms = 1700000000000LL};
    record_node(&s, g, &cx, false);
    check_has(
        "head", s.s,
        "NodeName=g1 Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=4 CPUEfctv=16 CPUTot=16 CPULoad=N/A\n");
    check_has("gres", s.s, "   Gres=gpu:a100:4\n   GresUsed=gpu:a100:2(IDX:0-1)\n");
    check_has("state", s.s, "   State=MIXED+DRAIN ThreadsPerCore=1 ");
    check_has("partitions", s.s, "   Partitions=main,gpu\n");
    check_has("tres", s.s, "   AllocTRES=cpu=4,mem=8G,gres/gpu=2,gres/gpu:a100=2\n");
    check_has("reason", s.s, "   Reason=fan broken [root@2023-11-14T22:13:20]\n\n");
    str_clear(&s);
    record_partition(&s, &m.spec.parts.v[0], &m, false);
    check_has("partition", s.s,
              "PartitionName=main\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"
              "   AllocNodes=ALL Default=YES QoS=N/A\n   DefaultTime=01:00:00 ");
    check_has("limits", s.s,
              "   MaxNodes=UNLIMITED MaxTime=7-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED\n");
    check_has("nodes", s.s, "   Nodes=n[1-2],g1\n");
    check_has("totals", s.s, "   State=UP TotalCPUs=32 TotalNodes=3 SelectTypeParameters=NONE\n");
    str_clear(&s);
    record_config(&s, &m, &cx.time, "head", "/var/lib/x");
    check_has("cluster", s.s, "\nClusterName             = lab\n");
    check_has("age", s.s, "\nMinJobAge               = 300 sec\n");
    check_has("array", s.s, "\nMaxArraySize            = 1001\n");
    check_has("wait", s.s, "\nKillWait                = 30 sec\n");
    str_fini(&s);
    model_fini(&m);
}

static void node_states(void **unused)
{
    (void)unused;
    static const struct {
        enum node_state state;
        bool drain, completing, exclusive;
        unsigned used;
        uint32_t jobs;
        const char *shrt, *lng, *full;
    } rows[] = {
        {NODE_UP, false, false, false, 0, 0, "idle", "idle", "IDLE"},
        {NODE_UP, false, false, false, 2, 1, "mix", "mixed", "MIXED"},
        {NODE_UP, false, false, false, 8, 2, "alloc", "allocated", "ALLOCATED"},
        {NODE_UP, false, false, true, 2, 1, "alloc", "allocated", "ALLOCATED"},
        {NODE_UP, false, true, false, 2, 1, "comp", "completing", "MIXED+COMPLETING"},
        {NODE_UP, true, false, false, 0, 0, "drain", "drained", "IDLE+DRAIN"},
        {NODE_UP, true, false, false, 2, 1, "drng", "draining", "MIXED+DRAIN"},
        {NODE_SUSPECT, false, false, false, 2, 1, "mix*", "mixed*", "MIXED+NOT_RESPONDING"},
        {NODE_LOST, false, false, false, 2, 1, "down*", "down*", "DOWN+NOT_RESPONDING"},
        {NODE_DOWN, true, false, false, 0, 0, "down*", "down*", "DOWN+DRAIN+NOT_RESPONDING"},
        {NODE_UNKNOWN, false, false, false, 0, 0, "unk*", "unknown*", "UNKNOWN+NOT_RESPONDING"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct node n = {
            .state = rows[i].state, .drain = rows[i].drain, .exclusive = rows[i].exclusive, .cpus = 8};
        struct str s = STR_INIT;
        n.n_jobs = rows[i].jobs;
        cpuset_add_range(&n.cpus_used, 0, rows[i].used);
        nodetext_state(&s, &n, rows[i].completing, false);
        check_str(rows[i].full, s.s, rows[i].shrt);
        str_clear(&s);
        nodetext_state(&s, &n, rows[i].completing, true);
        check_str(rows[i].full, s.s, rows[i].lng);
        str_clear(&s);
        nodetext_state_full(&s, &n, rows[i].completing);
        check_str(rows[i].full, s.s, rows[i].full);
        str_fini(&s);
    }
    assert_true(node_state_is_known("IDLE"));
    assert_true(node_state_is_known("reserved"));
    assert_false(node_state_is_known("sleeping"));
}

static void node_cells(void **unused)
{
    (void)unused;
    struct model m;
    struct node_group g = {.nodes = VEC_INIT};
    make_cluster(&m);
    struct node_cx cx = {.m = &m, .time = timetext_from(NULL, m.now)};
    cpuset_add_range(&model_get_node(&m, "n1")->cpus_used, 0, 3);
    model_get_node(&m, "n2")->drain = true;
    g.part = &m.spec.parts.v[0];
    for (size_t i = 0; i < 3; i++)
        vec_push(&g.nodes, m.nodes[i]);
    static const struct {
        const char *spec, *want;
    } rows[] = {
        {"%P|%R|%a|%l|%L", "main*|main|up|7-00:00:00|1:00:00"},
        {"%D|%N|%C|%F|%A", "3|n[1-2],g1|3/21/8/32|1/1/1/3|1/1"},
        {"%c|%m|%G", "8+|16384+|(null)"},
        {"%E|%u|%H", "none|Unknown|Unknown"},
        {"%s|%g|%h|%r", "1-infinite|all|NO|no"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct format f = {.items = VEC_INIT};
        struct str s = STR_INIT;
        format_parse_letters(&f, &node_columns, rows[i].spec, NULL);
        format_row(&s, &f, &g, &cx);
        check_str(rows[i].spec, s.s, rows[i].want);
        str_fini(&s);
        format_fini(&f);
    }
    static const char *const names[] = {"nodehost", "gres",      "gresused",  "statelong",
                                        "nodelist", "partition", "cpusstate", "freemem"};
    for (size_t i = 0; i < N_OF(names); i++)
        assert_non_null(column_by_name(&node_columns, names[i], strlen(names[i])));
    static const char letters[] = "PCFGRcDNTflmnpatEuHbBdeghiILMoOsSvwXYZzA";
    for (const char *l = letters; *l; l++)
        if (!column_by_letter(&node_columns, *l))
            fail_msg("no column %%%c", *l);
    vec_fini(&g.nodes);
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_record),
        cmocka_unit_test(array_and_waiting_records),
        cmocka_unit_test(node_and_partition_records),
        cmocka_unit_test(node_states),
        cmocka_unit_test(node_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
