/* later.c - what waits some seconds before it is done, so that it can be undone. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/app/private.h"

static void drop(struct ui *a)
{
    free(a->later.what);
    if (a->later.free_arg)
        a->later.free_arg(a->later.arg);
    a->later = (struct later){0};
    a->dirty = true;
}

void later_run(struct ui *a)
{
    struct later l = a->later;
    if (!l.fn)
        return;
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
    keymap_format(&a->o.keys, ACTION_UNDO, true, &key);
    rich_add(r, ROLE_KEY, key.s);
    rich_add(r, ROLE_NORMAL, " undoes it");
    str_fini(&key);
}
