#include "ui/frame/engine.h"

#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"

#define STALE_PAUSES 3 /* pauses after which rows are stale */

bool ui_lacks(const struct ui *ui, enum lack what)
{
    return ui->session.welcome.lacks & UINT64_C(1) << what;
}

const char *ui_engine(const struct ui *ui)
{
    return ui->session.welcome.engine;
}

const char *engine_why_not(const struct ui *ui, enum action action)
{
    static const struct {
        enum action action;
        enum lack lack;
    } needs[] = {
        {ACTION_SUBMIT, LACK_SUBMIT},         {ACTION_RESUBMIT, LACK_SUBMIT},
        {ACTION_BIGGER, LACK_SUBMIT},         {ACTION_FAILED_ONLY, LACK_SUBMIT},
        {ACTION_TRY_SAMPLES, LACK_SUBMIT},    {ACTION_SCREEN_HISTORY, LACK_HISTORY},
        {ACTION_ELEMENTS_PAST, LACK_HISTORY}, {ACTION_SCREEN_PLAN, LACK_PLAN},
        {ACTION_SCREEN_USAGE, LACK_SHARES},   {ACTION_DRAIN, LACK_NODES},
        {ACTION_RESUME, LACK_NODES},          {ACTION_NODE_NOTE, LACK_NODES},
        {ACTION_SHELL, LACK_SHELL},           {ACTION_NODE_SHELL, LACK_SHELL},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].action == action && ui_lacks(ui, needs[i].lack))
            return needs[i].lack == LACK_NODES
                       ? tr("Slurm takes changes of nodes from its administrators alone")
                       : tr("not built for Slurm yet; Slurm's own commands can do it");
    return NULL;
}

void engine_begin(struct ui *ui)
{
    struct view *v = ui_view(ui);
    if (ui_engine(ui) && !ui->session.has_data && v->ops->mine)
        *v->ops->mine(v) = true;
}

void engine_take(struct ui *ui, struct msg_engine *m)
{
    struct ui_session *s = &ui->session;
    if (m->trouble && !s->engine.trouble)
        ui_toast(ui, ROLE_WARN, "%s: %s", ui_engine(ui) ? ui_engine(ui) : "Slurm", m->trouble);
    rec_fini(&msg_engine_rec, &s->engine);
    s->engine = *m;
    *m = (struct msg_engine){0};
    ui->dirty = true;
}

bool engine_age(const struct ui *ui, struct str *out)
{
    const struct msg_engine *e = &ui->session.engine;
    char age[UNITS_TEXT_SIZE];
    if (!ui_engine(ui))
        return false;
    if (!wall_is_set(e->read_at)) {
        str_append(out, ui_engine(ui));
        return e->trouble;
    }
    int64_t s = wall_elapsed_s(e->read_at, ui->now);
    str_appendf(out, tr("%s, %s ago"), ui_engine(ui), duration_format_words(s, age));
    return e->trouble || s * MS_PER_S > (int64_t)e->pause_ms * STALE_PAUSES;
}
