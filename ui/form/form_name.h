/* form_name.h - the name of a job without a name: the program that its command runs.
 *
 *     python -u train.py --lr 1e-4       train.py
 *     srun -n 4 ./bin/simulate           simulate
 */
#ifndef UI_FORM_FORM_NAME_H
#define UI_FORM_FORM_NAME_H

#include <stdbool.h>

/* Of a shell's text: the program of the first line that does more than prepare (cd, module load, export
 * ...), without its path; of an interpreter, the file that it runs. If all lines prepare, the first counts.
 * NULL if no line names a program: loops, variables. Caller frees. */
char *formname_of_command(const char *text) __attribute__((warn_unused_result));

/* What the first command of a shell's text that does more than prepare names, as it is written there. */
struct formname_run {
    char *program; /* NULL: no command names one */
    char *file;    /* that an interpreter is to run; NULL: none */
    bool prepared; /* a command before it may change the directory, or what is in PATH */
};
/* Caller frees both names. */
void formname_find_run(const char *text, struct formname_run *ret);

/* The name of a file without its directory, as sbatch does. Caller frees. */
char *formname_of_file(const char *path) __attribute__((warn_unused_result));

#endif
