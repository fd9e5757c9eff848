/* path_search.c - files by their names in the directories of a PATH. */
#include "src/os/path_search.h"

#include <stdlib.h>
#include <string.h>

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
