/* node_gpus.h - the GPUs of this node: which there are, which must not be given, how busy they are.
 *
 * A process of its own looks (gpu_sampler.h) and is asked every few seconds, less often where a sample
 * takes long; not at all where the machine has no such GPUs. What changes is told at once.
 */
#ifndef STOKER_BACKEND_NODE_NODE_GPUS_H
#define STOKER_BACKEND_NODE_NODE_GPUS_H

#include "backend/loop/loop.h"
#include "backend/node/node_facts.h"
#include "backend/task/proc.h"
#include "src/os/spawn.h"

struct node_gpus;

/* What the owner of the tasks knows. */
struct node_gpus_ops {
    /* The job that the process belongs to; false: to none. */
    bool (*find_job)(void *ctx, const struct proc *p, uint32_t *ret_job);
    bool (*job_holds)(void *ctx, uint32_t job, uint32_t gpu);
    bool (*user_holds)(void *ctx, uint32_t uid, uint32_t gpu);
    /* What node_gpus_describe says is another now. */
    void (*on_change)(void *ctx);
    /* node_gpus_usage returns what was just measured. */
    void (*on_sample)(void *ctx);
};

struct node_gpus_config {
    struct loop *loop;
    struct node_facts *facts; /* its probe follows what is found */
    int dir_fd;               /* keeps the numbers of the GPUs */
    uint32_t look_ms;         /* between looks; 0: the usual time */
    struct spawner spawner;   /* starts the process that takes the samples */
    bool test_nvml;           /* a test's library stands in for NVIDIA's */
    const struct node_gpus_ops *ops;
    void *ctx;
};

/* Looks for the first time, and every few seconds from then on. NULL where the machine has no GPUs; all
 * functions take it. */
struct node_gpus *node_gpus_new(const struct node_gpus_config *cfg);
void node_gpus_free(struct node_gpus *g);
/* What is to be said of the GPUs whose number and type m has already. */
void node_gpus_describe(struct node_gpus *g, struct msg_agent *m);
/* As last measured; node_gpus_watch: more often. */
void node_gpus_usage(const struct node_gpus *g, struct msg_util *u);
void node_gpus_watch(struct node_gpus *g, bool on);
/* By number the names that jobs get instead of numbers; left empty where numbers do, unless always. */
void node_gpus_names(const struct node_gpus *g, bool always, struct strv *ret);
/* The minor device numbers of the GPUs that are not in held. */
size_t node_gpus_minors(const struct node_gpus *g, const struct cpuset *held, uint32_t *ret, size_t max);
/* The process that looks; node_gpus_child_ended: true where pid was it. */
bool node_gpus_is_child(const struct node_gpus *g, pid_t pid);
bool node_gpus_child_ended(struct node_gpus *g, pid_t pid);

#endif
