/* held_jobs_answer.h - nodes ask which of the jobs that they keep something for are over there. */
#ifndef STOKER_BACKEND_CONTROL_NODES_HELD_JOBS_ANSWER_H
#define STOKER_BACKEND_CONTROL_NODES_HELD_JOBS_ANSWER_H

#include "backend/control/core.h"
#include "backend/net/nodeconn.h"

/* Tells the node those that are: ended, begun again since, gone from the state, or without resources
 * there. The answer follows from the state alone, so it may be asked for at any time. */
void held_jobs_answer(struct control *c, struct nodeconn *conn, const struct msg_held_jobs *m);

#endif
