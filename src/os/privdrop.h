/* privdrop.h - becoming another user for good.
 *
 * The order is groups, group, user; what came of it is read back, and the way back to root is tried: a
 * kernel or a container that says yes and does nothing must not be believed.
 */
#ifndef STOKER_OS_PRIVDROP_H
#define STOKER_OS_PRIVDROP_H

#include <sys/types.h>

#include "src/base/err.h"

/* Becomes user uid with its primary and supplementary groups, from root. No-op where it is that user
 * already. Errors: a negative errno with a text; then this process must end. */
int privdrop_to_uid(uid_t uid, struct errtext *err) __attribute__((warn_unused_result));

/* The same with who owns path; no-op for one who is not root, and where root owns it. */
int privdrop_to_owner(const char *path, struct errtext *err) __attribute__((warn_unused_result));

/* The uid that text names: a user's name or a number. Errors: -ENOENT. */
int privdrop_find_user(const char *text, uid_t *ret_uid, gid_t *ret_gid, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
