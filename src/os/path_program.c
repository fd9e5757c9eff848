/* path_program.c - programs by their names. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/path_search.h"

static bool path_take_program(void *ctx, const char *file)
{
    struct stat st;
    char **ret = ctx;
    if (access(file, X_OK) != 0 || stat(file, &st) != 0 || S_ISDIR(st.st_mode))
        return false;
    *ret = xstrdup(file);
    return true;
}

char *path_find_program(const char *path, const char *name)
{
    char *found = NULL;
    path_search(path, name, path_take_program, &found);
    return found;
}
