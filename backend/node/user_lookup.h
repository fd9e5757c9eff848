/* user_lookup.h - what this node's name service says of a user: the agent asks, the static shim cannot. */
#ifndef STOKER_BACKEND_NODE_USER_LOOKUP_H
#define STOKER_BACKEND_NODE_USER_LOOKUP_H

#include "src/base/err.h"
#include "src/record/rec.h"

/* Checks that uid has the name that the controller knows and is in the group gid, and gives its groups
 * (uint32_t each). Answers are kept for a minute. Errors: -EPERM with a text where the node knows the user
 * by no or by another name, or not in that group. */
int user_lookup_groups(uint32_t uid, uint32_t gid, const char *name, const struct blob **ret,
                       struct errtext *err) __attribute__((warn_unused_result));

/* The name of uid on this machine, kept for a minute; the number where it has none. Valid until the next
 * call. */
const char *user_lookup_name(uint32_t uid);

#endif
