/* conf.c - load, default, dump. */
#include "src/conf/conf.h"

#include <errno.h>

#include "src/conf/conf_check.h"
#include "src/conf/tables.h"

static int parse_source(const struct conf_source *src, struct cluster_spec *ret, struct errtext *err)
{
    struct conf_parse c = {.src = src, .err = err};
    struct cluster_spec spec = {0};
    config_t cfg;
    config_init(&cfg);
    conf_set_defaults(&conf_cluster_section, &spec);
    int r = source_parse(src, &cfg, err);
    const config_setting_t *root = config_root_setting(&cfg);
    if (r == 0)
        r = conf_read_group(&c, &conf_cluster_section, root, &spec);
    if (r == 0)
        r = conf_finish(&c, root, &spec);
    config_destroy(&cfg);
    if (r < 0)
        rec_fini(&cluster_spec_rec, &spec);
    else
        *ret = spec;
    return r;
}

int conf_load(const char *path, struct cluster_spec *ret, struct errtext *err)
{
    struct conf_source src;
    int r = source_read(path, &src, err);
    if (r < 0)
        return r;
    r = parse_source(&src, ret, err);
    source_fini(&src);
    return r;
}

int conf_parse(const char *name, const char *text, struct cluster_spec *ret, struct errtext *err)
{
    struct conf_source src;
    int r = source_from_text(name, text, &src, err);
    if (r < 0)
        return r;
    r = parse_source(&src, ret, err);
    source_fini(&src);
    return r;
}

void conf_default(struct cluster_spec *ret)
{
    struct errtext err = {""};
    bug_on(conf_parse("the defaults", "", ret, &err) < 0);
}

char *conf_dump(const struct cluster_spec *spec)
{
    struct str out = STR_INIT;
    conf_write_group(&conf_cluster_section, spec, 0, &out);
    return str_take(&out);
}

void conf_reference(struct str *out)
{
    conf_write_reference(&conf_cluster_section, out);
}
