/* form_draw.c - draws the form. */
#include "ui/form/form_draw.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/utf8.h"
#include "ui/form/form_command.h"
#include "ui/info/job_script.h"

#define LABEL      13
#define FOOT_LINES 5  /* a rule, the syntax, three for hint and forecast */
#define FOOT_ROOM  13 /* more lines than this have room for all of them */
#define FOOT_FEW   7  /* with at most this many lines a hint replaces the syntax */
#define BOTH_COLS  72 /* fields and script stand side by side from here */
#define FIELDS_MAX 60

void form_draw_title(struct view *v, struct rich *out)
{
    const struct form_page *s = form_page_of(v);
    rich_add(out, ROLE_TITLE,
             s->f.kind == JOB_KIND_STEPS ? "Submit a job in steps" : "Submit a batch script");
    if (s->f.path)
        rich_addf(out, ROLE_DIM, "  %s", s->f.path);
    if (s->changed)
        rich_add(out, ROLE_DIM, "  changed");
}

static enum role hint_role(enum hint_kind k)
{
    return k == HINT_ERROR ? ROLE_ERROR : k == HINT_WARN ? ROLE_WARN : ROLE_GOOD;
}

static void form_draw_append_taken(struct str *out, char *take_text)
{
    str_append(out, take_text);
    free(take_text);
}

/* The value that applies if the text sets none. */
static void default_text(const struct form_page *s, const struct form_field *field, struct str *out)
{
    const struct model *m = ui_model(s->v.ui);
    const struct part_spec *p = model_default_part(m);
    char b[UNITS_TEXT_SIZE];
    if (str_eq(field->key, "partition") && p)
        str_append(out, p->name);
    else if (str_eq(field->key, "time") && p && p->default_time_s != DURATION_NOT_SET)
        str_append(out, duration_format(p->default_time_s, b));
    else if ((str_eq(field->key, "chdir") || (str_eq(field->key, "workdir") && !field->of_step)))
        str_append(out, s->f.dir ? s->f.dir : "");
    else if (str_eq(field->key, "cpus-per-task") || str_eq(field->key, "ntasks") ||
             str_eq(field->key, "nodes"))
        str_append(out, "1");
    else if (field->id == FORM_COMMAND && formcommand_lines(s->f.text.s) > 1)
        str_appendf(out, "%zu lines", formcommand_lines(s->f.text.s));
    else if (str_eq(field->key, "output") && s->f.kind != JOB_KIND_STEPS)
        str_append(out, "slurm-%j.out");
    else if (str_eq(field->key, "export"))
        str_append(out, "ALL");
    else if (str_eq(field->key, "job-name") || (str_eq(field->key, "name") && !field->of_step))
        form_draw_append_taken(out, form_default_name(&s->f));
    else if (field->kind == FIELD_SWITCH)
        str_append(out, "no");
}

static const char *more_text(const struct form_page *s)
{
    return s->f.kind == JOB_KIND_STEPS ? "order, nodes, files, account ..."
                                       : "array, order, tasks, files, account ...";
}

static void draw_more(const struct form_page *s, struct canvas *c, struct rect r, bool here)
{
    canvas_glyph(c, r.y, r.x, ROLE_LABEL, s->more ? GLYPH_OPEN : GLYPH_CLOSED);
    canvas_text(c, r.y, r.x + 2, here ? ROLE_STRONG : ROLE_TITLE, s->more ? "Less" : "More", LABEL - 1);
    canvas_text(c, r.y, r.x + 2 + LABEL, ROLE_DIM, s->more ? "the simple page" : more_text(s),
                r.w - 2 - LABEL);
    if (here)
        canvas_over(c, r, s->on_script ? ROLE_CURSOR_IDLE : ROLE_CURSOR);
}

