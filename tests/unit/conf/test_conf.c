/* test_conf.c - stoker.cfg: what is refused and with which words, what comes out, and that nothing makes it
 * crash.
 *
 * test-user
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/conf/conf.h"
#include "src/conf/warn.h"
#include "src/model/state.h"
#include "src/values/units.h"
#include "tests/lib/check.h"
#include "tests/lib/doc.h"

static const char good[] =
    "cluster = \"lab\";\n"
    "engine = \"stoker\"; // a comment with 99999999999 in it\n"
    "nodes = (\n"
    "  { name = \"gpu[01-03]\"; address = \"gpu%s.lab\"; port = 2222; ssh_user = \"stoker\"; identity = "
    "\"/k\";\n"
    "    known_hosts = \"/h\"; cpus = 24; memory = \"128G\"; gpus = 4; gpu_type = \"a100\";\n"
    "    features = [\"x86\", \"bigmem\"]; weight = 5; detect = false; },\n"
    "  { name = \"here\"; },\n"
    "  { name = \"front\"; transport = \"ssh\"; role = \"login\"; }\n"
    ");\n"
    "partitions = (\n"
    "  { name = \"main\"; nodes = \"gpu[01-03]\"; default = true; state = \"up\"; max_time = "
    "\"7-00:00:00\";\n"
    "    default_time = \"1:00:00\"; max_nodes = 4; priority_job_factor = 1; priority_tier = 2;\n"
    "    preempt_mode = \"requeue\"; grace_time = \"120s\"; requeue_after_grace = true;\n"
    "    allow_groups = [\"staff\"]; allow_accounts = []; allow_qos = []; },\n"
    "  { name = \"all\"; }\n"
    ");\n"
    "qos = ( { name = \"high\"; priority = 100; preempt = [\"low\"]; grace_time = \"60s\"; usage_factor = "
    "1.5; },\n"
    "        { name = \"low\"; } );\n"
    "accounts = ( { name = \"vision\"; shares = 10; users = ( { name = \"alice\"; shares = 3; } ); },\n"
    "             { name = \"robots\"; parent = \"vision\"; } );\n"
    "limits = ( { scope = \"user\"; name = \"*\"; partition = \"main\"; soft = { gpus = 2; };\n"
    "             hard = { gpus = 8; cpus = 96; memory = \"512G\"; running_jobs = 50; }; } );\n"
    "priority = { weight_age = 1; weight_fairshare = 2; weight_job_size = 3; weight_partition = 4; "
    "weight_qos = 5;\n"
    "  weight_tres = { cpu = 6; mem = 7; gpu = 8; }; max_age = \"1-0\"; decay_half_life = \"2d\"; "
    "favor_small = false;\n"
    "  fairshare = \"classic\"; billing = { cpu = 2; mem_gb = 0.25; gpu = 32.0; }; };\n"
    "scheduler = { backfill = \"easy\"; window = \"12h\"; };\n"
    "admin_groups = [\"ops\"];\n"
    "kill_wait = \"10s\"; node_timeout = \"90s\"; lost_node = \"requeue\";\n"
    "lease_time = \"3m\"; link_socket = \"/run/l.sock\"; link_keys = \"/var/lib/l\";\n";

/* libconfig 1.5 forgets the text that it was reading when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig_yylex\nleak:strbuf_append\n";
}

static struct cluster_spec parse_good(const char *text)
{
    struct cluster_spec spec;
    struct errtext err = {""};
    if (conf_parse("f", text, &spec, &err) < 0)
        fail_msg("%s", err.s);
    return spec;
}

static void test_bad_files_are_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        /* syntax */
        {"cluster = \"a\"\nnodes = ;", "f:2: syntax error here or just before: nodes = ;"},
        {"cluster = \"a\";\n  cluster = \"b\"; ", "f:2: duplicate setting name: cluster = \"b\";"},
        {"\n\n{", "f:3: syntax error here or just before: {"},
        {"@include nothing", "f:1: @include wants a file name in quotes"},
        {"max_jobs = 4294967296;", "f:1: the number 4294967296 is too large: write it as a text, with a "
                                   "unit where it is a size or a time"},
        {"\nmax_jobs = 0x80000000;", "f:2: the number 0x80000000 is too large: write it as a text, with a "
                                     "unit where it is a size or a time"},
        {"nodes = (\n{ name = \"a\"; memory = -3000000000; } );",
         "f:2: the number -3000000000 is too large: write it as a text, with a unit where it is a size or "
         "a time"},
        {"max_jobs = 99999999999999999999L;", "f:1: the number 99999999999999999999 is too large: write it "
                                              "as a text, with a unit where it is a size or a time"},
        /* keys */
        {"\npropagate_resource_limits = [ \"NOFILE\", \"FILES\" ];",
         "f:2: propagate_resource_limits: \"FILES\" is not a resource limit: ALL, NONE, AS, CORE, CPU, "
         "DATA, "
         "FSIZE, MEMLOCK, NOFILE, NPROC, RSS, STACK"},
        {"propagate_resource_limits = \"STACK\";\npropagate_resource_limits_except = \"CORE\";",
         "f:2: propagate_resource_limits_except: propagate_resource_limits is given, too: give one of "
         "them"},
        {"clster = \"a\";", "f:1: \"clster\" is not a key of the configuration, did you mean \"cluster\"?"},
        {"nodes = (\n  { name = \"a\";\n    cpu = 4; } );",
         "f:3: \"cpu\" is not a key of a node, did you mean \"cpus\"?"},
        {"nodes = ( { name = \"a\"; memroy = \"1G\"; } );",
         "f:1: \"memroy\" is not a key of a node, did you mean \"memory\"?"},
        {"something_else = 1;", "f:1: \"something_else\" is not a key of the configuration"},
        {"priority = { weight_tres = { gpus = 1; }; };",
         "f:1: \"gpus\" is not a key of weight_tres, did you mean \"gpu\"?"},
        {"limits = ( { scope = \"user\"; hard = { gpu = 1; }; } );",
         "f:1: \"gpu\" is not a key of a set of limits, did you mean \"gpus\"?"},
        {"nodes = (\n { cpus = 4; } );", "f:2: a node needs the key \"name\""},
        {"partitions = ( { nodes = \"ALL\"; } );", "f:1: a partition needs the key \"name\""},
        {"limits = ( { hard = { gpus = 1; }; } );", "f:1: a limit needs the key \"scope\""},
        /* shapes */
        {"nodes = { name = \"a\"; };",
         "f:1: nodes: a list of groups like ( { key = value; } ) is expected"},
        {"nodes = ( \"a\" );", "f:1: nodes: a group like { key = value; } is expected"},
        {"priority = ( );", "f:1: priority: a group like { key = value; } is expected"},
        {"cluster = true;", "f:1: cluster: a text in quotes is expected"},
        {"engine = 1;", "f:1: engine: a word in quotes is expected"},
        {"max_jobs = 1.5;", "f:1: max_jobs: a whole number is expected"},
        {"kill_wait = true;",
         "f:1: kill_wait: a time in quotes, like \"90s\" or \"1-12:00:00\" is expected"},
        {"nodes = ( { name = \"a\"; memory = [1]; } );",
         "f:1: memory: a size in quotes, like \"512M\" or \"64G\" is expected"},
        {"admin_groups = { a = 1; };",
         "f:1: admin_groups: a text or a list like [\"a\", \"b\"] is expected"},
        {"admin_groups = ( \"a\",\n { b = 1; } );", "f:2: admin_groups: a list of texts is expected"},
        {"nodes = ( { name = \"a\"; detect = 0.5; } );", "f:1: detect: true or false is expected"},
        /* values */
        {"cluster = \"\";",
         "f:1: cluster: \"\" cannot be a name (up to 128 bytes without blanks and separators)"},
        {"cluster = \"a b\";",
         "f:1: cluster: \"a b\" cannot be a name (up to 128 bytes without blanks and separators)"},
        {"cluster = \"a\xff\";", "f:1: cluster: the text is not UTF-8"},
        {"engine = \"pbs\";", "f:1: engine: \"pbs\" is not stoker"},
        {"engine = \"slurm\";", "f:1: engine: \"slurm\" is not stoker"},
        {"scheduler = { backfill = \"yes\"; };", "f:1: backfill: \"yes\" is not conservative, easy or off"},
        {"max_jobs = 0;", "f:1: max_jobs: \"0\" is not a whole number from 1 to 10000000"},
        {"max_jobs = \"many\";", "f:1: max_jobs: \"many\" is not a whole number from 1 to 10000000"},
        {"priority = { billing = { gpu = -1; }; };", "f:1: gpu: \"-1\" is not a number from 0 to 1000000"},
        {"kill_wait = \"soon\";",
         "f:1: kill_wait: \"soon\" is not a time: give 90s, 5m, 2h, 7d, 1w, HH:MM:SS, D-HH or unlimited"},
        {"nodes = ( { name = \"a\"; cpus = 0; } );",
         "f:1: cpus: \"0\" is not a whole number from 1 to 1024 or \"detect\""},
        {"nodes = ( { name = \"a\"; gpus = 2000; } );",
         "f:1: gpus: \"2000\" is not a whole number from 0 to 1024 or \"detect\""},
        {"nodes = ( { name = \"a\"; memory = \"lots\"; } );",
         "f:1: memory: \"lots\" is not a size: give a number with K, M, G or T"},
        {"nodes = ( { name = \"a\"; port = 65536; } );",
         "f:1: port: \"65536\" is not a whole number from 1 to 65535"},
        /* nodes */
        {"nodes = ( { name = \"\"; } );", "f:1: name: an empty text is not a name"},
        {"nodes = ( { name = \"a[1\"; } );", "f:1: name: node list \"a[1\": ']' is missing at character 4"},
        {"nodes = ( { name = \"a/b\"; } );",
         "f:1: name: \"a/b\" cannot be a node's name: letters, digits, '-', '_' and '.'"},
        {"nodes = ( { name = \"a\"; },\n { name = \"a\"; } );", "f:2: name: two nodes are called \"a\""},
        {"nodes = ( { name = \"g[1-4]\"; },\n { name = \"g[4-5]\"; } );",
         "f:2: name: two nodes are called \"g4\""},
        {"nodes = ( { name = \"g[1-4]\"; address = \"g\"; } );",
         "f:1: address: 4 nodes with one address: write %s for the text of the name's bracket"},
        {"nodes = ( { name = \"g\"; address = \"g%s\"; } );",
         "f:1: address: %s needs a name with one bracket, like \"gpu[01-04]\""},
        {"nodes = ( { name = \"g[1-2]x[1-2]\"; address = \"g%s\"; } );",
         "f:1: address: %s needs a name with one bracket, like \"gpu[01-04]\""},
        {"nodes = ( { name = \"g[1-2]\"; address = \"g%d\"; } );",
         "f:1: address: after % only s can stand, for the text of the name's bracket"},
        {"nodes = ( { name = \"g\"; address = \"\"; } );", "f:1: address: an empty text is not an address"},
        {"nodes = ( { name = \"g\"; transport = \"local\";\naddress = \"g\"; } );",
         "f:2: address: a node with transport = \"local\" is this machine and has none"},
        {"nodes = ( { name = \"g\"; detect = false; cpus = 4; } );",
         "f:1: detect = false needs the key \"memory\""},
        {"nodes = ( { name = \"g[1-99999]\"; }, { name = \"h[1-99999]\"; } );",
         "f:1: more than 100000 nodes"},
        /* partitions */
        {"partitions = ( { name = \"p\"; },\n{ name = \"p\"; } );",
         "f:2: name: two partitions are called \"p\""},
        {"nodes = ( { name = \"gpu1\"; } );\npartitions = ( { name = \"p\";\n nodes = \"gpu2\"; } );",
         "f:3: nodes: no node is called \"gpu2\", did you mean \"gpu1\"?"},
        {"nodes = ( { name = \"l\"; role = \"login\"; } ); partitions = ( { name = \"p\"; nodes = \"l\"; } "
         ");",
         "f:1: nodes: \"l\" is a login node and runs no jobs"},
        {"partitions = ( { name = \"p\"; nodes = \"n[\"; } );",
         "f:1: nodes: node list \"n[\": ']' is missing at character 3"},
        {"partitions = ( { name = \"p\"; default = true; }, { name = \"q\";\n default = true; } );",
         "f:2: default: another partition is the default already"},
        {"partitions = ( { name = \"p\"; max_time = \"1h\"; default_time = \"2h\"; } );",
         "f:1: default_time: longer than max_time"},
        {"partitions = ( { name = \"p\"; default_memory_per_cpu = \"1G\"; default_memory_per_node = "
         "\"2G\"; } );",
         "f:1: default_memory_per_node: default_memory_per_cpu is given as well"},
        {"qos = ( { name = \"high\"; } ); partitions = ( { name = \"p\"; allow_qos = [\"hihg\"]; } );",
         "f:1: allow_qos: no QOS is called \"hihg\", did you mean \"high\"?"},
        {"accounts = ( { name = \"a\"; } ); partitions = ( { name = \"p\"; allow_accounts = [\"vision\"]; "
         "} );",
         "f:1: allow_accounts: no account is called \"vision\""},
        /* QOS, accounts, limits */
        {"qos = ( { name = \"a\"; }, { name = \"a\"; } );", "f:1: name: two QOS are called \"a\""},
        {"qos = ( { name = \"a\"; preempt = [\"b\"]; } );", "f:1: preempt: no QOS is called \"b\""},
        {"qos = ( { name = \"a\"; preempt = \"a\"; } );", "f:1: preempt: \"a\" cannot preempt itself"},
        {"qos = ( { name = \"a\"; preempt = \"b\"; }, { name = \"b\"; preempt = \"a\"; } );",
         "f:1: preempt: \"a\" and \"b\" would preempt each other"},
        {"accounts = ( { name = \"root\"; } );",
         "f:1: name: \"root\" is always there and holds all accounts"},
        {"accounts = ( { name = \"a\"; parent = \"b\"; } );", "f:1: parent: no account is called \"b\""},
        {"accounts = ( { name = \"a\"; parent = \"a\"; } );",
         "f:1: parent: \"a\" is a part of itself in the end"},
        {"accounts = ( { name = \"a\"; parent = \"b\"; },\n{ name = \"b\"; parent = \"c\"; }, { name = "
         "\"c\"; parent = \"b\"; } );",
         "f:1: parent: \"a\" is a part of itself in the end"},
        {"accounts = ( { name = \"a\"; users = ( { name = \"u\"; }, { name = \"u\"; } ); } );",
         "f:1: users: \"u\" is there twice"},
        {"limits = ( { scope = \"users\"; } );",
         "f:1: scope: \"users\" is not user, account, qos, partition or cluster"},
        {"limits = ( { scope = \"user\"; partition = \"nope\"; } );",
         "f:1: partition: no partition is called \"nope\""},
        {"limits = ( { scope = \"qos\"; name = \"q\"; } );", "f:1: name: no QOS is called \"q\""},
        {"limits = ( { scope = \"cluster\"; name = \"q\"; } );",
         "f:1: name: the cluster's limits have none"},
        {"limits = ( { scope = \"user\"; soft = { memory = \"2G\"; }; hard = { memory = \"1G\"; }; } );",
         "f:1: soft: memory is over the hard limit"},
        {"limits = ( { scope = \"user\"; hard = { gpus = 1; }; },\n { scope = \"user\"; name = \"*\"; soft "
         "= { "
         "cpus = 1; }; } );",
         "f:2: a limit of the same scope, name and partition is there already"},
        /* Accepted they would have no effect. */
        {"limits = ( { scope = \"user\"; soft = { submitted_jobs = 5; }; } );",
         "f:1: soft: submitted_jobs can only be limited by hard"},
        {"limits = ( { scope = \"user\";\n soft = { array_size = 5; }; } );",
         "f:2: soft: array_size can only be limited by hard"},
        {"limits = (\n { scope = \"user\"; } );", "f:2: neither soft nor hard limits anything"},
        {"limits = ( { scope = \"user\"; soft = { }; hard = { }; } );",
         "f:1: neither soft nor hard limits anything"},
        {"partitions = ( { name = \"p\"; }, { name = \"q\"; } ); limits = ( { scope = \"partition\"; name "
         "= "
         "\"p\"; partition = \"q\"; hard = { gpus = 1; }; } );",
         "f:1: partition: no job in partition \"q\" counts for partition \"p\""},
        {"partitions = ( { name = \"p\"; deny_qos = [\"nosuchqos\"]; } );",
         "f:1: deny_qos: no QOS is called \"nosuchqos\""},
        {"partitions = ( { name = \"p\"; allow_qos = [\"nosuchqos\"]; } );",
         "f:1: allow_qos: no QOS is called \"nosuchqos\""},
        {"partitions = ( { name = \"p\"; default_time = \"0\"; } );",
         "f:1: default_time: no job can run for 0 seconds"},
        {"partitions = ( { name = \"p\"; max_time = \"0s\"; } );",
         "f:1: max_time: no job can run for 0 seconds"},
        {"qos = ( { name = \"a\"; preempt = \"b\"; }, { name = \"b\"; preempt = \"c\"; }, { name = \"c\"; "
         "preempt = [\"normal\", \"a\"]; } );",
         "f:1: preempt: \"a\" would preempt itself in the end"},
        {"nodes = ( { name = \"a\"; identity = \"/k\"; } );",
         "f:1: identity: this machine is not reached over SSH: give an address, or transport = \"ssh\""},
        {"nodes = ( { name = \"a\"; address = \"a.lab\"; agent_socket = \"/s\"; } );",
         "f:1: agent_socket: only a node with transport = \"local\" or \"socket\" has one"},
        {"nodes = ( { name = \"a\"; transport = \"socket\"; } );",
         "f:1: transport: \"socket\" needs agent_socket, which leads to the agent"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cluster_spec spec;
        struct errtext err = {""};
        int r = conf_parse("f", cases[i].text, &spec, &err);
        if (r == 0)
            fail_msg("accepted: %s", cases[i].text);
        if (r != -EINVAL || strcmp(err.s, cases[i].error) != 0)
            fail_msg("%s\n  says %d \"%s\"\n  expected \"%s\"", cases[i].text, r, err.s, cases[i].error);
    }
}

