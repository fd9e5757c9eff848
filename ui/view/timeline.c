/* timeline.c - the plan on a line of time, by node or by job.
 *
 *      NODE   |13:00      14:00      15:00      16:00
 *      n01    4688########|#####     4720::::::::::::      # running  : a place is held
 *             4701########|################                 . forecast  % window
 *      n02    %%%%%%%%%%%%%%%%%%%%
 *
 * The plan is the scheduler's. It is asked for when the queue has changed, at most every few seconds, while
 * this is on the screen. What stands on a node is put into lanes, so that no two bars are in one line.
 */
#include "ui/view/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/view/jobpage.h"
#include "ui/view/nodeinfo.h"
#include "ui/view/tableview.h"
#include "ui/view/words.h"

#define ASK_PAUSE_MS 4000
#define MINUTE_MS    60000
#define PAST_PART    8 /* of so many parts of the line one is past */
#define INFO_LINES   3
#define WIDTH_MAX    1024

static const uint32_t spans[] = {3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400};
#define N_SPANS (sizeof spans / sizeof spans[0])

struct bar_item { /* a row of the plan on one line of the screen */
    const struct plan_row *row;
    struct wall start, end;
};

struct lane {
    const char *node; /* NULL: by job */
    size_t first, n;  /* in timeline.items */
    bool again;       /* another lane of the node before it */
    uint64_t id;
};

struct timeline {
    struct view v;
    struct table tables[2]; /* by node, by job */
    struct rect body;
    struct msg_plan plan;
    bool has_plan, asking, refused, by_job;
    struct wall asked;
    VEC(struct bar_item) items;
    VEC(struct lane) lanes;
    size_t span, at; /* at: the column of the time cursor; 0: now's */
    int room;        /* cells of the line of time, as last drawn */
};

static struct timeline *timeline_of(struct view *v)
{
    return (struct timeline *)(void *)v;
}

static struct table *table_of(struct timeline *t)
{
    return &t->tables[t->by_job];
}

/* --- asking --- */

static void answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct timeline *t = timeline_of(owner);
    t->asking = false;
    if (!in || in->kind != MSG_PLAN_DATA) {
        t->refused = in != NULL;
        return;
    }
    rec_fini(&msg_plan_rec, &t->plan);
    rec_copy(&msg_plan_rec, &t->plan, in->body);
    t->has_plan = true;
    table_refill(table_of(t));
    ui_changed(ui);
}

static void ask_sometimes(struct timeline *t)
{
    struct wall now = ui_now(t->v.ui);
    struct msg_plan_get get = {.rows_max = 0};
    if (t->asking || t->refused || !ui_has_data(t->v.ui) ||
        (t->has_plan && now.ms - t->asked.ms < ASK_PAUSE_MS))
        return;
    t->asked = now;
    t->asking = ui_send(t->v.ui, MSG_PLAN, &get, &t->v, answered, 0);
}

/* --- rows --- */

/* Half the queue's life is not known: a bar needs both its ends. */
static bool has_bar(const struct plan_row *r)
{
    return r->kind == PLAN_RUNNING || r->kind == PLAN_HELD || r->kind == PLAN_WINDOW ||
           (r->kind == PLAN_FORECAST && wall_is_set(r->start));
}

static struct bar_item item_of(const struct timeline *t, const struct plan_row *r)
{
    struct wall far = wall_add_s(ui_now(t->v.ui), 365 * 86400);
    return (struct bar_item){.row = r, .start = r->start, .end = wall_is_set(r->end) ? r->end : far};
}

static void add_lane(struct timeline *t, const char *node, size_t first, bool again, uint64_t id)
{
    vec_push(
        &t->lanes,
        (struct lane){.node = node, .first = first, .n = t->items.n - first, .again = again, .id = id});
}

