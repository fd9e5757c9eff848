/* paths_home.c - the one use of the user database: apart, so that a static program can go without it. */
#include <stdlib.h>
#include <unistd.h>

#include "src/conf/paths.h"
#include "src/os/user_record.h"

void paths_find(struct paths *p)
{
    const char *home = getenv("HOME");
    const struct passwd *pw = home && *home == '/' ? NULL : user_record_of_uid(geteuid());
    if (!home || *home != '/')
        home = pw && pw->pw_dir && *pw->pw_dir == '/' ? pw->pw_dir : "/";
    paths_find_below(p, home);
}
