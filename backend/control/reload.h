/* reload.h - the configuration, at the start and again. */
#ifndef STOKER_BACKEND_CONTROL_RELOAD_H
#define STOKER_BACKEND_CONTROL_RELOAD_H

#include "backend/control/core.h"

/* Takes spec. */
int config_apply(struct control *c, struct cluster_spec *spec) __attribute__((warn_unused_result));

/* As control_reload. */
int config_reload(struct control *c, struct errtext *err) __attribute__((warn_unused_result));

#endif