static void lanes_by_job(struct timeline *t)
{
    for (size_t i = 0; i < t->plan.rows.n; i++) {
        const struct plan_row *r = &t->plan.rows.v[i];
        size_t first = t->items.n;
        vec_push(&t->items, item_of(t, r));
        uint64_t id = (uint64_t)(r->job ? r->job : UINT32_MAX - (uint32_t)i) << 20 | (i & 0xfffff);
        add_lane(t, NULL, first, false, r->job ? (uint64_t)r->job << 20 | 1 : id);
    }
}

struct on_node {
    VEC(struct bar_item) v;
};

static int by_start(const void *pa, const void *pb)
{
    const struct bar_item *a = pa, *b = pb;
    return a->start.ms != b->start.ms ? (a->start.ms > b->start.ms) - (a->start.ms < b->start.ms)
                                      : (a->row->job > b->row->job) - (a->row->job < b->row->job);
}

/* The first lane whose last bar has ended by then. */
static void lanes_of_node(struct timeline *t, const char *node, struct on_node *on, uint64_t id)
{
    if (!on || !on->v.n) {
        add_lane(t, node, t->items.n, false, id);
        return;
    }
    qsort(on->v.v, on->v.n, sizeof *on->v.v, by_start);
    bool *taken = xcalloc(on->v.n, sizeof *taken);
    for (size_t left = on->v.n, lane = 0; left; lane++) {
        size_t first = t->items.n;
        int64_t end = 0;
        for (size_t i = 0; i < on->v.n; i++)
            if (!taken[i] && on->v.v[i].start.ms >= end) {
                taken[i] = true;
                left--;
                end = on->v.v[i].end.ms;
                vec_push(&t->items, on->v.v[i]);
            }
        add_lane(t, node, first, lane > 0, id + lane);
    }
    free(taken);
}

static void lanes_by_node(struct timeline *t)
{
    const struct model *m = ui_model(t->v.ui);
    struct on_node *all = xcalloc(m->n_nodes + 1, sizeof *all);
    struct idmap index = {0};
    for (size_t i = 0; i < m->n_nodes; i++)
        idmap_set(&index, hash_bytes(m->nodes[i]->spec.name, strlen(m->nodes[i]->spec.name)), &all[i]);
    for (size_t i = 0; i < t->plan.rows.n; i++) {
        const struct plan_row *r = &t->plan.rows.v[i];
        struct strv names = {0};
        struct errtext err;
        if (!r->nodes || !has_bar(r) || hostlist_expand(r->nodes, &names, &err) < 0)
            continue;
        for (size_t k = 0; k < names.n; k++) {
            struct on_node *on = idmap_get(&index, hash_bytes(names.v[k], strlen(names.v[k])));
            if (on)
                vec_push(&on->v, item_of(t, r));
        }
        strv_fini(&names);
    }
    for (size_t i = 0; i < m->n_nodes; i++) {
        if (!str_eq(m->nodes[i]->spec.role, "login"))
            lanes_of_node(t, m->nodes[i]->spec.name, &all[i], (i + 1) << 12);
        vec_fini(&all[i].v);
    }
    idmap_fini(&index);
    free(all);
}

static void fill(void *ctx, struct table *table)
{
    struct timeline *t = ctx;
    vec_clear(&t->items);
    vec_clear(&t->lanes);
    if (t->by_job)
        lanes_by_job(t);
    else
        lanes_by_node(t);
    vec_for_each (&t->lanes, i)
        table_add(table, (struct trow){.id = t->lanes.v[i].id, .data = &t->lanes.v[i]});
}

/* --- the line of time --- */

static struct wall begin_of(const struct timeline *t)
{
    return wall_add_s(ui_now(t->v.ui), -(int64_t)(spans[t->span] / PAST_PART));
}

static int64_t cell_ms(const struct timeline *t, int width)
{
    return (int64_t)spans[t->span] * MS_PER_S / (width > 0 ? width : 1);
}

static int column_of(const struct timeline *t, struct wall when, int width)
{
    int64_t cell = cell_ms(t, width), at = when.ms - begin_of(t).ms;
    int64_t c = at < 0 ? -1 : at / (cell ? cell : 1);
    return c > width ? width : (int)c;
}

