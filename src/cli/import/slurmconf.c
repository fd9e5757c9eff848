/* slurmconf.c - slurm.conf and gres.conf as lines of keys and values. */
#include "src/cli/import/slurmconf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

static void line_fini(struct conf_line *l)
{
    vec_for_each (&l->pairs, i) {
        free(l->pairs.v[i].key);
        free(l->pairs.v[i].value);
    }
    vec_fini(&l->pairs);
    free(l->file);
}

void slurmconf_fini(struct slurmconf *c)
{
    vec_for_each (&c->lines, i)
        line_fini(&c->lines.v[i]);
    vec_fini(&c->lines);
    free(c->name);
    *c = (struct slurmconf){0};
}

void slurmconf_splice(struct slurmconf *c, size_t i, struct slurmconf *inner)
{
    struct slurmconf all = {.name = c->name, .lines = VEC_INIT};
    for (size_t k = 0; k < i; k++)
        vec_push(&all.lines, c->lines.v[k]);
    vec_for_each (&inner->lines, k)
        vec_push(&all.lines, inner->lines.v[k]);
    for (size_t k = i + 1; k < c->lines.n; k++)
        vec_push(&all.lines, c->lines.v[k]);
    line_fini(&c->lines.v[i]);
    vec_fini(&c->lines);
    vec_fini(&inner->lines);
    slurmconf_fini(inner);
    *c = all;
}

static int slurmconf_bad(const char *name, unsigned line, struct errtext *err, const char *why)
{
    return err_set(err, -EINVAL, "%s:%u: %s", name, line, why);
}

/* One KEY=VALUE at *at. Returns 1, 0 at the end of the line, or an error. */
static int take_pair(const char **at, struct conf_pair *ret, const char **why)
{
    const char *p = *at + strspn(*at, " \t\r");
    size_t n = strcspn(p, "= \t\r");
    if (!*p)
        return 0;
    *why = "KEY=VALUE is expected";
    if (!n || p[n] != '=')
        return -EINVAL;
    const char *key = p;
    p += n + 1;
    bool quoted = *p == '"';
    p += quoted;
    size_t len = strcspn(p, quoted ? "\"" : " \t\r");
    *why = "a quote is not closed";
    if (quoted && p[len] != '"')
        return -EINVAL;
    *ret = (struct conf_pair){.key = xstrndup(key, n), .value = xstrndup(p, len)};
    *at = p + len + quoted;
    return 1;
}

/* Unescaped '#' ends it, but not within quotes. */
static void cut_comment(struct str *line)
{
    bool quoted = false;
    for (size_t i = 0; i < line->len; i++) {
        quoted ^= line->s[i] == '"';
        if (line->s[i] == '#' && !quoted && (!i || line->s[i - 1] != '\\')) {
            str_truncate(line, i);
            return;
        }
    }
}

/* "Include FILE" alone has no '='. */
static bool is_include(const char *s)
{
    s += strspn(s, " \t");
    return strncasecmp(s, "include", 7) == 0 && (s[7] == ' ' || s[7] == '\t');
}

static int slurmconf_parse_line(struct slurmconf *c, const char *text, unsigned number, struct errtext *err)
{
    struct conf_line l = {.number = number, .pairs = VEC_INIT};
    struct conf_pair p;
    const char *why = "";
    int r = 0;
    if (is_include(text)) {
        const char *file = text + strspn(text, " \t") + 7;
        p = (struct conf_pair){
            .key = xstrdup("Include"),
            .value = xstrndup(file + strspn(file, " \t"), strlen(file + strspn(file, " \t")))};
        vec_push(&l.pairs, p);
    } else {
        while ((r = take_pair(&text, &p, &why)) > 0)
            vec_push(&l.pairs, p);
    }
    if (r == 0 && l.pairs.n) {
        l.file = xstrdup(c->name);
        vec_push(&c->lines, l);
        return 0;
    }
    line_fini(&l);
    return r < 0 ? slurmconf_bad(c->name, number, err, why) : 0;
}

int slurmconf_parse(const char *name, const char *text, struct slurmconf *ret, struct errtext *err)
{
    struct slurmconf c = {.name = xstrdup(name), .lines = VEC_INIT};
    struct str line = STR_INIT;
    unsigned number = 0, first = 0;
    bool joined = false;
    int r = 0;
    while (*text && r == 0) {
        size_t n = strcspn(text, "\n");
        number++;
        first = joined ? first : number;
        joined = false;
        str_append_n(&line, text, n);
        text += n + (text[n] == '\n');
        if (line.len && line.s[line.len - 1] == '\\' && *text) {
            str_truncate(&line, line.len - 1);
            joined = true;
            continue;
        }
        cut_comment(&line);
        r = slurmconf_parse_line(&c, line.s, first, err);
        str_clear(&line);
    }
    str_fini(&line);
    if (r < 0)
        slurmconf_fini(&c);
    else
        *ret = c;
    return r;
}

const char *conf_take(struct conf_line *l, const char *key)
{
    const char *value = NULL;
    vec_for_each (&l->pairs, i)
        if (str_ieq(l->pairs.v[i].key, key)) {
            l->pairs.v[i].used = true;
            value = l->pairs.v[i].value;
        }
    return value;
}

const char *slurmconf_take(struct slurmconf *c, const char *key)
{
    const char *value = NULL;
    vec_for_each (&c->lines, i) {
        const char *v = conf_take(&c->lines.v[i], key);
        value = v ? v : value;
    }
    return value;
}
