/* What options say of a job. */
#include "tests/lib/check.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/jobspec/batchopts.h"
#include "src/jobspec/jobopts.h"
#include "src/values/units.h"

/* Options of one source, words at blanks. */
static int give(struct jobopts *o, enum jobopt_level level, const char *line, struct errtext *err)
{
    char *text = xasprintf("x %s", line);
    struct strv argv = strv_split(text, " ");
    o->level = level;
    enum opt_result r = opt_parse(&jobopts_table, o, (int)argv.n, argv.v, 0, NULL, err);
    strv_fini(&argv);
    free(text);
    return r;
}

/* "nodes=1-1 cpus=4 ...": what is given of the request, in one order. */
static char *describe(const struct job_req *r)
{
    struct str s = STR_INIT;
#define COUNT(name, value)                                               \
    do {                                                                 \
        if ((value) != NOT_GIVEN)                                        \
            str_appendf(&s, "%s" name "=%u", s.len ? " " : "", (value)); \
    } while (0)
#define MEM(name, value)                                                                       \
    do {                                                                                       \
        if ((value) != MEM_NOT_GIVEN)                                                          \
            str_appendf(&s, "%s" name "=%llu", s.len ? " " : "", (unsigned long long)(value)); \
    } while (0)
    COUNT("min", r->nodes_min);
    COUNT("max", r->nodes_max);
    COUNT("tasks", r->ntasks);
    COUNT("tpn", req_detail(r)->ntasks_per_node);
    COUNT("cpus", r->cpus_per_task);
    MEM("mem", r->mem_node_mib);
    MEM("memcpu", req_detail(r)->mem_cpu_mib);
    MEM("memgpu", req_detail(r)->mem_gpu_mib);
    COUNT("gpus", r->gpus);
    COUNT("gpn", r->gpus_per_node);
    COUNT("gpt", req_detail(r)->gpus_per_task);
    if (req_detail(r)->gpu_type)
        str_appendf(&s, "%stype=%s", s.len ? " " : "", req_detail(r)->gpu_type);
    if (r->time_limit_s != DURATION_NOT_SET)
        str_appendf(&s, "%stime=%u", s.len ? " " : "", r->time_limit_s);
    if (req_rare(r)->signal)
        str_appendf(&s, "%ssignal=%s%d@%u", s.len ? " " : "", req_detail(r)->signal_batch ? "B:" : "",
                    req_rare(r)->signal, req_rare(r)->signal_at_s);
    return str_take(&s);
}

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *err;
    } rows[] = {
        {"-n 0", "Invalid numeric value \"0\" for --ntasks."},
        {"-n x", "Invalid numeric value \"x\" for --ntasks."},
        {"-n 4294967295", "Invalid numeric value \"4294967295\" for --ntasks."},
        {"-c -1", "Invalid numeric value \"-1\" for --cpus-per-task."},
        {"-N 0", "\"0\" is not a valid node count"},
        {"-N -", "\"-\" is not a valid node count"},
        {"-N 2-", "\"2-\" is not a valid node count"},
        {"-N 4-2", "Maximum node count 2 is less than minimum node count 4"},
        {"-N 99999999999k", "\"99999999999k\" is not a valid node count"},
        {"-t x", "Invalid --time specification"},
        {"-t 5m", "Invalid --time specification"},
        {"--mem=4X", "Invalid --mem specification"},
        {"--mem=4G --mem-per-cpu=1G", "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."},
        {"--gres=fpga:1", "\"fpga:1\": only gpu is known here"},
        {"--gres=gpus:1", "only gpu is known here"},
        {"--gres=gpu:a100:x", "is not a number of GPUs"},
        {"--gres=gpu:", "is not a number of GPUs"},
        {"--gres=,", "it is empty"},
        {"--gres=gpu:a:1,gpu:b:1", "one type of GPU in a job: a or b"},
        {"--gpus=a100", "\"a100\" is not a number of GPUs"},
        {"--gpus=", "is not a number of GPUs"},
        {"--signal=FOO", "Invalid --signal specification"},
        {"--signal=X:TERM", "Invalid --signal specification"},
        {"--signal=TERM@65536", "Invalid --signal specification"},
        {"--signal=", "Invalid --signal specification"},
        {"--nice=2147483646", "Invalid --nice value"},
        {"--open-mode=x", "Invalid --open-mode specification"},
        {"--begin=yesterdayish", "Invalid time specification"},
        {"-w n[1-", "Invalid --nodelist specification"},
        {"--kill-on-invalid-dep=maybe", "Invalid --kill-on-invalid-dep specification"},
        {"--exclusive=topo", "Invalid --exclusive specification"},
        {"--bb=x", "--bb is not supported here"},
        {"--foo", "unrecognized option '--foo'"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct jobopts o;
        struct errtext err = {0};
        jobopts_init(&o);
        if (give(&o, LEVEL_COMMAND_LINE, rows[i].line, &err) >= 0)
            fail_msg("[%s] was accepted", rows[i].line);
        check_has(rows[i].line, err.s, rows[i].err);
        jobopts_fini(&o);
    }
}

