/* modules.h - the table of the controller's modules. */
#ifndef STOKER_BACKEND_CONTROL_MODULES_H
#define STOKER_BACKEND_CONTROL_MODULES_H

#include "backend/control/core.h"

/* In the order in which they are told; NULL behind the last. */
extern const struct module_ops *const control_modules[];

#endif
