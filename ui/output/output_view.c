/* output_view.c - the output of a job: of one task, or of all tasks together.
 *
 *      Output 4711 step 0 rank 3  following  12.4 MB  100%  /home/ann/out-3.txt
 *      epoch 12: loss 0.173
 *
 * ui/output/output_reader.h reads in a thread of its own; this thread draws its states.
 */
#include "ui/output/output_view.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "ui/output/output_internal.h"
#include "ui/output/output_nodes.h"
#include "ui/text/view_text.h"

const struct job *output_job(const struct output_screen *o)
{
    return ui_job(o->v.ui, o->at.job);
}

static bool array_is_live(const struct output_screen *o)
{
    const struct model *m = ui_model(o->v.ui);
    list_for_each (j, &m->active, struct job, in_queue)
        if (j->array_job == o->at.array)
            return true;
    list_for_each (j, &m->pending, struct job, in_queue)
        if (j->array_job == o->at.array)
            return true;
    return false;
}

bool output_is_live(const struct output_screen *o)
{
    if (o->all && o->at.array)
        return array_is_live(o);
    const struct job *j = output_job(o);
    const struct step *s = j && !o->all ? job_find_step(j, o->at.step) : NULL;
    const struct task *t = s ? step_find_task(s, o->at.task) : NULL;
    return t ? t->state != TASK_DONE : j && !job_state_is_final((enum job_state)j->state);
}

bool output_waits(const struct output_screen *o, const struct step **ret_step)
{
    const struct job *j = output_job(o);
    const struct step *s = j && !o->all ? job_find_step(j, o->at.step) : NULL;
    const struct task *t = s ? step_find_task(s, o->at.task) : NULL;
    *ret_step = s;
    return t && t->state == TASK_WAITING && !job_state_is_final((enum job_state)j->state);
}

bool output_never_runs(const struct output_screen *o)
{
    const struct job *j = output_job(o);
    const struct step *s = j && !o->all ? job_find_step(j, o->at.step) : NULL;
    const struct task *t = s ? step_find_task(s, o->at.task) : NULL;
    return t && t->state == TASK_DONE && t->end_kind == END_NOT_RUN;
}

static void tell_live(struct output_screen *o)
{
    const struct job *j = output_job(o);
    bool live = output_is_live(o), began = j && j->state != JOB_PENDING;
    if (live != o->live || began != o->began)
        reader_live(o->reader, live, began);
    o->live = live;
    o->began = began;
}

/* --- nodes --- */

static void look_at_reader(struct output_screen *o);

static void output_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    output_nodes_take(output_screen_of(owner)->reader, arg, in);
    look_at_reader(output_screen_of(owner));
    ui_changed(ui);
}

static void look_at_reader(struct output_screen *o)
{
    bool bad;
    output_nodes_ask(o->reader, &o->shown, &o->v, output_answered);
    o->state = reader_state(o->reader);
    char *news = reader_news(o->reader, &bad);
    if (news)
        ui_toast(o->v.ui, bad ? ROLE_WARN : ROLE_GOOD, "%s", news);
    free(news);
    if (!reader_search_ended(o->reader) || !o->state)
        return;
    if (o->state->not_found)
        ui_toast(o->v.ui, ROLE_WARN, "%s",
                 o->errors ? tr("no line looks like an error") : tr("nothing found"));
    else if (o->state->wrapped)
        ui_toast(o->v.ui, ROLE_NORMAL, "%s",
                 o->state->forward ? tr("continued at the beginning") : tr("continued at the end"));
}

/* --- what is read --- */

static void list_all_places(const struct output_screen *o, const struct job *j, struct places *ret)
{
    if (o->at.array)
        places_array(o->v.ui, o->at.array, ret);
    else
        places_all(j, ret);
}

static void output_show(struct output_screen *o)
{
    const struct job *j = output_job(o);
    if (!j)
        return;
    struct reading_open open = {.merged = o->all};
    places_fini(&o->shown);
    if (o->all)
        list_all_places(o, j, &o->shown);
    else
        places_one(j, &o->at, o->err, &o->shown);
    vec_for_each (&o->shown.v, i) {
        const struct output_file *p = &o->shown.v.v[i];
        if (p->own) /* there is no such file */
            continue;
        vec_push(&open.places, (struct reading_place){.path = xstrdup(p->path),
                                                      .owner = p->owner,
                                                      .label = xstrdup(p->label)});
    }
    o->state = NULL;
    o->live = output_is_live(o);
    o->began = j->state != JOB_PENDING;
    reader_live(o->reader, o->live, o->began);
    reader_open(o->reader, &open);
    look_at_reader(o);
}

static struct view *output_view_open(struct ui *ui, const void *arg)
{
    const struct output_at *at = arg;
    if (!ui_job(ui, at->job))
        return NULL;
    struct output_screen *o = xcalloc(1, sizeof *o);
    o->v = (struct view){.ops = &output_view, .ui = ui};
    o->at = *at;
    o->all = at->array != 0;
    o->reader = reader_new(ui_threads(ui));
    edit_init(&o->edit);
    output_show(o);
    return &o->v;
}

