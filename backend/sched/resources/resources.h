/* resources.h - the nodes of the cluster over time: the public header of this module.
 *
 *     timeline     what is free on one node as a step function of time
 *     pool         nodes as numbers, with what runs and what is planned; where a demand fits, and when
 *     demand       what is asked for, and what a node would give to it
 *     plan_slots   planned starts: who starts now, whose start is planned, who waits
 *     alloc        which CPUs and GPUs a start gets
 *     step_fit     steps inside an allocation
 */
#ifndef STOKER_BACKEND_SCHED_RESOURCES_H
#define STOKER_BACKEND_SCHED_RESOURCES_H

#include "backend/sched/resources/alloc.h"
#include "backend/sched/resources/demand.h"
#include "backend/sched/resources/plan_slots.h"
#include "backend/sched/resources/pool.h"
#include "backend/sched/resources/step_fit.h"
#include "backend/sched/resources/timeline.h"

#endif
