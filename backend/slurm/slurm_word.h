/* slurm_word.h - words that are chosen at random, as separators of what Slurm prints: it escapes nothing,
 * and no text that a user has chosen earlier can hold such a word. */
#ifndef STOKER_BACKEND_SLURM_SLURM_WORD_H
#define STOKER_BACKEND_SLURM_SLURM_WORD_H

#define SLURM_WORD_SIZE 20

/* A control character and letters, 102 bits; terminated. */
void slurm_word_make(char word[static SLURM_WORD_SIZE]);

#endif
