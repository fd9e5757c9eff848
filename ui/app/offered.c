/* offered.c - which actions the footer and the menu offer now. */
#include "ui/app/offered.h"

#include "src/lang/lang.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/frame/engine.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"

static bool is_listed(const enum action *list, size_t n, enum action action)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == action)
            return true;
    return false;
}

#define IS_LISTED(list, action) is_listed(list, sizeof(list) / sizeof((list)[0]), action)

static bool offered_changes_node(enum action action)
{
    static const enum action list[] = {ACTION_DRAIN, ACTION_RESUME, ACTION_NODE_NOTE};
    return IS_LISTED(list, action);
}

static bool changes_something(enum action action)
{
    return (act_is_job_action(action) && action != ACTION_WATCH) || offered_changes_node(action) ||
           action == ACTION_FORM_SEND;
}

/* Without a row there is nothing to open, to read, to change or to copy. */
static bool acts_on_row(enum action action)
{
    static const enum action list[] = {
        ACTION_OPEN_JOB,   ACTION_OUTPUT,    ACTION_WHY,       ACTION_SHELL,       ACTION_DEPENDS,
        ACTION_OPEN_NODE,  ACTION_OPEN_PART, ACTION_OPEN_PAST, ACTION_PAST_OUTPUT, ACTION_OPEN_USER,
        ACTION_NODE_SHELL, ACTION_RESUBMIT,  ACTION_BIGGER,    ACTION_FAILED_ONLY, ACTION_COPY,
        ACTION_COPY_ALL,   ACTION_EXPORT,    ACTION_MARK,      ACTION_RANGE,       ACTION_MARK_ALL,
    };
    return act_is_job_action(action) || offered_changes_node(action) || IS_LISTED(list, action);
}

/* What the row under the cursor cannot have done to it; marked rows may be anything. */
static bool row_takes(const struct ui *ui, enum action action, const struct table *t)
{
    struct view *v = ui_view(ui);
    struct row_subject row = {0};
    if (v->ops->subject && !(t && list_n_marks(&t->list)))
        v->ops->subject(v, &row);
    const struct job *j = row.job;
    if (action == ACTION_RESUME && row.node && !row.node->drain)
        return false;
    if (!j)
        return !act_is_job_action(action) || !v->ops->subject || (t && list_n_marks(&t->list));
    if (act_is_job_action(action))
        return act_applies(ui, action, j);
    bool final = job_state_is_final((enum job_state)j->state);
    switch ((int)action) {
    case ACTION_SHELL:
        return j->state == JOB_RUNNING && j->kind != JOB_KIND_STEPS &&
               (ui_is_admin(ui) || j->uid == ui_uid(ui));
    case ACTION_BIGGER: return final || j->array_job;
    case ACTION_FAILED_ONLY: return j->array_job;
    default: return true;
    }
}

/* The view is about a running job of the user's. */
static bool offered_runs_own(const struct ui *ui)
{
    struct view *v = ui_view(ui);
    struct row_subject row = {0};
    if (v->ops->subject)
        v->ops->subject(v, &row);
    return row.job && row.job->state == JOB_RUNNING && (ui_is_admin(ui) || row.job->uid == ui_uid(ui));
}

static struct table *offered_table(const struct ui *ui)
{
    struct view *v = ui_view(ui);
    return v->ops->table ? v->ops->table(v) : NULL;
}

bool offered_first_job(const struct ui *ui)
{
    const struct table *t = offered_table(ui);
    return ui_view(ui)->ops->point_at && t && !t->rows.n && ui->session.online && !ui_why_read_only(ui);
}

bool offered(const struct ui *ui, enum action action)
{
    if (engine_why_not(ui, action))
        return false;
    const struct table *t = offered_table(ui);
    bool any_row = !t || t->shown.n || list_n_marks(&t->list);
    if (ui_why_read_only(ui) && changes_something(action))
        return false;
    if (offered_changes_node(action) && !ui_is_admin(ui))
        return false;
    if (acts_on_row(action) && !(any_row && row_takes(ui, action, t)))
        return false;
    if (action == ACTION_FILTER)
        return !t || t->rows.n || t->edit.text.len;
    bool is_empty = ui_has_data(ui) && !ui_model(ui)->jobs.n;
    if (action == ACTION_TRY_SAMPLES || action == ACTION_TRY_DEMO)
        return is_empty && !ui_engine(ui);
    if (action == ACTION_MINE)
        return !is_empty || ui_engine(ui);
    if (action == ACTION_MEASURE)
        return ui_engine(ui) && offered_runs_own(ui);
    if (action == ACTION_WHY_TRY)
        return ui_engine(ui);
    if (action == ACTION_UNMARK)
        return t && list_n_marks(&t->list);
    return true;
}

const char *offered_label(const struct ui *ui, enum action action)
{
    struct view *v = ui_view(ui);
    const char *own = v->ops->label ? v->ops->label(v, action) : NULL;
    if (action == ACTION_BACK && !stack_can_go_back(ui))
        own = tr("quit");
    if (!offered(ui, action))
        own = "";
    return own ? own : tr(action_info(action)->label);
}
