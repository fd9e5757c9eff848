/* window_text.c - what the screens say of windows. */
#include "ui/info/window_text.h"

#include <stdlib.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "ui/text/view_text.h"

char *window_whose(const struct window *w)
{
    char *users = strv_join(&w->users, ", "), *accounts = strv_join(&w->accounts, ", ");
    char *all = xasprintf("%s%s%s", users, *users && *accounts ? ", " : "", accounts);
    free(users);
    free(accounts);
    return all;
}

void window_words(struct rich *r, const struct ui *ui, const struct window *w)
{
    char b[UNITS_TEXT_SIZE], *who = window_whose(w);
    bool maintenance = w->kind == WINDOW_MAINTENANCE;
    rich_addf(r, ROLE_WARN, "%s%s ", maintenance ? "maintenance" : "reserved for ", maintenance ? "" : who);
    if (ui_window_has_begun(ui, w)) {
        str_append(&r->text, "until ");
        when_about(&r->text, w->end, ui_now(ui));
    } else {
        str_appendf(&r->text, "in %s", duration_format_words(wall_elapsed_s(ui_now(ui), w->start), b));
    }
    rich_role(r, ROLE_WARN);
    if (!str_is_empty(w->reason))
        rich_addf(r, ROLE_NORMAL, ": %s", w->reason);
    free(who);
}
