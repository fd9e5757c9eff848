/* fit.h - placing one request on nodes. */
#ifndef STOKER_BACKEND_SCHED_FIT_H
#define STOKER_BACKEND_SCHED_FIT_H

#include "backend/sched/sched.h"
#include "src/model/need.h"

/* A node as one pass sees it: what is free shrinks as the pass gives it away. */
struct fit_node {
    const struct node *node;
    struct cpuset cpus_free, gpus_free;
    uint32_t n_cpus, n_gpus; /* counts of the sets above */
    uint64_t mem_free_mib;
    bool usable; /* up, not drained, not held whole */
    bool empty;  /* nothing runs there */
};

/* Why nodes did not do, counted. */
struct fit_refusals {
    uint32_t nodes; /* looked at: in the partition */
    uint32_t out, drained, excluded, features, busy_whole;
    uint32_t cpus, gpus, mem, gpu_type; /* too little free (or at all, with empty nodes) */
    uint32_t fit;                       /* would do */
};

struct fit_request {
    struct job_need need;
    const struct job_req *req; /* constraints; NULL: none */
    const char *gpu_type;      /* NULL: any */
    bool one_task; /* of a step job: it goes to one of the nodes listed, a whole job gets all of them */
};

/* State of all nodes of the model, as they are now; pretend_empty: as if nothing ran and all were up.
 * Caller frees. */
struct fit_node *fit_nodes_new(const struct model *m, bool pretend_empty);

/* Constraints parsed once for each job: node lists expanded. */
struct fit_constraints {
    struct strv only, never, features;
    bool bad; /* a list that cannot be read: nothing fits */
};
void fit_constraints_init(struct fit_constraints *c, const struct job_req *req);
void fit_constraints_fini(struct fit_constraints *c);

/* Finds nodes of the partition for the request. 0: *ret_alloc is a list of struct alloc (malloc'd, the
 * caller owns it), and the nodes have been debited. -EAGAIN: does not fit; ret_why counts the causes. */
int fit_place(const struct model *m, struct fit_node *nodes, const struct part_spec *part,
              const struct fit_request *r, struct alloc **ret_alloc, size_t *ret_n,
              struct fit_refusals *ret_why);

/* Would it fit with every node of the partition up and empty? True as well while a node's figures are not
 * known. The text, which may be NULL, says with numbers why not. Cost: as one fit_place. */
bool fit_ever(const struct model *m, const struct part_spec *part, const struct fit_request *r,
              struct errtext *text);

/* "12 nodes: 7 too few free GPUs, 3 too little free memory, 2 drained" */
void fit_describe(const struct fit_refusals *f, bool empty, struct str *out);

#endif
