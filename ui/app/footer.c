/* footer.c - the last line of the screen.
 *
 *      Enter open  l output  m mine  w why  c cancel  / filter  s submit  ? help  q quit
 */
#include "ui/app/footer.h"

#include "src/base/utf8.h"
#include "src/lang/lang.h"
#include "ui/app/offered.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/later.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"
#include "ui/state/ui_state.h"

#define TOAST_ROWS 4
#define GAP        2 /* cells between two keys */

/* The line as far as it goes. */
struct footer_line {
    const struct ui *ui;
    struct rich text;
    struct rect at; /* where it will be drawn; empty: it is only measured */
};

/* Names the key if it fits into width cells. */
static void footer_add(struct footer_line *f, enum action action, const char *key, const char *label,
                       enum role role, int width)
{
    int used = cell_width(f->text.text.s), gap = used ? GAP : 0,
        need = cell_width(key) + 1 + cell_width(label);
    if (!*key || !*label || used + gap + need > width)
        return;
    rich_addf(&f->text, ROLE_FOOTER, "%*s", gap, "");
    rich_add(&f->text, ROLE_KEY, key);
    rich_add(&f->text, ROLE_FOOTER, " ");
    rich_add(&f->text, role, label);
    if (!rect_is_empty(f->at))
        hotspots_add(f->ui, rect_make(f->at.y, f->at.x + used + gap, 1, need), action, 0);
}

static void footer_add_action(struct footer_line *f, enum action action, enum role role, int width)
{
    struct str key = STR_INIT;
    const char *label = offered_label(f->ui, action);
    keymap_format(&f->ui->o.keys, action, true, &key);
    footer_add(f, action, key.s, label ? label : "", role, width);
    str_fini(&key);
}

/* In a view that takes text, help and back have keys that are not letters. */
static void footer_add_ends(struct footer_line *f, int width)
{
    if (ui_view(f->ui)->ops->types) {
        footer_add(f, ACTION_HELP, "F1", tr("help"), ROLE_FOOTER, width);
        footer_add(f, ACTION_CLOSE, "Esc", tr("back"), ROLE_FOOTER, width);
        return;
    }
    if (!stack_is_pushed(f->ui) && !offered_first_job(f->ui))
        footer_add_action(f, ACTION_SUBMIT, ROLE_FOOTER, width);
    footer_add_action(f, ACTION_HELP, ROLE_FOOTER, width);
    footer_add_action(f, ACTION_BACK, ROLE_FOOTER, width);
}

/* The keys at the end always have room. */
static void footer_add_keys(struct footer_line *f, int width)
{
    const struct view_ops *ops = ui_view(f->ui)->ops;
    struct footer_line ends = {.ui = f->ui};
    rich_init(&ends.text);
    footer_add_ends(&ends, width);
    int room = width - cell_width(ends.text.text.s) - GAP;
    rich_fini(&ends.text);
    if (offered_first_job(f->ui))
        footer_add_action(f, ACTION_SUBMIT, ROLE_STRONG, room);
    for (size_t s = 0; s < ops->n_scopes; s++)
        for (int k = 1; k < ACTION_N; k++)
            if (action_info((enum action)k)->scope == ops->scopes[s])
                footer_add_action(f, (enum action)k, ROLE_FOOTER, room);
    footer_add_ends(f, width);
}

/* A text that does not fit into the footer's line takes lines above it: the end of an error is the most
 * useful part. */
static void draw_long_toast(const struct toast *toast, struct canvas *c, struct rect r)
{
    struct lines text = {0}, flowed = {0};
    rich_add(lines_add(&text), toast->role, toast->text);
    lines_flow(&text, r.w - 2, &flowed);
    int n = (int)flowed.n > TOAST_ROWS ? TOAST_ROWS : (int)flowed.n;
    n = n > r.y + 1 ? r.y + 1 : n;
    struct rect box = rect_make(r.y - n + 1, r.x, n, r.w);
    canvas_fill(c, box, ROLE_NORMAL);
    for (int i = 0; i < n; i++)
        rich_draw(&flowed.v[i], c, box.y + i, r.x + 1, r.w - 2);
    lines_fini(&text);
    lines_fini(&flowed);
}

void footer_draw(const struct ui *ui, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    const struct toast *toast = toast_get(ui);
    bool waits = later_until(ui).ns;
    if (!waits && toast && cell_width(toast->text) > r.w - 2) {
        draw_long_toast(toast, c, r);
        return;
    }
    struct footer_line f = {.ui = ui, .at = rect_make(r.y, r.x + 1, 1, r.w - 2)};
    rich_init(&f.text);
    if (waits) {
        enum action undo = stack_takes_text(ui_view(ui)) ? ACTION_QUIT : ACTION_UNDO;
        later_text(ui, undo, &f.text);
        hotspots_add(ui, f.at, undo, 0);
    } else if (toast) {
        rich_add(&f.text, toast->role, toast->text);
    } else {
        footer_add_keys(&f, f.at.w);
    }
    rich_draw(&f.text, c, f.at.y, f.at.x, f.at.w);
    rich_fini(&f.text);
}
