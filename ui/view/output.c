/* output.c - the output of a job, task by task. */
#include "ui/view/output.h"

#include <stdlib.h>

#include "src/base/units.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/jobtext.h"
#include "ui/view/stream.h"
#include "ui/view/words.h"
#include "ui/widget/edit.h"
#include "ui/widget/pager.h"

struct output {
    struct view v;
    struct output_at at;
    bool err; /* standard error */
    struct stream stream;
    struct pager pager;
    struct edit edit;
    bool typing;
    struct rect area;
};

static struct output *output_of(struct view *v)
{
    return (struct output *)(void *)v;
}

static const struct job *job_of(const struct output *o)
{
    return ui_job(o->v.ui, o->at.job);
}

/* Can more be written to it? */
static bool is_live(const struct output *o)
{
    const struct job *j = job_of(o);
    const struct step *s = j ? job_find_step(j, o->at.step) : NULL;
    const struct task *t = s ? step_find_task(s, o->at.task) : NULL;
    return t ? task_is_live(t) : j && !job_state_is_final((enum job_state)j->state);
}

static void answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct output *o = output_of(owner);
    bool more = stream_take(&o->stream, in);
    pager_grown(&o->pager);
    if (more)
        stream_ask(&o->stream, ui, owner, &o->at, o->err, answered);
    ui_changed(ui);
}

static void show(struct output *o)
{
    const struct job *j = job_of(o);
    if (!j)
        return;
    stream_open(&o->stream, j, &o->at, o->err);
    pager_set_fd(&o->pager, o->stream.fd);
    o->pager.follow = is_live(o);
    stream_ask(&o->stream, o->v.ui, &o->v, &o->at, o->err, answered);
}

static struct view *output_view_open(struct ui *ui, const void *arg)
{
    const struct output_at *at = arg;
    if (!ui_job(ui, at->job))
        return NULL;
    struct output *o = xcalloc(1, sizeof *o);
    o->v = (struct view){.ops = &output_view, .ui = ui};
    o->at = *at;
    stream_init(&o->stream);
    pager_init(&o->pager);
    edit_init(&o->edit);
    show(o);
    return &o->v;
}

static void output_close(struct view *v)
{
    struct output *o = output_of(v);
    stream_fini(&o->stream);
    pager_fini(&o->pager);
    edit_fini(&o->edit);
    free(o);
}

static void look_again(struct output *o)
{
    if (stream_look(&o->stream)) {
        bool follow = o->pager.follow;
        pager_set_fd(&o->pager, o->stream.fd);
        o->pager.follow = follow;
    }
    pager_grown(&o->pager);
}

static void output_sync(struct view *v)
{
    look_again(output_of(v));
}

/* --- title --- */

static void where_text(struct output *o, struct rich *out)
{
    struct pager *p = &o->pager;
    char size[UNITS_TEXT_SIZE];
    if (p->fd < 0)
        return;
    if (p->size < 1024)
        rich_addf(out, ROLE_DIM, "  %lld bytes", (long long)p->size);
    else
        rich_addf(out, ROLE_DIM, "  %s", mem_format_words((uint64_t)p->size / 1024, size));
    if (p->size > 0)
        rich_addf(out, ROLE_DIM, "  %d%%", pager_at_end(p) ? 100 : (int)(p->top * 100 / p->size));
}

static void state_text(const struct output *o, struct rich *out)
{
    if (o->pager.searching)
        rich_add(out, ROLE_WARN, "  searching ...");
    else if (!is_live(o))
        rich_add(out, ROLE_DIM, "  ended");
    else if (o->pager.follow)
        rich_add(out, ROLE_GOOD, "  following");
    else
        rich_add(out, ROLE_WARN, "  paused");
}

static void output_title(struct view *v, struct rich *out)
{
    struct output *o = output_of(v);
    const struct job *j = job_of(o);
    const struct step *s = j ? job_find_step(j, o->at.step) : NULL;
    const struct task *t = s ? step_find_task(s, o->at.task) : NULL;
    char id[16];
    rich_add(out, ROLE_TITLE, "Output ");
    if (j)
        jobtext_id(&out->text, j, BITSTR_LEN_DEFAULT);
    rich_role(out, ROLE_TITLE);
    if (o->at.step != STEP_BATCH) {
        rich_addf(out, ROLE_NORMAL, " step %s", step_format_id(o->at.step, id));
        if (s && s->tasks.n > 1)
            rich_addf(out, ROLE_NORMAL, " task %u", o->at.task);
        if (t && t->n_ranks > 1)
            rich_addf(out, ROLE_NORMAL, " rank %u", o->at.rank);
    }
    if (o->err)
        rich_add(out, ROLE_WARN, "  stderr");
    state_text(o, out);
    where_text(o, out);
    if (o->stream.path)
        rich_addf(out, ROLE_DIM, "  %s", o->stream.path);
    else if (o->stream.spool)
        rich_add(out, ROLE_DIM, "  kept on its node");
}

