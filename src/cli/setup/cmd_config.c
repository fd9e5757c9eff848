/* cmd_config.c - stoker config: what the configuration file says, and whether it may say so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/ask.h"
#include "src/conf/conf.h"
#include "src/conf/warn.h"
#include "src/lang/lang.h"
#include "src/record/json.h"

struct config {
    bool json;
};

static const struct opt table[] = {
    {OPT_SETS(struct config, json), .name = "json", .help = N_("show: print JSON")}};

static const struct opts options = OPTS(table, NULL);

/* Without a file the defaults are in force; a file that was named must be there. */
static int config_load(const char *path, bool named, struct cluster_spec *ret, struct errtext *err)
{
    if (!named && access(path, F_OK) != 0 && errno == ENOENT) {
        conf_default(ret);
        return 0;
    }
    return conf_load(path, ret, err);
}

static int config_show(const struct cli *cli, const struct config *c, const char *path, bool named)
{
    struct cluster_spec spec;
    struct errtext err = {0};
    struct str out = STR_INIT;
    if (config_load(path, named, &spec, &err) < 0) {
        cli_error(cli, "%s", err.s);
        return 1;
    }
    if (c->json) {
        json_begin_document(&out, 1);
        json_key(&out, "config");
        rec_to_json(&cluster_spec_rec, &spec, &out);
        json_end_document(&out);
    } else {
        char *text = conf_dump(&spec);
        str_append(&out, text);
        free(text);
    }
    out_flush(&out);
    str_fini(&out);
    rec_fini(&cluster_spec_rec, &spec);
    return 0;
}

static void print_warnings(const struct cluster_spec *spec)
{
    struct strv texts = {0};
    conf_warnings(spec, &texts);
    for (size_t i = 0; i < texts.n; i++)
        printf(tr("warning: %s\n"), texts.v[i]);
    strv_fini(&texts);
}

static int check(const struct cli *cli, const char *path, bool named)
{
    struct cluster_spec spec;
    struct errtext err = {0};
    if (config_load(path, named, &spec, &err) < 0) {
        cli_error(cli, "%s", err.s);
        return 1;
    }
    bool is_there = access(path, F_OK) == 0;
    printf(is_there ? tr("%s: fine: ") : tr("%s: not there, so this machine as it is found: "), path);
    printf(trn("%zu node, ", "%zu nodes, ", spec.nodes.n), spec.nodes.n);
    printf(trn("%zu partition\n", "%zu partitions\n", spec.parts.n), spec.parts.n);
    print_warnings(&spec);
    rec_fini(&cluster_spec_rec, &spec);
    return 0;
}

static int config_run(struct cli *cli, int argc, char **argv)
{
    struct config c = {0};
    struct strv words = {0};
    struct paths p;
    int rc = 0;
    if (!cli_parse(cli, &c, argc, argv, 0, &words, &rc)) {
        strv_fini(&words);
        return rc;
    }
    paths_find(&p);
    const char *what = words.n ? words.v[0] : "show";
    bool named = words.n > 1;
    const char *path = named ? words.v[1] : p.config;
    if (words.n > 2)
        rc = (cli_error(cli, tr("give one file")), 2);
    else if (strcmp(what, "show") == 0)
        rc = config_show(cli, &c, path, named);
    else if (strcmp(what, "check") == 0)
        rc = check(cli, path, named);
    else if (strcmp(what, "path") == 0)
        puts(p.config);
    else
        rc = (cli_error(cli, tr("say show, check or path, not \"%s\""), what), 2);
    paths_fini(&p);
    strv_fini(&words);
    return rc;
}

const struct command cmd_config = {
    .name = "config",
    .reach = REACH_HERE,
    .summary = N_("Show the configuration, check it, or say where it lies"),
    .usage = "[--json] [show [FILE] | check [FILE] | path]",
    .options = &options,
    .run = config_run,
};
