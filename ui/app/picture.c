/* picture.c - the picture: header, title, the view, footer, dialogs. Nobody else decides when something is
 * drawn.
 *
 *      lab   1 Jobs  2 Nodes                    18 running  42 waiting        live
 *      nodes [||||||||    xx] 10/12   cpu [|||||||     ] 96/128   gpu [||||||||||] 30/32
 */
#include <stdio.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/utf8.h"
#include "ui/dialogs/job_actions.h"
#include "ui/dialogs/windows.h"
#include "ui/frame/frame_internal.h"
#include "ui/widget/bar.h"

#define TOAST_ROWS 4
#define BAR_LEAST  5 /* cells of a bar, its ends included */
#define BAR_MIN    8 /* cells of a bar that the window's words must leave */

/* When the next window begins or ends: what is out then is another. */
static struct wall next_edge(const struct model *m, struct wall now)
{
    struct wall edge = {0};
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        struct wall at = w->start.ms > now.ms ? w->start : w->end;
        if (at.ms > now.ms && (!wall_is_set(edge) || at.ms < edge.ms))
            edge = at;
    }
    return edge;
}

/* A job counts as one, the record of an array as its elements. */
static uint32_t count_waiting(const struct model *m)
{
    uint32_t n = m->n_pending;
    idmap_for_each (&m->arrays, array) {
        const struct job *record = model_get_job(m, (uint32_t)array->id);
        if (record && record->state == JOB_PENDING)
            n += job_pending_elements(record) - 1;
    }
    return n;
}

void totals_count(struct totals *t, const struct ui *a)
{
    const struct model *m = a->m;
    *t = (struct totals){0};
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        if (str_eq(n->spec.role, "login"))
            continue;
        unsigned cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used);
        t->nodes++;
        t->nodes_used += n->n_jobs > 0;
        t->cpus += n->cpus;
        t->cpus_used += cpus;
        t->gpus += n->gpus;
        t->gpus_used += gpus;
        if (!windows_node_is_out(a, n))
            continue;
        t->nodes_out += n->n_jobs == 0;
        t->cpus_out += n->cpus > cpus ? n->cpus - cpus : 0;
        t->gpus_out += n->gpus > gpus ? n->gpus - gpus : 0;
    }
    t->edge = next_edge(m, a->now);
    t->running = m->n_active;
    t->waiting = count_waiting(m);
}

/* --- header --- */

static void age_text(const struct ui *a, struct rich *r)
{
    char b[UNITS_TEXT_SIZE];
    if (a->frozen)
        rich_add(r, ROLE_WARN, "frozen");
    else if (a->online && a->has_data)
        rich_add(r, ROLE_GOOD, "live");
    else if (a->online)
        rich_add(r, ROLE_DIM, "loading");
    else if (a->was_online)
        rich_addf(r, ROLE_ERROR, "stale %s",
                  duration_format_words((a->mono.ns - a->lost_at.ns) / NS_PER_S, b));
    else
        rich_add(r, ROLE_DIM, a->connecting ? a->connecting : "no controller");
}

/* How much of the screens' names there is room for. */
enum tabs { TABS_LONG, TABS_SHORT, TABS_ONE, TABS_NONE };

static void add_tab(const struct ui *a, struct rich *r, size_t i, enum tabs how)
{
    struct str key = STR_INIT;
    bool on = i == a->root;
    keymap_format(&a->o.keys, screen_action(i), true, &key);
    const char *name = how == TABS_LONG ? screen_title(i) : screen_short(i);
    if (how == TABS_ONE && !on)
        rich_addf(r, ROLE_TAB, " %s", key.s);
    else
        rich_addf(r, on ? ROLE_TAB_ON : ROLE_TAB, " %s %s ", key.s, name);
    str_fini(&key);
}

