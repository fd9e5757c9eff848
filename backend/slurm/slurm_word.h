/* slurm_word.h - words that are chosen at random, as separators of what Slurm prints: it escapes nothing,
 * and no text that a user has chosen earlier can hold such a word. */
#ifndef STOKER_BACKEND_SLURM_SLURM_WORD_H
#define STOKER_BACKEND_SLURM_SLURM_WORD_H

#define SLURM_WORD_SIZE 14

/* A control character and letters, 68 bits; terminated. An answer of 20 MB has room for 2^25 guesses, so a
 * user who fills it with guesses is right once in 2^43 answers. It stands behind each column of each row:
 * letters more are megabytes more. */
void slurm_word_make(char word[static SLURM_WORD_SIZE]);

#endif
