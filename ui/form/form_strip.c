/* form_strip.c - the plan at the foot of the form. */
#include "ui/form/form_strip.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/need.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/form/form_page.h"
#include "ui/info/plan_bars.h"
#include "ui/info/plan_info.h"
#include "ui/text/view_text.h"
#include "ui/view/seldom.h"

#define ASK_PAUSE_MS 4000
#define LABEL_CELLS  13
#define JOBS_BEFORE  12
#define SOON_MS      60000 /* the end of a job and the start of another are planned with gaps */

struct form_strip {
    struct msg_plan plan;
    struct planbars bars;
    struct seldom ask;
    struct plan_row own;        /* the trial's or the job's; its kind is UNKNOWN if it has no bar */
    uint32_t job;               /* the job that is changed; 0: a job that is not in the queue */
    uint32_t limit_s;           /* its time limit after the change; 0: not known */
    struct strv changes, asked; /* of the job; of those the plan was asked for last */
    bool unchanged;             /* the controller does not plan changes */
    struct strip_lanes {
        VEC(size_t) v; /* in bars.lanes, as they are shown */
    } lanes;
};

struct form_strip *formstrip_new(struct ui *ui)
{
    struct form_strip *s = xcalloc(1, sizeof *s);
    s->bars.ui = ui;
    s->own.kind = PLAN_UNKNOWN;
    return s;
}

void formstrip_free(struct form_strip *s)
{
    rec_fini(&msg_plan_rec, &s->plan);
    rec_fini(&plan_row_rec, &s->own);
    planbars_fini(&s->bars);
    vec_fini(&s->lanes.v);
    strv_fini(&s->changes);
    strv_fini(&s->asked);
    free(s);
}

/* --- which lanes are shown --- */

static bool lane_has_own(const struct form_strip *s, const struct lane *l)
{
    for (size_t i = l->first; i < l->first + l->n; i++)
        if (s->bars.lanes.items.v[i].row == s->bars.own)
            return true;
    return false;
}

/* All lanes of that node. */
static void show_node(struct form_strip *s, const char *node)
{
    vec_for_each (&s->bars.lanes.lanes, i)
        if (str_eq(s->bars.lanes.lanes.v[i].node, node))
            vec_push(&s->lanes.v, i);
}

/* Starts now: the nodes that it would get. */
static void show_its_nodes(struct form_strip *s)
{
    const char *last = NULL;
    vec_for_each (&s->bars.lanes.lanes, i) {
        const struct lane *l = &s->bars.lanes.lanes.v[i];
        if (!lane_has_own(s, l) || str_eq(l->node, last))
            continue;
        show_node(s, l->node);
        last = l->node;
    }
}

/* A job that is planned in the same partition, and ends before this one starts. */
static bool goes_before_own(const struct form_strip *s, const struct plan_row *r)
{
    return plan_has_bar(r) && r->job && str_eq(r->partition, s->own.partition) && wall_is_set(r->end) &&
           r->start.ms < s->own.start.ms && r->end.ms <= s->own.start.ms + SOON_MS &&
           (!s->own.gpus || r->gpus);
}

static int strip_by_end(const void *pa, const void *pb)
{
    const struct plan_row *a = *(const struct plan_row *const *)pa,
                          *b = *(const struct plan_row *const *)pb;
    return (a->end.ms < b->end.ms) - (a->end.ms > b->end.ms);
}

static int strip_by_start(const void *pa, const void *pb)
{
    const struct plan_row *a = *(const struct plan_row *const *)pa,
                          *b = *(const struct plan_row *const *)pb;
    return (a->start.ms > b->start.ms) - (a->start.ms < b->start.ms);
}

static void add_row_lane(struct form_strip *s, const struct plan_row *r)
{
    struct planlanes *p = &s->bars.lanes;
    vec_push(&p->items, (struct bar_item){.row = r, .start = r->start, .end = r->end});
    vec_push(&p->lanes, (struct lane){.first = p->items.n - 1, .n = 1});
    vec_push(&s->lanes.v, p->lanes.n - 1);
}

