/* theme_choice.c - the theme in use. */
#include "ui/app/theme_choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/state/ui_state.h"

struct choosing {
    struct theme_choice *t;
    char *name, *dir;
    struct theme theme;
    int rc;
    struct errtext err;
};

static const char *theme_name(const struct theme_choice *t, const struct ui *ui)
{
    const struct settings *s = t->settings;
    const char *preview = ui ? ui->o.preview_theme : NULL;
    const char *name = s->from[SETTING_THEME] == SETTING_BY_OPTION ? s->theme : t->prefs->theme;
    return preview ? preview : name ? name : s->theme ? s->theme : getenv("STOKER_THEME");
}

static void choosing_free(void *arg)
{
    struct choosing *w = arg;
    free(w->name);
    free(w->dir);
    free(w);
}

static struct choosing *choosing_new(struct theme_choice *t, const struct ui *ui)
{
    const char *no_color = getenv("NO_COLOR"), *name = theme_name(t, ui);
    int colors = no_color && *no_color ? 0 : term_colors(t->term);
    struct choosing *w = xcalloc(1, sizeof *w);
    *w = (struct choosing){.t = t, .name = xstrdup(str_is_empty(name) ? "dark" : name)};
    w->dir = xstrdup(t->dir);
    theme_init(&w->theme, str_eq(w->name, "mono") ? 0 : colors);
    return w;
}

static void read_theme(void *arg)
{
    struct choosing *w = arg;
    if (str_eq(w->name, "dark") || str_eq(w->name, "mono"))
        return;
    char *path = settings_theme_path(w->name, w->dir);
    w->rc = theme_load(&w->theme, path, &w->err);
    if (w->rc == -ENOENT && !strchr(w->name, '/')) {
        struct strv names = settings_themes(w->dir);
        char *all = strv_join(&names, ", ");
        w->rc = err_set(&w->err, -ENOENT, tr("there is no theme '%s'; there are %s"), w->name, all);
        free(all);
        strv_fini(&names);
    }
    free(path);
}

/* A theme that cannot be read is not saved: each start would report it. */
static void keep_theme(struct theme_choice *t, bool good)
{
    char **from = good ? &t->prefs->theme : &t->kept, **to = good ? &t->kept : &t->prefs->theme;
    if (str_eq(*from, *to))
        return;
    free(*to);
    *to = *from ? xstrdup(*from) : NULL;
    if (!good)
        saver_save(t->saver);
}

static void theme_read(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    struct choosing *w = arg;
    if (w->rc < 0)
        ui_toast(ui, ROLE_ERROR, "%s", w->err.s);
    else
        *w->t->theme = w->theme;
    keep_theme(w->t, w->rc >= 0);
    term_redraw(w->t->term);
    ui_changed(ui);
}

int theme_choice_first(struct theme_choice *t, struct errtext *err)
{
    struct choosing *w = choosing_new(t, NULL);
    read_theme(w);
    int rc = w->rc < 0 ? err_set(err, w->rc, "%s", w->err.s) : 0;
    *t->theme = w->theme;
    keep_theme(t, true); /* the theme saved earlier stays saved */
    choosing_free(w);
    return rc;
}

void theme_choice_read(struct theme_choice *t, struct ui *ui)
{
    ui_aside(ui, NULL, read_theme, theme_read, choosing_new(t, ui), choosing_free);
}

void theme_choice_fini(struct theme_choice *t)
{
    free(t->kept);
}
