/* lease.c - when the controller was heard last, for tasks that live no longer than that.
 *
 * Heartbeats and launches renew it: PING carries a number and, above it, the number of the newest PONG
 * that the controller has; LAUNCH carries the latter alone. What counts is when that PONG was sent from
 * here: the controller has heard it later, so its clock of the lease starts later than ours, whatever the
 * way between does.
 */
#include "backend/agent/agent_private.h"
#include "backend/shim/shim.h"

static int64_t now_ms(const struct agent *a)
{
    return loop_now(a->loop).ns / NS_PER_MS;
}

static void tell(struct atask *t)
{
    if (t->leased && !t->end && t->wire.open)
        wire_send(&t->wire, SHIM_LEASE, (uint64_t)t->a->renewed_ms, NULL, NULL);
}

void lease_take(struct peer *p, uint64_t tag)
{
    struct agent *a = p->a;
    uint32_t answered = (uint32_t)(tag >> 32);
    const struct beat *b = &p->beats[answered % LEASE_BEATS];
    if (a->controller != p || !answered || b->seq != answered || b->at_ms <= a->renewed_ms)
        return;
    a->renewed_ms = b->at_ms;
    list_for_each (t, &a->tasks, struct atask, link)
        tell(t);
}

void lease_take_ping(struct peer *p, uint64_t tag)
{
    uint32_t seq = (uint32_t)tag;
    lease_take(p, tag);
    p->beats[seq % LEASE_BEATS] = (struct beat){.seq = seq, .at_ms = now_ms(p->a)};
}

void lease_tell(struct atask *t)
{
    if (t->a->renewed_ms)
        tell(t);
}

bool lease_holds(const struct agent *a, uint32_t lease_s)
{
    return a->renewed_ms && now_ms(a) < a->renewed_ms + (int64_t)lease_s * 1000 / 2;
}
