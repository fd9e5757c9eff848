/* nodefile.c - files of node names. */
#include "src/jobspec/nodefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/lang/lang.h"
#include "src/values/hostlist.h"

#define LINE_MAX_BYTES 65536

static int nodefile_add_line(char *line, struct strv *ret, struct errtext *err)
{
    struct strv names = {0};
    line[strcspn(line, "#\n")] = '\0';
    char *expr = str_trim(line);
    if (!*expr)
        return 0;
    int rc = hostlist_expand(expr, &names, err);
    for (size_t i = 0; i < names.n && !rc; i++)
        strv_push(ret, names.v[i]);
    strv_fini(&names);
    if (!rc && ret->n > HOSTLIST_MAX)
        rc = err_set(err, -E2BIG, tr("more than %d names"), HOSTLIST_MAX);
    return rc;
}

int nodefile_read(const char *path, struct strv *ret, struct errtext *err)
{
    char line[LINE_MAX_BYTES];
    struct strv names = {0};
    FILE *f = fopen(path, "re");
    int rc = f ? 0 : err_set(err, -errno, "%s: %s", path, strerror(errno));
    for (unsigned n = 1; !rc && fgets(line, sizeof line, f); n++) {
        rc = nodefile_add_line(line, &names, err);
        if (rc)
            rc = err_prefix(err, rc, "%s:%u", path, n);
    }
    if (!rc && ferror(f))
        rc = err_set(err, -EIO, tr("%s cannot be read"), path);
    if (!rc && !names.n)
        rc = err_set(err, -EINVAL, tr("%s names no node"), path);
    if (f)
        fclose(f);
    if (rc)
        strv_fini(&names);
    else
        *ret = names;
    return rc;
}
