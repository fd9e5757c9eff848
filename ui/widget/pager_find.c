/* pager_find.c - searching a big file in slices, so that a key is never waited for. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "ui/widget/pager.h"

#define NEEDLE_MAX 4096

/* What lines that tell of a failure have in them. */
static const char *const error_words[] = {
    "error",     "traceback",         "exception", "fatal",       "killed",      "segmentation fault",
    "panic",     "out of memory",     "failed",    "core dumped", "cannot open", "no such file",
    "not found", "permission denied", "aborted",   "cancelled",   "oom-kill",    NULL,
};

static void pager_find_begin(struct pager *p, bool forward)
{
    p->forward = forward;
    p->searching = p->needles != NULL;
    p->not_found = false;
    int64_t from = p->match >= 0 ? p->match : p->top;
    if (forward)
        p->search_at = p->match >= 0 ? pager_next_line(p, from) : from;
    else if (p->match >= 0)
        p->search_at = from;
    else
        p->search_at = p->size;
    p->search_from = p->search_at;
    p->wrapped = false;
}

/* At an end of the file the search goes on at the other end, once. Returns false if it has seen all. */
static bool pager_find_wrap(struct pager *p)
{
    if (p->wrapped)
        return false;
    p->wrapped = true;
    p->search_at = p->forward ? 0 : p->size;
    return true;
}

static bool pager_find_is_over(const struct pager *p, int64_t from, int64_t to)
{
    if (p->wrapped && (p->forward ? from >= p->search_from : to <= p->search_from))
        return true;
    return from >= p->size || to <= 0;
}

void pager_find(struct pager *p, const char *text, bool forward)
{
    char *copy = xstrdup(text); /* text may be p->pattern */
    if (text || p->needles != error_words)
        p->match = -1;
    if (text) {
        free(p->pattern);
        p->pattern = copy;
        p->fold_case = true;
        for (const char *s = copy; *s; s++)
            p->fold_case &= !isupper((unsigned char)*s);
        p->needles = *copy && strlen(copy) < NEEDLE_MAX ? (const char *const *)&p->pattern : NULL;
    } else {
        p->fold_case = true;
        p->needles = error_words;
    }
    pager_find_begin(p, forward);
}

void pager_find_again(struct pager *p, bool forward)
{
    if (p->needles)
        pager_find_begin(p, forward);
}

void pager_stop(struct pager *p)
{
    p->searching = false;
}

/* The first or the last place below limit of any needle in the n bytes at buf; -1: none. */
static ssize_t find_in(const struct pager *p, const char *buf, size_t n, size_t limit)
{
    ssize_t best = -1;
    bool alone = pager_has_pattern(p); /* errors end their list with NULL, the pattern stands alone */
    for (size_t k = 0; alone ? k < 1 : p->needles[k] != NULL; k++) {
        size_t len = strlen(p->needles[k]), from = 0;
        for (const char *s; from < n && (s = memmem(buf + from, n - from, p->needles[k], len));) {
            ssize_t at = s - buf;
            if ((size_t)at >= limit)
                break;
            if (best < 0 || (p->forward ? at < best : at > best))
                best = at;
            if (p->forward)
                break;
            from = (size_t)at + 1;
        }
    }
    return best;
}

static void pager_find_found(struct pager *p, int64_t at)
{
    p->searching = false;
    p->follow = false;
    p->match = p->top = pager_line_start(p, at);
    p->top_row = 0;
    pager_scroll(p, -(p->height / 3)); /* with what led to it in sight */
    if (pager_at_end(p))
        pager_to_end(p); /* and no empty rows below it */
}

bool pager_work(struct pager *p)
{
    if (!p->searching)
        return false;
    int64_t from = p->forward ? p->search_at : p->search_at > PAGER_SLICE ? p->search_at - PAGER_SLICE : 0;
    int64_t to = p->forward ? from + PAGER_SLICE : p->search_at;
    if (pager_find_is_over(p, from, to)) {
        if (pager_find_wrap(p))
            return true;
        p->searching = false;
        p->not_found = true;
        return false;
    }
    /* A little over the slice's end, for what lies across it. */
    size_t want = (size_t)(to - from) + NEEDLE_MAX;
    char *buf = xmalloc(want);
    size_t n = pager_read(p, from, buf, want), body = n < (size_t)(to - from) ? n : (size_t)(to - from);
    if (p->fold_case)
        for (size_t i = 0; i < n; i++)
            buf[i] = (char)tolower((unsigned char)buf[i]);
    ssize_t at = find_in(p, buf, n, body);
    free(buf);
    if (at >= 0)
        pager_find_found(p, from + at);
    else
        p->search_at = p->forward ? to : from;
    return p->searching;
}
