/* limit_usage.h - what may start at all, whatever is free: the public header of this module.
 *
 *     limit_usage        what each user, account, QOS and partition has, against what it may have
 *     limit_plan         the same over time
 *     limit_sweep        limits at many times at once
 *     licence            counters of the cluster that running jobs hold parts of
 *     eligibility        what keeps a job from being looked at: holds, times, partitions' rules
 *     dependency_index   which waiting jobs a change may let go
 *     node_rules         what a request says about nodes
 *     deadline           --deadline and --time-min
 *     account            whose share a submission is charged to
 */
#ifndef STOKER_BACKEND_SCHED_LIMITS_H
#define STOKER_BACKEND_SCHED_LIMITS_H

#include "backend/sched/limits/account.h"
#include "backend/sched/limits/deadline.h"
#include "backend/sched/limits/dependency_index.h"
#include "backend/sched/limits/eligibility.h"
#include "backend/sched/limits/licence.h"
#include "backend/sched/limits/limit_plan.h"
#include "backend/sched/limits/limit_sweep.h"
#include "backend/sched/limits/limit_time.h"
#include "backend/sched/limits/limit_usage.h"
#include "backend/sched/limits/node_rules.h"

#endif
