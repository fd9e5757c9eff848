/* shim_orders.h - what the agent, or the shim itself, orders: kills, input, fences, renewed leases. */
#ifndef STOKER_BACKEND_SHIM_SHIM_ORDERS_H
#define STOKER_BACKEND_SHIM_SHIM_ORDERS_H

#include "backend/shim/shim_state.h"

/* A frame of the agent. */
void shim_take_frame(struct shim *s, const struct frame *f);
void kill_on_request(struct shim *s, const struct launch_kill *k);
/* Ends the task if its lease is over. */
void lease_look(struct shim *s);
void lease_start(struct shim *s);

#endif
