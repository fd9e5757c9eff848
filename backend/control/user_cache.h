/* user_cache.h - names and group memberships of uids, looked up once each.
 *
 * What the name service does not know is asked again after a while: it may have been out of reach, and a
 * user who is a number for ever is refused by every node. */
#ifndef STOKER_BACKEND_CONTROL_USER_CACHE_H
#define STOKER_BACKEND_CONTROL_USER_CACHE_H

#include <stdint.h>

#include "src/base/str.h"

struct control;
struct user_cache;

/* name_of: answers in place of the name service, and no user is in a group then; NULL: it is asked. */
struct user_cache *user_cache_new(const char *(*name_of)(uint32_t uid));
void user_cache_free(struct user_cache *u);
size_t user_cache_size(const struct user_cache *u);        /* users that it keeps */
const char *user_name(struct user_cache *u, uint32_t uid); /* the number where there is no name */
/* Whether user_name answers without asking the name service. */
bool user_is_known(const struct user_cache *u, uint32_t uid);
/* For an event that is kept: the name, or NULL where there is none. Caller frees. */
char *user_name_or_null(struct user_cache *u, uint32_t uid) __attribute__((warn_unused_result));
const char *group_name(struct user_cache *u, uint32_t gid);
bool user_in_groups(struct user_cache *u, uint32_t uid, const struct strv *groups);
/* root, this process's user, and those of admin_groups. */
bool user_is_admin(struct user_cache *u, uint32_t uid, const struct strv *admin_groups);
bool user_is_there(const char *name); /* not cached: for names that administrators type */

#endif
