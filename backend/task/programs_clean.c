/* programs_clean.c - the agent's part: what is left of other releases. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/task/programs.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define UNUSED_S 600 /* an agent may be about to start what lies there */
#define KIT_LEN  32  /* hexadecimal digits of the contents, then "-" and the machine's type */

static bool is_bundle(const char *name)
{
    return strspn(name, "0123456789abcdef") == KIT_LEN && name[KIT_LEN] == '-';
}

/* What was left of an installation that broke off. */
static bool is_draft(const char *name)
{
    return strncmp(name, ".new-", 5) == 0;
}

/* A flat directory of files and links. */
static void remove_dir(int parent, const char *name, int fd)
{
    DIR *d = fdopendir(dup(fd));
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(fd, e->d_name, 0);
    if (d)
        closedir(d);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static void programs_look(int parent, const char *name)
{
    struct stat st;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    bool old =
        fstat(fd, &st) == 0 && st.st_uid == geteuid() && wall_read().ms / MS_PER_S - st.st_mtime > UNUSED_S;
    if (old && flock(fd, LOCK_EX | LOCK_NB) == 0)
        remove_dir(parent, name, fd);
    close(fd);
}

void programs_clean(const char *program)
{
    char *dir = xstrdup(program), *slash = strrchr(dir, '/');
    char *own = NULL;
    if (slash) {
        *slash = '\0';
        own = strrchr(dir, '/');
    }
    if (own && is_bundle(own + 1)) {
        utimensat(AT_FDCWD, dir, NULL, 0);
        *own++ = '\0';
        int parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *d = parent < 0 ? NULL : fdopendir(dup(parent));
        for (const struct dirent *e; d && (e = readdir(d));)
            if ((is_bundle(e->d_name) && strcmp(e->d_name, own) != 0) || is_draft(e->d_name))
                programs_look(parent, e->d_name);
        if (d)
            closedir(d);
        if (parent >= 0)
            close(parent);
    }
    free(dir);
}
