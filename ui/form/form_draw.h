/* form_draw.h - draws the form. */
#ifndef UI_FORM_FORM_DRAW_H
#define UI_FORM_FORM_DRAW_H

#include "ui/form/form_page.h"

void form_draw_title(struct view *v, struct rich *out);
void form_draw_page(struct view *v, struct canvas *c, const struct screen_layout *l);

#endif
