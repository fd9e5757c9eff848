/* dialog.c - a box over the screen. */
#include "ui/widget/dialog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/layout/layout.h"

#define BOX_WIDTH  76
#define MENU_WIDTH 100 /* its lines are not broken, so they take more where there is more */
/* At least, if there is room: of the input line, and of the refusal below it. */
#define LINE_WIDTH 46

struct dialog *dialog_new(enum dialog_kind kind, const char *title)
{
    struct dialog *d = xcalloc(1, sizeof *d);
    d->kind = kind;
    d->title = xstrdup(title);
    edit_init(&d->edit);
    return d;
}

void dialog_free(struct dialog *d)
{
    if (!d)
        return;
    free(d->title);
    free(d->verb);
    pane_fini(&d->body);
    edit_fini(&d->edit);
    strv_fini(&d->items);
    list_state_fini(&d->list);
    free(d->checked);
    free(d->found.v);
    free(d->refused);
    free(d);
}

void dialog_wait(struct dialog *d)
{
    d->waiting = true;
    free(d->refused);
    d->refused = NULL;
}

void dialog_refuse(struct dialog *d, const char *why)
{
    d->waiting = false;
    xstrset(&d->refused, why);
}

/* --- the items that are shown --- */

static bool item_has(const char *item, const struct strv *words)
{
    for (size_t i = 0; i < words->n; i++)
        if (!strcasestr(item, words->v[i]))
            return false;
    return true;
}

/* Those that have each word of what is looked for. */
static void find_items(struct dialog *d)
{
    struct strv words = strv_split(d->edit.text.s, " ");
    d->found.v = xreallocarray(d->found.v, d->items.n + 1, sizeof *d->found.v);
    d->found.n = 0;
    for (size_t i = 0; i < d->items.n; i++)
        if (!d->finds || item_has(d->items.v[i], &words))
            d->found.v[d->found.n++] = i;
    strv_fini(&words);
}

static uint64_t item_id(const void *ctx, size_t i)
{
    return ((const struct dialog *)ctx)->found.v[i] + 1;
}

static void sync_items(struct dialog *d)
{
    find_items(d);
    list_sync(&d->list, d->found.n, item_id, d);
}

void dialog_choose(struct dialog *d, size_t item)
{
    sync_items(d);
    list_set_cursor(&d->list, item, item_id, d);
}

size_t dialog_choice(const struct dialog *d)
{
    return d->list.cursor < d->found.n ? d->found.v[d->list.cursor] : d->items.n;
}

/* --- what comes in --- */

static bool is_press(const struct input *in)
{
    return in->kind == INPUT_MOUSE && (in->what == MOUSE_CLICK || in->what == MOUSE_DOUBLE);
}

/* The key whose words were pressed; 0: none. */
static uint32_t pressed_key(const struct dialog *d, const struct input *in)
{
    for (size_t i = 0; is_press(in) && i < d->n_buttons; i++)
        if (rect_has(d->buttons[i].at, in->y, in->x))
            return d->buttons[i].key;
    return 0;
}

static enum dialog_outcome confirm_input(struct dialog *d, const struct input *in, uint32_t key)
{
    if (!d->must_type)
        return key == 'y' || key == 'Y' || (key == KEYNAME_ENTER && !d->danger) ? DIALOG_YES
               : key == 'n' || key == 'N' || key == 'q'                         ? DIALOG_NO
                                                                                : DIALOG_OPEN;
    if (key == KEYNAME_ENTER) {
        char want[24];
        snprintf(want, sizeof want, "%llu", (unsigned long long)d->must_type);
        d->wrong = !str_eq(d->edit.text.s, want);
        return d->wrong ? DIALOG_OPEN : DIALOG_YES;
    }
    d->wrong = false;
    edit_input(&d->edit, in);
    return DIALOG_OPEN;
}

static enum dialog_outcome prompt_input(struct dialog *d, const struct input *in, uint32_t key)
{
    if (key == KEYNAME_ENTER) {
        d->wrong = !d->edit.text.len && !d->may_be_empty;
        return d->wrong ? DIALOG_OPEN : DIALOG_YES;
    }
    d->wrong = false;
    edit_input(&d->edit, in);
    return DIALOG_OPEN;
}

static const enum scope moving[] = {SCOPE_MOVE};

