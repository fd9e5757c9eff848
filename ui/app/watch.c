/* watch.c - jobs that somebody waits for: bell, title and a line when they change. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/model/jobtext.h"
#include "ui/app/private.h"
#include "ui/view/words.h"

#define LIVE_GONE UINT32_MAX /* the job has left the state */

static bool same(const struct job_target *a, const struct job_target *b)
{
    return a->job == b->job && a->array_index == b->array_index;
}

bool ui_is_watched(const struct ui *a, const struct job_target *what)
{
    vec_for_each (&a->watched, i)
        if (same(&a->watched.v[i].what, what))
            return true;
    return false;
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
    uint32_t live = 0;
    list_for_each (r, &a->m->active, struct job, in_queue)
        live += r->array_job == w->job;
    list_for_each (p, &a->m->pending, struct job, in_queue)
        live += p->array_job == w->job ? job_pending_elements(p) : 0;
    *ret_over = live == 0;
    return live ? 1 : 0; /* its end is what one waits for, not each element's */
}

void ui_watch(struct ui *a, const struct job_target *what, bool on)
{
    for (size_t i = a->watched.n; i-- > 0;)
        if (same(&a->watched.v[i].what, what))
            vec_remove(&a->watched, i);
    if (!on)
        return;
    bool over = false;
    struct watched w = {.what = *what};
    w.state = look(a, what, &over);
    if (!over)
        vec_push(&a->watched, w);
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
            vec_remove(&a->watched, i);
    }
}
