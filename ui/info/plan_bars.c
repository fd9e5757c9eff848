/* plan_bars.c - bars of jobs on a time axis. */
#include "ui/info/plan_bars.h"
#include "src/text/amount_text.h"

#include <stdio.h>
#include <time.h>

#include "src/base/utf8.h"
#include "src/lang/lang.h"
#include "ui/info/node_info.h"
#include "ui/info/plan_info.h"
#include "ui/term/signs.h"

#define EIGHTHS         8
#define LEAST           4  /* eighths that a bar takes, however short it is */
#define LEAD_FROM       5  /* cells above which a bar keeps its first and its last one free of text */
#define NAME_MIN        5  /* cells in which a name says something: a blank, three letters and a mark */
#define PALE_PLANNED    55 /* percent of the track in the colour of a planned start ... */
#define PALE_FORECAST   70 /* ... and of one that is only expected, ... */
#define PALE_REST       85 /* ... and of the further elements of an array */
#define HATCH_LEAD      4  /* cells before the word */
#define HATCH_WORD_FROM 16
#define TICK_CELLS      6 /* of a time on the scale, and a blank */
#define TICK_EVERY      9 /* cells from one to the next at least */
#define NOW_CELLS       8 /* of the mark of now */

/* --- the line of time --- */

static int64_t cell_ms(const struct planbars *b)
{
    int64_t ms = (int64_t)b->span_s * MS_PER_S / (b->room > 0 ? b->room : 1);
    return ms > 0 ? ms : 1;
}

/* In eighths of a cell from now on, as far as the axis goes. */
static int plan_bars_at(const struct planbars *b, struct wall when)
{
    int64_t at = (when.ms - ui_now(b->ui).ms) * EIGHTHS, cell = cell_ms(b),
            end = (int64_t)b->room * EIGHTHS;
    return at < 0 ? -1 : at / cell > end ? (int)end : (int)(at / cell);
}

/* --- bars --- */

struct bar_look {
    enum role fill, text;
    int pale;
    const char *sign; /* of its cells where there are no colours */
};

static struct bar_look look_of(const struct planbars *b, const struct bar_item *bar)
{
    const struct plan_row *r = bar->row;
    if (r == b->own)
        return (struct bar_look){.fill = ROLE_BAR_USED, .text = ROLE_BAR_OWN, .sign = "\u2588"};
    bool mine = planinfo_is_own(b->ui, r), runs = r->kind == PLAN_RUNNING;
    return (struct bar_look){
        .fill = mine ? ROLE_OWNER_1 : ownerroles_of(&b->owners, r->user),
        .text = runs   ? mine ? ROLE_BAR_OWN : ROLE_BAR_TEXT
                : mine ? ROLE_STRONG
                       : ROLE_NORMAL,
        .pale = bar->rest              ? PALE_REST
                : runs                 ? 0
                : r->kind == PLAN_HELD ? PALE_PLANNED
                                       : PALE_FORECAST,
        .sign = runs ? "\u2588" : "\u2591",
    };
}

/* "4711 train, ann", or as much of it as says something in room cells. */
static void bar_words(const struct planbars *b, const struct bar_item *bar, int room, struct str *out)
{
    const struct plan_row *r = bar->row;
    if (r == b->own) {
        str_append(out, r->name);
        return;
    }
    planinfo_id(out, b->ui, r);
    int left = room - cell_width(out->s), name = cell_width(r->name ? r->name : "") + 1,
        user = cell_width(r->user ? r->user : "") + 2;
    if (left < 0)
        str_clear(out);
    else if (bar->rest)
        str_appendf(out, "%s%s", left >= 2 ? " " : "", left >= 2 ? glyph_text(GLYPH_CUT) : "");
    else if (r->name && left >= (name < NAME_MIN ? name : NAME_MIN))
        str_appendf(out, " %s", r->name);
    if (!bar->rest && r->name && r->user && left >= name + user)
        str_appendf(out, ", %s", r->user);
}

static void draw_bar_text(const struct planbars *b, struct canvas *c, const struct bar_item *bar,
                          struct rect at, const struct bar_look *look)
{
    struct str words = STR_INIT;
    bar_words(b, bar, at.w, &words);
    if (words.len)
        canvas_text(c, at.y, at.x, look->text, words.s, at.w);
    str_fini(&words);
}

