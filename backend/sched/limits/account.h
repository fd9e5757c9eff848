/* account.h - which account and QOS a submission may name. */
#ifndef STOKER_BACKEND_SCHED_ACCOUNT_H
#define STOKER_BACKEND_SCHED_ACCOUNT_H

#include "backend/sched/limits/eligibility.h"
#include "src/answers/refusal.h"

struct submitter {
    uint32_t uid;
    const char *user, *group; /* group: the Unix group that it submits with */
    bool is_admin;            /* may name each QOS, and any account where none are configured */
    bool is_simulated;        /* the QOS and accounts of a workload stand: who may name them is not known */
};

/* May the submitter name this account and this QOS? NULL: none was named. Where accounts are configured,
 * one must list the user, or it is the user's Unix group and not configured; else the account must be a
 * Unix group of the user. A QOS that preempts or adds priority must admit the user. why may be NULL. */
enum refusal account_check(const struct sched_view *v, const struct submitter *by, const char *account,
                           const char *qos, struct cause *why);

#endif