static void test_nothing_is_required(void **state)
{
    (void)state;
    struct cluster_spec spec;
    conf_default(&spec);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    assert_string_equal(spec.name, "stoker");
    assert_string_equal(spec.engine, "stoker");
    assert_int_equal(spec.nodes.n, 1);
    const struct node_spec *n = &spec.nodes.v[0];
    assert_string_equal(n->name, host);
    assert_null(n->address);
    assert_string_equal(n->transport, "local");
    assert_string_equal(n->role, "compute");
    assert_true(n->detect);
    assert_int_equal(n->cpus, 0);
    assert_int_equal(n->mem_mib, 0);
    assert_int_equal(n->gpus, UINT32_MAX);
    assert_int_equal(spec.parts.n, 1);
    const struct part_spec *p = &spec.parts.v[0];
    assert_string_equal(p->name, "main");
    assert_true(p->is_default);
    assert_int_equal(p->nodes.n, 1);
    assert_string_equal(p->nodes.v[0], host);
    assert_int_equal(p->max_time_s, DURATION_UNLIMITED);
    assert_int_equal(p->default_time_s, DURATION_NOT_SET);
    assert_int_equal(p->max_nodes, UINT32_MAX);
    assert_int_equal(spec.kill_wait_s, 30);
    assert_int_equal(spec.node_timeout_s, 60);
    assert_int_equal(spec.min_job_age_s, 300);
    assert_int_equal(spec.lost_node, LOST_HOLD);
    assert_int_equal(spec.lease_s, 300);
    assert_int_equal(p->lost_node, LOST_NOT_SAID);
    assert_int_equal(spec.backfill, BACKFILL_CONSERVATIVE);
    assert_int_equal(spec.window_s, 7 * 86400);
    assert_true(spec.priority.fair_tree);
    assert_true(spec.priority.billing_gpu == 16.0);
    assert_int_equal(spec.admin_groups.n, 2);
    rec_fini(&cluster_spec_rec, &spec);
}

