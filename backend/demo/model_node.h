/* model_node.h - a model of a node: an agent without processes, which speaks the real messages.
 *
 * A launch begins once, an end is told until it is acknowledged, a controller of a lower epoch is refused
 * (docs/AGENT.md). Tasks are those of demo_task.h.
 */
#ifndef STOKER_BACKEND_DEMO_MODEL_NODE_H
#define STOKER_BACKEND_DEMO_MODEL_NODE_H

#include "backend/loop/loop.h"
#include "src/base/err.h"
#include "src/proto/launch.h"

struct model_node;

struct model_node_config {
    struct loop *loop;
    const char *name, *path; /* its socket */
    uint32_t cpus, gpus;
    uint64_t mem_mib;
    uint64_t seed;
    int64_t sample_ms; /* between two measurements while they are watched */
    /* A task has begun; it uses srun for a step of its job. */
    void (*on_begin)(void *ctx, const struct launch *l, const char *step);
    void *ctx;
};

/* Its agent listens. */
struct model_node *model_node_new(const struct model_node_config *cfg);
void model_node_free(struct model_node *n);
/* The machine is gone, and what ran on it. */
void model_node_go_down(struct model_node *n);

#endif
