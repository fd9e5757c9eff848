/* form_draw.c - draws the form. */
#include "ui/form/form_draw.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/form/form_default.h"
#include "ui/form/form_edit.h"
#include "ui/form/form_lines.h"
#include "ui/form/form_pick.h"
#include "ui/form/form_strip.h"
#include "ui/info/job_script.h"
#include "ui/state/request_line.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"

#define LABEL       12
#define BOTH_COLS   72 /* fields and script stand side by side from here */
#define FIELDS_MOST 64 /* cells of the fields' side; of wide terminals two fifths */
#define HINT_INDENT 4  /* cells, where the boxes are too narrow for what is said below them */
#define HINT_WIDE   40 /* cells of a box that takes it */

#define STRIP_COLS 100 /* the forecast stands beside the plan from here, else above it */
#define STRIP_TEXT 40
#define NOTE_FROM  26 /* cells of a box that has room for a note */

void form_draw_title(struct view *v, struct rich *out)
{
    const struct form_page *s = form_page_of(v);
    if (s->f.edit) {
        rich_addf(out, ROLE_TITLE, tr("Change job %s"), s->f.edit->label);
        if (!s->f.edit->waits)
            rich_add(out, ROLE_DIM, tr("  it runs: most of its request is settled"));
        return;
    }
    rich_add(out, ROLE_TITLE,
             s->f.kind == JOB_KIND_STEPS ? tr("Submit a job in steps") : tr("Submit a batch script"));
    if (s->f.path)
        rich_addf(out, ROLE_DIM, "  %s", s->f.path);
    if (s->changed)
        rich_add(out, ROLE_DIM, tr("  changed"));
}

/* --- the fields --- */

static const char *more_text(const struct form_page *s)
{
    if (s->f.edit)
        return s->f.edit->waits ? tr("order, nodes, account, comment ...") : tr("lost node, comment ...");
    return s->f.kind == JOB_KIND_STEPS ? tr("order, nodes, files, account ...")
                                       : tr("array, tasks, files ...");
}

static void draw_more(const struct form_page *s, struct canvas *c, struct rect r, bool here)
{
    canvas_glyph(c, r.y, r.x, ROLE_LABEL, s->more ? GLYPH_OPEN : GLYPH_CLOSED);
    canvas_text(c, r.y, r.x + 2, here ? ROLE_STRONG : ROLE_LABEL, s->more ? tr("Less") : tr("More"),
                LABEL - 1);
    canvas_text(c, r.y, r.x + 2 + LABEL, ROLE_DIM, s->more ? tr("the simple page") : more_text(s),
                r.w - 2 - LABEL);
    if (here)
        canvas_over(c, r, s->on_script ? ROLE_CURSOR_IDLE : ROLE_CURSOR);
}

/* The default stands beside the cursor with its name, so that it is not taken for what was typed. */
static void draw_default(const struct form_page *s, struct canvas *c, struct rect in,
                         const struct form_field *field, bool typing)
{
    const char *label = tr("default: ");
    struct str d = STR_INIT;
    form_default_text(s, field, &d);
    rect_take_left(&in, typing ? 2 : 0);
    if (typing && d.len && field->id != FORM_COMMAND && cell_width(d.s) + cell_width(label) + 1 <= in.w)
        rect_take_left(&in, canvas_text(c, in.y, in.x, ROLE_DIM, label, in.w));
    if (d.len)
        canvas_text(c, in.y, in.x, ROLE_DIM, d.s, in.w);
    str_fini(&d);
}

