/* user_cache.h - names and group memberships of users, as the name service said last.
 *
 * No function of it waits for the name service (name_service.h does that): where one is not known yet, or
 * was said a while ago, a question is on its way when the function returns. A caller that has to be
 * sure waits until user_is_fresh.
 *
 * Groups that make an administrator count for a minute, so that rights end soon after a user has left such
 * a group, even if the name service is silent. For everything else its last answer counts while it is out
 * of reach. */
#ifndef STOKER_CONTROL_USERS_USER_CACHE_H
#define STOKER_CONTROL_USERS_USER_CACHE_H

#include <stdint.h>

#include "src/base/str.h"

struct loop;
struct name_answer;
struct user_cache;

struct user_cache_ops {
    /* Answers in place of the name service, and no user is in a group then; NULL: it is asked. */
    const char *(*name_of)(uint32_t uid);
    /* The name service has said something. groups_changed: not since the call before it. */
    void (*on_told)(void *ctx, const struct name_answer *a, bool groups_changed);
    void *ctx;
};

/* Asks for this process's user and root, and waits for that. */
struct user_cache *user_cache_new(struct loop *l, const struct user_cache_ops *ops)
    __attribute__((warn_unused_result));
void user_cache_free(struct user_cache *u);
/* All is asked again: what was said counts until the answer has come, but is not fresh. */
void user_cache_expire(struct user_cache *u);
size_t user_cache_size(const struct user_cache *u);    /* users that it keeps */
bool user_cache_is_asking(const struct user_cache *u); /* answers are to come */
const char *user_cache_own_home(const struct user_cache *u);

/* Whether the name service has been asked about the user and that group in the last minute, or need not be.
 * Where it has not, it is asked. */
bool user_is_fresh(struct user_cache *u, uint32_t uid, uint32_t gid);
/* Whether nothing more is asked for that user now. */
bool user_is_known(const struct user_cache *u, uint32_t uid);
const char *user_name(struct user_cache *u, uint32_t uid); /* the number where no name is known */
/* For an event that is kept: the name, or NULL where none is known. Caller frees. */
char *user_name_or_null(struct user_cache *u, uint32_t uid) __attribute__((warn_unused_result));
const char *group_name(struct user_cache *u,
                       uint32_t gid); /* of a group that user_is_fresh was asked for */
bool user_in_groups(struct user_cache *u, uint32_t uid, const struct strv *groups);
/* root, this process's user, and users of whom the name service said within the last minute that they are
 * in one of admin_groups. */
bool user_is_admin(struct user_cache *u, uint32_t uid, const struct strv *admin_groups);

enum user_there { USER_THERE_ASKED, USER_THERE_YES, USER_THERE_NO, USER_THERE_UNSURE };
/* Whether there is a user of that name: for names that administrators type. ASKED: on_told follows. */
enum user_there user_is_there(struct user_cache *u, const char *name);

#endif