/* A click; the list knows its items. */
static enum dialog_outcome press_item(struct dialog *d, const struct input *in)
{
    size_t at = d->list.top + (size_t)(in->y - d->menu.y);
    if (!rect_has(d->menu, in->y, in->x) || at >= d->found.n)
        return DIALOG_OPEN;
    if (d->kind == DIALOG_CHECKS)
        d->checked[d->found.v[at]] = !d->checked[d->found.v[at]];
    else if (at == d->list.cursor)
        return DIALOG_YES;
    list_set_cursor(&d->list, at, item_id, d);
    return DIALOG_OPEN;
}

/* A key that a menu does not know leaves it open: it would act on the rows below if the menu closed first,
 * and so would the keys behind it. The foot says so, until a key that it knows. */
static enum dialog_outcome menu_input(struct dialog *d, const struct input *in, const struct keymap *km,
                                      uint32_t key)
{
    sync_items(d);
    d->wrong = false;
    if (key == KEYNAME_ENTER)
        return d->finds && !d->found.n ? DIALOG_OPEN : DIALOG_YES;
    if (d->finds &&
        (key_is_text(key) || in->kind == INPUT_PASTE || key == KEYNAME_BACKSPACE || key == CTRL_KEY('u'))) {
        edit_input(&d->edit, in);
        sync_items(d);
        list_set_cursor(&d->list, 0, item_id, d);
        return DIALOG_OPEN;
    }
    if (key == 'q')
        return DIALOG_NO;
    bool toggles = d->kind == DIALOG_CHECKS && key == ' ';
    enum action move = keymap_find(km, moving, 1, key);
    d->wrong = key && !toggles && move == ACTION_NONE;
    if (toggles && d->items.n)
        d->checked[dialog_choice(d)] = !d->checked[dialog_choice(d)];
    if (is_press(in))
        return press_item(d, in);
    if (in->kind == INPUT_MOUSE)
        list_scroll(&d->list,
                    in->what == MOUSE_WHEEL_UP     ? -1
                    : in->what == MOUSE_WHEEL_DOWN ? 1
                                                   : 0,
                    item_id, d);
    else
        list_move(&d->list, move, item_id, d);
    return DIALOG_OPEN;
}

static enum dialog_outcome text_input(struct dialog *d, const struct input *in, const struct keymap *km,
                                      uint32_t key)
{
    if (in->kind == INPUT_MOUSE) {
        pane_scroll(&d->body, in->what == MOUSE_WHEEL_UP ? -3 : in->what == MOUSE_WHEEL_DOWN ? 3 : 0);
        return DIALOG_OPEN;
    }
    if (key == KEYNAME_ENTER && d->verb)
        return DIALOG_YES;
    if (key == ' ')
        pane_act(&d->body, ACTION_PAGE_DOWN);
    else if (!pane_act(&d->body, keymap_find(km, moving, 1, key)) &&
             (key == 'q' || key == KEYNAME_ENTER || key == '?' || key == 'w'))
        return DIALOG_NO;
    return DIALOG_OPEN;
}

enum dialog_outcome dialog_input(struct dialog *d, const struct input *in, const struct keymap *km)
{
    /* The second half of a double click that has opened this one says nothing here. */
    if (is_press(in) && in->what == MOUSE_DOUBLE && !d->touched)
        return DIALOG_OPEN;
    d->touched |= is_press(in);
    uint32_t button = pressed_key(d, in);
    const struct input as_key = input_key(button);
    in = button ? &as_key : in;
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (key == KEYNAME_ESC)
        return DIALOG_NO;
    if (d->waiting)
        return DIALOG_OPEN;
    switch (d->kind) {
    case DIALOG_TEXT: return text_input(d, in, km, key);
    case DIALOG_CONFIRM: return confirm_input(d, in, key);
    case DIALOG_PROMPT: return prompt_input(d, in, key);
    case DIALOG_CHECKS:
    case DIALOG_MENU: return menu_input(d, in, km, key);
    }
    return DIALOG_NO;
}

/* --- the picture --- */

/* r is the foot as far as it goes. */
static void dialog_add_key(struct dialog *d, struct rich *r, const char *name, uint32_t key,
                           const char *what)
{
    if (r->text.len)
        rich_add(r, ROLE_NORMAL, "   ");
    int x = cell_width(r->text.s);
    rich_add(r, ROLE_KEY, name);
    rich_addf(r, ROLE_NORMAL, " %s", what);
    d->buttons[d->n_buttons++] =
        (struct dialog_button){.at = rect_make(0, x, 1, cell_width(r->text.s) - x), .key = key};
}

