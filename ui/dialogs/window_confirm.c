/* window_confirm.c - asks before a window is created, and lists the affected jobs: a pasted line must not
 * take nodes away from their users. */
#include "ui/dialogs/window_confirm.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"
#include "src/values/hostlist.h"
#include "ui/text/view_text.h"

#define JOBS_MAX 8 /* lines of jobs */

struct asking {
    struct window w;
    windowask_yes_fn *yes;
    void *arg;
    void (*free_arg)(void *);
};

static void asking_free(void *p)
{
    struct asking *a = p;
    rec_fini(&window_rec, &a->w);
    if (a->free_arg)
        a->free_arg(a->arg);
    free(a);
}

static void window_confirm_answered(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    const struct asking *a = arg;
    if (outcome == DIALOG_YES)
        a->yes(ui, &a->w, a->arg);
}

/* --- what it touches --- */

/* Every node: NULL. */
static struct strv *window_confirm_expand_nodes(const struct window *w, struct strv *ret)
{
    for (size_t i = 0; i < w->nodes.n; i++) {
        struct errtext err;
        if (str_ieq(w->nodes.v[i], WINDOW_ALL_NODES))
            return NULL;
        if (hostlist_expand(w->nodes.v[i], ret, &err) < 0) /* the controller will say so */
            continue;
    }
    return ret;
}

static bool is_there(const struct strv *nodes, const struct alloc *a)
{
    return a->node && (!nodes || strv_has(nodes, a->node));
}

static bool runs_there(const struct job *j, const struct strv *nodes)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        if (is_there(nodes, &j->alloc.v[i]))
            return true;
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (task_is_live(&j->steps.v[i].tasks.v[k]) && is_there(nodes, &j->steps.v[i].tasks.v[k].alloc))
                return true;
    return false;
}

void windowask_lines(struct lines *l, const struct ui *ui, const struct window *w)
{
    const struct model *m = ui_model(ui);
    struct strv list = {0}, *nodes = window_confirm_expand_nodes(w, &list);
    size_t n = 0;
    list_for_each (j, &m->active, struct job, in_queue) {
        struct wall end = job_end_time(j, m);
        if (!runs_there(j, nodes) || (wall_is_set(end) && end.ms <= w->start.ms))
            continue;
        if (n++ >= JOBS_MAX)
            continue;
        struct rich *r = lines_add(l);
        rich_sign(r, ROLE_RUNNING, 'R');
        str_append_char(&r->text, ' ');
        jobtext_id(&r->text, j, BITSTR_LEN_DEFAULT);
        rich_role(r, ROLE_STRONG);
        rich_addf(r, ROLE_NORMAL, " %s  %s", j->req.name ? j->req.name : "", j->user ? j->user : "");
        str_append(&r->text, wall_is_set(end) ? tr("  until ") : tr("  without a time limit"));
        if (wall_is_set(end))
            when_about(&r->text, end, ui_now(ui));
        rich_role(r, ROLE_DIM);
    }
    if (n > JOBS_MAX)
        lines_addf(l, ROLE_DIM, tr("and %zu more"), n - JOBS_MAX);
    if (n)
        lines_addf(l, ROLE_DIM,
                   trn("%zu job runs there and may still run when the window begins: it continues.",
                       "%zu jobs run there and may still run when the window begins: they continue.", n),
                   n);
    else
        lines_addf(l, ROLE_DIM, tr("No job on these nodes would still run when the window begins."));
    strv_fini(&list);
}

void windowask(struct ui *ui, const struct window *w, windowask_yes_fn *yes, void *take_arg,
               void (*free_arg)(void *))
{
    struct asking *a = xcalloc(1, sizeof *a);
    *a = (struct asking){.yes = yes, .arg = take_arg, .free_arg = free_arg};
    rec_copy(&window_rec, &a->w, w);
    char *nodes = hostlist_compress(&w->nodes), *title = xasprintf(tr("create a window on %s"), nodes);
    struct dialog *d = dialog_new(DIALOG_CONFIRM, title);
    struct rich *r = lines_add(&d->body.lines);
    struct str from = STR_INIT, to = STR_INIT;
    when_text(&from, w->start, ui_now(ui));
    when_text(&to, w->end, ui_now(ui));
    rich_addf(r, ROLE_STRONG, tr("from %s to %s"), from.s, to.s);
    if (!str_is_empty(w->reason))
        rich_addf(r, ROLE_NORMAL, ": %s", w->reason);
    lines_add(&d->body.lines);
    windowask_lines(&d->body.lines, ui, w);
    d->verb = xstrdup(tr("create"));
    d->danger = true;
    ui_take_dialog(ui, d, window_confirm_answered, a, asking_free);
    str_fini(&from);
    str_fini(&to);
    free(nodes);
    free(title);
}
