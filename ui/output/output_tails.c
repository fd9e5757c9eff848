/* output_tails.c - the last lines of many jobs.
 *
 * One reader has the running jobs and a batch of ended ones open. When all of the batch have been read, or
 * took too long, the next batch takes their place.
 */
#include "ui/output/output_tails.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/output/output_nodes.h"

#define BATCH        16
#define BATCH_MAX_MS 10000 /* a node may not answer */

struct output_tails {
    struct view *owner;
    ui_reply_fn *answered; /* the owner's */
    struct output_reader *reader;
    struct places shown; /* of the reader: those of the running jobs, then those of the batch */
    size_t n_live_places;
    VEC(uint32_t) live;  /* jobs that are followed */
    VEC(uint32_t) batch; /* ended jobs that are being read */
    bool batch_open;     /* the reader has them */
    struct mono begun;   /* ... since when */
    uint64_t changes;    /* of lines */
    struct idmap lines;  /* of jobs: char *, never NULL */
    struct idmap read;   /* ended jobs that need not be read again; value: t */
};

struct output_tails *output_tails_new(struct view *owner, ui_reply_fn *answered)
{
    struct output_tails *t = xcalloc(1, sizeof *t);
    t->owner = owner;
    t->answered = answered;
    t->reader = reader_new(ui_threads(owner->ui));
    reader_live(t->reader, true, true);
    return t;
}

void output_tails_free(struct output_tails *t)
{
    if (!t)
        return;
    reader_close(t->reader);
    places_fini(&t->shown);
    vec_fini(&t->live);
    vec_fini(&t->batch);
    idmap_for_each (&t->lines, slot)
        free(slot->value);
    idmap_fini(&t->lines);
    idmap_fini(&t->read);
    free(t);
}

uint64_t output_tails_changes(const struct output_tails *t)
{
    return t->changes;
}

const char *output_tails_line(const struct output_tails *t, uint32_t job)
{
    return idmap_get(&t->lines, job);
}

/* --- reading --- */

static void look_at_tails(struct output_tails *t);

static void add_places(struct output_tails *t, uint32_t job, bool errors)
{
    const struct job *j = ui_job(t->owner->ui, job);
    struct output_at at;
    if (!j || !output_best_place(j, &at))
        return;
    size_t first = t->shown.v.n;
    places_one(j, &at, false, &t->shown);
    if (!errors || t->shown.v.n == first)
        return;
    places_one(j, &at, true, &t->shown);
    struct output_file *last = &t->shown.v.v[t->shown.v.n - 1];
    if (t->shown.v.n == first + 2 && str_eq(last->path, last[-1].path)) {
        free(last->path);
        free(last->label);
        t->shown.v.n--;
    }
}

static void open_places(struct output_tails *t)
{
    struct reading_open open = {.tails = true};
    places_fini(&t->shown);
    vec_for_each (&t->live, i)
        add_places(t, t->live.v[i], false);
    t->n_live_places = t->shown.v.n;
    vec_for_each (&t->batch, i)
        add_places(t, t->batch.v[i], true);
    vec_for_each (&t->shown.v, i)
        vec_push(&open.places, (struct reading_place){.path = xstrdup(t->shown.v.v[i].path),
                                                      .owner = t->shown.v.v[i].owner,
                                                      .label = xstrdup(t->shown.v.v[i].label)});
    t->begun = ui_mono(t->owner->ui);
    t->batch_open = true;
    reader_open(t->reader, &open);
    look_at_tails(t);
}

static void set_line(struct output_tails *t, uint32_t job, const char *line)
{
    const char *old = idmap_get(&t->lines, job);
    if (old && str_eq(old, line))
        return;
    char *copy = xstrdup(line);
    free(idmap_remove(&t->lines, job));
    idmap_set(&t->lines, job, copy);
    t->changes++;
}

/* NULL: nothing has been read of what is open now. */
static const struct reading_state *current_state(struct output_tails *t)
{
    const struct reading_state *s = reader_state(t->reader);
    return reader_is_current(t->reader) ? s : NULL;
}

/* Standard error, which follows standard output, has the last word where it has one. */
static void take_lines(struct output_tails *t)
{
    const struct reading_state *s = current_state(t);
    for (size_t i = 0; s && i < s->tails.n; i++) {
        const struct output_file *p = &t->shown.v.v[i];
        const char *line = s->tails.v[i].line;
        if (p->err)
            continue;
        if (i + 1 < s->tails.n && t->shown.v.v[i + 1].err && !str_is_empty(s->tails.v[i + 1].line))
            line = s->tails.v[++i].line;
        if (line)
            set_line(t, p->at.job, line);
    }
}

static void look_at_tails(struct output_tails *t)
{
    output_nodes_ask(t->reader, &t->shown, t->owner, t->answered);
    take_lines(t);
}

/* --- what is wanted --- */

static bool is_batch_read(struct output_tails *t)
{
    const struct reading_state *s = current_state(t);
    if (ui_mono(t->owner->ui).ns - t->begun.ns > BATCH_MAX_MS * NS_PER_MS)
        return true;
    for (size_t i = t->n_live_places; s && i < s->tails.n; i++)
        if (!s->tails.v[i].settled)
            return false;
    return s != NULL;
}

static bool same_live(const struct output_tails *t, const struct job *const *live, size_t n)
{
    if (n != t->live.n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (t->live.v[i] != live[i]->id)
            return false;
    return true;
}

/* A job without a line has none. */
static void end_batch(struct output_tails *t)
{
    take_lines(t);
    vec_for_each (&t->batch, i) {
        idmap_set(&t->read, t->batch.v[i], t);
        if (!idmap_get(&t->lines, t->batch.v[i]))
            set_line(t, t->batch.v[i], "");
    }
    vec_clear(&t->batch);
}

static void begin_batch(struct output_tails *t, const struct job *const *ended, size_t n)
{
    t->batch_open = false;
    for (size_t i = 0; i < n && t->batch.n < BATCH && t->read.n + t->batch.n < TAILS_ENDED_MAX; i++)
        if (!idmap_get(&t->read, ended[i]->id))
            vec_push(&t->batch, ended[i]->id);
}

void output_tails_want(struct output_tails *t, const struct job *const *live, size_t n_live,
                       const struct job *const *ended, size_t n_ended)
{
    n_live = n_live > TAILS_LIVE_MAX ? TAILS_LIVE_MAX : n_live;
    bool reopen = !same_live(t, live, n_live);
    if (t->batch.n && is_batch_read(t))
        end_batch(t);
    if (!t->batch.n)
        begin_batch(t, ended, n_ended);
    if (!reopen && (!t->batch.n || t->batch_open))
        return;
    vec_clear(&t->live);
    for (size_t i = 0; i < n_live; i++)
        vec_push(&t->live, live[i]->id);
    open_places(t);
}

/* --- the reader has something --- */

int output_tails_fd(const struct output_tails *t)
{
    return reader_fd(t->reader);
}

void output_tails_answered(struct output_tails *t, uint64_t arg, const struct incoming *in)
{
    output_nodes_take(t->reader, arg, in);
    look_at_tails(t);
}

void output_tails_wake(struct output_tails *t)
{
    reader_look(t->reader);
    look_at_tails(t);
}
