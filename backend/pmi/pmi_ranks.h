/* pmi_ranks.h - PMI for the ranks of a step: version 2, and version 1 for those that begin with it.
 *
 *     rank --PMI_FD--> put, get, fence ...          one socket for each rank, blocking on the rank's side
 *         all ranks here in a fence --PMI_FENCE--> shim -> agent -> controller --PMI_ALL--> each task
 *                                                  (tasks on one node alone need neither)
 *
 * What is put is kept by name; a fence brings the other nodes' pairs here. A fence that is not answered is
 * repeated. The answer of the last fence is kept: a controller that was killed while it answered has
 * answered some tasks alone, and the next controller gets the answer from one of these (PMI_KEPT). So the
 * shim stays behind its ranks until all tasks of the step are past its last fence (PMI_PAST), unless its
 * task has failed or is ended. Everything a rank may say is bounded; a rank whose message cannot be read
 * gets no further answer.
 */
#ifndef STOKER_BACKEND_PMI_RANKS_H
#define STOKER_BACKEND_PMI_RANKS_H

#include "backend/pmi/pmi_setup.h"
#include "src/proto/msg.h"

struct pmi_ranks;

/* What is told to the shim is written to shim_fd until it has left. Borrows the setup. */
struct pmi_ranks *pmi_ranks_new(const struct pmi_setup *setup, int shim_fd);
int pmi_ranks_fd(const struct pmi_ranks *p, size_t rank); /* -1: closed */
void pmi_ranks_read(struct pmi_ranks *p, size_t rank);
/* All tasks of the step are in the fence: all tasks' pairs. Or PMI_KEPT: the controller asks for the answer
 * of the last fence, or PMI_PAST. */
void pmi_ranks_take(struct pmi_ranks *p, const struct msg_pmi *m);
/* The ranks have ended: asks until all tasks are past the last fence. */
void pmi_ranks_ask_past(struct pmi_ranks *p);
/* What the controller has not answered is said again: when (INT64_MAX: never), and to be called then. */
int64_t pmi_ranks_next_ms(const struct pmi_ranks *p);
void pmi_ranks_look(struct pmi_ranks *p);

#endif