static void test_every_key_arrives(void **state)
{
    (void)state;
    struct cluster_spec s = parse_good(good);
    assert_string_equal(s.name, "lab");
    assert_int_equal(s.nodes.n, 5);
    const struct node_spec *n = &s.nodes.v[1];
    assert_string_equal(n->name, "gpu02");
    assert_string_equal(n->address, "gpu02.lab");
    assert_int_equal(n->port, 2222);
    assert_string_equal(n->ssh_user, "stoker");
    assert_string_equal(n->identity, "/k");
    assert_string_equal(n->known_hosts, "/h");
    assert_string_equal(n->transport, "ssh");
    assert_int_equal(n->cpus, 24);
    assert_int_equal(n->mem_mib, 128 * 1024);
    assert_int_equal(n->gpus, 4);
    assert_string_equal(n->gpu_type, "a100");
    assert_int_equal(n->features.n, 2);
    assert_string_equal(n->features.v[1], "bigmem");
    assert_int_equal(n->weight, 5);
    assert_false(n->detect);
    assert_string_equal(s.nodes.v[3].transport, "local");
    assert_string_equal(s.nodes.v[4].address, "front");

    const struct part_spec *p = &s.parts.v[0];
    assert_int_equal(p->nodes.n, 3);
    assert_true(p->is_default);
    assert_int_equal(p->max_time_s, 7 * 86400);
    assert_int_equal(p->default_time_s, 3600);
    assert_int_equal(p->max_nodes, 4);
    assert_int_equal(p->priority_tier, 2);
    assert_int_equal(p->preempt_mode, PREEMPT_REQUEUE);
    assert_int_equal(p->grace_s, 120);
    assert_true(p->requeue_after_grace);
    assert_string_equal(p->allow_groups.v[0], "staff");
    assert_int_equal(s.parts.v[1].nodes.n, 4); /* not the login node */
    assert_false(s.parts.v[1].is_default);

    assert_int_equal(s.qos.v[0].priority, 100);
    assert_string_equal(s.qos.v[0].preempt.v[0], "low");
    assert_int_equal(s.qos.v[0].grace_s, 60);
    assert_true(s.qos.v[0].usage_factor == 1.5);
    assert_string_equal(s.accounts.v[0].parent, "root");
    assert_int_equal(s.accounts.v[0].users.v[0].shares, 3);
    assert_string_equal(s.accounts.v[1].parent, "vision");
    const struct limit_spec *l = &s.limits.v[0];
    assert_int_equal(l->scope, LIMIT_USER);
    assert_string_equal(l->partition, "main");
    assert_int_equal(l->soft.gpus, 2);
    assert_true(l->soft.cpus == LIMIT_NONE);
    assert_int_equal(l->hard.mem_mib, 512 * 1024);
    assert_int_equal(l->hard.running_jobs, 50);
    assert_int_equal(s.priority.weight_qos, 5);
    assert_int_equal(s.priority.weight_gpu, 8);
    assert_int_equal(s.priority.max_age_s, 86400);
    assert_int_equal(s.priority.decay_half_life_s, 2 * 86400);
    assert_false(s.priority.favor_small);
    assert_false(s.priority.fair_tree);
    assert_true(s.priority.billing_cpu == 2.0);
    assert_true(s.priority.billing_mem_gb == 0.25);
    assert_int_equal(s.backfill, BACKFILL_EASY);
    assert_int_equal(s.window_s, 12 * 3600);
    assert_int_equal(s.admin_groups.n, 1);
    assert_int_equal(s.kill_wait_s, 10);
    assert_int_equal(s.node_timeout_s, 90);
    assert_int_equal(s.lost_node, LOST_REQUEUE);
    assert_int_equal(s.lease_s, 180);
    assert_string_equal(s.link_socket, "/run/l.sock");
    assert_string_equal(s.link_keys, "/var/lib/l");
    rec_fini(&cluster_spec_rec, &s);
}