/* Starts later, on nodes that are not settled: the jobs that end last before that time, and this one below
 * them. */
static void show_jobs_before(struct form_strip *s)
{
    VEC(const struct plan_row *) before = VEC_INIT;
    for (size_t i = 0; i < s->plan.rows.n; i++)
        if (goes_before_own(s, &s->plan.rows.v[i]))
            vec_push(&before, &s->plan.rows.v[i]);
    if (before.n)
        qsort(before.v, before.n, sizeof *before.v, strip_by_end);
    before.n = before.n < JOBS_BEFORE ? before.n : JOBS_BEFORE;
    if (before.n)
        qsort(before.v, before.n, sizeof *before.v, strip_by_start);
    add_row_lane(s, &s->own);
    vec_for_each (&before, i)
        add_row_lane(s, before.v[i]);
    vec_fini(&before);
}

static void strip_set_span(struct form_strip *s)
{
    static const uint32_t hours[] = {1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 168};
    size_t i = 0, n = sizeof hours / sizeof hours[0];
    int64_t until = wall_elapsed_s(ui_now(s->bars.ui), s->own.end);
    while (i + 1 < n && hours[i] * 3600 < until + until / 8)
        i++;
    s->bars.span_s = hours[i] * 3600;
}

/* The plan's row of the job that is changed; NULL: it has no bar. */
static struct plan_row *strip_row_of_job(struct form_strip *s)
{
    bool holds = s->limit_s || !s->unchanged; /* its planned start, until there is another one */
    for (size_t i = 0; s->job && holds && i < s->plan.rows.n; i++) {
        struct plan_row *r = &s->plan.rows.v[i];
        if (r->job == s->job && r->kind != PLAN_RUNNING && plan_has_bar(r))
            return r;
    }
    return NULL;
}

static void strip_name_own(struct form_strip *s)
{
    struct str name = STR_INIT;
    str_append(&name, tr("this job, until "));
    when_about(&name, s->own.end, ui_now(s->bars.ui));
    free(s->own.name);
    s->own.name = str_take(&name);
}

static void strip_follow_job(struct form_strip *s, const struct plan_row *row)
{
    rec_fini(&plan_row_rec, &s->own);
    s->own = (struct plan_row){.kind = PLAN_UNKNOWN};
    if (!row)
        return;
    rec_copy(&plan_row_rec, &s->own, row);
    s->own.kind = PLAN_HELD;
    if (s->limit_s)
        s->own.end = wall_add_s(s->own.start, s->limit_s);
    strip_name_own(s);
}

void formstrip_sync(struct form_strip *s)
{
    struct plan_row *before = strip_row_of_job(s);
    uint32_t kind = before ? before->kind : PLAN_UNKNOWN;
    vec_clear(&s->lanes.v);
    s->bars.own = NULL;
    if (s->job)
        strip_follow_job(s, before);
    if (!formstrip_is_there(s))
        return;
    if (before) /* its bar is the other one */
        before->kind = PLAN_UNKNOWN;
    size_t at = before ? (size_t)(before - s->plan.rows.v) : 0;
    /* The row is one of the plan while the lanes are made; it goes to the end, and out again. */
    struct plan_row *row = rec_list_push(&s->plan.rows);
    *row = s->own;
    strip_set_span(s);
    planbars_fill(&s->bars, &s->plan, s->own.gpus ? PLAN_BY_GPU : PLAN_BY_NODE);
    vec_for_each (&s->bars.lanes.items, i)
        if (s->bars.lanes.items.v[i].row == row)
            s->bars.lanes.items.v[i].row = &s->own;
    s->plan.rows.n--;
    if (s->job)
        s->plan.rows.v[at].kind = kind;
    s->bars.own = &s->own;
    if (s->own.nodes)
        show_its_nodes(s);
    else
        show_jobs_before(s);
}

/* --- what the controller says --- */

static void strip_ask(struct form_strip *s, struct view *v);

static bool strip_asks_for_changes(const struct form_strip *s)
{
    return s->job && s->changes.n && !s->unchanged;
}

