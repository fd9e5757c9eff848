/* app.c - start and end of the program, and what follows from the time. Inputs are in inputs.c, the views
 * in ui/frame/stack.c, the picture in picture.c. */
#include "ui/app/app.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/app/inputs.h"
#include "ui/app/picture.h"
#include "ui/app/screens.h"
#include "ui/app/settings.h"
#include "ui/command/command.h"
#include "ui/command/filter_line.h"
#include "ui/frame/action_log.h"
#include "ui/frame/aside.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/frame_sync.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/outbox.h"
#include "ui/frame/past_jobs.h"
#include "ui/frame/requests.h"
#include "ui/frame/reversal.h"
#include "ui/frame/side_panes.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"
#include "ui/frame/totals.h"
#include "ui/frame/utilization.h"
#include "ui/frame/wait_causes.h"
#include "ui/frame/watch.h"
#include "ui/state/changes.h"

/* Made in this order and freed in reverse. The stack opens a view, which may use the parts above it;
 * dialogs are freed before their views. */
static const struct {
    void (*make)(struct ui *ui), (*free)(struct ui *ui);
} parts[] = {
    {.make = outbox_new, .free = outbox_free},
    {.make = hotspots_new, .free = hotspots_free},
    {.make = side_panes_new, .free = side_panes_free},
    {.make = action_log_new, .free = action_log_free},
    {.make = changes_new, .free = changes_free},
    {.make = follow_new, .free = follow_free},
    {.make = requests_new, .free = requests_free},
    {.make = past_jobs_new, .free = past_jobs_free},
    {.make = utilization_new, .free = utilization_free},
    {.make = wait_causes_new, .free = wait_causes_free},
    {.make = watch_new, .free = watch_free},
    {.make = totals_new, .free = totals_free},
    {.make = command_new, .free = command_free},
    {.make = filter_line_new, .free = filter_line_free},
    {.make = inputs_new, .free = inputs_free},
    {.make = stack_new, .free = stack_free},
    {.make = dialogs_new, .free = dialogs_free},
};

#define N_PARTS (sizeof parts / sizeof parts[0])

struct ui *app_new(const struct ui_options *o)
{
    struct ui *ui = xcalloc(1, sizeof *ui);
    ui->o = *o;
    if (!ui->o.gpu_idle_flag_s)
        ui->o.gpu_idle_flag_s = SETTINGS_GPU_IDLE_S;
    ui->program.screens = screens;
    ui->program.n_screens = n_screens;
    ui->program.act = inputs_act;
    ui->dirty = true;
    for (size_t i = 0; i < N_PARTS; i++)
        parts[i].make(ui);
    return ui;
}

void app_free(struct ui *ui)
{
    if (!ui)
        return;
    later_drop(ui);
    for (size_t i = N_PARTS; i-- > 0;)
        parts[i].free(ui);
    aside_free(ui);
    toast_clear(ui);
    reversal_drop(ui);
    free(ui);
}

void app_take_settings(struct ui *ui, const struct settings *s, bool ascii)
{
    ui->o.settings = s;
    ui->o.keys = s->keys;
    ui->o.commands = &s->commands;
    ui->o.notify_command = s->notify_command;
    ui->o.read_only = s->read_only;
    ui->o.ascii = ascii;
    ui->o.gpu_idle_flag_s = s->gpu_idle_s;
    changes_everything(ui);
}

void app_feed(struct ui *ui, const struct incoming *in)
{
    follow_feed(ui, in);
    inputs_replay(ui);
}

/* --- the time --- */

void app_set_time(struct ui *ui, struct wall now, struct mono mono)
{
    ui->now = now;
    ui->mono = mono;
}

static int64_t until_ms(const struct ui *ui, struct mono t)
{
    int64_t ms = (t.ns - ui->mono.ns) / NS_PER_MS + 1;
    return ms < 0 ? 0 : ms;
}

int app_next_ms(const struct ui *ui)
{
    int64_t next = -1;
    const struct view *v = ui_view(ui);
    if ((v->ticks && !ui->frozen) || (follow_connection(ui)->was_online && !ui->session.online))
        next = 1000 - ui->now.ms % 1000; /* on the second: the times of all rows change together */
    if (toast_get(ui)) {
        int64_t t = until_ms(ui, toast_get(ui)->until);
        next = next < 0 || t < next ? t : next;
    }
    if (v->due.ns) {
        int64_t t = until_ms(ui, v->due);
        next = next < 0 || t < next ? t : next;
    }
    if (wall_is_set(totals_get(ui)->edge)) {
        int64_t t = totals_get(ui)->edge.ms - ui->now.ms;
        t = t < 1 ? 1 : t;
        next = next < 0 || t < next ? t : next;
    }
    if (follow_due(ui).ns) {
        int64_t t = until_ms(ui, follow_due(ui));
        next = next < 0 || t < next ? t : next;
    }
    if (later_until(ui).ns) { /* its line counts the seconds */
        int64_t t = until_ms(ui, later_until(ui));
        t = t > 1000 ? t % 1000 + 1 : t;
        next = next < 0 || t < next ? t : next;
    }
    return (int)(next > INT32_MAX ? INT32_MAX : next);
}

void app_tick(struct ui *ui)
{
    toast_tick(ui);
    later_due(ui);
    if (wall_is_set(totals_get(ui)->edge) && ui->now.ms >= totals_get(ui)->edge.ms)
        changes_everything(ui);
    struct view *v = ui_view(ui);
    if (v->due.ns && ui->mono.ns >= v->due.ns) {
        v->due = (struct mono){0};
        v->ops->timer(v);
    }
    ui->dirty = true;
}

bool app_work(struct ui *ui)
{
    struct view *v = ui_view(ui);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    if (t && t->matching) /* rows may have gone since they were filled in */
        frame_sync(ui);
    bool shown = false, filtering = t && table_work(t, &shown);
    bool more = v->ops->work && v->ops->work(v);
    if (more || shown)
        ui->dirty = true;
    return more || filtering;
}

/* --- pictures --- */

bool app_is_dirty(const struct ui *ui)
{
    return ui->dirty;
}

void app_draw(struct ui *ui, struct canvas *c)
{
    frame_sync(ui);
    ui->dirty = false;
    c->ascii = ui->o.ascii;
    picture_draw(ui, c);
    wait_causes_ask(ui);
}