/* The value in its box, with a mark at its end if there is a list to choose from. */
static void draw_box(const struct form_page *s, struct canvas *c, struct rect box,
                     const struct form_row *row, bool here, enum role role)
{
    bool typing = here && !s->on_script && form_can_set(&s->f, row->field);
    bool list = form_pick_has_list(row->field) && box.w > 8;
    char *value = form_get(&s->f, row->field, row->step);
    struct rect in = rect_make(box.y, box.x + 1, 1, box.w - (list ? 4 : 2));
    struct str note = STR_INIT;
    if (typing)
        edit_draw(&s->edit, c, in.y, in.x, in.w);
    if (typing ? !s->edit.text.len : !value)
        draw_default(s, c, in, row->field, typing);
    else if (!typing)
        canvas_text(c, in.y, in.x, role, value, in.w);
    if (value && box.w >= NOTE_FROM)
        form_default_note(s, row->field, &note);
    if (note.len && cell_width(value) + cell_width(note.s) + 2 < in.w)
        canvas_text(c, in.y, in.x + in.w - cell_width(note.s), *note.s == '0' ? ROLE_LABEL : ROLE_GOOD,
                    note.s, in.w);
    if (list)
        canvas_glyph(c, box.y, box.x + box.w - 2, ROLE_LABEL, GLYPH_OPEN);
    canvas_over(c, box, here && !s->on_script ? ROLE_INPUT : here ? ROLE_CURSOR_IDLE : ROLE_FIELD);
    str_fini(&note);
    free(value);
}

static void draw_field(const struct form_page *s, struct canvas *c, struct rect r,
                       const struct form_row *row, bool here)
{
    const struct form_hint *h = form_page_hint_of(s, row);
    bool wrong = h && h->kind == HINT_ERROR;
    if (s->f.edit && formedit_is_changed(s->f.edit, row->field))
        canvas_glyph(c, r.y, r.x, ROLE_MARK, GLYPH_MARK);
    if (h && h->kind != HINT_GOOD)
        canvas_text(c, r.y, r.x, wrong ? ROLE_ERROR : ROLE_WARN, wrong ? "!" : "~", 1);
    canvas_text(c, r.y, r.x + 2, here ? ROLE_KEY : ROLE_LABEL, tr(row->field->label), LABEL - 1);
    rect_take_left(&r, 2 + LABEL);
    draw_box(s, c, r, row, here, wrong ? ROLE_ERROR : ROLE_NORMAL);
}

static void form_draw_row(const struct form_page *s, struct canvas *c, struct rect r, size_t i)
{
    const struct form_row *row = &s->rows.v[i];
    if (row->field)
        draw_field(s, c, r, row, i == s->row);
    else if (row->more)
        draw_more(s, c, r, i == s->row);
    else if (row->step >= 0)
        canvas_printf(c, r.y, r.x, ROLE_TITLE, r.w, "%s %d", tr(row->title), row->step);
    else
        canvas_text(c, r.y, r.x, ROLE_TITLE, tr(row->title), r.w);
}

static void draw_fields(struct form_page *s, struct canvas *c, struct rect r)
{
    s->fields_area = r;
    if (rect_is_empty(r))
        return;
    int line_w = r.w - 2, box_w = line_w - 2 - LABEL;
    int indent = box_w >= HINT_WIDE ? 2 + LABEL + 1 : HINT_INDENT;
    form_lines_make(s, r.h, line_w - indent);
    for (int i = 0; i < r.h && s->top + (size_t)i < s->lines.n; i++) {
        const struct form_line *line = &s->lines.v[s->top + (size_t)i];
        struct rect at = rect_make(r.y + i, r.x + 1, 1, line_w);
        if (line->kind == LINE_ROW)
            form_draw_row(s, c, at, line->row);
        else
            rich_draw(&line->text, c, at.y, at.x + indent, at.w - indent);
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)s->top, r.h, (long long)s->lines.n);
}

/* --- the foot: syntax, plan, buttons --- */

/* What is wrong with the whole text rather than with a field; NULL: nothing. */
static const struct form_hint *hint_of_whole(const struct form_page *s)
{
    static const struct form_row whole = {.step = -1};
    return form_page_hint_of(s, &whole);
}

