/* node_rules.h - what a request says about nodes, beside its partition: features, names, the type of GPU,
 * the size of /tmp, a reservation.
 */
#ifndef STOKER_BACKEND_SCHED_NODE_RULES_H
#define STOKER_BACKEND_SCHED_NODE_RULES_H

#include "src/base/str.h"
#include "src/model/model.h"

struct node_rules {
    const struct job_req *req;
    const char *gpu_type;             /* NULL: any */
    const struct window *reservation; /* that it asks for; NULL: none */
    struct strv features, only, never;
    bool never_met; /* its lists of nodes cannot be read */
};

/* gpu_type and reservation: as above. node_rules_fini. */
void node_rules_init(struct node_rules *r, const struct job_req *req, const char *gpu_type,
                     const struct window *reservation);
void node_rules_fini(struct node_rules *r);
/* Names that it lists alone are the caller's to look at: r->only. */
bool node_rules_meet(const struct node_rules *r, const struct node *n);

/* Whether the node has all of them; one of "a|b" is enough. */
bool node_has_features(const struct node *n, const struct strv *wanted);
/* Whether its /tmp is as large as --tmp asks; one of unknown size is. */
bool node_has_tmp(const struct node *n, const struct job_req *req);
/* It has never been seen, and the configuration does not say what it has. */
bool node_is_unknown(const struct node *n);

#endif
