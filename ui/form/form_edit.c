/* form_edit.c - the request of a job that is in the queue, as fields. */
#include "ui/form/form_edit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "ui/dialogs/change_back.h"

static size_t edit_index(const struct form_field *field)
{
    return (size_t)(field - form_edit_fields);
}

static const struct job_attr *edit_attr(const struct form_field *field)
{
    return job_attr_get(field->id);
}

struct form_edit *formedit_new(const struct ui *ui, const struct job *j, const struct job_target *to,
                               const char *label)
{
    struct form_edit *e = xcalloc(1, sizeof *e);
    *e = (struct form_edit){.target = *to,
                            .label = xstrdup(label),
                            .waits = j->state == JOB_PENDING,
                            .array = j->array_job && to->array_index == ARRAY_NONE,
                            .steps = j->kind == JOB_KIND_STEPS,
                            .admin = ui_is_admin(ui)};
    rec_copy(&job_req_rec, &e->req, &j->req);
    for (size_t i = 0; i < form_n_edit_fields; i++) {
        char *text = change_value(ui, j, edit_attr(&form_edit_fields[i]));
        strv_push(&e->old, text);
        strv_push_take(&e->now, text);
    }
    return e;
}

struct form_edit *formedit_copy(const struct form_edit *e)
{
    struct form_edit *c = xmemdup(e, sizeof *e);
    c->label = xstrdup(e->label);
    c->req = (struct job_req){0};
    rec_copy(&job_req_rec, &c->req, &e->req);
    c->old = strv_copy(&e->old);
    c->now = strv_copy(&e->now);
    return c;
}

void formedit_free(struct form_edit *e)
{
    if (!e)
        return;
    free(e->label);
    rec_fini(&job_req_rec, &e->req);
    strv_fini(&e->old);
    strv_fini(&e->now);
    free(e);
}

/* --- fields --- */

bool formedit_shows(const struct form_edit *e, const struct form_field *field)
{
    static const int of_one_piece[] = {ATTR_GPUS,  ATTR_GPUS_PER_NODE, ATTR_CPUS_PER_TASK, ATTR_MEM,
                                       ATTR_NODES, ATTR_NTASKS,        ATTR_TIME_MIN};
    const struct job_attr *a = edit_attr(field);
    for (size_t i = 0; e->steps && i < sizeof of_one_piece / sizeof of_one_piece[0]; i++)
        if (field->id == of_one_piece[i])
            return false;
    if (field->id == (int)ATTR_ARRAY_THROTTLE && !e->array)
        return false;
    if (field->id == (int)ATTR_PRIORITY && !e->admin)
        return false;
    return e->waits || a->always;
}

const char *formedit_value(const struct form_edit *e, const struct form_field *field)
{
    return e->now.v[edit_index(field)];
}

const char *formedit_old(const struct form_edit *e, const struct form_field *field)
{
    return e->old.v[edit_index(field)];
}

void formedit_set(struct form_edit *e, const struct form_field *field, const char *value)
{
    xstrset(&e->now.v[edit_index(field)], value ? value : "");
}

bool formedit_is_changed(const struct form_edit *e, const struct form_field *field)
{
    return !str_eq(formedit_value(e, field), formedit_old(e, field));
}

size_t formedit_n_changed(const struct form_edit *e)
{
    size_t n = 0;
    for (size_t i = 0; i < form_n_edit_fields; i++)
        n += formedit_is_changed(e, &form_edit_fields[i]);
    return n;
}

/* --- changes --- */

static void push_change(struct strv *ret, const struct form_field *field, const char *value)
{
    char b[UNITS_TEXT_SIZE];
    const char *key = edit_attr(field)->update;
    strv_push_take(
        ret, xasprintf("%.*s=%s", (int)strcspn(key, " "), key, change_sent(edit_attr(field), value, b)));
}

void formedit_changes(const struct form_edit *e, struct strv *ret)
{
    for (size_t i = 0; i < form_n_edit_fields; i++)
        if (formedit_is_changed(e, &form_edit_fields[i]))
            push_change(ret, &form_edit_fields[i], e->now.v[i]);
}

bool formedit_changes_back(const struct form_edit *e, struct wall now, struct strv *ret)
{
    bool can = true;
    for (size_t i = 0; i < form_n_edit_fields && can; i++)
        can = !formedit_is_changed(e, &form_edit_fields[i]) ||
              change_add_back(edit_attr(&form_edit_fields[i]), &e->req, e->old.v[i], now, ret);
    return can;
}

void formedit_request(const struct form_edit *e, struct wall now, struct job_req *ret,
                      struct form_hints *hints)
{
    char b[UNITS_TEXT_SIZE];
    *ret = (struct job_req){0};
    rec_copy(&job_req_rec, ret, &e->req);
    for (size_t i = 0; i < form_n_edit_fields; i++) {
        const struct form_field *field = &form_edit_fields[i];
        struct errtext err = {""};
        if (formedit_is_changed(e, field) &&
            job_attr_set(edit_attr(field), ret, change_sent(edit_attr(field), e->now.v[i], b), now, &err) <
                0)
            vec_push(hints,
                     (struct form_hint){
                         .field = field, .step = -1, .kind = HINT_ERROR, .text = form_one_line(err.s)});
    }
}
