/* shim_pmi.h - PMI for the ranks of a step: version 2, and version 1 for those that begin with it. */
#ifndef STOKER_BACKEND_SHIM_SHIM_PMI_H
#define STOKER_BACKEND_SHIM_SHIM_PMI_H

#include "backend/shim/shim_state.h"

void shim_pmi_start(struct shim *s);
/* A rank's socket: ours is kept, theirs (-1: PMI is not served) is the rank's PMI_FD. 0 or -errno. */
int shim_pmi_socket(struct shim *s, size_t rank, int *ret_theirs);
int shim_pmi_fd(const struct shim *s, size_t rank); /* -1: closed */
void shim_pmi_read(struct shim *s, size_t rank);
/* What the controller has not answered is said again. */
int64_t shim_pmi_next_ms(const struct shim *s);
void shim_pmi_look(struct shim *s);
/* All tasks of the step are in the fence: all tasks' pairs. Or PMI_KEPT: the controller asks for the answer
 * of the last fence, or PMI_PAST. */
void shim_pmi_take(struct shim *s, const struct msg_pmi *m);
/* Once no rank is left: whether the shim is needed still, by tasks that lack the answer of the last fence
 * or to end the step. */
bool shim_pmi_stays(struct shim *s);
/* The controller ends the task: the shim need not stay. */
void shim_pmi_let_go(struct shim *s);

#endif
