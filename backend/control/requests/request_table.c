#include "backend/control/requests/request_table.h"

#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/output_relay.h"
#include "backend/control/nodes/util_watch.h"
#include "backend/control/requests/req_act.h"
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
    [MSG_SUBMIT] = {req_submit, .changes = true},
    [MSG_STEP_CREATE] = {req_step_create, .changes = true},
    [MSG_ACT] = {req_act, .changes = true},
    [MSG_UPDATE] = {req_update, .changes = true},
    [MSG_COMPLETE] = {req_complete, .changes = true},
    [MSG_OWN] = {req_own},
    [MSG_DRAIN] = {req_drain, .changes = true, .admin = "drain and resume nodes"},
    [MSG_NODE_NOTE] = {req_note, .changes = true, .admin = "write notes about nodes"},
    [MSG_NODE_TASK_END] = {req_node_task_end, .changes = true, .admin = "end tasks of nodes"},
    [MSG_WINDOW_SET] = {req_window, .changes = true, .admin = "set and remove windows and reservations"},
    [MSG_RELOAD] = {req_reload, .changes = true, .admin = "change the configuration"},
    [MSG_SHUTDOWN] = {req_shutdown, .admin = "stop the controller"},
    [MSG_GET] = {req_get},
    [MSG_WHY] = {req_why},
    [MSG_WAITS] = {req_waits},
    [MSG_PLAN] = {req_plan},
    [MSG_PRIO] = {req_prio},
    [MSG_SHARES] = {req_shares},
    [MSG_HISTORY] = {req_history},
    [MSG_SCRIPT] = {req_script},
    [MSG_OUTPUT_READ] = {req_output},
    [MSG_INPUT] = {req_input},
    [MSG_STATS] = {req_stats},
    [MSG_WATCH_UTIL] = {req_watch_util},
    [MSG_PING] = {req_ping},
};