static void foot_text(struct dialog *d, struct rich *r)
{
    d->n_buttons = 0;
    switch (d->kind) {
    case DIALOG_TEXT:
        if (d->verb)
            dialog_add_key(d, r, "Enter", KEYNAME_ENTER, d->verb);
        dialog_add_key(d, r, "Esc", KEYNAME_ESC, tr("close"));
        return;
    case DIALOG_CONFIRM:
        if (d->must_type)
            dialog_add_key(d, r, "Enter", KEYNAME_ENTER, d->verb ? d->verb : tr("yes"));
        else
            dialog_add_key(d, r, "y", 'y', d->verb ? d->verb : "yes");
        if (d->must_type)
            dialog_add_key(d, r, "Esc", KEYNAME_ESC, d->no ? d->no : tr("no"));
        else
            dialog_add_key(d, r, "n", 'n', d->no ? d->no : "no");
        return;
    case DIALOG_PROMPT:
        dialog_add_key(d, r, "Enter", KEYNAME_ENTER, d->verb ? d->verb : tr("accept"));
        dialog_add_key(d, r, "Esc", KEYNAME_ESC, tr("close"));
        return;
    case DIALOG_CHECKS:
    case DIALOG_MENU:
        if (d->kind == DIALOG_CHECKS)
            dialog_add_key(d, r, "Space", ' ', tr("turn on or off"));
        dialog_add_key(d, r, "Enter", KEYNAME_ENTER, d->verb ? d->verb : tr("choose"));
        dialog_add_key(d, r, "Esc", KEYNAME_ESC, tr("close"));
        if (d->wrong)
            rich_addf(r, ROLE_ERROR, "   %s", tr("only these and arrows"));
        return;
    }
}

static void dialog_draw_foot(struct dialog *d, const struct rich *foot, struct canvas *c, struct rect line)
{
    rich_draw(foot, c, line.y, line.x, line.w);
    for (size_t i = 0; i < d->n_buttons; i++) {
        struct rect at = d->buttons[i].at;
        d->buttons[i].at = rect_cut(rect_make(line.y, line.x + at.x, 1, at.w), line);
    }
}

static bool is_menu(const struct dialog *d)
{
    return d->kind == DIALOG_MENU || d->kind == DIALOG_CHECKS;
}

/* Of the menu, or the line that is typed. */
static int own_lines(const struct dialog *d)
{
    return is_menu(d) ? (int)d->items.n + d->finds : d->kind == DIALOG_PROMPT || d->must_type ? 1 : 0;
}

static int text_width(const struct dialog *d)
{
    int w = 30;
    for (size_t i = 0; i < d->body.lines.n; i++) {
        int n = cell_width(d->body.lines.v[i].text.s);
        w = n > w ? n : w;
    }
    for (size_t i = 0; i < d->items.n; i++) {
        int n = cell_width(d->items.v[i]) + (d->kind == DIALOG_CHECKS ? 7 : 3);
        w = n > w ? n : w;
    }
    int title = cell_width(d->title) + 4;
    w = title > w ? title : w;
    if ((d->kind == DIALOG_PROMPT || d->refused) && w < LINE_WIDTH)
        w = LINE_WIDTH;
    int most = is_menu(d) ? MENU_WIDTH : BOX_WIDTH;
    return w < most ? w : most;
}

/* What was said to the last answer. Returns the lines it takes. */
static int flow_refused(const struct dialog *d, int width, struct lines *ret)
{
    struct lines all = {0};
    if (d->refused)
        rich_add(lines_add(&all), ROLE_ERROR, d->refused);
    else if (d->waiting)
        rich_add(lines_add(&all), ROLE_DIM, tr("Waiting for the controller ..."));
    lines_flow(&all, width, ret);
    lines_fini(&all);
    return (int)ret->n;
}

/* Below a blank line where there is room for it; what is too long is cut. */
static void draw_refused(const struct lines *l, struct canvas *c, struct rect r)
{
    int blank = r.h > (int)l->n;
    for (int i = 0; i + blank < r.h && i < (int)l->n; i++)
        rich_draw(&l->v[i], c, r.y + blank + i, r.x, r.w);
}

static void draw_find(const struct dialog *d, struct canvas *c, struct rect r)
{
    edit_draw(&d->edit, c, r.y, r.x + 1, r.w - 2);
    if (!d->edit.text.len)
        canvas_text(c, r.y, r.x + 2, ROLE_DIM, tr("type to search"), r.w - 3);
    else if (!d->found.n)
        canvas_text(c, r.y, r.x + 3 + cell_width(d->edit.text.s), ROLE_DIM, tr("no item has it"), r.w - 3);
}

