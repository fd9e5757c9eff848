/* slurm_rows.h - rows for clients: snapshots, then what has changed. */
#ifndef STOKER_BACKEND_SLURM_SLURM_ROWS_H
#define STOKER_BACKEND_SLURM_SLURM_ROWS_H

#include "backend/slurm/slurm_session.h"

/* Takes a GET: it is answered at once if its rows are known, else by slurm_rows_try. */
void slurm_rows_get(struct slurm_session *s, uint64_t tag, struct msg_get *get);
/* A round is over: answers the GET that waits, if it can be answered now. */
void slurm_rows_try(struct slurm_session *s);
/* What the session needs to be read. */
enum slurm_need slurm_rows_need(const struct slurm_session *s);

/* Whether the session is to be told of the event. */
bool slurm_rows_follows(const struct slurm_session *s, const struct event *ev);
/* Pushed after each round: the sums of the cluster, the age of the rows. */
void slurm_rows_tell_round(struct slurm_session *s);

#endif
