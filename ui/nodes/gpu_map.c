/* gpu_map.c - every GPU as a block. */
#include "ui/nodes/gpu_map.h"

#include <stdio.h>

#include "src/base/utf8.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"
#include "ui/info/node_info.h"
#include "ui/info/node_mark.h"
#include "ui/state/view.h"
#include "ui/term/signs.h"
#include "ui/widget/bar.h"
#include "ui/widget/graph.h"

#define MARK_WIDTH   2
#define NAME_LEAST   8
#define NAME_MOST    28
#define BLOCK_LEAST  7 /* cells: "97% 72G" */
#define BLOCK_MOST   16
#define BLOCK_LINES  3
#define PALE_HELD    30 /* percent of the track in a GPU whose use is not measured */
#define PALE_IDLE    75 /* ... in one that is not used */
#define PALE_FOREIGN 65
#define PALE_BROKEN  75
#define WIDE_IDLE    10 /* cells that have room for "idle" and a time */

struct block {
    const struct gpu_row *row;
    unsigned gpu;
    const struct gpu_row_owner *owner;
    const struct gpu_util *used; /* NULL: not measured */
    enum gpu_device is;
    enum role fill, text;
    int pale;
};

static struct block block_of(const struct gpumap *m, const struct gpu_row *row, unsigned gpu)
{
    struct block b = {.row = row, .gpu = gpu, .fill = ROLE_NORMAL, .text = ROLE_DIM};
    b.owner = gpurows_owner(m->rows, row, gpu);
    b.used = gpurows_measured(m->rows, row, gpu);
    b.is = gpurows_device(m->rows, row, gpu);
    if (b.is == GPU_FOREIGN || b.is == GPU_BROKEN) {
        b.fill = b.is == GPU_FOREIGN ? ROLE_BAR_FOREIGN : ROLE_BAR_FAIL;
        b.pale = b.is == GPU_FOREIGN ? PALE_FOREIGN : PALE_BROKEN;
        b.text = ROLE_NORMAL;
    } else if (b.is == GPU_HELD || b.is == GPU_BUSY || b.is == GPU_IDLE) {
        const struct job *j = b.owner ? b.owner->job : NULL;
        bool mine = j && j->uid == ui_uid(m->rows->ui);
        unsigned busy = !b.used ? 0 : b.used->busy_pct > 100 ? 100 : b.used->busy_pct;
        b.fill = mine ? ROLE_OWNER_1 : ownerroles_of(&m->owners, j ? j->user : NULL);
        b.pale = b.used ? PALE_IDLE - PALE_IDLE * (int)busy / 100 : PALE_HELD;
        b.text = mine ? ROLE_STRONG : ROLE_NORMAL;
        if (!b.pale)
            b.text = mine ? ROLE_BAR_OWN : ROLE_BAR_TEXT;
    }
    return b;
}

/* --- what a block says --- */

/* For how long the owner has had it without using it. */
static int64_t unused_s(const struct gpumap *m, const struct block *b)
{
    const struct job *j = b->owner ? b->owner->job : NULL;
    if (b->is != GPU_IDLE || !j || !b->used)
        return 0;
    if (!j->alloc.n) /* a task's, which began later */
        return nodeinfo_gpu_idle_s(m->rows->ui, b->row->node, b->gpu);
    int64_t held = wall_elapsed_s(j->t_start, ui_now(m->rows->ui));
    return held < b->used->idle_s ? held : b->used->idle_s;
}

static void block_head(const struct block *b, int width, struct rich *r)
{
    const char *foreign = tr(" foreign");
    rich_addf(r, b->text, "%u", b->gpu);
    if (b->is == GPU_FOREIGN && cell_width(r->text.s) + cell_width(foreign) <= width)
        rich_add(r, b->text, foreign);
    else if (b->is == GPU_FOREIGN)
        rich_add(r, b->text, trc("use of a GPU, in 6 cells", " other"));
    else if (b->owner)
        rich_addf(r, b->text, " %s", b->owner->job->user ? b->owner->job->user : "");
}

static void block_out(const struct gpumap *m, const struct block *b, int width, struct rich *r)
{
    struct node_mark mark = node_mark_of(m->rows->ui, b->row->node);
    rich_add(r, mark.role, cell_width(mark.word) <= width ? mark.word : mark.sign);
}

