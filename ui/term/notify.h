/* notify.h - desktop notifications through the terminal: escape sequences that some terminals know.
 *
 *     OSC 9    iTerm2, WezTerm, Ghostty and others: one text
 *     OSC 777  urxvt, foot, VTE (GNOME Terminal and others): title and text
 *     OSC 99   kitty: title and text
 */
#ifndef UI_TERM_NOTIFY_H
#define UI_TERM_NOTIFY_H

#include <stdbool.h>

#include "src/base/str.h"

enum notify_way { NOTIFY_OFF, NOTIFY_OSC9, NOTIFY_OSC777, NOTIFY_OSC99, NOTIFY_AUTO };

/* "off", "osc9", "osc777", "osc99", "auto"; -1: no such word. */
int notify_parse(const char *word);
/* What this terminal takes, by the environment: an unknown one gets nothing, lest it shows the bytes.
 * Within tmux and screen the outer terminal is not known. */
enum notify_way notify_by_terminal(void);
/* The bytes, in which control characters of the texts are left out. tmux: they are to pass through it. */
void notify_append(struct str *out, enum notify_way way, bool tmux, const char *title, const char *text);

#endif
