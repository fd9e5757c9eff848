/* header.c - the first two lines of the screen.
 *
 *      lab   1 Jobs  2 Nodes                    18 running  42 waiting        live
 *      nodes ########....xx 10/12 2 out   cpu #######..... 96/128   gpu ########## 30/32
 */
#include "ui/app/header.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/stack.h"
#include "ui/frame/totals.h"
#include "ui/frame/ui_state.h"
#include "ui/term/signs.h"
#include "ui/widget/bar.h"

#define WINDOW_NODES_CELLS 16
#define BAR_LEAST          5 /* cells of a bar */
#define BAR_MOST           24
#define BAR_MIN            8 /* cells of a bar that the window's words must leave */

static void age_text(const struct ui *ui, struct rich *r)
{
    char b[UNITS_TEXT_SIZE];
    const struct connection *c = follow_connection(ui);
    if (ui->frozen)
        rich_add(r, ROLE_WARN, "frozen");
    else if (ui->session.online && ui->session.has_data)
        rich_add(r, ROLE_GOOD, "\u25cf live");
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

/* A click on a name is its key. */
static void header_spots(const struct ui *ui, int y, int x, enum tabs how)
{
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        struct rich tab;
        rich_init(&tab);
        add_tab(ui, &tab, i, how);
        int w = cell_width(tab.text.s);
        hotspots_add(ui, rect_make(y, x, 1, w), ui->program.screens[i].action, 0);
        x += w + (how == TABS_LONG);
        rich_fini(&tab);
    }
}

/* "gpu[01-04]", "12 nodes" where that would be long, "all nodes". */
static char *header_window_nodes(const struct window *w)
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
void header_window(const struct ui *ui, struct rich *r, bool with_nodes)
{
    char b[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < ui->m->windows.n; i++) {
        const struct window *w = &ui->m->windows.v[i];
        int64_t in_s = wall_elapsed_s(ui->now, w->start);
        if (w->end.ms <= ui->now.ms || in_s > WINDOW_SOON_S)
            continue;
        const char *word = w->kind == WINDOW_RESERVATION ? "reservation" : "maintenance";
        char *nodes = header_window_nodes(w);
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
    rich_addf(r, ROLE_RUNNING, "%s %u", SIGN_RUNNING, totals_get(ui)->running);
    rich_add(r, ROLE_NORMAL, brief ? "  " : " running  ");
    rich_addf(r, ROLE_WAITING, "%s %u", SIGN_WAITING, totals_get(ui)->waiting);
    rich_add(r, ROLE_NORMAL, brief ? "" : " waiting");
    if (!brief)
        header_window(ui, r, true);
    if (ui_why_read_only(ui))
        rich_add(r, ROLE_WARN, "  read-only");
}

/* The counts stand on the first line where it has room for them, else before the bars of the second. */
static bool header_first_line(const struct ui *ui, struct canvas *c, struct rect r)
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
    x += canvas_printf(c, r.y, x, ROLE_CLUSTER, (end - x) / 3, " %s ", name) + 1;
    for (enum tabs how = TABS_LONG; how < TABS_NONE; how++) {
        rich_clear(&tabs);
        tabs_text(ui, &tabs, how);
        if (x + cell_width(tabs.text.s) <= end) {
            header_spots(ui, r.y, x, how);
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
    char number[48], broken[32];
};

static void add_bar(struct rich *r, const struct gauge *g, int width)
{
    rich_addf(r, ROLE_LABEL, "%s ", g->label);
    if (width) {
        bar_two_ended(r, g->used, g->out, g->all, width);
        rich_add(r, ROLE_NORMAL, " ");
    }
    rich_add(r, ROLE_NORMAL, g->number);
    rich_add(r, ROLE_ERROR, g->broken);
}

/* How many nodes are out is said in words as well, where the bars stay long enough. */
static void header_say_out(struct gauge *nodes, int *room, int n)
{
    if (!nodes->out || !n)
        return;
    snprintf(nodes->broken, sizeof nodes->broken, " %llu out", (unsigned long long)nodes->out);
    if ((*room - cell_width(nodes->broken)) / n >= BAR_MIN)
        *room -= cell_width(nodes->broken);
    else
        nodes->broken[0] = '\0';
}

/* The bars share what labels and numbers leave; where that is too little there are none. Returns whether
 * the window has found room. */
static bool header_second_line(const struct ui *ui, struct canvas *c, struct rect r, bool counts)
{
    const struct cluster_totals *t = totals_get(ui);
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
    header_window(ui, &window, true);
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
    header_say_out(&gauges[0], &room, n);
    int width = n ? room / n : 0;
    width = width < BAR_LEAST ? 0 : width > BAR_MOST ? BAR_MOST : width;
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

bool header_draw(const struct ui *ui, struct canvas *c, struct rect r)
{
    bool counts = r.h < 1 || header_first_line(ui, c, r), told = r.h >= 1 && counts;
    if (r.h >= 2)
        told |= header_second_line(ui, c, rect_make(r.y + 1, r.x, 1, r.w), !counts);
    return told;
}
