/* array_view.c - the page of an array.
 *
 *      Array 8  sweep  100 elements of alice, 8 at a time, gpu
 *      ######################!!>>>>.....................   34 done 2 failed 8 running 56 waiting
 *      done about 17:05, an element takes 8:10 (6:02 to 11:40)
 *
 *        0  # # # # ! # # # # #
 *       10  # # > > . . . . . .
 *      _4  failed: exit 1 ...
 *
 *      Running                               | Failed
 *        _11  gpu02/0  ####....  epoch 7/20  |   1 failed: exit 1  4
 *      Events                                | Run times, Use
 *
 * Below WIDE columns the sections stand in one pane below one another.
 */
#include "ui/array/array_view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/array/array_internal.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/form/form_view.h"
#include "ui/form/resubmit.h"
#include "ui/jobs/array_info.h"
#include "ui/jobs/depends_view.h"
#include "ui/jobs/job_view.h"
#include "ui/jobs/why_view.h"
#include "ui/output/output_view.h"

#define WIDE          110 /* columns that have room for two panes */
#define FETCH_AT_ONCE 2000
#define EVENTS_MAX    40
#define EVENTS_BESIDE 8 /* below what runs, in a wide window */
#define RUNNING_LEAST 4
#define PANE_LEAST    6 /* lines that are left to the sections */

static struct array_screen *array_screen_of(struct view *v)
{
    return (struct array_screen *)(void *)v;
}

/* --- what there is --- */

static const char *array_view_line(const void *ctx, uint32_t job)
{
    return output_tails_line(ctx, job);
}

static void want_lines(struct array_screen *a)
{
    const struct job *live[TAILS_LIVE_MAX], *failed[TAILS_ENDED_MAX];
    size_t n_live = 0, n_failed = 0;
    for (size_t i = 0; i < a->e.v.n; i++) {
        const struct array_element *x = &a->e.v.v[i];
        if (x->is == ELEMENT_RUNNING && n_live < TAILS_LIVE_MAX)
            live[n_live++] = x->job;
        else if (x->is == ELEMENT_FAILED && x->job && n_failed < TAILS_ENDED_MAX)
            failed[n_failed++] = x->job;
    }
    output_tails_want(a->tails, live, n_live, failed, n_failed);
}

/* The groups have the lines that were known then. */
static void group_failures(struct array_screen *a)
{
    array_failures_fill(&a->failures, &a->e, array_view_line, a->tails);
    a->grouped = output_tails_changes(a->tails);
}

static void array_past_fetched(struct ui *ui, uint64_t arg, bool ok)
{
    (void)arg;
    if (!ok)
        ui_toast(ui, ROLE_WARN, tr("the history could not be read"));
    ui_changed(ui);
}

/* From then on what leaves the queue of it is kept. */
static void fetch_past(struct array_screen *a)
{
    a->fetched = true;
    ui_fetch_array(a->v.ui, a->e.id, array_past_fetched, 0);
}

static void array_fill(struct array_screen *a)
{
    struct past_view past;
    past.n = ui_past(a->v.ui, &past.jobs);
    array_elements_fill(&a->e, ui_model(a->v.ui), &past, ui_now(a->v.ui));
    array_times_fill(&a->times, &a->e);
    want_lines(a);
    group_failures(a);
    if (!a->fetched && (!a->e.any || (a->e.unknown && a->e.unknown <= FETCH_AT_ONCE)))
        fetch_past(a);
}

static void tails_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    output_tails_answered(array_screen_of(owner)->tails, arg, in);
    ui_changed(ui);
}

/* --- life --- */

static struct view *array_open(struct ui *ui, const void *arg)
{
    const uint32_t *id = arg;
    struct array_screen *a = xcalloc(1, sizeof *a);
    a->v = (struct view){.ops = &array_view, .ui = ui};
    a->e.id = *id;
    a->tails = output_tails_new(&a->v, tails_answered);
    array_fill(a);
    return &a->v;
}

