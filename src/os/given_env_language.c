/* given_env_language.c - a variable for this process alone, and the way back. */
#include "src/os/given_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define NAME "LANGUAGE"

static char **given; /* built at the first change and never after: other threads may read it */
static char
    entry[32]; /* LANGUAGE in `environ`: rewritten in place, so that no thread reads what is freed */
static const char *given_language; /* points into it; NULL: LANGUAGE was not set */

static void keep_given(void)
{
    size_t n = 0;
    while (environ[n])
        n++;
    given = xcalloc(n + 1, sizeof *given);
    for (size_t i = 0; i < n; i++) {
        given[i] = xstrdup(environ[i]);
        if (strncmp(given[i], NAME "=", strlen(NAME "=")) == 0)
            given_language = given[i] + strlen(NAME "=");
    }
}

void given_env_language(const char *value)
{
    if (!value) {
        given_env_restore();
        return;
    }
    if (!given)
        keep_given();
    snprintf(entry, sizeof entry, NAME "=%s", value);
    if (!given_env_changed)
        putenv(entry);
    given_env_changed = given;
}

void given_env_restore(void)
{
    if (!given_env_changed)
        return;
    if (given_language)
        setenv(NAME, given_language, 1);
    else
        unsetenv(NAME);
    given_env_changed = NULL;
}
