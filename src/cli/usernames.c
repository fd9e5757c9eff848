#include "src/cli/usernames.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client_remote.h"
#include "src/conf/paths.h"

/* NULL: this is not a demo. */
static FILE *usernames_open_demo(void)
{
    const char *home = getenv("STOKER_HOME");
    char *path = home ? xasprintf("%s/" DEMO_USERS_FILE, home) : NULL;
    FILE *f = path ? fopen(path, "re") : NULL;
    free(path);
    return f;
}

static bool usernames_next(FILE *f, char name[static 33], uid_t *ret_uid)
{
    unsigned uid;
    if (fscanf(f, "%32s %u", name, &uid) != 2)
        return false;
    *ret_uid = uid;
    return true;
}

bool username_is_known(const char *name)
{
    FILE *f = usernames_open_demo();
    char at[33];
    uid_t uid;
    bool found = false;
    while (f && !found && usernames_next(f, at, &uid))
        found = strcmp(at, name) == 0;
    if (f)
        fclose(f);
    return found || getpwnam(name);
}

char *username_of(uid_t uid)
{
    FILE *f = usernames_open_demo();
    char at[33];
    uid_t its;
    bool found = false;
    while (f && !found && usernames_next(f, at, &its))
        found = its == uid;
    if (f)
        fclose(f);
    const struct passwd *pw = found ? NULL : getpwuid(uid);
    return found ? xstrdup(at) : pw ? xstrdup(pw->pw_name) : NULL;
}

uid_t username_own_uid_at(const struct client *c)
{
    const struct msg_welcome *w = client_remote_host() ? client_welcome(c) : NULL;
    return w ? w->uid : username_own_uid();
}

uid_t username_own_uid(void)
{
    FILE *f = usernames_open_demo();
    char at[33];
    uid_t uid;
    bool found = f && usernames_next(f, at, &uid);
    if (f)
        fclose(f);
    return found ? uid : geteuid();
}
