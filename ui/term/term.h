/* term.h - the terminal: shows canvases, gives inputs. Its description comes from terminfo
 * (ui/term/term_caps.h), ui/term/term_paint.h makes its bytes, ui/keys/key_decode.h reads its keys.
 *
 * One per process. Whatever ends the process (a crash, TERM, HUP), the terminal is put back as it was: by
 * bytes prepared beforehand and written by a signal handler, which calls nothing that is not safe there.
 */
#ifndef UI_TERM_TERM_H
#define UI_TERM_TERM_H

#include "src/base/err.h"
#include "ui/keys/input.h"
#include "ui/term/canvas.h"
#include "ui/term/notify.h"
#include "ui/theme/theme.h"

struct term;

#define TERM_MOUSE 1u

/* Takes over the terminal on standard input and output. Errors: -ENOTTY, -ENODEV (TERM is not known). */
int term_open(unsigned flags, struct term **ret, struct errtext *err) __attribute__((warn_unused_result));
/* Puts the terminal back. NULL is fine. */
void term_close(struct term *t);

int term_fd(const struct term *t);
int term_colors(const struct term *t); /* 0, 8, 16, 256 or COLORS_TRUE */
/* The size now. */
void term_size(struct term *t, int *rows, int *cols);

/* Sends what differs from the last canvas. */
void term_show(struct term *t, const struct canvas *c, const struct theme *theme);
/* The next show sends everything. */
void term_redraw(struct term *t);
/* The next input, without waiting. Returns false where there is none. in->text is valid until the next
 * call. */
bool term_read(struct term *t, struct input *in);
/* After which time there may be one though nothing new comes: an ESC that nothing follows. -1: never. */
int term_wait_ms(const struct term *t);
/* Has the terminal gone away? */
bool term_is_gone(const struct term *t);

void term_set_mouse(struct term *t, bool on);
#define TERM_COPY_MAX (74 * 1024) /* what terminals take at least */
/* Hands text to the terminal's clipboard (OSC 52). Too long a text is cut. */
void term_copy(struct term *t, const char *text);
/* Rings. */
void term_bell(struct term *t);
/* A notification of the desktop, where this terminal knows one (ui/term/notify.h). */
void term_notify(struct term *t, enum notify_way way, const char *title, const char *text);
/* The window's title, printable already; the one before comes back at the end. */
void term_title(struct term *t, const char *text);
/* Gives the terminal back, stops the process group as Ctrl-Z does, takes it over again afterwards. */
void term_suspend(struct term *t);
/* Gives the terminal to a program until it ends, below a printable line; where it fails its last words stay
 * until Enter. Errors: -errno of fork. */
int term_run(struct term *t, const char *where, char *const *argv);

#endif
