/* lang_text.c - a text in the chosen language: all of it that a program has which chooses none. */
#include "src/lang/lang.h"

const struct lang_texts *lang_texts;
_Thread_local unsigned lang_paused;

const char *tr(const char *text)
{
    /* The translation of "" is the catalogue's header. */
    return !lang_texts || lang_paused || !text || !*text ? text : lang_texts->text(text);
}
