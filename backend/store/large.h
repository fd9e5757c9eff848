/* large.h - the loop's side of what is too large for one batch (payload_db.h).
 *
 *     begun --LARGE_PIECE bytes with each batch--> all on disk: told --> named by payloads --> ended
 *                                                                                               |
 *     freed, so that what no payload names may be deleted <-- once the batch that names it is on disk
 *
 * Owners are served in turn, so an owner with much to store holds up no other.
 */
#ifndef STOKER_BACKEND_STORE_LARGE_H
#define STOKER_BACKEND_STORE_LARGE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/store/store_types.h"
#include "src/base/list.h"
#include "src/base/str.h"

#define LARGE_PIECE (256u << 10)

struct store_large {
    struct list link;
    int64_t number;
    uint32_t owner;
    struct str bytes;
    size_t added; /* of them, to batches */
    bool told, ended;
    uint64_t ticket; /* of the batch with its last piece; ended: of that with what names it */
    store_large_fn fn;
    void *ctx;
};

struct large_list {
    struct list all;
    int64_t next;    /* number */
    bool may_remain; /* pieces may be there that no payload names */
};

void large_list_init(struct large_list *l, int64_t newest);
void large_list_fini(struct large_list *l);
/* Takes *bytes. */
struct store_large *large_begin(struct large_list *l, uint32_t owner, struct str *bytes, store_large_fn fn,
                                void *ctx);
/* ticket: of the batch that may hold what names it. */
void large_end(struct large_list *l, struct store_large *g, uint64_t ticket, uint64_t committed);
/* The one whose turn it is to have a piece written, or NULL; its owner's turn is over. */
struct store_large *large_next(struct large_list *l);
/* Tells of those that are on disk, and frees what has ended. */
void large_committed(struct large_list *l, uint64_t ticket);
/* A commit has failed: what has ended is freed, the rest waits for its end. */
void large_reset(struct large_list *l);
/* No number from this one on may be looked at by payload_db_sweep. */
int64_t large_bound(const struct large_list *l);

#endif
