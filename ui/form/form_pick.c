/* form_pick.c - the values to choose from in the form: partitions, GPUs, jobs to wait for, indices. */
#include "ui/form/form_pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "ui/form/form_edit.h"
#include "ui/form/form_fit.h"
#include "ui/form/form_page.h"
#include "ui/info/node_free.h"

#define JOBS_MAX  500
#define FIND_FROM 9 /* items from which on one types to find one */

struct picking {
    struct view *v;
    form_take_fn *take;
    struct strv values; /* of the items */
    char *before;       /* what stands before the value: "afterok:" */
    char *adds_to;      /* a set-up, to which the line is added; NULL: the value takes the place of it */
};

static void picking_free(void *p)
{
    struct picking *k = p;
    strv_fini(&k->values);
    free(k->before);
    free(k->adds_to);
    free(k);
}

static void form_pick_picked(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)ui;
    const struct picking *k = arg;
    if (outcome != DIALOG_YES || dialog_choice(d) >= k->values.n)
        return;
    const char *chosen = k->values.v[dialog_choice(d)];
    char *value = k->adds_to ? formenvironments_add(k->adds_to, chosen)
                             : xasprintf("%s%s", k->before ? k->before : "", chosen);
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

/* ", fits now" if the job with that request fits in its first partition now; else "". */
static const char *fits_now(const struct form_page *s, const struct job_req *req)
{
    const struct model *m = ui_model(s->v.ui);
    struct strv names = strv_split(req->partition, ",");
    const struct part_spec *p = names.n ? model_get_part(m, names.v[0]) : model_default_part(m);
    struct form_fit fit;
    bool fits = false;
    strv_fini(&names);
    if (p) {
        formfit_look(&fit, m, p, req);
        fits = fit.fits && formfit_has_room_now(s->v.ui, &fit);
    }
    return fits ? tr(", fits now") : "";
}

/* The request as it is typed, of which a copy is changed; NULL: it is not one, or has pieces. */
static const struct job_req *typed_request(const struct form_page *s)
{
    bool steps = s->f.kind == JOB_KIND_STEPS || (s->f.edit && s->f.edit->steps);
    return s->draft && s->draft->rc >= 0 && !steps ? &s->draft->m.req : NULL;
}

static void offer_partitions(const struct form_page *s, struct dialog *d, struct picking *k)
{
    const struct model *m = ui_model(s->v.ui);
    struct job_req req = typed_request(s) ? *typed_request(s) : (struct job_req){0};
    struct str all = STR_INIT;
    for (size_t i = 0; i < m->spec.parts.n; i++) {
        const struct part_spec *p = &m->spec.parts.v[i];
        unsigned cpus = 0, gpus = 0;
        for (size_t n = 0; n < p->nodes.n; n++) {
            const struct node *node = model_get_node(m, p->nodes.v[n]);
            if (!node)
                continue;
            struct node_room has = node_free_of(s->v.ui, node);
            cpus += has.cpus;
            gpus += has.gpus;
        }
        req.partition = p->name;
        char *free_now = xasprintf(tr("%u CPUs and %u GPUs free%s"), cpus, gpus,
                                   p->is_default ? tr(", the default") : "");
        char *note = xasprintf("%s%s", free_now, typed_request(s) ? fits_now(s, &req) : "");
        free(free_now);
        offer(d, k, p->name, note);
        free(note);
        str_appendf(&all, "%s%s", i ? "," : "", p->name);
    }
    if (m->spec.parts.n > 1)
        offer(d, k, all.s, tr("wherever it starts first"));
    str_fini(&all);
}

static void offer_environments(struct dialog *d, struct picking *k)
{
    offer(d, k, "ALL", tr("as it is here"));
    offer(d, k, "NONE", tr("a clean login shell"));
}

/* The request with that number of GPUs of a type for the whole job. */
static const char *fits_with_gpus(const struct form_page *s, char *type, const char *count)
{
    struct job_req req;
    if (!typed_request(s) || !count)
        return "";
    req = *typed_request(s);
    struct job_req_detail detail = *req_detail(&req);
    req.gpus = (uint32_t)strtoul(count, NULL, 10);
    detail.gpu_type = type;
    req.detail = &detail;
    return fits_now(s, &req);
}

/* Offers 1, 2, 4 ... nodes, up to the number in the partition. */
static void offer_node_counts(const struct form_page *s, struct dialog *d, struct picking *k)
{
    const struct model *m = ui_model(s->v.ui);
    if (!typed_request(s))
        return;
    struct job_req req = *typed_request(s);
    struct strv names = strv_split(req.partition, ",");
    const struct part_spec *p = names.n ? model_get_part(m, names.v[0]) : model_default_part(m);
    strv_fini(&names);
    for (uint32_t n = 1; p && n <= p->nodes.n && n <= p->max_nodes; n *= 2) {
        char value[16];
        snprintf(value, sizeof value, "%u", n);
        req.nodes_min = req.nodes_max = n;
        char *note = xasprintf(tr("of %zu in %s%s"), p->nodes.n, p->name, fits_now(s, &req));
        offer(d, k, value, note);
        free(note);
    }
}

