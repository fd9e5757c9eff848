/* command_jobs.c - the commands on jobs. */
#include <string.h>

#include "src/jobspec/signame.h"
#include "src/lang/lang.h"
#include "ui/command/commands.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/form/form_view.h"
#include "ui/jobs/job_view.h"
#include "ui/jobs/why_view.h"
#include "ui/nodes/node_page.h"
#include "ui/output/output_view.h"

void complain(struct ui *ui, const char *what)
{
    ui_toast(ui, ROLE_ERROR, "%s", what);
}

void act_in_view(struct ui *ui, enum action action, const char *otherwise)
{
    struct view *v = ui_view(ui);
    struct input none = input_key(0);
    unsigned did = v->ops->act(v, action, &none);
    if (!(did & DID_HANDLE))
        complain(ui, otherwise);
}

static bool add_args(struct ui *ui, struct targets *t, const struct strv *args, size_t from)
{
    struct errtext err = {""};
    for (size_t i = from; i < args->n; i++)
        if (targets_add_arg(t, ui, args->v[i], &err) < 0) {
            complain(ui, err.s);
            targets_fini(t);
            return false;
        }
    return true;
}

static void act_on_args(struct ui *ui, enum action action, const struct strv *args)
{
    struct targets t = {0};
    if (!args->n)
        act_in_view(ui, action, tr("give a job: its number, or 12_3 for an array element"));
    else if (add_args(ui, &t, args, 0))
        submit_act_on_jobs(ui, action, &t);
}

void run_cancel(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    act_on_args(ui, ACTION_CANCEL, args);
}

void run_hold(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    act_on_args(ui, ACTION_HOLD, args);
}

void run_release(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    act_on_args(ui, ACTION_RELEASE, args);
}

void run_requeue(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    act_on_args(ui, ACTION_REQUEUE, args);
}

void run_signal(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    struct targets t = {0};
    if (!args->n) {
        act_in_view(ui, ACTION_SIGNAL, tr("give a signal and a job"));
        return;
    }
    const char *name = args->v[0] + (args->v[0][0] == '-');
    int number = signal_by_name(name);
    if (number <= 0)
        ui_toast(ui, ROLE_ERROR, tr("'%s' is not a signal"), name);
    else if (args->n == 1)
        complain(ui, tr("give the jobs; C sends a signal to the marked jobs"));
    else if (add_args(ui, &t, args, 1))
        act_signal(ui, number, &t);
}

void run_update(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    struct strv changes = {0}, jobs = {0};
    for (size_t i = 0; i < args->n; i++)
        strv_push(strchr(args->v[i], '=') ? &changes : &jobs, args->v[i]);
    struct targets t = {0};
    if (!changes.n)
        act_on_args(ui, ACTION_EDIT, &jobs);
    else if (!jobs.n)
        complain(ui, tr("give a job: :update 12 TimeLimit=2:00:00"));
    else if (add_args(ui, &t, &jobs, 0))
        act_update(ui, &changes, &t);
    strv_fini(&changes);
    strv_fini(&jobs);
}

static const struct job *job_of_arg(struct ui *ui, const char *word)
{
    struct targets t = {0};
    struct errtext err = {""};
    const struct job *j = NULL;
    if (targets_add_arg(&t, ui, word, &err) < 0) {
        complain(ui, err.s);
        return NULL;
    }
    const struct job_target *to = &t.v[0].to;
    j = to->array_index == ARRAY_NONE ? model_get_job(ui->m, to->job)
                                      : model_get_element(ui->m, to->job, to->array_index);
    if (!j)
        ui_toast(ui, ROLE_ERROR, tr("%s is several jobs: give one, for example 12_3"), word);
    targets_fini(&t);
    return j;
}

void run_show(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    const struct node *n = args->n ? model_get_node(ui->m, args->v[0]) : NULL;
    const struct job *j = n || !args->n ? NULL : job_of_arg(ui, args->v[0]);
    if (!args->n)
        complain(ui, tr("give a job or a node"));
    else if (n)
        ui_push(ui, &nodepage_view, n->spec.name);
    else if (j)
        ui_push(ui, &jobpage_view, &j->id);
}

void run_output(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    const struct job *j = args->n ? job_of_arg(ui, args->v[0]) : NULL;
    if (!args->n)
        act_in_view(ui, ACTION_OUTPUT, tr("give a job"));
    else if (j)
        output_open(ui, j);
}

void run_why(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    const struct job *j = args->n ? job_of_arg(ui, args->v[0]) : NULL;
    if (!args->n)
        act_in_view(ui, ACTION_WHY, tr("give a job"));
    else if (j)
        why_open(ui, j);
}

void run_watch(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    struct targets t = {0};
    if (!args->n)
        act_in_view(ui, ACTION_WATCH, tr("give a job"));
    else if (add_args(ui, &t, args, 0))
        act_watch(ui, &t);
}
