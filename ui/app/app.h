/* app.h - the program without terminal, socket and clock: inputs, messages and the time are handed in,
 * pictures and wishes are taken out, so that tests drive all of it in memory.
 */
#ifndef UI_APP_APP_H
#define UI_APP_APP_H

#include "ui/state/ui_state.h"

struct ui *app_new(const struct ui_options *o) __attribute__((warn_unused_result));
void app_free(struct ui *ui);

/* The time: what the cluster's clock says, and a clock that only goes forward. Call before the others, in
 * each iteration of the loop. */
void app_set_time(struct ui *ui, struct wall now, struct mono mono);

/* Keys, commands and the rest of the settings are these from now on; s outlives the next call. */
struct settings;
void app_take_settings(struct ui *ui, const struct settings *s, bool ascii);

/* Takes in->body's contents; the caller frees it with msg_free. */
void app_feed(struct ui *ui, const struct incoming *in);

void app_input(struct ui *ui, const struct input *in);
/* The current view's descriptor, and what to do when it is readable. */
int app_view_fd(struct ui *ui);
void app_view_wake(struct ui *ui);
/* One slice of background work; true: call again soon. */
bool app_work(struct ui *ui);

/* Is there something new to draw? */
bool app_is_dirty(const struct ui *ui);
/* Draws everything onto c, whose size is the screen's. */
void app_draw(struct ui *ui, struct canvas *c);
/* Milliseconds until something changes by itself; -1: never. Then app_tick. */
int app_next_ms(const struct ui *ui);
void app_tick(struct ui *ui);

#endif