static void array_close(struct view *v)
{
    struct array_screen *a = array_screen_of(v);
    output_tails_free(a->tails);
    array_failures_fini(&a->failures);
    array_elements_fini(&a->e);
    for (size_t i = 0; i < ARRAY_PANES; i++)
        pane_fini(&a->panes[i]);
    free(a);
}

static void array_sync(struct view *v)
{
    if (ui_array_changed(v->ui, array_screen_of(v)->e.id))
        array_fill(array_screen_of(v));
}

/* --- drawing --- */

static void array_draw_line(struct canvas *c, struct rect *r, struct rich *take_text)
{
    struct rect line = rect_take_top(r, 1);
    if (!rect_is_empty(line))
        rich_draw(take_text, c, line.y, line.x, line.w);
    rich_fini(take_text);
}

static void array_draw_head(struct array_screen *a, struct canvas *c, struct rect *r)
{
    struct rich text;
    rich_init(&text);
    array_bar(a, r->w, &text);
    array_draw_line(c, r, &text);
    rich_init(&text);
    array_estimate(a, &text);
    array_draw_line(c, r, &text);
}

/* Where there are few lines the legend goes first. */
static void draw_elements_map(struct array_screen *a, struct canvas *c, struct rect *r, bool roomy)
{
    struct rich text;
    bool legend = r->h > PANE_LEAST + 3;
    int most = (r->h - (legend ? PANE_LEAST + 3 : 4)) / (roomy ? 2 : 1);
    int rows = array_grid_fit(&a->grid, &a->e, r->w, most);
    if (!rows)
        return;
    if (legend)
        array_grid_legend(&a->grid, &a->times, c, rect_take_top(r, 1));
    array_grid_draw(&a->grid, &a->e, &a->times, c, rect_take_top(r, rows), a->focus == 0);
    rich_init(&text);
    array_current(a, &text);
    array_draw_line(c, r, &text);
}

static void fill_narrow(struct array_screen *a, int width)
{
    struct lines *l = &a->panes[0].lines;
    lines_clear(l);
    array_add_failed(a, l, width);
    array_add_running(a, l, width, TAILS_LIVE_MAX);
    array_add_times(a, l, width);
    array_add_use(a, l, width);
    array_add_events(a, l, EVENTS_MAX);
}

static void fill_wide(struct array_screen *a, int left, int right, int height)
{
    int running = height - EVENTS_BESIDE - 3;
    running = running < RUNNING_LEAST ? RUNNING_LEAST : running;
    struct lines *l = &a->panes[0].lines, *r = &a->panes[1].lines;
    lines_clear(l);
    lines_clear(r);
    array_add_running(a, l, left, (size_t)running);
    array_add_events(a, l, EVENTS_MAX);
    array_add_failed(a, r, right);
    array_add_times(a, r, right);
    array_add_use(a, r, right);
}

static void draw_panes(struct array_screen *a, struct canvas *c, struct rect r)
{
    a->n_panes = r.w >= WIDE ? 2 : 1;
    a->focus = a->focus > a->n_panes ? 0 : a->focus;
    a->pane_areas[0] = r;
    a->pane_areas[1] = (struct rect){0};
    if (a->n_panes == 2) {
        a->pane_areas[0] = rect_take_left(&r, r.w * 11 / 20);
        a->pane_areas[1] = r;
        a->pane_areas[0].w -= 3;
        fill_wide(a, a->pane_areas[0].w - 2, r.w - 2, r.h);
    } else {
        fill_narrow(a, r.w - 2);
    }
    for (int i = 0; i < a->n_panes; i++)
        pane_draw(&a->panes[i], c, a->pane_areas[i]);
}