static void tabs_text(const struct ui *a, struct rich *r, enum tabs how)
{
    for (size_t i = 0; i < screens_count(); i++) {
        if (i && how == TABS_LONG)
            rich_add(r, ROLE_NORMAL, " ");
        add_tab(a, r, i, how);
    }
}

/* The window that is on, or that begins soonest. */
static void window_text(const struct ui *a, struct rich *r, bool brief)
{
    char b[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < a->m->windows.n; i++) {
        const struct window *w = &a->m->windows.v[i];
        int64_t in_s = wall_elapsed_s(a->now, w->start);
        if (w->end.ms <= a->now.ms || in_s > WINDOW_SOON_S)
            continue;
        const char *word = w->kind == WINDOW_RESERVATION ? "reservation" : "maintenance";
        if (w->start.ms <= a->now.ms)
            rich_addf(r, ROLE_WARN, "  %s", brief ? "window" : word);
        else
            rich_addf(r, ROLE_WARN, "  %s in %s", brief ? "window" : word, duration_format_words(in_s, b));
        return;
    }
}

static void counts_text(const struct ui *a, struct rich *r, bool brief)
{
    if (!a->has_data)
        return;
    rich_addf(r, ROLE_RUNNING, "%u", a->totals.running);
    rich_add(r, ROLE_NORMAL, brief ? " run  " : " running  ");
    rich_addf(r, ROLE_WAITING, "%u", a->totals.waiting);
    rich_add(r, ROLE_NORMAL, brief ? " wait" : " waiting");
    if (!brief)
        window_text(a, r, false);
    if (a->o.read_only || a->welcome.read_only)
        rich_add(r, ROLE_WARN, "  read-only");
}

/* The counts stand on the first line where it has room for them, else before the bars of the second. */
static bool draw_first_line(const struct ui *a, struct canvas *c, struct rect r)
{
    struct rich age, tabs, counts;
    rich_init(&age);
    rich_init(&tabs);
    rich_init(&counts);
    age_text(a, &age);
    counts_text(a, &counts, false);
    int x = r.x + 1, end = r.x + r.w - 1;
    int aw = cell_width(age.text.s), cw = cell_width(counts.text.s);
    if (aw < r.w / 2) {
        rich_draw(&age, c, r.y, end - aw, aw);
        end -= aw + 2;
    }
    const char *name = a->m->spec.name ? a->m->spec.name : a->welcome.name ? a->welcome.name : "stoker";
    x += canvas_text(c, r.y, x, ROLE_CLUSTER, name, (end - x) / 3) + 1;
    for (enum tabs how = TABS_LONG; how < TABS_NONE; how++) {
        rich_clear(&tabs);
        tabs_text(a, &tabs, how);
        if (x + cell_width(tabs.text.s) <= end) {
            x += rich_draw(&tabs, c, r.y, x, end - x);
            break;
        }
    }
    bool fits = x + 2 + cw + 1 <= end;
    if (fits)
        rich_draw(&counts, c, r.y, end - cw - 1, cw);
    rich_fini(&age);
    rich_fini(&tabs);
    rich_fini(&counts);
    return fits;
}

struct gauge {
    const char *label;
    uint64_t used, out, all;
    char number[48];
};

static void add_bar(struct rich *r, const struct gauge *g, int width)
{
    rich_addf(r, ROLE_LABEL, "%s ", g->label);
    if (width) {
        bar_two_ended(r, g->used, g->out, g->all, width);
        rich_add(r, ROLE_NORMAL, " ");
    }
    rich_add(r, load_role((int)(g->used * 100 / g->all)), g->number);
}

/* The bars share what labels and numbers leave; where that is too little there are none. Returns whether
 * the window has found room. */
