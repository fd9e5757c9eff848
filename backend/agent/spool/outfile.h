/* outfile.h - outputs that lie in files of this machine, for clients that cannot open them.
 *
 *     controller --OUTPUT_READ with path and user--> agent --> stoker-agent --read-file
 *                                                             (one for each file and user)
 *
 * The agent opens no path of a user's: a process that has become the user does, and answers are passed on
 * as they come.
 */
#ifndef STOKER_AGENT_SPOOL_OUTFILE_H
#define STOKER_AGENT_SPOOL_OUTFILE_H

#include <sys/types.h>

#include "src/proto/msg.h"

struct agent;
struct outfiles;

struct outfiles *outfiles_new(struct agent *a);
void outfiles_free(struct outfiles *of);
/* Answers to the controller; m->path is set. Changes m: the reader is told whether the task has ended. */
void outfile_read(struct outfiles *of, uint64_t tag, struct msg_output_read *m);
/* Whether the child pid is one of the readers. */
bool outfile_is_child(const struct outfiles *of, pid_t pid);

#endif
