/* changes.c - which jobs the views have not seen the last change of: a view of a hundred thousand rows
 * looks at those again and at no others. */
#include "ui/frame/frame_internal.h"

#define MANY      1000 /* from here on all may have changed */
#define THE_ARRAY (UINT64_C(1) << 32)

static void note(struct ui *a, uint64_t what)
{
    struct changes *c = &a->changes;
    if (!c->all)
        idmap_set(&c->what, what, c);
    if (c->what.n > MANY)
        changes_all(a);
}

/* With its array, of which it is a part as long as it is there. */
static void note_job(struct ui *a, uint32_t id)
{
    const struct job *j = model_get_job(a->m, id);
    note(a, id);
    if (j && j->array_job)
        note(a, THE_ARRAY | j->array_job);
}

/* What is said of a job hangs on itself, on the time, and on what is configured. */
static bool is_about_no_job(uint32_t kind)
{
    return kind == EV_NODE || kind == EV_DRAIN || kind == EV_NOTE || kind == EV_AVOID || kind == EV_USAGE ||
           kind == EV_EPOCH || kind == EV_UNKNOWN;
}

void changes_note(struct ui *a, const struct incoming *in)
{
    if (in->kind == MSG_REASONS) {
        const struct msg_reasons *m = in->body;
        for (size_t i = 0; i < m->rows.n; i++)
            note_job(a, m->rows.v[i].job);
        return;
    }
    const struct msg_event *ev = in->body;
    if (ev->job)
        note_job(a, ev->job);
    else if (!is_about_no_job(ev->kind))
        changes_all(a);
}

void changes_all(struct ui *a)
{
    a->changes.all = true;
    idmap_fini(&a->changes.what);
}

void changes_clear(struct ui *a)
{
    a->changes.all = false;
    idmap_fini(&a->changes.what);
}

bool ui_job_changed(const struct ui *a, uint32_t job)
{
    return a->changes.all || idmap_get(&a->changes.what, job);
}

bool ui_array_changed(const struct ui *a, uint32_t array)
{
    return a->changes.all || idmap_get(&a->changes.what, THE_ARRAY | array);
}
