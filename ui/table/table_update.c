/* table_update.c - the rows of a table after few of them have changed.
 *
 * Of a hundred thousand rows one has changed: what the filter says of the others and where they stand in
 * the order is known from before. Rows before and after are walked side by side, by their ids.
 */
#include <stdlib.h>

#include "src/base/vec.h"
#include "ui/table/table_private.h"

#define LOOK_AHEAD 64   /* rows of before that may have gone at one place */
#define LOST_MAX   1000 /* rows without a partner: then too much has changed for this to be worth it */

/* ret_now: of each row of before the number that it has now; TABLE_NO_ROW where it has gone or changed. */
static void pair_rows(struct table *t, table_changed_fn *changed, uint32_t *ret_now)
{
    const struct trows *before = &t->before;
    size_t i = 0, lost = 0;
    for (size_t k = 0; k < before->n; k++)
        ret_now[k] = TABLE_NO_ROW;
    for (size_t k = 0; k < t->rows.n && lost < LOST_MAX; k++) {
        struct trow *row = &t->rows.v[k];
        size_t at = i, end = before->n - i < LOOK_AHEAD ? before->n : i + LOOK_AHEAD;
        while (at < end && before->v[at].id != row->id)
            at++;
        if (at == end) {
            lost++;
            continue;
        }
        i = at + 1;
        if (before->v[at].depth != row->depth || changed(t->ctx, row))
            continue;
        row->known = before->v[at].known;
        row->missed = row->known && before->v[at].missed;
        ret_now[at] = (uint32_t)k;
    }
}

void table_update(struct table *t, table_changed_fn *changed)
{
    if (t->matching || (!t->filter.n && t->sort < 0)) {
        table_refill(t);
        return;
    }
    struct trows before = t->rows;
    t->rows = t->before;
    t->before = before;
    vec_clear(&t->rows);
    t->fill(t->ctx, t);
    uint32_t *now = xreallocarray(NULL, before.n, sizeof *now);
    pair_rows(t, changed, now);
    table_reshow_changed(t, now);
    free(now);
}
