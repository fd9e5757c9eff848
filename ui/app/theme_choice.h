/* theme_choice.h - which theme the screens have: of the command line, chosen with :theme, of ui.cfg, of
 * STOKER_THEME; and while one is looked at in the settings that one. */
#ifndef UI_APP_THEME_CHOICE_H
#define UI_APP_THEME_CHOICE_H

#include "ui/app/saver.h"
#include "ui/app/settings.h"
#include "ui/term/term.h"

struct theme_choice {
    struct term *term;
    struct theme *theme; /* the one in use */
    struct prefs *prefs;
    struct saver *saver;
    const struct settings *settings;
    const char *dir; /* of the themes that come with the program */
    char *kept;      /* prefs->theme as it was when a theme was read last; NULL: none chosen */
};

void theme_choice_fini(struct theme_choice *t);
/* Runs before the loop, so it may block. Errors: of theme_load, the built-in looks are in use. */
int theme_choice_first(struct theme_choice *t, struct errtext *err) __attribute__((warn_unused_result));
/* Reads the theme again, beside the screens. */
void theme_choice_read(struct theme_choice *t, struct ui *ui);

#endif
