/* prefs.c - what the screens remember by themselves. */
#include "ui/app/prefs.h"

#include <errno.h>
#include <libconfig.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void view_prefs_fini(struct view_prefs *v)
{
    free(v->view);
    free(v->filter);
    free(v->sort);
    strv_fini(&v->columns);
}

void prefs_fini(struct prefs *p)
{
    vec_for_each (&p->views, i)
        view_prefs_fini(&p->views.v[i]);
    vec_fini(&p->views);
    strv_fini(&p->history);
    free(p->theme);
    *p = (struct prefs){0};
}

struct view_prefs *prefs_of(struct prefs *p, const char *view)
{
    vec_for_each (&p->views, i)
        if (str_eq(p->views.v[i].view, view))
            return &p->views.v[i];
    vec_push(&p->views, (struct view_prefs){.view = xstrdup(view)});
    return &p->views.v[p->views.n - 1];
}

void prefs_remember(struct prefs *p, const char *line)
{
    if (str_is_empty(line) || (p->history.n && str_eq(p->history.v[p->history.n - 1], line)))
        return;
    if (p->history.n == PREFS_HISTORY) {
        free(p->history.v[0]);
        memmove(p->history.v, p->history.v + 1, p->history.n * sizeof *p->history.v);
        p->history.n--;
    }
    strv_push(&p->history, line);
}

/* --- reading --- */

static void take_text(char **at, const config_setting_t *group, const char *name)
{
    const char *text = NULL;
    if (config_setting_lookup_string(group, name, &text)) {
        free(*at);
        *at = xstrdup(text);
    }
}

static void take_list(struct strv *at, const config_setting_t *list)
{
    for (int i = 0; list && i < config_setting_length(list); i++) {
        const char *text = config_setting_get_string_elem(list, i);
        if (text)
            strv_push(at, text);
    }
}

static bool take_bool(const config_setting_t *group, const char *name)
{
    int on = 0;
    return config_setting_lookup_bool(group, name, &on) && on;
}

static void take_view(struct prefs *p, const config_setting_t *group)
{
    struct view_prefs *v = prefs_of(p, config_setting_name(group));
    take_text(&v->filter, group, "filter");
    take_text(&v->sort, group, "sort");
    v->reverse = take_bool(group, "reverse");
    v->mine = take_bool(group, "mine");
    take_list(&v->columns, config_setting_get_member(group, "columns"));
}

int prefs_load(struct prefs *p, const char *path, struct errtext *err)
{
    if (access(path, F_OK) != 0)
        return 0;
    config_t cfg;
    config_init(&cfg);
    int rc = 0;
    if (config_read_file(&cfg, path) != CONFIG_TRUE) {
        rc = err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    } else {
        const config_setting_t *root = config_root_setting(&cfg),
                               *views = config_setting_get_member(root, "views");
        for (int i = 0; views && config_setting_is_group(views) && i < config_setting_length(views); i++) {
            const config_setting_t *group = config_setting_get_elem(views, (unsigned)i);
            if (config_setting_is_group(group))
                take_view(p, group);
        }
        take_text(&p->theme, root, "theme");
        take_list(&p->history, config_setting_get_member(root, "history"));
    }
    config_destroy(&cfg);
    return rc;
}

/* --- writing --- */

static void write_text(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(f, "\\x%02x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void write_list(FILE *f, const struct strv *list, const char *sep)
{
    fputs("(", f);
    for (size_t i = 0; i < list->n; i++) {
        fputs(i ? sep : "", f);
        write_text(f, list->v[i]);
    }
    fputs(");\n", f);
}

static void write_view(FILE *f, const struct view_prefs *v)
{
    fprintf(f, "  %s = {\n", v->view);
    if (!str_is_empty(v->filter)) {
        fputs("    filter = ", f);
        write_text(f, v->filter);
        fputs(";\n", f);
    }
    if (v->sort) {
        fputs("    sort = ", f);
        write_text(f, v->sort);
        fprintf(f, ";\n    reverse = %s;\n", v->reverse ? "true" : "false");
    }
    if (v->mine)
        fputs("    mine = true;\n", f);
    if (v->columns.n) {
        fputs("    columns = ", f);
        write_list(f, &v->columns, ", ");
    }
    fputs("  };\n", f);
}

static void write_all(FILE *f, const struct prefs *p)
{
    fputs("// Written by stoker-ui; your own settings belong into ui.cfg, beside it.\n", f);
    if (p->theme) {
        fputs("theme = ", f);
        write_text(f, p->theme);
        fputs(";\n", f);
    }
    fputs("views = {\n", f);
    vec_for_each (&p->views, i)
        write_view(f, &p->views.v[i]);
    fputs("};\nhistory = ", f);
    write_list(f, &p->history, ",\n  ");
}

static void make_parents(const char *path)
{
    char *copy = xstrdup(path), *dir = dirname(copy);
    for (char *at = dir + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(dir, 0777);
            *at = '/';
        }
    mkdir(dir, 0777);
    free(copy);
}

char *prefs_text(const struct prefs *p)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    bug_on(!f);
    write_all(f, p);
    int rc = fclose(f);
    bug_on(rc);
    return text;
}

int prefs_write(const char *text, const char *path, struct errtext *err)
{
    make_parents(path);
    char *next = xasprintf("%s.%ld", path, (long)getpid());
    FILE *f = fopen(next, "we");
    int rc = 0;
    if (!f) {
        rc = err_set(err, -errno, "%s: %s", next, strerror(errno));
    } else {
        bool bad = fputs(text, f) < 0;
        if (fclose(f) || bad || rename(next, path)) {
            rc = err_set(err, -(errno ? errno : EIO), "%s: %s", path, strerror(errno));
            unlink(next);
        }
    }
    free(next);
    return rc;
}
