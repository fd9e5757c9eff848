/* worker.h - the thread that owns the disk: work goes in, the same work comes out done.
 *
 * Work is done in the order in which it was handed over, but questions to the history wait until nothing
 * else is to do. A simulator replaces this module at link time, with one that works without a thread
 * (tests/vopr).
 */
#ifndef STOKER_BACKEND_STORE_WORKER_H
#define STOKER_BACKEND_STORE_WORKER_H

#include "backend/store/disk.h"

struct worker;

/* Starts. d, which outlives the worker, is the worker's while it is not idle. */
struct worker *worker_new(struct disk *d) __attribute__((warn_unused_result));
/* Does what was handed over, but for questions to the history, and stops. */
void worker_free(struct worker *w);

/* Takes work. */
void worker_hand_over(struct worker *w, struct work *work);
/* Does work after everything that was handed over; it stays the caller's. */
void worker_do_now(struct worker *w, struct work *work);
/* Until everything that was handed over is done: then the caller may use the disk. */
void worker_wait_idle(struct worker *w);

/* Readable when work has been done: then call worker_take_done. */
int worker_fd(const struct worker *w);
/* Appends what has been done, in that order; each is the caller's. */
void worker_take_done(struct worker *w, struct list *into);
/* Frees what has been done and has no meaning any more. */
void worker_drop_done(struct worker *w, bool (*is_void)(const struct work *work));

#endif
