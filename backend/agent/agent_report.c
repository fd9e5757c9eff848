#include "backend/agent/agent_report.h"

#include <stdlib.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/local_clients.h"
#include "backend/agent/rights_client.h"
#include "backend/agent/spool/disk_reserve.h"
#include "backend/agent/task_table.h"
#include "backend/node/node_gpus.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"

struct msg_agent agent_report_head(const struct agent *a)
{
    return (struct msg_agent){
        .version = PROTO_VERSION, .node = xstrdup(a->cfg.node), .release = xstrdup(STOKER_VERSION)};
}

static void agent_report_tasks(const struct agent *a, struct msg_agent *m)
{
    list_for_each (t, &a->tasks->all, struct atask, in_table)
        if (!t->acked)
            *rec_list_push(&m->launches) = t->st;
}

/* The directory of srun and the others, if this program came with them. */
static char *agent_report_bin_dir(void)
{
    char *srun = exe_path_sibling("srun");
    free(srun);
    return srun ? exe_path_dir() : NULL;
}

/* *told: the log says already that the place is taken. */
static void agent_report_login(const struct agent *a, bool *told)
{
    bool login = a->facts.has_spec && str_eq(a->facts.spec.role, "login");
    struct rights_request q = {.kind = RIGHTS_LOGIN_SOCKET, .flag = login};
    bool taken = rights_ask_number(a->rights, &q);
    if (taken && !*told)
        log_warn("where commands look for a controller another one is found: they do not find this cluster "
                 "by themselves");
    *told = *told || taken;
}

/* For a controller on another machine: where clients of this node are let in. */
static void agent_report_clients(struct agent *a, struct msg_agent *m, bool *told)
{
    if (!a->facts.has_spec || str_eq(a->facts.spec.transport, "local"))
        return;
    m->client_socket = local_clients_listen(a->clients);
    m->bin_dir = agent_report_bin_dir();
    if (m->client_socket)
        agent_report_login(a, told);
}

void agent_report_fill(struct agent *a, struct msg_agent *m, bool *told)
{
    containment_note_gpus(a->containment);
    node_facts_describe(&a->facts, m);
    node_gpus_describe(a->gpus, m);
    m->private_tmp = a->root;
    m->spool_full = disk_reserve_is_used_up(a->disk);
    agent_report_tasks(a, m);
    agent_report_clients(a, m, told);
}
