/* lang.h - the language of texts: GNU gettext of the C library, with the catalogues of src/po.
 *
 * Screens and Stoker's own commands choose a language when they start. Programs that do not (the daemons,
 * the commands with Slurm's names) print English. Translated is what people read; tokens, keys, JSON, CSV,
 * logs and what another program parses stay as they are.
 *
 *     tr("No job is waiting.")                    a text
 *     trn("%u job", "%u jobs", n)                 a text with a number
 *     trc("of a list", "open")                    a text that has another meaning elsewhere
 *     N_("held")                                  in a static table: marked, and translated where it is
 * shown
 *
 * A text is a whole sentence with printf's arguments, numbered (%2$s) where a language needs another order.
 */
#ifndef STOKER_LANG_LANG_H
#define STOKER_LANG_LANG_H

#include <stdbool.h>
#include <stddef.h>

struct lang {
    const char *code; /* as the catalogues and LANGUAGE name it */
    const char *name; /* in the language itself */
};

/* English, the language of the sources, comes first. */
extern const struct lang langs[];
extern const size_t n_langs;

/* Chooses the language: wanted is a code of langs; NULL or "auto" stands for what LANGUAGE, LC_ALL,
 * LC_MESSAGES and LANG say, by the rules of gettext. dir holds CODE/LC_MESSAGES/stoker.mo; NULL: where it
 * lies beside the program. The language's locale need not be installed. Texts stay English where there is
 * no catalogue or the locale's characters are not UTF-8. Changes LC_MESSAGES and the variable LANGUAGE of
 * this process (see given_env.h), and no other category. */
void lang_choose(const char *wanted, const char *dir);

/* The code of the chosen language: "en" until one is chosen. */
const char *lang_code(void);

/* Where texts come from; NULL: they are English. lang_choose sets it. */
struct lang_texts {
    const char *(*text)(const char *text);
    const char *(*number)(const char *one, const char *many, unsigned long n);
};
extern const struct lang_texts *lang_texts;
extern _Thread_local unsigned lang_paused; /* above 0: this thread has its texts untranslated */

/* Texts are English between the two calls, in this thread: for what programs read. They nest. */
void lang_pause(void);
void lang_resume(void);

/* The text in the chosen language, or itself. Never void. NULL for NULL. */
const char *tr(const char *text) __attribute__((format_arg(1)));
/* Of the forms that the language has for n things. */
const char *trn(const char *one, const char *many, unsigned long n)
    __attribute__((format_arg(1), format_arg(2)));
/* Which of the language's forms n takes, from 0. */
unsigned long lang_form(unsigned long n);
/* Both arguments are literals. */
#define trc(context, text) lang_in_context(context "\004" text, text)
const char *lang_in_context(const char *key, const char *text) __attribute__((format_arg(2)));

#define N_(text) text

#endif
