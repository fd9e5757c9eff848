/* form_pick.c - the values to choose from in the form: partitions, GPUs, jobs to wait for, indices. */
#include "ui/form/form_pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/text/jobtext.h"

#define JOBS_MAX 500

struct picking {
    struct view *v;
    form_take_fn *take;
    struct strv values; /* of the items */
    char *before;       /* what stands before the value: "afterok:" */
};

static void picking_free(void *p)
{
    struct picking *k = p;
    strv_fini(&k->values);
    free(k->before);
    free(k);
}

static void form_pick_picked(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)ui;
    const struct picking *k = arg;
    if (outcome != DIALOG_YES || !k->values.n)
        return;
    char *value = xasprintf("%s%s", k->before ? k->before : "", k->values.v[dialog_choice(d)]);
    k->take(k->v, value);
    free(value);
}

static void offer(struct dialog *d, struct picking *k, const char *value, const char *note)
{
    if (strv_has(&k->values, value))
        return;
    strv_push(&k->values, value);
    strv_push_take(&d->items, *note ? xasprintf("%-14s %s", value, note) : xstrdup(value));
}

/* --- lists --- */

static void offer_partitions(const struct model *m, struct dialog *d, struct picking *k)
{
    struct str all = STR_INIT;
    for (size_t i = 0; i < m->spec.parts.n; i++) {
        const struct part_spec *p = &m->spec.parts.v[i];
        unsigned cpus = 0, gpus = 0;
        for (size_t n = 0; n < p->nodes.n; n++) {
            const struct node *node = model_get_node(m, p->nodes.v[n]);
            if (!node || node_is_out(node))
                continue;
            cpus += node->cpus - cpuset_count(&node->cpus_used);
            gpus += node->gpus - cpuset_count(&node->gpus_used);
        }
        char *note =
            xasprintf("%u CPUs and %u GPUs free%s", cpus, gpus, p->is_default ? ", the default" : "");
        offer(d, k, p->name, note);
        free(note);
        str_appendf(&all, "%s%s", i ? "," : "", p->name);
    }
    if (m->spec.parts.n > 1)
        offer(d, k, all.s, "wherever it starts first");
    str_fini(&all);
}

static void offer_environments(struct dialog *d, struct picking *k)
{
    offer(d, k, "ALL", "as it is here");
    offer(d, k, "NONE", "a clean login shell");
}

static void offer_gpus(const struct model *m, struct dialog *d, struct picking *k)
{
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (!n->gpus)
            continue;
        unsigned all = 0, unused = 0;
        for (size_t q = 0; q < m->n_nodes; q++)
            if (str_eq(m->nodes[q]->gpu_type, n->gpu_type)) {
                all += m->nodes[q]->gpus;
                unused += node_is_out(m->nodes[q])
                              ? 0
                              : m->nodes[q]->gpus - cpuset_count(&m->nodes[q]->gpus_used);
            }
        char *value = n->gpu_type ? xasprintf("%s:1", n->gpu_type) : xstrdup("1");
        char *note = xasprintf("%u free of %u", unused, all);
        offer(d, k, value, note);
        free(value);
        free(note);
    }
}

static void form_pick_offer_job(const struct ui *ui, struct dialog *d, struct picking *k,
                                const struct job *j)
{
    struct str note = STR_INIT;
    char id[16];
    snprintf(id, sizeof id, "%u", j->array_job ? j->array_job : j->id);
    if (j->uid != ui_uid(ui) || k->values.n >= JOBS_MAX)
        return;
    str_appendf(&note, "%s, %s", j->req.name ? j->req.name : "", job_state_word((enum job_state)j->state));
    offer(d, k, id, note.s);
    str_fini(&note);
}

static void form_pick_offer_jobs(const struct ui *ui, struct dialog *d, struct picking *k,
                                 const char *value)
{
    list_for_each (r, &ui_model(ui)->active, struct job, in_queue)
        form_pick_offer_job(ui, d, k, r);
    list_for_each (p, &ui_model(ui)->pending, struct job, in_queue)
        form_pick_offer_job(ui, d, k, p);
    bool more = !str_is_empty(value) && strchr("0123456789", value[strlen(value) - 1]);
    k->before = more                  ? xasprintf("%s:", value) /* one more of the same kind */
                : str_is_empty(value) ? xstrdup("afterok:")
                                      : xasprintf("%s,afterok:", value);
}

static void offer_nodes(const struct model *m, struct dialog *d, struct picking *k)
{
    for (size_t i = 0; i < m->n_nodes; i++)
        offer(d, k, m->nodes[i]->spec.name, node_is_out(m->nodes[i]) ? "offline" : "");
}

