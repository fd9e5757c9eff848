/* why_picture.c - the nodes where a job will start, from now until it runs.
 *
 *               v14:20     15:00      16:00  v16:35    17:00
 *     gpu01 0-3 7 pretrain, alice##############52 finetune-7b######
 *           4-7 51 crossval, alice####         52 finetune-7b######
 */
#include "ui/jobs/why_picture.h"

#include <stdlib.h>
#include <time.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "ui/text/view_text.h"

#define LANES_MAX   12
#define LEAST_S     1800 /* of time that the axis shows */
#define OWN_PART    3    /* the job's own run gets a third of the axis */
#define LABEL_GAP   2
#define START_CELLS 6 /* of the mark of the start */

static struct wall why_picture_start(const struct why_picture *p)
{
    return p->plan.rows.v[0].start;
}

/* As much as shows the wait and a part of the run. */
static uint32_t why_picture_span(const struct why_picture *p)
{
    const struct plan_row *own = &p->plan.rows.v[0];
    int64_t wait = wall_elapsed_s(ui_now(p->bars.ui), own->start);
    int64_t run = wall_is_set(own->end) ? wall_elapsed_s(own->start, own->end) : wait;
    int64_t part = wait / (OWN_PART - 1) > LEAST_S ? wait / (OWN_PART - 1) : LEAST_S;
    int64_t span = wait + (run < part ? run : part);
    return (uint32_t)(span > LEAST_S ? span : LEAST_S);
}

static void why_picture_label(const struct lane *l, struct str *out)
{
    str_appendf(out, "%s", l->again ? "" : l->node);
    if (!l->has_gpus)
        return;
    str_append_char(out, ' ');
    lane_gpus_text(l, out);
}

static void why_picture_choose(struct why_picture *p)
{
    struct strv nodes = {0};
    vec_clear(&p->shown);
    p->n_more = 0;
    p->label = 0;
    if (hostlist_expand(p->plan.rows.v[0].nodes, &nodes, NULL) < 0)
        return;
    vec_for_each (&p->bars.lanes.lanes, i) {
        const struct lane *l = &p->bars.lanes.lanes.v[i];
        if (!l->n || !strv_has(&nodes, l->node))
            continue;
        if (p->shown.n >= LANES_MAX) {
            p->n_more++;
            continue;
        }
        struct str label = STR_INIT;
        str_appendf(&label, "%s ", l->node);
        if (l->has_gpus)
            lane_gpus_text(l, &label);
        p->label = (int)label.len > p->label ? (int)label.len : p->label;
        str_fini(&label);
        vec_push(&p->shown, l);
    }
    strv_fini(&nodes);
}

void why_picture_fill(struct why_picture *p, struct ui *ui, const struct msg_why *w)
{
    rec_fini(&msg_plan_rec, &p->plan);
    vec_clear(&p->shown);
    p->bars.ui = ui;
    if (!w || !w->plan.n || !wall_is_set(w->plan.v[0].start))
        return;
    for (size_t i = 0; i < w->plan.n; i++)
        rec_copy(&plan_row_rec, rec_list_push(&p->plan.rows), &w->plan.v[i]);
    struct plan_row *own = &p->plan.rows.v[0];
    char *name = xasprintf("%u %s", own->array_job ? own->array_job : own->job, own->name ? own->name : "");
    free(own->name);
    own->name = name;
    p->bars.own = own;
    str_clear(&p->ahead);
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].code == CAUSE_AHEAD && !p->ahead.len)
            count_text(&p->ahead, w->causes.v[i].n, "%llu job goes first", "%llu jobs go first");
    p->bars.span_s = why_picture_span(p);
    planbars_fill(&p->bars, &p->plan, own->gpus ? PLAN_BY_GPU : PLAN_BY_NODE);
    why_picture_choose(p);
}

void why_picture_fini(struct why_picture *p)
{
    planbars_fini(&p->bars);
    rec_fini(&msg_plan_rec, &p->plan);
    vec_fini(&p->shown);
    str_fini(&p->ahead);
}

int why_picture_height(const struct why_picture *p)
{
    return p->shown.n ? 1 + (int)p->shown.n + (p->n_more > 0) : 0;
}

