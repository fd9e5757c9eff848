/* assoc.h - associations: which user may use which account, and the number that each is known by.
 *
 * Where accounts are configured they are those of stoker.cfg, numbered in its order behind the root's 1:
 * a number holds as long as what stands before it. Where none is, a user's accounts are the user's Unix
 * groups: (uid + 1) * 256 and the place of the group among the user's.
 */
#ifndef STOKER_CLI_ASSOC_H
#define STOKER_CLI_ASSOC_H

#include "src/model/model.h"

struct assoc {
    uint64_t id;
    const char *account, *parent; /* parent: NULL for the root */
    const char *user;             /* NULL: of the account itself */
    uint32_t shares;
};

/* Each of them in the order of their numbers, accounts before their users. Where Unix groups make them:
 * those of the users named, or of all that the machine lists. */
void assoc_each(const struct cluster_spec *spec, const struct strv *users,
                void (*fn)(void *ctx, const struct assoc *a), void *ctx);

/* Finds those of jobs; remembers what it has found. spec stays the caller's and outlives it. */
struct assocs;
struct assocs *assocs_new(const struct cluster_spec *spec);
void assocs_free(struct assocs *as);
/* The number of who ran it and for which account; 0: none. */
uint64_t assoc_of_job(struct assocs *as, const struct job *j);

#endif
