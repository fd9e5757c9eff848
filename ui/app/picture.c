/* picture.c - the picture: header, title, the view, footer, dialogs. No other module decides when something
 * is drawn.
 *
 *      lab   1 Jobs  2 Nodes                    18 running  42 waiting        live
 *      nodes [||||||||    xx] 10/12   cpu [|||||||     ] 96/128   gpu [||||||||||] 30/32
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "ui/app/picture.h"
#include "ui/command/command.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"
#include "ui/frame/totals.h"
#include "ui/frame/ui_state.h"
#include "ui/widget/bar.h"

#define TOAST_ROWS         4
#define WINDOW_NODES_CELLS 16
#define BAR_LEAST          5 /* cells of a bar, its ends included */
#define BAR_MIN            8 /* cells of a bar that the window's words must leave */

/* --- header --- */

static void age_text(const struct ui *ui, struct rich *r)
{
    char b[UNITS_TEXT_SIZE];
    const struct connection *c = follow_connection(ui);
    if (ui->frozen)
        rich_add(r, ROLE_WARN, "frozen");
    else if (ui->session.online && ui->session.has_data)
        rich_add(r, ROLE_GOOD, "live");
    else if (ui->session.online)
        rich_add(r, ROLE_DIM, "loading");
    else if (c->was_online)
        rich_addf(r, ROLE_ERROR, "stale %s",
                  duration_format_words((ui->mono.ns - c->lost_at.ns) / NS_PER_S, b));
    else
        rich_add(r, ROLE_DIM, c->connecting ? c->connecting : "no controller");
}

/* How much of the screens' names there is room for. */
enum tabs { TABS_LONG, TABS_SHORT, TABS_ONE, TABS_NONE };

static void add_tab(const struct ui *ui, struct rich *r, size_t i, enum tabs how)
{
    struct str key = STR_INIT;
    bool on = i == stack_screen(ui);
    keymap_format(&ui->o.keys, ui->program.screens[i].action, true, &key);
    const char *name = how == TABS_LONG ? ui->program.screens[i].title : ui->program.screens[i].brief;
    if (how == TABS_ONE && !on)
        rich_addf(r, ROLE_TAB, " %s", key.s);
    else
        rich_addf(r, on ? ROLE_TAB_ON : ROLE_TAB, " %s %s ", key.s, name);
    str_fini(&key);
}

static void tabs_text(const struct ui *ui, struct rich *r, enum tabs how)
{
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        if (i && how == TABS_LONG)
            rich_add(r, ROLE_NORMAL, " ");
        add_tab(ui, r, i, how);
    }
}

/* "gpu[01-04]", "12 nodes" where that would be long, "all nodes". */
static char *picture_window_nodes(const struct window *w)
{
    if (w->nodes.n == 1 && str_eq(w->nodes.v[0], WINDOW_ALL_NODES))
        return xstrdup("all nodes");
    char *nodes = hostlist_compress(&w->nodes);
    if (cell_width(nodes) <= WINDOW_NODES_CELLS)
        return nodes;
    free(nodes);
    return xasprintf("%zu nodes", w->nodes.n);
}

/* The window that is on, or that begins soonest. */
static void window_text(const struct ui *ui, struct rich *r, bool with_nodes)
{
    char b[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < ui->m->windows.n; i++) {
        const struct window *w = &ui->m->windows.v[i];
        int64_t in_s = wall_elapsed_s(ui->now, w->start);
        if (w->end.ms <= ui->now.ms || in_s > WINDOW_SOON_S)
            continue;
        const char *word = w->kind == WINDOW_RESERVATION ? "reservation" : "maintenance";
        char *nodes = picture_window_nodes(w);
        rich_addf(r, ROLE_WARN, "  %s%s%s", word, with_nodes ? " on " : "", with_nodes ? nodes : "");
        if (w->start.ms > ui->now.ms)
            rich_addf(r, ROLE_WARN, " in %s", duration_format_words(in_s, b));
        free(nodes);
        return;
    }
}