static void output_close(struct view *v)
{
    struct output_screen *o = output_screen_of(v);
    reader_close(o->reader);
    places_fini(&o->shown);
    edit_fini(&o->edit);
    free(o);
}

/* The pattern of an array has become a path: the last element has started. Of all elements: another one
 * has. */
static bool is_outdated(const struct output_screen *o)
{
    const struct job *j = output_job(o);
    if (o->all && o->at.array && ui_array_changed(o->v.ui, o->at.array)) {
        struct places now = {.more = 0};
        places_array(o->v.ui, o->at.array, &now);
        bool more = now.v.n + now.more > o->shown.v.n + o->shown.more;
        places_fini(&now);
        return more;
    }
    return j && o->shown.v.n && o->shown.v.v[0].own && !job_is_array_record(j);
}

static void output_sync(struct view *v)
{
    if (is_outdated(output_screen_of(v)))
        output_show(output_screen_of(v));
    tell_live(output_screen_of(v));
    look_at_reader(output_screen_of(v));
}

/* --- drawing --- */

static void output_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct output_screen *o = output_screen_of(v);
    o->area = l->body;
    if (l->body.h != o->height || l->body.w != o->width) {
        o->height = l->body.h;
        o->width = l->body.w;
        reader_resize(o->reader, o->height, o->width);
        look_at_reader(o);
    }
    output_draw_body(o, c, l->body);
    if (o->typing)
        output_draw_search(
            o, c, rect_is_empty(l->title) ? rect_make(l->body.y, l->body.x, 1, l->body.w) : l->title);
}

/* --- tasks --- */

/* To the next output with a file of its own: ranks may share one. */
static void switch_task(struct output_screen *o, int by)
{
    const struct job *j = output_job(o);
    bool found = j && places_next(j, &o->at, o->err, by);
    if (found || o->all) {
        o->all = false;
        output_show(o);
    } else {
        ui_toast(o->v.ui, ROLE_NORMAL,
                 by > 0 ? tr("this is the last output of the job")
                        : tr("this is the first output of the job"));
    }
}

static void switch_stream(struct output_screen *o)
{
    const struct job *j = output_job(o);
    char *out = NULL, *err = NULL;
    if (!j)
        return;
    if (o->all) {
        ui_toast(o->v.ui, ROLE_NORMAL, tr("both outputs, standard error marked with \"!\""));
        return;
    }
    bool there = place_path(j, &o->at, false, &out) && place_path(j, &o->at, true, &err);
    if (there && out && str_eq(out, err)) {
        ui_toast(o->v.ui, ROLE_NORMAL, tr("standard error goes to this file too"));
    } else if (there) {
        o->err = !o->err;
        output_show(o);
    }
    free(out);
    free(err);
}

static void switch_all(struct output_screen *o)
{
    const struct job *j = output_job(o);
    struct places p = {.more = 0};
    if (!j)
        return;
    list_all_places(o, j, &p);
    if (!o->all && p.v.n < 2) {
        ui_toast(o->v.ui, ROLE_NORMAL, tr("the job has no other output"));
    } else {
        o->all = !o->all;
        output_show(o);
    }
    places_fini(&p);
}

/* --- keys --- */

static void output_type_line(struct output_screen *o, enum output_line what)
{
    const char *text = "";
    char *path = NULL;
    if (what == LINE_ONLY && o->state && o->state->filter)
        text = path = xasprintf("%s%s", o->state->filter_without ? "!" : "", o->state->filter);
    else if (what == LINE_SAVE)
        text = path = output_save_path(o);
    o->typing = what;
    edit_set(&o->edit, text);
    o->edit.selected = what == LINE_ONLY && *text; /* as in the filter of a list */
    free(path);
}

static void line_typed(struct output_screen *o)
{
    enum output_line what = o->typing;
    const char *text = o->edit.text.s;
    o->typing = LINE_NONE;
    if (what == LINE_SEARCH) {
        o->errors = false;
        reader_find(o->reader, text);
    } else if (what == LINE_ONLY) {
        reader_filter(o->reader, text);
    } else if (*text) {
        const char *home = str_starts(text, "~/") ? getenv("HOME") : NULL;
        char *path = home ? xasprintf("%s%s", home, text + 1) : xstrdup(text);
        reader_save(o->reader, path);
        free(path);
    }
}

static unsigned search_input(struct output_screen *o, const struct input *in)
{
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (key == KEYNAME_ESC) {
        o->typing = LINE_NONE;
    } else if (key == KEYNAME_ENTER) {
        line_typed(o);
        look_at_reader(o);
    } else if (in->kind != INPUT_MOUSE) {
        edit_input(&o->edit, in);
    }
    return DID_HANDLE | DID_REDRAW;
}

static bool output_typing(struct view *v)
{
    return output_screen_of(v)->typing != LINE_NONE;
}

static unsigned output_input(struct view *v, const struct input *in)
{
    struct output_screen *o = output_screen_of(v);
    if (o->typing)
        return search_input(o, in);
    if (in->kind != INPUT_MOUSE || !rect_has(o->area, in->y, in->x))
        return 0;
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN) {
        reader_scroll(o->reader, in->what == MOUSE_WHEEL_UP ? -3 : 3);
        look_at_reader(o);
    }
    return DID_HANDLE | DID_REDRAW;
}