static void draw_field(const struct form_page *s, struct canvas *c, struct rect r,
                       const struct form_row *row, bool here)
{
    const struct form_hint *h = form_page_hint_of(s, row);
    char *value = form_get(&s->f, row->field, row->step);
    if (h && h->kind != HINT_GOOD)
        canvas_text(c, r.y, r.x, hint_role(h->kind), h->kind == HINT_ERROR ? "!" : "~", 1);
    canvas_text(c, r.y, r.x + 2, here ? ROLE_STRONG : ROLE_LABEL, row->field->label, LABEL - 1);
    int x = r.x + 2 + LABEL, w = r.w - 2 - LABEL;
    if (here && !s->on_script && form_can_set(&s->f, row->field)) {
        edit_draw(&s->edit, c, r.y, x, w);
    } else if (value) {
        canvas_text(c, r.y, x, h && h->kind == HINT_ERROR ? ROLE_ERROR : ROLE_NORMAL, value, w);
    } else {
        struct str d = STR_INIT;
        default_text(s, row->field, &d);
        canvas_text(c, r.y, x, ROLE_DIM, d.s, w);
        str_fini(&d);
    }
    if (here && s->on_script)
        canvas_over(c, rect_make(r.y, r.x, 1, r.w), ROLE_CURSOR_IDLE);
    free(value);
}

static void draw_fields(struct form_page *s, struct canvas *c, struct rect r)
{
    s->fields_area = r;
    if (rect_is_empty(r))
        return;
    size_t first = s->row > 0 && !s->rows.v[s->row - 1].field ? s->row - 1 : s->row; /* with its title */
    if (s->top > first)
        s->top = first;
    if (s->row >= s->top + (size_t)r.h)
        s->top = s->row - (size_t)r.h + 1;
    if (s->top + (size_t)r.h > s->rows.n)
        s->top = s->rows.n > (size_t)r.h ? s->rows.n - (size_t)r.h : 0;
    for (int i = 0; i < r.h && s->top + (size_t)i < s->rows.n; i++) {
        const struct form_row *row = &s->rows.v[s->top + (size_t)i];
        struct rect line = rect_make(r.y + i, r.x + 1, 1, r.w - 3);
        if (row->field)
            draw_field(s, c, line, row, s->top + (size_t)i == s->row);
        else if (row->more)
            draw_more(s, c, line, s->top + (size_t)i == s->row);
        else if (row->step >= 0)
            canvas_printf(c, line.y, line.x, ROLE_TITLE, line.w, "%s %d", row->title, row->step);
        else
            canvas_text(c, line.y, line.x, ROLE_TITLE, row->title, line.w);
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)s->top, r.h, (long long)s->rows.n);
}

/* The suggestion, and the key that applies it. */
static void fix_text(const struct form_page *s, const struct form_hint *h, struct rich *out)
{
    struct str key = STR_INIT;
    char b[UNITS_TEXT_SIZE];
    const char *value = h ? h->fix : s->cheaper ? duration_format(s->cheaper_s, b) : NULL;
    if (!value)
        return;
    keymap_format(ui_keymap(s->v.ui), ACTION_FORM_FIX, true, &key);
    rich_addf(out, ROLE_KEY, "  %s", key.s);
    if (h && h->fix_field)
        rich_addf(out, ROLE_NORMAL, " %s:", h->fix_field->label);
    rich_addf(out, ROLE_NORMAL, " %s", value);
    str_fini(&key);
}

static void hint_text(const struct form_page *s, struct rich *out)
{
    const struct form_row *row = form_page_row(s);
    const struct form_hint *h = form_page_hint(s);
    if (h && h->field && h->field != row->field)
        rich_addf(out, ROLE_LABEL, "%s: ", h->field->label);
    if (h)
        rich_add(out, hint_role(h->kind), h->text);
    else if (s->cheaper)
        rich_add(out, ROLE_GOOD, s->cheaper);
}

/* Takes at most the lines of r; if they are too few, the text is cut but not the suggestion. Returns the
 * number of lines used. */
