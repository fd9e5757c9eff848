/* fuzzy.h - texts that are like a word: its letters in their order, as "trrn" stands for "train-resnet".
 *
 * Each letter follows the one before, is at most FUZZY_GAP letters behind it, or begins a part of the text;
 * the first one begins a part. So few texts match by accident.
 */
#ifndef UI_TABLE_FUZZY_H
#define UI_TABLE_FUZZY_H

#define FUZZY_GAP   3
#define FUZZY_LEAST 2 /* letters of a word that is looked for so */

/* low: in lower case. Returns 0 where the text is not like it, else how well it fits: more is better. */
int fuzzy_score(const char *text, const char *low);

#endif
