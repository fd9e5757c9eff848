/* user_getent.c - users, by getent(1): apart, so that a static program links nothing of the name service.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/spawn.h"
#include "src/os/user_record.h"

#define LINE_MAX_BYTES 4096

/* NAME:PASSWORD:UID:GID:GECOS:HOME:SHELL, which is cut up. False: it is not such a line. */
static bool parse_line(char *line, struct passwd *ret)
{
    enum { NAME, PASSWORD, UID, GID, GECOS, HOME, SHELL, N };
    char *field[N], *end_uid, *end_gid;
    line[strcspn(line, "\n")] = '\0';
    for (size_t i = 0; i < N; i++) {
        field[i] = strsep(&line, ":");
        if (!field[i])
            return false;
    }
    unsigned long uid = strtoul(field[UID], &end_uid, 10), gid = strtoul(field[GID], &end_gid, 10);
    if (!*field[NAME] || !*field[UID] || *end_uid || !*field[GID] || *end_gid)
        return false;
    *ret = (struct passwd){.pw_name = field[NAME],
                           .pw_passwd = field[PASSWORD],
                           .pw_uid = (uid_t)uid,
                           .pw_gid = (gid_t)gid,
                           .pw_gecos = field[GECOS],
                           .pw_dir = field[HOME],
                           .pw_shell = field[SHELL]};
    return true;
}

/* Its standard error stays ours: a service that cannot be reached is told of. Returns where to read from,
 * or a negative errno. */
static int start_getent(const char *key, pid_t *ret_pid)
{
    char program[] = "getent", database[] = "passwd", *text = xstrdup(key);
    char *argv[] = {program, database, text, NULL};
    int fds[2], r = pipe2(fds, O_CLOEXEC) < 0 ? -errno : 0;
    if (r == 0) {
        r = spawn_program(&(struct spawn){.path = program,
                                          .argv = argv,
                                          .fds = {{.ours = fds[1], .theirs = STDOUT_FILENO}},
                                          .n_fds = 1},
                          ret_pid);
        close(fds[1]);
        if (r < 0)
            close(fds[0]);
    }
    free(text);
    return r < 0 ? r : fds[0];
}

const struct passwd *user_record_ask_getent(const char *key)
{
    static char line[LINE_MAX_BYTES];
    static struct passwd record;
    pid_t pid;
    int fd = *key == '-' ? -EINVAL : start_getent(key, &pid); /* it would be an option */
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f)
        return NULL;
    bool found = fgets(line, sizeof line, f) && parse_line(line, &record);
    fclose(f);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return found ? &record : NULL;
}
