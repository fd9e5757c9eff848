/* complete_windows.h - candidates for the nth word of :window, of :windows. */
#ifndef UI_COMMAND_COMPLETE_WINDOWS_H
#define UI_COMMAND_COMPLETE_WINDOWS_H

#include "ui/command/cmdline.h"

void complete_window(struct ui *ui, struct cmdline *cl, const struct strv *words, size_t nth,
                     const char *word);
void complete_windows(struct ui *ui, struct cmdline *cl, const struct strv *words, size_t nth,
                      const char *word);

#endif
