/* form_steps.c - add, remove and restore steps. */
#include "ui/form/form_steps.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/jobspec/jobfileedit.h"
#include "src/lang/lang.h"
#include "ui/form/form_change.h"

static bool has_steps(struct form_page *s)
{
    if (s->f.kind != JOB_KIND_STEPS)
        ui_toast(s->v.ui, ROLE_WARN, tr("only a job in steps has steps (F6 switches)"));
    return s->f.kind == JOB_KIND_STEPS;
}

/* To the command of a step. */
static void go_to_step(struct form_page *s, int step)
{
    vec_for_each (&s->rows, i)
        if (s->rows.v[i].field && s->rows.v[i].step == step && str_eq(s->rows.v[i].field->key, "command")) {
            form_page_go_to(s, i);
            return;
        }
}

void form_steps_add(struct form_page *s)
{
    if (!has_steps(s))
        return;
    size_t n = jobfile_count_steps(s->f.text.s);
    char *name = xasprintf("step%zu", n);
    jobfile_add_step(&s->f.text, name, "");
    free(name);
    form_change_text(s);
    go_to_step(s, (int)n);
}

/* --- taken out, and back --- */

static void dropped_fini(struct form_dropped *d)
{
    free(d->before);
    free(d->after);
}

void form_steps_forget(struct form_page *s)
{
    vec_for_each (&s->dropped, i)
        dropped_fini(&s->dropped.v[i]);
    vec_fini(&s->dropped);
}

static void say_dropped(struct form_page *s, const struct form_dropped *d)
{
    struct str key = STR_INIT;
    char *name = jobfile_get(d->before, d->step, "name");
    keymap_format(ui_keymap(s->v.ui), ACTION_FORM_UNDO, true, &key);
    if (!name)
        name = xasprintf("%d", d->step);
    ui_toast(s->v.ui, ROLE_WARN, tr("step %s removed%s%s%s"), name, key.len ? "; " : "", key.s,
             key.len ? tr(" restores it") : "");
    free(name);
    str_fini(&key);
}

void form_steps_drop(struct form_page *s)
{
    int step = form_page_row(s)->step;
    if (!has_steps(s))
        return;
    if (step < 0) {
        ui_toast(s->v.ui, ROLE_NORMAL, tr("the cursor is not on a step"));
        return;
    }
    if (jobfile_count_steps(s->f.text.s) < 2) {
        ui_toast(s->v.ui, ROLE_NORMAL, tr("it is the only step"));
        return;
    }
    struct form_dropped d = {.before = xstrdup(s->f.text.s), .step = step};
    jobfile_remove_step(&s->f.text, step);
    d.after = xstrdup(s->f.text.s);
    vec_push(&s->dropped, d);
    form_change_text(s);
    if ((size_t)step >= jobfile_count_steps(s->f.text.s)) /* it was the last one */
        go_to_step(s, step - 1);
    say_dropped(s, &d);
}

/* If the text has not changed since, the former text comes back, with its comments; else the step is
 * inserted. */
static void put_back(struct str *text, const struct form_dropped *d)
{
    if (str_eq(text->s, d->after)) {
        str_clear(text);
        str_append(text, d->before);
        return;
    }
    char *group = jobfile_get_step(d->before, d->step);
    if (group)
        jobfile_insert_step(text, d->step, group);
    free(group);
}

void form_steps_restore(struct form_page *s)
{
    if (!s->dropped.n) {
        ui_toast(s->v.ui, ROLE_NORMAL, tr("no step was removed"));
        return;
    }
    struct form_dropped d = s->dropped.v[--s->dropped.n];
    put_back(&s->f.text, &d);
    form_change_text(s);
    size_t n = jobfile_count_steps(s->f.text.s);
    go_to_step(s, (size_t)d.step < n ? d.step : (int)n - 1);
    dropped_fini(&d);
}
