/* path_search.c - files by their names in the directories of a PATH. */
#include "src/base/path_search.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"

bool path_search(const char *path, const char *name, path_look_fn *look, void *ctx)
{
    bool found = false;
    if (strchr(name, '/'))
        return look(ctx, name);
    for (const char *at = path; at && !found; at = *at ? at + 1 : NULL) {
        size_t n = strcspn(at, ":");
        char *file = n ? xasprintf("%.*s/%s", (int)n, at, name) : xasprintf("./%s", name);
        found = look(ctx, file);
        free(file);
        at += n;
    }
    return found;
}

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
