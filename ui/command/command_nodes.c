/* command_nodes.c - the commands on nodes. */
#include <string.h>

#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "ui/command/commands.h"
#include "ui/dialogs/job_dialogs.h"

struct named_nodes {
    VEC(const struct node *) nodes;
};

/* The nodes of a list such as n[01-04]; false, with a toast, if one does not exist. */
static bool find_nodes(struct ui *ui, const char *names, struct named_nodes *ret)
{
    struct strv list = {0};
    struct errtext err = {""};
    *ret = (struct named_nodes){VEC_INIT};
    if (hostlist_expand(names, &list, &err) < 0)
        complain(ui, err.s);
    for (size_t i = 0; i < list.n; i++) {
        const struct node *n = model_get_node(ui->m, list.v[i]);
        if (!n) {
            ui_toast(ui, ROLE_ERROR, tr("there is no node %s"), list.v[i]);
            vec_clear(&ret->nodes);
            break;
        }
        vec_push(&ret->nodes, n);
    }
    strv_fini(&list);
    if (!ret->nodes.n)
        vec_fini(&ret->nodes);
    return ret->nodes.n > 0;
}

static void on_nodes(struct ui *ui, bool drain, const char *names, const char *reason)
{
    struct named_nodes found;
    if (!find_nodes(ui, names, &found))
        return;
    act_on_nodes(ui, drain, found.nodes.v, found.nodes.n, reason);
    vec_fini(&found.nodes);
}

const char *behind(const struct strv *args, const char *rest)
{
    const char *text = strstr(rest, args->v[0]) + strlen(args->v[0]);
    return text + strspn(text, " ");
}

void run_drain(struct ui *ui, const struct strv *args, const char *rest)
{
    if (!args->n) {
        act_in_view(ui, ACTION_DRAIN, tr("give nodes and a reason: :drain n01 fan is loud"));
        return;
    }
    on_nodes(ui, true, args->v[0], behind(args, rest));
}

void run_resume(struct ui *ui, const struct strv *args, const char *rest)
{
    (void)rest;
    if (!args->n)
        act_in_view(ui, ACTION_RESUME, tr("give nodes"));
    else
        on_nodes(ui, false, args->v[0], "");
}

void run_note(struct ui *ui, const struct strv *args, const char *rest)
{
    struct named_nodes found;
    if (!args->n) {
        act_in_view(ui, ACTION_NODE_NOTE, tr("give nodes and a text: :note n01 new fan since June"));
        return;
    }
    if (!find_nodes(ui, args->v[0], &found))
        return;
    act_note_nodes(ui, found.nodes.v, found.nodes.n, args->n > 1 ? behind(args, rest) : NULL);
    vec_fini(&found.nodes);
}

bool nodes_are_there(struct ui *ui, const char *names)
{
    struct named_nodes found;
    if (str_ieq(names, WINDOW_ALL_NODES))
        return true;
    bool there = find_nodes(ui, names, &found);
    if (there)
        vec_fini(&found.nodes);
    return there;
}
