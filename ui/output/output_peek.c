/* output_peek.c - the last lines of a job's output. */
#include "ui/output/output_peek.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "ui/output/output_nodes.h"
#include "ui/text/view_text.h"
#include "ui/widget/pane.h"

struct peek_ref {
    struct output_peek *peek; /* NULL: it has gone */
    unsigned n;
};

struct peek_question {
    struct peek_ref *ref;
    uint32_t generation, stream;
    bool piece;
};

static void peek_look(struct output_peek *p);

static void peek_unref(struct peek_ref *ref)
{
    if (--ref->n == 0)
        free(ref);
}

void peek_init(struct output_peek *p, struct view *owner)
{
    *p = (struct output_peek){.owner = owner, .ref = xcalloc(1, sizeof *p->ref)};
    *p->ref = (struct peek_ref){.peek = p, .n = 1};
}

static void peek_forget(struct output_peek *p)
{
    free(p->file.path);
    free(p->file.label);
    p->file = (struct output_file){0};
    p->has_file = false;
    p->state = NULL;
}

void peek_fini(struct output_peek *p)
{
    peek_forget(p);
    reader_close(p->reader);
    if (p->ref) {
        p->ref->peek = NULL;
        peek_unref(p->ref);
    }
    *p = (struct output_peek){0};
}

/* --- nodes --- */

static void peek_question_free(void *arg)
{
    struct peek_question *q = arg;
    peek_unref(q->ref);
    free(q);
}

static void peek_answered(struct ui *ui, const struct incoming *in, void *arg)
{
    struct peek_question *q = arg;
    struct output_peek *p = q->ref->peek;
    const char *why;
    const struct msg_output_data *d = output_nodes_data(in, &why);
    if (!p)
        return;
    reader_take(p->reader, q->generation, q->stream, q->piece, d, why);
    peek_look(p);
    ui_changed(ui);
}

static void peek_ask(struct output_peek *p, const struct stream_ask *a, uint32_t generation)
{
    struct msg_output_read m = output_nodes_question(&p->file, a);
    struct peek_question *q = xcalloc(1, sizeof *q);
    *q = (struct peek_question){
        .ref = p->ref, .generation = generation, .stream = a->stream, .piece = a->piece};
    p->ref->n++;
    if (!ui_online(p->owner->ui)) {
        peek_question_free(q);
        reader_take(p->reader, generation, a->stream, a->piece, NULL, tr("There is no connection."));
    } else if (!ui_ask(p->owner->ui, MSG_OUTPUT_READ, &m, peek_answered, q, peek_question_free)) {
        reader_take(p->reader, generation, a->stream, a->piece, NULL, tr("There is no connection."));
    }
}

static void peek_look(struct output_peek *p)
{
    struct stream_ask a;
    uint32_t generation;
    while (p->reader && reader_next_ask(p->reader, &a, &generation))
        peek_ask(p, &a, generation);
    p->state = p->reader && p->has_file ? reader_state(p->reader) : NULL;
}

/* --- what is read --- */

static bool peek_shows(const struct output_peek *p, const struct output_at *at)
{
    return p->has_file && p->at.job == at->job && p->at.step == at->step && p->at.task == at->task &&
           p->at.rank == at->rank;
}

static void peek_open(struct output_peek *p, const struct job *j, const struct output_at *at)
{
    struct places places = {.more = 0};
    peek_forget(p);
    p->at = *at;
    places_one(j, at, false, &places);
    p->has_file = places.v.n && !places.v.v[0].own;
    if (p->has_file) {
        struct reading_open open = {.merged = false};
        p->file = places.v.v[0];
        places.v.v[0] = (struct output_file){0};
        vec_push(&open.places, (struct reading_place){.path = xstrdup(p->file.path),
                                                      .owner = p->file.owner,
                                                      .label = xstrdup("")});
        if (!p->reader)
            p->reader = reader_new(ui_threads(p->owner->ui));
        reader_live(p->reader, p->live, p->began);
        reader_resize(p->reader, p->height > 0 ? p->height : 1, p->width > 0 ? p->width : 1);
        reader_open(p->reader, &open);
    }
    places_fini(&places);
}

void peek_show(struct output_peek *p, const struct job *j, const struct output_at *at)
{
    struct output_at best;
    if (!j || (!at && !output_best_place(j, &best))) {
        peek_forget(p);
        p->at = (struct output_at){0};
        return;
    }
    at = at ? at : &best;
    const struct step *s = job_find_step(j, at->step);
    const struct task *t = s ? step_find_task(s, at->task) : NULL;
    bool live = t ? t->state != TASK_DONE : !job_state_is_final((enum job_state)j->state);
    bool began = j->state != JOB_PENDING, changed = live != p->live || began != p->began;
    p->live = live;
    p->began = began;
    if (!peek_shows(p, at))
        peek_open(p, j, at);
    else if (changed)
        reader_live(p->reader, live, began);
    peek_look(p);
}

/* --- drawing --- */

bool peek_has_lines(const struct output_peek *p)
{
    return p->state && p->state->there && p->state->size > 0;
}

static const char *peek_nothing(const struct output_peek *p)
{
    if (!p->has_file || !p->began)
        return tr("No output yet.");
    if (!p->state || (p->state->asking && !p->state->there))
        return tr("Reading ...");
    if (p->state->trouble && !p->state->size)
        return p->state->trouble;
    return p->live ? tr("No output so far.") : tr("No output was written.");
}

void peek_draw(struct output_peek *p, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    if (r.h != p->height || r.w != p->width) {
        p->height = r.h;
        p->width = r.w;
        if (p->reader)
            reader_resize(p->reader, r.h, r.w);
        peek_look(p);
    }
    if (peek_has_lines(p)) {
        page_draw(&p->state->page, c, r);
        return;
    }
    struct pane why = {0};
    lines_addf(&why.lines, ROLE_DIM, "%s", peek_nothing(p));
    pane_draw(&why, c, r);
    pane_fini(&why);
}

void peek_name(const struct output_peek *p, const struct job *j, struct str *out)
{
    const struct step *s = job_find_step(j, p->at.step);
    char id[16];
    if (!p->has_file || j->steps.n < 2 || !s)
        return;
    if (s->id < 0)
        str_append(out, step_format_id(s->id, id));
    else if (s->tasks.n > 1)
        str_appendf(out, tr("step %d task %u"), s->id, p->at.task);
    else
        str_appendf(out, tr("step %d"), s->id);
}

/* --- the view's --- */

int peek_fd(const struct output_peek *p)
{
    return p->reader ? reader_fd(p->reader) : -1;
}

unsigned peek_wake(struct output_peek *p)
{
    if (p->reader)
        reader_look(p->reader);
    peek_look(p);
    return DID_REDRAW;
}

bool peek_work(struct output_peek *p)
{
    bool more = p->reader && reader_work(p->reader);
    peek_look(p);
    return more;
}