/* Below the fields of a job in the queue. */
static void edit_text_of(const struct form_page *s, struct rich *out)
{
    size_t n = formedit_n_changed(s->f.edit);
    if (s->refused && s->forecast)
        rich_addf(out, ROLE_ERROR, tr("! refused: %s"), s->forecast);
    else if (form_page_error(s))
        rich_addf(out, ROLE_ERROR, tr("! would be refused: %s"), form_page_error(s)->text);
    else if (s->asking)
        rich_add(out, ROLE_DIM, tr("Waiting for the controller ..."));
    else if (!n)
        rich_add(out, ROLE_DIM, tr("nothing is changed yet"));
    else
        rich_addf(out, ROLE_NORMAL, trn("%zu field is changed", "%zu fields are changed", n), n);
}

/* When a job in the queue starts: by the plan with the changes, or by the present one. */
static void edit_start_of(const struct form_page *s, struct lines *l)
{
    bool changed;
    struct wall start = formstrip_start(s->strip, &changed);
    if (!wall_is_set(start))
        return;
    struct rich *r = lines_add(l);
    if (changed && start.ms <= ui_now(s->v.ui).ms) {
        rich_add(r, ROLE_RUNNING, tr("with these changes, it starts now"));
        return;
    }
    rich_add(r, ROLE_WAITING,
             changed ? tr("with these changes, it starts ") : tr("as planned now, it starts "));
    when_about(&r->text, start, ui_now(s->v.ui));
    rich_role(r, ROLE_WAITING);
}

static void forecast_text(const struct form_page *s, struct rich *out)
{
    if (s->f.edit) {
        edit_text_of(s, out);
        return;
    }
    struct str place = STR_INIT;
    const struct form_hint *whole = hint_of_whole(s);
    formstrip_place(s->strip, &place);
    if (whole) {
        rich_addf(out, whole->kind == HINT_ERROR ? ROLE_ERROR : ROLE_WARN, "! %s", whole->text);
    } else if (form_page_error(s)) {
        rich_addf(out, ROLE_ERROR, tr("! would be refused: %s"), form_page_error(s)->text);
    } else if (s->forecast && s->now) {
        rich_addf(out, ROLE_RUNNING, "%s%s", SIGN_RUNNING, tr(" starts now"));
        rich_addf(out, ROLE_NORMAL, "  %s%s", place.len ? tr("on ") : "",
                  place.len ? place.s : s->forecast);
    } else if (s->forecast) {
        rich_addf(out, s->refused ? ROLE_ERROR : ROLE_WAITING, "%s %s", s->refused ? "!" : SIGN_WAITING,
                  form_page_forecast_begins(s));
        rich_add(out, ROLE_NORMAL, s->forecast);
    } else if (s->unasked) {
        rich_add(out, ROLE_WARN, tr("no connection to the controller: no forecast"));
    } else if (s->asking || s->v.due.ns) {
        rich_add(out, ROLE_DIM, tr("asking when the job would start ..."));
    }
    str_fini(&place);
}

/* The last line is cut if there are too few. Returns the lines used. */
static int draw_flowed(const struct lines *l, struct canvas *c, struct rect r)
{
    struct lines flowed = {0};
    lines_flow(l, r.w - 1, &flowed);
    int n = (int)flowed.n < r.h ? (int)flowed.n : r.h;
    for (int i = 0; i < n; i++)
        rich_draw(&flowed.v[i], c, r.y + i, r.x, r.w);
    if (r.h > 0 && (int)flowed.n > r.h)
        canvas_glyph(c, r.y + r.h - 1, r.x + cell_width(flowed.v[r.h - 1].text.s), ROLE_DIM, GLYPH_CUT);
    lines_fini(&flowed);
    return n;
}

/* What the strip does while the user types; NULL: nothing yet. Not every controller plans with the changes
 * of a job. */
static const char *strip_hint(const struct form_page *s)
{
    bool changed = true;
    if (s->f.edit)
        formstrip_start(s->strip, &changed);
    if (changed)
        return tr("the plan moves while you type");
    return formedit_n_changed(s->f.edit) ? tr("its bar follows the limit") : NULL;
}

