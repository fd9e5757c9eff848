/* node_budget.h - what one node may make the controller do: a node that was broken into must not fill the
 * disk with events and lines, nor hold up the loop with look-ups.
 *
 * Each budget is a bucket that fills at a steady rate, so that what an honest node does at once, after a
 * restart for example, is not slowed. */
#ifndef STOKER_BACKEND_CONTROL_NODES_NODE_BUDGET_H
#define STOKER_BACKEND_CONTROL_NODES_NODE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/time.h"

#define NODE_BUDGET_IDS 10000000u /* ids of jobs */

struct node_budget {
    struct mono reports, lookups; /* until when each is spent */
    uint32_t ids_skipped;         /* of jobs that only the node knows; never given back */
};

/* Whether what the node reports of itself may change the state now: once in every_ms, 5 at a time. */
bool node_budget_report(struct node_budget *b, struct mono now, int64_t every_ms);
/* Whether the name service may be asked for one more user that the node names: 10 a second, 200 at a
 * time. */
bool node_budget_lookup(struct node_budget *b, struct mono now);
/* Whether n more ids of jobs may be left out for the node: NODE_BUDGET_IDS in all. */
bool node_budget_ids(struct node_budget *b, uint32_t n);

#endif
