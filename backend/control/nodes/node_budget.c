#include "backend/control/nodes/node_budget.h"

/* *spent is when the bucket is full again: never longer ago than it takes to fill it. */
static bool node_budget_take(struct mono *spent, struct mono now, int64_t every_ns, int64_t burst)
{
    int64_t full = now.ns - burst * every_ns;
    int64_t from = spent->ns && spent->ns > full ? spent->ns : full;
    if (now.ns - from < every_ns)
        return false;
    spent->ns = from + every_ns;
    return true;
}

bool node_budget_report(struct node_budget *b, struct mono now, int64_t every_ms)
{
    return node_budget_take(&b->reports, now, every_ms * NS_PER_MS, 5);
}

bool node_budget_lookup(struct node_budget *b, struct mono now)
{
    return node_budget_take(&b->lookups, now, NS_PER_S / 10, 200);
}

bool node_budget_ids(struct node_budget *b, uint32_t n)
{
    if (n > NODE_BUDGET_IDS - b->ids_skipped)
        return false;
    b->ids_skipped += n;
    return true;
}
