/* output_draw.c - draws an output: the title, the text, or why there is none. */
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/steptext.h"
#include "src/values/units.h"
#include "ui/output/output_internal.h"
#include "ui/text/view_text.h"
#include "ui/widget/pane.h"

static void where_text(const struct output_screen *o, struct rich *out)
{
    char size[UNITS_TEXT_SIZE];
    if (!o->state || !o->state->there)
        return;
    if (o->state->size < 1024)
        rich_addf(out, ROLE_DIM, tr("  %lld bytes"), (long long)o->state->size);
    else
        rich_addf(out, ROLE_DIM, "  %s", mem_format_words((uint64_t)o->state->size / 1024, size));
    if (o->state->size > 0)
        rich_addf(out, ROLE_DIM, "  %d%%", o->state->percent);
}

static void state_text(const struct output_screen *o, struct rich *out)
{
    const struct step *s;
    if (!o->state)
        return;
    if (o->state->searching)
        rich_add(out, ROLE_WARN, tr("  searching ..."));
    else if (output_waits(o, &s))
        rich_add(out, ROLE_WAITING, tr("  waiting"));
    else if (output_never_runs(o))
        rich_add(out, ROLE_DIM, tr("  not run"));
    else if (!output_is_live(o))
        rich_add(out, ROLE_DIM, tr("  ended"));
    else if (!o->state->there)
        return; /* nothing to follow yet */
    else if (o->state->follow)
        rich_add(out, ROLE_GOOD, tr("  following"));
    else
        rich_add(out, ROLE_WARN, tr("  paused"));
}

/* The filter, and "3 of 24". */
static void find_text(const struct output_screen *o, struct rich *out)
{
    const struct reading_state *s = o->state;
    if (!s)
        return;
    if (s->filter)
        rich_addf(out, ROLE_WARN, tr("  only %s\"%s\"%s"), s->filter_without ? tr("lines without ") : "",
                  s->filter, s->filter_full ? tr(" (too many lines, the last are missing)") : "");
    if (s->hit)
        rich_addf(out, ROLE_STRONG, tr("  %zu of %zu%s"), s->hit, s->hits, s->more_hits ? "+" : "");
}

static void which_text(const struct output_screen *o, const struct job *j, struct rich *out)
{
    const struct step *s = j ? job_find_step(j, o->at.step) : NULL;
    const struct task *t = s ? step_find_task(s, o->at.task) : NULL;
    char id[16];
    if (o->all) {
        size_t n = o->state ? o->state->n : 0;
        if (o->at.array)
            rich_addf(out, ROLE_NORMAL, tr(" all elements, %zu of %zu outputs"), n,
                      o->shown.v.n + o->shown.more);
        else if (n < o->shown.v.n)
            rich_addf(out, ROLE_NORMAL, tr(" all tasks, %zu of %zu outputs"), n, o->shown.v.n);
        else
            rich_addf(out, ROLE_NORMAL, tr(" all tasks, %zu outputs"), n);
        if (o->shown.more && !o->at.array)
            rich_addf(out, ROLE_WARN, tr(" (%zu more are left out)"), o->shown.more);
        return;
    }
    if (o->at.step != STEP_BATCH) {
        rich_addf(out, ROLE_NORMAL, tr(" step %s"), step_format_id(o->at.step, id));
        if (s && s->tasks.n > 1)
            rich_addf(out, ROLE_NORMAL, tr(" task %u"), o->at.task);
        if (t && t->n_ranks > 1)
            rich_addf(out, ROLE_NORMAL, tr(" rank %u"), o->at.rank);
    }
    if (o->err)
        rich_add(out, ROLE_WARN, tr("  stderr"));
}

void output_title(struct view *v, struct rich *out)
{
    struct output_screen *o = output_screen_of(v);
    const struct job *j = output_job(o);
    rich_add(out, ROLE_TITLE, tr("Output "));
    if (j && o->all && o->at.array)
        str_appendf(&out->text, tr("of array %u"), o->at.array);
    else if (j)
        jobtext_id(&out->text, j, BITSTR_LEN_DEFAULT);
    rich_role(out, ROLE_TITLE);
    if (j)
        rich_addf(out, ROLE_STRONG, "  %s", jobtext_name(j));
    which_text(o, j, out);
    state_text(o, out);
    find_text(o, out);
    if (o->state && o->state->gone) /* this page holds the last copy */
        rich_add(out, ROLE_WARN, tr("  file removed"));
    where_text(o, out);
    if (o->state && o->state->remote)
        rich_add(out, ROLE_DIM, tr("  stored on its node"));
    else if (!o->all && o->shown.v.n && o->shown.v.v[0].path)
        rich_addf(out, ROLE_DIM, "  %s", o->shown.v.v[0].path);
}

