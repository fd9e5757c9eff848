#include "backend/control/requests/request_table.h"

#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/output_relay.h"
#include "backend/control/nodes/util_watch.h"
#include "backend/control/requests/req_act.h"
#include "backend/control/requests/req_audit.h"
#include "backend/control/requests/req_history.h"
#include "backend/control/requests/req_node.h"
#include "backend/control/requests/req_prio.h"
#include "backend/control/requests/req_reload.h"
#include "backend/control/requests/req_script.h"
#include "backend/control/requests/req_stats.h"
#include "backend/control/requests/req_step.h"
#include "backend/control/requests/req_submit.h"
#include "backend/control/requests/req_update.h"
#include "backend/control/requests/req_why.h"
#include "backend/control/requests/req_window.h"
#include "backend/control/requests/shutdown.h"
#include "backend/control/requests/terminals.h"

const struct request_kind request_table[MSG_N_KINDS] = {
    [MSG_SUBMIT] = {.handle = req_submit, .changes = true, .audit = audit_submit},
    [MSG_STEP_CREATE] = {.handle = req_step_create, .changes = true, .audit = audit_step_create},
    [MSG_ACT] = {.handle = req_act, .changes = true, .frees = req_act_frees, .audit = audit_act},
    [MSG_UPDATE] = {.handle = req_update, .changes = true, .audit = audit_update},
    [MSG_COMPLETE] = {.handle = req_complete,
                      .changes = true,
                      .frees = req_complete_frees,
                      .audit = audit_complete},
    [MSG_OWN] = {.handle = req_own},
    [MSG_DRAIN] = {.handle = req_drain, .changes = true, .admin = ADMIN_ACT_DRAIN, .audit = audit_drain},
    [MSG_NODE_NOTE] = {.handle = req_note, .changes = true, .admin = ADMIN_ACT_NOTE, .audit = audit_note},
    [MSG_NODE_TASK_END] = {.handle = req_node_task_end,
                           .changes = true,
                           .admin = ADMIN_ACT_END_TASKS,
                           .audit = audit_node_task_end},
    [MSG_WINDOW_SET] = {.handle = req_window,
                        .changes = true,
                        .admin = ADMIN_ACT_WINDOW,
                        .audit = audit_window},
    [MSG_RELOAD] = {.handle = req_reload,
                    .changes = true,
                    .admin = ADMIN_ACT_RELOAD,
                    .audit = audit_reload},
    [MSG_SHUTDOWN] = {.handle = req_shutdown, .admin = ADMIN_ACT_STOP, .audit = audit_shutdown},
    [MSG_GET] = {.handle = req_get},
    [MSG_WHY] = {.handle = req_why},
    [MSG_WAITS] = {.handle = req_waits},
    [MSG_PLAN] = {.handle = req_plan},
    [MSG_PRIO] = {.handle = req_prio},
    [MSG_SHARES] = {.handle = req_shares},
    [MSG_HISTORY] = {.handle = req_history},
    [MSG_SCRIPT] = {.handle = req_script},
    [MSG_OUTPUT_READ] = {.handle = req_output},
    [MSG_INPUT] = {.handle = req_input},
    [MSG_STATS] = {.handle = req_stats},
    [MSG_WATCH_UTIL] = {.handle = req_watch_util},
    [MSG_AUDIT] = {.handle = req_audit},
    [MSG_PING] = {.handle = req_ping},
};
