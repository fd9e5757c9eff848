/* usernames.h - names and numbers of users, for filters: the machine's, or those of a demo, whose users the
 * machine does not know: they stand in the file DEMO_USERS_FILE below STOKER_HOME, "NAME UID" in each line,
 * the user of the commands first.
 */
#ifndef STOKER_CLI_USERNAMES_H
#define STOKER_CLI_USERNAMES_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/client/client.h"

bool username_is_known(const char *name);
/* The name of a user, NULL: there is none. Caller frees. */
char *username_of(uid_t uid) __attribute__((warn_unused_result));
/* Whose jobs are mine. */
uid_t username_own_uid(void);
/* The same at the other end of that connection, which may be another machine. */
uid_t username_own_uid_at(const struct client *c);

#endif
