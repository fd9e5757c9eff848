/* outbox.h - what the frame wants of the terminal and the loop around it: bits that the loop takes, and
 * what belongs to them. */
#ifndef UI_FRAME_OUTBOX_H
#define UI_FRAME_OUTBOX_H

#include "ui/state/view.h"

#define WISH_QUIT    1u
#define WISH_SUSPEND 2u
#define WISH_REDRAW  4u         /* send everything to the terminal again */
#define WISH_MOUSE   8u         /* turn the mouse on or off */
#define WISH_COPY    16u        /* outbox_copied() goes to the clipboard */
#define WISH_SAVE    32u        /* the prefs have changed */
#define WISH_KEEP    (1u << 20) /* with WISH_SAVE: the user has said that they are to be kept */
#define WISH_THEME   64u        /* prefs->theme is to be used */
#define WISH_BELL    128u
#define WISH_TITLE   256u       /* outbox_title() is the window's */
#define WISH_START   (1u << 21) /* a controller is to be started where none runs */
#define WISH_NOTIFY  (1u << 22) /* a desktop notification: outbox_title() and outbox_news() */
#define WISH_RELOAD  (1u << 23) /* ui.cfg is to be read again */
#define WISH_RUN     512u       /* outbox_program() gets the terminal */

void outbox_new(struct ui *ui);
void outbox_free(struct ui *ui);

void outbox_wish(struct ui *ui, unsigned bits);
/* WISH_* bits since the last call. */
unsigned outbox_take(struct ui *ui);

/* The bell, a title for the window, and a notification of the desktop with the news. */
void outbox_ring(struct ui *ui, char *take_title, const char *news);
const char *outbox_news(const struct ui *ui);

const char *outbox_copied(const struct ui *ui);
const char *outbox_title(const struct ui *ui);
/* WISH_RUN: the program that gets the terminal for a while, and a line to show above it. */
const struct strv *outbox_program(const struct ui *ui);
const char *outbox_program_where(const struct ui *ui);

#endif
