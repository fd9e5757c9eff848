#include "backend/agent/lease.h"

#include "backend/task/shim_setup.h"

void lease_note_ping(struct heartbeats *h, uint64_t tag, int64_t now_ms)
{
    uint32_t seq = (uint32_t)tag;
    h->v[seq % LEASE_BEATS].seq = seq;
    h->v[seq % LEASE_BEATS].at_ms = now_ms;
}

void lease_take(struct lease *l, const struct heartbeats *h, uint64_t tag, struct task_table *tt)
{
    uint32_t answered = (uint32_t)(tag >> 32), i = answered % LEASE_BEATS;
    if (!answered || h->v[i].seq != answered || h->v[i].at_ms <= l->renewed_ms)
        return;
    l->renewed_ms = h->v[i].at_ms;
    list_for_each (t, &tt->all, struct atask, in_table)
        lease_tell(l, t);
}

void lease_tell(const struct lease *l, struct atask *t)
{
    if (l->renewed_ms && t->leased && !t->end && t->wire.open)
        wire_send(&t->wire, SHIM_LEASE, (uint64_t)l->renewed_ms, NULL, NULL);
}

bool lease_holds(const struct lease *l, uint32_t lease_s, int64_t now_ms)
{
    return l->renewed_ms && now_ms < l->renewed_ms + (int64_t)lease_s * 1000 / 2;
}
