/* ended_launches.h - the launches that have ended and been acknowledged: none of them is run again.
 *
 * Two generations of TOMB_GENERATION keys, each a file and a table: when the newer one is full it becomes
 * the older one, and the older one is forgotten. So between one and two generations are always known.
 */
#ifndef STOKER_BACKEND_AGENT_ENDED_LAUNCHES_H
#define STOKER_BACKEND_AGENT_ENDED_LAUNCHES_H

#include "src/base/idmap.h"
#include "src/proto/launch.h"

#define TOMB_GENERATION 65536

struct tomb {
    int dir_fd, fd;
    struct idmap now, before; /* hash of the key -> a copy of it */
};

/* Reads what is in the directory. dir_fd stays the caller's and must live as long. */
int tomb_open(struct tomb *t, int dir_fd, struct errtext *err) __attribute__((warn_unused_result));
void tomb_close(struct tomb *t);
void tomb_add(struct tomb *t, const struct launch_key *key);
bool tomb_has(const struct tomb *t, const struct launch_key *key);
/* Forgets everything: another cluster's. */
void tomb_clear(struct tomb *t);

#endif
