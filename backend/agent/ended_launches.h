/* ended_launches.h - the launches that have ended and been acknowledged: none of them is run again.
 *
 * Two generations of ENDED_GENERATION keys, each a file and a table: when the newer one is full it becomes
 * the older one, and the older one is forgotten. So between one and two generations are always known.
 */
#ifndef STOKER_BACKEND_AGENT_ENDED_LAUNCHES_H
#define STOKER_BACKEND_AGENT_ENDED_LAUNCHES_H

#include "src/base/idmap.h"
#include "src/proto/launch.h"

struct errtext;

#define ENDED_GENERATION 65536

struct ended_launches {
    int dir_fd, fd;
    struct idmap now, before; /* hash of the key -> a copy of it */
};

/* Reads what is in the directory. dir_fd stays the caller's and must live as long. */
int ended_open(struct ended_launches *t, int dir_fd, struct errtext *err)
    __attribute__((warn_unused_result));
void ended_close(struct ended_launches *t);
void ended_add(struct ended_launches *t, const struct launch_key *key);
bool ended_has(const struct ended_launches *t, const struct launch_key *key);
/* Forgets everything: another cluster's. */
void ended_clear(struct ended_launches *t);

#endif
