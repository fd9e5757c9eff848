/* prefs_merge.c - what several screens remember in one file: each brings in what it has changed itself. */
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "src/base/time.h"
#include "src/base/xalloc.h"
#include "ui/state/prefs.h"

#define TURN_MS 1000 /* then without waiting for another any longer */
#define LOOK_MS 10

static bool same_list(const struct strv *a, const struct strv *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = str_eq(a->v[i], b->v[i]);
    return same;
}

static bool same_pane(const struct pane_prefs *a, const struct pane_prefs *b)
{
    return a->hidden == b->hidden && a->place == b->place && a->width == b->width &&
           a->height == b->height && str_eq(a->tab, b->tab);
}

static bool same_view(const struct view_prefs *a, const struct view_prefs *b)
{
    return str_eq(a->view, b->view) && str_eq(a->filter, b->filter) && str_eq(a->sort, b->sort) &&
           a->reverse == b->reverse && a->mine == b->mine && a->flat == b->flat &&
           same_list(&a->columns, &b->columns) && same_pane(&a->pane, &b->pane);
}

static void copy_view(struct view_prefs *to, const struct view_prefs *from)
{
    xstrset(&to->filter, from->filter);
    xstrset(&to->sort, from->sort);
    to->reverse = from->reverse;
    to->mine = from->mine;
    to->flat = from->flat;
    char *tab = to->pane.tab;
    xstrset(&tab, from->pane.tab);
    to->pane = from->pane;
    to->pane.tab = tab;
    strv_fini(&to->columns);
    to->columns = strv_copy(&from->columns);
}

/* Where the lines of `now` begin that `before` does not have: the oldest may have been forgotten since. */
static size_t first_new_line(const struct strv *before, const struct strv *now)
{
    for (size_t gone = 0; gone < before->n; gone++) {
        size_t kept = before->n - gone, i = 0;
        while (i < kept && i < now->n && str_eq(before->v[gone + i], now->v[i]))
            i++;
        if (i == kept)
            return kept;
    }
    return 0;
}

static void prefs_merge_merge(struct prefs *file, struct prefs *before, const struct prefs *now)
{
    vec_for_each (&now->views, i)
        if (!same_view(prefs_of(before, now->views.v[i].view), &now->views.v[i]))
            copy_view(prefs_of(file, now->views.v[i].view), &now->views.v[i]);
    vec_for_each (&before->named, k)
        if (!prefs_find_named(now, before->named.v[k].name))
            prefs_drop_named(file, before->named.v[k].name);
    vec_for_each (&now->named, m) {
        const struct named_view *it = &now->named.v[m], *was = prefs_find_named(before, it->name);
        if (!was || !same_view(&was->shows, &it->shows))
            prefs_keep_named(file, it->name, &it->shows);
    }
    if (!str_eq(before->theme, now->theme))
        xstrset(&file->theme, now->theme);
    for (size_t i = first_new_line(&before->history, &now->history); i < now->history.n; i++)
        prefs_remember(file, now->history.v[i]);
    for (size_t i = first_new_line(&before->filters, &now->filters); i < now->filters.n; i++)
        prefs_remember_filter(file, now->filters.v[i]);
}

/* The directory's lock, so that no file is left lying about; -1 where it cannot be had in time, or there is
 * no directory yet. */
static int prefs_merge_take_turn(const char *path)
{
    char *copy = xstrdup(path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(copy);
    for (int ms = 0; fd >= 0 && ms < TURN_MS && flock(fd, LOCK_EX | LOCK_NB) < 0; ms += LOOK_MS)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * NS_PER_MS}, NULL);
    return fd;
}

int prefs_bring_in(const char *before, const char *now, const char *path, struct errtext *err)
{
    struct prefs file = {0}, old = {0}, ours = {0};
    struct errtext unread;
    int turn = prefs_merge_take_turn(path);
    char *text = NULL;
    /* A file that cannot be read is replaced, as it always was. */
    if (prefs_load(&file, path, &unread) == 0 && prefs_parse(&old, before, &unread) == 0 &&
        prefs_parse(&ours, now, &unread) == 0) {
        prefs_merge_merge(&file, &old, &ours);
        text = prefs_text(&file);
    }
    int rc = prefs_write(text ? text : now, path, err);
    if (turn >= 0)
        close(turn);
    free(text);
    prefs_fini(&file);
    prefs_fini(&old);
    prefs_fini(&ours);
    return rc;
}