/* Is it for the reader? */
static bool is_reading(const struct output_screen *o, enum action a)
{
    switch ((int)a) {
    case ACTION_UP:
    case ACTION_DOWN:
    case ACTION_PAGE_UP:
    case ACTION_PAGE_DOWN:
    case ACTION_PAGE_SPACE:
    case ACTION_HALF_UP:
    case ACTION_HALF_DOWN:
    case ACTION_TOP:
    case ACTION_BOTTOM:
    case ACTION_WRAP:
    case ACTION_LEFT:
    case ACTION_RIGHT:
    case ACTION_FOLLOW:
    case ACTION_FIND_NEXT:
    case ACTION_FIND_PREV:
    case ACTION_LAST_ERROR: return true;
    case ACTION_CLOSE: return o->state && o->state->searching;
    default: return false;
    }
}

static unsigned output_act(struct view *v, enum action a, const struct input *in)
{
    (void)in;
    struct output_screen *o = output_screen_of(v);
    if (a == ACTION_FIND || a == ACTION_ONLY || a == ACTION_SAVE)
        output_type_line(o, a == ACTION_FIND ? LINE_SEARCH : a == ACTION_ONLY ? LINE_ONLY : LINE_SAVE);
    else if (a == ACTION_PAGER || a == ACTION_EDITOR)
        output_run(o, a == ACTION_EDITOR);
    else if (a == ACTION_OUTPUT_COPY)
        output_copy(o);
    else if (a == ACTION_STREAM)
        switch_stream(o);
    else if (a == ACTION_PREV_TASK || a == ACTION_NEXT_TASK)
        switch_task(o, a == ACTION_NEXT_TASK ? 1 : -1);
    else if (a == ACTION_ALL_TASKS)
        switch_all(o);
    else if (is_reading(o, a)) {
        o->errors |= a == ACTION_LAST_ERROR;
        reader_act(o->reader, a);
        look_at_reader(o);
    } else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static void output_go(struct view *v, int64_t line)
{
    struct output_screen *o = output_screen_of(v);
    reader_go(o->reader, line);
    look_at_reader(o);
}

static bool has_others(const struct output_screen *o)
{
    const struct job *j = output_job(o);
    const struct step *s = j && j->steps.n ? &j->steps.v[0] : NULL;
    return o->at.array ||
           (s && (j->steps.n > 1 || s->tasks.n > 1 || (s->tasks.n && s->tasks.v[0].n_ranks > 1)));
}

static const char *output_label(struct view *v, enum action a)
{
    struct output_screen *o = output_screen_of(v);
    switch ((int)a) {
    case ACTION_FOLLOW: return !output_is_live(o) ? "" : o->state && o->state->follow ? tr("pause") : NULL;
    case ACTION_STREAM: return o->all ? "" : o->err ? tr("stdout") : NULL;
    case ACTION_NEXT_TASK: return o->all || !has_others(o) ? "" : NULL;
    case ACTION_ALL_TASKS:
        return o->all ? (o->at.array ? tr("one element") : tr("one task")) : has_others(o) ? NULL : "";
    default: return NULL;
    }
}

/* Without threads alone. */
static bool output_work(struct view *v)
{
    struct output_screen *o = output_screen_of(v);
    bool more = reader_work(o->reader);
    look_at_reader(o);
    return more;
}

static int output_fd(struct view *v)
{
    return reader_fd(output_screen_of(v)->reader);
}

static unsigned output_wake(struct view *v)
{
    reader_look(output_screen_of(v)->reader);
    look_at_reader(output_screen_of(v));
    return DID_REDRAW;
}

static bool output_shows_own(struct view *v)
{
    return !ui_is_foreign(v->ui, output_screen_of(v)->at.job);
}

static const enum scope scopes[] = {SCOPE_TEXT, SCOPE_MOVE};

const struct view_ops output_view = {
    .name = "output",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .open = output_view_open,
    .close = output_close,
    .sync = output_sync,
    .title = output_title,
    .draw = output_draw,
    .input = output_input,
    .typing = output_typing,
    .act = output_act,
    .label = output_label,
    .go_line = output_go,
    .shows_own = output_shows_own,
    .work = output_work,
    .fd = output_fd,
    .wake = output_wake,
};

void output_open(struct ui *ui, const struct job *j)
{
    struct output_at at;
    if (output_best_place(j, &at))
        ui_push(ui, &output_view, &at);
    else
        ui_toast(ui, ROLE_NORMAL,
                 j->kind == JOB_KIND_INTERACTIVE
                     ? tr("the output of an interactive job goes to its own terminal")
                     : tr("no task has started yet"));
}

void output_open_array(struct ui *ui, uint32_t array)
{
    struct places all = {.more = 0};
    places_array(ui, array, &all);
    if (all.v.n)
        ui_push(ui, &output_view, &all.v.v[0].at);
    else
        ui_toast(ui, ROLE_NORMAL, tr("no element of the array has started yet"));
    places_fini(&all);
}
