/* fair_queue.h - per-user fair queueing of incoming messages.
 *
 * The connections of one user share one queue: first come, first served, a few messages at a time. Each
 * loop iteration divides a fixed time equally among the queues that are not empty. A user who is alone has
 * all of it; more connections do not give a user more.
 *
 *     connections of alice  ==[queue]--+
 *     connections of bob    --[queue]--+--> iteration: ITERATION_NS / queues each --> a batch for the disk
 *
 * Two more bounds: the messages of one user in one batch for the disk (the answers to all other users wait
 * for the whole batch), and a rate over time, of which ten seconds' worth may come at once. Neither refuses
 * anything: what is beyond a bound waits, and so, in the end, does the client that writes to the socket.
 */
#ifndef STOKER_BACKEND_NET_FAIR_QUEUE_H
#define STOKER_BACKEND_NET_FAIR_QUEUE_H

#include "backend/loop/loop.h"
#include "src/base/list.h"

struct fair_pool { /* all queues of one loop */
    struct loop *loop;
    struct list busy; /* queues that are not empty */
    unsigned n_busy;
    uint64_t batch;
};

struct fair_queue {
    struct fair_pool *pool;
    struct list link;    /* in pool->busy */
    struct list waiting; /* of struct fair_place */
    struct loop_timer again;
    struct mono iteration; /* that left_ns is of */
    int64_t left_ns;       /* below 0: what took longer is taken off the next iterations */
    uint64_t batch;        /* that in_batch is of */
    uint32_t in_batch;
    uint32_t rate;   /* messages a second over time; 0: as many as there is time for */
    struct mono due; /* when the messages so far would have come at that rate */
    bool slowed;     /* waits for the rate */
    bool serving;
    uint64_t n_messages, n_slowed;
    int64_t spent_ns;
};

struct fair_place { /* of a connection; zeroed but for queue: does not wait */
    struct list link;
    struct fair_queue *queue;
    void (*serve)(void *ctx); /* reads a little, and waits again where there is more */
    void *ctx;
};

void fair_pool_init(struct fair_pool *p, struct loop *l);
/* Messages from now on are of another batch. */
void fair_pool_next_batch(struct fair_pool *p);

void fair_queue_init(struct fair_queue *q, struct fair_pool *p, uint32_t rate);
void fair_queue_fini(struct fair_queue *q); /* must be empty */

/* Whether a connection may read without waiting: the queue is empty, and its user has time left. */
bool fair_queue_is_open(struct fair_queue *q);
/* Messages were read and handled. */
void fair_queue_spend(struct fair_queue *q, uint32_t messages, size_t bytes, int64_t ns);

void fair_place_init(struct fair_place *place, struct fair_queue *q, void (*serve)(void *ctx), void *ctx);
void fair_place_line_up(struct fair_place *place); /* no-op where it waits already */
void fair_place_leave(struct fair_place *place);   /* no-op where it does not wait */

#endif
