/* saver.c - writes what the screens remember. */
#include "ui/app/saver.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

struct prefs_saving {
    struct saver *s;
    char *before, *text, *path;
    int rc;
    struct errtext err;
};

static void saver_saving_free(void *arg)
{
    struct prefs_saving *w = arg;
    free(w->before);
    free(w->text);
    free(w->path);
    free(w);
}

static void write_it(void *arg)
{
    struct prefs_saving *w = arg;
    w->rc = prefs_bring_in(w->before, w->text, w->path, &w->err);
}

static void written(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    struct prefs_saving *w = arg;
    struct saver *s = w->s;
    s->running = false;
    if (w->rc == 0) {
        free(s->before);
        s->before = w->text;
        w->text = NULL;
    }
    if (w->rc < 0 && !s->failed)
        ui_toast(ui, ROLE_WARN, "%s", w->err.s);
    s->failed |= w->rc < 0;
    if (s->again)
        saver_save(s);
}

void saver_init(struct saver *s, struct ui *app, const struct prefs *prefs, const char *path)
{
    *s = (struct saver){.app = app, .prefs = prefs, .path = path, .before = prefs_text(prefs)};
}

void saver_fini(struct saver *s)
{
    free(s->before);
    s->before = NULL;
}

void saver_save_asked(struct saver *s)
{
    s->failed = false;
    saver_save(s);
}

void saver_save(struct saver *s)
{
    s->again = s->running;
    if (s->running)
        return;
    struct prefs_saving *w = xcalloc(1, sizeof *w);
    *w = (struct prefs_saving){
        .s = s, .before = xstrdup(s->before), .text = prefs_text(s->prefs), .path = xstrdup(s->path)};
    s->running = true;
    ui_aside(s->app, NULL, write_it, written, w, saver_saving_free);
}

bool saver_is_idle(const struct saver *s)
{
    return !s->running;
}
