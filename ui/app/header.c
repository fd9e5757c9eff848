/* header.c - the first two lines of the screen.
 *
 *      lab   1 Jobs  2 Nodes                    18 running  42 waiting        live
 *      nodes ########....xx 10/12 2 out   cpu #######..... 96/128   gpu ########## 30/32
 */
#include "ui/app/header.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "ui/frame/engine.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/stack.h"
#include "ui/frame/totals.h"
#include "ui/info/window_text.h"
#include "ui/state/ui_state.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"
#include "ui/widget/graph.h"

#define WINDOW_NODES_CELLS 16
#define BAR_LEAST          5 /* cells of a bar */
#define BAR_MOST           24
#define BAR_MIN            8 /* cells of a bar that the window's words must leave */

/* Rows that are read from another engine have an age. */
static void engine_age_text(const struct ui *ui, struct rich *r)
{
    struct str age = STR_INIT;
    bool stale = engine_age(ui, &age);
    rich_addf(r, stale ? ROLE_WARN : ROLE_GOOD, "%s %s", stale ? "!" : "\u25cf", age.s);
    str_fini(&age);
}

static void age_text(const struct ui *ui, struct rich *r)
{
    char b[UNITS_TEXT_SIZE];
    const struct connection *c = follow_connection(ui);
    if (ui->frozen)
        rich_add(r, ROLE_WARN, tr("frozen"));
    else if (ui->session.online && ui->session.has_data && ui_engine(ui))
        engine_age_text(ui, r);
    else if (ui->session.online && ui->session.has_data)
        rich_add(r, ROLE_GOOD, tr("\u25cf live"));
    else if (ui->session.online)
        rich_add(r, ROLE_DIM, tr("loading"));
    else if (c->was_online)
        rich_addf(r, ROLE_ERROR, tr("stale %s"),
                  duration_format_words((ui->mono.ns - c->lost_at.ns) / NS_PER_S, b));
    else
        rich_add(r, ROLE_DIM, c->connecting ? c->connecting : tr("no controller"));
}

/* How much of the screens' names there is room for. */
enum tabs { TABS_LONG, TABS_SHORT, TABS_ONE, TABS_NONE };

static void add_tab(const struct ui *ui, struct rich *r, size_t i, enum tabs how)
{
    struct str key = STR_INIT;
    bool on = i == stack_screen(ui);
    keymap_format(&ui->o.keys, ui->program.screens[i].action, true, &key);
    const char *name = tr(how == TABS_LONG ? ui->program.screens[i].title : ui->program.screens[i].brief);
    if (how == TABS_ONE && !on)
        rich_addf(r, ROLE_TAB, " %s", key.s);
    else
        rich_addf(r, on ? ROLE_TAB_ON : ROLE_TAB, " %s %s ", key.s, name);
    str_fini(&key);
}

