/* loop.h - the event loop: descriptors, timers, signals, children.
 *
 * Plain epoll, level-triggered, one thread. Timers are a heap that feeds the timeout of epoll_wait. One
 * turn: calls asked for, wait, fire descriptors, fire timers, then the turn hook (the controller ends its
 * transaction there). Callbacks may add and remove anything, themselves included.
 */
#ifndef STOKER_BACKEND_LOOP_H
#define STOKER_BACKEND_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/heap.h"
#include "src/base/list.h"
#include "src/os/clock.h"

struct loop;

#define LOOP_READ  1u
#define LOOP_WRITE 2u

/* Bits of what is ready: an error or a hang-up counts as both. */
typedef void (*loop_fd_fn)(void *ctx, unsigned ready);
typedef void (*loop_fn)(void *ctx);
typedef void (*loop_signal_fn)(void *ctx, int signo);

/* A watched descriptor. Storage is the caller's; zeroed = not watched. */
struct loop_fd {
    int fd;
    unsigned want;
    bool watched;
    loop_fd_fn fn;
    void *ctx;
};

/* A one-shot timer. Storage is the caller's; zeroed = not armed. */
struct loop_timer {
    struct heap_node node;
    loop_fn fn;
    void *ctx;
};

/* A call before the loop waits again: for what is done once after all callbacks of a turn, and needs no
 * turn of its own. Storage is the caller's; zeroed = not asked for. */
struct loop_call {
    struct list link;
    loop_fn fn;
    void *ctx;
};

struct loop *loop_new(void) __attribute__((warn_unused_result));
void loop_free(struct loop *l);

/* Starts watching, or changes what is waited for (want may be 0). fd, fn and ctx must be set. */
void loop_watch(struct loop *l, struct loop_fd *w, unsigned want);
/* Stops watching; the descriptor stays open. Safe inside callbacks; no-op when not watched. */
void loop_unwatch(struct loop *l, struct loop_fd *w);

/* Arms or moves. delay_ms 0: next turn. */
void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t delay_ms);
void loop_timer_cancel(struct loop *l, struct loop_timer *t);

void loop_call_ask(struct loop *l, struct loop_call *call);
void loop_call_cancel(struct loop_call *call);
static inline bool loop_call_is_asked(const struct loop_call *call)
{
    return call->link.next && !list_empty(&call->link);
}

/* Blocks the signals and delivers them as calls. At most once in a loop's life. */
void loop_on_signals(struct loop *l, const int *signals, int n, loop_signal_fn fn, void *ctx);
/* Called at the end of each turn, after all descriptors and timers of it. */
void loop_on_turn(struct loop *l, loop_fn fn, void *ctx);

void loop_run(struct loop *l); /* until loop_stop */
void loop_stop(struct loop *l);
/* One turn that waits at most timeout_ms; for tests. */
void loop_turn(struct loop *l, int timeout_ms);

/* For a driver that has a clock of its own: when the next turn has something to do by itself, for a timer
 * or a call (INT64_MAX: never), and a descriptor that is readable while one of those that are watched is
 * ready. */
int64_t loop_next_ns(const struct loop *l);
int loop_poll_fd(const struct loop *l);

struct mono loop_now(const struct loop *l);  /* CLOCK_BOOTTIME at the beginning of the turn */
struct wall loop_wall(const struct loop *l); /* wall clock at the beginning of the turn */

#endif
