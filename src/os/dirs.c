#include "src/os/dirs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"

int dirs_above(const char *path, mode_t mode)
{
    char *p = xstrdup(path);
    int r = 0;
    for (char *slash = *p ? strchr(p + 1, '/') : NULL; slash && r == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(p, mode) < 0 && errno != EEXIST)
            r = -errno;
        *slash = '/';
    }
    free(p);
    return r;
}

int dirs_make(const char *path, mode_t above, mode_t own)
{
    int r = dirs_above(path, above);
    return r < 0 ? r : mkdir(path, own) < 0 && errno != EEXIST ? -errno : 0;
}

bool dirs_is_below(const char *path, const char *root)
{
    size_t n = strlen(root);
    while (n && root[n - 1] == '/')
        n--;
    return strncmp(path, root, n) == 0 && (path[n] == '/' || path[n] == '\0') && !strstr(path, "/../") &&
           !str_ends(path, "/..");
}