static bool is_mine(const struct timeline *t, const struct plan_row *r)
{
    const struct job *j = r->job ? ui_job(t->v.ui, r->job) : NULL;
    return j && j->uid == ui_uid(t->v.ui);
}

static void look_of(const struct timeline *t, const struct plan_row *r, char *sign, enum role *role)
{
    bool mine = is_mine(t, r);
    switch ((enum plan_kind)r->kind) {
    case PLAN_RUNNING:
        *sign = '#';
        *role = mine ? ROLE_RUNNING : ROLE_BAR_USED;
        return;
    case PLAN_HELD:
        *sign = ':';
        *role = mine ? ROLE_STRONG : ROLE_WAITING;
        return;
    case PLAN_FORECAST:
        *sign = '.';
        *role = mine ? ROLE_STRONG : ROLE_DIM;
        return;
    case PLAN_WINDOW:
        *sign = '%';
        *role = ROLE_BAR_OUT;
        return;
    case PLAN_BEYOND:
    case PLAN_UNKNOWN:
    case PLAN_N_KINDS: break;
    }
    *sign = ' ';
    *role = ROLE_DIM;
}

static void put_bar(const struct timeline *t, const struct bar_item *b, char *signs, uint8_t *roles,
                    int width)
{
    char sign, label[64];
    enum role role;
    int from = column_of(t, b->start, width), to = column_of(t, b->end, width);
    from = from < 0 ? 0 : from;
    if (to < 0 || from >= width || !has_bar(b->row))
        return;
    if (to <= from)
        to = from + 1;
    look_of(t, b->row, &sign, &role);
    if (b->row->job)
        snprintf(label, sizeof label, "%u", b->row->array_job ? b->row->array_job : b->row->job);
    else
        snprintf(label, sizeof label, "%s", b->row->name ? b->row->name : "window");
    size_t n = strlen(label);
    for (int c = from; c < to && c < width; c++) {
        size_t k = (size_t)(c - from);
        unsigned char letter = k < n && n + 1 < (size_t)(to - from) ? (unsigned char)label[k] : 0;
        signs[c] = letter > ' ' && letter < 0x7f ? (char)letter : sign;
        roles[c] = (uint8_t)role;
    }
}

/* Nothing starts on a node that takes no jobs. */
static bool lane_is_out(const struct timeline *t, const struct lane *l)
{
    const struct node *n = l->node ? model_get_node(ui_model(t->v.ui), l->node) : NULL;
    return n && node_is_out(n);
}

static void get_plan(const void *ctx, const void *row, struct field *f)
{
    struct timeline *t = (struct timeline *)(uintptr_t)ctx; /* the room is remembered for the scale above */
    const struct lane *l = row;
    char signs[WIDTH_MAX];
    uint8_t roles[WIDTH_MAX];
    int width = f->room > WIDTH_MAX ? WIDTH_MAX : f->room;
    f->has_num = l->n > 0;
    f->num = l->n ? (double)t->items.v[l->first].start.ms : 0;
    if (width <= 0)
        return;
    t->room = width;
    bool out = lane_is_out(t, l);
    int now = column_of(t, ui_now(t->v.ui), width);
    for (int c = 0; c < width; c++) {
        signs[c] = c == now ? '|' : out && c > now ? 'x' : ' ';
        roles[c] = out && c > now ? ROLE_BAR_OUT : ROLE_RULE;
    }
    for (size_t i = l->first; i < l->first + l->n; i++)
        put_bar(t, &t->items.v[i], signs, roles, width);
    for (int c = 0, from = 0; c < width; c = from) {
        while (from < width && roles[from] == roles[c])
            str_append_char(&f->text.text, signs[from++]);
        rich_role(&f->text, (enum role)roles[c]);
    }
}

/* --- columns --- */

static const struct plan_row *first_row(const struct timeline *t, const struct lane *l)
{
    return l->n ? t->items.v[l->first].row : NULL;
}

