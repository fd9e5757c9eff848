/* submission.h - handing a job to the controller: once, whatever happens to the connection on the way.
 *
 * Every submission carries a request id of its own. Where the answer does not come back (the controller is
 * killed after the commit, before the reply), the same submission with the same id goes to the next
 * controller, and gets the same job.
 */
#ifndef STOKER_CLI_SUBMISSION_H
#define STOKER_CLI_SUBMISSION_H

#include "src/cli/cmd.h"
#include "src/client/client.h"
#include "src/jobspec/message.h"

#define SUBMISSION_AWAY "Unable to contact slurm controller (connect failure)"

/* True inside a job: the controller is worth waiting for longer, as no user is there to try again. */
bool submission_inside_job(void);

/* Connects and asks until there is an answer. Returns 0 with *ret (the caller frees it with msg_result_rec)
 * and, if ret_client is not NULL, the connection it came by. Errors: -ECONNREFUSED ... as client_connect:
 * no controller; nothing is known to be queued then. */
int submission_send(const struct cli *cli, const struct msg_submit *m, struct client **ret_client,
                    struct msg_result *ret, struct errtext *err) __attribute__((warn_unused_result));

/* "name: warning: ..." for each thing that was asked for and has no effect in this cluster. */
void submission_warn(const struct cli *cli, const struct msg_result *r);

/* "name: error: detail" and "name: error: WHAT: cause", as Slurm's commands say it. Returns the exit
 * code 1. */
int submission_refused(const struct cli *cli, const char *what, const struct msg_result *r);
int submission_away(const struct cli *cli, const char *what, const struct errtext *err);

/* -M: is name this cluster? NULL and "all" always are. Else says so. */
bool submission_cluster_is(const struct cli *cli, const struct client *c, const char *name);

#endif
