/* settings_file.h - one option of ui.cfg is changed as a text: comments, order and all else stay. */
#ifndef UI_APP_SETTINGS_FILE_H
#define UI_APP_SETTINGS_FILE_H

#include "src/base/err.h"

/* The text with `name = value;` in the place of what it has, or at its end; value NULL: without the option.
 * value: as libconfig has it, quoted. Pure; the caller frees it. */
char *settings_file_with(const char *text, const char *name, const char *value)
    __attribute__((warn_unused_result));
/* "a \"b\"" */
char *settings_file_quote(const char *text) __attribute__((warn_unused_result));

/* Changes the file, which is made where there is none and replaced as a whole; a link is followed. Errors:
 * -EINVAL (the file has an error already, with file and line: it stays as it is), -errno. */
int settings_file_set(const char *path, const char *name, const char *value, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
