/* form_default.c - what a field of the form means where it is not set. */
#include "ui/form/form_default.h"

#include <stdlib.h>

#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/form/form_command.h"
#include "ui/form/form_edit.h"

static void default_take_name(const struct form *f, struct str *out)
{
    char *name = form_default_name(f);
    str_append(out, name);
    free(name);
}

void form_default_text(const struct form_page *s, const struct form_field *field, struct str *out)
{
    const struct model *m = ui_model(s->v.ui);
    const struct part_spec *p = model_default_part(m);
    char b[UNITS_TEXT_SIZE];
    if (s->f.edit) {
        if (str_eq(field->key, "priority") && s->f.edit->priority)
            str_appendf(out, "%u", s->f.edit->priority);
        return;
    }
    if (str_eq(field->key, "partition") && p)
        str_append(out, p->name);
    else if (str_eq(field->key, "time") && p && p->default_time_s != DURATION_NOT_SET)
        str_append(out, duration_format(p->default_time_s, b));
    else if (str_eq(field->key, "chdir") || (str_eq(field->key, "workdir") && !field->of_step))
        str_append(out, s->f.dir ? s->f.dir : "");
    else if (str_eq(field->key, "cpus-per-task") || str_eq(field->key, "ntasks") ||
             str_eq(field->key, "nodes"))
        str_append(out, "1");
    else if (field->id == FORM_COMMAND && formcommand_lines(s->f.text.s) > 1)
        str_appendf(out, tr("%zu lines"), formcommand_lines(s->f.text.s));
    else if (field->id == FORM_COMMAND)
        str_append(out, tr("type a command"));
    else if (str_eq(field->key, "output") && s->f.kind != JOB_KIND_STEPS)
        str_append(out, "slurm-%j.out");
    else if (str_eq(field->key, "export"))
        str_append(out, "ALL");
    else if (str_eq(field->key, "job-name") || (str_eq(field->key, "name") && !field->of_step))
        default_take_name(&s->f, out);
    else if (field->kind == FIELD_SWITCH)
        str_append(out, "no");
}

void form_default_note(const struct form_page *s, const struct form_field *field, struct str *out)
{
    const struct model *m = ui_model(s->v.ui);
    const struct job_req *r = s->draft && s->draft->rc >= 0 ? &s->draft->m.req : NULL;
    const struct part_spec *p = !r             ? NULL
                                : r->partition ? model_get_part(m, r->partition)
                                               : model_default_part(m);
    unsigned unused = 0;
    if (!p || !str_eq(field->key, "gpus") || s->f.kind == JOB_KIND_STEPS)
        return;
    for (size_t i = 0; i < p->nodes.n; i++) {
        const struct node *n = model_get_node(m, p->nodes.v[i]);
        if (n && !ui_node_is_out(s->v.ui, n) &&
            (!req_detail(r)->gpu_type || str_ieq(req_detail(r)->gpu_type, n->gpu_type)))
            unused += n->gpus - cpuset_count(&n->gpus_used);
    }
    str_appendf(out, tr("%u free"), unused);
}
