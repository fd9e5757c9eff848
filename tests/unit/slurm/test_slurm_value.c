/* Single values of Slurm's commands. */
#include "backend/slurm/slurm_cluster.h"
#include "backend/slurm/slurm_value.h"
#include "src/model/state.h"
#include "src/values/units.h"
#include "tests/lib/check.h"

static struct slurm_span span(const char *text)
{
    return (struct slurm_span){text, strlen(text)};
}

static void test_text(void **state)
{
    (void)state;
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"", NULL},
        {"(null)", NULL},
        {"N/A", NULL},
        {"None", NULL},
        {"main", "main"},
        {"a|b\nc", "a|b\nc"},
        {"za\xc5\xbc\xc3\xb3", "za\xc5\xbc\xc3\xb3"},
        {"bad\xff\xfeutf", "bad??utf"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span s = span(rows[i].in);
        char *got = slurm_text(&s);
        check_str(rows[i].in, got, rows[i].want);
        free(got);
    }
    struct slurm_span none = span("None"), nul = {"a\0b", 3};
    char *name = slurm_text_any(&none), *cut = slurm_text_any(&nul);
    assert_string_equal(name, "None");
    assert_string_equal(cut, "a?b");
    free(name);
    free(cut);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        uint32_t want;
    } rows[] = {{"", 7},           {"12", 12}, {"4294967295", UINT32_MAX},
                {"4294967296", 7}, {"-1", 7},  {"12x", 7},
                {"N/A", 7},        {"0", 0}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span s = span(rows[i].in);
        check_int(rows[i].in, slurm_u32(&s, 7), rows[i].want);
    }
}

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        int64_t want_s;
    } rows[] = {{"1795403981", 1795403981},
                {"2026-11-23T03:19:41", 1795403981},
                {"N/A", 0},
                {"Unknown", 0},
                {"now", 0},
                {"0", 0},
                {"12:00", 0},
                {"99999999999999999", 0}};
    setenv("TZ", "UTC", 1);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span s = span(rows[i].in);
        check_int(rows[i].in, slurm_time(&s).ms, rows[i].want_s * 1000);
    }
}

static void test_durations_and_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        uint32_t want;
    } times[] = {{"1:00:00", 3600},
                 {"2-00:00:00", 172800},
                 {"UNLIMITED", DURATION_UNLIMITED},
                 {"NOT_SET", DURATION_NOT_SET},
                 {"Partition_Limit", DURATION_NOT_SET},
                 {"5:00", 300}};
    static const struct {
        const char *in;
        uint64_t want;
    } sizes[] = {{"100M", 100}, {"62.50G", 64000}, {"32000", 32000}, {"1T", 1 << 20}, {"N/A", 9}, {"x", 9}};
    for (size_t i = 0; i < N_OF(times); i++) {
        struct slurm_span s = span(times[i].in);
        check_int(times[i].in, slurm_duration(&s), times[i].want);
    }
    for (size_t i = 0; i < N_OF(sizes); i++) {
        struct slurm_span s = span(sizes[i].in);
        check_int(sizes[i].in, slurm_mem_mib(&s, 9), sizes[i].want);
    }
}

/* GPUs as squeue and scontrol write them, from the manuals of 20.11 to 25.05: constructed. */
static void test_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *in, *type;
        uint32_t want;
    } rows[] = {
        {"", NULL, 0},
        {"(null)", NULL, 0},
        {"gpu", NULL, 1},
        {"gpu:4", NULL, 4},
        {"gpu:a100", "a100", 1},
        {"gpu:a100:4", "a100", 4},
        {"gpu:a100:4(S:0-1)", "a100", 4},
        {"gpu:a100:2(IDX:0,3)", "a100", 2},
        {"gres:gpu:2", NULL, 2},
        {"gres/gpu:h100:8", "h100", 8},
        {"gres/gpu=2", NULL, 2},
        {"gpu:a100:2,gpu:v100:1,tape:3", "a100", 3},
        {"gpuX:4", NULL, 0},
        {"tape:1", NULL, 0},
        {"gpu:99999999999", "99999999999", 1},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span s = span(rows[i].in);
        char *type;
        check_int(rows[i].in, slurm_gpus(&s, &type), rows[i].want);
        check_str(rows[i].in, type, rows[i].type);
        free(type);
    }
    struct slurm_span tres = span("cpu=10,mem=62.50G,node=2,gres/gpu=4,gres/gpu:a100=4");
    struct slurm_span gpus = slurm_tres(&tres, "gres/gpu"), none = slurm_tres(&tres, "pu");
    assert_int_equal(slurm_u32(&gpus, 0), 4);
    assert_int_equal(none.n, 0);
}