static void array_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct array_screen *a = array_screen_of(v);
    struct rect r = rect_make(l->body.y, l->body.x + 1, l->body.h, l->body.w - 2);
    bool roomy = r.h >= 28;
    if (!a->e.any) {
        canvas_text(c, r.y, r.x + 1, ROLE_DIM,
                    tr("No element of this array is in the queue any more. q goes back."), r.w - 2);
        return;
    }
    want_lines(a);
    if (a->grouped != output_tails_changes(a->tails))
        group_failures(a);
    v->ticks = a->e.counts[ELEMENT_RUNNING] > 0;
    if (roomy)
        rect_take_top(&r, 1);
    array_draw_head(a, c, &r);
    if (roomy)
        rect_take_top(&r, 1);
    draw_elements_map(a, c, &r, roomy);
    rect_take_top(&r, 1);
    draw_panes(a, c, r);
}

/* --- acting --- */

static const struct array_element *element_under_cursor(const struct array_screen *a)
{
    return a->e.v.n ? &a->e.v.v[a->grid.cursor] : NULL;
}

/* The record of what has not started is a job of the array too. */
static void act_on_array(struct array_screen *a, enum action action)
{
    const struct job **members = xreallocarray(NULL, a->e.v.n + 1, sizeof *members);
    struct targets t = {0};
    size_t n = 0;
    for (size_t i = 0; i < a->e.v.n; i++)
        if (a->e.v.v[i].job && !a->e.v.v[i].gone)
            members[n++] = a->e.v.v[i].job;
    if (a->e.record)
        members[n++] = a->e.record;
    if (n)
        targets_add_array(&t, members, n);
    submit_act_on_jobs(a->v.ui, action, &t);
    free(members);
}

static void ask_why_array(struct array_screen *a)
{
    struct array_row row = array_screen_row(a);
    if (row.pending)
        why_open(a->v.ui, row.pending);
    else if (a->e.any)
        why_open(a->v.ui, a->e.any);
}

static bool tell_not_here(struct array_screen *a, const struct array_element *x)
{
    if (x->job)
        return false;
    if (x->gone) {
        ui_toast(a->v.ui, ROLE_NORMAL, tr("element %u has left the queue: reading the history ..."),
                 x->index);
        fetch_past(a);
    } else {
        ui_toast(a->v.ui, ROLE_NORMAL, tr("element %u has not started yet"), x->index);
    }
    return true;
}

static void open_element(struct array_screen *a)
{
    const struct array_element *x = element_under_cursor(a);
    if (!x || array_grid_open(&a->grid))
        return;
    if (!tell_not_here(a, x))
        ui_push(a->v.ui, &jobpage_view, &x->job->id);
}

static void open_element_output(struct array_screen *a)
{
    const struct array_element *x = element_under_cursor(a);
    if (x && !tell_not_here(a, x))
        output_open(a->v.ui, x->job);
}

static void next_failure(struct array_screen *a)
{
    for (size_t i = 1; i <= a->e.v.n; i++) {
        size_t at = (a->grid.cursor + i) % a->e.v.n;
        if (a->e.v.v[at].is == ELEMENT_FAILED) {
            array_grid_go(&a->grid, at);
            a->focus = 0;
            return;
        }
    }
    ui_toast(a->v.ui, ROLE_NORMAL, tr("no element of this array failed"));
}

/* The slowest one; from an element that this key has chosen to the next slower one. */
static void next_slow(struct array_screen *a)
{
    bool again = a->slow && a->grid.exact && a->slow_at == a->grid.cursor;
    size_t at = array_times_slower(&a->e, again ? a->grid.cursor : SIZE_MAX);
    if (at == SIZE_MAX) {
        ui_toast(a->v.ui, ROLE_NORMAL,
                 again ? tr("no other element has run") : tr("no element has run yet"));
        return;
    }
    array_grid_go(&a->grid, at);
    a->slow = true;
    a->slow_at = at;
    a->focus = 0;
}

/* --- keys --- */

/* What submits it again: bigger as the element under the cursor needed, else as one that failed. */
static const struct job *job_to_submit(const struct array_screen *a, enum action action)
{
    const struct array_element *x = element_under_cursor(a);
    if (action != ACTION_BIGGER)
        return a->e.any;
    return x && x->job && x->is == ELEMENT_FAILED ? x->job
           : a->failures.v.n                      ? a->failures.v.v[0].like
                                                  : a->e.any;
}

