/* opt.c - parsing by option tables. */
#include "src/values/opt.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define HELP_WIDTH  80
#define HELP_INDENT 30

/* Behind every table: a command's own entries come first. */
static const struct opt common_table[] = {
    {.id = OPT_HELP, .name = "help", .letter = 'h', .help = N_("show this help")},
    {.id = OPT_USAGE, .name = "usage", .help = N_("show a short usage")},
    {.id = OPT_VERSION, .name = "version", .letter = 'V', .help = N_("show the version")},
};
static const struct opts common = OPTS(common_table, NULL);

struct match {
    const struct opts *table;
    const struct opt *opt;
};

static const struct opts *tables_next(const struct opts *t)
{
    return t == &common ? NULL : t->also ? t->also : &common;
}

static const struct opts *tables_first(const struct opts *t)
{
    return t ? t : &common;
}

static bool match_letter(const struct opts *t, char letter, struct match *ret)
{
    for (t = tables_first(t); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++)
            if (t->v[i].letter == letter) {
                *ret = (struct match){.table = t, .opt = &t->v[i]};
                return true;
            }
    return false;
}

/* By whole name or by an abbreviation that only one option, or aliases of one, can mean. */
static int match_name(const struct opts *tables, const char *name, size_t len, struct match *ret,
                      struct errtext *err)
{
    struct match near = {.opt = NULL};
    bool ambiguous = false;
    for (const struct opts *t = tables_first(tables); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++) {
            const struct opt *o = &t->v[i];
            if (!o->name || strncmp(o->name, name, len) != 0)
                continue;
            if (o->name[len] == '\0') {
                *ret = (struct match){.table = t, .opt = o};
                return 0;
            }
            if (!near.opt)
                near = (struct match){.table = t, .opt = o};
            else if (near.table != t || near.opt->id != o->id || near.opt->at != o->at ||
                     near.opt->arg != o->arg)
                ambiguous = true;
        }
    if (near.opt && !ambiguous) {
        *ret = near;
        return 0;
    }
    if (!near.opt)
        return err_set(err, -EINVAL, tr("unrecognized option '--%s'"),
                       name); /* with its "=value", as getopt */
    struct str list = STR_INIT;
    for (const struct opts *t = tables_first(tables); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++)
            if (t->v[i].name && strncmp(t->v[i].name, name, len) == 0)
                str_appendf(&list, " '--%s'", t->v[i].name);
    err_set(err, -EINVAL, tr("option '--%s' is ambiguous; possibilities:%s"), name, list.s);
    str_fini(&list);
    return -EINVAL;
}

const struct opt *opt_resolve(const struct opts *t, const char *name, size_t len, char letter)
{
    struct match m = {.opt = NULL};
    bool found = name ? match_name(t, name, len, &m, NULL) == 0 : match_letter(t, letter, &m);
    return found ? m.opt : NULL;
}

static enum opt_result handled(int rc)
{
    return rc == 0 ? OPT_OK : rc == -EDOM ? OPT_FAILED : OPT_BAD_VALUE;
}

static void option_keep(const struct opt *o, void *at, const char *arg)
{
    if (o->into == OPT_FLAG) {
        *(bool *)at = true;
    } else if (o->into == OPT_STRING) {
        xstrset(at, arg);
    } else {
        strv_fini(at);
        *(struct strv *)at = strv_split(arg, ",");
    }
}

static enum opt_result option_do(const struct match *m, void *ctx, const char *arg, unsigned flags,
                                 struct errtext *err)
{
    if (m->table == &common)
        return (enum opt_result)m->opt->id;
    if (flags & OPT_SCAN)
        return OPT_OK;
    if (m->opt->into != OPT_CALLS) {
        option_keep(m->opt, (char *)ctx + m->table->at + m->opt->at, arg);
        return OPT_OK;
    }
    return !m->table->fn ? OPT_OK : handled(m->table->fn((char *)ctx + m->table->at, m->opt, arg, err));
}

