/* fair_share.h - the tree of accounts and users with their usage, and a factor from 0 to 1 for each user.
 *
 * Usage is what has been charged (src/model/usage.h), faded to `now`, and the running jobs, by the same
 * formula: the end of a job changes nothing by itself. Two algorithms, chosen by priority.fairshare:
 *
 * - tree: Slurm's Fair Tree. At each level the level FS of a child is its part of the siblings' shares
 *   divided by its part of the siblings' usage; children are visited from the highest down, depth first,
 *   and the users so met get the ranks n, n-1 ... 1; the factor is rank / n.
 *   Source: https://slurm.schedmd.com/fair_tree.html
 * - classic: 2^-(effective usage / normalised shares).
 *   Source: https://slurm.schedmd.com/classic_fair_share.html
 *
 * A user who is not configured has one share under their account, an account that is not configured has one
 * under the root; both count from their first usage on.
 */
#ifndef STOKER_BACKEND_SCHED_FAIR_SHARE_H
#define STOKER_BACKEND_SCHED_FAIR_SHARE_H

#include "src/answers/answer_prio.h"
#include "src/base/vec.h"
#include "src/model/model.h"

struct fairshare_node { /* an account, or a user in one */
    char *name;         /* of the account, or of the user */
    bool is_user;
    uint32_t parent;                  /* position; the root is 0 and its own parent */
    uint32_t first_child, n_children; /* into fairshare.children */
    uint32_t shares;
    double usage, gpu_s, running; /* decayed billing-seconds, GPU-seconds; of the first what runs now */
    double preempted_gpu_s;       /* of gpu_s: of runs that were preempted */
    double rate, gpu_rate;        /* of users: what runs now adds each second */
    uint32_t gpus_now;
    double norm_shares, effective, level_fs, factor;
    double new_user_factor; /* of an account: the factor of a user without usage */
};

struct fairshare {
    VEC(struct fairshare_node) nodes; /* [0] is the root */
    uint32_t *children;
    struct idmap accounts; /* hash of the name -> position + 1 */
    struct idmap users;    /* hash of account and user -> position + 1 */
    uint32_t n_users;
    bool tree; /* the algorithm */
    uint32_t half_life_s;
    struct wall now; /* of the figures */
};

/* Reads the model as it is now and keeps nothing of it, in pieces: the caller adds each job that runs, in
 * between. Cost: O(users x log users + active jobs). */
void fairshare_begin(struct fairshare *f, const struct model *m, struct wall now);
void fairshare_add(struct fairshare *f, const struct model *m, const struct job *j);
void fairshare_finish(struct fairshare *f);
void fairshare_fini(struct fairshare *f);
/* To a later time, as long as nothing has started and nothing has ended: by the same formulas, but without
 * the walk over what runs. Cost: O(users x log users). */
void fairshare_advance(struct fairshare *f, struct wall now);

/* The factor of a user under an account: either may be unknown or NULL. Cost: O(1). */
double fairshare_factor(const struct fairshare *f, const char *account, const char *user);

/* Appends the tree to ret->rows, depth first, each level by name, users before accounts. accounts: those
 * alone; users: of the users those alone; empty: all. Cost: O(users x log users). */
void fairshare_rows(const struct fairshare *f, const struct strv *accounts, const struct strv *users,
                    struct msg_shares_rows *ret);

#endif