/* As many as are asked for now, or one, of each type. count: NULL for the types alone. */
static void offer_gpus(const struct form_page *s, struct dialog *d, struct picking *k, const char *count)
{
    const struct model *m = ui_model(s->v.ui);
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (!n->gpus)
            continue;
        unsigned all = 0, unused = 0;
        for (size_t q = 0; q < m->n_nodes; q++)
            if (str_eq(m->nodes[q]->gpu_type, n->gpu_type)) {
                all += m->nodes[q]->gpus;
                unused += node_free_of(s->v.ui, m->nodes[q]).gpus;
            }
        char *value = !n->gpu_type ? xstrdup(count ? count : "")
                      : count      ? xasprintf("%s:%s", n->gpu_type, count)
                                   : xstrdup(n->gpu_type);
        char *of_all = xasprintf(tr("%u free of %u"), unused, all);
        char *note = xasprintf("%s%s", of_all, fits_with_gpus(s, n->gpu_type, count));
        free(of_all);
        if (*value)
            offer(d, k, value, note);
        free(value);
        free(note);
    }
}

/* "2" of "a100:2" and of "2". */
static const char *gpu_count(const char *value)
{
    const char *colon = strrchr(value, ':');
    const char *count = colon ? colon + 1 : value;
    return *count && strspn(count, "0123456789") == strlen(count) ? count : "1";
}

/* --- accounts and QOS --- */

/* The name of the user of the screens, as jobs have it; NULL: the user has none. */
static const char *own_name(const struct ui *ui)
{
    const struct model *m = ui_model(ui);
    list_for_each (j, &m->all, struct job, in_all)
        if (j->uid == ui_uid(ui))
            return j->user;
    return getenv("LOGNAME");
}

/* Those that list the user; all of them for administrators, and where none does. */
static void pick_offer_accounts(const struct ui *ui, struct dialog *d, struct picking *k)
{
    const struct cluster_spec *spec = &ui_model(ui)->spec;
    const char *user = own_name(ui);
    for (int all = ui_is_admin(ui); all < 2 && !k->values.n; all++)
        for (size_t i = 0; i < spec->accounts.n; i++) {
            const struct account_spec *a = &spec->accounts.v[i];
            bool own = user && spec_account_lists(a, user);
            bool first = own && str_eq(a->name, spec_default_account(spec, user, NULL));
            if (own || all)
                offer(d, k, a->name, first ? tr("the default") : own ? "" : tr("not yours"));
        }
}

/* Those that the partition admits. */
static void offer_qos(const struct form_page *s, struct dialog *d, struct picking *k)
{
    const struct model *m = ui_model(s->v.ui);
    const struct form_field *field = form_find_field(&s->f, "partition");
    char *name = field ? form_get(&s->f, field, -1) : NULL;
    const struct part_spec *p = name ? model_get_part(m, name) : model_default_part(m);
    for (size_t i = 0; i < m->spec.qos.n; i++) {
        const char *qos = m->spec.qos.v[i].name;
        bool refused =
            p && (strv_has(&p->deny_qos, qos) || (p->allow_qos.n && !strv_has(&p->allow_qos, qos)));
        if (!refused)
            offer(d, k, qos, "");
    }
    free(name);
}

/* --- what can be loaded --- */

struct looking_for {
    struct form_environments found;
    char *dir;
    const struct form_field *field;
    form_take_fn *take;
};

static void looking_free(void *arg)
{
    struct looking_for *w = arg;
    formenvironments_fini(&w->found);
    free(w->dir);
    free(w);
}

static void look_for_environments(void *arg)
{
    struct looking_for *w = arg;
    formenvironments_list(&w->found, w->dir);
}

static void environments_found(struct ui *ui, struct view *owner, void *arg)
{
    struct looking_for *w = arg;
    struct form_page *s = form_page_of(owner);
    s->wants_environments = false;
    s->has_environments = true;
    formenvironments_fini(&s->environments);
    s->environments = w->found;
    w->found = (struct form_environments){0};
    if (form_page_row(s)->field == w->field && !s->on_script) /* else the user has gone on */
        form_pick_open(owner, w->field, s->edit.text.s, w->take);
    s->has_environments = s->environments.lines.n > 0;
    ui_changed(ui);
}

/* Asks in a thread, for `module` takes its time: once for each form, and again where nothing was found. */
static void ask_environments(struct form_page *s, const struct form_field *field, form_take_fn *take)
{
    if (s->wants_environments)
        return;
    struct looking_for *w = xcalloc(1, sizeof *w);
    const char *dir = s->draft && s->draft->rc >= 0 ? s->draft->m.req.workdir : s->f.dir;
    *w = (struct looking_for){.dir = dir ? xstrdup(dir) : NULL, .field = field, .take = take};
    s->wants_environments = true;
    ui_toast(s->v.ui, ROLE_NORMAL, tr("looking for modules and environments ..."));
    ui_aside(s->v.ui, &s->v, look_for_environments, environments_found, w, looking_free);
}

