/* rich.c - text in several roles. */
#include "ui/widget/rich.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/term/signs.h"

#define ENDS_MIN 6 /* cells in which two ends say more than a beginning */

void rich_init(struct rich *r)
{
    *r = (struct rich){0};
    str_init(&r->text);
}

void rich_fini(struct rich *r)
{
    str_fini(&r->text);
}

void rich_clear(struct rich *r)
{
    r->n_runs = 0;
    r->hang = 0;
    str_clear(&r->text);
}

void rich_filled(struct rich *r, enum role role, enum role fill)
{
    size_t before = r->n_runs ? r->runs[r->n_runs - 1].end : 0;
    if (r->text.len == before)
        return;
    if (r->n_runs && (r->n_runs == RICH_RUNS ||
                      (r->runs[r->n_runs - 1].role == role && r->runs[r->n_runs - 1].fill == fill)))
        r->n_runs--;
    r->runs[r->n_runs].role = (uint8_t)role;
    r->runs[r->n_runs].fill = (uint8_t)fill;
    r->runs[r->n_runs++].end = r->text.len;
}

bool rich_has_bar(const struct rich *r)
{
    for (size_t i = 0; i < r->n_runs; i++)
        if (r->runs[i].fill != ROLE_NORMAL)
            return true;
    return false;
}

void rich_role(struct rich *r, enum role role)
{
    rich_filled(r, role, ROLE_NORMAL);
}

void rich_add(struct rich *r, enum role role, const char *s)
{
    if (r->mute)
        return;
    str_append(&r->text, s ? s : "");
    rich_role(r, role);
}

void rich_addf(struct rich *r, enum role role, const char *fmt, ...)
{
    va_list ap;
    if (r->mute)
        return;
    va_start(ap, fmt);
    str_vappendf(&r->text, fmt, ap);
    va_end(ap);
    rich_role(r, role);
}

void rich_sign(struct rich *r, enum role role, char letter)
{
    char buf[2];
    rich_add(r, role, sign_of(letter, buf));
}

int rich_draw(const struct rich *r, struct canvas *c, int y, int x, int max)
{
    if (max <= 0)
        return 0;
    bool cut = cell_width(r->text.s) > max;
    int used = 0, room = cut ? max - 1 : max;
    size_t from = 0;
    enum role role = ROLE_NORMAL;
    struct str part = STR_INIT, fits = STR_INIT;
    for (size_t i = 0; i < r->n_runs && used < room; i++) {
        role = (enum role)r->runs[i].role;
        str_clear(&part);
        str_clear(&fits);
        str_append_n(&part, r->text.s + from, r->runs[i].end - from);
        from = r->runs[i].end;
        int cells = cell_text(&fits, part.s, room - used, false, false);
        canvas_fill_with(c, (enum role)r->runs[i].fill);
        used += canvas_text(c, y, x + used, role, fits.s, cells);
        canvas_fill_with(c, ROLE_NORMAL);
        if (cut && cells < cell_width(part.s))
            break;
    }
    if (cut)
        used += canvas_glyph(c, y, x + used, role, GLYPH_CUT);
    str_fini(&part);
    str_fini(&fits);
    return used;
}

void lines_fini(struct lines *l)
{
    for (size_t i = 0; i < l->cap; i++)
        rich_fini(&l->v[i]);
    free(l->v);
    *l = (struct lines){0};
}

void lines_clear(struct lines *l)
{
    l->n = 0;
}

struct rich *lines_add(struct lines *l)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 16;
        l->v = xreallocarray(l->v, cap, sizeof *l->v);
        for (size_t i = l->cap; i < cap; i++)
            rich_init(&l->v[i]);
        l->cap = cap;
    }
    rich_clear(&l->v[l->n]);
    return &l->v[l->n++];
}