static void draw_menu(struct dialog *d, struct canvas *c, struct rect r)
{
    sync_items(d);
    if (d->finds)
        draw_find(d, c, rect_take_top(&r, 1));
    list_fit(&d->list, r.h);
    d->menu = r;
    for (int i = 0; i < r.h && d->list.top + (size_t)i < d->found.n; i++) {
        size_t item = d->found.v[d->list.top + (size_t)i];
        int x = r.x + 1;
        if (d->kind == DIALOG_CHECKS)
            x += canvas_text(c, r.y + i, x, ROLE_NORMAL, d->checked[item] ? "[x] " : "[ ] ", r.w - 2);
        canvas_text(c, r.y + i, x, ROLE_NORMAL, d->items.v[item], r.x + r.w - 2 - x);
        if (d->list.top + (size_t)i == d->list.cursor)
            canvas_over(c, rect_make(r.y + i, r.x, 1, r.w - 1), ROLE_CURSOR);
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)d->list.top, r.h, (long long)d->found.n);
}

static void dialog_draw_line(struct dialog *d, struct canvas *c, struct rect r)
{
    if (r.h < 1)
        return;
    int y = r.y + r.h - 1, x = r.x;
    if (d->wrong)
        x += canvas_text(c, y, x, ROLE_ERROR,
                         d->must_type ? tr("does not match: ")
                         : d->needs   ? d->needs
                                      : tr("type it first: "),
                         r.w);
    else if (d->must_type)
        x += canvas_printf(c, y, x, ROLE_NORMAL, r.w, tr("type %llu: "), (unsigned long long)d->must_type);
    edit_draw(&d->edit, c, y, x, r.x + r.w - x);
}

void dialog_place(struct dialog *d, int y, int x)
{
    d->placed = true;
    d->place_y = y;
    d->place_x = x;
}

/* Its box: below the place it belongs to, above it where there is more room, else in the middle. */
static struct rect dialog_box(const struct dialog *d, const struct canvas *c, int h, int w)
{
    struct rect box = layout_popup(c->rows, c->cols, h, w);
    if (!d->placed)
        return box;
    int below = c->rows - d->place_y - 1, right = c->cols - d->place_x - 1;
    box.y = box.h <= below ? d->place_y + 1 : box.h <= d->place_y ? d->place_y - box.h : c->rows - box.h;
    box.x = box.w <= right ? d->place_x + 1 : c->cols - box.w;
    return box;
}

void dialog_draw(struct dialog *d, struct canvas *c)
{
    int w = text_width(d), most = c->cols - 6;
    struct rich foot;
    rich_init(&foot);
    foot_text(d, &foot);
    int foot_w = cell_width(foot.text.s);
    w = foot_w > w ? foot_w : w;
    w = w > most ? most : w;
    struct lines refused = {0};
    int said = flow_refused(d, w, &refused), own = own_lines(d);
    int between = said ? said + 1 : own && !is_menu(d) ? 1 : 0; /* a blank line, and that */
    int h = (int)pane_height(&d->body, w) + between + own + 4;
    struct rect box = dialog_box(d, c, h, w + 4);
    enum role frame = d->danger ? ROLE_BOX_DANGER : ROLE_BOX_FRAME;
    if (!d->placed)
        canvas_over(c, rect_make(0, 0, c->rows, c->cols), ROLE_DIM);
    canvas_fill(c, box, ROLE_BOX);
    canvas_frame(c, box, frame, d->title);
    struct rect in = rect_make(box.y + 1, box.x + 2, box.h - 2, box.w - 4);
    struct rect old = canvas_clip(c, in);
    struct rect bottom = rect_take_bottom(&in, in.h > 2 ? 2 : in.h > (own > 0) ? 1 : 0);
    dialog_draw_foot(d, &foot, c, rect_make(bottom.y + bottom.h - 1, bottom.x, bottom.h > 0, bottom.w));
    struct rect mine = rect_take_bottom(&in, said && own > 1 && own >= in.h ? in.h - 1 : own);
    draw_refused(&refused, c, rect_take_bottom(&in, between));
    pane_draw(&d->body, c, in);
    if (is_menu(d))
        draw_menu(d, c, mine);
    else if (own)
        dialog_draw_line(d, c, mine);
    canvas_unclip(c, old);
    lines_fini(&refused);
    rich_fini(&foot);
}