static void block_numbers(const struct gpumap *m, const struct block *b, int width, struct rich *r)
{
    const char *name = b->owner ? jobtext_name(b->owner->job) : NULL;
    if (b->is == GPU_BROKEN)
        rich_add(r, ROLE_ERROR, tr("broken"));
    else if (b->is == GPU_OUT)
        block_out(m, b, width, r);
    else if (b->is == GPU_FREE)
        rich_add(r, ROLE_GOOD, tr("free"));
    else if (b->used)
        rich_addf(r, b->text, width > BLOCK_LEAST ? "%3u%% %4lluG" : "%u%% %lluG", b->used->busy_pct,
                  (unsigned long long)(b->used->mem_used_mib + 512) / 1024);
    else
        rich_add(r, b->text, name ? name : tr("allocated"));
}

static void block_idle(const struct block *b, int64_t s, int width, struct rich *r)
{
    char time[UNITS_TEXT_SIZE], text[UNITS_TEXT_SIZE + 8];
    duration_format_words(s, time);
    snprintf(text, sizeof text, tr("idle %s"), time);
    if (cell_width(text) <= width)
        rich_add(r, b->text, text);
    else if (s >= 3600)
        rich_addf(r, b->text, "%s%lldh%02lldm", width >= WIDE_IDLE ? tr("idle ") : "", (long long)s / 3600,
                  (long long)s / 60 % 60);
    else
        rich_addf(r, b->text, "%s%lldm", width > BLOCK_LEAST ? tr("idle ") : "", (long long)s / 60);
}

static void block_processes(const struct block *b, int width, struct rich *r)
{
    unsigned n = b->used->foreign;
    rich_addf(r, b->text, trn("%u process", "%u processes", n), n);
    if (cell_width(r->text.s) <= width)
        return;
    rich_clear(r);
    rich_addf(r, b->text, tr("%u proc."), n);
}

static void block_foot(const struct gpumap *m, const struct block *b, int width, struct rich *r)
{
    const struct util_past *past = ui_util_past(m->rows->ui, b->row->node->spec.name);
    int64_t idle = unused_s(m, b);
    if (idle >= 60)
        block_idle(b, idle, width, r);
    else if (b->is == GPU_FOREIGN && b->used && b->used->foreign)
        block_processes(b, width, r);
    else if (b->is == GPU_OUT || b->is == GPU_BROKEN)
        for (int i = 0; i < width; i++)
            rich_add(r, ROLE_RULE, bar_sign(ROLE_BAR_OUT));
    else if (past && b->gpu < past->n_gpus && b->is != GPU_FREE)
        graph_add_span(r, &past->gpus[b->gpu], ui_util_span(m->rows->ui), ui_mono(m->rows->ui), width,
                       b->text);
}

/* --- drawing --- */

static void block_line(const struct block *b, struct canvas *c, struct rect at, const struct rich *text)
{
    canvas_fill_pale(c, b->fill, b->pale);
    canvas_fill(c, at, b->text);
    int x = at.x + (at.w > BLOCK_LEAST), room = at.w - (at.w > BLOCK_LEAST);
    struct str part = STR_INIT;
    size_t from = 0;
    for (size_t i = 0; i < text->n_runs && room > 0; i++) { /* rich_draw has fills of its own */
        str_clear(&part);
        str_append_n(&part, text->text.s + from, text->runs[i].end - from);
        from = text->runs[i].end;
        int used = canvas_text(c, at.y, x, (enum role)text->runs[i].role, part.s, room);
        x += used;
        room -= used;
    }
    str_fini(&part);
    canvas_fill_with(c, ROLE_NORMAL);
}

static void draw_block(const struct gpumap *m, const struct block *b, struct canvas *c, struct rect at)
{
    int width = at.w - (at.w > BLOCK_LEAST);
    for (int line = 0; line < at.h; line++) {
        struct rich r;
        rich_init(&r);
        if (line == 0)
            block_head(b, width, &r);
        else if (line == 1 && (at.h == BLOCK_LINES || unused_s(m, b) < 60))
            block_numbers(m, b, width, &r);
        else
            block_foot(m, b, width, &r);
        block_line(b, c, rect_make(at.y + line, at.x, 1, at.w), &r);
        rich_fini(&r);
    }
}

struct map_room { /* what fits */
    int name, block, per_line, block_lines;
};

