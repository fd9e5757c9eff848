/* later.c - what waits some seconds before it is done, so that it can be undone.
 *
 * It goes out when it was said to, or before that where nobody can undo it any more: one leaves, the
 * terminal is gone or given away. Never much after: who stopped the screens or shut the lid is asked no
 * more, finds other jobs there than he saw, and is told that nothing was done.
 */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/frame/frame_internal.h"

#define TOO_LATE_MS 10000

static void drop(struct ui *a)
{
    free(a->later.what);
    if (a->later.free_arg)
        a->later.free_arg(a->later.arg);
    a->later = (struct later){0};
    a->dirty = true;
}

/* Nobody looks for it in a line that the next key takes away. */
static void tell_unsent(struct ui *a, const char *why)
{
    struct dialog *d = dialog_new(DIALOG_TEXT, "nothing was sent");
    d->danger = true;
    lines_addf(&d->body.lines, ROLE_STRONG, "%s", a->later.what);
    lines_add(&d->body.lines);
    lines_addf(&d->body.lines, ROLE_NORMAL, "%s", why);
    ui_take_dialog(a, d, NULL, NULL, NULL);
    drop(a);
}

void later_run(struct ui *a)
{
    struct later l = a->later;
    if (!l.fn)
        return;
    if (!a->online) {
        tell_unsent(a, "There is no connection to the controller.");
        return;
    }
    a->later.fn = NULL; /* what it does may be something for later too */
    a->later = (struct later){0};
    l.fn(a, l.arg);
    if (l.free_arg)
        l.free_arg(l.arg);
    free(l.what);
    a->dirty = true;
}

void ui_later(struct ui *a, const char *what, int ms, ui_later_fn *fn, void *arg, void (*free_arg)(void *))
{
    later_run(a);
    a->later = (struct later){.what = xstrdup(what),
                              .fn = fn,
                              .arg = arg,
                              .free_arg = free_arg,
                              .until = mono_add_ms(a->mono, ms)};
    a->dirty = true;
}

void later_due(struct ui *a)
{
    if (!a->later.fn || a->mono.ns < a->later.until.ns)
        return;
    if (a->mono.ns - a->later.until.ns <= TOO_LATE_MS * NS_PER_MS) {
        later_run(a);
        return;
    }
    tell_unsent(a, "Its time passed while the screens stood still.");
}

bool app_is_waiting(const struct ui *a)
{
    return a->later.fn != NULL;
}

void app_hurry(struct ui *a)
{
    later_run(a);
}

bool later_undo(struct ui *a)
{
    if (!a->later.fn)
        return false;
    ui_toast(a, ROLE_GOOD, "undone, nothing was sent: %s", a->later.what);
    drop(a);
    return true;
}

void later_text(const struct ui *a, struct rich *r)
{
    int64_t s = (a->later.until.ns - a->mono.ns + NS_PER_S - 1) / NS_PER_S;
    rich_addf(r, ROLE_WARN, "%s in %lld s   ", a->later.what, (long long)(s > 0 ? s : 0));
    struct str key = STR_INIT;
    keymap_format(&a->o.keys, view_takes_text(app_view(a)) ? ACTION_QUIT : ACTION_UNDO, true, &key);
    rich_add(r, ROLE_KEY, key.s);
    rich_add(r, ROLE_NORMAL, " undoes it");
    str_fini(&key);
}
