/* sgr.h - the colours that a program gives its text (ECMA-48 SGR), as ink of any colour. */
#ifndef UI_WIDGET_SGR_H
#define UI_WIDGET_SGR_H

#include <stddef.h>

#include "ui/theme/theme.h"

/* Changes *ink as the parameters of a sequence say: "1;31", "38;5;208", "38;2;255;100;0", "". What is not
 * known changes nothing; text cannot be hidden by it. */
void sgr_apply(struct style *ink, const char *params, size_t n);

#endif