static void draw_name(const struct gpumap *m, struct table *t, size_t at, struct canvas *c, struct rect r,
                      int width)
{
    const struct trow *row = table_shown(t, at);
    const struct gpu_row *g = row->data;
    struct rect name = rect_make(r.y, r.x + MARK_WIDTH, r.h, width);
    struct table_field sign;
    field_init(&sign);
    nodeinfo_sign(&sign, m->rows->ui, g->node);
    int used = rich_draw(&sign.text, c, name.y, name.x, width) + 1;
    field_fini(&sign);
    struct rich text;
    rich_init(&text);
    rich_add(&text, ROLE_STRONG, g->node->spec.name);
    rich_draw_ends(&text, c, name.y, name.x + used, width - used);
    rich_fini(&text);
    canvas_text(c, name.y + 1, name.x + used, ROLE_DIM, g->node->gpu_type ? g->node->gpu_type : "",
                width - used);
    if (list_is_marked(&t->list, row->id))
        canvas_glyph(c, r.y, r.x, ROLE_MARK, GLYPH_MARK);
    if (at == t->list.cursor)
        canvas_over(c, rect_make(r.y, r.x, r.h, MARK_WIDTH + width), ROLE_CURSOR);
}

static void draw_blocks(const struct gpumap *m, const struct gpu_row *g, struct canvas *c, struct rect r,
                        const struct map_room *room)
{
    for (unsigned i = 0; i < g->node->gpus && i < CPUSET_MAX; i++) {
        struct block b = block_of(m, g, i);
        int line = (int)i / room->per_line, column = (int)i % room->per_line;
        draw_block(m, &b, c,
                   rect_make(r.y + line * room->block_lines, r.x + column * (room->block + 1),
                             room->block_lines, room->block));
    }
}

/* Blocks for that number of GPUs in a width; block_lines is left to the caller. */
static void room_for(struct map_room *room, int gpus, int width)
{
    room->per_line = width / (BLOCK_LEAST + 1);
    room->per_line = room->per_line > gpus ? gpus : room->per_line < 1 ? 1 : room->per_line;
    room->block = width / room->per_line - 1;
    room->block = room->block > BLOCK_MOST ? BLOCK_MOST : room->block < 1 ? 1 : room->block;
}

/* The widest name and the most GPUs of a node decide. */
static struct map_room room_in(const struct gpumap *m, const struct table *t, struct rect r)
{
    struct map_room room = {.name = NAME_LEAST};
    int most = 1, most_name;
    for (size_t i = t->list.top; i < t->shown.n && i < t->list.top + (size_t)r.h; i++) {
        int w = cell_width(((const struct gpu_row *)table_shown(t, i)->data)->node->spec.name) + 3;
        room.name = w > room.name ? w : room.name;
    }
    for (size_t i = 0; i < m->rows->n_rows; i++)
        most = (int)m->rows->rows[i].node->gpus > most ? (int)m->rows->rows[i].node->gpus : most;
    most_name = r.w / 3 < NAME_MOST ? r.w / 3 : NAME_MOST;
    room.name = room.name > most_name ? most_name : room.name;
    room_for(&room, most, r.w - MARK_WIDTH - room.name - 2);
    int rows = (most + room.per_line - 1) / room.per_line;
    for (room.block_lines = BLOCK_LINES; room.block_lines > 2; room.block_lines--)
        if ((size_t)(r.h / (rows * room.block_lines)) >= t->shown.n)
            break;
    return room;
}

int gpumap_node_lines(const struct gpu_row *g, int width)
{
    struct map_room room;
    int n = (int)g->node->gpus;
    room_for(&room, n > 0 ? n : 1, width);
    return (n + room.per_line - 1) / room.per_line * BLOCK_LINES;
}

void gpumap_draw_node(const struct gpumap *m, const struct gpu_row *g, struct canvas *c, struct rect r)
{
    struct map_room room = {.block_lines = BLOCK_LINES};
    struct rect old = canvas_clip(c, r);
    room_for(&room, g->node->gpus ? (int)g->node->gpus : 1, r.w);
    draw_blocks(m, g, c, r, &room);
    canvas_unclip(c, old);
}

