/* agent_internal.h - what the modules of the agent share: one process, one loop, one struct agent.
 *
 * Each module keeps its own state behind the pointer here; agent.c makes and frees them.
 */
#ifndef STOKER_BACKEND_AGENT_AGENT_INTERNAL_H
#define STOKER_BACKEND_AGENT_AGENT_INTERNAL_H

#include "backend/agent/agent_config.h"
#include "backend/agent/peer_log.h"
#include "backend/agent/uplink.h"
#include "backend/loop/loop.h"
#include "backend/node/node_facts.h"
#include "backend/node/node_policy.h"
#include "backend/rights/agent_dir.h"
#include "src/base/list.h"

struct agent {
    struct agent_config cfg;
    struct loop *loop;
    struct agent_dir dir;
    bool root;         /* it serves several users: its rights are root's, its own or its launcher's */
    struct list dirty; /* wires with something to send */
    struct uplink uplink;
    struct peer_log peer_log;
    struct rights_client *rights;
    struct waiting_shims *waiting;
    struct controller_id *controller;
    struct node_facts facts;
    struct node_policy policy;
    struct task_table *tasks;
    struct ended_launches *ended;
    struct lease *lease;
    struct sweep *sweep;
    struct disk_reserve *disk;
    struct node_gpus *gpus; /* NULL: this machine has none that could be looked at */
    struct containment *containment;
    struct held_jobs *held;
    struct local_clients *clients;
    struct node_usage *usage;
    struct spool_quota *spool_quota;
};

#endif
