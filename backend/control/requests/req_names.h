/* req_names.h - what a request names must be there: partitions, nodes, features.
 *
 * Looked at for held jobs too: waiting mends no slip in a name. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_NAMES_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_NAMES_H

#include "backend/control/core.h"

enum refusal req_names_check(const struct model *m, const struct job_req *r, struct cause *why);
/* What is kept of them: each partition, node and excluded node once; without a partition that of the job
 * (NULL: it is a new one), else the default of now, whatever the default will be. */
void req_names_settle(const struct model *m, struct job_req *r, const char *part);

#endif
