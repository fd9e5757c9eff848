/* background.h - a command of the user runs beside the screens, which never wait for it. */
#ifndef UI_FRAME_BACKGROUND_H
#define UI_FRAME_BACKGROUND_H

#include "ui/state/view.h"

/* Runs a text with sh -c in a session of its own, with take_env ("NAME=VALUE") added to our environment. It
 * reads nothing, and what it prints is dropped but for its beginning, which is told in a message where the
 * command fails. what: the command's name in that message. told: tell an end without a failure as well. */
void ui_background(struct ui *ui, const char *what, const char *text, struct strv *take_env, bool told);

#endif
