/* node_facts.h - what this node is: as found, and as the controller's configuration declares it. */
#ifndef STOKER_BACKEND_NODE_NODE_FACTS_H
#define STOKER_BACKEND_NODE_NODE_FACTS_H

#include "backend/node/node_probe.h"

struct node_facts {
    struct probe probe;
    struct blob cpu_order; /* see cpu_order.h */
    struct node_spec spec; /* the controller's */
    bool has_spec;
    struct strv notes; /* for the administrator */
    struct wall t_agent, t_policy;
};

/* Whether tasks are bound to their CPUs: where no more are declared than there are. */
bool node_facts_binds_cpus(const struct node_facts *n);
/* Number and type of the GPUs, as configured or as found. */
void node_facts_describe_gpus(const struct node_facts *n, struct msg_agent *m);
/* All but what the modules of the agent add. */
void node_facts_describe(const struct node_facts *n, struct msg_agent *m);
void node_facts_fini(struct node_facts *n);

#endif