static void draw_trouble(const struct output_screen *o, struct canvas *c, struct rect r)
{
    const struct job *j = output_job(o);
    struct pane p = {0};
    lines_addf(&p.lines, ROLE_NORMAL, "%s", o->state->trouble ? o->state->trouble : "");
    if (j && j->state == JOB_PENDING)
        lines_addf(&p.lines, ROLE_DIM, tr("The job has not started. Its output will appear here."));
    else if (output_is_live(o))
        lines_addf(&p.lines, ROLE_DIM, tr("Output will appear here."));
    pane_draw(&p, c, rect_make(r.y + 1, r.x + 2, r.h - 1, r.w - 4));
    pane_fini(&p);
}

/* Says why there is no file. Returns false if there may be one. */
static bool draw_no_start(const struct output_screen *o, struct canvas *c, struct rect r)
{
    const struct job *j = output_job(o);
    const struct step *s;
    struct pane p = {0};
    if (output_waits(o, &s)) {
        struct rich *words = lines_add(&p.lines);
        rich_addf(words, ROLE_NORMAL, tr("Task %u of step %d waits for resources: it "), o->at.task, s->id);
        steptext_needs(&words->text, j, s);
        rich_role(words, ROLE_NORMAL);
        rich_add(words, ROLE_NORMAL, ".");
        lines_addf(&p.lines, ROLE_DIM, tr("Its output will appear here."));
    } else if (output_never_runs(o)) {
        struct rich *words = lines_add(&p.lines);
        rich_addf(words, ROLE_NORMAL, tr("Task %u of step %d: "), o->at.task, s->id);
        task_in_job_words(words, j, s, step_find_task(s, o->at.task), false);
    } else {
        return false;
    }
    pane_draw(&p, c, rect_make(r.y + 1, r.x + 2, r.h - 1, r.w - 4));
    pane_fini(&p);
    return true;
}

static void draw_elements(const struct output_screen *o, struct canvas *c, struct rect r)
{
    const struct job *j = output_job(o);
    struct pane p = {0};
    lines_addf(&p.lines, ROLE_NORMAL, tr("Each element of the array has its own output: %s"),
               o->shown.v.v[0].path);
    if (j && j->state == JOB_PENDING)
        lines_addf(&p.lines, ROLE_DIM,
                   tr("None of these elements has started. A started element has a row of its own."));
    else
        lines_addf(&p.lines, ROLE_DIM, tr("None of these elements has started."));
    pane_draw(&p, c, rect_make(r.y + 1, r.x + 2, r.h - 1, r.w - 4));
    pane_fini(&p);
}

void output_draw_search(struct output_screen *o, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    canvas_fill(c, r, ROLE_NORMAL);
    int x = r.x + 1 +
            canvas_text(c, r.y, r.x + 1, ROLE_TITLE,
                        o->typing == LINE_ONLY   ? tr("only lines with ")
                        : o->typing == LINE_SAVE ? tr("save to ")
                                                 : tr("search "),
                        r.w - 2);
    edit_draw(&o->edit, c, r.y, x, r.x + r.w - 1 - x);
}

void output_draw_body(const struct output_screen *o, struct canvas *c, struct rect r)
{
    const struct reading_state *s = o->state;
    if (draw_no_start(o, c, r))
        return;
    if (!o->shown.v.n)
        canvas_text(c, r.y + 1, r.x + 2, ROLE_DIM, tr("This task has no node yet."), r.w - 4);
    else if (o->shown.v.v[0].own)
        draw_elements(o, c, r);
    else if (!s)
        canvas_text(c, r.y + 1, r.x + 2, ROLE_DIM, tr("Reading ..."), r.w - 4);
    else if (!s->asking && (!s->there || (s->trouble && !s->size)))
        draw_trouble(o, c, r);
    else if (!s->size)
        canvas_text(c, r.y + 1, r.x + 2, ROLE_DIM,
                    s->asking           ? tr("Fetching ...")
                    : s->filter         ? tr("No line passes the filter.")
                    : output_is_live(o) ? tr("No output so far.")
                                        : tr("No output was written."),
                    r.w - 4);
    else
        page_draw(&s->page, c, r);
}
