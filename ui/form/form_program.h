/* form_program.h - whether what a command runs is there: its program in PATH, the file of an interpreter,
 * the directory. What is not found may still be there on the nodes, so these are warnings.
 *
 *     pyhton train.py        "pyhton" is not in PATH                   python
 *     python tran.py         there is no file tran.py in /home/ann     train.py
 *     ./run.sh               ./run.sh is not executable                bash ./run.sh
 */
#ifndef UI_FORM_FORM_PROGRAM_H
#define UI_FORM_FORM_PROGRAM_H

#include <stdbool.h>

struct program_doubt {
    char *text; /* NULL: all that is named is there, or nothing can be said */
    char *word; /* of the command, which is in doubt */
    char *fix;  /* what could stand in its place; NULL: no idea */
};

/* Checks the first command of a shell's text that does more than prepare. dir: where it runs; NULL: not
 * known. Blocks on files. Caller: programdoubt_fini. */
void formprogram_check(const char *text, const char *dir, struct program_doubt *ret);
/* The same of a directory. */
void formprogram_check_dir(const char *dir, struct program_doubt *ret);
void programdoubt_fini(struct program_doubt *d);

/* The line with the first occurrence of word, as a word, replaced. Caller frees. */
char *formprogram_replace(const char *line, const char *word, const char *by)
    __attribute__((warn_unused_result));

#endif
