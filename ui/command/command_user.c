/* command_user.c - the commands of ui.cfg. */
#include "ui/command/command_user.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/background.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"

/* What is asked about before it is run: ui.cfg may be read again meanwhile. */
struct user_run {
    char *name, *text;
    enum user_run_in in;
    struct strv env;
};

static void user_run_free(void *arg)
{
    struct user_run *r = arg;
    free(r->name);
    free(r->text);
    strv_fini(&r->env);
    free(r);
}

/* Output in a pager: the command's own text is an argument, so that it cannot end the pipe. */
static void run_in_front(struct ui *ui, const struct user_run *r)
{
    struct strv argv = {0};
    strv_push(&argv, "env");
    for (size_t i = 0; i < r->env.n; i++)
        strv_push(&argv, r->env.v[i]);
    strv_push(&argv, "sh");
    strv_push(&argv, "-c");
    if (r->in == USER_IN_PAGER)
        strv_push(&argv, "sh -c \"$0\" 2>&1 | ${PAGER:-less -R}");
    strv_push(&argv, r->text);
    ui_run(ui, r->name, &argv);
}

static void user_run_now(struct ui *ui, struct user_run *r)
{
    if (r->in == USER_IN_BACKGROUND)
        ui_background(ui, r->name, r->text, &r->env, true);
    else
        run_in_front(ui, r);
}

static void user_run_answered(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    if (outcome == DIALOG_YES)
        user_run_now(ui, arg);
}

static void user_run_ask(struct ui *ui, struct user_run *r)
{
    struct dialog *d = dialog_new(DIALOG_CONFIRM, r->name);
    lines_addf(&d->body.lines, ROLE_NORMAL, "%s", r->text);
    for (size_t i = 0; i < r->env.n; i++)
        lines_addf(&d->body.lines, ROLE_DIM, "%s", r->env.v[i]);
    d->verb = xstrdup(tr("run it"));
    ui_take_dialog(ui, d, user_run_answered, r, user_run_free);
}

/* What the row under the cursor lacks of that, or NULL. */
static const char *user_row_lacks(unsigned needs, const struct row_subject *row)
{
    unsigned of_job = 1u << ROW_JOB | 1u << ROW_NAME | 1u << ROW_USER | 1u << ROW_STATE | 1u << ROW_PATH;
    if (needs & of_job && !row->job)
        return tr("there is no job under the cursor");
    if (needs & 1u << ROW_NODE && !row->node && !(row->job && row->job->alloc.n))
        return row->job ? tr("the job has no node") : tr("there is no node under the cursor");
    return NULL;
}

static struct row_subject user_row(const struct ui *ui)
{
    struct view *v = ui_view(ui);
    struct row_subject row = {0};
    if (v->ops->subject)
        v->ops->subject(v, &row);
    return row;
}

bool command_user_applies(const struct ui *ui, const struct user_command *c)
{
    struct row_subject row = user_row(ui);
    return !user_row_lacks(user_command_needs(c->run), &row) && (c->reads_only || !ui_why_read_only(ui));
}

void command_user_run(struct ui *ui, const struct user_command *c)
{
    struct row_subject row = user_row(ui);
    const char *lacks = user_row_lacks(user_command_needs(c->run), &row);
    if (lacks) {
        ui_toast(ui, ROLE_WARN, "%s: %s", c->name, lacks);
        return;
    }
    if (!c->reads_only && ui_read_only(ui, true))
        return;
    struct user_run *r = xcalloc(1, sizeof *r);
    *r = (struct user_run){.name = xstrdup(c->name),
                           .text = user_command_shell(c->run),
                           .in = c->in,
                           .env = row_variables(row.job, row.node)};
    if (c->confirm) {
        user_run_ask(ui, r);
        return;
    }
    user_run_now(ui, r);
    user_run_free(r);
}

bool command_user_key(struct ui *ui, uint32_t key)
{
    const struct user_command *c = user_command_of_key(ui->o.commands, key);
    if (c)
        command_user_run(ui, c);
    return c != NULL;
}