static bool draw_second_line(const struct ui *a, struct canvas *c, struct rect r, bool counts)
{
    const struct totals *t = &a->totals;
    struct gauge gauges[] = {
        {.label = "nodes", .used = t->nodes_used, .out = t->nodes_out, .all = t->nodes},
        {.label = "cpu", .used = t->cpus_used, .out = t->cpus_out, .all = t->cpus},
        {.label = "gpu", .used = t->gpus_used, .out = t->gpus_out, .all = t->gpus},
    };
    struct rich line, window;
    rich_init(&line);
    if (!a->has_data)
        rich_add(&line, ROLE_DIM, a->why_lost ? a->why_lost : "");
    if (counts)
        counts_text(a, &line, true);
    rich_init(&window);
    window_text(a, &window, true);
    int room = r.w - 2 - cell_width(line.text.s) - (line.text.len ? 3 : 0), n = 0;
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++) {
        struct gauge *g = &gauges[i];
        if (!g->all)
            continue;
        snprintf(g->number, sizeof g->number, "%llu/%llu", (unsigned long long)g->used,
                 (unsigned long long)g->all);
        room -= cell_width(g->label) + cell_width(g->number) + 2 + (n++ ? 3 : 0);
    }
    bool told = counts && n && (room - cell_width(window.text.s)) / n >= BAR_MIN;
    if (told) { /* what is on is told where it fits */
        rich_add(&line, ROLE_WARN, window.text.s);
        room -= cell_width(window.text.s);
    }
    rich_fini(&window);
    int width = n ? room / n : 0;
    width = width < BAR_LEAST ? 0 : width > 40 ? 40 : width;
    int x = r.x + 1, end = r.x + r.w - 1;
    bool first = !line.text.len;
    x += rich_draw(&line, c, r.y, x, end - x);
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++) {
        if (!gauges[i].all)
            continue;
        rich_clear(&line); /* each by itself: all of them have more roles than one text holds */
        rich_add(&line, ROLE_NORMAL, first ? "" : "   ");
        add_bar(&line, &gauges[i], width);
        x += rich_draw(&line, c, r.y, x, end - x);
        first = false;
    }
    rich_fini(&line);
    return told;
}

/* --- footer --- */

static bool changes_something(enum action action)
{
    return (act_is_deed(action) && action != ACTION_WATCH) || action == ACTION_DRAIN ||
           action == ACTION_RESUME || action == ACTION_NODE_NOTE || action == ACTION_FORM_SEND;
}

/* A key is called by what it does next; one that would be refused is not offered. */
static const char *label_of(const struct ui *a, enum action action)
{
    struct view *v = app_view(a);
    const char *own = v->ops->label ? v->ops->label(v, action) : NULL;
    if (action == ACTION_BACK && !a->pushed.n)
        own = "quit";
    if ((a->o.read_only || a->welcome.read_only) && changes_something(action))
        own = "";
    return own ? own : action_info(action)->label;
}

static void add_key(const struct ui *a, struct rich *r, enum action action, int width)
{
    struct str key = STR_INIT;
    keymap_format(&a->o.keys, action, true, &key);
    const char *label = label_of(a, action);
    int need = cell_width(key.s) + 1 + cell_width(label) + (r->text.len ? 2 : 0);
    if (key.len && *label && cell_width(r->text.s) + need <= width) {
        if (r->text.len)
            rich_add(r, ROLE_FOOTER, "  ");
        rich_add(r, ROLE_KEY, key.s);
        rich_addf(r, ROLE_FOOTER, " %s", label);
    }
    str_fini(&key);
}

/* Where letters are text, help and the way back have keys that are none. */
static void add_ends(const struct ui *a, struct rich *r, int width)
{
    if (!app_view(a)->ops->types) {
        if (!a->pushed.n)
            add_key(a, r, ACTION_SUBMIT, width);
        add_key(a, r, ACTION_HELP, width);
        add_key(a, r, ACTION_BACK, width);
        return;
    }
    rich_add(r, ROLE_FOOTER, r->text.len ? "  " : "");
    rich_add(r, ROLE_KEY, "F1");
    rich_add(r, ROLE_FOOTER, " help  ");
    rich_add(r, ROLE_KEY, "Esc");
    rich_add(r, ROLE_FOOTER, " back");
}