static void counts_text(const struct ui *ui, struct rich *r, bool brief)
{
    if (!ui->session.has_data)
        return;
    rich_addf(r, ROLE_RUNNING, "%u", totals_get(ui)->running);
    rich_add(r, ROLE_NORMAL, brief ? " run  " : " running  ");
    rich_addf(r, ROLE_WAITING, "%u", totals_get(ui)->waiting);
    rich_add(r, ROLE_NORMAL, brief ? " wait" : " waiting");
    if (!brief)
        window_text(ui, r, true);
    if (ui_why_read_only(ui))
        rich_add(r, ROLE_WARN, "  read-only");
}

/* The counts stand on the first line where it has room for them, else before the bars of the second. */
static bool draw_first_line(const struct ui *ui, struct canvas *c, struct rect r)
{
    struct rich age, tabs, counts;
    rich_init(&age);
    rich_init(&tabs);
    rich_init(&counts);
    age_text(ui, &age);
    counts_text(ui, &counts, false);
    int x = r.x + 1, end = r.x + r.w - 1;
    int aw = cell_width(age.text.s), cw = cell_width(counts.text.s);
    if (aw < r.w / 2) {
        rich_draw(&age, c, r.y, end - aw, aw);
        end -= aw + 2;
    }
    const char *name = ui->m->spec.name           ? ui->m->spec.name
                       : ui->session.welcome.name ? ui->session.welcome.name
                                                  : "stoker";
    x += canvas_text(c, r.y, x, ROLE_CLUSTER, name, (end - x) / 3) + 1;
    for (enum tabs how = TABS_LONG; how < TABS_NONE; how++) {
        rich_clear(&tabs);
        tabs_text(ui, &tabs, how);
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
static bool draw_second_line(const struct ui *ui, struct canvas *c, struct rect r, bool counts)
{
    const struct header_totals *t = totals_get(ui);
    struct gauge gauges[] = {
        {.label = "nodes", .used = t->nodes_used, .out = t->nodes_out, .all = t->nodes},
        {.label = "cpu", .used = t->cpus_used, .out = t->cpus_out, .all = t->cpus},
        {.label = "gpu", .used = t->gpus_used, .out = t->gpus_out, .all = t->gpus},
    };
    const char *why_lost = follow_connection(ui)->why_lost;
    struct rich line, window;
    rich_init(&line);
    if (!ui->session.has_data)
        rich_add(&line, ROLE_DIM, why_lost ? why_lost : "");
    if (counts)
        counts_text(ui, &line, true);
    rich_init(&window);
    window_text(ui, &window, true);
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
    return (act_is_job_action(action) && action != ACTION_WATCH) || action == ACTION_DRAIN ||
           action == ACTION_RESUME || action == ACTION_NODE_NOTE || action == ACTION_FORM_SEND;
}

/* A key is called by what it does next; one that would be refused is not offered. */
static const char *picture_label_of(const struct ui *ui, enum action action)
{
    struct view *v = ui_view(ui);
    const char *own = v->ops->label ? v->ops->label(v, action) : NULL;
    if (action == ACTION_BACK && !stack_is_pushed(ui))
        own = "quit";
    if (ui_why_read_only(ui) && changes_something(action))
        own = "";
    return own ? own : action_info(action)->label;
}

static void picture_add_key(const struct ui *ui, struct rich *r, enum action action, int width)
{
    struct str key = STR_INIT;
    keymap_format(&ui->o.keys, action, true, &key);
    const char *label = picture_label_of(ui, action);
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
static void add_ends(const struct ui *ui, struct rich *r, int width)
{
    if (!ui_view(ui)->ops->types) {
        if (!stack_is_pushed(ui))
            picture_add_key(ui, r, ACTION_SUBMIT, width);
        picture_add_key(ui, r, ACTION_HELP, width);
        picture_add_key(ui, r, ACTION_BACK, width);
        return;
    }
    rich_add(r, ROLE_FOOTER, r->text.len ? "  " : "");
    rich_add(r, ROLE_KEY, "F1");
    rich_add(r, ROLE_FOOTER, " help  ");
    rich_add(r, ROLE_KEY, "Esc");
    rich_add(r, ROLE_FOOTER, " back");
}

static void footer_text(const struct ui *ui, struct rich *r, int width)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct rich end; /* help and back are always there */
    rich_init(&end);
    add_ends(ui, &end, width);
    int room = width - cell_width(end.text.s) - 2;
    for (size_t s = 0; s < ops->n_scopes; s++)
        for (int k = 1; k < ACTION_N; k++)
            if (action_info((enum action)k)->scope == ops->scopes[s] &&
                picture_label_of(ui, (enum action)k))
                picture_add_key(ui, r, (enum action)k, room);
    add_ends(ui, r, width);
    rich_fini(&end);
}

/* What does not fit into the footer's line takes lines above it: the end of an error says the most. */
static void draw_long_toast(const struct toast *toast, struct canvas *c, struct rect r)
{
    struct lines text = {0}, flowed = {0};
    rich_add(lines_add(&text), toast->role, toast->text);
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

static void draw_footer(const struct ui *ui, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    const struct toast *toast = toast_get(ui);
    bool waits = later_until(ui).ns;
    if (!waits && toast && cell_width(toast->text) > r.w - 2) {
        draw_long_toast(toast, c, r);
        return;
    }
    struct rich line;
    rich_init(&line);
    if (waits)
        later_text(ui, stack_takes_text(ui_view(ui)) ? ACTION_QUIT : ACTION_UNDO, &line);
    else if (toast)
        rich_add(&line, toast->role, toast->text);
    else
        footer_text(ui, &line, r.w - 2);
    rich_draw(&line, c, r.y, r.x + 1, r.w - 2);
    rich_fini(&line);
}

/* --- all of it --- */

/* The window stands at its end where the header has no room for it. */
static void draw_title(const struct ui *ui, struct view *v, struct canvas *c, struct rect r,
                       bool with_window)
{
    if (rect_is_empty(r))
        return;
    struct rich title;
    rich_init(&title);
    v->ops->title(v, &title);
    int used = rich_draw(&title, c, r.y, r.x + 1, r.w - 2);
    for (int with_nodes = 1; with_window && with_nodes >= 0; with_nodes--) {
        rich_clear(&title);
        window_text(ui, &title, with_nodes);
        int w = cell_width(title.text.s);
        if (used + w <= r.w - 2) {
            rich_draw(&title, c, r.y, r.x + r.w - 1 - w, w);
            break;
        }
    }
    rich_fini(&title);
}

void picture_draw(struct ui *ui, struct canvas *c)
{
    struct view *v = ui_view(ui);
    canvas_clear(c);
    struct screen_layout l = layout_screen(c->rows, c->cols, v->ops->wants_side);
    bool told = l.header.h < 1 || draw_first_line(ui, c, l.header), window = l.header.h >= 1 && told;
    if (l.header.h >= 2)
        window |= draw_second_line(ui, c, rect_make(l.header.y + 1, l.header.x, 1, l.header.w), !told);
    draw_title(ui, v, c, l.title, !window);
    if (!rect_is_empty(l.rule))
        canvas_vline(c, l.rule.y, l.rule.x + l.rule.w - 1, l.rule.h, ROLE_RULE);
    v->ticks = false;
    v->ops->draw(v, c, &l);
    draw_footer(ui, c, l.footer);
    if (command_is_open(ui))
        command_draw(ui, c, l.footer);
    if (dialogs_top(ui)) { /* those below wait for this one */
        c->cur_y = c->cur_x = -1;
        dialog_draw(dialogs_top(ui), c);
    }
}
