/* table_group.c - rows that stand together below a title, and which line of the screen has which row. */
#include "src/base/vec.h"
#include "ui/table/table_private.h"

#define GROUPS_FROM 10 /* lines in which titles do not take what rows need more */

bool table_has_groups(const struct table *t, int height)
{
    return t->group && t->sort < 0 && !t->flat && height >= GROUPS_FROM && t->shown.n;
}

static int group_of(const struct table *t, size_t i)
{
    return t->group(table_shown(t, i)->data);
}

size_t table_group_end(const struct table *t, size_t i)
{
    size_t from = i + 1, to = t->shown.n;
    int group = group_of(t, i);
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (group_of(t, mid) == group)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static size_t group_begin(const struct table *t, size_t i)
{
    size_t from = 0, to = i;
    int group = group_of(t, i);
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (group_of(t, mid) == group)
            to = mid;
        else
            from = mid + 1;
    }
    return from;
}

/* Titles of the groups that begin behind the row first, up to the row last, and that of the first one. */
static size_t titles(const struct table *t, size_t first, size_t last)
{
    size_t n = 1;
    for (size_t i = table_group_end(t, first); i <= last && i < t->shown.n; i = table_group_end(t, i))
        n++;
    return n;
}

static bool has_gaps(const struct table *t, size_t height)
{
    return t->shown.n + 2 * titles(t, 0, t->shown.n - 1) <= height + 1;
}

static void note_lines(struct table *t, size_t height, bool groups, bool gap)
{
    size_t next = t->list.top;
    vec_clear(&t->lines);
    for (size_t i = t->list.top; i < t->shown.n && t->lines.n < height; i++) {
        if (groups && i == next) {
            if (gap && i > t->list.top)
                vec_push(&t->lines, TABLE_NO_ROW);
            if (t->lines.n <
                height) /* also in the last line: a row there would seem to be of the group above */
                vec_push(&t->lines, TABLE_NO_ROW);
            next = table_group_end(t, i);
        }
        if (t->lines.n < height)
            vec_push(&t->lines, (uint32_t)i);
    }
}

bool table_place_rows(struct table *t, int height)
{
    bool groups = table_has_groups(t, height), gap = groups && has_gaps(t, (size_t)height);
    int rows = height;
    list_fit(&t->list, rows);
    while (groups && !gap && rows > 1 &&
           t->list.cursor - t->list.top + 1 + titles(t, t->list.top, t->list.cursor) > (size_t)height)
        list_fit(&t->list, --rows);
    note_lines(t, (size_t)height, groups, gap);
    return gap;
}

void table_draw_title(struct table *t, struct canvas *c, struct rect line, size_t first)
{
    struct rich title;
    size_t n = 0;
    for (size_t i = group_begin(t, first), end = table_group_end(t, first); i < end; i++)
        n += table_shown(t, i)->depth == 0;
    rich_init(&title);
    t->group_title(t->ctx, group_of(t, first), n, &title);
    int used = rich_draw(&title, c, line.y, line.x + 1, line.w - 1);
    canvas_hline(c, line.y, line.x + used + 2, line.w - used - 3, ROLE_RULE);
    rich_fini(&title);
}
