/* submit_draw.c - what is seen of the form. */
#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/utf8.h"
#include "ui/view/submit_private.h"

#define LABEL      14
#define FOOT_LINES 4

void submit_title(struct view *v, struct rich *out)
{
    const struct submit *s = submit_of(v);
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

/* What counts where nothing is said. */
static void default_text(const struct submit *s, const struct form_field *field, struct str *out)
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
    else if (str_eq(field->key, "output") && s->f.kind != JOB_KIND_STEPS)
        str_append(out, "slurm-%j.out");
    else if (str_eq(field->key, "export"))
        str_append(out, "ALL");
    else if (str_eq(field->key, "job-name") && s->f.path)
        str_append(out, strrchr(s->f.path, '/') ? strrchr(s->f.path, '/') + 1 : s->f.path);
    else if (field->kind == FIELD_SWITCH)
        str_append(out, "no");
}

static void draw_field(const struct submit *s, struct canvas *c, struct rect r, const struct form_row *row,
                       bool here)
{
    const struct form_hint *h = submit_hint_of(s, row);
    char *value = form_get(&s->f, row->field, row->step);
    if (h && h->kind != HINT_GOOD)
        canvas_text(c, r.y, r.x, hint_role(h->kind), h->kind == HINT_ERROR ? "!" : "~", 1);
    canvas_text(c, r.y, r.x + 2, here ? ROLE_STRONG : ROLE_LABEL, row->field->label, LABEL - 1);
    int x = r.x + 2 + LABEL, w = r.w - 2 - LABEL;
    if (here && !s->on_script) {
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

static void draw_fields(struct submit *s, struct canvas *c, struct rect r)
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
        else if (row->step >= 0)
            canvas_printf(c, line.y, line.x, ROLE_TITLE, line.w, "%s %d", row->title, row->step);
        else
            canvas_text(c, line.y, line.x, ROLE_TITLE, row->title, line.w);
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)s->top, r.h, (long long)s->rows.n);
}

/* What would mend it, and the key that does. */
static void fix_text(const struct submit *s, const struct form_hint *h, struct rich *out)
{
    struct str key = STR_INIT;
    char b[UNITS_TEXT_SIZE];
    const char *value = h ? h->fix : s->cheaper ? duration_format(s->cheaper_s, b) : NULL;
    if (!value)
        return;
    keymap_format(ui_keymap(s->v.ui), ACTION_FORM_FIX, true, &key);
    rich_addf(out, ROLE_KEY, "  %s", key.s);
    rich_addf(out, ROLE_NORMAL, " %s", value);
    str_fini(&key);
}

static void draw_hint(const struct submit *s, struct canvas *c, int y, int x, int w)
{
    const struct form_row *row = submit_row(s);
    const struct form_hint *h = submit_hint(s);
    struct rich line, fix;
    rich_init(&line);
    rich_init(&fix);
    if (h && h->field && h->field != row->field)
        rich_addf(&line, ROLE_LABEL, "%s: ", h->field->label);
    if (h)
        rich_add(&line, hint_role(h->kind), h->text);
    else if (s->cheaper)
        rich_add(&line, ROLE_GOOD, s->cheaper);
    fix_text(s, h, &fix);
    int room = w - cell_width(fix.text.s); /* of the two the hint can be cut */
    int used = rich_draw(&line, c, y, x, room > 0 ? room : w);
    rich_draw(&fix, c, y, x + used, w - used);
    rich_fini(&line);
    rich_fini(&fix);
}

const char *submit_forecast_begins(const struct submit *s)
{
    if (s->refused)
        return "refused: ";
    if (s->now)
        return "starts now: ";
    return str_starts(s->forecast, "waits") ? "" /* it says so itself */ : "waits: ";
}

static void draw_forecast(const struct submit *s, struct canvas *c, int y, int x, int w)
{
    struct rich f;
    rich_init(&f);
    if (s->forecast && !submit_has_errors(s)) {
        rich_add(&f,
                 s->refused ? ROLE_ERROR
                 : s->now   ? ROLE_GOOD
                            : ROLE_WAITING,
                 submit_forecast_begins(s));
        rich_add(&f, ROLE_NORMAL, s->forecast);
    } else if (s->asking || s->v.due.ns) {
        rich_add(&f, ROLE_DIM, "asking when it would start ...");
    }
    rich_draw(&f, c, y, x, w);
    rich_fini(&f);
}

static void draw_foot(const struct submit *s, struct canvas *c, struct rect r)
{
    const struct form_row *row = submit_row(s);
    if (rect_is_empty(r))
        return;
    canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    if (row->field && r.h > 1)
        canvas_text(c, r.y + 1, r.x + 2, ROLE_DIM, row->field->help, r.w - 3);
    if (r.h > 2)
        draw_hint(s, c, r.y + 2, r.x + 2, r.w - 3);
    if (r.h > 3)
        draw_forecast(s, c, r.y + 3, r.x + 2, r.w - 3);
}

static enum role script_role(const char *line, size_t n)
{
    if (n >= 7 && strncmp(line, "#SBATCH", 7) == 0)
        return ROLE_LINK;
    return n && (line[0] == '#' || (n > 1 && line[0] == '/' && line[1] == '/')) ? ROLE_DIM : ROLE_NORMAL;
}

static void draw_script(struct submit *s, struct canvas *c, struct rect r)
{
    s->script_area = r;
    textedit_draw(&s->script, c, rect_make(r.y, r.x + 1, r.h, r.w - 2), s->on_script, script_role);
}

void submit_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct submit *s = submit_of(v);
    struct rect body = l->body, foot = {0};
    bool side = !rect_is_empty(l->side);
    if (body.h > FOOT_LINES + 3)
        foot = rect_take_bottom(&body, FOOT_LINES);
    s->fields_area = s->script_area = rect_make(0, 0, 0, 0);
    if (side)
        draw_script(s, c, l->side);
    if (!side && s->on_script)
        draw_script(s, c, body);
    else
        draw_fields(s, c, body);
    draw_foot(s, c, foot);
}
