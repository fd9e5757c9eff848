/* table_private.h - what the files of the table share. */
#ifndef UI_TABLE_TABLE_PRIVATE_H
#define UI_TABLE_TABLE_PRIVATE_H

#include "ui/table/table.h"

#define MARK_CELLS 2 /* the mark and a blank, left of the first column */

/* table.c */
/* The value of a column, the one way to it, in the table's scratch field. room: see struct table_field. */
const struct table_field *table_field(struct table *t, const struct trow *row, size_t column, int room);
uint64_t table_shown_id(const void *table, size_t i); /* for struct list_state */

/* Rows that are looked at one after the other: those of many are in no cache, so one that comes is fetched
 * while others are looked at. */
#define TABLE_AHEAD 8
static inline void table_fetch(const struct table *t, const struct trow *row)
{
    if (t->fetch)
        t->fetch(row->data);
}

/* table_group.c */
/* The first shown row behind those of the group of row i; the end where there are no groups. */
size_t table_group_end(const struct table *t, size_t i);
/* Moves the window so that the cursor is seen in height lines, the titles of groups among them, and notes
 * in t->lines what each line has: TABLE_NO_ROW before a group: its title, and a blank before that where gap
 * is returned. */
bool table_place_rows(struct table *t, int height);
bool table_has_groups(const struct table *t, int height);
void table_draw_title(struct table *t, struct canvas *c, struct rect line, size_t first);

/* table_input.c */
void table_close_range(struct table *t); /* what it takes in is marked */

/* table_filter.c */
/* Filters and sorts the rows again where few rows have changed: t->before has the rows of before. now: the
 * number that each of them has now; TABLE_NO_ROW if it has gone or changed. */
void table_reshow_changed(struct table *t, const uint32_t *now);
/* Tries what is being typed to its end: what is shown is what the filter says. */
void table_settle(struct table *t);
/* Takes what is typed as the filter and tries it on a slice; table_work goes on. */
void table_apply_filter(struct table *t);

/* table_sort.c */
/* Puts t->shown in the order of t->sort, children behind their parents. */
void table_sort_shown(struct table *t);
/* The same where few rows have changed: the others keep their order of before, which old has by the numbers
 * of then; now as above. False, and no effect, where that is not worth it or not right. */
bool table_sort_changed(struct table *t, const struct trow_numbers *old, const uint32_t *now);

#endif