static void draw_strip(struct form_page *s, struct canvas *c, struct rect r)
{
    struct lines forecast = {0};
    bool plan =
        formstrip_is_there(s->strip) && (s->forecast || s->f.edit) && !form_page_error(s) && r.h > 2;
    forecast_text(s, lines_add(&forecast));
    if (s->f.edit && plan)
        edit_start_of(s, &forecast);
    if (plan && r.w >= STRIP_COLS) {
        struct rect text = rect_take_left(&r, STRIP_TEXT);
        text.w -= 2;
        int used = draw_flowed(&forecast, c, text);
        const char *hint = strip_hint(s);
        if (hint && used + 1 < text.h)
            canvas_text(c, text.y + text.h - 1, text.x, ROLE_DIM, hint, text.w);
        formstrip_draw(s->strip, c, r);
    } else if (plan) {
        draw_flowed(&forecast, c, rect_take_top(&r, 1));
        formstrip_draw(s->strip, c, r);
    } else {
        draw_flowed(&forecast, c, r);
    }
    lines_fini(&forecast);
}

static void draw_buttons(struct form_page *s, struct canvas *c, struct rect r)
{
    static const struct {
        enum action action;
        const char *label, *shorter;
    } buttons[FORM_BUTTONS] = {{ACTION_FORM_SEND, N_("Submit"), N_("Submit")},
                               {ACTION_FORM_TRY, N_("Try"), N_("Try")},
                               {ACTION_FORM_SAVE, N_("Save as template"), N_("Save")}};
    bool wide = r.w >= 56;
    for (size_t i = ui_why_read_only(s->v.ui) ? 1 : 0; i < FORM_BUTTONS; i++) {
        struct str text = STR_INIT;
        const char *label = wide ? buttons[i].label : buttons[i].shorter;
        if (s->f.edit && i)
            break;
        str_appendf(&text, " %s  ", s->f.edit ? tr("Change") : tr(label));
        keymap_format(ui_keymap(s->v.ui), buttons[i].action, true, &text);
        str_append_char(&text, ' ');
        int w = canvas_text(c, r.y, r.x, i ? ROLE_BUTTON : ROLE_BUTTON_MAIN, text.s, r.w);
        s->buttons[i] = (struct form_button){.at = rect_make(r.y, r.x, 1, w), .action = buttons[i].action};
        rect_take_left(&r, w + 2);
        str_fini(&text);
    }
}

/* The syntax of the field under the cursor. */
static void draw_help(const struct form_page *s, struct canvas *c, struct rect r)
{
    const struct form_row *row = form_page_row(s);
    canvas_text(c, r.y, r.x, ROLE_DIM,
                row->field ? tr(row->field->help)
                : s->more  ? tr("Enter hides the fields that are not set")
                           : tr("Enter shows all fields; those that are set are always shown"),
                r.w);
}

struct form_foot { /* lines of its parts; above: before the fields */
    int above, rule, help, strip, space, buttons;
};

static struct form_foot foot_of(int height)
{
    if (height >= 34)
        return (struct form_foot){.above = 1, .rule = 1, .help = 1, .strip = 9, .space = 1, .buttons = 1};
    if (height >= 30)
        return (struct form_foot){.above = 1, .rule = 1, .help = 1, .strip = 6, .space = 0, .buttons = 1};
    if (height >= 24)
        return (struct form_foot){.rule = 1, .help = 1, .strip = 4, .space = 0, .buttons = 1};
    if (height >= 18)
        return (struct form_foot){.rule = 1, .help = 1, .strip = 3, .space = 0, .buttons = 1};
    if (height >= 12)
        return (struct form_foot){.rule = 1, .help = 1, .strip = 1, .space = 0, .buttons = 1};
    return (struct form_foot){.rule = height > 7, .help = 0, .strip = height > 4, .space = 0, .buttons = 0};
}

