/* given_env.h - variables that only this process uses, kept out of what it hands on.
 *
 * GNU gettext takes the language from the variable LANGUAGE and from nowhere else. What this process sets
 * there must reach neither its children nor the environment of a job: code that copies or hands on
 * `environ` takes it from here. */
#ifndef STOKER_OS_GIVEN_ENV_H
#define STOKER_OS_GIVEN_ENV_H

/* Sets LANGUAGE for this process; NULL: as it was given. Variables that are set after the first call are
 * not in given_env(). */
void given_env_language(const char *value);

/* What it was; NULL: nothing of it has been changed (given_env_language.c alone writes it). */
extern char **given_env_changed;

/* The environment as this process was given it, ended by NULL: to copy, or for posix_spawn. Not to be
 * freed. */
char **given_env(void);

/* Makes `environ` that again: before exec, in the process that becomes another program. */
void given_env_restore(void);

#endif