static int why_picture_column(const struct why_picture *p, struct wall t, int room)
{
    int64_t ms = t.ms - ui_now(p->bars.ui).ms;
    return (int)(ms * room / ((int64_t)p->bars.span_s * MS_PER_S));
}

/* So is what lies outside: the page is scrolled, and the scale may stand above the screen or below it. */
static bool why_picture_is_blank(const struct canvas *c, int y, int x)
{
    if (y < 0 || y >= c->rows || x < 0 || x >= c->cols)
        return true;
    const struct canvas_cell *cell = canvas_at(c, y, x);
    return cell->cp[0] == ' ' && !cell->cp[1];
}

/* Takes away the times of the scale that the cells from x on touch. */
static void why_picture_clear(struct canvas *c, struct rect head, int x, int w)
{
    int from = head.x + x, end = from + w;
    while (from > head.x && !why_picture_is_blank(c, head.y, from - 1))
        from--;
    while (end < head.x + head.w && !why_picture_is_blank(c, head.y, end))
        end++;
    canvas_fill(c, rect_make(head.y, from, 1, end - from), ROLE_NORMAL);
}

/* When there is room. */
static void why_picture_draw_start(const struct why_picture *p, struct canvas *c, struct rect head)
{
    int x = why_picture_column(p, why_picture_start(p), head.w);
    struct str text = STR_INIT;
    when_about(&text, why_picture_start(p), ui_now(p->bars.ui));
    int need = 1 + (int)text.len;
    if (x > START_CELLS + 1 && x + need <= head.w) {
        why_picture_clear(c, head, x, need + 1);
        int used = canvas_glyph(c, head.y, head.x + x, ROLE_WHEN, GLYPH_DOWN);
        canvas_text(c, head.y, head.x + x + used, ROLE_WHEN, text.s, -1);
    }
    str_fini(&text);
}

/* Between the last end and the start other jobs go first; where they will run is not settled. */
static void why_picture_draw_ahead(const struct why_picture *p, struct canvas *c, struct rect head)
{
    int from = 1, to = why_picture_column(p, why_picture_start(p), head.w);
    int y = head.y + 1 + (int)p->shown.n / 2;
    for (size_t i = 1; i < p->plan.rows.n; i++) {
        struct wall end = p->plan.rows.v[i].end;
        int x = wall_is_set(end) && end.ms <= why_picture_start(p).ms
                    ? why_picture_column(p, end, head.w) + 1
                    : 0;
        from = x > from ? x : from;
    }
    int room = to - from - 2;
    if (p->plan.rows.v[0].kind != PLAN_HELD && room >= (int)p->ahead.len && p->ahead.len)
        canvas_text(c, y, head.x + from + 1 + (room - (int)p->ahead.len) / 2, ROLE_DIM, p->ahead.s, room);
}

static void why_picture_draw_lanes(const struct why_picture *p, struct canvas *c, struct rect r,
                                   struct rect head)
{
    vec_for_each (&p->shown, i) {
        struct str label = STR_INIT;
        int y = r.y + 1 + (int)i;
        why_picture_label(p->shown.v[i], &label);
        canvas_text(c, y, r.x + (p->label - (int)label.len) * p->shown.v[i]->again, ROLE_STRONG, label.s,
                    p->label);
        str_fini(&label);
        if (head.w > START_CELLS)
            planbars_draw_lane(&p->bars, c, rect_make(y, head.x, 1, head.w), p->shown.v[i]);
    }
    why_picture_draw_ahead(p, c, head);
}

void why_picture_draw(struct why_picture *p, struct canvas *c, struct rect r)
{
    struct rect old = canvas_clip(c, r);
    int left = p->label + LABEL_GAP;
    struct rect head = rect_make(r.y, r.x + left, 1, r.w - left);
    p->bars.room = head.w;
    if (head.w > START_CELLS) {
        planbars_draw_scale(&p->bars, c, head);
        why_picture_draw_start(p, c, head);
    }
    why_picture_draw_lanes(p, c, r, head);
    if (p->n_more)
        canvas_printf(c, r.y + 1 + (int)p->shown.n, head.x, ROLE_DIM, head.w,
                      tr("%zu more rows; the timeline shows them"), p->n_more);
    canvas_unclip(c, old);
}