static void step_focus(struct array_screen *a)
{
    a->focus = (a->focus + 1) % (a->n_panes + 1);
}

static unsigned array_move(struct array_screen *a, enum action action)
{
    if (a->focus)
        return pane_act(&a->panes[a->focus - 1], action);
    if (array_grid_move(&a->grid, action))
        return DID_HANDLE | DID_REDRAW;
    unsigned did = 0; /* pages turn the sections */
    for (int i = 0; i < a->n_panes; i++)
        did |= pane_act(&a->panes[i], action);
    return did;
}

static bool array_act_own(struct array_screen *a, enum action action)
{
    switch ((int)action) {
    case ACTION_ELEMENT: open_element(a); break;
    case ACTION_ELEMENT_OUTPUT: open_element_output(a); break;
    case ACTION_ELEMENT_OUTPUTS: output_open_array(a->v.ui, a->e.id); break;
    case ACTION_ELEMENT_FAILED: next_failure(a); break;
    case ACTION_ELEMENT_SLOW: next_slow(a); break;
    case ACTION_ELEMENTS_PAST: fetch_past(a); break;
    case ACTION_THROTTLE_MORE: array_throttle_change(a, true); break;
    case ACTION_THROTTLE_LESS: array_throttle_change(a, false); break;
    case ACTION_ELEMENT_LEFT: array_grid_step(&a->grid, -1); break;
    case ACTION_ELEMENT_RIGHT: array_grid_step(&a->grid, 1); break;
    case ACTION_ARRAY_PANEL: step_focus(a); break;
    default: return false;
    }
    return true;
}

static unsigned array_act(struct view *v, enum action action, const struct input *in)
{
    (void)in;
    struct array_screen *a = array_screen_of(v);
    if (!a->e.any)
        return 0;
    if (array_act_own(a, action))
        return DID_HANDLE | DID_REDRAW;
    if (action == ACTION_CLOSE && (a->focus || a->grid.n_zooms)) {
        if (a->focus)
            a->focus = 0;
        else
            array_grid_close(&a->grid);
    } else if (action == ACTION_WHY) {
        ask_why_array(a);
    } else if (act_is_job_action(action)) {
        act_on_array(a, action);
    } else if (action == ACTION_DEPENDS) {
        depends_open(v->ui, a->e.record ? a->e.record : a->e.any);
    } else if (!again_act(v->ui, job_to_submit(a, action), action)) {
        return array_move(a, action);
    }
    return DID_HANDLE | DID_REDRAW;
}

/* As a line of the run times, which is numbers and a bar. */
static bool has_no_words(const char *s)
{
    while (*s && !isalpha((unsigned char)*s))
        s++;
    return !*s;
}

/* The element that a pane names there ("_17"), or the next one of a run time; SIZE_MAX: neither. */
static size_t element_said_at(struct array_screen *a, int pane, const struct input *in)
{
    const char *text = pane_text_at(&a->panes[pane], a->pane_areas[pane], in->y);
    struct str word = STR_INIT;
    char bin[UNITS_TEXT_SIZE];
    size_t place = SIZE_MAX;
    uint64_t index;
    if (!text)
        return SIZE_MAX;
    pane_word_in(text, in->x - a->pane_areas[pane].x, &word);
    const char *digits = word.len && *word.s == '_' ? word.s + 1 : "";
    if (digits_take(&digits, &index) && index < ARRAY_NONE)
        place = array_elements_find(&a->e, (uint32_t)index);
    text += strspn(text, " ");
    for (uint32_t i = 0; a->times.n_bins > 1 && place == SIZE_MAX && i < a->times.n_bins; i++) {
        duration_format(a->times.first_s + i * a->times.bin_s, bin);
        if (str_starts(text, bin) && text[strlen(bin)] == ' ' && has_no_words(text))
            place = array_times_next_in(&a->times, &a->e, i, array_grid_current(&a->grid).from);
    }
    str_fini(&word);
    return place;
}

