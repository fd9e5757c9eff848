/* table_fit.c - which columns of a table are drawn in n cells, and how wide. Pure. */
#include "ui/table/table.h"

#include <string.h>

#define RANK_EXTRA  6 /* columns from this rank on are left out before one with COLUMN_CUT is cut */
#define RANK_DETAIL 4 /* columns from this rank on are left out before any other is cut */

static bool is_of_words(const char *title)
{
    return title && strchr(title, ' ');
}

/* A number that ends where a text begins would be read as a part of it: "1 8 jobs ahead". So would a
 * heading of several words beside another one: "CPU FREE GPU FREE". */
int table_gap(const struct table_column *cols, int left, size_t i)
{
    if (left < 0)
        return 0;
    bool from_right = cols[left].flags & (COLUMN_RIGHT | COLUMN_FULL),
         to_right = cols[i].flags & COLUMN_RIGHT;
    return from_right && (!to_right || is_of_words(cols[i].title)) ? 2 : 1;
}

static bool table_fit_is_drawn(const struct table_column *cols, const bool *on, const int *needs, size_t i)
{
    if (cols[i].flags & COLUMN_IF_ANY && needs && !needs[i])
        return false;
    return on ? on[i] : !(cols[i].flags & COLUMN_HIDDEN);
}

static int width_of(const struct table_column *cols, size_t n, const int *widths)
{
    int sum = 0, left = -1;
    for (size_t i = 0; i < n; i++)
        if (widths[i]) {
            sum += table_gap(cols, left, i) + widths[i];
            left = (int)i;
        }
    return sum;
}

/* What was chosen by hand is the last to be left out. */
static int table_fit_rank_of(const struct table_column *c)
{
    return c->flags & COLUMN_HIDDEN ? 1 : c->rank;
}

/* The column to give up next, or -1: the last of the highest rank. */
static int least_wanted(const struct table_column *cols, size_t n, const int *widths)
{
    int worst = -1;
    for (size_t i = 0; i < n; i++)
        if (widths[i] && table_fit_rank_of(&cols[i]) > 0 &&
            (worst < 0 || table_fit_rank_of(&cols[i]) >= table_fit_rank_of(&cols[worst])))
            worst = (int)i;
    return worst;
}

static void leave_out(const struct table_column *cols, size_t n, int width, int min_rank, int *widths)
{
    while (width_of(cols, n, widths) > width) {
        int i = least_wanted(cols, n, widths);
        if (i < 0 || table_fit_rank_of(&cols[i]) < min_rank)
            break;
        widths[i] = 0;
    }
}

/* Cells that column i would like, no more than max; its rows may take less. */
static int wish(const struct table_column *c, const int *needs, size_t i, int max)
{
    int need = c->fit && needs && needs[i] < max ? needs[i] : max;
    return need > c->min ? need : c->min;
}

/* Back to the least where it is narrow, the last columns first: those with one of the flags; 0: all. */
static void table_fit_shrink(const struct table_column *cols, unsigned flags, size_t n, int width,
                             int *widths)
{
    for (size_t i = n; i-- > 0 && width_of(cols, n, widths) > width;)
        while ((!flags || cols[i].flags & flags) && widths[i] > cols[i].min &&
               width_of(cols, n, widths) > width)
            widths[i]--;
}

/* What shrinking took, where leaving out has given more than that. */
static void restore(const struct table_column *cols, const int *needs, size_t n, int width, int *widths)
{
    for (size_t i = 0; i < n; i++)
        while (widths[i] && cols[i].fit && cols[i].want && width_of(cols, n, widths) < width &&
               widths[i] < wish(&cols[i], needs, i, cols[i].fit))
            widths[i]++;
}

/* A cell for each that would like one more, and again, so that the first do not take it all. Returns what
 * is left. */
static int grow_evenly(const struct table_column *cols, const int *needs, size_t n, int left, int *widths)
{
    for (bool grew = true; grew && left > 0;) {
        grew = false;
        for (size_t i = 0; i < n && left > 0; i++)
            if (widths[i] && cols[i].want && widths[i] < wish(&cols[i], needs, i, cols[i].want)) {
                widths[i]++;
                left--;
                grew = true;
            }
    }
    return left;
}

/* The column that takes what is left, or -1. */
static int find_flexible(const struct table_column *cols, size_t n, const int *widths)
{
    int flexible = -1;
    for (size_t i = 0; i < n; i++)
        if (widths[i] && !cols[i].want)
            flexible = (int)i;
    return flexible;
}

static int share_of(const struct table_column *c, const int *needs, size_t i, int width)
{
    return c->fit ? wish(c, needs, i, c->fit) : width * (c->share ? c->share : 33) / 100;
}

void table_fit(const struct table_column *cols, const bool *on, const int *needs, size_t n, int width,
               int *widths)
{
    for (size_t i = 0; i < n; i++)
        widths[i] = !table_fit_is_drawn(cols, on, needs, i) ? 0
                    : cols[i].fit && cols[i].want           ? wish(&cols[i], needs, i, cols[i].fit)
                                                            : cols[i].min;
    leave_out(cols, n, width, RANK_EXTRA, widths);
    table_fit_shrink(cols, COLUMN_CUT, n, width, widths);
    leave_out(cols, n, width, RANK_DETAIL, widths);
    table_fit_shrink(cols, 0, n, width, widths);
    leave_out(cols, n, width, 1, widths);
    restore(cols, needs, n, width, widths);
    int left = width - width_of(cols, n, widths), flexible = find_flexible(cols, n, widths);
    if (flexible >= 0 && left > 0) { /* its share comes before what the others would like */
        int more = share_of(&cols[flexible], needs, (size_t)flexible, width) - widths[flexible];
        more = more > left ? left : more > 0 ? more : 0;
        widths[flexible] += more;
        left -= more;
    }
    left = grow_evenly(cols, needs, n, left, widths);
    if (flexible >= 0 && left > 0)
        widths[flexible] += left;
    for (size_t i = 0; i < n && width > 0; i++)
        if (widths[i] > width)
            widths[i] = width;
}
