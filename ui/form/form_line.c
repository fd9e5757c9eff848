/* form_line.c - the command line that submits the text of a form in a shell. */
#include "ui/form/form_line.h"

#include "src/base/words.h"
#include "ui/state/request_line.h"

char *form_steps_line(const struct form *f, const struct msg_submit *m)
{
    struct str s = STR_INIT;
    str_append(&s, "file=$(mktemp --suffix=.job); cat >\"$file\"");
    request_line_append_document(&s, f->text.s);
    str_append(&s, "\nstoker submit");
    if (m->req.workdir) {
        str_append(&s, " --chdir");
        words_append(&s, m->req.workdir);
    }
    if (m->req.name) {
        str_append(&s, " --job-name");
        words_append(&s, m->req.name);
    }
    str_append(&s, " \"$file\"; rm \"$file\"");
    return str_take(&s);
}