struct cursor {
    int argc, i;
    char *const *argv;
};

static const char *cursor_take_next(struct cursor *c)
{
    return c->i + 1 < c->argc ? c->argv[++c->i] : NULL;
}

static enum opt_result parse_long(const struct opts *t, void *ctx, struct cursor *c, unsigned flags,
                                  struct errtext *err)
{
    const char *name = c->argv[c->i] + 2;
    size_t len = strcspn(name, "=");
    const char *arg = name[len] == '=' ? name + len + 1 : NULL;
    struct match m = {.opt = NULL};
    if (match_name(t, name, len, &m, err))
        return OPT_BAD_USAGE;
    if (m.opt->arg == OPT_NONE && arg) {
        err_set(err, -EINVAL, tr("option '--%s' doesn't allow an argument"), m.opt->name);
        return OPT_BAD_USAGE;
    }
    if (m.opt->arg == OPT_REQUIRED && !arg && !(arg = cursor_take_next(c))) {
        err_set(err, -EINVAL, tr("option '--%s' requires an argument"), m.opt->name);
        return OPT_BAD_USAGE;
    }
    return option_do(&m, ctx, arg, flags, err);
}

/* "-ahN", "-n4", "-n 4": an optional argument must be attached. */
static enum opt_result parse_short(const struct opts *t, void *ctx, struct cursor *c, unsigned flags,
                                   struct errtext *err)
{
    for (const char *s = c->argv[c->i] + 1; *s; s++) {
        struct match m = {.opt = NULL};
        if (!match_letter(t, *s, &m)) {
            err_set(err, -EINVAL, tr("invalid option -- '%c'"), *s);
            return OPT_BAD_USAGE;
        }
        const char *arg = NULL;
        if (m.opt->arg != OPT_NONE && s[1])
            arg = s + 1;
        else if (m.opt->arg == OPT_REQUIRED && !(arg = cursor_take_next(c))) {
            err_set(err, -EINVAL, tr("option requires an argument -- '%c'"), *s);
            return OPT_BAD_USAGE;
        }
        enum opt_result r = option_do(&m, ctx, arg, flags, err);
        if (r != OPT_OK || arg)
            return r;
    }
    return OPT_OK;
}

static void operands_push(struct strv *operands, const char *s)
{
    if (operands)
        strv_push(operands, s);
}

enum opt_result opt_parse(const struct opts *t, void *ctx, int argc, char *const *argv, unsigned flags,
                          struct strv *operands, struct errtext *err)
{
    struct cursor c = {.argc = argc, .argv = argv};
    bool only_operands = false;
    for (c.i = 1; c.i < argc; c.i++) {
        const char *s = argv[c.i];
        if (only_operands || s[0] != '-' || s[1] == '\0') {
            operands_push(operands, s);
            only_operands = only_operands || (flags & OPT_STOP_AT_OPERAND);
            continue;
        }
        if (strcmp(s, "--") == 0) {
            only_operands = true;
            continue;
        }
        enum opt_result r =
            s[1] == '-' ? parse_long(t, ctx, &c, flags, err) : parse_short(t, ctx, &c, flags, err);
        if (r != OPT_OK)
            return r;
    }
    return OPT_OK;
}

/* Source: sbatch(1), "INPUT ENVIRONMENT VARIABLES": what a variable of a flag may hold. */
static bool env_flag_is_on(const char *value)
{
    char *end;
    return *value == '\0' || strcasecmp(value, "yes") == 0 ||
           (strtol(value, &end, 10) != 0 && *end == '\0');
}

static bool has_prefix(const char *name, const struct strv *prefixes)
{
    for (size_t i = 0; i < prefixes->n; i++)
        if (str_starts(name, prefixes->v[i]))
            return true;
    return false;
}

/* The variables that begin with a prefix, in a list of its own: mostly few, where options are many. It
 * borrows them from env. */
