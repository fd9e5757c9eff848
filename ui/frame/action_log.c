/* action_log.c - what the user has changed with these screens. */
#include "ui/frame/action_log.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/state/request_line.h"
#include "ui/state/ui_state.h"

struct action_log {
    VEC(struct action_record) v;
    uint64_t last; /* number of the newest */
    char *next;    /* of the next request; NULL: the request tells */
};

void action_log_new(struct ui *ui)
{
    ui->around.log = xcalloc(1, sizeof *ui->around.log);
}

static void action_record_fini(struct action_record *r)
{
    free(r->line);
    free(r->text);
}

void action_log_free(struct ui *ui)
{
    struct action_log *l = ui->around.log;
    vec_for_each (&l->v, i)
        action_record_fini(&l->v.v[i]);
    vec_fini(&l->v);
    free(l->next);
    free(l);
    ui->around.log = NULL;
}

void ui_log_next(struct ui *ui, char *take_line)
{
    free(ui->around.log->next);
    ui->around.log->next = take_line;
}

void action_log_sent(struct ui *ui, enum msg_kind kind, const void *body, uint64_t tag)
{
    struct action_log *l = ui->around.log;
    struct str line = STR_INIT;
    if (request_line(kind, body, ui_is_admin(ui), &line) == REQUEST_ASKS) {
        str_fini(&line);
        return;
    }
    if (l->v.n == ACTION_LOG_MAX) {
        action_record_fini(&l->v.v[0]);
        vec_remove(&l->v, 0);
    }
    struct action_record r = {
        .number = ++l->last, .tag = tag, .t = ui->now, .line = l->next ? l->next : str_take(&line)};
    str_fini(&line);
    l->next = NULL;
    vec_push(&l->v, r);
    ui->dirty = true;
}

static void action_log_note_result(struct action_record *r, const struct msg_result *m)
{
    r->count = m->count;
    if (m->refusal) {
        r->result = ACTION_RESULT_REFUSED;
        r->text = xstrdup(!str_is_empty(m->text) ? m->text : refusal_slurm((enum refusal)m->refusal));
        return;
    }
    r->result = m->count || m->job || m->text ? ACTION_RESULT_DONE : ACTION_RESULT_NOTHING;
    if (m->job)
        r->text = xasprintf(tr("job %u"), m->job);
    else if (!str_is_empty(m->text))
        r->text = xstrdup(m->text);
}

void action_log_answered(struct ui *ui, uint64_t tag, const struct incoming *in)
{
    struct action_log *l = ui->around.log;
    vec_for_each (&l->v, i) {
        struct action_record *r = &l->v.v[i];
        if (!tag || r->tag != tag)
            continue;
        r->tag = 0;
        if (in->kind == MSG_RESULT)
            action_log_note_result(r, in->body);
        else
            r->result = ACTION_RESULT_DONE;
        ui->dirty = true;
    }
}

void action_log_lose(struct ui *ui)
{
    struct action_log *l = ui->around.log;
    vec_for_each (&l->v, i)
        if (l->v.v[i].result == ACTION_RESULT_SENT) {
            l->v.v[i].tag = 0;
            l->v.v[i].result = ACTION_RESULT_LOST;
        }
}

size_t action_log_n(const struct ui *ui)
{
    return ui->around.log->v.n;
}

const struct action_record *action_log_at(const struct ui *ui, size_t i)
{
    return &ui->around.log->v.v[i];
}
