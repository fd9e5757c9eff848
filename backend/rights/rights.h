/* rights.h - what needs rights over the machine on behalf of an agent, and nothing else: supervisors,
 * readers of files, control groups, directories of tasks, what a lost supervisor has left.
 *
 * Two processes use it. An agent that runs under its user's account, or for root alone, calls rights_serve
 * itself. Of a service stoker-launcher does: it is root, the agent is not, and each request comes as one
 * packet. So a request is believed in nothing that could give its sender more than tasks of users whom the
 * policy admits: paths are made here, from keys, names of groups are words of digits, and users are looked
 * up here.
 */
#ifndef STOKER_BACKEND_RIGHTS_RIGHTS_H
#define STOKER_BACKEND_RIGHTS_RIGHTS_H

#include "backend/rights/rights_request.h"

struct rights;

/* Takes the machine: raises the limits of this process, finds control groups. dir and what cfg points to
 * stay the caller's. */
struct rights *rights_new(const struct rights_config *cfg, const struct agent_dir *dir);
void rights_free(struct rights *r);
/* Does what is asked for. The caller owns ret->fd. Returns ret->r. */
int rights_serve(struct rights *r, const struct rights_request *q, struct rights_answer *ret);
/* The child pid has been reaped, with the status of waitpid. */
void rights_child_ended(struct rights *r, pid_t pid, int status);

#endif
