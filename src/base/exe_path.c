#include "src/base/exe_path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"

char *self_path(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    return n > 0 ? xstrndup(self, (size_t)n) : NULL;
}

char *self_dir(void)
{
    char *self = self_path(), *slash = self ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    return self;
}

char *self_sibling(const char *name)
{
    char *dir = self_dir();
    if (!dir)
        return NULL;
    char *path = xasprintf("%s/%s", dir, name);
    free(dir);
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

char *self_program(const char *name)
{
    char *beside = self_sibling(name);
    return beside ? beside : xstrdup(name);
}

int self_exec(const char *name, char *const argv[])
{
    char *program = self_program(name);
    execvp(program, argv); /* with a slash in it PATH is not looked at */
    int r = -errno;
    free(program);
    return r;
}