/* next: where the next bar begins, in eighths. */
static void draw_bar(const struct planbars *b, struct canvas *c, struct rect line,
                     const struct bar_item *bar, int next)
{
    int from = plan_bars_at(b, bar->start) / EIGHTHS, end = plan_bars_at(b, bar->end);
    struct bar_look look = look_of(b, bar);
    char block[4];
    from = from < 0 ? 0 : from;
    if (end < 0 || from >= line.w)
        return;
    if (end < from * EIGHTHS + LEAST)
        end = from * EIGHTHS + LEAST;
    if (next / EIGHTHS <= end / EIGHTHS && next / EIGHTHS > from) /* a gap is seen between the two */
        end = next / EIGHTHS * EIGHTHS - 1;
    canvas_fill_pale(c, look.fill, look.pale);
    for (int x = from; x < end / EIGHTHS; x++)
        canvas_text(c, line.y, line.x + x, look.fill, look.sign, 1);
    int cells = end / EIGHTHS - from, lead = cells > LEAD_FROM;
    draw_bar_text(b, c, bar, rect_make(line.y, line.x + from + lead, 1, cells - 2 * lead), &look);
    canvas_fill_pale(c, ROLE_NORMAL, look.pale);
    if (end % EIGHTHS && end / EIGHTHS < line.w) {
        block[utf8_encode(0x2590u - (uint32_t)(end % EIGHTHS), block)] = '\0';
        canvas_text(c, line.y, line.x + end / EIGHTHS, look.fill, block, 1);
    }
    canvas_fill_with(c, ROLE_NORMAL);
}

/* What keeps jobs off: hatched, with a word in it. */
static void draw_hatch(struct canvas *c, struct rect at, const struct rich *word)
{
    for (int i = 0; i < at.w; i++)
        canvas_text(c, at.y, at.x + i, ROLE_RULE, bar_sign(ROLE_BAR_OUT), 1);
    if (at.w < HATCH_WORD_FROM || !word->text.len)
        return;
    canvas_text(c, at.y, at.x + HATCH_LEAD, ROLE_RULE, " ", 1);
    int used = rich_draw(word, c, at.y, at.x + HATCH_LEAD + 1, at.w - 2 * HATCH_LEAD - 2);
    canvas_text(c, at.y, at.x + HATCH_LEAD + 1 + used, ROLE_RULE, " ", 1);
}

static void draw_window(const struct planbars *b, struct canvas *c, struct rect line,
                        const struct bar_item *bar, bool again)
{
    int from = plan_bars_at(b, bar->start) / EIGHTHS, end = plan_bars_at(b, bar->end);
    struct rich word;
    rich_init(&word);
    if (!again)
        rich_add(&word, ROLE_WARM, bar->row->name ? bar->row->name : tr("maintenance"));
    from = from < 0 ? 0 : from;
    end = (end + EIGHTHS - 1) / EIGHTHS;
    draw_hatch(c, rect_make(line.y, line.x + from, 1, end - from), &word);
    rich_fini(&word);
}

/* Nothing starts on a node that takes no jobs: from the end of what runs there. */
static void draw_offline(const struct planbars *b, struct canvas *c, struct rect line, const struct lane *l)
{
    const struct node *n = l->node ? model_get_node(ui_model(b->ui), l->node) : NULL;
    struct rich word;
    int from = 0;
    if (!n || !node_is_out(n))
        return;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        int end = plan_bars_at(b, b->lanes.items.v[i].end);
        from = end > from ? end : from;
    }
    from = (from + EIGHTHS - 1) / EIGHTHS;
    rich_init(&word);
    if (!l->again)
        nodeinfo_note(&word, b->ui, n);
    draw_hatch(c, rect_make(line.y, line.x + from, 1, line.w - from), &word);
    rich_fini(&word);
}

void planbars_draw_lane(const struct planbars *b, struct canvas *c, struct rect line, const struct lane *l)
{
    canvas_glyph(c, line.y, line.x, ROLE_RULE, GLYPH_VLINE); /* now */
    draw_offline(b, c, line, l);
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct bar_item *bar = &b->lanes.items.v[i];
        int next = i + 1 < l->first + l->n ? plan_bars_at(b, bar[1].start) : line.w * EIGHTHS + EIGHTHS;
        if (bar->row->kind == PLAN_WINDOW)
            draw_window(b, c, line, bar, l->again && l->has_gpus);
        else if (plan_has_bar(bar->row))
            draw_bar(b, c, line, bar, next);
    }
}