static void get_where(const void *ctx, const void *row, struct field *f)
{
    const struct timeline *t = ctx;
    const struct lane *l = row;
    const struct plan_row *r = first_row(t, l);
    if (l->node)
        rich_add(&f->text, ROLE_STRONG, l->again && f->room ? "" : l->node);
    else if (r && r->job)
        rich_addf(&f->text, is_mine(t, r) ? ROLE_STRONG : ROLE_NORMAL, "%u",
                  r->array_job ? r->array_job : r->job);
    else if (r)
        rich_add(&f->text, ROLE_BAR_OUT, "window");
}

static void get_who(const void *ctx, const void *row, struct field *f)
{
    const struct timeline *t = ctx;
    const struct lane *l = row;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct plan_row *r = t->items.v[i].row;
        rich_addf(&f->text, ROLE_NORMAL, "%s%s%s%s", f->text.text.len ? " " : "", r->user ? r->user : "",
                  r->user ? "/" : "", r->name ? r->name : "");
        if (!l->node && r->count > 1)
            rich_addf(&f->text, ROLE_DIM, " x%u", r->count);
    }
}

static void get_start(const void *ctx, const void *row, struct field *f)
{
    const struct timeline *t = ctx;
    const struct plan_row *r = first_row(t, row);
    if (!r || ((const struct lane *)row)->node)
        return;
    if (wall_is_set(r->start)) {
        f->has_num = true;
        f->num = (double)r->start.ms;
        when_text(&f->text.text, r->start, ui_now(t->v.ui));
        rich_role(&f->text, r->kind == PLAN_RUNNING ? ROLE_DIM : ROLE_NORMAL);
    } else {
        rich_add(&f->text, ROLE_DIM, r->kind == PLAN_BEYOND ? "later" : "not known");
    }
}

static const struct column by_node[] = {
    {.name = "node",
     .title = "NODE",
     .min = 8,
     .want = 12,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_where},
    {.name = "who",
     .title = "WHO",
     .min = 12,
     .want = 20,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_who},
    {.name = "plan", .title = "", .min = 20, .share = 70, .get = get_plan},
};

static const struct column by_job[] = {
    {.name = "job",
     .title = "JOB",
     .min = 7,
     .want = 8,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_where},
    {.name = "who",
     .title = "WHO",
     .min = 12,
     .want = 22,
     .rank = 2,
     .flags = COLUMN_WORDS,
     .get = get_who},
    {.name = "start", .title = "START", .min = 9, .want = 10, .rank = 1, .get = get_start},
    {.name = "plan", .title = "", .min = 20, .share = 50, .get = get_plan},
};

/* --- the view --- */

static struct view *view_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct timeline *t = xcalloc(1, sizeof *t);
    t->v = (struct view){.ops = &timeline_view, .ui = ui};
    t->span = 2;
    table_init(&t->tables[0], by_node, sizeof by_node / sizeof by_node[0], fill, t);
    table_init(&t->tables[1], by_job, sizeof by_job / sizeof by_job[0], fill, t);
    table_refill(table_of(t));
    ask_sometimes(t);
    t->v.due = mono_add_ms(ui_mono(ui), MINUTE_MS);
    return &t->v;
}

static void view_close(struct view *v)
{
    struct timeline *t = timeline_of(v);
    table_fini(&t->tables[0]);
    table_fini(&t->tables[1]);
    rec_fini(&msg_plan_rec, &t->plan);
    vec_fini(&t->items);
    vec_fini(&t->lanes);
    free(t);
}

static void view_sync(struct view *v)
{
    struct timeline *t = timeline_of(v);
    table_refill(table_of(t));
    ask_sometimes(t);
}

/* Now has moved on. */
static void view_timer(struct view *v)
{
    v->due = mono_add_ms(ui_mono(v->ui), MINUTE_MS);
    ui_changed(v->ui);
}

