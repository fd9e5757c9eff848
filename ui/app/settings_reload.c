/* settings_reload.c - settings while the program runs. */
#include "ui/app/settings_reload.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define CHANGES (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)

/* The folder of settings is not there yet: the nearest one above it, where it will be made. */
static void reload_watch_above(struct reload *r)
{
    char *path = xstrdup(r->path);
    for (char *above = dirname(path); r->above < 0; above = dirname(above)) {
        r->above = inotify_add_watch(r->fd, above, IN_CREATE | IN_MOVED_TO);
        if (str_eq(above, "/") || str_eq(above, "."))
            break;
    }
    free(path);
}

/* What is not there yet is watched from when it is made. */
static void reload_watch(struct reload *r)
{
    char *themes = settings_beside("themes"), *copy = xstrdup(r->path), link[PATH_MAX];
    const char *dir = dirname(copy);
    if (r->dir < 0)
        r->dir = inotify_add_watch(r->fd, dir, CHANGES);
    if (r->dir < 0) {
        reload_watch_above(r);
        r->dir = inotify_add_watch(r->fd, dir, CHANGES); /* it may have been made meanwhile */
    }
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
    r->dir = r->themes = r->target = r->above = -1;
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

/* A folder was made above: on to the next one, or to the file, if that is in it already: the screens make
 * the folder themselves for what they remember. */
static bool reload_is_there_now(struct reload *r)
{
    inotify_rm_watch(r->fd, r->above);
    r->above = -1;
    reload_watch(r);
    return r->dir >= 0 && access(r->path, F_OK) == 0;
}

void reload_wake(struct reload *r)
{
    char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool settings = false, themes = false, above = false;
    for (ssize_t n; (n = read(r->fd, buf, sizeof buf)) > 0;)
        for (char *at = buf; at < buf + n;) {
            const struct inotify_event *e = (const struct inotify_event *)(void *)at;
            bool own = e->wd == r->dir && str_eq(e->name, r->file),
                 linked = e->wd == r->target && str_eq(e->name, r->target_file);
            settings = settings || (e->len && (own || linked));
            themes = themes || (e->wd == r->themes && e->len && str_ends(e->name, ".theme"));
            above = above || (r->above >= 0 && e->wd == r->above && !(e->mask & IN_IGNORED));
            at += sizeof *e + e->len;
        }
    if (above && reload_is_there_now(r))
        settings = true;
    if (settings)
        reload_start(r);
    if (themes)
        r->themes_changed(r->ctx);
}
