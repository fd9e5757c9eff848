/* rights_internal.h - what the parts of rights share. */
#ifndef STOKER_BACKEND_RIGHTS_RIGHTS_INTERNAL_H
#define STOKER_BACKEND_RIGHTS_RIGHTS_INTERNAL_H

#include "backend/node/node_policy.h"
#include "backend/rights/forkserver.h"
#include "backend/rights/own_limits.h"
#include "backend/rights/rights_request.h"
#include "src/base/idmap.h"

#include <stdio.h>

struct rights {
    struct rights_config cfg;
    const struct agent_dir *dir;
    bool root;
    struct own_limits limits;
    struct forkserver forkserver;
    struct node_policy policy;
    struct job_groups *groups;
    struct strv notes;
    struct idmap shims, readers; /* children by pid; values mean nothing */
};

/* Of the agent is another account than of this process. */
static inline bool rights_is_shared(const struct rights *r)
{
    return r->root && r->cfg.agent != 0;
}

static inline int rights_fail(struct rights_answer *a, int r, const struct errtext *err)
{
    a->r = r;
    snprintf(a->text, sizeof a->text, "%s", err->s);
    return r;
}

int rights_start(struct rights *r, const struct rights_request *q, struct rights_answer *a);
int rights_read(struct rights *r, const struct rights_request *q, struct rights_answer *a);
void rights_sweep(struct rights *r, const struct rights_request *q, struct rights_answer *a);

#endif
