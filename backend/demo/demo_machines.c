#include "backend/demo/demo_machines.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/base/xalloc.h"

#define GIB 1024u

static const struct demo_size_row {
    const char *name;
    unsigned gpu_nodes, cpu_nodes;
} sizes[] = {
    [DEMO_SMALL] = {"small", 2, 1}, [DEMO_LAB] = {"lab", 4, 6}, [DEMO_CLUSTER] = {"cluster", 24, 40}};

static const char *const users[DEMO_N_USERS] = {"alice", "bo",     "chen",  "dana",
                                                "emil",  "fatima", "goran", "hana"};

bool demo_size_parse(const char *text, enum demo_size *ret)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (str_eq(text, sizes[i].name)) {
            *ret = (enum demo_size)i;
            return true;
        }
    return false;
}

bool demo_machine_get(enum demo_size size, unsigned i, struct demo_machine *ret)
{
    const struct demo_size_row *s = &sizes[size];
    *ret = (struct demo_machine){.cpus = 4, .mem_mib = 16 * GIB};
    if (i < s->gpu_nodes) {
        *ret = (struct demo_machine){.cpus = 48, .gpus = 8, .mem_mib = 512 * GIB};
        snprintf(ret->name, sizeof ret->name, "gpu%02u", (i + 1) % 100);
    } else if (i < s->gpu_nodes + s->cpu_nodes) {
        *ret = (struct demo_machine){.cpus = 32, .mem_mib = 128 * GIB};
        snprintf(ret->name, sizeof ret->name, "cpu%02u", (i - s->gpu_nodes + 1) % 100);
    } else {
        snprintf(ret->name, sizeof ret->name, DEMO_LOGIN);
    }
    return i <= s->gpu_nodes + s->cpu_nodes;
}

const char *demo_user_name(unsigned i)
{
    return users[i % DEMO_N_USERS];
}

const char *demo_name_of_uid(uint32_t uid)
{
    return uid >= DEMO_UID && uid < DEMO_UID + DEMO_N_USERS ? users[uid - DEMO_UID] : "root";
}

char *demo_agent_socket(const char *dir, const char *node)
{
    return xasprintf("%s/nodes/%s.sock", dir, node);
}

static const char policy[] =
    "qos = (\n"
    "  { name = \"normal\"; priority = 10; },\n"
    "  { name = \"urgent\"; priority = 100; preempt = [\"scavenge\"]; usage_factor = 2.0; },\n"
    "  { name = \"scavenge\"; priority = 0; preempt_mode = \"requeue\"; grace_time = \"20s\"; "
    "usage_factor = 0.2; }\n"
    ");\n"
    "accounts = (\n"
    "  { name = \"vision\"; shares = 4; users = ( { name = \"alice\"; }, { name = \"bo\"; }, "
    "{ name = \"emil\"; } ); },\n"
    "  { name = \"physics\"; shares = 3; users = ( { name = \"chen\"; }, { name = \"hana\"; } ); },\n"
    "  { name = \"biology\"; shares = 2; users = ( { name = \"dana\"; }, { name = \"fatima\"; } ); },\n"
    "  { name = \"teaching\"; shares = 1; users = ( { name = \"goran\"; } ); }\n"
    ");\n"
    "limits = (\n"
    "  { scope = \"user\"; soft = { gpus = 20; }; },\n"
    "  { scope = \"account\"; name = \"teaching\"; hard = { gpus = 2; running_jobs = 6; }; }\n"
    ");\n"
    "licenses = ( { name = \"matlab\"; count = 2; } );\n";

static void demo_config_node(const struct demo_machine *m, const char *dir, struct str *out)
{
    char *path = demo_agent_socket(dir, m->name);
    bool login = str_eq(m->name, DEMO_LOGIN), newer = str_eq(m->name, "gpu04");
    str_appendf(
        out,
        "  { name = \"%s\"; transport = \"local\"; cpus = %u; memory = \"%uG\"; gpus = %u; detect = false;",
        m->name, m->cpus, (unsigned)(m->mem_mib / GIB), m->gpus);
    if (!login)
        str_appendf(out, " agent_socket = \"%s\"; own_files = true;", path);
    if (m->gpus)
        str_appendf(out, " gpu_type = \"%s\"; features = [\"%s\", \"nvlink\"];", newer ? "h100" : "a100",
                    newer ? "h100" : "a100");
    str_appendf(out, "%s }", login ? " role = \"login\";" : "");
    free(path);
}

void demo_cluster_config(enum demo_size size, const char *dir, struct str *out)
{
    struct demo_machine m;
    str_append(out, "cluster = \"demo\";\nmin_job_age = \"6h\";\nlost_node = \"hold\";\n"
                    "node_timeout = \"10m\";\nnodes = (\n");
    for (unsigned i = 0; demo_machine_get(size, i, &m); i++) {
        str_append(out, i ? ",\n" : "");
        demo_config_node(&m, dir, out);
    }
    str_appendf(
        out,
        "\n);\npartitions = (\n"
        "  { name = \"gpu\"; nodes = \"gpu[01-%02u]\"; max_time = \"2-0\"; default_time = \"1h\"; },\n"
        "  { name = \"cpu\"; nodes = \"cpu[01-%02u]\"; default = true; max_time = \"3-0\"; "
        "default_time = \"1h\"; }\n);\n",
        sizes[size].gpu_nodes, sizes[size].cpu_nodes);
    str_append(out, policy);
}
