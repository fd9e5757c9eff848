/* command_jobs.c - the commands that mean jobs. */
#include <string.h>

#include "src/jobspec/signame.h"
#include "ui/command/commands.h"
#include "ui/dialogs/job_actions.h"
#include "ui/jobs/job_view.h"
#include "ui/jobs/why_view.h"
#include "ui/nodes/node_keys.h"
#include "ui/output/output_view.h"

void complain(struct ui *a, const char *what)
{
    ui_toast(a, ROLE_ERROR, "%s", what);
}

void act_in_view(struct ui *a, enum action action, const char *otherwise)
{
    struct view *v = app_view(a);
    struct input none = input_key(0);
    unsigned did = v->ops->act(v, action, &none);
    if (!(did & DID_HANDLE))
        complain(a, otherwise);
}

static bool add_words(struct ui *a, struct targets *t, const struct strv *words, size_t from)
{
    struct errtext err = {""};
    for (size_t i = from; i < words->n; i++)
        if (targets_add_word(t, a, words->v[i], &err) < 0) {
            complain(a, err.s);
            targets_fini(t);
            return false;
        }
    return true;
}

static void act_on_words(struct ui *a, enum action action, const struct strv *words)
{
    struct targets t = {0};
    if (!words->n)
        act_in_view(a, action, "say which job: its number, or 12_3 of an array");
    else if (add_words(a, &t, words, 0))
        act_on_jobs(a, action, &t);
}

void run_cancel(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_CANCEL, words);
}

void run_hold(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_HOLD, words);
}

void run_release(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_RELEASE, words);
}

void run_requeue(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    act_on_words(a, ACTION_REQUEUE, words);
}

void run_signal(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct targets t = {0};
    if (!words->n) {
        act_in_view(a, ACTION_SIGNAL, "say which signal, and to which job");
        return;
    }
    const char *name = words->v[0] + (words->v[0][0] == '-');
    int number = signal_by_name(name);
    if (number <= 0)
        ui_toast(a, ROLE_ERROR, "'%s' is no signal", name);
    else if (words->n == 1)
        complain(a, "say which jobs; C sends a signal to the marked ones");
    else if (add_words(a, &t, words, 1))
        act_signal(a, number, &t);
}

void run_update(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct strv changes = {0}, jobs = {0};
    for (size_t i = 0; i < words->n; i++)
        strv_push(strchr(words->v[i], '=') ? &changes : &jobs, words->v[i]);
    struct targets t = {0};
    if (!changes.n)
        act_on_words(a, ACTION_EDIT, &jobs);
    else if (!jobs.n)
        complain(a, "say which job: :update 12 TimeLimit=2:00:00");
    else if (add_words(a, &t, &jobs, 0))
        act_update(a, &changes, &t);
    strv_fini(&changes);
    strv_fini(&jobs);
}

static const struct job *job_of_word(struct ui *a, const char *word)
{
    struct targets t = {0};
    struct errtext err = {""};
    const struct job *j = NULL;
    if (targets_add_word(&t, a, word, &err) < 0) {
        complain(a, err.s);
        return NULL;
    }
    const struct job_target *to = &t.v[0].to;
    j = to->array_index == ARRAY_NONE ? model_get_job(a->m, to->job)
                                      : model_get_element(a->m, to->job, to->array_index);
    if (!j)
        ui_toast(a, ROLE_ERROR, "%s names several jobs: choose one, as 12_3", word);
    targets_fini(&t);
    return j;
}

void run_show(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    const struct node *n = words->n ? model_get_node(a->m, words->v[0]) : NULL;
    const struct job *j = n || !words->n ? NULL : job_of_word(a, words->v[0]);
    if (!words->n)
        complain(a, "say what: a job or a node");
    else if (n)
        nodekeys_show(a, n);
    else if (j)
        ui_push(a, &jobpage_view, &j->id);
}

void run_output(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    const struct job *j = words->n ? job_of_word(a, words->v[0]) : NULL;
    if (!words->n)
        act_in_view(a, ACTION_OUTPUT, "say which job");
    else if (j)
        output_open(a, j);
}

void run_why(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    const struct job *j = words->n ? job_of_word(a, words->v[0]) : NULL;
    if (!words->n)
        act_in_view(a, ACTION_WHY, "say which job");
    else if (j)
        why_open(a, j);
}

void run_watch(struct ui *a, const struct strv *words, const char *rest)
{
    (void)rest;
    struct targets t = {0};
    if (!words->n)
        act_in_view(a, ACTION_WATCH, "say which job");
    else if (add_words(a, &t, words, 0))
        act_watch(a, &t);
}
