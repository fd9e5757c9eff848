/* account.h - which account and QOS a submission may name. */
#ifndef STOKER_BACKEND_SCHED_ACCOUNT_H
#define STOKER_BACKEND_SCHED_ACCOUNT_H

#include "src/answers/refusal.h"
#include "src/base/err.h"
#include "src/model/cause.h"
#include "src/model/model.h"

/* May the user name this account and this QOS? NULL: none was named. Where accounts are configured, one
 * must list the user, except for the default account. */
enum refusal account_check(const struct cluster_spec *spec, const char *user, const char *group,
                           const char *account, const char *qos, struct cause *why);

#endif
