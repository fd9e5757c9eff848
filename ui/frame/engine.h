/* engine.h - another engine than Stoker's behind the screens: what it lacks, and how old its rows are. */
#ifndef UI_FRAME_ENGINE_H
#define UI_FRAME_ENGINE_H

#include "ui/state/view.h"

/* Why the action is not to be had here, for people; NULL: it is. */
const char *engine_why_not(const struct ui *ui, enum action action);

/* A connection begins: a screen of jobs over another engine starts with the user's own, so that no list of
 * all is read that is not asked for. */
void engine_begin(struct ui *ui);
/* Takes a pushed message, which is moved out of *m. */
void engine_take(struct ui *ui, struct msg_engine *m);
/* Appends "Slurm, 8 s ago": of which time the rows are; nothing where the engine is Stoker. Returns whether
 * they are older than they should be. */
bool engine_age(const struct ui *ui, struct str *out);

#endif