static void test_numbers_and_texts_are_as_good_as_each_other(void **state)
{
    (void)state;
    struct cluster_spec s = parse_good(
        "max_jobs = \"5000\"; kill_wait = 20;\n"
        "nodes = ( { name = 7; memory = 4096; cpus = \"3\"; detect = \"no\"; features = \"a, b\"; } );"
        "limits = ( { scope = \"user\"; hard = { gpu_minutes = \"5000000000\"; }; } );"
        "priority = { billing = { gpu = 3; }; };");
    assert_int_equal(s.max_jobs, 5000);
    assert_int_equal(s.kill_wait_s, 20);
    assert_string_equal(s.nodes.v[0].name, "7");
    assert_int_equal(s.nodes.v[0].mem_mib, 4096);
    assert_int_equal(s.nodes.v[0].cpus, 3);
    assert_int_equal(s.nodes.v[0].gpus, 0); /* detect = false and none said */
    assert_false(s.nodes.v[0].detect);
    assert_int_equal(s.nodes.v[0].features.n, 2);
    assert_true(s.limits.v[0].hard.gpu_minutes == 5000000000);
    assert_true(s.priority.billing_gpu == 3.0);
    rec_fini(&cluster_spec_rec, &s);
}

/* The QOS of jobs that name none needs no entry of its own to be preempted, limited or admitted. */
static void test_qos_normal_is_always_there(void **state)
{
    (void)state;
    struct cluster_spec spec;
    struct errtext err = {""};
    assert_int_equal(
        conf_parse("f",
                   "qos = ( { name = \"high\"; preempt = [\"normal\"]; } );\n"
                   "partitions = ( { name = \"p\"; allow_qos = [\"normal\"]; } );\n"
                   "limits = ( { scope = \"qos\"; name = \"normal\"; hard = { gpus = 1; }; } );",
                   &spec, &err),
        0);
    assert_int_equal(spec.qos.n, 2);
    assert_string_equal(spec.qos.v[1].name, "normal");
    assert_int_equal(spec.qos.v[1].priority, 0);
    rec_fini(&cluster_spec_rec, &spec);
    assert_int_equal(conf_parse("f", "qos = ( { name = \"normal\"; priority = 5; } );", &spec, &err), 0);
    assert_int_equal(spec.qos.n, 1);
    assert_int_equal(spec.qos.v[0].priority, 5);
    rec_fini(&cluster_spec_rec, &spec);
}