static bool strip_has_other_changes(const struct form_strip *s)
{
    bool other = s->changes.n != s->asked.n;
    for (size_t i = 0; !other && i < s->asked.n; i++)
        other = !str_eq(s->changes.v[i], s->asked.v[i]);
    return other && !s->unchanged;
}

/* The controller refuses the changes, or it cannot plan with them: no bar is drawn. It may answer the next
 * question. */
static void strip_refused(struct form_strip *s, const struct incoming *in)
{
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    if (!s->asked.n || !r)
        return;
    s->unchanged = s->unchanged || r->refusal == REFUSAL_NOT_SUPPORTED;
    bool stays =
        strip_has_other_changes(s) && s->ask.has; /* they are asked about next: it does not flicker */
    s->ask = (struct seldom){.has = stays};
    if (!stays)
        rec_fini(&msg_plan_rec, &s->plan);
    formstrip_sync(s);
}

static void strip_plan_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct form_strip *s = form_page_of(owner)->strip;
    if (seldom_answered(&s->ask, in, MSG_PLAN_DATA)) {
        rec_fini(&msg_plan_rec, &s->plan);
        rec_copy(&msg_plan_rec, &s->plan, in->body);
        s->unchanged = s->unchanged || (s->asked.n && !s->plan.changed);
        formstrip_sync(s);
    } else {
        strip_refused(s, in);
    }
    if (in && (strip_has_other_changes(s) || (s->unchanged && !s->ask.has)))
        strip_ask(s, owner);
    ui_changed(ui);
}

/* The job's time, or that of jobs that name none there. */
static uint32_t strip_limit_s(const struct model *m, const struct msg_submit *sent, const char *partition)
{
    const struct part_spec *p = model_get_part(m, partition ? partition : "");
    uint32_t limit = sent->req.time_limit_s;
    if (limit == DURATION_NOT_SET && p)
        limit = p->default_time_s != DURATION_NOT_SET ? p->default_time_s : p->max_time_s;
    return limit >= DURATION_NOT_SET / 2 ? 365 * 86400 : limit;
}

static void strip_set_own(struct form_strip *s, const struct msg_submit *m, const struct msg_result *r)
{
    const struct cause *why = &r->cause;
    struct ui *ui = s->bars.ui;
    struct job_need need;
    job_need(&m->req, &need);
    struct wall start = wall_is_set(why->at) && why->at.ms > ui_now(ui).ms ? why->at : ui_now(ui),
                end = wall_add_s(start, strip_limit_s(ui_model(ui), m, why->part));
    s->own = (struct plan_row){
        .kind = PLAN_HELD,
        .count = 1,
        .partition = why->part ? xstrdup(why->part) : NULL,
        .nodes = r->count && why->nodes ? xstrdup(why->nodes) : NULL,
        .n_nodes = need.nodes,
        .gpus = need.gpus,
        .start = start,
        .end = end,
    };
    strip_name_own(s);
}

static void strip_ask(struct form_strip *s, struct view *v)
{
    bool changes = strip_asks_for_changes(s);
    if (!seldom_is_due(&s->ask, s->bars.ui, strip_has_other_changes(s) ? 0 : ASK_PAUSE_MS))
        return;
    strv_fini(&s->asked);
    s->asked = changes ? strv_copy(&s->changes) : (struct strv){0};
    struct msg_plan_get get = {.job = changes ? s->job : 0, .changes = s->asked};
    seldom_sent(&s->ask, ui_send(s->bars.ui, MSG_PLAN, &get, v, strip_plan_answered, 0));
}

void formstrip_take_change(struct form_strip *s, struct view *v, uint32_t job, uint32_t limit_s,
                           const struct strv *changes)
{
    s->job = job;
    s->limit_s = limit_s;
    strv_fini(&s->changes);
    s->changes = strv_copy(changes);
    formstrip_sync(s);
    strip_ask(s, v);
}

struct wall formstrip_start(const struct form_strip *s, bool *ret_changed)
{
    *ret_changed = s->plan.changed;
    return formstrip_is_there(s) ? s->own.start : (struct wall){0};
}

