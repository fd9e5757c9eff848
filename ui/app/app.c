/* app.c - the frame: its life, what follows from a change of the model or from the time, when a picture is
 * due. Inputs are in inputs.c, the stack of views in stack.c. */
#include "ui/app/app.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/strpool.h"
#include "src/base/xalloc.h"
#include "ui/app/settings.h"
#include "ui/frame/frame_internal.h"

struct ui *app_new(const struct app_options *o)
{
    struct ui *a = xcalloc(1, sizeof *a);
    a->o = *o;
    a->o.gpu_idle_flag_s = o->gpu_idle_flag_s ? o->gpu_idle_flag_s : SETTINGS_GPU_IDLE_S;
    a->mouse_on = true;
    a->dirty = true;
    a->next_number = 1;
    a->m = xcalloc(1, sizeof *a->m);
    model_init(a->m);
    a->texts = texts_new();
    model_share_texts(a->m, a->texts);
    edit_init(&a->cmd.edit);
    a->cmd.chosen = -1;
    a->roots[0] = screens[0]->open(a, NULL);
    remember_restore(a, a->roots[0]);
    return a;
}

void app_free(struct ui *a)
{
    if (!a)
        return;
    stack_fini(a);
    aside_fini(a);
    link_drop_utils(a);
    past_fini(&a->past);
    link_fini(a);
    rec_fini(&msg_welcome_rec, &a->welcome);
    struct model *models[] = {a->m, a->next};
    for (size_t i = 0; i < 2; i++) {
        if (models[i])
            model_fini(models[i]);
        free(models[i]);
    }
    texts_unref(a->texts);
    free(a->why_lost);
    free(a->connecting);
    free(a->copied);
    free(a->title);
    strv_fini(&a->program);
    str_fini(&a->program_where);
    later_undo(a);
    command_close(a);
    vec_fini(&a->cmd.candidates);
    edit_fini(&a->cmd.edit);
    vec_fini(&a->watched);
    idmap_fini(&a->watched_at);
    waits_forget(a);
    changes_clear(a);
    free(a->toast);
    free(a);
}

/* --- changes --- */

void ui_dialog_follows(struct ui *a, uint64_t number, ui_follow_fn *follow)
{
    vec_for_each (&a->dialogs, i)
        if (a->dialogs.v[i].number == number)
            a->dialogs.v[i].follow = follow;
}

static void dialogs_follow(struct ui *a, bool changed)
{
    for (size_t i = 0; i < a->dialogs.n && a->online && !a->frozen; i++)
        if (a->dialogs.v[i].follow)
            a->dialogs.v[i].follow(a, a->dialogs.v[i].number, changed);
}

void app_sync(struct ui *a)
{
    if (!a->changed)
        return;
    a->changed = false;
    a->waits.changes++;
    a->dirty = true;
    totals_count(&a->totals, a);
    watch_look(a);
    /* Only what is seen, and what it will come back to: the others are brought up when they are shown. */
    for (size_t i = 0; i < sizeof a->roots / sizeof a->roots[0]; i++)
        a->behind[i] = i != a->root;
    a->roots[a->root]->ops->sync(a->roots[a->root]);
    vec_for_each (&a->pushed, i)
        a->pushed.v[i]->ops->sync(a->pushed.v[i]);
    dialogs_follow(a, true);
    changes_clear(a);
}

void app_changed(struct ui *a)
{
    changes_all(a);
    a->changed = true;
    a->dirty = true;
}

struct model *app_model(struct ui *a)
{
    return a->m;
}

void app_take_model(struct ui *a, struct model *m)
{
    model_fini(a->m);
    free(a->m);
    a->m = m;
    a->has_data = true;
    app_changed(a);
}

/* --- the time --- */

void app_set_time(struct ui *a, struct wall now, struct mono mono)
{
    a->now = now;
    a->mono = mono;
}

static int64_t until_ms(const struct ui *a, struct mono t)
{
    int64_t ms = (t.ns - a->mono.ns) / NS_PER_MS + 1;
    return ms < 0 ? 0 : ms;
}

int app_next_ms(const struct ui *a)
{
    int64_t next = -1;
    const struct view *v = app_view(a);
    if ((v->ticks && !a->frozen) || (a->was_online && !a->online))
        next = 1000 - a->now.ms % 1000; /* on the second: the times of all rows change together */
    if (a->toast) {
        int64_t t = until_ms(a, a->toast_until);
        next = next < 0 || t < next ? t : next;
    }
    if (v->due.ns) {
        int64_t t = until_ms(a, v->due);
        next = next < 0 || t < next ? t : next;
    }
    if (wall_is_set(a->totals.edge)) {
        int64_t t = a->totals.edge.ms - a->now.ms;
        t = t < 1 ? 1 : t;
        next = next < 0 || t < next ? t : next;
    }
    if (a->later.fn) { /* its line counts the seconds */
        int64_t t = until_ms(a, a->later.until);
        t = t > 1000 ? t % 1000 + 1 : t;
        next = next < 0 || t < next ? t : next;
    }
    return (int)(next > INT32_MAX ? INT32_MAX : next);
}

void app_tick(struct ui *a)
{
    if (a->toast && a->mono.ns >= a->toast_until.ns) {
        free(a->toast);
        a->toast = NULL;
    }
    later_due(a);
    if (wall_is_set(a->totals.edge) && a->now.ms >= a->totals.edge.ms)
        app_changed(a);
    dialogs_follow(a, false);
    struct view *v = app_view(a);
    if (v->due.ns && a->mono.ns >= v->due.ns) {
        v->due = (struct mono){0};
        v->ops->timer(v);
    }
    a->dirty = true;
}

bool app_work(struct ui *a)
{
    struct view *v = app_view(a);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    bool shown = false, filtering = t && table_work(t, &shown);
    bool more = v->ops->work && v->ops->work(v);
    if (more || shown)
        a->dirty = true;
    return more || filtering;
}

/* --- pictures --- */

bool app_is_dirty(const struct ui *a)
{
    return a->dirty;
}

void app_draw(struct ui *a, struct canvas *c)
{
    app_sync(a);
    a->dirty = false;
    c->ascii = a->o.ascii;
    frame_draw(a, c);
    waits_ask(a);
}