/* --- the lanes --- */

void planbars_fill(struct planbars *b, const struct msg_plan *plan, enum plan_by by)
{
    ownerroles_fill(&b->owners, b->ui);
    struct wall until = wall_add_s(ui_now(b->ui), b->span_s);
    planlanes_fill(&b->lanes, plan, ui_model(b->ui), ui_now(b->ui), until, by);
}

void planbars_fini(struct planbars *b)
{
    planlanes_fini(&b->lanes);
}

/* --- above and below it --- */

struct wall planbars_time(const struct planbars *b, int column)
{
    int64_t cell = cell_ms(b);
    return (struct wall){.ms = ui_now(b->ui).ms + column * cell + cell / 2};
}

static const uint32_t ticks_s[] = {300, 900, 1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400};

static void draw_now(const struct planbars *b, struct canvas *c, struct rect head)
{
    time_t now = (time_t)(ui_now(b->ui).ms / MS_PER_S);
    struct tm tm;
    char text[16];
    localtime_r(&now, &tm);
    strftime(text, sizeof text, "%H:%M", &tm);
    int used = canvas_glyph(c, head.y, head.x, ROLE_STRONG, GLYPH_DOWN);
    canvas_text(c, head.y, head.x + used, ROLE_STRONG, text, head.w - used);
}

void planbars_draw_scale(const struct planbars *b, struct canvas *c, struct rect head)
{
    size_t k = 0;
    while (k + 1 < sizeof ticks_s / sizeof ticks_s[0] &&
           (int64_t)ticks_s[k] * MS_PER_S / cell_ms(b) < TICK_EVERY)
        k++;
    time_t first = (time_t)(ui_now(b->ui).ms / MS_PER_S), step = (time_t)ticks_s[k];
    struct tm tm;
    localtime_r(&first, &tm);
    time_t offset = tm.tm_gmtoff;
    draw_now(b, c, head);
    for (time_t at = (first + offset) / step * step + step - offset;; at += step) {
        int col = plan_bars_at(b, (struct wall){.ms = (int64_t)at * MS_PER_S}) / EIGHTHS;
        char text[16];
        if (col > head.w - TICK_CELLS)
            return;
        localtime_r(&at, &tm);
        if (step >= 86400 || (tm.tm_hour == 0 && tm.tm_min == 0))
            snprintf(text, sizeof text, "%s %02d", weekday_word(tm.tm_wday), tm.tm_mday);
        else
            strftime(text, sizeof text, "%H:%M", &tm);
        if (col >= NOW_CELLS)
            canvas_printf(c, head.y, head.x + col, ROLE_HEAD, head.w - col, "%s", text);
    }
}

static int legend_sample(struct canvas *c, struct rect line, enum role fill, int pale, const char *sign,
                         const char *means)
{
    canvas_fill_pale(c, fill, pale);
    for (int i = 0; i < 2; i++)
        canvas_text(c, line.y, line.x + i, fill, sign, 1);
    canvas_fill_with(c, ROLE_NORMAL);
    return 5 + canvas_text(c, line.y, line.x + 3, ROLE_DIM, means, line.w - 3);
}

void planbars_draw_legend(struct canvas *c, struct rect line)
{
    line.x += 2;
    line.w -= 3;
    rect_take_left(&line, legend_sample(c, line, ROLE_OWNER_1, 0, "\u2588", tr("runs")));
    rect_take_left(&line, legend_sample(c, line, ROLE_OWNER_1, PALE_PLANNED, "\u2591", tr("planned")));
    for (int i = 0; i < 2; i++)
        canvas_text(c, line.y, line.x + i, ROLE_RULE, bar_sign(ROLE_BAR_OUT), 1);
    rect_take_left(
        &line, 5 + canvas_text(c, line.y, line.x + 3, ROLE_DIM, tr("maintenance or offline"), line.w - 3));
    canvas_text(c, line.y, line.x, ROLE_DIM, tr("colour: user, bold: yours"), line.w);
}
