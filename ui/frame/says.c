/* says.c - what the frame tells the user, and what it wants of the terminal around it. */
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/frame/frame_internal.h"

#define TOAST_MS       4000
#define TOAST_ERROR_MS 9000

/* --- a line in the footer --- */

void ui_toast(struct ui *a, enum role role, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    free(a->toast);
    a->toast = str_take(&s);
    a->toast_role = role;
    a->toast_until = mono_add_ms(a->mono, role == ROLE_ERROR ? TOAST_ERROR_MS : TOAST_MS);
    a->dirty = true;
}

void app_say(struct ui *a, enum role role, const char *text)
{
    ui_toast(a, role, "%s", text);
}

const char *ui_read_only(struct ui *a, bool say)
{
    const char *why =
        a->o.read_only ? "nothing can be changed: started with --read-only" : a->welcome.read_only;
    if (why && say)
        ui_toast(a, ROLE_WARN, "%s", why);
    return why;
}

/* --- wishes --- */

void ui_changed(struct ui *a)
{
    a->dirty = true;
}

void ui_copy(struct ui *a, const char *text, const char *what)
{
    free(a->copied);
    a->copied = xstrdup(text);
    a->wishes |= APP_COPY;
    ui_toast(a, ROLE_GOOD, "copied %s", what);
}

const char *app_copied(const struct ui *a)
{
    return a->copied;
}

void ui_run(struct ui *a, const char *where, struct strv *take_argv)
{
    str_clear(&a->program_where);
    cell_text(&a->program_where, where, -1, false, a->o.ascii);
    strv_fini(&a->program);
    a->program = *take_argv;
    *take_argv = (struct strv){0};
    later_run(a); /* its line would stand still */
    a->wishes |= APP_RUN;
}

const struct strv *app_program(const struct ui *a)
{
    return &a->program;
}

const char *app_program_where(const struct ui *a)
{
    return a->program_where.s;
}

const char *app_title(const struct ui *a)
{
    return a->title;
}

unsigned app_take_wishes(struct ui *a)
{
    unsigned w = a->wishes;
    a->wishes = 0;
    return w;
}