static void tabs_text(const struct ui *ui, struct rich *r, enum tabs how)
{
    for (size_t i = 0; i < ui->program.n_screens; i++) {
        if (engine_why_not(ui, ui->program.screens[i].action))
            continue;
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
        if (engine_why_not(ui, ui->program.screens[i].action))
            continue;
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
        return xstrdup(tr("all nodes"));
    char *nodes = hostlist_compress(&w->nodes);
    if (cell_width(nodes) <= WINDOW_NODES_CELLS)
        return nodes;
    free(nodes);
    return xasprintf(tr("%zu nodes"), w->nodes.n);
}

/* The window that is on, or that begins soonest. */
void header_window(const struct ui *ui, struct rich *r, bool with_nodes)
{
    for (size_t i = 0; i < ui->m->windows.n; i++) {
        const struct window *w = &ui->m->windows.v[i];
        if (w->end.ms <= ui->now.ms || wall_elapsed_s(ui->now, w->start) > WINDOW_SOON_S)
            continue;
        char *nodes = header_window_nodes(w);
        rich_add(r, ROLE_WARN, "  ");
        if (with_nodes)
            window_words_on(r, ui, w, nodes);
        else
            window_words(r, ui, w);
        free(nodes);
        return;
    }
}

static void counts_text(const struct ui *ui, struct rich *r, bool brief, bool window)
{
    if (!ui->session.has_data)
        return;
    rich_addf(r, ROLE_RUNNING, "%s %u", SIGN_RUNNING, totals_get(ui)->running);
    rich_add(r, ROLE_NORMAL, brief ? "  " : tr(" running  "));
    rich_addf(r, ROLE_WAITING, "%s %u", SIGN_WAITING, totals_get(ui)->waiting);
    rich_add(r, ROLE_NORMAL, brief ? "" : tr(" waiting"));
    if (window)
        header_window(ui, r, true);
    if (ui_why_read_only(ui))
        rich_add(r, ROLE_WARN, tr("  read-only"));
}

enum header_told { TOLD_COUNTS = 1, TOLD_WINDOW = 2 };

/* The counts stand on the first line where it has room for them, with the window or without; else before
 * the bars of the second. Returns what is told here. */
static unsigned header_first_line(const struct ui *ui, struct canvas *c, struct rect r)
{
    struct rich age, tabs, counts;
    rich_init(&age);
    rich_init(&tabs);
    rich_init(&counts);
    age_text(ui, &age);
    int x = r.x + 1, end = r.x + r.w - 1;
    int aw = cell_width(age.text.s);
    if (aw < r.w / 2) {
        rich_draw(&age, c, r.y, end - aw, aw);
        end -= aw + 2;
    }
    const char *name = ui->m->spec.name           ? ui->m->spec.name
                       : ui->session.welcome.name ? ui->session.welcome.name
                                                  : "stoker";
    const char *host = ui->o.host;
    x += canvas_printf(c, r.y, x, ROLE_CLUSTER, (end - x) / 3, " %s%s%s ", host ? host : "",
                       host ? ":" : "", name) +
         1;
    for (enum tabs how = TABS_LONG; how < TABS_NONE; how++) {
        rich_clear(&tabs);
        tabs_text(ui, &tabs, how);
        if (x + cell_width(tabs.text.s) <= end) {
            header_spots(ui, r.y, x, how);
            x += rich_draw(&tabs, c, r.y, x, end - x);
            break;
        }
    }
    unsigned told = 0;
    for (int window = 1; window >= 0 && !told; window--) {
        rich_clear(&counts);
        counts_text(ui, &counts, false, window);
        int w = cell_width(counts.text.s);
        if (x + 2 + w + 1 > end)
            continue;
        rich_draw(&counts, c, r.y, end - w - 1, w);
        told = TOLD_COUNTS | (window ? TOLD_WINDOW : 0);
    }
    rich_fini(&age);
    rich_fini(&tabs);
    rich_fini(&counts);
    return told;
}

struct gauge {
    const char *label;
    uint64_t used, idle, out, all; /* idle: of used */
    char number[48], broken[32], unused[32];
};

static void add_bar(struct rich *r, const struct gauge *g, int width)
{
    rich_addf(r, ROLE_LABEL, "%s ", g->label);
    if (width) {
        bar_three(r, g->used, g->idle, g->out, g->all, width);
        rich_add(r, ROLE_NORMAL, " ");
    }
    rich_add(r, ROLE_NORMAL, g->number);
    rich_add(r, ROLE_ERROR, g->broken);
    rich_add(r, ROLE_WARM, g->unused);
}

/* How many nodes take no jobs, those with jobs too, is said in words where the bars stay long enough. */
static void header_say_out(struct gauge *nodes, uint32_t out, int *room, int n)
{
    if (!out || !n)
        return;
    snprintf(nodes->broken, sizeof nodes->broken, tr(" %llu out"), (unsigned long long)out);
    if ((*room - cell_width(nodes->broken)) / n > BAR_LEAST) /* worth more than long bars */
        *room -= cell_width(nodes->broken);
    else
        nodes->broken[0] = '\0';
}

#define TRAIL_FROM  132 /* columns */
#define TRAIL_CELLS 16

/* GPUs that are allocated and idle, where that is measured now. */
static void header_say_idle(const struct ui *ui, struct gauge *gpus, int *room)
{
    struct util_gpus now;
    ui_util_gpus(ui, &now);
    gpus->idle = now.idle < gpus->used ? now.idle : gpus->used;
    if (!gpus->idle)
        return;
    snprintf(gpus->unused, sizeof gpus->unused, trn(" %llu idle", " %llu idle", (unsigned long)gpus->idle),
             (unsigned long long)gpus->idle);
    *room -= cell_width(gpus->unused);
}

/* The use of all GPUs in the time that was measured; nothing where none was. */
static void header_trail(const struct ui *ui, struct rich *r)
{
    const struct recent *past = ui_util_gpus_past(ui);
    uint8_t columns[2 * TRAIL_CELLS];
    bool any = false;
    recent_columns(past, ui_util_span(ui), ui->mono, columns, sizeof columns);
    for (size_t i = 0; i < sizeof columns; i++)
        any |= columns[i] != RECENT_NONE;
    if (!any)
        return;
    rich_add(r, ROLE_NORMAL, "   ");
    graph_add_span(r, past, ui_util_span(ui), ui->mono, TRAIL_CELLS, ROLE_BAR_USED);
    rich_add(r, ROLE_LABEL, ui_util_span(ui) == RECENT_HOUR ? tr(" GPU use, 1 h") : tr(" GPU use, 6 min"));
}

#define GAUGES 3

/* What labels and numbers leave of a width. *ret_n: how many of them are shown. */
static int header_room(struct gauge gauges[GAUGES], int width, int *ret_n)
{
    int n = 0;
    for (size_t i = 0; i < GAUGES; i++) {
        struct gauge *g = &gauges[i];
        if (!g->all)
            continue;
        snprintf(g->number, sizeof g->number, "%llu/%llu", (unsigned long long)g->used,
                 (unsigned long long)g->all);
        width -= cell_width(g->label) + cell_width(g->number) + 2 + (n++ ? 3 : 0);
    }
    *ret_n = n;
    return width;
}

/* Behind line, which may be empty. Each by itself: all of them have more roles than one text holds. */
static void header_draw_gauges(struct canvas *c, struct rect r, struct rich *line,
                               const struct gauge gauges[GAUGES], int room, int n, const struct rich *trail)
{
    int width = n ? room / n : 0, x = r.x + 1, end = r.x + r.w - 1;
    bool first = !line->text.len;
    width = width < BAR_LEAST ? 0 : width > BAR_MOST ? BAR_MOST : width;
    x += rich_draw(line, c, r.y, x, end - x);
    for (size_t i = 0; i < GAUGES; i++) {
        if (!gauges[i].all)
            continue;
        rich_clear(line);
        rich_add(line, ROLE_NORMAL, first ? "" : "   ");
        add_bar(line, &gauges[i], width);
        x += rich_draw(line, c, r.y, x, end - x);
        first = false;
    }
    if (width)
        rich_draw(trail, c, r.y, x, end - x);
}

/* Is there room for another text, beside bars that stay long enough? Then it is taken. */
static bool header_take(int *room, int n, const struct rich *text)
{
    int w = cell_width(text->text.s);
    bool fits = n && (*room - w) / n >= BAR_MIN;
    *room -= fits ? w : 0;
    return fits;
}

/* The connection to a controller of this machine is lost; the bars are those of then. */
static bool header_is_away(const struct ui *ui)
{
    return follow_connection(ui)->was_online && !ui->session.online && ui->session.has_data && !ui->o.host;
}

/* In place of the bars: since when, what becomes of the jobs, what the user can do. */
static void header_away(const struct ui *ui, struct canvas *c, struct rect r)
{
    int64_t gone_ms = (ui->mono.ns - follow_connection(ui)->lost_at.ns) / NS_PER_MS;
    struct wall since = {.ms = ui->now.ms - gone_ms};
    struct str at = STR_INIT, key = STR_INIT;
    struct rich line;
    rich_init(&line);
    when_about(&at, since, ui->now);
    keymap_format(&ui->o.keys, ACTION_START, true, &key);
    rich_addf(&line, ROLE_ERROR, tr("No controller since %s"), at.s);
    rich_add(&line, ROLE_NORMAL, tr("; jobs go on running. "));
    if (ui_engine(ui) || ui->o.start_by == START_BY_ITSELF)
        rich_add(&line, ROLE_WARN, tr("Connecting again."));
    else if (ui->o.start_by == START_BY_ADMIN)
        rich_add(&line, ROLE_WARN, tr("Tell an administrator."));
    else if (key.len)
        rich_addf(&line, ROLE_WARN, tr("Start it: %s or stoker up"), key.s);
    else
        rich_add(&line, ROLE_WARN, tr("Start it: stoker up"));
    rich_draw(&line, c, r.y, r.x + 1, r.w - 2);
    rich_fini(&line);
    str_fini(&at);
    str_fini(&key);
}

/* The bars share what labels and numbers leave; where that is too little there are none. Returns whether
 * the window, which is due if the first line does not tell it, has found room. */
static bool header_second_line(const struct ui *ui, struct canvas *c, struct rect r, bool counts,
                               bool window_due)
{
    const struct cluster_totals *t = totals_get(ui);
    struct gauge gauges[GAUGES] = {
        {.label = tr("nodes"), .used = t->nodes_used, .out = t->nodes_out, .all = t->nodes},
        {.label = tr("cpu"), .used = t->cpus_used, .out = t->cpus_out, .all = t->cpus},
        {.label = tr("gpu"), .used = t->gpus_used, .out = t->gpus_out, .all = t->gpus},
    };
    const char *why_lost = follow_connection(ui)->why_lost;
    struct rich line, window, trail;
    int n;
    rich_init(&line);
    rich_init(&window);
    rich_init(&trail);
    bool ssh_says = ui->o.host && !ui->session.online; /* its words tell what the user can do */
    if (!ui->session.has_data || ssh_says)
        rich_add(&line, ROLE_DIM, why_lost ? why_lost : "");
    if (counts)
        counts_text(ui, &line, true, false);
    int room = header_room(gauges, r.w - 2 - cell_width(line.text.s) - (line.text.len ? 3 : 0), &n);
    header_window(ui, &window, true);
    bool told = window_due && header_take(&room, n, &window);
    if (told && !line.text.len) /* in place of its blanks those before the first bar */
        room--;
    if (told) /* what is on is told where it fits */
        rich_add(&line, ROLE_WARN, window.text.s + (line.text.len ? 0 : 2));
    header_say_idle(ui, &gauges[GAUGES - 1], &room);
    if (r.w >= TRAIL_FROM)
        header_trail(ui, &trail);
    if (!header_take(&room, n, &trail))
        rich_clear(&trail);
    header_say_out(&gauges[0], t->nodes_out + t->nodes_out_used, &room, n);
    header_draw_gauges(c, r, &line, gauges, room, n, &trail);
    rich_fini(&line);
    rich_fini(&window);
    rich_fini(&trail);
    return told;
}

bool header_draw(const struct ui *ui, struct canvas *c, struct rect r)
{
    unsigned told = r.h < 1 ? TOLD_COUNTS : header_first_line(ui, c, r);
    bool window = told & TOLD_WINDOW;
    if (r.h >= 2 && header_is_away(ui))
        header_away(ui, c, rect_make(r.y + 1, r.x, 1, r.w));
    else if (r.h >= 2)
        window |=
            header_second_line(ui, c, rect_make(r.y + 1, r.x, 1, r.w), !(told & TOLD_COUNTS), !window);
    return window;
}