static void view_title(struct view *v, struct rich *out)
{
    struct timeline *t = timeline_of(v);
    char b[UNITS_TEXT_SIZE];
    rich_add(out, ROLE_TITLE, "Timeline");
    rich_addf(out, ROLE_NORMAL, " %s by %s", duration_format_words(spans[t->span], b),
              t->by_job ? "job" : "node");
    if (table_of(t)->edit.text.len || table_of(t)->list.marks.n)
        tableview_title(v->ui, table_of(t), t->lanes.n, out);
    if (t->has_plan && wall_is_set(t->plan.made))
        rich_addf(out, ROLE_DIM, "   planned %s ago",
                  duration_format_words(wall_elapsed_s(t->plan.made, ui_now(v->ui)), b));
    if (t->plan.n_more)
        rich_addf(out, ROLE_WARN, "   %u more are not shown", t->plan.n_more);
}

static const uint32_t ticks_s[] = {300, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400};

/* The hours over the bars, as many as have room. */
static void draw_scale(const struct timeline *t, struct canvas *c, struct rect head, int width)
{
    struct wall begin = begin_of(t);
    size_t k = 0;
    while (k + 1 < sizeof ticks_s / sizeof ticks_s[0] &&
           (int64_t)ticks_s[k] * MS_PER_S / cell_ms(t, width) < 9)
        k++;
    time_t first = (time_t)(begin.ms / MS_PER_S), step = (time_t)ticks_s[k];
    struct tm tm;
    localtime_r(&first, &tm);
    time_t offset = tm.tm_gmtoff;
    for (time_t at = (first + offset) / step * step + step - offset;; at += step) {
        int col = column_of(t, (struct wall){.ms = (int64_t)at * MS_PER_S}, width);
        char text[16];
        if (col >= width - 4)
            return;
        localtime_r(&at, &tm);
        strftime(text, sizeof text,
                 step >= 86400 || (tm.tm_hour == 0 && tm.tm_min == 0) ? "%a %d" : "%H:%M", &tm);
        if (col >= 0)
            canvas_printf(c, head.y, head.x + col, ROLE_HEAD, width - col, "|%s", text);
    }
}

static const struct lane *current_lane(const struct timeline *t)
{
    const struct trow *row = table_current(&t->tables[t->by_job]);
    return row ? row->data : NULL;
}

static struct wall cursor_time(const struct timeline *t)
{
    int64_t cell = cell_ms(t, t->room), col = (int64_t)t->at;
    return t->at ? (struct wall){.ms = begin_of(t).ms + col * cell + cell / 2} : ui_now(t->v.ui);
}

static void row_words(const struct timeline *t, const struct plan_row *r, struct rich *out)
{
    struct wall now = ui_now(t->v.ui);
    char b[UNITS_TEXT_SIZE];
    if (r->job)
        rich_addf(out, ROLE_STRONG, "%u ", r->array_job ? r->array_job : r->job);
    rich_addf(out, ROLE_NORMAL, "%s", r->name ? r->name : "");
    if (r->user)
        rich_addf(out, ROLE_DIM, " of %s", r->user);
    if (r->count > 1)
        rich_addf(out, ROLE_DIM, ", %u of it", r->count);
    if (!wall_is_set(r->start)) {
        rich_add(out, ROLE_NORMAL,
                 r->kind == PLAN_BEYOND ? ": not within the time that is planned" : ": no start is known");
        return;
    }
    rich_add(out, ROLE_NORMAL,
             r->kind == PLAN_RUNNING  ? ": runs since "
             : r->kind == PLAN_WINDOW ? ": from "
                                      : ": starts about ");
    when_text(&out->text, r->start, now);
    if (wall_is_set(r->end)) {
        str_append(&out->text, r->kind == PLAN_RUNNING ? ", until " : ", to ");
        when_text(&out->text, r->end, now);
        if (r->kind == PLAN_RUNNING)
            str_appendf(&out->text, " at the latest (%s left)",
                        duration_format_words(wall_elapsed_s(now, r->end), b));
    }
    rich_role(out, ROLE_NORMAL);
}