/* --- drawing --- */

static void draw_trouble(const struct output *o, struct canvas *c, struct rect r)
{
    const struct job *j = job_of(o);
    struct pane p = {0};
    lines_addf(&p.lines, ROLE_NORMAL, "%s", o->stream.trouble);
    if (j && j->state == JOB_PENDING)
        lines_addf(&p.lines, ROLE_DIM, "The job has not started; what it writes will show up here.");
    else if (is_live(o))
        lines_addf(&p.lines, ROLE_DIM,
                   "What is written will show up here, if the directory is shared with the node.");
    pane_draw(&p, c, rect_make(r.y + 1, r.x + 2, r.h - 1, r.w - 4));
    pane_fini(&p);
}

static void draw_search(struct output *o, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    canvas_fill(c, r, ROLE_NORMAL);
    int x = r.x + 1 + canvas_text(c, r.y, r.x + 1, ROLE_TITLE, "search ", r.w - 2);
    edit_draw(&o->edit, c, r.y, x, r.x + r.w - 1 - x);
}

static void output_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct output *o = output_of(v);
    o->area = l->body;
    look_again(o);
    /* Files on a network file system change without a word: while it is live it is looked at once a second
     * as well. */
    v->ticks = is_live(o) && !o->stream.spool;
    if (o->pager.fd < 0 || (o->stream.trouble && !o->pager.size))
        draw_trouble(o, c, l->body);
    else if (!o->pager.size)
        canvas_text(c, l->body.y + 1, l->body.x + 2, ROLE_DIM,
                    o->stream.asking ? "Fetching ..."
                    : is_live(o)     ? "Nothing written so far."
                                     : "It wrote nothing.",
                    l->body.w - 4);
    else
        pager_draw(&o->pager, c, l->body);
    if (o->typing)
        draw_search(o, c,
                    rect_is_empty(l->title) ? rect_make(l->body.y, l->body.x, 1, l->body.w) : l->title);
}

/* --- tasks --- */

struct places {
    VEC(struct output_at) v;
};

/* Every output of the job, in the order of its steps, tasks and ranks. */
static void list_places(const struct job *j, struct places *p)
{
    bool batch = false;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        batch |= s->id == STEP_BATCH;
        for (size_t k = 0; k < s->tasks.n; k++)
            for (uint32_t r = 0; r < (s->tasks.v[k].n_ranks ? s->tasks.v[k].n_ranks : 1); r++)
                vec_push(&p->v, (struct output_at){.job = j->id,
                                                   .step = s->id,
                                                   .task = s->tasks.v[k].index,
                                                   .rank = step_rank(s, &s->tasks.v[k], r)});
    }
    if (j->kind == JOB_KIND_BATCH && !batch)
        vec_push(&p->v, (struct output_at){.job = j->id, .step = STEP_BATCH});
}

static bool same_place(const struct output_at *a, const struct output_at *b)
{
    return a->step == b->step && a->task == b->task && a->rank == b->rank;
}

/* To the next output that is another file: ranks may share one. */
static void switch_task(struct output *o, int by)
{
    const struct job *j = job_of(o);
    struct places p = {.v = VEC_INIT};
    if (!j)
        return;
    list_places(j, &p);
    size_t here = 0;
    while (here < p.v.n && !same_place(&p.v.v[here], &o->at))
        here++;
    bool found = false;
    for (long i = (long)here + by; !found && i >= 0 && i < (long)p.v.n; i += by) {
        char *path = NULL;
        bool there = stream_path(j, &p.v.v[i], o->err, &path);
        found = there && (!path || !str_eq(path, o->stream.path));
        if (found)
            o->at = p.v.v[i];
        free(path);
    }
    vec_fini(&p.v);
    if (found)
        show(o);
    else
        ui_toast(o->v.ui, ROLE_NORMAL,
                 by > 0 ? "this is the last output of the job" : "this is the first output of the job");
}

