/* slurm_nodes.h - changes by operators, through scontrol: drain, resume, notes and reservations of nodes.
 * Slurm decides which users may do this; its refusals are shown in its words. */
#ifndef STOKER_BACKEND_SLURM_SLURM_NODES_H
#define STOKER_BACKEND_SLURM_SLURM_NODES_H

#include "backend/slurm/slurm_session.h"

/* Each answers with a RESULT once Slurm has, and has the nodes read again. */
void slurm_nodes_drain(struct slurm_session *s, uint64_t tag, const struct msg_drain *m);
void slurm_nodes_note(struct slurm_session *s, uint64_t tag, const struct msg_node_note *m);

/* Reservations and maintenance windows; the text of the RESULT is the name. */
void slurm_window_set(struct slurm_session *s, uint64_t tag, const struct msg_window_set *m);

/* The words of these commands; the caller frees them. Pure. */
void slurm_nodes_drain_words(const struct msg_drain *m, struct strv *ret);
void slurm_nodes_note_words(const struct msg_node_note *m, struct strv *ret);

#endif
