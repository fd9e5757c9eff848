/* retire.h - jobs that ended long ago leave the state for the history. */
#ifndef STOKER_BACKEND_CONTROL_RETIRE_H
#define STOKER_BACKEND_CONTROL_RETIRE_H

#include "backend/control/core.h"

extern const struct module_ops retire_module;

#endif
