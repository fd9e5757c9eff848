/* output_pages.c - what an output view reads. */
#include "ui/output/output_pages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"

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
    free(s->filter);
    vec_for_each (&s->tails, i)
        output_tail_fini(&s->tails.v[i]);
    vec_fini(&s->tails);
    *s = (struct reading_state){.n = 0};
}

void reading_init(struct reading *r, const struct stream_hooks *hooks)
{
    *r = (struct reading){.hooks = *hooks, .merge = {.kept = KEPT_LINES_CLOSED}};
    r->inotify = -1;
    line_filter_init(&r->filter);
    output_save_init(&r->save);
    pager_init(&r->pager);
}

static void drop_streams(struct reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        stream_fini(&r->streams[i]);
        if (r->tails)
            output_tail_fini(&r->tails[i]);
    }
    if (r->inotify >= 0) /* its watches go with it */
        close(r->inotify);
    r->inotify = -1;
    free(r->streams);
    free(r->tails);
    r->streams = NULL;
    r->tails = NULL;
    r->n = 0;
    merge_fini(&r->merge);
}

void reading_fini(struct reading *r)
{
    drop_streams(r);
    line_filter_begin(&r->filter, NULL);
    line_hits_begin(&r->hits, NULL);
    output_save_stop(&r->save);
    free(r->news);
    pager_fini(&r->pager);
}

/* --- what the pager reads --- */

static bool is_filtered(const struct reading *r)
{
    return r->filter.scan.text != NULL;
}

static int64_t source_size(const struct reading *r)
{
    if (r->merged) /* the unfinished lines behind it come and go */
        return r->merge.kept.size;
    return r->source.size ? r->source.size(r->source.ctx) : 0;
}

/* The text in which hits are counted: whole lines that stay. */
static int64_t counted_size(const struct reading *r)
{
    return is_filtered(r) ? r->filter.kept.size : r->merged ? r->merge.kept.size : r->pager.size;
}

static void reading_show(struct reading *r)
{
    struct pager_file copy = {.read = kept_lines_read, .size = kept_lines_size, .ctx = &r->filter.kept};
    bool follow = r->pager.follow;
    pager_set_file(&r->pager, is_filtered(r) ? &copy : r->source.read ? &r->source : NULL);
    r->pager.follow = follow;
    line_hits_cut(&r->hits, 0);
}

/* Another source; NULL: none. */
static void reading_set_source(struct reading *r, const struct pager_file *file)
{
    r->source = file ? *file : (struct pager_file){.ctx = NULL};
    r->seek.on = false;
    output_save_stop(&r->save);
    line_filter_restart(&r->filter);
    reading_show(r);
}

/* The filter's copy has been changed, or may have to be made again. Returns true if the picture changes. */
static bool filter_grown(struct reading *r)
{
    int64_t size = source_size(r);
    if (size < r->filter.scan.at) {
        line_filter_restart(&r->filter);
        reading_show(r);
        return true;
    }
    int64_t from =
        line_filter_has_work(&r->filter, size) ? line_filter_work(&r->filter, &r->source, size) : -1;
    if (from < 0)
        return false;
    pager_rewritten(&r->pager, from);
    if (r->filling)
        pager_to_end(&r->pager);
    return true;
}

void reading_begin(struct reading *r, struct reading_open *take_o)
{
    r->merged = false;
    reading_set_source(r, NULL);
    drop_streams(r);
    r->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    r->n = take_o->places.n;
    r->merged = take_o->merged;
    r->streams = xcalloc(r->n ? r->n : 1, sizeof *r->streams);
    r->tails = take_o->tails ? xcalloc(r->n ? r->n : 1, sizeof *r->tails) : NULL;
    if (r->merged)
        merge_init(&r->merge);
    for (size_t i = 0; i < r->n; i++) {
        struct reading_place *p = &take_o->places.v[i];
        stream_init(&r->streams[i], (uint32_t)i, p->path, p->owner, p->label, &r->hooks);
        if (r->merged)
            merge_add(&r->merge, &r->streams[i]);
    }
    vec_fini(&take_o->places);
    r->pager.follow = r->live;
    r->filling = r->merged || is_filtered(r);
    struct pager_file file = {.read = kept_lines_read, .size = kept_lines_size, .ctx = &r->merge.kept};
    if (r->merged)
        reading_set_source(r, &file);
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
    if (r->merged || r->tails || !other)
        return other;
    reading_set_source(r, stream_is_there(s) ? &file : NULL);
    return true;
}

