/* array_view.h - the page of an array: how far it is, its elements as a map, what runs now, how elements
 * failed, how long they take and what they use. */
#ifndef UI_ARRAY_ARRAY_VIEW_H
#define UI_ARRAY_ARRAY_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops array_view; /* arg: const uint32_t *, the id of the array */

#endif
