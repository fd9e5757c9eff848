#include "backend/shim/shim_orders.h"

#include <signal.h>
#include <stdlib.h>

#include "backend/shim/shim_files.h"
#include "backend/shim/shim_io.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_pmi.h"
#include "backend/shim/shim_reap.h"
#include "backend/shim/shim_timer.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"

void shim_orders_kill(struct shim *s, const struct launch_kill *k)
{
    shim_reap(s);
    bool live = s->phase == SHIM_OPENING || s->phase == SHIM_RUNNING;
    if (k->signal) {
        if (live && k->signal == LAUNCH_EARLY_AT)
            shim_timer_set_early(s, k->grace_s);
        else if (live && (k->signal == LAUNCH_LIMIT_AT || k->signal == LAUNCH_PAUSED))
            shim_timer_set_limit(s, k->signal == LAUNCH_PAUSED, k->grace_s);
        else if (live && k->signal > 0)
            shim_kill_signal(s, k->signal, k->target == SIGNAL_LEADER ? SIGNAL_LEADER : SIGNAL_TREE);
    } else {
        if (live && !s->was_killed)
            s->kill_cause = k->cause; /* the first one is why it ends */
        /* A cancel in the grace time of a preemption is another word, and is said with TERM too. The same
         * request comes again over each new connection. */
        bool other = live && s->was_killed && k->cause != s->asked_cause;
        s->was_killed |= live;
        s->asked_cause = k->cause;
        s->notice = k->notice;
        shim_pmi_let_go(s);
        if (s->drain_ms)
            s->drain_ms = 1; /* only its output was waited for */
        if (other && k->grace_s)
            shim_kill_signal(s, SIGTERM, SIGNAL_TREE);
        shim_kill_terminate(s, (int64_t)k->grace_s * 1000);
    }
    /* Last: a note may have to wait, a signal never. */
    if (live && k->note)
        shim_files_note(s, k->note);
}
/* --- a task that runs only as long as its controller is heard ---
 *
 *     agent:       renewed at R (it sent what the controller has answered)
 *     shim:        TERM at R + lease - grace, KILL at R + lease: nothing is left here
 *     controller:  heard it at C >= R; C + lease + margin: queued again
 *
 * The shim counts, not the agent: one that is dead or stopped must not let a task live on. CLOCK_BOOTTIME,
 * so that a machine that slept through the end of the lease ends the task when it wakes. */

/* Between TERM and KILL, inside the lease. */
static uint32_t orders_grace_s(const struct shim *s)
{
    uint32_t half = s->l.lease_s / 2;
    return s->l.kill_wait_s < half ? s->l.kill_wait_s : half;
}

/* A renewal that begins after our end is none: in between the controller may have counted us out, although
 * the clock was not read here, as on a machine that has just woken. */
static void lease_renew(struct shim *s, uint64_t at_ms)
{
    int64_t end = (int64_t)at_ms + (int64_t)(s->l.lease_s - orders_grace_s(s)) * 1000;
    if (!s->l.lease_s || s->lease_over || at_ms > (uint64_t)mono_ms())
        return;
    if (s->lease_ms && at_ms >= (uint64_t)s->lease_ms)
        shim_orders_look_at_lease(s);
    else if (end > s->lease_ms)
        s->lease_ms = end;
}

void shim_orders_start_lease(struct shim *s)
{
    s->lease_ms = 0;
    lease_renew(s, s->setup.lease_ms);
}

void shim_orders_look_at_lease(struct shim *s)
{
    if (mono_ms() < shim_timer_lease_ms(s))
        return;
    shim_reap(s);
    s->lease_over = true;
    if (s->phase == SHIM_GONE)
        return;
    bool first = !s->was_killed && !s->oom;
    struct launch_kill k = {.key = s->l.key, .cause = KILL_NODE_FAIL, .grace_s = orders_grace_s(s)};
    k.note =
        xasprintf("slurmstepd: error: *** no controller was heard on %s for %u s: its lease is over ***",
                  s->setup.node ? s->setup.node : "?", s->l.lease_s - orders_grace_s(s));
    shim_orders_kill(s, &k);
    free(k.note);
    s->lease_killed = first && s->was_killed;
    if (s->lease_killed)
        shim_message(s, "no controller was heard for its lease of %u s", s->l.lease_s);
}

/* --- frames --- */

void shim_orders_take_frame(struct shim *s, const struct frame *f)
{
    if (f->type == MSG_KILL) {
        struct launch_kill k;
        if (codec_decode(&launch_kill_rec, f->body, f->size, &k, NULL) < 0)
            return;
        if (launch_key_eq(&k.key, &s->l.key))
            shim_orders_kill(s, &k);
        rec_fini(&launch_kill_rec, &k);
    } else if (f->type == MSG_PMI_ALL) {
        shim_pmi_take(s, f);
    } else if (f->type == SHIM_LEASE) {
        lease_renew(s, f->tag);
        shim_timer_arm(s);
    } else if (f->type == MSG_INPUT) {
        struct msg_input m;
        if (codec_decode(&msg_input_rec, f->body, f->size, &m, NULL) < 0)
            return;
        shim_io_input_take(s, f->tag, &m);
        rec_fini(&msg_input_rec, &m);
    }
}
