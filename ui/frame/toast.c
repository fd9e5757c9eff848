/* toast.c - what the frame tells the user in a line. */
#include "ui/frame/toast.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/state/ui_state.h"

#define TOAST_MS       4000
#define TOAST_ERROR_MS 9000

struct toast_state {
    struct toast shown;
};

void ui_toast(struct ui *ui, enum role role, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    toast_clear(ui);
    ui->toast = xcalloc(1, sizeof *ui->toast);
    ui->toast->shown =
        (struct toast){.text = str_take(&s),
                       .role = role,
                       .until = mono_add_ms(ui->mono, role == ROLE_ERROR ? TOAST_ERROR_MS : TOAST_MS)};
}

const struct toast *toast_get(const struct ui *ui)
{
    return ui->toast ? &ui->toast->shown : NULL;
}

void toast_clear(struct ui *ui)
{
    if (ui->toast)
        free(ui->toast->shown.text);
    free(ui->toast);
    ui->toast = NULL;
    ui->dirty = true;
}

void toast_withdraw(struct ui *ui, const char *text)
{
    if (ui->toast && str_eq(ui->toast->shown.text, text))
        toast_clear(ui);
}

void toast_tick(struct ui *ui)
{
    if (ui->toast && ui->mono.ns >= ui->toast->shown.until.ns)
        toast_clear(ui);
}

const char *ui_read_only(struct ui *ui, bool say)
{
    const char *why = ui_why_read_only(ui);
    if (why && say)
        ui_toast(ui, ROLE_WARN, "%s", why);
    return why;
}
