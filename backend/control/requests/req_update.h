/* req_update.h - scontrol update of a job: which members may change, when, and by whom. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_UPDATE_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_UPDATE_H

#include "backend/control/clients/session.h"

void req_update(struct session *s, uint64_t tag, void *body);

/* The request that job j would have with these changes ("TimeLimit=2:00:00"), if the session may make them;
 * nothing is changed. Returns REFUSAL_NONE, then rec_fini(&job_req_rec, ret); else why not, with *why. */
enum refusal update_try(struct session *s, const struct job *j, const struct strv *changes,
                        struct job_req *ret, struct cause *why);

#endif
