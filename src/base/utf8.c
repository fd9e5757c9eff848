/* utf8.c - text from outside: validated on the way in, made printable on the way out. */
#include "src/base/utf8.h"

#include <stdio.h>
#include <string.h>

struct cp_range {
    uint32_t first, last;
};

#include "src/base/utf8_table.h"

/* Marks that a cell may hold: more are of no use but to spill over the lines around. */
#define MAX_MARKS 4

/* They move the cursor, turn the direction of what follows or end the line; or they are no characters. */
static const struct cp_range unprintable_ranges[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200e, 0x200f},   {0x2028, 0x202e},
    {0x2066, 0x2069}, {0xd800, 0xdfff}, {0xfdd0, 0xfdef}, {0xe0000, 0xe0fff},
};

/* They show nothing: two texts that look alike would differ by them. */
static const struct cp_range invisible_ranges[] = {
    {0x00ad, 0x00ad}, {0x034f, 0x034f},   {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x200b, 0x200d},   {0x2060, 0x2065},   {0x206a, 0x206f},
    {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
};

static bool utf8_in_ranges(const struct cp_range *r, size_t n, uint32_t cp)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (cp > r[mid].last)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && cp >= r[lo].first;
}

#define IN(table, cp) utf8_in_ranges(table, sizeof table / sizeof table[0], cp)

size_t utf8_decode(const char *s, size_t n, uint32_t *ret_cp)
{
    /* By the number of bytes: the smallest code point that needs that number. */
    static const uint32_t smallest[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};

    const unsigned char *u = (const unsigned char *)s;
    if (!n)
        return 0;
    if (u[0] < 0x80) {
        *ret_cp = u[0];
        return 1;
    }
    size_t len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || len > n)
        return 0;
    uint32_t cp = u[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
        cp = cp << 6 | (u[i] & 0x3f);
    }
    if (cp < smallest[len] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
        return 0;
    *ret_cp = cp;
    return len;
}

size_t utf8_encode(uint32_t cp, char out[static 4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, cp >>= 6)
        out[i] = (char)(0x80 | (cp & 0x3f));
    out[0] = (char)((0xf00u >> len & 0xff) | cp); /* 110..., 1110..., 11110... */
    return len;
}

bool utf8_is_valid(const char *s, size_t n)
{
    uint32_t cp;
    for (size_t i = 0, len; i < n; i += len)
        if (!(len = utf8_decode(s + i, n - i, &cp)))
            return false;
    return true;
}

/* A byte within a code point, not its first. */
static bool is_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t utf8_before(const char *s, size_t at)
{
    while (at > 0 && is_inside(s[--at]))
        ;
    return at;
}

size_t utf8_after(const char *s, size_t len, size_t at)
{
    if (at < len)
        at++;
    while (at < len && is_inside(s[at]))
        at++;
    return at;
}

int utf8_width(uint32_t cp)
{
    if (cp >= 0x20 && cp < 0x7f)
        return 1;
    if (IN(unprintable_ranges, cp) || cp > 0x10ffff || (cp & 0xfffe) == 0xfffe)
        return -1;
    if (IN(invisible_ranges, cp) || IN(zero_ranges, cp))
        return 0;
    return IN(wide_ranges, cp) ? 2 : 1;
}

/* A byte that is a character of one cell. */
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f;
}

bool utf8_is_clean_name(const char *s, size_t max_bytes)
{
    size_t n = strnlen(s, max_bytes + 1);
    if (!n || n > max_bytes)
        return false;
    for (size_t i = 0, len; i < n; i += len) {
        uint32_t cp;
        len = 1;
        if (is_plain(s[i]))
            continue;
        len = utf8_decode(s + i, n - i, &cp);
        if (!len || utf8_width(cp) < 0 || IN(invisible_ranges, cp))
            return false;
        if (i == 0 && utf8_width(cp) == 0)
            return false;
    }
    return true;
}

void utf8_clean(char *s, size_t max_bytes)
{
    size_t n = strlen(s), out = 0;
    for (size_t i = 0, used; i < n; i += used) {
        uint32_t cp = 0;
        size_t len = utf8_decode(s + i, n - i, &cp);
        bool shows = len && utf8_width(cp) >= 0 && !IN(invisible_ranges, cp);
        used = len ? len : 1;
        if (out + (shows ? len : 1) > max_bytes)
            break;
        if (shows)
            memmove(s + out, s + i, len);
        else
            s[out] = '?';
        out += shows ? len : 1;
    }
    s[out] = '\0';
}

/* One step through foreign text: the bytes to print for it, and the cells that they take. */
struct utf8_piece {
    char s[16];
    size_t len;
    int cells;
    size_t used; /* bytes of the text */
};

static bool is_variation_selector(uint32_t cp)
{
    return cp >= 0xfe00 && cp <= 0xfe0f;
}

/* room: marks that the cell before can still take; -1 at the beginning, where there is none. */
static void next_piece(const char *s, size_t n, bool ascii, int *room, struct utf8_piece *p)
{
    uint32_t cp = 0;
    size_t len = utf8_decode(s, n, &cp);
    int width = len ? utf8_width(cp) : -1, printed;
    *p = (struct utf8_piece){.used = len ? len : 1};

    if (len && ((width == 0 && !IN(invisible_ranges, cp) && *room >= 0) || is_variation_selector(cp))) {
        /* A selector only chooses between two pictures of what is before it, and terminals disagree on
         * their width. */
        if (!ascii && !is_variation_selector(cp) && *room > 0) {
            memcpy(p->s, s, p->len = len);
            --*room;
        }
        return;
    }
    if (width > 0 && (cp < 0x80 || !ascii)) {
        memcpy(p->s, s, p->len = len);
        p->cells = width;
        *room = MAX_MARKS;
        return;
    }
    if (!len)
        printed = snprintf(p->s, sizeof p->s, "\\x%02X", (unsigned char)*s);
    else if (cp >= 0x80)
        printed = ascii ? snprintf(p->s, sizeof p->s, "?") : snprintf(p->s, sizeof p->s, "\\u{%X}", cp);
    else if (cp == '\n' || cp == '\t' || cp == '\r')
        printed = snprintf(p->s, sizeof p->s, "\\%c", cp == '\n' ? 'n' : cp == '\t' ? 't' : 'r');
    else
        printed = snprintf(p->s, sizeof p->s, "\\x%02X", cp);
    p->len = (size_t)printed;
    p->cells = printed;
    *room = 0;
}

int cell_text(struct str *out, const char *s, int max_cells, bool mark_cut, bool ascii)
{
    size_t n = strlen(s), keep_len = out->len;
    int cells = 0, keep_cells = 0, room = -1; /* keep: where a mark of the cut would still have its cell */
    for (size_t i = 0; i < n;) {
        struct utf8_piece p;
        next_piece(s + i, n - i, ascii, &room, &p);
        i += p.used;
        if (max_cells >= 0 && cells + p.cells > max_cells) {
            if (!mark_cut || max_cells < 1)
                return cells;
            str_truncate(out, keep_len);
            str_append(out, ascii ? "+" : "…");
            return keep_cells + 1;
        }
        str_append_n(out, p.s, p.len);
        cells += p.cells;
        if (cells < max_cells) {
            keep_len = out->len;
            keep_cells = cells;
        }
    }
    return cells;
}

int cell_width(const char *s)
{
    size_t n = strlen(s);
    int cells = 0, room = -1;
    for (size_t i = 0; i < n;) {
        struct utf8_piece p;
        next_piece(s + i, n - i, false, &room, &p);
        i += p.used;
        cells += p.cells;
    }
    return cells;
}
