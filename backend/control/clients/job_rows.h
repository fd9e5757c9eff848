/* job_rows.h - rows of the state for a client, in pieces, and then what changes.
 *
 * A large snapshot is sent as the client reads it, in slices (query_queue.c). Jobs that change after their
 * row was sent go again before the end (not to clients that read parts of rows: they print each as it
 * comes), then come the nodes, then MSG_SNAPSHOT with the number of the last event: all of it is one
 * consistent state, and events follow from there. The first of them, for a session that follows, are the
 * retirements of jobs whose row was sent; the reasons that changed meanwhile come with them. */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_JOB_ROWS_H
#define STOKER_BACKEND_CONTROL_CLIENTS_JOB_ROWS_H

#include "backend/control/clients/session.h"

void req_get(struct session *s, uint64_t tag, void *body);
/* Parts of rows were asked for, once: they are printed as they come, so none is sent again. */
bool rows_are_parts(const struct msg_get *g);
/* Whether rows of waiting jobs have the start that is forecast. */
bool rows_tell_starts(const struct msg_get *g);
/* A body of MSG_EVENT with the job's row, for sessions that follow rows. Appends to out. */
void rows_encode_pushed(const struct session *s, const struct job *j, struct str *out);
/* Whether command lines are among what is asked for. */
bool rows_have_commands(const struct msg_get *g);
/* A row out of turn, of a job that leaves. False: it is not of those that were asked for. */
bool rows_send_last(struct session *s, const struct job *j);
/* What has changed during a snapshot is told, or void. */
void rows_clear_late(struct session *s);
void rows_send_spec(struct session *s);
/* More of the rows that the session has asked for, and the end of the snapshot behind the last: until then,
 * or until its connection is full. */
enum slice { SLICE_MORE, SLICE_FULL, SLICE_LAST };
enum slice rows_slice(struct session *s, struct mono until) __attribute__((warn_unused_result));
/* All of them at once, as another session has got them, and the end. */
void rows_send_kept(struct session *s, const struct query_answer *a);

#endif