/* Returns true if the picture changes. */
static bool merge_more(struct reading *r)
{
    int64_t lines = r->merge.kept.size;
    bool changed;
    r->more = merge_work(&r->merge, !r->live, &changed);
    if (is_filtered(r))
        return filter_grown(r);
    if (changed)
        pager_rewritten(&r->pager, lines);
    if (changed && r->filling)
        pager_to_end(&r->pager);
    r->filling &= r->more || !r->merge.kept.size;
    return changed;
}

static bool tails_grown(struct reading *r)
{
    bool seen = false;
    for (size_t i = 0; i < r->n; i++)
        seen |= output_tail_read(&r->tails[i], &r->streams[i]);
    return seen;
}

/* Returns true if the picture changes. */
static bool source_grown(struct reading *r)
{
    if (r->tails)
        return tails_grown(r);
    bool seen = r->merged ? merge_more(r) : is_filtered(r) ? filter_grown(r) : pager_grown(&r->pager);
    if (counted_size(r) < r->hits.scan.at)
        line_hits_cut(&r->hits, 0);
    return seen;
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
    return source_grown(r) || seen;
}

/* --- work in slices --- */

#define COUNT_SLICES 8 /* between two checks of the orders */

#define FAR_COUNT_MAX ((int64_t)256 << 20) /* bytes that a node sends to have matches counted */

static bool is_far(const struct reading *r)
{
    return !r->merged && r->n && r->streams[0].remote && !is_filtered(r);
}

static bool is_uncounted(const struct reading *r)
{
    return line_hits_has_work(&r->hits, counted_size(r));
}

static bool has_to_count(const struct reading *r)
{
    return is_uncounted(r) && !(is_far(r) && r->hits.scan.at >= FAR_COUNT_MAX);
}

/* The number of the match among all; 0: there is none, or those before it are not counted yet. */
static size_t number_of_match(const struct reading *r)
{
    int64_t at = r->pager.match;
    if (at < 0 || !pager_has_pattern(&r->pager) || (is_uncounted(r) && at >= r->hits.scan.at))
        return 0;
    return line_hits_number(&r->hits, at);
}

static bool has_to_filter(const struct reading *r)
{
    return line_filter_has_work(&r->filter, source_size(r));
}

static void __attribute__((format(printf, 3, 4)))
reading_tell(struct reading *r, bool bad, const char *fmt, ...)
{
    va_list ap;
    struct str s = STR_INIT;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    free(r->news);
    r->news = str_take(&s);
    r->news_bad = bad;
}

static void seek_work(struct reading *r)
{
    if (!line_seek_work(&r->seek, &r->pager.file, r->pager.size))
        return;
    pager_go(&r->pager, r->seek.start);
    if (r->seek.line < r->seek.want)
        reading_tell(r, true, tr("there are only %lld lines"), (long long)r->seek.line);
}

static void save_work(struct reading *r)
{
    struct errtext err;
    enum output_saved end = output_save_work(&r->save, &r->pager.file, r->pager.size, &err);
    if (end == SAVED_ALL)
        reading_tell(r, false, tr("saved to %s"), r->save.path);
    else if (end == SAVED_NOT)
        reading_tell(r, true, "%s", err.s);
    if (end != SAVED_PART)
        output_save_stop(&r->save);
}

/* Of a node one piece at a time, so that a key waits for no more than that. */
static void count_work(struct reading *r)
{
    if (is_far(r) && !stream_fetch_next(&r->streams[0], r->hits.scan.at, PAGER_SLICE))
        return;
    for (int i = 0; i < (is_far(r) ? 1 : COUNT_SLICES) && has_to_count(r); i++)
        line_hits_work(&r->hits, &r->pager.file, counted_size(r));
}

