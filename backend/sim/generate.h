/* generate.h - workloads made up from a description: users with their demands, shapes of jobs, arrivals.
 *
 *     days = 30; seed = 1; load = 0.9;
 *     users = ( { name = "alice"; demand = 10.0; shapes = ["train"]; }, { name = "bob"; } );
 *     shapes = ( { name = "train"; cpus = 8; memory = "32G"; gpus = 1; run = "3h"; spread = 1.0; } );
 *
 * Submissions are a Poisson process; who submits is drawn by demand, what by weight, how long it runs from
 * a logarithmic normal distribution. Time limits are what people write, round values: some are too short,
 * most far too long. Source for the last: Tsafrir, Etsion, Feitelson, "Modeling user runtime estimates",
 * 2005.
 */
#ifndef STOKER_SIM_GENERATE_H
#define STOKER_SIM_GENERATE_H

#include "backend/sim/workload.h"
#include "src/model/spec.h"

struct made_user {
    char *name, *group, *account, *qos, *partition;
    double demand;
    struct strv shapes; /* names; empty: all */
};

struct made_shape {
    char *name, *partition, *qos, *gpu_type;
    struct strv features;
    double weight;
    uint32_t nodes, tasks, cpus; /* cpus of each task; nodes 0: any */
    uint64_t mem_mib;            /* on each node; 0: not said */
    uint32_t gpus;               /* on each node where nodes is given, else in all */
    bool exclusive, keeps_work;
    uint32_t burst;     /* this many alike at once */
    uint32_t run_s;     /* the median */
    double spread;      /* deviation of the logarithm */
    uint32_t limit_s;   /* DURATION_NOT_SET: made up */
    double over_factor; /* limits that are made up are up to this many times the run */
    double overruns;    /* share of the jobs whose limit is too short */
};

struct made_spec {
    double days;
    uint64_t seed;
    double load;         /* of the cluster; 0: jobs_per_day says it */
    double jobs_per_day; /* bursts count as one */
    double day_night; /* 0: even, 1: nothing at two in the night, twice as much at two in the afternoon */
    bool drain;       /* goes on until all jobs have ended */
    REC_LIST(struct made_user) users;
    REC_LIST(struct made_shape) shapes;
};
extern const struct rec_desc made_user_rec, made_shape_rec, made_spec_rec;

/* Reads a description. Owns: rec_fini(&made_spec_rec, ret). Errors: as conf_load. */
int generate_load(const char *path, struct made_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));
int generate_parse(const char *name, const char *text, struct made_spec *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* The workload: a function of its arguments alone. Errors: -EINVAL where a load is asked of a cluster that
 * has nothing that the jobs ask for. */
int generate_workload(const struct made_spec *m, const char *name, const struct cluster_spec *cluster,
                      struct workload *ret, struct errtext *err) __attribute__((warn_unused_result));

/* Appends the reference of all keys, as docs/SCHEDULER.md has it. */
void generate_reference(struct str *out);

#endif
