/* jobfileedit.h - the file of a step job as something to be edited: a key of the job or of one of its steps
 * is found, changed, added or taken out, and every other byte stays, comments too.
 *
 * Works on the text, so that a file with mistakes in it can be edited as well; src/conf/jobfile.h reads it.
 */
#ifndef STOKER_JOBSPEC_JOBFILEEDIT_H
#define STOKER_JOBSPEC_JOBFILEEDIT_H

#include "src/base/str.h"

#define JOBFILE_JOB (-1) /* in place of a step's number: the job as a whole */

size_t jobfile_count_steps(const char *text);
/* The value as it stands, a text without its quotes; NULL where there is none. Caller frees. */
char *jobfile_get(const char *text, int step, const char *key) __attribute__((warn_unused_result));
/* quoted: the value is a text. */
void jobfile_set(struct str *text, int step, const char *key, const char *value, bool quoted);
void jobfile_remove(struct str *text, int step, const char *key);
/* A new step with that command behind all others; a file without steps gets the list. */
void jobfile_add_step(struct str *text, const char *name, const char *command);
void jobfile_remove_step(struct str *text, int step);
/* A step as it stands, brackets and all; NULL where there is none of that number. Caller frees. */
char *jobfile_get_step(const char *text, int step) __attribute__((warn_unused_result));
/* Puts one like that in front of the step of that number, or behind all others where there is none. */
void jobfile_insert_step(struct str *text, int step, const char *group);

#endif
