#include "src/os/exe_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"

char *exe_path(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    return n > 0 ? xstrndup(self, (size_t)n) : NULL;
}

char *exe_path_dir(void)
{
    char *self = exe_path(), *slash = self ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    return self;
}

char *exe_path_sibling(const char *name)
{
    char *dir = exe_path_dir();
    if (!dir)
        return NULL;
    char *path = xasprintf("%s/%s", dir, name);
    free(dir);
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}
