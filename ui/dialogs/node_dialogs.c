/* node_dialogs.c - actions on nodes: drain, resume, notes. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/frame/reversal.h"

#define LIST_MAX 12 /* lines of the list in a question */

enum node_action { RESUME, DRAIN, NOTE };

static const struct {
    const char *verb, *done;
} job_actions[] = {
    [RESUME] = {.verb = N_("resume"), .done = N_("resumed")},
    [DRAIN] = {.verb = N_("drain"), .done = N_("no new jobs start there")},
    [NOTE] = {.verb = N_("note"), .done = N_("noted")},
};

static void node_dialogs_answered(struct ui *ui, struct view *owner, uint64_t arg,
                                  const struct incoming *in)
{
    (void)owner;
    if (act_answered(ui, arg >> 8, tr(job_actions[arg & 0xff].verb), in))
        reversal_offer(ui, tr(job_actions[arg & 0xff].done));
}

static void drain_free(void *p)
{
    rec_fini(&msg_drain_rec, p);
    free(p);
}

/* Each node gets back what it had: its reason, or its place among those that take jobs. */
static void prepare_drain_back(struct ui *ui, const struct strv *names)
{
    reversal_begin(ui);
    for (size_t i = 0; i < names->n; i++) {
        const struct node *n = model_get_node(ui_model(ui), names->v[i]);
        if (n)
            reversal_add(ui, MSG_DRAIN,
                         &(struct msg_drain){.nodes = {.v = &names->v[i], .n = 1},
                                             .drain = n->drain,
                                             .reason = n->drain_reason});
    }
}

static void prepare_note_back(struct ui *ui, const struct strv *names)
{
    reversal_begin(ui);
    for (size_t i = 0; i < names->n; i++) {
        const struct node *n = model_get_node(ui_model(ui), names->v[i]);
        if (n)
            reversal_add(ui, MSG_NODE_NOTE,
                         &(struct msg_node_note){.nodes = {.v = &names->v[i], .n = 1}, .text = n->note});
    }
}

static void drain_confirmed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    struct msg_drain *msg = arg;
    if (outcome != DIALOG_YES)
        return;
    free(msg->reason);
    msg->reason = msg->drain ? xstrdup(dlg->edit.text.s) : NULL;
    prepare_drain_back(ui, &msg->nodes);
    act_ask(ui, ui_keep_dialog(ui), MSG_DRAIN, msg, node_dialogs_answered, msg->drain ? DRAIN : RESUME);
}

static void list_nodes(struct lines *l, const struct node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n && i < LIST_MAX; i++) {
        struct rich *r = lines_add(l);
        rich_add(r, ROLE_STRONG, nodes[i]->spec.name);
        if (nodes[i]->n_jobs)
            rich_addf(r, ROLE_NORMAL, trn("  %u job on it", "  %u jobs on it", nodes[i]->n_jobs),
                      nodes[i]->n_jobs);
        if (nodes[i]->drain)
            rich_addf(r, ROLE_WARN, "  %s",
                      nodes[i]->drain_reason ? nodes[i]->drain_reason : tr("no reason given"));
        if (nodes[i]->drain && nodes[i]->drain_user)
            rich_addf(r, ROLE_DIM, " (%s)", nodes[i]->drain_user);
        if (nodes[i]->note)
            rich_addf(r, ROLE_DIM, tr("  note: %s"), nodes[i]->note);
    }
    if (n > LIST_MAX)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), n - LIST_MAX);
}

static bool any_is_up(const struct node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (nodes[i]->state == NODE_UP)
            return true;
    return false;
}

static bool any_has_reason(const struct node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (nodes[i]->drain)
            return true;
    return false;
}

void act_on_nodes(struct ui *ui, bool drain, const struct node *const *nodes, size_t n, const char *reason)
{
    if (!n || ui_read_only(ui, true))
        return;
    struct msg_drain *msg = xcalloc(1, sizeof *msg);
    msg->drain = drain;
    for (size_t i = 0; i < n; i++)
        strv_push(&msg->nodes, nodes[i]->spec.name);
    char *names = hostlist_compress(&msg->nodes);
    struct str title = STR_INIT;
    str_appendf(&title, "%s %s", drain ? tr("drain") : tr("resume"), names);
    free(names);
    struct dialog *d = dialog_new(drain ? DIALOG_PROMPT : DIALOG_CONFIRM, title.s);
    d->needs = tr("give a reason: ");
    str_fini(&title);
    d->verb = xstrdup(drain ? tr("drain") : tr("resume"));
    edit_set(&d->edit, drain ? reason : "");
    d->danger = drain;
    list_nodes(&d->body.lines, nodes, n);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, "%s",
               drain                       ? tr("Running jobs finish, no new jobs start. Why?")
               : !any_has_reason(nodes, n) ? tr("New jobs start as soon as it answers again.")
               : any_is_up(nodes, n)
                   ? tr("New jobs start at once. Is the reason above resolved?")
                   : tr("New jobs start as soon as it answers again. Is the reason above resolved?"));
    ui_take_dialog(ui, d, drain_confirmed, msg, drain_free);
}

/* --- notes --- */

static void node_dialogs_note_free(void *p)
{
    rec_fini(&msg_node_note_rec, p);
    free(p);
}

static void note_typed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    struct msg_node_note *msg = arg;
    if (outcome != DIALOG_YES)
        return;
    xstrset(&msg->text, dlg->edit.text.s);
    prepare_note_back(ui, &msg->nodes);
    act_ask(ui, ui_keep_dialog(ui), MSG_NODE_NOTE, msg, node_dialogs_answered, NOTE);
}

void act_note_nodes(struct ui *ui, const struct node *const *nodes, size_t n, const char *text)
{
    if (!n || ui_read_only(ui, true))
        return;
    struct msg_node_note *msg = xcalloc(1, sizeof *msg);
    for (size_t i = 0; i < n; i++)
        strv_push(&msg->nodes, nodes[i]->spec.name);
    if (text) {
        msg->text = xstrdup(text);
        prepare_note_back(ui, &msg->nodes);
        act_ask(ui, 0, MSG_NODE_NOTE, msg, node_dialogs_answered, NOTE);
        node_dialogs_note_free(msg);
        return;
    }
    char *names = hostlist_compress(&msg->nodes), *title = xasprintf(tr("a note on %s"), names);
    struct dialog *d = dialog_new(DIALOG_PROMPT, title);
    free(names);
    free(title);
    d->verb = xstrdup(tr("save"));
    d->may_be_empty = true;
    edit_set(&d->edit, nodes[0]->note ? nodes[0]->note : "");
    list_nodes(&d->body.lines, nodes, n);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, tr("All users see the note; an empty text deletes it."));
    ui_take_dialog(ui, d, note_typed, msg, node_dialogs_note_free);
}