static void switch_stream(struct output *o)
{
    const struct job *j = job_of(o);
    char *path = NULL;
    if (!j || !stream_path(j, &o->at, !o->err, &path))
        return;
    if (path && str_eq(path, o->stream.path)) {
        ui_toast(o->v.ui, ROLE_NORMAL, "both standard output and standard error go here");
    } else {
        o->err = !o->err;
        show(o);
    }
    free(path);
}

/* --- keys --- */

static unsigned search_input(struct output *o, const struct input *in)
{
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (key == KEYNAME_ESC) {
        o->typing = false;
    } else if (key == KEYNAME_ENTER) {
        o->typing = false;
        /* At the end, where one is mostly, there is nothing below to be found. */
        pager_find(&o->pager, o->edit.text.s, !pager_at_end(&o->pager));
    } else if (in->kind != INPUT_MOUSE) {
        edit_input(&o->edit, in);
    }
    return DID_HANDLE | DID_REDRAW;
}

static unsigned output_input(struct view *v, const struct input *in)
{
    struct output *o = output_of(v);
    if (o->typing)
        return search_input(o, in);
    if (in->kind != INPUT_MOUSE || !rect_has(o->area, in->y, in->x))
        return 0;
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN) {
        o->pager.follow &= in->what == MOUSE_WHEEL_DOWN;
        pager_scroll(&o->pager, in->what == MOUSE_WHEEL_UP ? -3 : 3);
    }
    return DID_HANDLE | DID_REDRAW;
}

static unsigned output_act(struct view *v, enum action a, const struct input *in)
{
    (void)in;
    struct output *o = output_of(v);
    if (a == ACTION_FIND)
        o->typing = true;
    else if (a == ACTION_FIND_NEXT || a == ACTION_FIND_PREV)
        pager_find_again(&o->pager, a == ACTION_FIND_NEXT);
    else if (a == ACTION_LAST_ERROR)
        pager_find(&o->pager, NULL, false);
    else if (a == ACTION_STREAM)
        switch_stream(o);
    else if (a == ACTION_PREV_TASK || a == ACTION_NEXT_TASK)
        switch_task(o, a == ACTION_NEXT_TASK ? 1 : -1);
    else if (a == ACTION_CLOSE && o->pager.searching)
        pager_stop(&o->pager);
    else if (a == ACTION_BOTTOM) {
        pager_to_end(&o->pager);
        o->pager.follow = is_live(o);
    } else
        return pager_act(&o->pager, a);
    return DID_HANDLE | DID_REDRAW;
}

static bool output_work(struct view *v)
{
    struct output *o = output_of(v);
    if (!o->pager.searching)
        return false;
    bool more = pager_work(&o->pager);
    if (!more) {
        ui_changed(v->ui);
        if (o->pager.not_found)
            ui_toast(v->ui, ROLE_WARN, "nothing found %s",
                     o->pager.forward ? "from here to the end; N looks upwards"
                                      : "from here up; n looks downwards");
    }
    return more;
}

static int output_fd(struct view *v)
{
    return output_of(v)->stream.notify;
}

static unsigned output_wake(struct view *v)
{
    look_again(output_of(v));
    return DID_REDRAW;
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
    .act = output_act,
    .work = output_work,
    .fd = output_fd,
    .wake = output_wake,
};

/* Of a step job: the first task that failed, else the last that has begun. */
static bool most_to_see(const struct job *j, struct output_at *at)
{
    bool found = false;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_WAITING)
                continue;
            *at = (struct output_at){.job = j->id,
                                     .step = j->steps.v[i].id,
                                     .task = t->index,
                                     .rank = step_rank(&j->steps.v[i], t, 0)};
            found = true;
            if (task_failed(t))
                return true;
        }
    return found;
}

void output_open(struct ui *ui, const struct job *j)
{
    struct output_at at = {.job = j->id, .step = STEP_BATCH};
    if (j->kind == JOB_KIND_BATCH || most_to_see(j, &at))
        ui_push(ui, &output_view, &at);
    else
        ui_toast(ui, ROLE_NORMAL,
                 j->kind == JOB_KIND_INTERACTIVE ? "its output is in its own terminal"
                                                 : "nothing of it has started yet");
}