/* Other lanes of the node may have what this one lacks. */
static bool shares_node(const struct timeline *t, const struct lane *l)
{
    const struct lane *end = t->lanes.v + t->lanes.n;
    return l->again || (l + 1 < end && l[1].again);
}

static const char *const kind_words[] = {
#define X(name, text, what) [PLAN_##name] = what,
    PLAN_KINDS(X)
#undef X
};

static void draw_info(const struct timeline *t, struct canvas *c, struct rect r)
{
    const struct lane *l = current_lane(t);
    if (rect_is_empty(r) || !l)
        return;
    struct wall at = cursor_time(t);
    const struct bar_item *here = NULL, *next = NULL;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct bar_item *b = &t->items.v[i];
        if (!l->node || (b->start.ms <= at.ms && at.ms < b->end.ms))
            here = here ? here : b;
        else if (b->start.ms > at.ms && (!next || b->start.ms < next->start.ms))
            next = b;
    }
    struct rich a, b;
    rich_init(&a);
    rich_init(&b);
    when_text(&a.text, at, ui_now(t->v.ui));
    rich_role(&a, ROLE_LABEL);
    rich_addf(&a, ROLE_LABEL, "%s%s  ", l->node ? " on " : "", l->node ? l->node : "");
    if (here) {
        row_words(t, here->row, &a);
        rich_addf(&b, ROLE_DIM, "%s", here->row->kind < PLAN_N_KINDS ? kind_words[here->row->kind] : "");
        if (here->row->kind != PLAN_RUNNING && here->row->kind != PLAN_WINDOW &&
            here->row->reason < REASON_N && here->row->reason != REASON_NONE)
            rich_addf(&b, ROLE_WAITING, "; waits: %s", reason_text((enum reason)here->row->reason));
        if (wall_is_set(here->row->likely)) {
            rich_add(&b, ROLE_DIM, "; likely between ");
            when_text(&b.text, here->row->likely, ui_now(t->v.ui));
            str_append(&b.text, " and ");
            when_text(&b.text, here->row->unlikely, ui_now(t->v.ui));
            rich_role(&b, ROLE_DIM);
        }
    } else if (lane_is_out(t, l) && at.ms >= ui_now(t->v.ui).ms) {
        rich_add(&a, ROLE_WARN, "the node takes no jobs: ");
        nodeinfo_note(&a, t->v.ui, model_get_node(ui_model(t->v.ui), l->node));
    } else if (next) {
        rich_add(&a, ROLE_GOOD, shares_node(t, l) ? "nothing more here until " : "free until ");
        when_text(&a.text, next->start, ui_now(t->v.ui));
        rich_role(&a, ROLE_GOOD);
        rich_add(&b, ROLE_DIM, "then ");
        row_words(t, next->row, &b);
    } else {
        rich_add(&a, ROLE_GOOD,
                 shares_node(t, l) ? "nothing more is planned here" : "free, and nothing is planned here");
    }
    canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    rich_draw(&a, c, r.y + 1, r.x + 2, r.w - 3);
    rich_draw(&b, c, r.y + 2, r.x + 2, r.w - 3);
    rich_fini(&a);
    rich_fini(&b);
}

static void draw_legend(const struct timeline *t, struct canvas *c, struct rect line)
{
    struct rich r;
    (void)t;
    rich_init(&r);
    rich_add(&r, ROLE_BAR_USED, "#");
    rich_add(&r, ROLE_DIM, " running  ");
    rich_add(&r, ROLE_WAITING, ":");
    rich_add(&r, ROLE_DIM, " a place is held  ");
    rich_add(&r, ROLE_DIM, ". forecast  ");
    rich_add(&r, ROLE_BAR_OUT, "%");
    rich_add(&r, ROLE_DIM, " window  ");
    rich_add(&r, ROLE_BAR_OUT, "x");
    rich_add(&r, ROLE_DIM, " out  | now");
    rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
    rich_fini(&r);
}