static void offer_features(const struct model *m, struct dialog *d, struct picking *k)
{
    for (size_t i = 0; i < m->n_nodes; i++)
        for (size_t q = 0; q < m->nodes[i]->spec.features.n; q++)
            offer(d, k, m->nodes[i]->spec.features.v[q], "");
}

static void offer_words(struct dialog *d, struct picking *k, const char *words)
{
    struct strv list = strv_split(words, " ");
    for (size_t i = 0; i < list.n; i++)
        offer(d, k, list.v[i], "");
    strv_fini(&list);
}

/* --- the indices of an array --- */

static void array_typed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)ui;
    const struct picking *k = arg;
    unsigned first = 0, last = 0, step = 1, at_once = 0;
    if (outcome != DIALOG_YES)
        return;
    int n = sscanf(d->edit.text.s, "%u %u %u %u", &first, &last, &step, &at_once);
    struct str s = STR_INIT;
    if (n < 2) {
        str_append(&s, d->edit.text.s);
    } else {
        str_appendf(&s, "%u-%u", first, last);
        if (n > 2 && step > 1)
            str_appendf(&s, ":%u", step);
        if (n > 3 && at_once)
            str_appendf(&s, "%%%u", at_once);
    }
    k->take(k->v, s.s);
    str_fini(&s);
}

static void pick_array(struct view *v, struct picking *k, const char *value)
{
    struct dialog *d = dialog_new(DIALOG_PROMPT, "array");
    lines_addf(&d->body.lines, ROLE_NORMAL, "First and last index; then, if you like, every how many,");
    lines_addf(&d->body.lines, ROLE_NORMAL, "and how many at once:");
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, "0 99        a hundred jobs");
    lines_addf(&d->body.lines, ROLE_DIM, "0 99 1 8    eight of them at once");
    lines_addf(&d->body.lines, ROLE_DIM, "0 100 10    0, 10, 20 ... 100");
    lines_addf(&d->body.lines, ROLE_DIM, "1,5,9       just these");
    d->verb = xstrdup("accept");
    edit_set(&d->edit, value);
    ui_take_dialog(v->ui, d, array_typed, k, picking_free);
}

bool form_pick_has_list(const struct form_field *field)
{
    static const char *const keys[] = {"partition", "dependency", "nodelist", "exclude", "constraint",
                                       "features",  "qos",        "account",  "time",    "export",
                                       "mail-type", "array",      "set-up",   "gpu_type"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (str_eq(field->key, keys[i]))
            return !field->of_step || i + 1 == sizeof keys / sizeof keys[0];
    return field->choices || (str_eq(field->key, "gpus") && field->kind == FIELD_TEXT);
}

void form_pick_open(struct view *v, const struct form_field *field, const char *value, form_take_fn *take)
{
    const struct model *m = ui_model(v->ui);
    struct picking *k = xcalloc(1, sizeof *k);
    *k = (struct picking){.v = v, .take = take};
    if (str_eq(field->key, "array")) {
        pick_array(v, k, value);
        return;
    }
    struct dialog *d = dialog_new(DIALOG_MENU, field->label);
    if (str_eq(field->key, "partition"))
        offer_partitions(m, d, k);
    else if (str_eq(field->key, "gpus") && !field->quoted && field->kind == FIELD_TEXT)
        offer_gpus(m, d, k);
    else if (str_eq(field->key, "dependency"))
        form_pick_offer_jobs(v->ui, d, k, value);
    else if (str_eq(field->key, "nodelist") || str_eq(field->key, "exclude"))
        offer_nodes(m, d, k);
    else if (str_eq(field->key, "constraint") || str_eq(field->key, "features"))
        offer_features(m, d, k);
    else if (str_eq(field->key, "qos"))
        for (size_t i = 0; i < m->spec.qos.n; i++)
            offer(d, k, m->spec.qos.v[i].name, "");
    else if (str_eq(field->key, "account"))
        for (size_t i = 0; i < m->spec.accounts.n; i++)
            offer(d, k, m->spec.accounts.v[i].name, "");
    else if (str_eq(field->key, "time"))
        offer_words(d, k, "30:00 1:00:00 2:00:00 4:00:00 12:00:00 1-00:00:00 2-00:00:00 7-00:00:00");
    else if (str_eq(field->key, "export"))
        offer_environments(d, k);
    else if (str_eq(field->key, "mail-type"))
        offer_words(d, k, "END FAIL ALL BEGIN");
    else if (field->choices)
        offer_words(d, k, field->choices);
    if (k->values.n) {
        ui_take_dialog(v->ui, d, form_pick_picked, k, picking_free);
        return;
    }
    ui_toast(v->ui, ROLE_NORMAL, "there is nothing to choose from: type a value");
    dialog_free(d);
    picking_free(k);
}
