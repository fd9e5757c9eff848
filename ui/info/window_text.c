/* window_text.c - what the screens say of windows. */
#include "ui/info/window_text.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/text/view_text.h"

char *window_whose(const struct window *w)
{
    char *users = strv_join(&w->users, ", "), *accounts = strv_join(&w->accounts, ", ");
    char *all = xasprintf("%s%s%s", users, *users && *accounts ? ", " : "", accounts);
    free(users);
    free(accounts);
    return all;
}

static void window_when(struct str *out, const struct ui *ui, const struct window *w)
{
    bool begun = ui_window_has_begun(ui, w);
    str_append(out, begun ? tr(" until ") : tr(" from "));
    when_about(out, begun ? w->end : w->start, ui_now(ui));
}

void window_words(struct rich *r, const struct ui *ui, const struct window *w)
{
    char *who = window_whose(w);
    bool maintenance = w->kind == WINDOW_MAINTENANCE;
    str_appendf(&r->text, "%s%s", maintenance ? tr("maintenance") : tr("reserved for "),
                maintenance ? "" : who);
    window_when(&r->text, ui, w);
    rich_role(r, ROLE_WARN);
    if (!str_is_empty(w->reason))
        rich_addf(r, ROLE_NORMAL, ": %s", w->reason);
    free(who);
}

void window_words_on(struct rich *r, const struct ui *ui, const struct window *w, const char *nodes)
{
    bool maintenance = w->kind == WINDOW_MAINTENANCE;
    str_appendf(&r->text, maintenance ? tr("maintenance on %s") : tr("reservation on %s"), nodes);
    window_when(&r->text, ui, w);
    rich_role(r, ROLE_WARN);
}