static void draw_foot(struct form_page *s, struct canvas *c, struct rect r, const struct form_foot *foot)
{
    if (rect_is_empty(r))
        return;
    if (foot->rule)
        canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    rect_take_top(&r, foot->rule);
    r = rect_make(r.y, r.x + 2, r.h, r.w - 3);
    if (foot->help)
        draw_help(s, c, rect_take_top(&r, 1));
    struct rect buttons = rect_take_bottom(&r, foot->buttons);
    if (foot->buttons)
        draw_buttons(s, c, buttons);
    rect_take_bottom(&r, foot->space);
    draw_strip(s, c, r);
}

/* --- the whole --- */

/* What F10 sends, in place of a script. */
static void draw_changes(const struct form_page *s, struct canvas *c, struct rect r)
{
    struct lines all = {0}, flowed = {0};
    struct msg_update m = {.target = s->f.edit->target};
    formedit_changes(s->f.edit, &m.changes);
    lines_addf(&all, ROLE_TITLE, tr("Changes"));
    for (size_t i = 0; i < s->f.n_fields; i++) {
        const struct form_field *field = &s->f.fields[i];
        const char *old = formedit_old(s->f.edit, field), *now = formedit_value(s->f.edit, field);
        if (!formedit_is_changed(s->f.edit, field))
            continue;
        struct rich *line = lines_pair(&all, tr(field->label), LABEL);
        rich_add(line, ROLE_STRONG, *now ? now : tr("none"));
        rich_addf(line, ROLE_DIM, tr("  was %s"), *old ? old : tr("not set"));
    }
    if (m.changes.n) {
        lines_add(&all);
        struct rich *line = lines_add(&all);
        request_line(MSG_UPDATE, &m, s->f.edit->admin, &line->text);
        rich_role(line, ROLE_DIM);
    } else {
        lines_addf(&all, ROLE_DIM, tr("none yet"));
    }
    lines_flow(&all, r.w - 2, &flowed);
    for (int i = 0; i < r.h && i < (int)flowed.n; i++)
        rich_draw(&flowed.v[i], c, r.y + i, r.x + 1, r.w - 2);
    lines_fini(&all);
    lines_fini(&flowed);
    rec_fini(&msg_update_rec, &m);
}

static void draw_script(struct form_page *s, struct canvas *c, struct rect r)
{
    if (s->f.edit) {
        draw_changes(s, c, r);
        return;
    }
    s->script_area = r;
    textedit_draw(&s->script, c, rect_make(r.y, r.x + 1, r.h, r.w - 2), s->on_script, jobscript_role);
}

/* The fields are short, lines of scripts are long. */
static int fields_width(int cols)
{
    int half = cols / 2 - 1, most = cols * 2 / 5 > FIELDS_MOST ? cols * 2 / 5 : FIELDS_MOST;
    return half < most ? half : most;
}

void form_draw_page(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct form_page *s = form_page_of(v);
    struct rect body = l->body;
    struct form_foot foot = foot_of(body.h);
    struct rect bottom =
        rect_take_bottom(&body, foot.rule + foot.help + foot.strip + foot.space + foot.buttons);
    rect_take_top(&body, foot.above);
    s->fields_area = s->script_area = rect_make(0, 0, 0, 0);
    memset(s->buttons, 0, sizeof s->buttons);
    if (body.w >= BOTH_COLS) {
        struct rect fields = rect_take_left(&body, fields_width(body.w));
        struct rect rule = rect_take_left(&body, 2);
        canvas_vline(c, rule.y, rule.x + 1, rule.h, ROLE_RULE);
        draw_fields(s, c, fields);
        draw_script(s, c, body);
    } else if (s->on_script) {
        draw_script(s, c, body);
    } else {
        draw_fields(s, c, body);
    }
    draw_foot(s, c, bottom, &foot);
}
