/* window.h - windows: times in which nodes are kept for something else.
 *
 * A maintenance window keeps all jobs off its nodes; a reservation keeps them for those it names, who ask
 * for it with --reservation=NAME. Either way no job is started that would still be running when it begins
 * (by its time limit), unless it is one of the reservation's own. Whole nodes only.
 *
 * Windows are part of the state: EV_WINDOW sets and deletes them by name. Names are unique.
 */
#ifndef STOKER_MODEL_WINDOW_H
#define STOKER_MODEL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/err.h"
#include "src/model/window_rec.h"

struct model;

/* All windows at once. v: taken over. */
void model_take_windows(struct model *m, struct window *v, size_t n);
const struct window *model_get_window(const struct model *m, const char *name); /* or NULL */
/* 0, or -EINVAL with a text: no name, no nodes, an end that is not behind the start, an unknown kind. */
int window_check(const struct window *w, struct errtext *err) __attribute__((warn_unused_result));
bool window_has_node(const struct window *w, const char *node);
/* Whether the user or the account (either may be NULL) may use the reservation. */
bool window_admits(const struct window *w, const char *user, const char *account);

/* The first window that keeps a job with this --reservation (NULL: none) off the node in [from, until);
 * NULL where none does. Cost: O(windows). */
const struct window *window_in_way(const struct model *m, const char *node, const char *reservation,
                                   struct wall from, struct wall until);

#endif
