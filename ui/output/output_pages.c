/* output_pages.c - what an output view reads. */
#include "ui/output/output_pages.h"

#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define RETRY_LOOKS 5 /* quiet turns before a node without data is asked again */

void reading_open_fini(struct reading_open *o)
{
    vec_for_each (&o->places, i) {
        free(o->places.v[i].path);
        free(o->places.v[i].label);
    }
    vec_fini(&o->places);
}

void reading_state_fini(struct reading_state *s)
{
    page_fini(&s->page);
    free(s->trouble);
    free(s->path);
    *s = (struct reading_state){.n = 0};
}

void reading_init(struct reading *r, const struct stream_hooks *hooks)
{
    *r = (struct reading){.hooks = *hooks, .merge = {.fd = -1}};
    r->inotify = -1;
    pager_init(&r->pager);
}

static void drop_streams(struct reading *r)
{
    for (size_t i = 0; i < r->n; i++)
        stream_fini(&r->streams[i]);
    if (r->inotify >= 0) /* its watches go with it */
        close(r->inotify);
    r->inotify = -1;
    free(r->streams);
    r->streams = NULL;
    r->n = 0;
    merge_fini(&r->merge);
}

void reading_fini(struct reading *r)
{
    drop_streams(r);
    pager_fini(&r->pager);
}

void reading_begin(struct reading *r, struct reading_open *take_o)
{
    pager_set_file(&r->pager, NULL);
    drop_streams(r);
    r->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    r->n = take_o->places.n;
    r->merged = take_o->merged;
    r->streams = xcalloc(r->n ? r->n : 1, sizeof *r->streams);
    if (r->merged)
        merge_init(&r->merge);
    for (size_t i = 0; i < r->n; i++) {
        struct reading_place *p = &take_o->places.v[i];
        stream_init(&r->streams[i], (uint32_t)i, p->path, p->label, &r->hooks);
        if (r->merged)
            merge_add(&r->merge, &r->streams[i]);
    }
    vec_fini(&take_o->places);
    r->pager.follow = r->live;
    struct pager_file file = {.read = merge_read, .size = merge_size, .ctx = &r->merge};
    if (r->merged)
        pager_set_file(&r->pager, &file);
}

void reading_live(struct reading *r, bool live, bool began)
{
    r->live = live;
    r->began = began;
}

static void empty_inotify(struct reading *r)
{
    char buf[4096] __attribute__((aligned(8)));
    while (r->inotify >= 0 && read(r->inotify, buf, sizeof buf) > 0)
        ;
}

static bool output_pages_look_at(struct reading *r, struct stream *s)
{
    bool was = stream_is_there(s);
    bool other = stream_look(s, r->inotify, r->began) || was != stream_is_there(s);
    struct pager_file file = {.read = stream_read, .size = stream_size, .ctx = s};
    if (r->merged || !other)
        return other;
    bool follow = r->pager.follow;
    pager_set_file(&r->pager, stream_is_there(s) ? &file : NULL);
    r->pager.follow = follow;
    return true;
}

/* Returns true if the picture changes. */
static bool merge_more(struct reading *r)
{
    int64_t lines = r->merge.size;
    bool changed;
    r->more = merge_work(&r->merge, !r->live, &changed);
    if (changed)
        pager_rewritten(&r->pager, lines);
    return changed;
}

bool reading_look(struct reading *r, bool quiet)
{
    bool seen = false;
    empty_inotify(r);
    bool retry = quiet && ++r->looks % RETRY_LOOKS == 0;
    for (size_t i = 0; i < r->n; i++) {
        if (retry && r->live)
            stream_retry(&r->streams[i]);
        bool gone = r->streams[i].gone;
        seen |= output_pages_look_at(r, &r->streams[i]);
        seen |= gone != r->streams[i].gone;
    }
    return (r->merged ? merge_more(r) : pager_grown(&r->pager)) || seen;
}

bool reading_has_work(const struct reading *r)
{
    return r->pager.searching || r->more;
}

bool reading_work(struct reading *r)
{
    if (r->more)
        merge_more(r);
    if (r->pager.searching)
        pager_work(&r->pager);
    return reading_has_work(r);
}

bool reading_take(struct reading *r, uint32_t stream, bool piece, struct msg_output_data *d,
                  const char *why)
{
    if (stream >= r->n)
        return false;
    struct stream *s = &r->streams[stream];
    bool was = stream_is_there(s), seen = stream_take(s, piece, d, why);
    struct pager_file file = {.read = stream_read, .size = stream_size, .ctx = s};
    if (!r->merged && was != stream_is_there(s))
        pager_set_file(&r->pager, stream_is_there(s) ? &file : NULL);
    else if (!r->merged && seen)
        pager_change_file(&r->pager, stream_is_there(s) ? &file : NULL);
    if (r->merged)
        r->more = true;
    return seen;
}

void reading_act(struct reading *r, enum action a)
{
    if (a == ACTION_CLOSE)
        pager_stop(&r->pager);
    else if (a == ACTION_FIND_NEXT || a == ACTION_FIND_PREV)
        pager_find_again(&r->pager, a == ACTION_FIND_NEXT);
    else if (a == ACTION_LAST_ERROR)
        pager_find(&r->pager, NULL, false);
    else if (a == ACTION_BOTTOM) {
        pager_to_end(&r->pager);
        r->pager.follow = r->live;
    } else
        pager_act(&r->pager, a);
}

static size_t count_there(const struct reading *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += stream_is_there(&r->streams[i]);
    return n;
}

void reading_get_state(struct reading *r, struct reading_state *ret)
{
    struct pager *p = &r->pager;
    const struct stream *s = r->merged || !r->n ? NULL : &r->streams[0];
    *ret = (struct reading_state){.n = count_there(r)};
    pager_page(p, &ret->page);
    ret->trouble = s ? xstrdup(s->trouble) : NULL;
    ret->path = s ? xstrdup(s->path) : NULL;
    ret->remote = s && s->remote && (s->begun || !s->path);
    ret->asking = ret->remote && !s->begun && !s->refused;
    ret->gone = s && s->fd >= 0 && s->gone;
    ret->there = r->merged || (s && stream_is_there(s));
    ret->follow = p->follow;
    ret->wrap = p->wrap;
    ret->at_end = pager_at_end(p);
    ret->searching = p->searching;
    ret->not_found = p->not_found;
    ret->forward = p->forward;
    ret->size = p->size;
    ret->percent = !p->size ? 0 : ret->at_end ? 100 : (int)(p->top * 100 / p->size);
}
