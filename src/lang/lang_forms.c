/* lang_forms.c - texts with numbers and contexts in the chosen language. */
#include <stdlib.h>
#include <string.h>

#include "src/lang/lang.h"

void lang_pause(void)
{
    lang_paused++;
}

void lang_resume(void)
{
    lang_paused--;
}

const char *trn(const char *one, const char *many, unsigned long n)
{
    return !lang_texts || lang_paused ? (n == 1 ? one : many) : lang_texts->number(one, many, n);
}

unsigned long lang_form(unsigned long n)
{
    /* T: not shown: "form 0", "form 1", and so on, as many as the language has */
    const char *form = trn("form 0", "form 1", n);
    return strtoul(form + strlen("form "), NULL, 10);
}

const char *lang_in_context(const char *key, const char *text)
{
    const char *found = tr(key);
    return found == key ? text : found;
}
