/* loglevel.h - words in lines of logs that tell of an error or a warning. */
#ifndef UI_WIDGET_LOGLEVEL_H
#define UI_WIDGET_LOGLEVEL_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/theme/roles.h"

/* The first such word in the text from *at on: its place, length and role. */
bool loglevel_find(const char *text, size_t *at, size_t *ret_n, enum role *ret_role);

#endif
