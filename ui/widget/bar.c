/* bar.c - bars as rich text. */
#include "ui/widget/bar.h"

#define PARTS_MAX 8

enum role load_role(int percent)
{
    return percent >= 90 ? ROLE_HOT : percent >= 70 ? ROLE_WARM : ROLE_NORMAL;
}

static void add_signs(struct rich *r, char sign, int n, enum role role)
{
    for (int i = 0; i < n; i++)
        str_append_char(&r->text, sign);
    rich_role(r, role);
}

/* Cells for each part: rounded down, at least one where there is anything; what rounding left over goes to
 * the largest remainders only as far as the parts fill the whole, so that a bar is full exactly when it is
 * full. */
static int bar_share(uint64_t n, uint64_t total, int width)
{
    if (!n || !total)
        return 0;
    int cells = (int)((double)n / (double)total * width);
    return cells < 1 ? 1 : cells > width ? width : cells;
}

void bar_parts(struct rich *r, const struct bar_part *parts, size_t n, uint64_t total, int width,
               bool last_right)
{
    int inner = width - 2, cells[PARTS_MAX] = {0}, used = 0;
    if (inner < 1)
        return;
    if (n > PARTS_MAX)
        n = PARTS_MAX;
    uint64_t sum = 0;
    size_t biggest = 0;
    for (size_t i = 0; i < n; i++) {
        cells[i] = bar_share(parts[i].n, total, inner);
        used += cells[i];
        sum += parts[i].n;
        if (cells[i] > cells[biggest])
            biggest = i;
    }
    if (n && (used > inner || (sum >= total && total)))
        cells[biggest] += inner - used;
    used = 0;
    for (size_t i = 0; i < n; i++) {
        if (cells[i] < 0)
            cells[i] = 0;
        if (used + cells[i] > inner)
            cells[i] = inner - used;
        used += cells[i];
    }
    rich_add(r, ROLE_DIM, "[");
    for (size_t i = 0; i < n; i++) {
        if (last_right && i + 1 == n)
            add_signs(r, '.', inner - used, ROLE_BAR_FREE);
        add_signs(r, parts[i].sign, cells[i], parts[i].role);
    }
    if (!last_right || !n)
        add_signs(r, '.', inner - used, ROLE_BAR_FREE);
    rich_add(r, ROLE_DIM, "]");
}

void bar_two_ended(struct rich *r, uint64_t used, uint64_t out, uint64_t total, int width)
{
    struct bar_part parts[] = {{.n = used, .sign = '|', .role = ROLE_BAR_USED},
                               {.n = out, .sign = 'x', .role = ROLE_BAR_OUT}};
    bar_parts(r, parts, 2, total, width, true);
}

#define OWN_PART 10 /* one part of so many is a machine's own */

void bar_load(struct rich *r, uint64_t held, int busy_permille, uint64_t total, bool out, int width)
{
    if (busy_permille < 0) {
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
    struct bar_part parts[] = {
        {.n = used, .sign = '|', .role = ROLE_BAR_USED},
        {.n = idle, .sign = '-', .role = ROLE_BAR_IDLE},
        {.n = foreign, .sign = '!', .role = ROLE_WARM},
        {.n = out ? all - used - idle - foreign : 0, .sign = 'x', .role = ROLE_BAR_OUT},
    };
    bar_parts(r, parts, 4, all, width, true);
}

void spark_add(struct rich *r, const uint8_t *percent, size_t n, int width, bool ascii)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const signs[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    size_t first = n > (size_t)width ? n - (size_t)width : 0;
    for (size_t i = first; i < n; i++) {
        int level = percent[i] * 8 / 101;
        str_append(&r->text, ascii ? signs[level] : blocks[level]);
    }
    rich_role(r, ROLE_BAR_USED);
}
