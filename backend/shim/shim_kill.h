/* shim_kill.h - signals to the task, and its end by force. */
#ifndef STOKER_BACKEND_SHIM_SHIM_KILL_H
#define STOKER_BACKEND_SHIM_SHIM_KILL_H

#include "backend/shim/shim_state.h"

/* Takes the spare descriptors that are not held. */
void shim_kill_take_spares(struct shim *s);
/* The processes of the task: all descendants but the PMI server. */
void shim_kill_tree(const struct shim *s, struct proc_list *ret);
void shim_kill_terminate(struct shim *s, int64_t grace_ms);
void shim_kill_signal(struct shim *s, int signo, enum signal_target target);
void shim_kill_round(struct shim *s);

#endif
