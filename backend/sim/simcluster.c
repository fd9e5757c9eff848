/* simcluster.c - clusters to simulate. */
#include "backend/sim/simcluster.h"

#include <errno.h>
#include <inttypes.h>

#include "src/base/str.h"
#include "src/conf/conf.h"

#define MIB_OF_A_CPU \
    4096 /* of machines that say nothing about memory: jobs that do not ask for any get a share */
#define NODES_MAX INT64_C(100000)

static bool simcluster_is_compute(const struct node_spec *n)
{
    return !str_eq(n->role, "login");
}

/* Nothing can be asked here: what is not given is an error, but for GPUs. */
static int simcluster_settle(const char *path, struct cluster_spec *c, struct errtext *err)
{
    for (size_t i = 0; i < c->nodes.n; i++) {
        struct node_spec *n = &c->nodes.v[i];
        if (simcluster_is_compute(n) && (!n->cpus || !n->mem_mib))
            return err_set(err, -EINVAL,
                           "%s: node %s: cpus and memory must be given, a simulation detects nothing", path,
                           n->name);
        if (n->gpus == UINT32_MAX)
            n->gpus = 0;
        n->detect = false;
    }
    return 0;
}

int simcluster_load(const char *path, struct cluster_spec *ret, struct errtext *err)
{
    int rc = conf_load(path, ret, err);
    if (rc < 0)
        return rc;
    rc = simcluster_settle(path, ret, err);
    if (rc < 0)
        rec_fini(&cluster_spec_rec, ret);
    return rc;
}

static int simcluster_from_text(const char *text, struct cluster_spec *ret, struct errtext *err)
{
    int rc = conf_parse("the cluster", text, ret, err);
    return rc < 0 ? rc : simcluster_settle("the cluster", ret, err);
}

int simcluster_of_trace(const struct swf *s, struct cluster_spec *ret, struct errtext *err)
{
    int64_t procs = s->max_procs ? s->max_procs : s->max_nodes, nodes = s->max_nodes ? s->max_nodes : procs;
    if (procs <= 0)
        return err_set(err, -EINVAL,
                       "the header says neither MaxProcs nor MaxNodes; --config=FILE says what "
                       "the machine is");
    if (procs % nodes || procs / nodes > CPUSET_MAX)
        nodes = procs;
    if (nodes > NODES_MAX)
        return err_set(err, -E2BIG, "a machine of %" PRId64 " nodes is too large", nodes);
    struct str text = STR_INIT;
    str_appendf(&text,
                "cluster = \"trace\"; nodes = ( { name = \"n[1-%" PRId64 "]\"; cpus = %" PRId64
                "; memory = \"%" PRId64 "M\"; gpus = 0; detect = false; } );",
                nodes, procs / nodes, procs / nodes * MIB_OF_A_CPU);
    int rc = simcluster_from_text(text.s, ret, err);
    str_fini(&text);
    return rc;
}

void simcluster_small(struct cluster_spec *ret)
{
    struct errtext err = {""};
    bug_on(simcluster_from_text(
               "cluster = \"small\"; nodes = ( { name = \"n[1-4]\"; cpus = 32; memory = \"256G\"; gpus = "
               "4; detect = false; } );",
               ret, &err) < 0);
}

struct sim_capacity simcluster_capacity(const struct cluster_spec *c, const struct part_spec *part)
{
    struct sim_capacity sum = {0};
    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node_spec *n = &c->nodes.v[i];
        if (!simcluster_is_compute(n) || (part && !strv_has(&part->nodes, n->name)))
            continue;
        sum.nodes++;
        sum.cpus += n->cpus;
        sum.mem_mib += (double)n->mem_mib;
        sum.gpus += n->gpus;
    }
    return sum;
}
