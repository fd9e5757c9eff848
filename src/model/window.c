/* window.c - windows: their records, their fold, and who may stand in them. */
#include "src/model/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/model_private.h"

const struct window *model_get_window(const struct model *m, const char *name)
{
    for (size_t i = 0; name && i < m->windows.n; i++)
        if (str_eq(m->windows.v[i].name, name))
            return &m->windows.v[i];
    return NULL;
}

int window_check(const struct window *w, struct errtext *err)
{
    if (str_is_empty(w->name))
        return err_set(err, -EINVAL, "a window needs a name");
    if (!w->nodes.n)
        return err_set(err, -EINVAL, "window %s: it needs nodes", w->name);
    if (!wall_is_set(w->start) || w->end.ms <= w->start.ms)
        return err_set(err, -EINVAL, "window %s: it must end after its start", w->name);
    if (w->kind > WINDOW_RESERVATION)
        return err_set(err, -EINVAL, "window %s: no such kind", w->name);
    return 0;
}

bool window_has_node(const struct window *w, const char *node)
{
    return (w->nodes.n == 1 && str_eq(w->nodes.v[0], WINDOW_ALL_NODES)) || strv_has(&w->nodes, node);
}

/* Whether it and [from, until) have an instant in common. */
static bool window_overlaps(const struct window *w, struct wall from, struct wall until)
{
    return w->start.ms < until.ms && from.ms < w->end.ms;
}

bool window_admits(const struct window *w, const char *user, const char *account)
{
    return w->kind == WINDOW_RESERVATION &&
           ((user && strv_has(&w->users, user)) || (account && strv_has(&w->accounts, account)));
}

const struct window *window_in_way(const struct model *m, const char *node, const char *reservation,
                                   struct wall from, struct wall until)
{
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        if (w->start.ms >= until.ms)
            return NULL; /* they are in the order of their starts */
        bool own = w->kind == WINDOW_RESERVATION && str_eq(w->name, reservation);
        if (!own && window_overlaps(w, from, until) && window_has_node(w, node))
            return w;
    }
    return NULL;
}

static bool stands_before(const struct window *a, const struct window *b)
{
    return a->start.ms != b->start.ms ? a->start.ms < b->start.ms : strcmp(a->name, b->name) < 0;
}

static void drop_at(struct model *m, size_t at)
{
    rec_fini(&window_rec, &m->windows.v[at]);
    memmove(&m->windows.v[at], &m->windows.v[at + 1], (m->windows.n - at - 1) * sizeof *m->windows.v);
    m->windows.n--;
}

int apply_window(struct model *m, const struct ev_window *body)
{
    const struct window *old = model_get_window(m, body->window.name);
    if (body->remove) {
        if (!old)
            return -ENOENT;
        drop_at(m, (size_t)(old - m->windows.v));
        return 0;
    }
    if (window_check(&body->window, NULL) < 0)
        return -EINVAL;
    struct window w;
    rec_copy(&window_rec, &w, &body->window);
    if (old)
        drop_at(m, (size_t)(old - m->windows.v));
    rec_list_push(&m->windows);
    size_t at = m->windows.n - 1;
    for (; at > 0 && stands_before(&w, &m->windows.v[at - 1]); at--)
        m->windows.v[at] = m->windows.v[at - 1];
    m->windows.v[at] = w;
    return 0;
}

void model_take_windows(struct model *m, struct window *v, size_t n)
{
    for (size_t i = 0; i < m->windows.n; i++)
        rec_fini(&window_rec, &m->windows.v[i]);
    free(m->windows.v);
    m->windows.v = v;
    m->windows.n = n;
}
