/* nodeentry.c - a machine as options describe it, and its entry in stoker.cfg. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/setup/nodecmd.h"
#include "src/conf/conf.h"
#include "src/lang/lang.h"
#include "src/os/dirs.h"
#include "src/os/file.h"

static bool nodeentry_is_word(const char *s)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *s && *s != '-' && strspn(s, good) == strlen(s);
}

static int parse_number(const struct node_cmd *n, const char *what, const char *text, uint32_t least,
                        uint32_t most, uint32_t *ret)
{
    char *end;
    unsigned long v = text ? strtoul(text, &end, 10) : 0;
    if (!text)
        return 0;
    if (end == text || *end || v < least || v > most || *text == '-') {
        cli_error(n->cli, tr("--%s: %s is not a number from %u to %u"), what, text, least, most);
        return 2;
    }
    *ret = (uint32_t)v;
    return 0;
}

/* A machine that is not in the configuration: from [USER@]HOST and the options. */
int node_describe(const struct node_cmd *n, const char *host, struct node_spec *s)
{
    const char *at = strrchr(host, '@'), *bare = at ? at + 1 : host;
    *s = (struct node_spec){.port = 22, .gpus = UINT32_MAX, .detect = true};
    int rc = parse_number(n, "port", n->port, 1, 65535, &s->port);
    rc = rc ? rc : parse_number(n, "cpus", n->cpus, 1, CPUSET_MAX, &s->cpus);
    rc = rc ? rc : parse_number(n, "gpus", n->gpus, 0, CPUSET_MAX, &s->gpus);
    bool number = strspn(bare, "0123456789.") == strlen(bare) || strchr(bare, ':');
    s->name = n->name ? xstrdup(n->name) : number ? xstrdup("") : xstrndup(bare, strcspn(bare, "."));
    s->address = xstrdup(n->address ? n->address : bare);
    s->ssh_user = n->user ? xstrdup(n->user) : at ? xstrndup(host, (size_t)(at - host)) : NULL;
    s->identity = n->identity ? realpath(n->identity, NULL) : NULL;
    if (rc == 0 && n->identity && !s->identity) {
        cli_error(n->cli, "%s: %s", n->identity, strerror(errno));
        rc = 2;
    } else if (rc == 0 && !nodeentry_is_word(s->name)) {
        cli_error(n->cli,
                  number && !n->name ? tr("%s: give it a name with --name")
                                     : tr("%s gives no name of a node: use --name"),
                  bare);
        rc = 2;
    } else if (rc == 0 &&
               (!utf8_is_clean_name(s->address, 253) || strpbrk(s->address, " \"\\%") || !*s->address)) {
        cli_error(n->cli, tr("%s is not an address"), bare);
        rc = 2;
    }
    return rc;
}

/* The configuration as it is now; what is wrong with it is said. */
int node_load_config(struct node_cmd *n, struct cluster_spec *spec)
{
    struct errtext err = {""};
    if (access(n->paths.config, F_OK) < 0) {
        conf_default(spec);
    } else if (conf_load(n->paths.config, spec, &err) < 0) {
        cli_error(n->cli, "%s", err.s);
        return 1;
    }
    key_place_fini(&n->keys);
    key_place_find(&n->keys, &n->paths, spec);
    return 0;
}

/* --- the configuration file --- */

/* Beside the old file, checked there, then in its place. A link stays a link. */
int node_write_config(const struct node_cmd *n, const char *text)
{
    struct errtext err = {""};
    struct cluster_spec spec;
    struct stat st;
    char *real = realpath(n->paths.config, NULL);
    const char *path = real ? real : n->paths.config;
    char *tmp = xasprintf("%s.new", path);
    mode_t mode = stat(path, &st) == 0 ? st.st_mode & 0777 : 0644;
    dirs_above(path, 0755); /* the first one of a user; that it failed shows below */
    int r = file_write(tmp, mode, text), rc = 0;
    if (r < 0) {
        cli_error(n->cli, tr("cannot write %s: %s"), tmp, strerror(-r));
        rc = 1;
    } else if (conf_load(tmp, &spec, &err) < 0) {
        /* The error names the file that is written for this check alone. */
        const char *where = str_starts(err.s, tmp) ? err.s + strlen(tmp) : NULL;
        cli_error(n->cli, tr("%s is left as it is, since this would be wrong: %s%s"), path,
                  where ? path : "", where ? where : err.s);
        rc = 1;
    } else {
        rec_fini(&cluster_spec_rec, &spec);
        if (rename(tmp, path) < 0) {
            cli_error(n->cli, tr("cannot write %s: %s"), path, strerror(errno));
            rc = 1;
        }
    }
    if (rc)
        unlink(tmp);
    free(tmp);
    free(real);
    return rc;
}

static void append_key(struct str *e, const char *key, const char *value)
{
    if (!value)
        return;
    str_appendf(e, " %s = ", key);
    str_append_char(e, '"');
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            str_append_char(e, '\\');
        str_append_char(e, *p);
    }
    str_append(e, "\";");
}

char *node_entry(const struct node_cmd *n, const struct node_spec *s)
{
    struct str e = STR_INIT;
    str_append_char(&e, '{');
    append_key(&e, "name", s->name);
    append_key(&e, "address", s->address);
    if (s->port != 22)
        str_appendf(&e, " port = %u;", s->port);
    append_key(&e, "ssh_user", s->ssh_user);
    append_key(&e, "identity", s->identity);
    if (n->cpus)
        str_appendf(&e, " cpus = %u;", s->cpus);
    append_key(&e, "memory", n->memory);
    if (n->gpus)
        str_appendf(&e, " gpus = %u;", s->gpus);
    append_key(&e, "gpu_type", n->type);
    append_key(&e, "role", n->role);
    if (s->own_files)
        str_append(&e, " own_files = true;");
    for (size_t i = 0; i < n->features.n; i++)
        str_appendf(&e, "%s\"%s\"%s", i ? ", " : " features = [", n->features.v[i],
                    i + 1 == n->features.n ? "];" : "");
    str_append(&e, " }");
    return str_take(&e);
}
