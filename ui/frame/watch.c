/* watch.c - jobs that the user watches: bell, title and a line when they change. */
#include "ui/frame/watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/frame/background.h"
#include "ui/frame/outbox.h"
#include "ui/state/ui_state.h"
#include "ui/text/view_text.h"

#define LIVE_GONE UINT32_MAX /* the job has left the state */

struct watched {
    struct job_target what;
    uint32_t state; /* of a job; of an array whether some of it are live */
    bool foreign;   /* of another user */
};

struct watches {
    VEC(struct watched) all;
    struct idmap at; /* what is watched -> its place in all, from 1 */
};

void watch_new(struct ui *ui)
{
    ui->watches = xcalloc(1, sizeof *ui->watches);
}

void watch_free(struct ui *ui)
{
    vec_fini(&ui->watches->all);
    idmap_fini(&ui->watches->at);
    free(ui->watches);
    ui->watches = NULL;
}

static uint64_t watch_key(const struct job_target *what)
{
    return (uint64_t)what->job << 32 | what->array_index;
}

bool ui_is_watched(const struct ui *ui, const struct job_target *what)
{
    return idmap_get(&ui->watches->at, watch_key(what)) != NULL;
}

static void watch_add(struct ui *ui, const struct watched *w)
{
    vec_push(&ui->watches->all, *w);
    idmap_set(&ui->watches->at, watch_key(&w->what), (void *)ui->watches->all.n);
}

/* The last one takes its place. */
static void watch_drop(struct ui *ui, size_t i)
{
    struct watched last = ui->watches->all.v[--ui->watches->all.n];
    idmap_remove(&ui->watches->at, watch_key(&ui->watches->all.v[i].what));
    if (i == ui->watches->all.n)
        return;
    ui->watches->all.v[i] = last;
    idmap_set(&ui->watches->at, watch_key(&last.what), (void *)(i + 1));
}

static const struct job *watch_find(const struct ui *ui, const struct job_target *w)
{
    const struct job *j = w->array_index == ARRAY_NONE ? model_get_job(ui->m, w->job)
                                                       : model_get_element(ui->m, w->job, w->array_index);
    return j;
}

/* Of an array as a whole how many of it wait or run; of a job its state. */
static uint32_t watch_state(const struct ui *ui, const struct job_target *w, bool *ret_over)
{
    const struct job *one = watch_find(ui, w);
    bool array = w->array_index == ARRAY_NONE && (!one || one->array_job == w->job);
    if (!array) {
        *ret_over = !one || job_state_is_final((enum job_state)one->state);
        if (one && one->state == JOB_COMPLETING) /* its end is the news, and comes with its cause */
            return JOB_RUNNING;
        return one ? one->state : LIVE_GONE;
    }
    const struct array_tally *t = model_get_tally(ui->m, w->job);
    *ret_over = !t || t->pending + t->active == 0;
    return *ret_over ? 0 : 1; /* its end is what one waits for, not each element's */
}

void ui_watch(struct ui *ui, const struct job_target *what, bool on)
{
    uintptr_t at = (uintptr_t)idmap_get(&ui->watches->at, watch_key(what));
    if (at)
        watch_drop(ui, at - 1);
    if (!on)
        return;
    bool over = false;
    struct watched w = {.what = *what};
    w.state = watch_state(ui, what, &over);
    const struct job *j = watch_find(ui, what);
    w.foreign = j && j->uid != ui_uid(ui);
    if (!over)
        watch_add(ui, &w);
}

bool watch_needs_all(const struct ui *ui)
{
    vec_for_each (&ui->watches->all, i)
        if (ui->watches->all.v[i].foreign)
            return true;
    return false;
}

/* The command of ui.cfg gets what has changed in variables. */
static void watch_run_command(struct ui *ui, const struct watched *w, const struct job *j, const char *news)
{
    if (str_is_empty(ui->o.notify_command))
        return;
    struct strv env = row_variables(j, NULL);
    struct str clean = STR_INIT;
    char id[32];
    snprintf(id, sizeof id, "%u", w->what.job);
    if (!j)
        strv_setenv(&env, "STOKER_JOB_ID", id);
    cell_text(&clean, news, -1, false, false);
    strv_setenv(&env, "STOKER_TEXT", clean.s);
    ui_background(ui, "notify_command", ui->o.notify_command, &env, false);
    str_fini(&clean);
}

static void watch_tell(struct ui *ui, const struct watched *w)
{
    const struct job *j = watch_find(ui, &w->what);
    struct rich words;
    struct str s = STR_INIT;
    rich_init(&words);
    if (j && w->what.array_index == ARRAY_NONE && j->array_job == w->what.job)
        str_appendf(&s, tr("array %u %s: all elements have ended"), w->what.job,
                    j->req.name ? j->req.name : "");
    else if (j) {
        jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
        job_words(&words, j);
        str_appendf(&s, " %s: %s", j->req.name ? j->req.name : "", words.text.s);
    } else
        str_appendf(&s, tr("%u has left the queue"), w->what.job);
    outbox_ring(ui, xasprintf("stoker: %s", s.s), s.s);
    watch_run_command(ui, w, j, s.s);
    ui_toast(ui, j && job_role(j) == ROLE_FAILED ? ROLE_ERROR : ROLE_GOOD, "%s", s.s);
    str_fini(&s);
    rich_fini(&words);
}

void watch_look(struct ui *ui)
{
    for (size_t i = ui->watches->all.n; i-- > 0;) {
        struct watched *w = &ui->watches->all.v[i];
        bool over = false;
        uint32_t now = watch_state(ui, &w->what, &over);
        if (now != w->state)
            watch_tell(ui, w);
        w->state = now;
        if (over)
            watch_drop(ui, i);
    }
}