static void test_the_first_partition_is_the_default(void **state)
{
    (void)state;
    struct cluster_spec s = parse_good("partitions = ( { name = \"a\"; }, { name = \"b\"; } );");
    assert_true(s.parts.v[0].is_default);
    assert_false(s.parts.v[1].is_default);
    rec_fini(&cluster_spec_rec, &s);
}

static void test_a_dump_gives_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {good, ""};
    for (size_t i = 0; i < 2; i++) {
        struct cluster_spec first = parse_good(texts[i]);
        char *dump = conf_dump(&first);
        struct cluster_spec second = parse_good(dump);
        assert_true(rec_eq(&cluster_spec_rec, &first, &second));
        char *again = conf_dump(&second);
        assert_string_equal(dump, again);
        free(again);
        free(dump);
        rec_fini(&cluster_spec_rec, &first);
        rec_fini(&cluster_spec_rec, &second);
    }
}

/* ---- files ---- */

static char dir[] = "/tmp/st-conf.XXXXXX";

static char *write_file(const char *name, const char *text, size_t n)
{
    char *path = xasprintf("%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void put(const char *name, const char *text)
{
    free(write_file(name, text, strlen(text)));
}

static void check_file(const char *name, const char *error)
{
    char *path = xasprintf("%s/%s", dir, name);
    struct cluster_spec spec;
    struct errtext err = {""};
    int r = conf_load(path, &spec, &err);
    if (r == 0) {
        assert_null(error);
        assert_string_equal(spec.name, "inner");
        rec_fini(&cluster_spec_rec, &spec);
    } else {
        const char *text = str_starts(err.s, dir) ? err.s + strlen(dir) + 1 : err.s;
        assert_non_null(error);
        assert_string_equal(text, error);
    }
    free(path);
}

static void test_files_and_includes(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    char *sub = xasprintf("%s/sub", dir);
    assert_int_equal(mkdir(sub, 0700), 0);

    check_file("none.cfg", "none.cfg: No such file or directory");
    check_file("sub", "sub: not a file");
    free(write_file("nul.cfg", "cluster = \"a\0b\";", 16));
    check_file("nul.cfg", "nul.cfg: a NUL byte in it");

    put("sub/inner.cfg", "\ncluster = \"inner\";\n");
    put("a.cfg", "# one\n  @include \"sub/inner.cfg\"\nmax_jobs = 7;\n");
    check_file("a.cfg", NULL);
    put("wrong.cfg", "# one\n@include \"sub/inner.cfg\"\n\nmax_jbs = 7;\n");
    check_file("wrong.cfg",
               "wrong.cfg:4: \"max_jbs\" is not a key of the configuration, did you mean \"max_jobs\"?");
    put("sub/bad.cfg", "\n/* a\ncomment */ kill_wait = \"x\";");
    put("b.cfg", "@include \"sub/bad.cfg\"");
    check_file("b.cfg", "sub/bad.cfg:3: kill_wait: \"x\" is not a time: give 90s, 5m, 2h, 7d, 1w, "
                        "HH:MM:SS, D-HH or unlimited");
    put("sub/nested.cfg", "@include \"sub/inner.cfg\"\n"); /* relative to the main file */
    put("c.cfg", "@include \"sub/nested.cfg\"\n");
    check_file("c.cfg", NULL);
    char *absolute = xasprintf("@include \"%s/sub/inner.cfg\"\n", dir);
    put("sub/d.cfg", absolute);
    check_file("sub/d.cfg", NULL);
    put("loop.cfg", "@include \"loop.cfg\"\n");
    check_file("loop.cfg", "loop.cfg:1: more than 10 files within files");
    put("text.cfg", "cluster = \"inner\"; // \n/*\n@include \"nothing\"\n*/\n# @include \"nothing\"\n");
    check_file("text.cfg", NULL);
    put("missing.cfg", "\n@include \"nothing\"\n");
    char *path = xasprintf("%s/missing.cfg", dir);
    struct cluster_spec spec;
    struct errtext err = {""};
    assert_int_equal(conf_load(path, &spec, &err), -ENOENT);
    assert_true(strstr(err.s, "missing.cfg:2: ") && strstr(err.s, "nothing: No such file"));

    char *command = xasprintf("rm -r '%s'", dir);
    assert_int_equal(system(command), 0);
    free(command);
    free(path);
    free(absolute);
    free(sub);
}

/* ---- whatever is typed ---- */

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(check_rand(&seed) % n);
}

static void test_random_edits_never_crash(void **state)
{
    (void)state;
    seed = check_seed();
    static const char *const pieces[] = {
        "{",   "}",           "(",    ")",   "[", "]",    ";",
        "=",   "\"",          "\\",   "/*",  "#", ",",    "\n",
        "0x",  "99999999999", "-1",   "1e9", "L", "true", "@include \"x\"\n",
        "[1-", "%s",          "\xff", "gpus"};
    unsigned accepted = 0;
    for (int round = 0; round < 4000; round++) {
        struct str s = STR_INIT;
        str_append(&s, good);
        for (uint32_t edits = 1 + below(4); edits; edits--) {
            uint32_t at = below((uint32_t)s.len + 1), drop = below(3) ? below(6) : 0;
            drop = at + drop > s.len ? (uint32_t)s.len - at : drop;
            char *tail = xstrdup(s.s + at + drop);
            str_truncate(&s, at);
            if (below(2))
                str_append(&s, pieces[below(sizeof pieces / sizeof pieces[0])]);
            str_append(&s, tail);
            free(tail);
        }
        struct cluster_spec spec;
        struct errtext err = {""};
        int r = conf_parse("f", s.s, &spec, &err);
        if (r == 0) {
            accepted++;
            char *dump = conf_dump(&spec);
            struct cluster_spec again = parse_good(dump);
            assert_true(rec_eq(&cluster_spec_rec, &spec, &again));
            rec_fini(&cluster_spec_rec, &again);
            rec_fini(&cluster_spec_rec, &spec);
            free(dump);
        } else {
            assert_true(strlen(err.s) > 0);
        }
        str_fini(&s);
    }
    assert_in_range(accepted, 1, 3999);
}

/* ---- what is said without effect ---- */

static void test_rules_without_effect(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
    } rows[] = {
        {"one tier",
         "partitions = ( { name = \"a\"; }, { name = \"b\"; } );\n"
         "qos = ( { name = \"hi\"; preempt = [\"lo\"]; allow_users = \"*\"; }, { name = \"lo\"; } );\n",
         ""},
        {"the other's tier is higher",
         "partitions = ( { name = \"main\"; priority_tier = 2; }, { name = \"spot\"; } );\n"
         "qos = ( { name = \"hi\"; preempt = [\"lo\"]; allow_users = \"*\"; }, { name = \"lo\"; } );\n",
         "QOS \"hi\" preempts \"lo\", but partition \"main\" (tier 2) comes before \"spot\" (tier 1): a "
         "job of QOS hi "
         "in spot preempts no job of QOS lo in main"},
        {"several pairs of partitions, one sentence",
         "partitions = ( { name = \"main\"; priority_tier = 2; }, { name = \"spot\"; }, { name = \"low\"; "
         "} );\n"
         "qos = ( { name = \"hi\"; preempt = [\"lo\"]; allow_users = \"*\"; }, { name = \"lo\"; } );\n",
         "QOS \"hi\" preempts \"lo\", but partition \"main\" (tier 2) comes before \"spot\" (tier 1): a "
         "job of QOS hi in spot preempts no job of QOS lo in main (and 1 more pair of partitions)"},
        {"the other may not be there",
         "partitions = ( { name = \"main\"; priority_tier = 2; deny_qos = [\"lo\"]; }, { name = \"spot\"; "
         "} );\n"
         "qos = ( { name = \"hi\"; preempt = [\"lo\"]; allow_users = \"*\"; }, { name = \"lo\"; } );\n",
         ""},
        {"a QOS that only administrators may use",
         "qos = ( { name = \"hi\"; priority = 5; }, { name = \"lo\"; } );\n",
         "only administrators may use QOS \"hi\", because it adds priority and names no users: set "
         "allow_users, allow_groups or allow_accounts (allow_users = [\"*\"]: all users)"},
        {"no node in common",
         "nodes = ( { name = \"n[1-2]\"; address = \"h%s\"; } );\n"
         "partitions = ( { name = \"main\"; nodes = \"n1\"; priority_tier = 2; }, { name = \"spot\"; nodes "
         "= \"n2\"; } "
         ");\n"
         "qos = ( { name = \"hi\"; preempt = [\"lo\"]; allow_users = \"*\"; }, { name = \"lo\"; } );\n",
         ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct cluster_spec spec = parse_good(rows[i].text);
        struct strv texts = {0};
        conf_warnings(&spec, &texts);
        check_str(rows[i].name, texts.n ? texts.v[0] : "", rows[i].want);
        assert_true(texts.n <= 1);
        strv_fini(&texts);
        rec_fini(&cluster_spec_rec, &spec);
    }
}

/* ---- the documentation ---- */

/* docs/CONFIG.md ends with the reference that the tables give. With UPDATE_DOCS=1 that part is written
 * again. */
static void test_the_documentation_is_that_of_the_tables(void **state)
{
    (void)state;
    struct str reference = STR_INIT;
    conf_reference(&reference);
    doc_must_end_with("docs/CONFIG.md",
                      "<!-- The tables in src/conf give the rest: UPDATE_DOCS=1 "
                      "tests/unit/conf/test_conf writes it. -->\n\n",
                      reference.s);
    str_fini(&reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files_are_refused_by_line),
        cmocka_unit_test(test_files_and_includes),
        cmocka_unit_test(test_nothing_is_required),
        cmocka_unit_test(test_every_key_arrives),
        cmocka_unit_test(test_numbers_and_texts_are_as_good_as_each_other),
        cmocka_unit_test(test_qos_normal_is_always_there),
        cmocka_unit_test(test_the_first_partition_is_the_default),
        cmocka_unit_test(test_a_dump_gives_the_same),
        cmocka_unit_test(test_random_edits_never_crash),
        cmocka_unit_test(test_rules_without_effect),
        cmocka_unit_test(test_the_documentation_is_that_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