bool reading_has_work(const struct reading *r)
{
    return r->pager.searching || r->more || r->seek.on || r->save.path || has_to_filter(r) ||
           has_to_count(r);
}

bool reading_work(struct reading *r)
{
    if (r->more)
        merge_more(r);
    if (has_to_filter(r))
        filter_grown(r);
    r->filling &= r->more || has_to_filter(r);
    if (r->seek.on)
        seek_work(r);
    if (r->save.path)
        save_work(r);
    if (r->pager.searching)
        pager_work(&r->pager);
    else if (has_to_count(r))
        count_work(r);
    return reading_has_work(r);
}

bool reading_take(struct reading *r, uint32_t stream, bool piece, struct msg_output_data *d,
                  const char *why)
{
    if (stream >= r->n)
        return false;
    struct stream *s = &r->streams[stream];
    bool was = stream_is_there(s), seen = stream_take(s, piece, d, why);
    if (r->tails)
        return output_tail_read(&r->tails[stream], s);
    struct pager_file file = {.read = stream_read, .size = stream_size, .ctx = s};
    if (!r->merged && was != stream_is_there(s))
        reading_set_source(r, stream_is_there(s) ? &file : NULL);
    else if (!r->merged && is_filtered(r))
        filter_grown(r);
    else if (!r->merged && seen)
        pager_change_file(&r->pager, stream_is_there(s) ? &file : NULL);
    if (r->merged)
        r->more = true;
    return seen;
}

void reading_find(struct reading *r, const char *text)
{
    pager_find(&r->pager, text, !pager_at_end(&r->pager));
    line_hits_begin(&r->hits, pager_has_pattern(&r->pager) ? text : NULL);
}

void reading_filter(struct reading *r, const char *text)
{
    r->seek.on = false;
    output_save_stop(&r->save);
    line_filter_begin(&r->filter, text);
    r->filling = true;
    if (is_filtered(r) && r->filter.kept.fd < 0) {
        reading_tell(r, true, tr("no room for the filtered lines in the temporary directory"));
        line_filter_begin(&r->filter, NULL);
    }
    reading_show(r);
    filter_grown(r);
}

void reading_go(struct reading *r, int64_t line)
{
    line_seek_begin(&r->seek, line);
    r->filling = false;
}

void reading_save(struct reading *r, const char *path)
{
    struct errtext err;
    if (output_save_begin(&r->save, path, &err) < 0)
        reading_tell(r, true, "%s", err.s);
}

static void reading_stop(struct reading *r)
{
    pager_stop(&r->pager);
    r->seek.on = false;
    if (r->save.path)
        reading_tell(r, true, tr("stopped: %s has only a part of the output"), r->save.path);
    output_save_stop(&r->save);
}

void reading_act(struct reading *r, enum action a)
{
    r->filling = false;
    if (a == ACTION_CLOSE)
        reading_stop(r);
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

static void get_tails(const struct reading *r, struct reading_state *ret)
{
    for (size_t i = 0; r->tails && i < r->n; i++) {
        const struct output_tail *t = &r->tails[i];
        vec_push(&ret->tails, (struct output_tail){.line = t->line ? xstrdup(t->line) : NULL,
                                                   .settled = t->settled,
                                                   .size = t->size});
    }
}

void reading_get_state(struct reading *r, struct reading_state *ret)
{
    struct pager *p = &r->pager;
    const struct stream *s = r->merged || r->tails || !r->n ? NULL : &r->streams[0];
    *ret = (struct reading_state){.n = count_there(r)};
    get_tails(r, ret);
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
    ret->searching = p->searching || r->seek.on || r->save.path;
    ret->filter = xstrdup(r->filter.scan.text);
    ret->filter_without = r->filter.scan.without;
    ret->filter_full = r->filter.full;
    ret->hits = line_hits_count(&r->hits);
    ret->hit = number_of_match(r);
    ret->more_hits = ret->hits >= LINE_HITS_MAX || is_uncounted(r);
    ret->not_found = p->not_found;
    ret->wrapped = p->wrapped;
    ret->forward = p->forward;
    ret->size = p->size;
    ret->percent = !p->size ? 0 : ret->at_end ? 100 : (int)(p->top * 100 / p->size);
}