int gpumap_draw(struct gpumap *m, struct table *t, struct canvas *c, struct rect r)
{
    struct map_room room = room_in(m, t, r);
    size_t most = 1;
    for (size_t i = 0; i < m->rows->n_rows; i++)
        most = m->rows->rows[i].node->gpus > most ? m->rows->rows[i].node->gpus : most;
    int lines = ((int)most + room.per_line - 1) / room.per_line * room.block_lines;
    bool gaps = (size_t)(r.h / (lines + 1)) >= t->shown.n;
    m->lines = lines + gaps;
    list_fit(&t->list, r.h / m->lines > 0 ? r.h / m->lines : 1);
    struct rect old = canvas_clip(c, r);
    int taken = 0;
    for (size_t i = t->list.top; i < t->shown.n && i < t->list.top + (size_t)t->list.height; i++) {
        struct rect line = rect_make(r.y + taken, r.x, lines, r.w - 2);
        draw_name(m, t, i, c, line, room.name);
        rect_take_left(&line, MARK_WIDTH + room.name);
        draw_blocks(m, table_shown(t, i)->data, c, line, &room);
        taken += m->lines;
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)t->list.top, t->list.height,
                     (long long)t->shown.n);
    canvas_unclip(c, old);
    return taken < r.h ? taken : r.h;
}

/* --- sums --- */

/* "7 a100: 4 on gpu01, 3 on gpu02", as far as there is room. */
static void free_of_type(const struct gpumap *m, const struct gpu_type *type, struct rich *r, int width)
{
    uint32_t left = type->free;
    rich_addf(r, ROLE_STRONG, "%u ", type->free);
    rich_addf(r, ROLE_NORMAL, "%s: ", type->name);
    for (size_t i = 0; i < m->rows->n_rows && left; i++) {
        const struct gpu_row *row = &m->rows->rows[i];
        const char *name = row->node->gpu_type ? row->node->gpu_type : tr("untyped");
        if (!row->free || !str_eq(name, type->name))
            continue;
        left -= row->free;
        rich_addf(r, ROLE_NORMAL, tr("%u on %s%s"), row->free, row->node->spec.name, left ? ", " : "  ");
        if (left && cell_width(r->text.s) > width - 24) {
            rich_addf(r, ROLE_NORMAL, tr("%u on other nodes  "), left);
            return;
        }
    }
}

bool gpumap_is_measured(const struct gpumap *m)
{
    bool allocated = false;
    for (size_t i = 0; i < m->rows->n_types; i++) {
        const struct gpu_type *t = &m->rows->types[i];
        if (t->busy || t->idle)
            return true;
        allocated = allocated || t->held;
    }
    return !allocated;
}

static void first_unused(const struct gpumap *m, struct rich *r)
{
    char time[UNITS_TEXT_SIZE];
    unsigned more = 0;
    for (size_t i = 0; i < m->rows->n_rows; i++) {
        const struct gpu_row *row = &m->rows->rows[i];
        for (unsigned k = 0; row->idle && k < row->node->gpus && k < CPUSET_MAX; k++) {
            struct block b = block_of(m, row, k);
            int64_t s = unused_s(m, &b);
            if (s < ui_gpu_idle_flag_s(m->rows->ui) || s <= 0 || more++)
                continue;
            const struct job *j = b.owner->job;
            rich_addf(r, ROLE_WARN, tr("%s of %s: GPU %u of %s unused for %s"),
                      j->req.name ? jobtext_name(j) : tr("a job"), jobtext_user(j), k, row->node->spec.name,
                      duration_format_words(s, time));
        }
    }
    if (more > 1)
        rich_addf(r, ROLE_DIM, tr("; %u more"), more - 1);
    if (!more)
        rich_add(r, ROLE_DIM,
                 gpumap_is_measured(m) ? tr("no GPU has been allocated and unused for long")
                                       : tr("not known: the use of the GPUs is not measured"));
}

void gpumap_sums(const struct gpumap *m, struct lines *l, int width)
{
    struct rich *r = lines_pair(l, tr("free now"), 10);
    bool any = false;
    for (size_t i = 0; i < m->rows->n_types; i++)
        if (m->rows->types[i].free) {
            free_of_type(m, &m->rows->types[i], r, width);
            any = true;
        }
    if (!any)
        rich_add(r, ROLE_NORMAL, tr("no GPU"));
    first_unused(m, lines_pair(l, tr("wasted"), 10));
}
