/* need.h - what a request comes to once its defaults are filled in. */
#ifndef STOKER_MODEL_NEED_H
#define STOKER_MODEL_NEED_H

#include "src/base/err.h"
#include "src/model/job.h"

/* A batch or interactive job's demand. Per-node figures hold for the smallest allowed number of nodes. */
struct job_need {
    uint32_t nodes;     /* at least */
    uint32_t nodes_max; /* at most: as many as there are tasks where the request does not say */
    uint32_t tasks;
    uint32_t cpus_per_task;
    uint32_t cpus;             /* in all: at least one for each node */
    uint32_t tasks_per_node;   /* 0: any */
    uint32_t cpus_per_node;    /* if its tasks are spread evenly */
    uint64_t mem_per_node_mib; /* MEM_NOT_GIVEN: a share of the node by its CPUs; 0: the whole node's */
    uint32_t gpus_per_node;
    uint32_t gpus;          /* in all */
    bool whole_nodes;       /* --exclusive */
    uint32_t gpus_per_task; /* each task brings this many; 0: not counted by task */
    bool gpus_anywhere;     /* only their sum was given: they may be spread unevenly */
    bool most_nodes;        /* a start takes as many nodes as are free, up to nodes_max */
    uint64_t mem_per_cpu_mib, mem_per_gpu_mib; /* not 0: mem_per_node_mib follows from these */
};

/* Figures too large to be counted stay at the largest: they fit nowhere. */
void job_need(const struct job_req *r, struct job_need *ret);
/* Its cpus alone, at a third of the cost. */
uint32_t job_need_cpus(const struct job_req *r);

/* Whether --gpus, --gpus-per-node and --gpus-per-task agree with one another and with the counts of nodes
 * and tasks, so that what is allocated is what each of them says. Errors: -EINVAL. */
int job_need_check_gpus(const struct job_req *r, struct errtext *err) __attribute__((warn_unused_result));

/* Whether --nodes leaves room for all nodes of --nodelist; step jobs, which take any of these, say no
 * number of nodes. Errors: -EINVAL. */
int job_need_check_nodes(const struct job_req *r, struct errtext *err) __attribute__((warn_unused_result));

/* As given, else as many as the GPUs of a node are for (--gpus-per-node with --gpus-per-task); NOT_GIVEN:
 * any. */
uint32_t job_tasks_per_node(const struct job_req *r);

/* Whether the request names an amount of memory: only then is one kept to. Otherwise a share of the node is
 * charged and nothing is enforced; --mem=0 takes all of the node and needs no limit either. */
bool job_limits_memory(const struct job_req *r);

/* Of one task of a declared step. */
void step_task_need(const struct step *s, struct job_need *ret);

/* The nodes that it must have at once: a batch job's, or those of the widest task of a step job. */
uint32_t job_need_nodes(const struct job *j);

/* The memory that cpus CPUs come with on a node where a job gives none: an even share. */
uint64_t mem_share_mib(uint64_t node_mem_mib, uint32_t node_cpus, uint32_t cpus);

#endif