/* Slurm's words for it would be untrue where root reads them. */
static void jobs_are_submitted_for_oneself(void **unused)
{
    (void)unused;
    struct jobopts o;
    struct errtext err = {0};
    jobopts_init(&o);
    assert_true(give(&o, LEVEL_COMMAND_LINE, "--uid=4294967294", &err) < 0);
    check_has("--uid", err.s,
              getuid() ? "--uid only permitted by root user"
                       : "--uid: jobs are submitted for oneself, by root too");
    jobopts_fini(&o);
}

static void understood(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *want;
    } rows[] = {
        {"", ""},
        {"-N -3", "min=1 max=3"},
        {"-N 2", "min=2 max=2"},
        {"--nodes=1-1", "min=1 max=1"},
        {"-N 2-4", "min=2 max=4"},
        {"-N 1k", "min=1024 max=1024"},
        {"-n4", "tasks=4"},
        {"--tasks=4", "tasks=4"},
        {"-n 2 -N 4", "min=2 max=4 tasks=2"}, /* no node without a task */
        {"--tasks-per-node=2", "tpn=2"},
        {"-c 6", "cpus=6"},
        {"-t 1", "time=60"},
        {"-t 0:01", "time=60"},
        {"-t 1:1", "time=120"},
        {"-t 1:0:0", "time=3600"},
        {"-t 0:7200", "time=7200"},
        {"-t 48:00:00", "time=172800"},
        {"-t 1-0", "time=86400"},
        {"-t 0", "time=4294967295"},
        {"-t UNLIMITED", "time=4294967295"},
        {"--mem=4000", "mem=4000"},
        {"--mem=4g", "mem=4096"},
        {"--mem=0", "mem=0"},
        {"--mem-per-cpu=1G", "memcpu=1024"},
        {"--mem-per-gpu=8GB", "memgpu=8192"},
        {"--gres=gpu", "gpn=1"},
        {"--gres=gpu:4", "gpn=4"},
        {"--gres=shard:0", "gpn=0"},
        {"--gres=tmpfs:0,gpu:2", "gpn=2"},
        {"--gres=gpu:a100", "gpn=1 type=a100"},
        {"--gres=gpu:a100:2", "gpn=2 type=a100"},
        {"--gres=gpu:a100:2(S:0-1)", "gpn=2 type=a100"},
        {"--gres=gres/gpu:2", "gpn=2"},
        {"--gres=gpu:1,gpu:2", "gpn=3"},
        {"--gres=none", "gpn=0"},
        {"-G 4", "gpus=4"},
        {"--gpus=a100:4", "gpus=4 type=a100"},
        {"--gpus-per-node=2", "gpn=2"},
        {"--gpus-per-task=v100:1 -n 4", "tasks=4 gpt=1 type=v100"},
        {"--gpus-per-task=2 --gpus=8", "tasks=4 gpus=8 gpt=2"},
        {"--ntasks-per-gpu=2 --gpus=4", "tasks=8 gpus=4"},
        {"--ntasks-per-gpu=2 --gpus-per-node=4", "tpn=8 gpn=4"},
        {"--ntasks-per-gpu=2 -n 8", "tasks=8 gpus=4"},
        {"--cpus-per-gpu=6 --gres=gpu:4", "cpus=24 gpn=4"},
        {"--cpus-per-gpu=6 --gres=gpu:4 --ntasks-per-node=4", "tpn=4 cpus=6 gpn=4"},
        {"--cpus-per-gpu=6 --gpus-per-task=2 -n2", "tasks=2 cpus=12 gpt=2"},
        {"--mincpus=8", "cpus=8"},
        {"--signal=USR1", "signal=10@60"},
        {"--signal=B:SIGTERM@120", "signal=B:15@120"},
        {"--signal=R:10@0", "signal=10@0"},
        {"--signal=RB:TERM", "signal=B:15@60"},
        {"--hint=nomultithread --get-user-env --mail-type=END --ntasks-per-core=1 -k", ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct jobopts o;
        struct errtext err = {0};
        jobopts_init(&o);
        check_int(rows[i].line, give(&o, LEVEL_COMMAND_LINE, rows[i].line, &err), OPT_OK);
        check_int(rows[i].line, jobopts_finish(&o, &err), 0);
        char *got = describe(&o.req);
        check_str(rows[i].line, got, rows[i].want);
        free(got);
        jobopts_fini(&o);
    }
}