void formstrip_take_trial(struct form_strip *s, struct view *v, const struct msg_submit *m,
                          const struct msg_result *r)
{
    rec_fini(&plan_row_rec, &s->own);
    s->own = (struct plan_row){.kind = PLAN_UNKNOWN};
    if (r && !r->refusal && r->cause.code == CAUSE_WOULD_START && (r->count || wall_is_set(r->cause.at)) &&
        m->kind != JOB_KIND_STEPS)
        strip_set_own(s, m, r);
    formstrip_sync(s);
    strip_ask(s, v);
}

/* --- the picture --- */

bool formstrip_is_there(const struct form_strip *s)
{
    return s->ask.has && s->own.kind != PLAN_UNKNOWN;
}

void formstrip_place(const struct form_strip *s, struct str *out)
{
    struct str gpus = STR_INIT;
    unsigned n = 0;
    if (!s->own.nodes)
        return;
    str_append(out, s->own.nodes);
    vec_for_each (&s->lanes.v, i) {
        const struct lane *l = &s->bars.lanes.lanes.v[s->lanes.v.v[i]];
        if (!l->has_gpus || !lane_has_own(s, l))
            continue;
        str_append(&gpus, n ? "," : "");
        lane_gpus_text(l, &gpus);
        n += l->gpu_last - l->gpu + 1;
    }
    if (n && s->own.n_nodes == 1)
        str_appendf(out, ", %s %s", n > 1 ? tr("GPUs") : tr("GPU"), gpus.s);
    str_fini(&gpus);
}

static void strip_label(const struct form_strip *s, const struct lane *l, bool again, struct canvas *c,
                        struct rect at)
{
    struct str text = STR_INIT;
    const struct plan_row *row = s->bars.lanes.items.n ? s->bars.lanes.items.v[l->first].row : NULL;
    if (l->node && !again)
        str_append(&text, l->node);
    else if (!l->node && row != s->bars.own)
        planinfo_id(&text, s->bars.ui, row);
    if (l->has_gpus) {
        str_append(&text, text.len ? " " : "");
        lane_gpus_text(l, &text);
    }
    int w = cell_width(text.s);
    canvas_text(c, at.y, at.x + (w < at.w ? at.w - w : 0), lane_has_own(s, l) ? ROLE_STRONG : ROLE_LABEL,
                text.s, at.w);
    str_fini(&text);
}

/* As many lanes as there is room for: its own first, then the others of its nodes, in their order. */
static void strip_choose(const struct form_strip *s, size_t room, bool *ret_shown)
{
    size_t left = room;
    for (int pass = 0; pass < 2; pass++)
        vec_for_each (&s->lanes.v, i) {
            bool own = lane_has_own(s, &s->bars.lanes.lanes.v[s->lanes.v.v[i]]);
            if (left && !ret_shown[i] && own == (pass == 0)) {
                ret_shown[i] = true;
                left--;
            }
        }
}

void formstrip_draw(struct form_strip *s, struct canvas *c, struct rect r)
{
    struct rect labels = rect_take_left(&r, LABEL_CELLS), gap = rect_take_left(&r, 1);
    (void)gap;
    if (r.h < 2 || r.w < 2 * LABEL_CELLS || !s->lanes.v.n)
        return;
    bool *shown = xcalloc(s->lanes.v.n, sizeof *shown);
    const char *last = "";
    int y = r.y + 1;
    s->bars.room = r.w;
    struct rect old = canvas_clip(c, rect_make(r.y, labels.x, r.h, labels.w + 1 + r.w));
    planbars_draw_scale(&s->bars, c, rect_make(r.y, r.x, 1, r.w));
    strip_choose(s, (size_t)r.h - 1, shown);
    vec_for_each (&s->lanes.v, i) {
        const struct lane *l = &s->bars.lanes.lanes.v[s->lanes.v.v[i]];
        if (!shown[i])
            continue;
        strip_label(s, l, str_eq(l->node, last), c, rect_make(y, labels.x, 1, labels.w));
        planbars_draw_lane(&s->bars, c, rect_make(y, r.x, 1, r.w), l);
        last = l->node;
        y++;
    }
    canvas_unclip(c, old);
    free(shown);
}
