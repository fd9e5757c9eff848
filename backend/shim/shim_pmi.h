/* shim_pmi.h - the shim's side of PMI: it has the server started and carries what travels between
 * nodes. */
#ifndef STOKER_BACKEND_SHIM_SHIM_PMI_H
#define STOKER_BACKEND_SHIM_SHIM_PMI_H

#include "backend/shim/shim_state.h"

/* Where the launch wants PMI: a socket for each rank, and the server. What fails shows in
 * shim_pmi_socket. */
void shim_pmi_start(struct shim *s);
/* The rank's PMI_FD, which the caller closes; -1: PMI is not served. 0 or -errno. */
int shim_pmi_socket(struct shim *s, size_t rank, int *ret_fd);
int shim_pmi_fd(const struct shim *s); /* -1: no server */
bool shim_pmi_wants_write(const struct shim *s);
void shim_pmi_serve(struct shim *s, short ready);
/* An abort is repeated until the controller ends the step. */
int64_t shim_pmi_next_ms(const struct shim *s);
void shim_pmi_look(struct shim *s);
/* What the controller says of a fence: the body of MSG_PMI_ALL. */
void shim_pmi_take(struct shim *s, const struct frame *f);
/* Once no rank is left: whether the shim is needed still, by tasks that lack the answer of the last fence
 * or to end the step. */
bool shim_pmi_stays(struct shim *s);
/* The controller ends the task: the shim need not stay. */
void shim_pmi_let_go(struct shim *s);
/* Ends the server. */
void shim_pmi_stop(struct shim *s);

#endif