static void offer_environment_lines(const struct form_page *s, struct dialog *d, struct picking *k,
                                    const char *value)
{
    k->adds_to = xstrdup(value);
    for (size_t i = 0; i < s->environments.lines.n; i++) {
        strv_push(&k->values, s->environments.lines.v[i]);
        strv_push_take(&d->items,
                       *s->environments.notes.v[i]
                           ? xasprintf("%s  (%s)", s->environments.lines.v[i], s->environments.notes.v[i])
                           : xstrdup(s->environments.lines.v[i]));
    }
}

/* --- jobs, nodes --- */

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
        offer(d, k, m->nodes[i]->spec.name, node_is_out(m->nodes[i]) ? tr("offline") : "");
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
    struct dialog *d = dialog_new(DIALOG_PROMPT, tr("array"));
    lines_addf(&d->body.lines, ROLE_NORMAL, tr("First and last index; then, if you like, every how many,"));
    lines_addf(&d->body.lines, ROLE_NORMAL, tr("and how many at once:"));
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_DIM, tr("0 99        a hundred jobs"));
    lines_addf(&d->body.lines, ROLE_DIM, tr("0 99 1 8    eight of them at once"));
    lines_addf(&d->body.lines, ROLE_DIM, "0 100 10    0, 10, 20 ... 100");
    lines_addf(&d->body.lines, ROLE_DIM, tr("1,5,9       just these"));
    d->verb = xstrdup(tr("accept"));
    edit_set(&d->edit, value);
    ui_take_dialog(v->ui, d, array_typed, k, picking_free);
}

static void pick_offer_all(struct form_page *s, const struct form_field *field, const char *value,
                           struct dialog *d, struct picking *k)
{
    const struct model *m = ui_model(s->v.ui);
    if (str_eq(field->key, "partition"))
        offer_partitions(s, d, k);
    else if (str_eq(field->key, "gpus") && !field->quoted && field->kind == FIELD_TEXT)
        offer_gpus(s, d, k, gpu_count(value));
    else if (str_eq(field->key, "gpu_type"))
        offer_gpus(s, d, k, NULL);
    else if (str_eq(field->key, "nodes"))
        offer_node_counts(s, d, k);
    else if (str_eq(field->key, "dependency"))
        form_pick_offer_jobs(s->v.ui, d, k, value);
    else if (str_eq(field->key, "nodelist") || str_eq(field->key, "exclude"))
        offer_nodes(m, d, k);
    else if (str_eq(field->key, "constraint") || str_eq(field->key, "features"))
        offer_features(m, d, k);
    else if (str_eq(field->key, "qos"))
        offer_qos(s, d, k);
    else if (str_eq(field->key, "account"))
        pick_offer_accounts(s->v.ui, d, k);
    else if (str_eq(field->key, "time"))
        offer_words(d, k, "30:00 1:00:00 2:00:00 4:00:00 12:00:00 1-00:00:00 2-00:00:00 7-00:00:00");
    else if (str_eq(field->key, "export"))
        offer_environments(d, k);
    else if (str_eq(field->key, "mail-type"))
        offer_words(d, k, "END FAIL ALL BEGIN");
    else if (field->id == FORM_SETUP)
        offer_environment_lines(s, d, k, value);
    else if (field->choices)
        offer_words(d, k, field->choices);
}

bool form_pick_has_list(const struct form_field *field)
{
    static const char *const keys[] = {"partition", "dependency", "nodelist", "exclude", "constraint",
                                       "features",  "qos",        "account",  "time",    "export",
                                       "mail-type", "array",      "nodes",    "set-up",  "gpu_type"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (str_eq(field->key, keys[i]))
            return !field->of_step || i + 1 == sizeof keys / sizeof keys[0];
    return field->choices || (str_eq(field->key, "gpus") && field->kind == FIELD_TEXT);
}

void form_pick_open(struct view *v, const struct form_field *field, const char *value, form_take_fn *take)
{
    struct form_page *s = form_page_of(v);
    if (field->id == FORM_SETUP && !s->has_environments) {
        ask_environments(s, field, take);
        return;
    }
    struct picking *k = xcalloc(1, sizeof *k);
    *k = (struct picking){.v = v, .take = take};
    if (str_eq(field->key, "array")) {
        pick_array(v, k, value);
        return;
    }
    struct dialog *d = dialog_new(DIALOG_MENU, tr(field->label));
    pick_offer_all(s, field, value, d, k);
    if (k->values.n) {
        d->finds = k->values.n >= FIND_FROM;
        ui_take_dialog(v->ui, d, form_pick_picked, k, picking_free);
        return;
    }
    ui_toast(v->ui, ROLE_NORMAL, tr("there is nothing to choose from: type a value"));
    dialog_free(d);
    picking_free(k);
}