static struct strv env_with_prefixes(const struct strv *env, const char *prefixes)
{
    struct strv list = strv_split(prefixes, " ");
    struct strv found = {.v = xcalloc(env->n + 1, sizeof *found.v)};
    for (size_t i = 0; i < env->n; i++)
        if (has_prefix(env->v[i], &list))
            found.v[found.n++] = env->v[i];
    strv_fini(&list);
    return found;
}

/* Of the variable with the first len bytes of name; NULL: it is not set. */
static const char *env_value(const struct strv *env, const char *name, size_t len)
{
    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->v[i], name, len) == 0 && env->v[i][len] == '=')
            return env->v[i] + len + 1;
    return NULL;
}

/* Which variable it was, in a line of its own before the others, which are as on a command line. */
static void name_variable(struct errtext *err, const char *name, size_t len, const char *value)
{
    struct errtext why = err ? *err : (struct errtext){""};
    char *variable = xstrndup(name, len);
    err_set(err, -EINVAL, tr("in the environment: %s=%s\n%s"), variable, value, why.s);
    free(variable);
}

static enum opt_result env_option(const struct opts *t, const struct opt *o, void *ctx,
                                  const struct strv *env, struct errtext *err)
{
    enum opt_result r = OPT_OK;
    for (const char *name = o->env; *name && r == OPT_OK;) {
        size_t len = strcspn(name, " ");
        const char *value = env_value(env, name, len), *variable = name;
        name += len + strspn(name + len, " ");
        if (!value || (o->arg == OPT_NONE && !env_flag_is_on(value)) || (o->arg == OPT_REQUIRED && !*value))
            continue;
        struct match m = {.table = t, .opt = o};
        r = option_do(&m, ctx, o->arg == OPT_NONE || (o->arg == OPT_OPTIONAL && !*value) ? NULL : value, 0,
                      err);
        if (r != OPT_OK)
            name_variable(err, variable, len, value);
    }
    return r;
}

enum opt_result opt_env(const struct opts *t, void *ctx, const struct strv *env, const char *prefixes,
                        struct errtext *err)
{
    enum opt_result r = OPT_OK;
    struct strv found = env_with_prefixes(env, prefixes);
    for (; t && found.n && r == OPT_OK; t = t->also)
        for (size_t i = 0; i < t->n && r == OPT_OK; i++)
            if (t->v[i].env)
                r = env_option(t, &t->v[i], ctx, &found, err);
    free(found.v);
    return r;
}

const struct opt *opt_find(const struct opts *t, const char *name, char letter)
{
    for (t = tables_first(t); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++)
            if (name ? str_eq(t->v[i].name, name) : t->v[i].letter == letter)
                return &t->v[i];
    return NULL;
}

/* --- help --- */

static const char *opt_meta(const struct opt *o)
{
    return o->meta ? o->meta : "ARG";
}

/* -h stands beside --help only where the command has no other use for it. */
static bool letter_is_its_own(const struct opts *tables, const struct opt *o)
{
    return o->letter && opt_find(tables, NULL, o->letter) == o;
}

static void help_names(struct str *s, const struct opts *tables, const struct opt *o)
{
    str_append(s, "  ");
    if (letter_is_its_own(tables, o))
        str_appendf(s, "-%c%s", o->letter, o->name ? ", " : "");
    else
        str_append(s, "    ");
    if (o->name)
        str_appendf(s, "--%s", o->name);
    if (o->arg == OPT_REQUIRED)
        str_appendf(s, "%s%s", o->name ? "=" : " ", opt_meta(o));
    else if (o->arg == OPT_OPTIONAL)
        str_appendf(s, o->name ? "[=%s]" : "[%s]", opt_meta(o));
}

