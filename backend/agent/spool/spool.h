/* spool.h - reading what tasks wrote into their spool, while it grows and for a while after.
 *
 * A read past the present end waits for growth: inotify tells, without polling.
 */
#ifndef STOKER_AGENT_SPOOL_SPOOL_H
#define STOKER_AGENT_SPOOL_SPOOL_H

#include "src/proto/msg.h"

struct agent;
struct spool;

struct spool *spool_new(struct agent *a);
void spool_free(struct spool *s);
/* Answers to the controller, at once or when there is something; m->stream is 1 or 2. */
void spool_read(struct spool *s, uint64_t tag, const struct msg_output_read *m);
/* The task has ended, or goes: reads that wait for it are answered. */
void spool_task_changed(struct spool *s, const struct launch_key *key);
/* The controller is gone. */
void spool_drop_waits(struct spool *s);

#endif
