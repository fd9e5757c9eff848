/* watch.c - jobs that somebody waits for: bell, title and a line when they change. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/text/jobtext.h"
#include "ui/frame/frame_internal.h"
#include "ui/view/view_text.h"

#define LIVE_GONE UINT32_MAX /* the job has left the state */

static uint64_t key_of(const struct job_target *what)
{
    return (uint64_t)what->job << 32 | what->array_index;
}

bool ui_is_watched(const struct ui *a, const struct job_target *what)
{
    return idmap_get(&a->watched_at, key_of(what)) != NULL;
}

static void add(struct ui *a, const struct watched *w)
{
    vec_push(&a->watched, *w);
    idmap_set(&a->watched_at, key_of(&w->what), (void *)a->watched.n);
}

/* The last one takes its place. */
static void drop(struct ui *a, size_t i)
{
    struct watched last = a->watched.v[--a->watched.n];
    idmap_remove(&a->watched_at, key_of(&a->watched.v[i].what));
    if (i == a->watched.n)
        return;
    a->watched.v[i] = last;
    idmap_set(&a->watched_at, key_of(&last.what), (void *)(i + 1));
}

static const struct job *find(const struct ui *a, const struct job_target *w)
{
    const struct job *j = w->array_index == ARRAY_NONE ? model_get_job(a->m, w->job)
                                                       : model_get_element(a->m, w->job, w->array_index);
    return j;
}

/* Of an array as a whole how many of it wait or run; of a job its state. */
static uint32_t look(const struct ui *a, const struct job_target *w, bool *ret_over)
{
    const struct job *one = find(a, w);
    bool array = w->array_index == ARRAY_NONE && (!one || one->array_job == w->job);
    if (!array) {
        *ret_over = !one || job_state_is_final((enum job_state)one->state);
        return one ? one->state : LIVE_GONE;
    }
    const struct array_tally *t = model_get_tally(a->m, w->job);
    *ret_over = !t || t->pending + t->active == 0;
    return *ret_over ? 0 : 1; /* its end is what one waits for, not each element's */
}

void ui_watch(struct ui *a, const struct job_target *what, bool on)
{
    uintptr_t at = (uintptr_t)idmap_get(&a->watched_at, key_of(what));
    if (at)
        drop(a, at - 1);
    if (!on)
        return;
    bool over = false;
    struct watched w = {.what = *what};
    w.state = look(a, what, &over);
    if (!over)
        add(a, &w);
}

static void tell(struct ui *a, const struct watched *w)
{
    const struct job *j = find(a, &w->what);
    struct rich words;
    struct str s = STR_INIT;
    rich_init(&words);
    if (j && w->what.array_index == ARRAY_NONE && j->array_job == w->what.job)
        str_appendf(&s, "array %u %s: all have ended", w->what.job, j->req.name ? j->req.name : "");
    else if (j) {
        jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
        job_words(&words, j);
        str_appendf(&s, " %s: %s", j->req.name ? j->req.name : "", words.text.s);
    } else
        str_appendf(&s, "%u has left the queue", w->what.job);
    free(a->title);
    a->title = xasprintf("stoker: %s", s.s);
    a->wishes |= APP_BELL | APP_TITLE;
    ui_toast(a, j && job_role(j) == ROLE_FAILED ? ROLE_ERROR : ROLE_GOOD, "%s", s.s);
    str_fini(&s);
    rich_fini(&words);
}

void watch_look(struct ui *a)
{
    for (size_t i = a->watched.n; i-- > 0;) {
        struct watched *w = &a->watched.v[i];
        bool over = false;
        uint32_t now = look(a, &w->what, &over);
        if (now != w->state)
            tell(a, w);
        w->state = now;
        if (over)
            drop(a, i);
    }
}
