/* nodeact.c - what is done to nodes: drain and resume. */
#include <stdlib.h>

#include "src/base/hostlist.h"
#include "src/base/xalloc.h"
#include "ui/view/act.h"

#define LIST_MAX 12 /* lines of the list in a question */

static void drain_answered(struct ui *ui, struct view *owner, uint64_t drain, const struct incoming *in)
{
    (void)owner;
    const struct msg_result *r = in ? in->body : NULL;
    const char *verb = drain ? "drain" : "resume";
    if (!in)
        ui_toast(ui, ROLE_ERROR, "%s: the connection was lost, look whether it was done", verb);
    else if (in->kind == MSG_RESULT && r->refusal)
        act_show_refusal(ui, verb, r);
    else
        ui_toast(ui, ROLE_GOOD, drain ? "drained" : "resumed");
}

static void drain_free(void *p)
{
    rec_fini(&msg_drain_rec, p);
    free(p);
}

static void drain_confirmed(struct ui *ui, struct dialog *dlg, enum dialog_outcome outcome, void *arg)
{
    struct msg_drain *msg = arg;
    if (outcome != DIALOG_YES)
        return;
    if (msg->drain)
        msg->reason = xstrdup(dlg->edit.text.s);
    ui_send(ui, MSG_DRAIN, msg, NULL, drain_answered, msg->drain);
}

static void list_nodes(struct lines *l, const struct node *const *nodes, size_t n)
{
    for (size_t i = 0; i < n && i < LIST_MAX; i++) {
        struct rich *r = lines_add(l);
        rich_add(r, ROLE_STRONG, nodes[i]->spec.name);
        if (nodes[i]->n_jobs)
            rich_addf(r, ROLE_NORMAL, "  %u %s on it", nodes[i]->n_jobs,
                      nodes[i]->n_jobs == 1 ? "job" : "jobs");
        if (nodes[i]->drain)
            rich_addf(r, ROLE_WARN, "  %s",
                      nodes[i]->drain_reason ? nodes[i]->drain_reason : "no reason given");
        if (nodes[i]->drain && nodes[i]->drain_user)
            rich_addf(r, ROLE_DIM, " (%s)", nodes[i]->drain_user);
    }
    if (n > LIST_MAX)
        lines_addf(l, ROLE_DIM, "and %zu more", n - LIST_MAX);
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
    str_appendf(&title, "%s %s", drain ? "drain" : "resume", names);
    free(names);
    struct dialog *d = dialog_new(drain ? DIALOG_PROMPT : DIALOG_CONFIRM, title.s);
    str_fini(&title);
    d->verb = xstrdup(drain ? "drain" : "resume");
    edit_set(&d->edit, drain ? reason : "");
    d->danger = drain;
    list_nodes(&d->body.lines, nodes, n);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM,
               drain ? "Running jobs go on to their end, no new ones start. Why?"
                     : "It takes jobs again at once. Is the reason above settled?");
    ui_take_dialog(ui, d, drain_confirmed, msg, drain_free);
}
