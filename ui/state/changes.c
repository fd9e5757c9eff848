/* changes.c - notes of changes: jobs and arrays by id, or everything. */
#include "ui/state/changes.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/state/ui_state.h"

#define MANY 1000 /* from here on all may have changed */

struct changes {
    bool unseen; /* the views have not seen the model's last change */
    bool all;
    struct idmap what; /* ids of jobs; of arrays with THE_ARRAY */

    /* The last notes, for screens that are opened again: number n is at n % MANY. */
    uint64_t notes[MANY], n_notes;
    uint64_t all_from; /* what was noted before this number is not enough: all changed then */
};

#define THE_ARRAY (UINT64_C(1) << 32)

void changes_new(struct ui *ui)
{
    ui->changes = xcalloc(1, sizeof *ui->changes);
    changes_all(ui); /* a screen that has seen nothing has missed everything */
    changes_clear(ui);
}

void changes_free(struct ui *ui)
{
    changes_clear(ui);
    free(ui->changes);
    ui->changes = NULL;
}

static void changes_add(struct ui *ui, uint64_t what)
{
    struct changes *c = ui->changes;
    if (!c->n_notes || c->notes[(c->n_notes - 1) % MANY] != what)
        c->notes[c->n_notes++ % MANY] = what;
    if (!c->all)
        idmap_set(&c->what, what, c);
    if (c->what.n > MANY)
        changes_all(ui);
}

/* With its array, of which it is a part as long as it is there. */
static void changes_add_job(struct ui *ui, uint32_t id)
{
    const struct job *j = model_get_job(ui->m, id);
    changes_add(ui, id);
    if (j && j->array_job)
        changes_add(ui, THE_ARRAY | j->array_job);
}

/* What is said of a job hangs on itself, on the time, and on what is configured. */
static bool changes_spares_jobs(uint32_t kind)
{
    return kind == EV_NODE || kind == EV_DRAIN || kind == EV_NOTE || kind == EV_AVOID || kind == EV_USAGE ||
           kind == EV_EPOCH || kind == EV_UNKNOWN || kind == EV_NODE_ROW;
}

void changes_note(struct ui *ui, const struct incoming *in)
{
    if (in->kind == MSG_REASONS) {
        const struct msg_reasons *m = in->body;
        for (size_t i = 0; i < m->rows.n; i++)
            changes_add_job(ui, m->rows.v[i].job);
        return;
    }
    const struct msg_event *ev = in->body;
    if (ev->job)
        changes_add_job(ui, ev->job);
    else if (!changes_spares_jobs(ev->kind))
        changes_all(ui);
}

void changes_all(struct ui *ui)
{
    ui->changes->all = true;
    ui->changes->all_from = ++ui->changes->n_notes;
    idmap_fini(&ui->changes->what);
}

uint64_t changes_noted(const struct ui *ui)
{
    return ui->changes->n_notes;
}

void changes_recall(struct ui *ui, uint64_t since)
{
    struct changes *c = ui->changes;
    idmap_fini(&c->what);
    c->all = since < c->all_from || c->n_notes - since > MANY;
    for (uint64_t i = since; !c->all && i < c->n_notes; i++)
        idmap_set(&c->what, c->notes[i % MANY], c);
}

void changes_clear(struct ui *ui)
{
    ui->changes->all = false;
    idmap_fini(&ui->changes->what);
}

void changes_everything(struct ui *ui)
{
    changes_all(ui);
    changes_show(ui);
}

void changes_show(struct ui *ui)
{
    ui->changes->unseen = ui->dirty = true;
}

bool changes_unseen(const struct ui *ui)
{
    return ui->changes->unseen;
}

bool changes_take_unseen(struct ui *ui)
{
    bool unseen = ui->changes->unseen;
    ui->changes->unseen = false;
    return unseen;
}

bool ui_job_changed(const struct ui *ui, uint32_t job)
{
    return ui->changes->all || idmap_get(&ui->changes->what, job);
}

bool ui_array_changed(const struct ui *ui, uint32_t array)
{
    return ui->changes->all || idmap_get(&ui->changes->what, THE_ARRAY | array);
}