static void test_keys(void **state)
{
    (void)state;
    struct slurm_span line =
        span("NodeName=n1 OS=Linux 6.1 #1 SMP  State=IDLE+DRAIN Reason=fan State=DOWN [root@5]");
    static const struct {
        const char *key, *want;
    } rows[] = {{"NodeName", "n1"}, {"OS", "Linux 6.1 #1 SMP"}, {"State", "IDLE+DRAIN"}, {"Name", NULL}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span v;
        bool there = slurm_key(&line, rows[i].key, &v);
        check_int(rows[i].key, there, rows[i].want != NULL);
        if (there && !slurm_span_is(&v, rows[i].want))
            fail_msg("[%s] is %.*s", rows[i].key, (int)v.n, v.p);
    }
}

static void test_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *state;
        enum node_state want;
        bool drain;
        const char *note;
    } rows[] = {
        {"IDLE", NODE_UP, false, NULL},
        {"MIXED", NODE_UP, false, NULL},
        {"ALLOCATED+COMPLETING", NODE_UP, false, "COMPLETING"},
        {"IDLE+DRAIN", NODE_UP, true, NULL},
        {"MIXED+DRAIN", NODE_UP, true, NULL},
        {"IDLE*", NODE_LOST, false, NULL},
        {"DOWN+NOT_RESPONDING", NODE_DOWN, false, NULL},
        {"IDLE+POWERED_DOWN", NODE_DOWN, false, "POWERED_DOWN"},
        {"IDLE+PLANNED", NODE_UP, false, "PLANNED"},
        {"IDLE+MAINTENANCE+RESERVED", NODE_UP, false, "MAINTENANCE"},
        {"UNKNOWN", NODE_UNKNOWN, false, NULL},
        /* By the manuals of 20.11 to 24.11. */
        {"IDLE+DYNAMIC_NORM", NODE_UP, false, "DYNAMIC_NORM"},
        {"IDLE+CLOUD+POWERING_UP", NODE_UP, false, "CLOUD"},
        {"IDLE+REBOOT_REQUESTED", NODE_UP, false, "REBOOT_REQUESTED"},
        {"IDLE+INVALID_REG", NODE_UP, false, "INVALID_REG"},
        {"IDLE+BLOCKED", NODE_UP, false, "BLOCKED"},
        {"DOWN+DRAIN+NOT_RESPONDING+INVALID_REG", NODE_DOWN, true, "INVALID_REG"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str line = STR_INIT;
        struct node n;
        str_appendf(
            &line,
            "NodeName=g1 CPUAlloc=6 CPUEfctv=62 CPUTot=64 AvailableFeatures=fast,big "
            "Gres=gpu:a100:4(S:0-1) GresUsed=gpu:a100:2(IDX:0,3) RealMemory=512000 AllocMem=64000 State=%s "
            "BootTime=1795400000 Reason=fan is loud [ann@1795403981]",
            rows[i].state);
        struct slurm_span s = {line.s, line.len};
        assert_true(slurm_node_read(&s, &n));
        check_int(rows[i].state, n.state, rows[i].want);
        check_int(rows[i].state, n.drain, rows[i].drain);
        check_int(rows[i].state, n.notes.n > 0, rows[i].note != NULL);
        if (rows[i].note)
            check_str(rows[i].state, n.notes.v[0], rows[i].note);
        check_int(rows[i].state, n.cpus, 62);
        check_int(rows[i].state, cpuset_count(&n.cpus_used), 6);
        check_int(rows[i].state, n.gpus, 4);
        check_int(rows[i].state, cpuset_count(&n.gpus_used), 2);
        check_str(rows[i].state, n.gpu_type, "a100");
        check_int(rows[i].state, n.mem_used_mib, 64000);
        check_str(rows[i].state, n.drain_reason, rows[i].drain ? "fan is loud" : NULL);
        check_str(rows[i].state, n.drain_user, rows[i].drain ? "ann" : NULL);
        rec_fini(&node_rec, &n);
        str_fini(&line);
    }
    struct slurm_span future = span("NodeName=f1 State=FUTURE"), other = span("NoSuch=1");
    struct node n;
    assert_false(slurm_node_read(&future, &n));
    rec_fini(&node_rec, &n);
    assert_false(slurm_node_read(&other, &n));
    rec_fini(&node_rec, &n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_times), cmocka_unit_test(test_durations_and_sizes),
        cmocka_unit_test(test_gpus),  cmocka_unit_test(test_keys),
        cmocka_unit_test(test_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
