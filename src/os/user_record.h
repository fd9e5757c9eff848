/* user_record.h - what the machine knows of a user: name, number, home directory, shell.
 *
 * The name service is asked through shared libraries, which a static program cannot load. Such a program
 * defines the first two functions itself, by the third.
 */
#ifndef STOKER_OS_USER_RECORD_H
#define STOKER_OS_USER_RECORD_H

#include <pwd.h>

/* NULL: the machine does not know that user. Valid until the next call. */
const struct passwd *user_record_of_uid(uid_t uid);
const struct passwd *user_record_of_name(const char *name);

/* The same, from getent(1): key is a name or a number in decimal digits. Cost: a process. */
const struct passwd *user_record_ask_getent(const char *key);

#endif
