/* jobopts_user.c - the users of this machine, for jobopts.c. */
#include "src/jobspec/jobopts.h"
#include "src/os/user_record.h"

bool jobopts_find_user(const char *name, unsigned *ret_uid)
{
    const struct passwd *pw = user_record_of_name(name);
    if (pw)
        *ret_uid = pw->pw_uid;
    return pw;
}
