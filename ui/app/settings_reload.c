/* settings_reload.c - settings while the program runs. */
#include "ui/app/settings_reload.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/base/lang.h"
#include "src/base/xalloc.h"

#define CHANGES (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)

/* A folder of settings that is not there yet is made with the first setting: watched from then on. */
static void reload_watch(struct reload *r)
{
    char *themes = settings_beside("themes"), *copy = xstrdup(r->path), link[PATH_MAX];
    if (r->dir < 0)
        r->dir = inotify_add_watch(r->fd, dirname(copy), CHANGES);
    if (r->themes < 0)
        r->themes = inotify_add_watch(r->fd, themes, CHANGES);
    if (realpath(r->path, link) && !str_eq(link, r->path)) { /* of a collection of settings elsewhere */
        free(r->target_file);
        r->target_file = xstrdup(strrchr(link, '/') + 1);
        r->target = inotify_add_watch(r->fd, dirname(link), CHANGES);
    }
    free(copy);
    free(themes);
}

void reload_open(struct reload *r)
{
    r->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    r->dir = r->themes = r->target = -1;
    r->path = settings_path();
    r->file = xstrdup(strrchr(r->path, '/') + 1);
    if (r->fd >= 0)
        reload_watch(r);
}

void reload_close(struct reload *r)
{
    if (r->fd >= 0)
        close(r->fd);
    free(r->path);
    free(r->file);
    free(r->target_file);
}

/* --- reading --- */

struct settings_reading {
    struct reload *r;
    char *path;
    struct settings s;
    int rc;
    struct errtext err;
};

static void settings_reading_free(void *arg)
{
    struct settings_reading *w = arg;
    settings_fini(&w->s);
    free(w->path);
    free(w);
}

static void reload_read(void *arg)
{
    struct settings_reading *w = arg;
    w->rc = settings_load(&w->s, w->path, &w->err);
}

static void reload_done(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    struct settings_reading *w = arg;
    struct reload *r = w->r;
    r->running = false;
    if (w->rc < 0) {
        ui_toast(ui, ROLE_ERROR, tr("%s; the former settings stay"), w->err.s);
    } else {
        settings_keep_given(&w->s, r->now);
        r->apply(r->ctx, &w->s);
        w->s = (struct settings){0};
    }
    if (r->again)
        reload_start(r);
}

void reload_start(struct reload *r)
{
    r->again = r->running;
    if (r->running)
        return;
    if (r->fd >= 0)
        reload_watch(r);
    r->running = true;
    struct settings_reading *w = xcalloc(1, sizeof *w);
    *w = (struct settings_reading){.r = r, .path = xstrdup(r->path)};
    settings_init(&w->s);
    ui_aside(r->app, NULL, reload_read, reload_done, w, settings_reading_free);
}

void reload_wake(struct reload *r)
{
    char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool settings = false, themes = false;
    for (ssize_t n; (n = read(r->fd, buf, sizeof buf)) > 0;)
        for (char *at = buf; at < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)(void *)at;
            bool own = e->wd == r->dir && str_eq(e->name, r->file),
                 linked = e->wd == r->target && str_eq(e->name, r->target_file);
            settings = settings || (e->len && (own || linked));
            themes = themes || (e->wd == r->themes && e->len && str_ends(e->name, ".theme"));
            at += sizeof *e + e->len;
        }
    if (settings)
        reload_start(r);
    if (themes)
        r->themes_changed(r->ctx);
}
