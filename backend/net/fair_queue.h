/* fair_queue.h - what all connections of one user together may say, so that nobody waits for somebody
 * else's flood.
 *
 * The connections of a user that have something to say stand in a line of his: first come, first served, a
 * few messages at a time. Each turn of the loop has so much time for all lines, in equal parts. Who is
 * alone has all of it; more connections bring nobody more.
 *
 *     connections of alice  ==[line]--+
 *     connections of bob    --[line]--+--> a turn: TURN_NS / lines for each --> a batch for the disk
 *
 * Two bounds beside that: in one batch for the disk there is so much of each user (the answer to somebody
 * else waits for all of it), and over time he has a rate, with ten seconds' worth at once. Neither
 * refuses anything: who is beyond them waits, and so, in the end, does whoever writes to the socket.
 */
#ifndef STOKER_BACKEND_NET_FAIR_QUEUE_H
#define STOKER_BACKEND_NET_FAIR_QUEUE_H

#include "backend/loop/loop.h"
#include "src/base/list.h"

struct fair_pool { /* all shares of one loop */
    struct loop *loop;
    struct list lined; /* shares with somebody in line */
    unsigned n_lined;
    uint64_t batch;
};

struct fair_queue {
    struct fair_pool *pool;
    struct list lined; /* in pool->lined */
    struct list line;  /* of struct fair_place */
    struct loop_timer again;
    struct mono turn; /* that left_ns is of */
    int64_t left_ns;  /* below 0: what took longer is taken off the next turns */
    uint64_t batch;   /* that in_batch is of */
    uint32_t in_batch;
    uint32_t rate;   /* messages a second over time; 0: as many as there is time for */
    struct mono due; /* when what has been said would have been said at that rate */
    bool slowed;     /* its line waits for the rate */
    bool serving;    /* its line goes on just now */
    uint64_t n_messages, n_slowed;
    int64_t spent_ns;
};

struct fair_place { /* of a connection; zeroed and share set: not in line */
    struct list link;
    struct fair_queue *share;
    void (*serve)(void *ctx); /* its turn: it reads a little, and lines up again where there is more */
    void *ctx;
};

void fair_pool_init(struct fair_pool *p, struct loop *l);
/* What is said from now on is of another batch. */
void fair_pool_next_batch(struct fair_pool *p);

void fair_queue_init(struct fair_queue *s, struct fair_pool *p, uint32_t rate);
void fair_queue_fini(struct fair_queue *s); /* nobody is in its line */

/* Whether one who is not in line may read now: nobody is in line, and there is something left. */
bool fair_queue_is_open(struct fair_queue *s);
/* Something was read and dealt with. */
void fair_queue_spend(struct fair_queue *s, uint32_t messages, size_t bytes, int64_t ns);

void fair_place_init(struct fair_place *place, struct fair_queue *s, void (*serve)(void *ctx), void *ctx);
void fair_place_line_up(struct fair_place *place); /* no-op for who is in line */
void fair_place_leave(struct fair_place *place);   /* no-op for who is not */

#endif
