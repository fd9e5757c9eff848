/* holders.h - who holds what of the queue now, by account and user: counted in one look at all jobs. */
#ifndef UI_INFO_HOLDERS_H
#define UI_INFO_HOLDERS_H

#include "src/base/vec.h"
#include "src/model/model.h"
#include "ui/state/view.h"

#define HOLDER_JOBS 10 /* of each, running and waiting, are kept to be told */

struct holder_amounts {
    uint64_t cpus, gpus, mem_mib, nodes; /* held now */
    uint64_t running, waiting;           /* jobs; an array waits as its elements */
    uint64_t gpus_wanted;                /* by what waits */
};

struct held_job {
    const struct job *job;
    struct job_amounts holds;
};

struct holder {
    char *account, *user; /* user NULL: the account as a whole */
    uint64_t id;
    struct holder_amounts all;
    struct held_job biggest[HOLDER_JOBS];   /* of the running ones, the biggest first */
    const struct job *waiting[HOLDER_JOBS]; /* the first in the queue */
    size_t n_waiting;                       /* of all; an array's record is one */
    const struct share_row *share;          /* NULL: not known */
};

struct holders {
    VEC(struct holder *) rows; /* accounts by name, each with its users behind it; big ones first */
    struct idmap by_id;
};

/* Counts again from the start; the content of shares must live as long as h. */
void holders_count(struct holders *h, const struct model *m, const struct msg_shares_rows *shares);
void holders_fini(struct holders *h);

/* Of a user over all accounts: limits of users do not depend on the account. */
void holders_of_user(const struct holders *h, const char *user, struct holder_amounts *ret);

#endif
