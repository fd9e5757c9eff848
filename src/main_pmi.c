/* main_pmi.c - stoker-pmi UID DIRECTORY: the PMI server of the task in the directory, started by its
 * supervisor.
 *
 * A program that its user has started could be traced by its user: the start makes it dumpable again. So
 * root starts it, with the groups of the user, and it becomes the user by itself. All that it does before
 * that is in this file.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backend/pmi/pmi_server.h"

/* In two steps. The change of the effective user resets whether the process is dumpable to what the machine
 * says (fs.suid_dumpable), which may be that it is. While the saved user is root's it cannot be traced by
 * its user, and the change of the saved user alone resets nothing. */
static bool main_pmi_become(uid_t uid)
{
    uid_t r, e, s;
    uid_t same = (uid_t)-1;
    if (setresuid(uid, uid, same) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 || setresuid(same, same, uid) < 0)
        return false;
    if (getresuid(&r, &e, &s) < 0 || r != uid || e != uid || s != uid)
        return false;
    return prctl(PR_GET_DUMPABLE) == 0 && (uid == 0 || setresuid(same, 0, same) < 0);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long uid = argc == 3 ? strtoul(argv[1], &end, 10) : 0;
    if (!end || end == argv[1] || *end || uid >= (uid_t)-1) {
        fputs("usage: stoker-pmi UID DIRECTORY (started by stoker-shim)\n", stderr);
        return 2;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || !main_pmi_become((uid_t)uid)) {
        perror("stoker-pmi: cannot become the user");
        return 1;
    }
    pmi_server_run();
}