static void later_sources_win(void **unused)
{
    (void)unused;
    static const struct {
        const char *header, *env, *line, *want;
    } rows[] = {
        {"-n 1", "-n 2", "-n 3", "tasks=3"},
        {"-n 1", "-n 2", "", "tasks=2"},
        {"-n 1", "", "", "tasks=1"},
        {"--mem-per-cpu=1G", "", "--mem=4G", "mem=4096"},
        {"--mem=4G", "--mem-per-gpu=1G", "", "memgpu=1024"},
        {"--gres=gpu:a100:4", "", "--gpus=2", "gpus=2"},
        {"--gres=gpu:a100:4", "--gpus-per-task=1", "", "gpt=1"},
        {"--gres=gpu:4", "", "--gres=gpu:v100:1", "gpn=1 type=v100"},
        {"--gpus-per-task=1", "", "--gpus-per-task=1 --gpus=4", "tasks=4 gpus=4 gpt=1"},
        {"-n 4", "", "-N 8", "min=8 max=8 tasks=8"},
        {"-N 8", "", "-n 4", "min=4 max=8 tasks=4"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct jobopts o;
        struct errtext err = {0};
        jobopts_init(&o);
        check_int(rows[i].header, give(&o, LEVEL_HEADER, rows[i].header, &err), OPT_OK);
        check_int(rows[i].env, give(&o, LEVEL_ENV, rows[i].env, &err), OPT_OK);
        check_int(rows[i].line, give(&o, LEVEL_COMMAND_LINE, rows[i].line, &err), OPT_OK);
        check_int(rows[i].line, jobopts_finish(&o, &err), 0);
        char *got = describe(&o.req);
        check_str(rows[i].line, got, rows[i].want);
        free(got);
        jobopts_fini(&o);
    }
}

static void texts(void **unused)
{
    (void)unused;
    struct jobopts o;
    struct errtext err = {0};
    jobopts_init(&o);
    assert_int_equal(
        give(&o, LEVEL_COMMAND_LINE,
             "-J name -A acct -p a,b -q high -C x86&big -d afterok:3 -o %j.out -e %j.err -i in -D sub "
             "--comment=c --wckey=w -L l:1 --reservation=r --mail-user=u --nice --requeue -H -O "
             "--contiguous "
             "--open-mode=append --kill-on-invalid-dep=yes --exclusive --tmp=2G --priority=7 -m "
             "cyclic:block",
             &err),
        OPT_OK);
    assert_int_equal(jobopts_finish(&o, &err), 0);
    const struct job_req *r = &o.req;
    const char *pairs[][2] = {{r->name, "name"},
                              {r->account, "acct"},
                              {r->partition, "a,b"},
                              {req_detail(r)->qos, "high"},
                              {req_detail(r)->features, "x86&big"},
                              {r->dependency, "afterok:3"},
                              {r->std_out, "%j.out"},
                              {req_detail(r)->std_err, "%j.err"},
                              {req_rare(r)->std_in, "in"},
                              {req_rare(r)->comment, "c"},
                              {req_rare(r)->wckey, "w"},
                              {req_detail(r)->licenses, "l:1"},
                              {req_rare(r)->reservation, "r"},
                              {req_rare(r)->mail_user, "u"}};
    for (size_t i = 0; i < N_OF(pairs); i++)
        check_str(pairs[i][1], pairs[i][0], pairs[i][1]);
    char *sub = xasprintf("%s/sub", o.cwd);
    check_str("chdir", r->workdir, sub);
    free(sub);
    check_int("nice", req_detail(r)->nice, 100);
    check_int("requeue", req_detail(r)->requeue, 1);
    assert_true(o.hold && req_detail(r)->overcommit && req_detail(r)->contiguous && req_detail(r)->append &&
                req_detail(r)->kill_on_invalid_dep && req_detail(r)->exclusive);
    check_int("tmp", req_rare(r)->min_tmp_mib, 2048);
    assert_true(req_detail(r)->has_priority && req_detail(r)->priority == 7);
    check_int("distribution", o.distribution, 1);
    jobopts_fini(&o);
}

static void gres_is_shown_as_one_text(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *gres;
    } rows[] = {{"", NULL},
                {"--gres=none", NULL},
                {"--gres=gpu:2", "gpu:2"},
                {"--gpus=a100:4", "gpu:a100:4"},
                {"--gpus-per-task=1", "gpu:1"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct jobopts o;
        struct errtext err = {0};
        jobopts_init(&o);
        check_int(rows[i].line, give(&o, LEVEL_COMMAND_LINE, rows[i].line, &err), OPT_OK);
        check_int(rows[i].line, jobopts_finish(&o, &err), 0);
        check_str(rows[i].line, req_detail(&o.req)->gres, rows[i].gres);
        jobopts_fini(&o);
    }
}

/* Every id of the table is handled, whatever its argument is. */
static void every_option_is_handled(void **unused)
{
    (void)unused;
    bool seen[J_N] = {false};
    for (size_t i = 0; i < jobopts_table.n; i++) {
        const struct opt *o = &jobopts_table.v[i];
        struct jobopts opts;
        struct errtext err = {0};
        assert_in_range(o->id, 1, J_N - 1);
        seen[o->id] = true;
        if (!o->name) /* an attribute without an option of its own here */
            continue;
        jobopts_init(&opts);
        opts.level = LEVEL_COMMAND_LINE;
        jobopts_set(&opts, o, o->arg == OPT_NONE ? NULL : "1", &err);
        jobopts_fini(&opts);
    }
    for (int id = 1; id < J_N; id++)
        if (!seen[id])
            fail_msg("option %d is in no table", id);
}

static void arrays_are_checked_here(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *err;
        uint32_t throttle;
    } rows[] = {{"5-1", "the range runs backwards", 0},
                {"0-9%x", "is not a limit", 0},
                {"0-9%4", NULL, 4},
                {"1,3", NULL, 0}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct batch b;
        struct errtext err = {0};
        batch_init(&b);
        char *arg = xasprintf("--array=%s", rows[i].spec);
        char x[] = "x", *argv[] = {x, arg, NULL};
        enum opt_result r = opt_parse(&batch_opts, &b, 2, argv, 0, NULL, &err);
        check_int(rows[i].spec, r, rows[i].err ? OPT_FAILED : OPT_OK);
        check_int(rows[i].spec, b.job.req.array_throttle, rows[i].throttle);
        if (rows[i].err)
            check_has(rows[i].spec, err.s, rows[i].err);
        else
            check_str(rows[i].spec, req_detail(&b.job.req)->array_spec, rows[i].spec);
        free(arg);
        batch_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(jobs_are_submitted_for_oneself),
        cmocka_unit_test(understood),
        cmocka_unit_test(later_sources_win),
        cmocka_unit_test(texts),
        cmocka_unit_test(gres_is_shown_as_one_text),
        cmocka_unit_test(every_option_is_handled),
        cmocka_unit_test(arrays_are_checked_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
