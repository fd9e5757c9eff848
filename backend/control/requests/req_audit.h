/* req_audit.h - the audit log: what requests say there, and questions about it. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_AUDIT_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_AUDIT_H

#include "backend/control/clients/session.h"

extern const struct module_ops req_audit_module;

audit_fn audit_submit, audit_step_create, audit_act, audit_update, audit_complete, audit_drain, audit_note,
    audit_node_task_end, audit_window, audit_reload, audit_shutdown;

request_fn req_audit;

#endif