/* Cells of a letter as it is shown. */
static int letter_cells(const char *s, size_t *ret_len)
{
    uint32_t cp = 0;
    size_t len = utf8_decode(s, strlen(s), &cp);
    int w = len ? utf8_width(cp) : 4; /* escaped as \xHH */
    *ret_len = len ? len : 1;
    return w < 0 ? 4 : w;
}

/* Whether the word that s begins with is wider than n cells. */
static bool is_wider(const char *s, int width)
{
    size_t len;
    for (int cells = 0; *s && *s != ' '; s += len) {
        cells += letter_cells(s, &len);
        if (cells > width)
            return true;
    }
    return false;
}

/* Bytes of s that make a line of at most width cells: up to the last blank that fits, else as much as fits;
 * so too where the word behind the blank would be broken in the next line, of next cells, anyway. At least
 * one character. */
static size_t rich_line_bytes(const char *s, int width, int next)
{
    size_t i = 0, blank = 0;
    int cells = 0;
    while (s[i]) {
        size_t len;
        int w = letter_cells(s + i, &len);
        if (cells + w > width && i > 0)
            return blank && !is_wider(s + blank + 1, next) ? blank : i;
        cells += w;
        if (s[i] == ' ')
            blank = i;
        i += len;
    }
    return i;
}

/* Appends the bytes from..to of r to out, runs and all. */
static void copy_part(const struct rich *r, size_t from, size_t to, struct rich *out)
{
    size_t begin = 0;
    for (size_t i = 0; i < r->n_runs && begin < to; begin = r->runs[i++].end) {
        size_t a = begin > from ? begin : from, b = r->runs[i].end < to ? r->runs[i].end : to;
        if (a < b) {
            str_append_n(&out->text, r->text.s + a, b - a);
            rich_filled(out, (enum role)r->runs[i].role, (enum role)r->runs[i].fill);
        }
    }
}

void rich_append(struct rich *r, const struct rich *other)
{
    if (!r->mute)
        copy_part(other, 0, other->text.len, r);
}

int rich_draw_ends(const struct rich *r, struct canvas *c, int y, int x, int max)
{
    int left = cell_width(r->text.s);
    if (left <= max || max < ENDS_MIN)
        return rich_draw(r, c, y, x, max);
    int head = (max - 1) / 2, used = rich_draw(r, c, y, x, head + 1); /* with the sign that it is cut */
    size_t at = 0, len;
    for (; r->text.s[at] && left > max - used; at += len)
        left -= letter_cells(r->text.s + at, &len);
    struct rich tail;
    rich_init(&tail);
    copy_part(r, at, r->text.len, &tail);
    used += rich_draw(&tail, c, y, x + used, max - used);
    rich_fini(&tail);
    return used;
}

static void flow_line(const struct rich *r, int width, struct lines *out)
{
    size_t at = 0, len = r->text.len;
    int indent = 0, hang = r->hang < width / 2 ? r->hang : 2;
    do {
        struct rich *line = lines_add(out);
        if (indent)
            rich_addf(line, ROLE_NORMAL, "%*s", indent, "");
        size_t n = rich_line_bytes(r->text.s + at, width - indent, width - hang);
        copy_part(r, at, at + n, line);
        at += n;
        while (at < len && r->text.s[at] == ' ')
            at++;
        indent = hang;
    } while (at < len);
}

void lines_flow(const struct lines *l, int width, struct lines *out)
{
    lines_clear(out);
    for (size_t i = 0; i < l->n; i++)
        flow_line(&l->v[i], width < 8 ? 8 : width, out);
}

struct rich *lines_addf(struct lines *l, enum role role, const char *fmt, ...)
{
    struct rich *r = lines_add(l);
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&r->text, fmt, ap);
    va_end(ap);
    rich_role(r, role);
    return r;
}

struct rich *lines_pair(struct lines *l, const char *label, int label_width)
{
    struct rich *r = lines_add(l);
    int w = cell_width(label);
    rich_addf(r, ROLE_LABEL, "%s%*s", label, w < label_width ? label_width - w : 1, "");
    r->hang = label_width;
    return r;
}
