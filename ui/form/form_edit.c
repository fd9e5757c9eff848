/* form_edit.c - the request of a job that is in the queue, as fields. */
#include "ui/form/form_edit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/text/jobtext.h"

static size_t edit_index(const struct form_field *field)
{
    return (size_t)(field - form_edit_fields);
}

static const struct job_attr *edit_attr(const struct form_field *field)
{
    return job_attr_get(field->id);
}

/* --- what a job has --- */

static char *edit_text(const struct ui *ui, const struct job *j, const struct form_field *field)
{
    struct str s = STR_INIT;
    if (field->id == (int)ATTR_TIME)
        jobtext_limit(&s, j, ui_model(ui));
    else if (field->id == (int)ATTR_PARTITION && !j->req.partition)
        str_append(&s, j->partition ? j->partition : "");
    else if (field->id == (int)ATTR_LOST_NODE)
        str_append(&s, req_rare(&j->req)->lost_node < LOST_N
                           ? lost_node_text((enum lost_node)req_rare(&j->req)->lost_node)
                           : "");
    else
        job_attr_append(&s, edit_attr(field), &j->req);
    return str_take(&s);
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
        char *text = edit_text(ui, j, &form_edit_fields[i]);
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

/* The value for the controller: 3h and 90m are times, too; nothing is 0 where a number means none. */
static const char *edit_sent(const struct form_field *field, const char *value, char buf[UNITS_TEXT_SIZE])
{
    uint32_t s;
    struct errtext err;
    size_t n = strlen(value);
    if ((field->id == (int)ATTR_TIME || field->id == (int)ATTR_TIME_MIN) && n &&
        strchr("smhdw", value[n - 1]) && duration_parse_conf(value, &s, &err) >= 0)
        return duration_format_padded(s, buf);
    static const int none_is_0[] = {ATTR_ARRAY_THROTTLE, ATTR_NICE, ATTR_GPUS, ATTR_GPUS_PER_NODE};
    for (size_t i = 0; !n && i < sizeof none_is_0 / sizeof none_is_0[0]; i++)
        if (field->id == none_is_0[i])
            return "0";
    return value;
}

static void push_change(struct strv *ret, const struct form_field *field, const char *value)
{
    char b[UNITS_TEXT_SIZE];
    const char *key = edit_attr(field)->update;
    strv_push_take(ret, xasprintf("%.*s=%s", (int)strcspn(key, " "), key, edit_sent(field, value, b)));
}

void formedit_changes(const struct form_edit *e, struct strv *ret)
{
    for (size_t i = 0; i < form_n_edit_fields; i++)
        if (formedit_is_changed(e, &form_edit_fields[i]))
            push_change(ret, &form_edit_fields[i], e->now.v[i]);
}

/* A fixed priority cannot be given up again. */
bool formedit_changes_back(const struct form_edit *e, struct wall now, struct strv *ret)
{
    struct job_req req;
    bool can = true;
    rec_copy(&job_req_rec, &req, &e->req);
    for (size_t i = 0; i < form_n_edit_fields && can; i++) {
        const struct form_field *field = &form_edit_fields[i];
        struct errtext err;
        char b[UNITS_TEXT_SIZE];
        if (!formedit_is_changed(e, field))
            continue;
        can = (field->id != (int)ATTR_PRIORITY || e->req.has_priority) &&
              job_attr_set(edit_attr(field), &req, edit_sent(field, e->old.v[i], b), now, &err) >= 0;
        push_change(ret, field, e->old.v[i]);
    }
    rec_fini(&job_req_rec, &req);
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
            job_attr_set(edit_attr(field), ret, edit_sent(field, e->now.v[i], b), now, &err) < 0)
            vec_push(hints,
                     (struct form_hint){
                         .field = field, .step = -1, .kind = HINT_ERROR, .text = form_one_line(err.s)});
    }
}
