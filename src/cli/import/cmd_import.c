/* cmd_import.c - stoker import: a stoker.cfg with the nodes, partitions and limits of a slurm.conf.
 *
 * What has no equal here is listed with its reason, in the file as comments and on standard error: nothing
 * is left out in silence.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/import/import_internal.h"
#include "src/conf/conf.h"
#include "src/lang/lang.h"
#include "src/os/file.h"

#define FILE_MAX (4u << 20)

#define INCLUDES_MAX 8 /* files within files */

static const struct opt table[] = {
    {OPT_TEXT(struct import, output), .name = "output", .letter = 'o', .meta = "FILE",
     .help = N_("write to this file, not to standard output")},
    {OPT_SETS(struct import, force), .name = "force", .letter = 'f',
     .help = N_("even where that file exists")},
};

static const struct opts options = OPTS(table, NULL);

/* --- the command --- */

/* Relative to the directory of the file that names it. */
static char *included_path(const char *from, const char *file)
{
    const char *slash = strrchr(from, '/');
    if (*file == '/' || !slash)
        return xstrdup(file);
    return xasprintf("%.*s%s", (int)(slash - from) + 1, from, file);
}

static int import_read_file(const struct import *m, const char *path, unsigned depth,
                            struct slurmconf *ret);

/* The lines of the files that it includes stand where they are named. One that is not there is left out,
 * and said: it may lie on the cluster alone. */
static int read_included(const struct import *m, unsigned depth, struct slurmconf *c)
{
    for (size_t i = 0; i < c->lines.n; i++) {
        const struct conf_pair *p = &c->lines.v[i].pairs.v[0];
        if (!str_ieq(p->key, "Include") || depth >= INCLUDES_MAX)
            continue;
        char *path = included_path(c->lines.v[i].file, p->value);
        struct slurmconf inner = {0};
        bool there = access(path, R_OK) == 0;
        int r = there ? import_read_file(m, path, depth + 1, &inner) : 0;
        free(path);
        if (r)
            return r;
        if (there) {
            i += inner.lines.n;
            slurmconf_splice(c, i - inner.lines.n, &inner);
            i--;
        }
    }
    return 0;
}

static int import_read_file(const struct import *m, const char *path, unsigned depth, struct slurmconf *ret)
{
    struct errtext err = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct str text = STR_INIT;
    int r = fd < 0 ? -errno : file_read_fd(fd, FILE_MAX, &text);
    if (r == -EFBIG || (r == 0 && memchr(text.s, '\0', text.len)))
        r = err_set(&err, -EINVAL, tr("%s is not a configuration file"), path);
    else if (r < 0)
        err_set(&err, r, "%s: %s", path, strerror(-r));
    r = r ? r : slurmconf_parse(path, text.s, ret, &err);
    if (fd >= 0)
        close(fd);
    if (r < 0)
        cli_error(m->cli, "%s", err.s);
    str_fini(&text);
    return r < 0 ? 1 : read_included(m, depth, ret);
}

/* What cannot be read again must not be written. */
static int check_file(const struct import *m)
{
    struct cluster_spec spec;
    struct errtext err = {0};
    if (conf_parse("stoker.cfg", m->out.s, &spec, &err) < 0) {
        cli_error(m->cli, tr("what was made of it has an error: %s"), err.s);
        return 1;
    }
    rec_fini(&cluster_spec_rec, &spec);
    return 0;
}

static int import_write_file(struct import *m)
{
    if (!m->output)
        return out_flush(&m->out) ? 0 : 1;
    int fd = open(m->output, O_WRONLY | O_CREAT | O_CLOEXEC | (m->force ? O_TRUNC : O_EXCL), 0644);
    int r = fd < 0 ? -errno : file_write_fd(fd, m->out.s, m->out.len);
    if (fd >= 0 && close(fd) < 0 && r == 0)
        r = -errno;
    if (r < 0)
        cli_error(m->cli, "%s: %s", m->output, strerror(-r));
    return r < 0;
}

/* A gres.conf or a topology.conf, whichever it is. */
static int import_read_other(struct import *m, const char *path)
{
    struct slurmconf c = {0};
    int rc = import_read_file(m, path, 0, &c);
    struct slurmconf *ret = import_is_topology(&c) ? &m->topology : &m->gres;
    if (rc == 0 && ret->name) {
        cli_error(m->cli, tr("%s and %s say the same things: give one of them"), ret->name, path);
        rc = 1;
    }
    if (rc)
        slurmconf_fini(&c);
    else
        *ret = c;
    return rc;
}

static int cmd_import_run(struct import *m, const struct strv *files)
{
    int rc = import_read_file(m, files->v[0], 0, &m->conf);
    for (size_t i = 1; rc == 0 && i < files->n; i++)
        rc = import_read_other(m, files->v[i]);
    if (rc)
        return rc;
    import_make(m);
    rc = check_file(m);
    rc = rc ? rc : import_write_file(m);
    if (rc == 0 && m->n_left) {
        fputs(tr("Not carried over:\n"), stderr);
        struct strv lines = strv_split(m->left.s, "\n");
        for (size_t i = 0; i < lines.n; i++)
            fprintf(stderr, "  %s\n", lines.v[i]);
        strv_fini(&lines);
    }
    return rc;
}

static void defaults_fini(struct conf_line *l)
{
    vec_for_each (&l->pairs, i) {
        free(l->pairs.v[i].key);
        free(l->pairs.v[i].value);
    }
    vec_fini(&l->pairs);
}

static int import_run(struct cli *cli, int argc, char **argv)
{
    struct import m = {.cli = cli,
                       .out = STR_INIT,
                       .left = STR_INIT,
                       .node_default = {.pairs = VEC_INIT},
                       .part_default = {.pairs = VEC_INIT}};
    struct strv files = {0};
    int rc = 0;
    if (cli_parse(cli, &m, argc, argv, 0, &files, &rc)) {
        if (!files.n || files.n > 3) {
            cli_error(cli,
                      tr("give a slurm.conf, and a gres.conf and a topology.conf where there are any"));
            rc = 2;
        } else {
            rc = cmd_import_run(&m, &files);
        }
    }
    slurmconf_fini(&m.conf);
    slurmconf_fini(&m.gres);
    slurmconf_fini(&m.topology);
    strv_fini(&m.groups);
    idmap_fini(&m.group_of);
    defaults_fini(&m.node_default);
    defaults_fini(&m.part_default);
    str_fini(&m.out);
    str_fini(&m.left);
    strv_fini(&files);
    free(m.output);
    return rc;
}

const struct command cmd_import = {
    .name = "import",
    .reach = REACH_NONE,
    .summary = N_("Make a configuration of a slurm.conf, and say what could not be carried over"),
    .usage = "[-o FILE] SLURM.CONF [GRES.CONF] [TOPOLOGY.CONF]",
    .options = &options,
    .run = import_run,
};
