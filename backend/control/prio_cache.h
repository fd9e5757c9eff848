/* prio_cache.h - what priorities are made of, kept between questions. */
#ifndef STOKER_BACKEND_CONTROL_PRIO_CACHE_H
#define STOKER_BACKEND_CONTROL_PRIO_CACHE_H

#include "backend/control/core.h"

#include "backend/sched/explain/explain.h"

extern const struct module_ops prio_cache_module;

/* As new as can be had without spending the time on it. Valid until the next event or call. */
const struct prio_ctx *prio_cache_get(struct control *c);

#endif
