/* shim_orders.h - what the agent, or the shim itself, orders: kills, input, fences, renewed leases. */
#ifndef STOKER_BACKEND_SHIM_SHIM_ORDERS_H
#define STOKER_BACKEND_SHIM_SHIM_ORDERS_H

#include "backend/shim/shim_state.h"

/* A frame of the agent. */
void shim_orders_take_frame(struct shim *s, const struct frame *f);
void shim_orders_kill(struct shim *s, const struct launch_kill *k);
/* Ends the task if its lease is over. */
void shim_orders_look_at_lease(struct shim *s);
void shim_orders_start_lease(struct shim *s);

#endif
