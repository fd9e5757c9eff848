/* node_users.h - whose allocations and planned starts are on a node, and when: for `--exclusive=user`.
 *
 * A job that shares its nodes with jobs of its own user alone keeps jobs of other users off them, and they
 * keep it off theirs. The numbers of a timeline cannot say that. Pools keep these lists once there is such
 * a job or partition (pool.by_user); before that, lists are empty and everything is allowed.
 */
#ifndef STOKER_BACKEND_SCHED_NODE_USERS_H
#define STOKER_BACKEND_SCHED_NODE_USERS_H

#include "backend/sched/resources/timeline.h"
#include "src/base/vec.h"

struct pool_who {
    uint32_t user; /* uid + 1; 0: no user's, which shares with all */
    bool alone;    /* shares with allocations of the same user only */
};

struct node_user {
    struct pool_who who;
    int64_t start, end;
};

struct node_users {
    VEC(struct node_user) v; /* in any order */
    uint32_t n_alone;
};

void node_users_fini(struct node_users *u);
/* Notes an allocation or a planned start, and forgets one that equals it. Cost: O(entries) to forget. */
void node_users_add(struct node_users *u, struct node_user a);
void node_users_remove(struct node_users *u, struct node_user a);

/* Whether it may be there throughout [t, end), beside all others. */
bool node_users_allow(const struct node_users *u, struct pool_who who, int64_t t, int64_t end);
/* The earliest such time from t on, for `len`; WHEN_NEVER: none. */
int64_t node_users_next(const struct node_users *u, struct pool_who who, int64_t t, int64_t len);
/* From t on, when it may be there: until the first other one begins beside which it may not. */
int64_t node_users_until(const struct node_users *u, struct pool_who who, int64_t t);
/* Until when the node is kept for one user from t on without a gap; t: it is not. */
int64_t node_users_alone_until(const struct node_users *u, int64_t t);

#endif
