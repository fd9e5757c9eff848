/* lang_text.c - a text in the chosen language: all of it that a program has which chooses none. */
#include <stdlib.h>
#include <string.h>

#include "src/base/lang.h"

const struct lang_texts *lang_texts;
static _Thread_local unsigned paused;

void lang_pause(void)
{
    paused++;
}

void lang_resume(void)
{
    paused--;
}

const char *tr(const char *text)
{
    /* The translation of "" is the catalogue's header. */
    return !lang_texts || paused || !text || !*text ? text : lang_texts->text(text);
}

const char *trn(const char *one, const char *many, unsigned long n)
{
    return !lang_texts || paused ? (n == 1 ? one : many) : lang_texts->number(one, many, n);
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
