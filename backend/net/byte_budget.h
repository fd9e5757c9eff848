/* byte_budget.h - the memory that the connections of one user may take together.
 *
 * Each connection has a place, and is charged with what its buffers take: requests of which the rest has
 * yet to come, answers and pushed events that the peer has not read. A connection that needs more than is
 * left waits until another one has given something back; nothing is refused here.
 *
 *     connections of alice  --[place: 3 MiB]--+
 *                           --[place: 8 MiB]--+--> budget: 11 of 64 MiB
 *                           --[waits]---------+
 */
#ifndef STOKER_BACKEND_NET_BYTE_BUDGET_H
#define STOKER_BACKEND_NET_BYTE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/list.h"

struct byte_budget {
    size_t used, peak;   /* bytes of all places, now and at most so far */
    size_t most;         /* 0: no bound */
    uint64_t n_waited;   /* times that a place had to wait */
    struct list waiting; /* of struct budget_place, first come first served */
};

struct budget_place { /* of a connection; zeroed but for link: has no budget */
    struct list link;
    struct byte_budget *budget;
    size_t charged;
    void (*serve)(void *ctx); /* there may be room: looks again, and waits again where there is none */
    void *ctx;
};

void byte_budget_init(struct byte_budget *b, size_t most); /* most: bytes; 0: no bound */

/* Leaves the budget that it had. b NULL: nothing bounds it. b outlives it. */
void budget_place_join(struct budget_place *p, struct byte_budget *b);
/* bytes: what it takes now, in all. Places that wait are served where that is less than before. */
void budget_place_charge(struct budget_place *p, size_t bytes);
/* Whether it may take more bytes; 0: whether anything is left. A place that has charged the budget alone
 * always may: another bound holds for a single peer. */
bool budget_place_has_room(const struct budget_place *p, size_t more);
/* Bytes of a buffer that an idle peer keeps for its next message: most, or none where half of the budget is
 * taken. */
size_t budget_place_kept(const struct budget_place *p, size_t most);
void budget_place_wait(struct budget_place *p); /* no-op where it waits already */
/* Gives back all that it is charged with, and waits no more. */
void budget_place_leave(struct budget_place *p);

#endif