/* Words of text from column `indent` on, the first line beginning at column `at`. */
static void opt_print_wrapped(FILE *f, const char *text, size_t at, size_t indent)
{
    struct strv words = strv_split(text, " ");
    size_t col = at;
    for (size_t i = 0; i < words.n; i++) {
        size_t len = (size_t)cell_width(words.v[i]);
        if (i && col + 1 + len > HELP_WIDTH) {
            fprintf(f, "\n%*s", (int)indent, "");
            col = indent;
        } else if (i) {
            fputc(' ', f);
            col++;
        }
        fputs(words.v[i], f);
        col += len;
    }
    fputc('\n', f);
    strv_fini(&words);
}

static void help_line(FILE *f, const struct opts *tables, const struct opt *o)
{
    struct str s = STR_INIT;
    help_names(&s, tables, o);
    if (s.len + 2 > HELP_INDENT)
        fprintf(f, "%s\n%*s", s.s, HELP_INDENT, "");
    else
        fprintf(f, "%-*s", HELP_INDENT, s.s);
    opt_print_wrapped(f, tr(o->help), HELP_INDENT, HELP_INDENT);
    str_fini(&s);
}

void opt_print_help(FILE *f, const struct opts *tables)
{
    for (const struct opts *t = tables_first(tables); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++)
            if (t->v[i].help)
                help_line(f, tables, &t->v[i]);
}

void opt_for_each(const struct opts *tables, void (*fn)(void *ctx, const struct opt *o, bool letter),
                  void *ctx)
{
    for (const struct opts *t = tables_first(tables); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++)
            if (t->v[i].help)
                fn(ctx, &t->v[i], letter_is_its_own(tables, &t->v[i]));
}

void opt_print_usage(FILE *f, const char *name, const struct opts *tables, const char *operands)
{
    struct str s = STR_INIT;
    for (const struct opts *t = tables_first(tables); t; t = tables_next(t))
        for (size_t i = 0; i < t->n; i++) {
            const struct opt *o = &t->v[i];
            if (!o->help)
                continue;
            bool by_letter = letter_is_its_own(tables, o);
            if (by_letter)
                str_appendf(&s, "[-%c", o->letter);
            else
                str_appendf(&s, "[--%s", o->name);
            if (o->arg != OPT_NONE)
                str_appendf(&s, o->arg == OPT_OPTIONAL ? "[%s%s]" : "%s%s", by_letter ? "" : "=",
                            opt_meta(o));
            str_append(&s, "] ");
        }
    str_append(&s, operands);
    const char *usage = tr("Usage: ");
    size_t lead = (size_t)cell_width(usage) + strlen(name) + 1;
    fprintf(f, "%s%s ", usage, name);
    opt_print_wrapped(f, s.s, lead, lead);
    str_fini(&s);
}

static void opt_program_help(const struct opt_program *p)
{
    printf(tr("Usage: %s %s\n\nOptions:\n"), p->name, p->usage);
    opt_print_help(stdout, p->options);
    if (p->more)
        printf("\n%s", tr(p->more));
}

bool opt_parse_program(const struct opt_program *p, void *ctx, int argc, char *const *argv, int *ret_exit)
{
    struct errtext err = {""};
    struct strv operands = {0};
    enum opt_result r = opt_parse(p->options, ctx, argc, argv, 0, &operands, &err);
    if (r == OPT_OK && operands.n) {
        err_set(&err, -EINVAL, tr("unexpected argument: %s"), operands.v[0]);
        r = OPT_BAD_USAGE;
    }
    strv_fini(&operands);
    if (r == OPT_HELP)
        opt_program_help(p);
    else if (r == OPT_USAGE)
        opt_print_usage(stdout, p->name, p->options, "");
    else if (r == OPT_VERSION)
        printf("%s " STOKER_VERSION "\n", p->name);
    else if (r != OPT_OK)
        fprintf(stderr, tr("%s: %s\nTry \"%s --help\" for more information\n"), p->name, err.s, p->name);
    *ret_exit = r == OPT_HELP || r == OPT_USAGE || r == OPT_VERSION ? 0 : 2;
    return r == OPT_OK;
}
