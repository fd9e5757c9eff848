/* prefs.c - what the screens remember by themselves. */
#include "ui/state/prefs.h"

#include <errno.h>
#include <libconfig.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "ui/layout/layout.h"

static void view_prefs_fini(struct view_prefs *v)
{
    free(v->view);
    free(v->filter);
    free(v->sort);
    free(v->pane.tab);
    strv_fini(&v->columns);
}

void prefs_fini(struct prefs *p)
{
    vec_for_each (&p->views, i)
        view_prefs_fini(&p->views.v[i]);
    vec_fini(&p->views);
    vec_for_each (&p->named, i) {
        free(p->named.v[i].name);
        view_prefs_fini(&p->named.v[i].shows);
    }
    vec_fini(&p->named);
    strv_fini(&p->history);
    strv_fini(&p->filters);
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

/* --- views with a name --- */

struct named_view *prefs_find_named(const struct prefs *p, const char *name)
{
    vec_for_each (&p->named, i)
        if (str_eq(p->named.v[i].name, name))
            return &p->named.v[i];
    return NULL;
}

static char *copy_text(const char *s)
{
    return s ? xstrdup(s) : NULL;
}

void prefs_keep_named(struct prefs *p, const char *name, const struct view_prefs *shows)
{
    struct named_view *at = prefs_find_named(p, name);
    if (!at) {
        size_t i = p->named.n;
        vec_push(&p->named, (struct named_view){0});
        for (; i > 0 && strcmp(p->named.v[i - 1].name, name) > 0; i--)
            p->named.v[i] = p->named.v[i - 1];
        at = &p->named.v[i];
        *at = (struct named_view){.name = xstrdup(name)};
    }
    view_prefs_fini(&at->shows);
    at->shows = (struct view_prefs){.view = copy_text(shows->view),
                                    .filter = copy_text(shows->filter),
                                    .sort = copy_text(shows->sort),
                                    .reverse = shows->reverse,
                                    .mine = shows->mine,
                                    .flat = shows->flat,
                                    .columns = strv_copy(&shows->columns)};
}

bool prefs_drop_named(struct prefs *p, const char *name)
{
    struct named_view *at = prefs_find_named(p, name);
    if (!at)
        return false;
    free(at->name);
    view_prefs_fini(&at->shows);
    size_t i = (size_t)(at - p->named.v);
    vec_remove(&p->named, i);
    return true;
}

static void prefs_add_line(struct strv *lines, const char *line)
{
    if (str_is_empty(line) || (lines->n && str_eq(lines->v[lines->n - 1], line)))
        return;
    if (lines->n == PREFS_HISTORY) {
        free(lines->v[0]);
        memmove(lines->v, lines->v + 1, lines->n * sizeof *lines->v);
        lines->n--;
    }
    strv_push(lines, line);
}

void prefs_remember(struct prefs *p, const char *line)
{
    prefs_add_line(&p->history, line);
}

void prefs_remember_filter(struct prefs *p, const char *line)
{
    prefs_add_line(&p->filters, line);
}

/* --- reading --- */

static void prefs_take_text(char **at, const config_setting_t *group, const char *name)
{
    const char *text = NULL;
    if (config_setting_lookup_string(group, name, &text)) {
        xstrset(at, text);
    }
}

static void prefs_take_list(struct strv *at, const config_setting_t *list)
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

static const char *const pane_places[] = {[PANE_BESIDE] = "beside", [PANE_BELOW] = "below"};

static uint16_t prefs_take_part(const config_setting_t *group, const char *name)
{
    int n = 0;
    return config_setting_lookup_int(group, name, &n) && n > 0 && n <= PANE_WHOLE ? (uint16_t)n : 0;
}

static void take_pane(struct pane_prefs *p, const config_setting_t *group)
{
    const char *place = NULL;
    if (!group || !config_setting_is_group(group))
        return;
    p->hidden = take_bool(group, "hidden");
    p->width = prefs_take_part(group, "width");
    p->height = prefs_take_part(group, "height");
    prefs_take_text(&p->tab, group, "tab");
    if (config_setting_lookup_string(group, "place", &place))
        p->place = str_eq(place, pane_places[PANE_BESIDE])  ? PANE_BESIDE
                   : str_eq(place, pane_places[PANE_BELOW]) ? PANE_BELOW
                                                            : PANE_AUTO;
}

static void take_view(struct view_prefs *v, const config_setting_t *group)
{
    prefs_take_text(&v->sort, group, "sort");
    v->reverse = take_bool(group, "reverse");
    v->mine = take_bool(group, "mine");
    v->flat = take_bool(group, "flat");
    prefs_take_list(&v->columns, config_setting_get_member(group, "columns"));
    take_pane(&v->pane, config_setting_get_member(group, "pane"));
}

/* A view without a name or a screen is ignored. */
static void take_named(struct prefs *p, const config_setting_t *group)
{
    const char *name = NULL;
    struct view_prefs shows = {0};
    prefs_take_text(&shows.view, group, "screen");
    prefs_take_text(&shows.filter, group, "filter");
    take_view(&shows, group);
    if (config_setting_lookup_string(group, "name", &name) && !str_is_empty(name) && shows.view)
        prefs_keep_named(p, name, &shows);
    view_prefs_fini(&shows);
}

static void prefs_take_all(struct prefs *p, const config_t *cfg)
{
    const config_setting_t *root = config_root_setting(cfg),
                           *views = config_setting_get_member(root, "views");
    for (int i = 0; views && config_setting_is_group(views) && i < config_setting_length(views); i++) {
        const config_setting_t *group = config_setting_get_elem(views, (unsigned)i);
        if (config_setting_is_group(group))
            take_view(prefs_of(p, config_setting_name(group)), group);
    }
    const config_setting_t *named = config_setting_get_member(root, "named");
    for (int i = 0; named && config_setting_is_list(named) && i < config_setting_length(named); i++) {
        const config_setting_t *group = config_setting_get_elem(named, (unsigned)i);
        if (config_setting_is_group(group))
            take_named(p, group);
    }
    prefs_take_text(&p->theme, root, "theme");
    prefs_take_list(&p->history, config_setting_get_member(root, "history"));
    prefs_take_list(&p->filters, config_setting_get_member(root, "filters"));
}

int prefs_load(struct prefs *p, const char *path, struct errtext *err)
{
    if (access(path, F_OK) != 0)
        return 0;
    config_t cfg;
    config_init(&cfg);
    int rc = 0;
    if (config_read_file(&cfg, path) == CONFIG_TRUE)
        prefs_take_all(p, &cfg);
    else
        rc = err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    config_destroy(&cfg);
    return rc;
}

int prefs_parse(struct prefs *p, const char *text, struct errtext *err)
{
    config_t cfg;
    config_init(&cfg);
    int rc = 0;
    if (config_read_string(&cfg, text) == CONFIG_TRUE)
        prefs_take_all(p, &cfg);
    else
        rc = err_set(err, -EINVAL, "line %d: %s", config_error_line(&cfg), config_error_text(&cfg));
    config_destroy(&cfg);
    return rc;
}

/* --- writing --- */

static void prefs_write_text(FILE *f, const char *s)
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

static void prefs_write_list(FILE *f, const struct strv *list, const char *sep)
{
    fputs("(", f);
    for (size_t i = 0; i < list->n; i++) {
        fputs(i ? sep : "", f);
        prefs_write_text(f, list->v[i]);
    }
    fputs(");\n", f);
}

static void write_shows(FILE *f, const struct view_prefs *v)
{
    if (v->sort) {
        fputs("    sort = ", f);
        prefs_write_text(f, v->sort);
        fprintf(f, ";\n    reverse = %s;\n", v->reverse ? "true" : "false");
    }
    if (v->mine)
        fputs("    mine = true;\n", f);
    if (v->flat)
        fputs("    flat = true;\n", f);
    if (v->columns.n) {
        fputs("    columns = ", f);
        prefs_write_list(f, &v->columns, ", ");
    }
}

static void write_pane(FILE *f, const struct pane_prefs *p)
{
    if (!p->hidden && !p->place && !p->width && !p->height && !p->tab)
        return;
    fputs("    pane = {", f);
    if (p->hidden)
        fputs(" hidden = true;", f);
    if (p->place == PANE_BESIDE || p->place == PANE_BELOW)
        fprintf(f, " place = \"%s\";", pane_places[p->place]);
    if (p->width)
        fprintf(f, " width = %u;", p->width);
    if (p->height)
        fprintf(f, " height = %u;", p->height);
    if (p->tab) {
        fputs(" tab = ", f);
        prefs_write_text(f, p->tab);
        fputs(";", f);
    }
    fputs(" };\n", f);
}

static void write_view(FILE *f, const struct view_prefs *v)
{
    fprintf(f, "  %s = {\n", v->view);
    write_shows(f, v);
    write_pane(f, &v->pane);
    fputs("  };\n", f);
}

static void write_named(FILE *f, const struct named_view *n)
{
    fputs("  {\n    name = ", f);
    prefs_write_text(f, n->name);
    fputs(";\n    screen = ", f);
    prefs_write_text(f, n->shows.view);
    fputs(";\n", f);
    if (!str_is_empty(n->shows.filter)) {
        fputs("    filter = ", f);
        prefs_write_text(f, n->shows.filter);
        fputs(";\n", f);
    }
    write_shows(f, &n->shows);
    fputs("  }", f);
}

static void prefs_write_all(FILE *f, const struct prefs *p)
{
    fputs("// Written by stoker-ui; your own settings belong into ui.cfg, beside it.\n", f);
    if (p->theme) {
        fputs("theme = ", f);
        prefs_write_text(f, p->theme);
        fputs(";\n", f);
    }
    fputs("views = {\n", f);
    vec_for_each (&p->views, i)
        write_view(f, &p->views.v[i]);
    fputs("};\nnamed = (\n", f);
    vec_for_each (&p->named, k) {
        fputs(k ? ",\n" : "", f);
        write_named(f, &p->named.v[k]);
    }
    fputs(");\nhistory = ", f);
    prefs_write_list(f, &p->history, ",\n  ");
    fputs("filters = ", f);
    prefs_write_list(f, &p->filters, ",\n  ");
}

static void prefs_make_parents(const char *path)
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
    prefs_write_all(f, p);
    int rc = fclose(f);
    bug_on(rc);
    return text;
}

int prefs_write(const char *text, const char *path, struct errtext *err)
{
    prefs_make_parents(path);
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
