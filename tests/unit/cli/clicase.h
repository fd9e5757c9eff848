/* clicase.h - a small cluster that the tests of listings print. */
#ifndef STOKER_TESTS_UNIT_CLI_CLICASE_H
#define STOKER_TESTS_UNIT_CLI_CLICASE_H

#include "src/base/xalloc.h"
#include "src/cli/listing/columns.h"
#include "src/cli/listing/nodecolumns.h"
#include "src/model/model.h"
#include "src/values/units.h"

#define NOW_MS 1700003600000LL /* an hour after the jobs were submitted: 2023-11-14T23:13:20 UTC */

static inline struct node make_node(const char *name, uint32_t cpus, uint64_t mem, uint32_t gpus)
{
    struct node n = {.state = NODE_UP, .cpus = cpus, .mem_mib = mem, .gpus = gpus};
    n.spec.name = xstrdup(name);
    n.spec.weight = 1;
    n.spec.port = 22;
    n.gpu_type = gpus ? xstrdup("a100") : NULL;
    n.arch = xstrdup("x86_64");
    n.os = xstrdup("Linux 6.1");
    n.version = xstrdup("0.1.0");
    n.t_boot = (struct wall){.ms = 1690000000000LL};
    return n;
}

/* Three nodes; partition main (default) has all of them, gpu the last, empty none. */
static inline void make_cluster(struct model *m)
{
    static const char *const names[] = {"n1", "n2", "g1"};
    struct cluster_spec spec = {.name = xstrdup("lab"),
                                .kill_wait_s = 30,
                                .min_job_age_s = 300,
                                .max_array_size = 1001,
                                .max_jobs = 10000,
                                .node_timeout_s = 60};
    struct part_spec *p = rec_list_push(&spec.parts);
    spec.priority.billing_cpu = 1;
    *p = (struct part_spec){.name = xstrdup("main"),
                            .is_default = true,
                            .max_time_s = 7 * 86400,
                            .default_time_s = 3600,
                            .max_nodes = UINT32_MAX,
                            .priority_job_factor = 1,
                            .priority_tier = 1};
    for (size_t i = 0; i < 3; i++)
        strv_push(&p->nodes, names[i]);
    p = rec_list_push(&spec.parts);
    *p = (struct part_spec){.name = xstrdup("gpu"),
                            .max_time_s = DURATION_UNLIMITED,
                            .default_time_s = DURATION_NOT_SET,
                            .max_nodes = 2,
                            .priority_job_factor = 1,
                            .priority_tier = 1};
    strv_push(&p->nodes, "g1");
    p = rec_list_push(&spec.parts);
    *p = (struct part_spec){.name = xstrdup("empty"),
                            .state = PART_DOWN,
                            .max_time_s = 600,
                            .default_time_s = 600,
                            .max_nodes = UINT32_MAX,
                            .priority_tier = 1};
    model_init(m);
    model_take_spec(m, &spec);
    struct node n = make_node("n1", 8, 16384, 0);
    model_take_node(m, &n);
    n = make_node("n2", 8, 32768, 0);
    model_take_node(m, &n);
    n = make_node("g1", 16, 65536, 4);
    model_take_node(m, &n);
    m->now = (struct wall){.ms = NOW_MS};
}

static inline struct job *make_job(uint32_t id, enum job_state state, const char *name)
{
    struct job *j = job_new();
    j->id = id;
    j->state = (uint8_t)state;
    j->uid = 1000;
    job_origin_mut(j)->gid = 100;
    j->user = xstrdup("alice");
    job_origin_mut(j)->group = xstrdup("staff");
    j->partition = xstrdup("main");
    j->req.partition = xstrdup("main");
    j->req.name = xstrdup(name);
    j->req.workdir = xstrdup("/home/alice");
    j->priority = 1000 + id;
    j->t_submit = j->t_eligible = (struct wall){.ms = NOW_MS - 3600000};
    if (state != JOB_PENDING)
        j->t_start = (struct wall){.ms = NOW_MS - 3723000};
    return j;
}

static inline void give_node(struct job *j, const char *node, unsigned first, unsigned cpus, uint64_t mem)
{
    struct alloc *a = rec_list_push(&j->alloc);
    a->node = xstrdup(node);
    cpuset_add_range(&a->cpus, first, cpus);
    a->mem_mib = mem;
    j->holding = true;
}

#endif
