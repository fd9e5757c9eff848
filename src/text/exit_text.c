#include "src/text/exit_text.h"

#include "src/lang/lang.h"

#define CANNOT_EXECUTE 126 /* POSIX, Shell Command Language, 2.8.2 */
#define NOT_FOUND      127

const char *exit_text_meaning(int code)
{
    return code == NOT_FOUND        ? tr("command not found")
           : code == CANNOT_EXECUTE ? tr("command cannot be executed")
                                    : NULL;
}

void exit_text_append(struct str *out, int code)
{
    const char *meaning = exit_text_meaning(code);
    if (meaning)
        str_appendf(out, tr("exit %d (%s)"), code, meaning);
    else
        str_appendf(out, tr("exit %d"), code);
}
