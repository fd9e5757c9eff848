#include "backend/control/modules.h"

#include "backend/control/clients/followers.h"
#include "backend/control/clients/large_requests.h"
#include "backend/control/clients/output_relay.h"
#include "backend/control/clients/query_queue.h"
#include "backend/control/clients/row_feed.h"
#include "backend/control/clients/sessions.h"
#include "backend/control/eligibility_watch.h"
#include "backend/control/event_log.h"
#include "backend/control/forecast_keep.h"
#include "backend/control/forecast_slices.h"
#include "backend/control/history_deps.h"
#include "backend/control/job_mail.h"
#include "backend/control/lineage.h"
#include "backend/control/nodes/attempt_state.h"
#include "backend/control/nodes/lost_nodes.h"
#include "backend/control/nodes/node_avoid.h"
#include "backend/control/nodes/node_clients.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/nodes/pmi_fences.h"
#include "backend/control/nodes/time_limit.h"
#include "backend/control/nodes/unknown_tasks.h"
#include "backend/control/nodes/util_watch.h"
#include "backend/control/payload_cache.h"
#include "backend/control/policy_view.h"
#include "backend/control/prio_cache.h"
#include "backend/control/read_only.h"
#include "backend/control/requests/req_act.h"
#include "backend/control/requests/req_audit.h"
#include "backend/control/requests/req_history.h"
#include "backend/control/requests/req_script.h"
#include "backend/control/requests/req_stats.h"
#include "backend/control/requests/req_step.h"
#include "backend/control/requests/req_submit.h"
#include "backend/control/requests/req_window.h"
#include "backend/control/requests/shutdown.h"
#include "backend/control/requests/terminals.h"
#include "backend/control/retire.h"
#include "backend/control/schedule.h"
#include "backend/control/shortage.h"
#include "backend/control/users/audit.h"
#include "backend/control/users/user_budget.h"
#include "backend/control/users/user_quota.h"

/* Before an event is folded:
 *
 *   event_log                   takes the last record of a job that retires
 *   history_deps, followers,    look at that job while it is in the state, and at the jobs that the event
 *   row_feed                    touches
 *   schedule, prio_cache,       drop what names a configuration that goes
 *   query_queue
 *
 * After it:
 *
 *   event_log                   first: it opens the batch whose ticket all later modules give to what they
 *                               send. A module before it would send with the ticket of the batch before,
 *                               which may be committed already
 *   followers                   are told; what they see waits for the disk
 *   schedule                    has the job's actions derived, the policy asked again
 *   policy_view,                count and watch what the event has changed; they read the state alone,
 *   eligibility_watch ...       so their order is free
 *   lineage                     notes how far ids have come
 *
 * sessions and node_peers stop after the modules that keep something for a session or a node, event_log
 * after all modules that may still store something. */
const struct module_ops *const control_modules[] = {
    &event_log_module,
    &history_deps_module,
    &followers_module,
    &row_feed_module,
    &schedule_module,
    &policy_view_module,
    &prio_cache_module,
    &eligibility_watch_module,
    &user_quota_module,
    &sessions_module,
    &node_peers_module,
    &query_queue_module,
    &payload_cache_module,
    &attempt_state_module,
    &time_limit_module,
    &lost_nodes_module,
    &pmi_fences_module,
    &node_avoid_module,
    &node_clients_module,
    &util_watch_module,
    &output_relay_module,
    &terminals_module,
    &req_step_module,
    &req_submit_module,
    &req_script_module,
    &req_history_module,
    &req_stats_module,
    &shutdown_module,
    &req_act_module,
    &job_mail_module,
    &lineage_module,
    &forecast_keep_module,
    &forecast_slices_module,
    &retire_module,
    &read_only_module,
    &user_budget_module,
    &shortage_module,
    &audit_module,
    &req_audit_module,
    &req_window_module,
    &unknown_tasks_module,
    &large_requests_module,
    NULL,
};
