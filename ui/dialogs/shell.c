/* shell.c - a shell in an allocation or on a node. */
#include "ui/dialogs/shell.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/client/client_slurm.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "ui/frame/engine.h"

static const char *own_shell(void)
{
    const char *shell = getenv("SHELL");
    return str_is_empty(shell) ? "/bin/sh" : shell;
}

/* Over a Slurm its own srun, though Stoker's may stand before it in PATH. Caller frees; NULL: not here. */
static char *shell_srun(const struct ui *ui)
{
    struct slurm_place place;
    if (!ui_engine(ui))
        return xstrdup("srun");
    if (ui_far_env(ui) || !slurm_place_find(&place))
        return NULL;
    char *path = xasprintf("%s/srun", place.commands);
    slurm_place_fini(&place);
    return path;
}

void shell_in_job(struct ui *ui, const struct job *j)
{
    struct strv argv = {0};
    if (ui_read_only(ui, true))
        return;
    if (j->uid != ui_uid(ui) && !ui_is_admin(ui)) {
        ui_toast(ui, ROLE_WARN, tr("only the owner can open a shell in the job: %s"),
                 j->user ? j->user : tr("another user"));
        return;
    }
    if (j->state != JOB_RUNNING) {
        ui_toast(ui, ROLE_WARN, tr("a shell needs a running job"));
        return;
    }
    if (j->kind == JOB_KIND_STEPS) {
        ui_toast(ui, ROLE_WARN,
                 tr("a job in steps has no allocation of its own: on the nodes screen, A opens a shell on "
                    "a node"));
        return;
    }
    char *srun = shell_srun(ui);
    if (!srun) {
        ui_toast(ui, ROLE_WARN, tr("Slurm's srun is not on this machine"));
        return;
    }
    strv_push_take(&argv, srun);
    strv_push_take(&argv, xasprintf("--jobid=%u", j->id));
    strv_push(&argv, "--overlap");
    strv_push(&argv, "--nodes=1");
    strv_push(&argv, "--ntasks=1");
    strv_push(&argv, "--pty");
    strv_push(&argv, own_shell());
    struct str where = STR_INIT;
    struct str id = STR_INIT, nodes = STR_INIT;
    jobtext_id(&id, j, BITSTR_LEN_DEFAULT);
    jobtext_nodes(&nodes, j);
    str_appendf(&where, tr("A shell in job %s on %s; exit returns to the screens."), id.s, nodes.s);
    str_fini(&id);
    str_fini(&nodes);
    ui_run(ui, where.s, &argv);
    str_fini(&where);
    strv_fini(&argv);
}

void shell_on_node(struct ui *ui, const struct node *n)
{
    struct strv argv = {0};
    bool here = !n->spec.address || str_eq(n->spec.transport, "local");
    if (here) {
        strv_push(&argv, own_shell());
    } else {
        strv_push(&argv, "ssh");
        if (n->spec.port && n->spec.port != 22)
            strv_push_take(&argv, xasprintf("-p%u", n->spec.port));
        strv_push(&argv, "--");
        strv_push(&argv, n->spec.address);
    }
    char *where = xasprintf(tr("A shell on %s; exit returns to the screens."), n->spec.name);
    ui_run(ui, where, &argv);
    free(where);
    strv_fini(&argv);
}
