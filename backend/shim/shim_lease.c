/* shim_lease.c - a task that runs only as long as its controller is heard.
 *
 *     agent:       renewed at R (it sent what the controller has answered)
 *     shim:        TERM at R + lease - grace, KILL at R + lease: nothing is left here
 *     controller:  heard it at C >= R; C + lease + margin: queued again
 *
 * The shim counts, not the agent: one that is dead or stopped must not let a task live on. CLOCK_BOOTTIME,
 * so that a machine that slept through the end of the lease ends the task when it wakes.
 */
#include <stdlib.h>

#include "backend/shim/shim_private.h"
#include "src/base/clock.h"
#include "src/base/xalloc.h"

/* Between TERM and KILL, inside the lease. */
static uint32_t grace_s(const struct shim *s)
{
    uint32_t half = s->l.lease_s / 2;
    return s->l.kill_wait_s < half ? s->l.kill_wait_s : half;
}

/* A renewal that begins after our end is none: in between the controller may have counted us out, although
 * nobody has looked at the clock here, as on a machine that has just woken. */
void lease_renew(struct shim *s, uint64_t at_ms)
{
    int64_t end = (int64_t)at_ms + (int64_t)(s->l.lease_s - grace_s(s)) * 1000;
    if (!s->l.lease_s || s->lease_over || at_ms > (uint64_t)mono_ms())
        return;
    if (s->lease_ms && at_ms >= (uint64_t)s->lease_ms)
        lease_look(s);
    else if (end > s->lease_ms)
        s->lease_ms = end;
}

void lease_start(struct shim *s)
{
    s->lease_ms = 0;
    lease_renew(s, s->setup.lease_ms);
}

int64_t lease_next_ms(const struct shim *s)
{
    return s->l.lease_s && !s->lease_over ? s->lease_ms : INT64_MAX;
}

void lease_look(struct shim *s)
{
    if (mono_ms() < lease_next_ms(s))
        return;
    shim_reap(s);
    s->lease_over = true;
    if (s->phase == SHIM_GONE)
        return;
    bool first = !s->was_killed && !s->oom;
    struct launch_kill k = {.key = s->l.key, .cause = KILL_NODE_FAIL, .grace_s = grace_s(s)};
    k.note =
        xasprintf("slurmstepd: error: *** no controller was heard on %s for %u s: its lease is over ***",
                  s->setup.node ? s->setup.node : "?", s->l.lease_s - grace_s(s));
    kill_on_request(s, &k);
    free(k.note);
    s->lease_killed = first && s->was_killed;
    if (s->lease_killed)
        shim_message(s, "no controller was heard for its lease of %u s", s->l.lease_s);
}
