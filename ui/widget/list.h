/* list.h - the cursor, the window and the marks of a list whose rows have stable ids.
 *
 * The list knows ids and nothing else. The cursor stays on the thing, not on the row number: after rows
 * came, went or were sorted, list_sync finds the id again; where it is gone the cursor stays at its place.
 * Marks are ids too, so a mark never moves to another thing.
 */
#ifndef UI_WIDGET_LIST_H
#define UI_WIDGET_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/keys/action.h"
#include "ui/widget/marks.h"

typedef uint64_t list_id_fn(const void *ctx, size_t i); /* the id of row i; never 0 */

struct list_state {
    size_t n, cursor, top; /* rows; row under the cursor; first row seen */
    int height;            /* rows seen, of the last list_fit */
    uint64_t id;           /* of the row under the cursor; 0: the list is empty */
    struct marks marks;
    uint64_t range; /* where a range was begun; 0: none is open */
};

void list_state_fini(struct list_state *l);
/* The rows have changed: n of them now. Marks stay, shown or not: list_prune drops what is no more. */
void list_sync(struct list_state *l, size_t n, list_id_fn *id, const void *ctx);
/* Moves the window so that the cursor is in its height rows. */
void list_fit(struct list_state *l, int height);
/* UP ... HALF_DOWN. Returns false if a is not a movement. */
bool list_move(struct list_state *l, enum action a, list_id_fn *id, const void *ctx);
void list_set_cursor(struct list_state *l, size_t i, list_id_fn *id, const void *ctx);
void list_scroll(struct list_state *l, long by, list_id_fn *id, const void *ctx);

bool list_is_marked(const struct list_state *l, uint64_t id);
void list_mark(struct list_state *l, uint64_t id, bool on);
size_t list_n_marks(const struct list_state *l);
void list_unmark_all(struct list_state *l);
/* Keeps the marks of these n things and no others; which are all there are, shown or not. */
void list_prune(struct list_state *l, size_t n, list_id_fn *id, const void *ctx);
/* The rows of the open range, first <= last; false where none is open or its beginning is not shown. */
bool list_range(const struct list_state *l, list_id_fn *id, const void *ctx, size_t *first, size_t *last);

#endif
