/* word_candidates.h - what may be typed next: a list of words with notes. */
#ifndef UI_COMMAND_WORD_CANDIDATES_H
#define UI_COMMAND_WORD_CANDIDATES_H

#include "ui/command/cmdline.h"

void candidates_clear(struct cmdline *cl);
bool candidates_are_full(const struct cmdline *cl);
/* Adds text where it begins with the word; takes note. */
void candidates_offer(struct cmdline *cl, const char *word, const char *text, char *take_note);
/* The same for a text of the mirror, which shares its texts: the same place is looked at once. */
void candidates_offer_once(struct cmdline *cl, const char *word, const char *text);
/* Of "n1,n[2-3],n" the last one, which is being typed; within a bracket nothing can be offered. */
const char *candidates_last(struct cmdline *cl, const char *word);
/* Nodes, behind the last comma of the word. */
void candidates_nodes(struct ui *ui, struct cmdline *cl, const char *word);

#endif
