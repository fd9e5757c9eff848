/* bar.c - bars as rich text. */
#include "ui/widget/bar.h"

#include "src/base/utf8.h"
#include "ui/term/signs.h"

#define PARTS_MAX 8
#define EIGHTHS   8
#define LEAST     4 /* eighths of a part that stands alone and is not 0 */

enum role load_role(int percent)
{
    return percent >= 90 ? ROLE_HOT : percent >= 70 ? ROLE_WARM : ROLE_NORMAL;
}

/* What is out of use is hatched, on the track. */
static void bar_cells(struct rich *r, enum role role, int n)
{
    for (int i = 0; i < n; i++)
        str_append(&r->text, bar_sign(role));
    rich_filled(r, role, role == ROLE_BAR_OUT ? ROLE_BAR_FREE : role);
}

/* Sizes of the parts in eighths of a cell: each part that is not 0 is seen, what that takes comes from the
 * largest. */
static void bar_sizes(const struct bar_part *parts, size_t n, uint64_t total, int width, int *sizes)
{
    int all = width * EIGHTHS, sum = 0, seen = 0;
    size_t biggest = 0;
    uint64_t parts_sum = 0;
    for (size_t i = 0; i < n; i++) {
        seen += parts[i].n > 0;
        parts_sum += parts[i].n;
    }
    int left = seen;
    for (size_t i = 0; i < n; i++) {
        int least = seen == 1 ? LEAST : EIGHTHS;
        int size = total ? (int)((double)parts[i].n / (double)total * all) : 0;
        if (parts[i].n && --left) /* only the end of the last one is within a cell */
            size = (size + EIGHTHS / 2) / EIGHTHS * EIGHTHS;
        sizes[i] = !parts[i].n || !total ? 0 : size < least ? least : size > all ? all : size;
        biggest = sizes[i] > sizes[biggest] ? i : biggest;
        sum += sizes[i];
    }
    if (n && (sum > all || (total && parts_sum >= total)))
        sizes[biggest] += all - sum > -sizes[biggest] ? all - sum : -sizes[biggest];
}

/* The part that the eighth at belongs to, n where it is none's; *ret_end: where it ends. */
static size_t part_at(const int *sizes, size_t n, int at, int *ret_end)
{
    int end = 0;
    for (size_t i = 0; i < n; i++) {
        end += sizes[i] > 0 ? sizes[i] : 0;
        if (at < end) {
            *ret_end = end;
            return i;
        }
    }
    *ret_end = at + EIGHTHS;
    return n;
}

void bar_add(struct rich *r, const struct bar_part *parts, size_t n, uint64_t total, int width)
{
    int sizes[PARTS_MAX] = {0};
    if (width < 1 || r->mute)
        return;
    n = n > PARTS_MAX ? PARTS_MAX : n;
    bar_sizes(parts, n, total, width, sizes);
    for (int x = 0; x < width; x++) {
        int from = x * EIGHTHS, end, last_end;
        size_t first = part_at(sizes, n, from, &end),
               last = part_at(sizes, n, from + EIGHTHS - 1, &last_end);
        enum role role = first < n ? parts[first].role : ROLE_BAR_FREE;
        if (first == last) {
            bar_cells(r, role, 1);
            continue;
        }
        char block[4]; /* U+2588 is full, U+258F one eighth */
        str_append_n(&r->text, block, utf8_encode(0x2590u - (uint32_t)(end - from), block));
        rich_filled(r, role, last < n ? parts[last].role : ROLE_BAR_FREE);
    }
}

void bar_three(struct rich *r, uint64_t used, uint64_t idle, uint64_t out, uint64_t total, int width)
{
    struct bar_part parts[] = {{.n = used - (idle < used ? idle : used), .role = ROLE_BAR_USED},
                               {.n = idle < used ? idle : used, .role = ROLE_BAR_IDLE}};
    int cells = total ? (int)((double)out / (double)total * width + 0.5) : 0;
    cells = out && !cells ? 1 : cells > width ? width : cells;
    if (used && cells == width && width > 1)
        cells--;
    bar_add(r, parts, total ? (idle ? 2 : 1) : 0,
            used + out >= total && used ? used : total - (out < total ? out : total), width - cells);
    if (!r->mute)
        bar_cells(r, ROLE_BAR_OUT, cells);
}

void bar_two_ended(struct rich *r, uint64_t used, uint64_t out, uint64_t total, int width)
{
    bar_three(r, used, 0, out, total, width);
}

#define OWN_PART 10 /* one part of this many is a machine's own */

void bar_load(struct rich *r, uint64_t held, int busy_permille, uint64_t total, bool out, int width)
{
    if (out || busy_permille < 0) {
        bar_two_ended(r, held, out ? total - (held < total ? held : total) : 0, total, width);
        return;
    }
    /* In thousandths of a unit, so that small totals do not lose the fraction. */
    uint64_t all = total * 1000, mine = held * 1000, busy = (uint64_t)busy_permille * total;
    uint64_t used = busy < mine ? busy : mine, idle = mine - used, foreign = busy > mine ? busy - mine : 0;
    if (foreign < all / OWN_PART) /* the system's own load is not foreign */
        foreign = 0;
    if (used + idle + foreign > all)
        foreign = all - used - idle;
    struct bar_part parts[] = {{.n = used, .role = ROLE_BAR_USED},
                               {.n = idle, .role = ROLE_BAR_IDLE},
                               {.n = foreign, .role = ROLE_BAR_FOREIGN}};
    bar_add(r, parts, 3, all, width);
}