static void view_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct timeline *t = timeline_of(v);
    struct layout inner = *l;
    struct rect legend = {0}, info = {0};
    struct lines empty = {0};
    if (inner.body.h > 10)
        legend = rect_take_bottom(&inner.body, 1);
    if (inner.body.h > INFO_LINES + 4)
        info = rect_take_bottom(&inner.body, INFO_LINES);
    lines_addf(&empty, ROLE_NORMAL,
               t->refused ? "The controller tells no plan." : "Nothing runs and nothing waits.");
    t->body = inner.body;
    t->room = 0;
    tableview_draw(v->ui, table_of(t), c, &inner, &empty);
    lines_fini(&empty);
    v->ticks = false;
    if (t->room > 0) { /* the line of time is the last column */
        bool bar = table_of(t)->shown.n > (size_t)table_of(t)->list.height;
        int x = inner.body.x + inner.body.w - t->room - (bar ? 2 : 0);
        struct rect head = rect_make(inner.body.y, x, 1, t->room);
        draw_scale(t, c, head, t->room);
        if (t->at) {
            int col = (int)t->at < t->room ? (int)t->at : t->room - 1;
            canvas_over(c, rect_make(inner.body.y, x + col, inner.body.h, 1), ROLE_CURSOR_IDLE);
            canvas_over(c, rect_make(inner.body.y, x + col, 1, 1), ROLE_CURSOR);
        }
    }
    draw_info(t, c, info);
    if (!rect_is_empty(legend))
        draw_legend(t, c, legend);
}

static unsigned view_input(struct view *v, const struct input *in)
{
    return table_input(table_of(timeline_of(v)), in, timeline_of(v)->body);
}

static void move_time(struct timeline *t, int by)
{
    if (!t->at && t->room)
        t->at = (size_t)column_of(t, ui_now(t->v.ui), t->room);
    if (by < 0 && t->at > 1)
        t->at--;
    else if (by > 0 && (int)t->at + 1 < t->room)
        t->at++;
}

static void open_job(struct timeline *t)
{
    const struct lane *l = current_lane(t);
    struct wall at = cursor_time(t);
    for (size_t i = l ? l->first : 0; l && i < l->first + l->n; i++) {
        const struct bar_item *b = &t->items.v[i];
        if (b->row->job && (!l->node || (b->start.ms <= at.ms && at.ms < b->end.ms))) {
            ui_push(t->v.ui, &jobpage_view, &b->row->job);
            return;
        }
    }
    ui_toast(t->v.ui, ROLE_NORMAL, "no job is there: Left and Right move the time");
}

static unsigned view_act(struct view *v, enum action a, const struct input *in)
{
    struct timeline *t = timeline_of(v);
    if (a == ACTION_PLAN_LEFT || a == ACTION_PLAN_RIGHT)
        move_time(t, a == ACTION_PLAN_LEFT ? -1 : 1);
    else if (a == ACTION_PLAN_CLOSER || a == ACTION_PLAN_WIDER) {
        size_t last = N_SPANS - 1;
        t->span = a == ACTION_PLAN_CLOSER ? (t->span ? t->span - 1 : 0)
                  : t->span < last        ? t->span + 1
                                          : last;
        t->at = 0;
    } else if (a == ACTION_PLAN_MODE) {
        t->by_job = !t->by_job;
        table_refill(table_of(t));
    } else if (a == ACTION_PLAN_OPEN)
        open_job(t);
    else if (a == ACTION_CLOSE && t->at)
        t->at = 0;
    else
        return tableview_act(v->ui, table_of(t), a, in);
    return DID_HANDLE | DID_REDRAW;
}

static struct table *view_table(struct view *v)
{
    return table_of(timeline_of(v));
}

static const enum scope scopes[] = {SCOPE_PLAN, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops timeline_view = {
    .name = "timeline",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .open = view_open,
    .close = view_close,
    .sync = view_sync,
    .title = view_title,
    .draw = view_draw,
    .input = view_input,
    .act = view_act,
    .timer = view_timer,
    .table = view_table,
};
