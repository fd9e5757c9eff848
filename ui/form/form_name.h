/* form_name.h - the name of a job that was given none: what its command is about.
 *
 *     python -u train.py --lr 1e-4       train.py
 *     srun -n 4 ./bin/simulate           simulate
 */
#ifndef UI_FORM_FORM_NAME_H
#define UI_FORM_FORM_NAME_H

/* Of a shell's text: the program of the first line that does more than prepare (cd, module load, export
 * ...), without its path; of an interpreter, what it is to run. Of lines that all prepare the first counts.
 * NULL where no line tells: loops, variables. Caller frees. */
char *formname_of_command(const char *text) __attribute__((warn_unused_result));

/* Of a file: its name without its path, as sbatch has it. Caller frees. */
char *formname_of_file(const char *path) __attribute__((warn_unused_result));

#endif