static int draw_hint(const struct form_page *s, struct canvas *c, struct rect r)
{
    struct lines all = {0}, flowed = {0};
    struct rich fix, *line = lines_add(&all);
    int used = 0;
    rich_init(&fix);
    hint_text(s, line);
    int text_w = line->text.len ? cell_width(line->text.s) : 0;
    fix_text(s, form_page_hint(s), &fix);
    fix_text(s, form_page_hint(s), line);
    lines_flow(&all, r.w, &flowed);
    if (text_w && (int)flowed.n <= r.h) {
        for (; used < (int)flowed.n; used++)
            rich_draw(&flowed.v[used], c, r.y + used, r.x, r.w);
    } else if (text_w && r.h > 0) {
        int room = r.w - cell_width(fix.text.s);
        rich_clear(line);
        hint_text(s, line);
        int x = rich_draw(line, c, r.y, r.x, room > 0 ? room : r.w);
        rich_draw(&fix, c, r.y, r.x + x, r.w - x);
        used = 1;
    }
    rich_fini(&fix);
    lines_fini(&all);
    lines_fini(&flowed);
    return used;
}

static void forecast_text(const struct form_page *s, struct rich *out)
{
    if (s->forecast && !form_page_has_errors(s)) {
        rich_add(out,
                 s->refused ? ROLE_ERROR
                 : s->now   ? ROLE_GOOD
                            : ROLE_WAITING,
                 form_page_forecast_begins(s));
        rich_add(out, ROLE_NORMAL, s->forecast);
    } else if (s->unasked) {
        rich_add(out, ROLE_WARN, "no connection to the controller: no forecast");
    } else if (s->asking || s->v.due.ns) {
        rich_add(out, ROLE_DIM, "asking when the job would start ...");
    }
}

/* The last line is cut if there are too few. */
static void draw_flowed(const struct lines *flowed, struct canvas *c, struct rect r)
{
    for (int i = 0; i < r.h && i < (int)flowed->n; i++)
        rich_draw(&flowed->v[i], c, r.y + i, r.x, r.w);
    if (r.h > 0 && (int)flowed->n > r.h)
        canvas_glyph(c, r.y + r.h - 1, r.x + cell_width(flowed->v[r.h - 1].text.s), ROLE_DIM, GLYPH_CUT);
}

/* The syntax of the field; its hint; when the job would start. */
static void form_draw_draw_foot(const struct form_page *s, struct canvas *c, struct rect r)
{
    const struct form_row *row = form_page_row(s);
    struct lines forecast = {0}, flowed = {0};
    if (rect_is_empty(r))
        return;
    canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    struct rect in = rect_make(r.y + 1, r.x + 2, r.h - 1, r.w - 3);
    struct rect help = rect_take_top(&in, r.h > FOOT_LINES - 2 || !form_page_hint(s) ? 1 : 0);
    if (help.h)
        canvas_text(c, help.y, help.x, ROLE_DIM,
                    row->field ? row->field->help
                    : s->more  ? "Enter hides the fields that are not set"
                               : "Enter shows all fields; those that are set are always shown",
                    help.w);
    forecast_text(s, lines_add(&forecast));
    lines_flow(&forecast, in.w - 1, &flowed);  /* a cell for the mark where it is cut */
    int kept = forecast.v[0].text.len ? 1 : 0; /* of the forecast's lines, whatever the hint needs */
    rect_take_top(&in, draw_hint(s, c, rect_make(in.y, in.x, in.h - kept, in.w)));
    draw_flowed(&flowed, c, in);
    lines_fini(&forecast);
    lines_fini(&flowed);
}

static void draw_script(struct form_page *s, struct canvas *c, struct rect r)
{
    s->script_area = r;
    textedit_draw(&s->script, c, rect_make(r.y, r.x + 1, r.h, r.w - 2), s->on_script, jobscript_role);
}

/* The fields are short, lines of scripts are long. */
static int fields_width(int cols)
{
    int half = cols / 2 - 1;
    return half < FIELDS_MAX ? half : FIELDS_MAX;
}

void form_draw_page(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct form_page *s = form_page_of(v);
    struct rect body = l->body, foot = {0};
    int lines = body.h > FOOT_ROOM ? FOOT_LINES : body.h > FOOT_FEW ? FOOT_LINES - 1 : FOOT_LINES - 2;
    if (body.h > lines + 2)
        foot = rect_take_bottom(&body, lines);
    s->fields_area = s->script_area = rect_make(0, 0, 0, 0);
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
    form_draw_draw_foot(s, c, foot);
}
