/* user_record.c - users, by the C library's name service. */
#include "src/os/user_record.h"

const struct passwd *user_record_of_uid(uid_t uid)
{
    return getpwuid(uid);
}

const struct passwd *user_record_of_name(const char *name)
{
    return getpwnam(name);
}
