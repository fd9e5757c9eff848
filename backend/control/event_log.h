/* event_log.h - what was folded goes to the disk. */
#ifndef STOKER_BACKEND_CONTROL_EVENT_LOG_H
#define STOKER_BACKEND_CONTROL_EVENT_LOG_H

#include "backend/control/core.h"

extern const struct module_ops event_log_module;

#endif
