/* output_outside.c - an output outside of the screens: saved to a file, opened in a program. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/owner_file.h"
#include "src/text/jobtext.h"
#include "ui/output/output_internal.h"
#include "ui/view/copy_menu.h"

char *output_save_path(const struct output_screen *o)
{
    const struct job *j = output_job(o);
    struct str s = STR_INIT;
    str_append(&s, "output-");
    if (j)
        jobtext_id(&s, j, BITSTR_LEN_DEFAULT);
    if (o->all)
        str_append(&s, "-all");
    else if (o->at.step != STEP_BATCH)
        str_appendf(&s, "-%d-%u", o->at.step, o->at.rank);
    str_append(&s, o->err && !o->all ? ".err" : ".txt");
    return str_take(&s);
}

void output_run(struct output_screen *o, bool editor)
{
    const struct reading_state *s = o->state;
    const char *path = o->shown.v.n ? o->shown.v.v[0].path : NULL;
    if (!s || !s->there || s->gone || s->remote || o->all || !path || *path != '/') {
        ui_toast(o->v.ui, ROLE_WARN, tr("this output is not a file on this machine; S saves it to one"));
        return;
    }
    if (!owner_file_is_direct(o->shown.v.v[0].owner)) {
        ui_toast(o->v.ui, ROLE_WARN,
                 tr("root does not open another user's file in a program; S saves a copy"));
        return;
    }
    struct strv argv = {0};
    strv_push(&argv, "/bin/sh");
    strv_push(&argv, "-c");
    /* As other programs do: these variables may hold options. */
    strv_push(&argv, editor ? "exec ${VISUAL:-${EDITOR:-vi}} \"$1\"" : "exec ${PAGER:-less} \"$1\"");
    strv_push(&argv, "sh");
    strv_push(&argv, path);
    ui_run(o->v.ui, path, &argv);
    strv_fini(&argv);
}

/* The last row of the page that has a text. */
static const char *last_row(const struct page *p)
{
    for (size_t i = p->rows.n; i-- > 0;)
        if (!str_is_empty(p->rows.v[i].text))
            return p->rows.v[i].text;
    return NULL;
}

void output_copy(struct output_screen *o)
{
    struct copy_menu *m = copy_menu_new();
    struct str seen = STR_INIT;
    const struct page *p = o->state ? &o->state->page : NULL;
    const char *found = NULL;
    copy_menu_add(m, tr("path"), o->state ? o->state->path : NULL);
    for (size_t i = 0; p && i < p->rows.n; i++) {
        const char *text = p->rows.v[i].text ? p->rows.v[i].text : "";
        str_appendf(&seen, "%s\n", text);
        found = p->rows.v[i].found ? text : found;
    }
    copy_menu_add(m, tr("matching line"), found);
    copy_menu_add(m, tr("last line"), p ? last_row(p) : NULL);
    copy_menu_add_text(m, tr("what is seen"), tr("the lines on the screen"), seen.s);
    str_fini(&seen);
    copy_menu_open(o->v.ui, m);
}