static void footer_text(const struct ui *a, struct rich *r, int width)
{
    const struct view_ops *ops = app_view(a)->ops;
    struct rich end; /* help and back are always there */
    rich_init(&end);
    add_ends(a, &end, width);
    int room = width - cell_width(end.text.s) - 2;
    for (size_t s = 0; s < ops->n_scopes; s++)
        for (int k = 1; k < ACTION_N; k++)
            if (action_info((enum action)k)->scope == ops->scopes[s] && label_of(a, (enum action)k))
                add_key(a, r, (enum action)k, room);
    add_ends(a, r, width);
    rich_fini(&end);
}

/* What does not fit into the footer's line takes lines above it: the end of an error says the most. */
static void draw_long_toast(const struct ui *a, struct canvas *c, struct rect r)
{
    struct lines text = {0}, flowed = {0};
    rich_add(lines_add(&text), a->toast_role, a->toast);
    lines_flow(&text, r.w - 2, &flowed);
    int n = (int)flowed.n > TOAST_ROWS ? TOAST_ROWS : (int)flowed.n;
    n = n > r.y + 1 ? r.y + 1 : n;
    struct rect box = rect_make(r.y - n + 1, r.x, n, r.w);
    canvas_fill(c, box, ROLE_NORMAL);
    for (int i = 0; i < n; i++)
        rich_draw(&flowed.v[i], c, box.y + i, r.x + 1, r.w - 2);
    lines_fini(&text);
    lines_fini(&flowed);
}

static void draw_footer(const struct ui *a, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    if (!a->later.fn && a->toast && cell_width(a->toast) > r.w - 2) {
        draw_long_toast(a, c, r);
        return;
    }
    struct rich line;
    rich_init(&line);
    if (a->later.fn)
        later_text(a, &line);
    else if (a->toast)
        rich_add(&line, a->toast_role, a->toast);
    else
        footer_text(a, &line, r.w - 2);
    rich_draw(&line, c, r.y, r.x + 1, r.w - 2);
    rich_fini(&line);
}

/* --- all of it --- */

/* The window stands at its end where the header has no room for it. */
static void draw_title(const struct ui *a, struct view *v, struct canvas *c, struct rect r,
                       bool with_window)
{
    if (rect_is_empty(r))
        return;
    struct rich title;
    rich_init(&title);
    v->ops->title(v, &title);
    int used = rich_draw(&title, c, r.y, r.x + 1, r.w - 2);
    for (int brief = 0; with_window && brief < 2; brief++) {
        rich_clear(&title);
        window_text(a, &title, brief);
        int w = cell_width(title.text.s);
        if (used + w <= r.w - 2) {
            rich_draw(&title, c, r.y, r.x + r.w - 1 - w, w);
            break;
        }
    }
    rich_fini(&title);
}

void frame_draw(struct ui *a, struct canvas *c)
{
    struct view *v = app_view(a);
    canvas_clear(c);
    struct layout l = layout_screen(c->rows, c->cols, v->ops->wants_side);
    bool told = l.header.h < 1 || draw_first_line(a, c, l.header), window = l.header.h >= 1 && told;
    if (l.header.h >= 2)
        window |= draw_second_line(a, c, rect_make(l.header.y + 1, l.header.x, 1, l.header.w), !told);
    draw_title(a, v, c, l.title, !window);
    if (!rect_is_empty(l.rule))
        canvas_vline(c, l.rule.y, l.rule.x + l.rule.w - 1, l.rule.h, ROLE_RULE);
    v->ticks = false;
    v->ops->draw(v, c, &l);
    draw_footer(a, c, l.footer);
    if (a->cmd.open)
        command_draw(a, c, l.footer);
    if (a->dialogs.n) { /* those below wait for this one */
        c->cur_y = c->cur_x = -1;
        dialog_draw(a->dialogs.v[a->dialogs.n - 1].d, c);
    }
}
