/* word_candidates.h - the candidates of a word, with notes. */
#ifndef UI_COMMAND_WORD_CANDIDATES_H
#define UI_COMMAND_WORD_CANDIDATES_H

#include "ui/command/cmdline.h"

void candidates_clear(struct cmdline *cl);
bool candidates_are_full(const struct cmdline *cl);
/* Adds text if it begins with the word; takes note. */
void candidates_offer(struct cmdline *cl, const char *word, const char *text, char *take_note);
/* The same for a text of the mirror, which shares its texts: each address is tested once. */
void candidates_offer_once(struct cmdline *cl, const char *word, const char *text);
/* The last name of "n1,n[2-3],n"; within a bracket there are no candidates. */
const char *candidates_last(struct cmdline *cl, const char *word);
/* Nodes, after the last comma of the word. */
void candidates_nodes(struct ui *ui, struct cmdline *cl, const char *word);
/* Draws them in a box: above the line where that is the foot of the screen, else below it; room: lines that
 * there are for it. */
void candidates_draw(const struct cmdline *cl, struct canvas *c, struct rect line, int room);

#endif
