/* dialogs.h - boxes over the views, which get every input while they are open. Opened with ui_take_dialog.
 */
#ifndef UI_FRAME_DIALOGS_H
#define UI_FRAME_DIALOGS_H

#include "src/base/vec.h"
#include "ui/state/view.h"

void dialogs_new(struct ui *ui);
void dialogs_free(struct ui *ui);

struct dialog *dialogs_top(const struct ui *ui);           /* NULL: none is open */
uint64_t dialogs_top_number(const struct ui *ui);          /* 0: none is open */
void dialogs_input(struct ui *ui, const struct input *in); /* one must be open */
/* All but the one whose outcome is being told. */
void dialogs_drop_others(struct ui *ui);

/* Keys that were typed while a dialog waited for its answer. */
struct typed_keys {
    uint32_t *v;
    size_t n, cap;
};
/* Those that are for what lies below a dialog that has gone, for the caller to free; none: n is 0. */
struct typed_keys dialogs_take_typed(struct ui *ui);

#endif