static unsigned array_input(struct view *v, const struct input *in)
{
    struct array_screen *a = array_screen_of(v);
    size_t place;
    if (in->kind != INPUT_MOUSE)
        return 0;
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN) {
        for (int i = 0; i < a->n_panes; i++)
            if (rect_has(a->pane_areas[i], in->y, in->x))
                pane_scroll(&a->panes[i], in->what == MOUSE_WHEEL_UP ? -3 : 3);
        return DID_HANDLE | DID_REDRAW;
    }
    if (array_grid_at(&a->grid, in->y, in->x, &place)) {
        a->focus = 0;
        array_grid_point(&a->grid, place);
        if (in->what == MOUSE_DOUBLE)
            open_element(a);
        return DID_HANDLE | DID_REDRAW;
    }
    for (int i = 0; i < a->n_panes; i++)
        if (rect_has(a->pane_areas[i], in->y, in->x)) {
            size_t said = element_said_at(a, i, in);
            if (said != SIZE_MAX)
                array_grid_go(&a->grid, said);
            a->focus = said == SIZE_MAX ? i + 1 : 0;
            if (said != SIZE_MAX && in->what == MOUSE_DOUBLE)
                open_element(a);
            return DID_HANDLE | DID_REDRAW;
        }
    return 0;
}

static const char *array_label(struct view *v, enum action action)
{
    const struct array_screen *a = array_screen_of(v);
    uint32_t left = a->e.counts[ELEMENT_RUNNING] + a->e.counts[ELEMENT_WAITING];
    if (action == ACTION_THROTTLE_MORE && !left)
        return "";
    if ((act_is_job_action(action) || action == ACTION_THROTTLE_MORE) && a->e.any &&
        (left ? !act_is_allowed(v->ui, a->e.any->uid) : !act_applies(v->ui, action, a->e.any)))
        return "";
    switch ((int)action) {
    case ACTION_ELEMENT: {
        struct grid_span span = array_grid_current(&a->grid);
        return span.to > span.from + 1 ? tr("open cell") : NULL;
    }
    case ACTION_ELEMENT_FAILED: return a->e.counts[ELEMENT_FAILED] ? NULL : "";
    case ACTION_ELEMENTS_PAST: return a->e.unknown ? NULL : "";
    case ACTION_THROTTLE_MORE: return a->e.counts[ELEMENT_WAITING] ? NULL : "";
    case ACTION_WHY: return a->e.counts[ELEMENT_WAITING] ? NULL : "";
    case ACTION_RELEASE: return ""; /* rarely of use here, and the line is full */
    case ACTION_CANCEL: return left ? NULL : "";
    case ACTION_FAILED_ONLY: return a->e.counts[ELEMENT_FAILED] ? tr("retry failed") : NULL;
    default: return NULL;
    }
}

static int array_fd(struct view *v)
{
    return output_tails_fd(array_screen_of(v)->tails);
}

static unsigned array_wake(struct view *v)
{
    output_tails_wake(array_screen_of(v)->tails);
    return DID_REDRAW;
}

static bool array_shows_own(struct view *v)
{
    const struct job *j = array_screen_of(v)->e.any;
    return j && j->uid == ui_uid(v->ui);
}

static const enum scope scopes[] = {SCOPE_ARRAY, SCOPE_ACTS, SCOPE_AGAIN, SCOPE_MOVE};

const struct view_ops array_view = {
    .name = "array",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .watches_util = true,
    .open = array_open,
    .close = array_close,
    .sync = array_sync,
    .title = array_title,
    .draw = array_draw,
    .input = array_input,
    .act = array_act,
    .label = array_label,
    .shows_own = array_shows_own,
    .fd = array_fd,
    .wake = array_wake,
};
