/* read_only.h - the way back from a disk that takes no more.
 *
 * Clients hear that nothing was done, the state goes back to what is on disk, and nothing is accepted until
 * a transaction can be committed again. */
#ifndef STOKER_BACKEND_CONTROL_READ_ONLY_H
#define STOKER_BACKEND_CONTROL_READ_ONLY_H

#include "backend/control/core.h"

extern const struct module_ops read_only_module;

/* A batch could not be written. No-op where the controller is read-only already. */
void read_only_enter(struct control *c, const char *why);

#endif
