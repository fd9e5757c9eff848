/* submit.c - the form.
 *
 *      What                                         | #!/bin/bash
 *        name         train                         | #SBATCH --job-name=train
 *      How much                                     | #SBATCH --gpus=2
 *        GPUs         2                             |
 *      > memory       16G_                          | python train.py
 *      ---------------------------------------------|
 *      on each node: 16G, 4000M; 0 is all           |
 *      starts now on n07                            |
 */
#include "ui/view/submit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/jobspec/jobfileedit.h"
#include "ui/view/act.h"
#include "ui/view/words.h"
#include "ui/widget/textedit.h"

#define LABEL       14
#define ASK_MS      350 /* of quiet before the controller is asked */
#define FOOT_LINES  4
#define CHEAPER_MIN 3600 /* seconds: shorter limits are not worth shortening */

struct form_row {
    const struct form_field *field; /* NULL: a title */
    const char *title;
    int step;
};

struct submit {
    struct view v;
    struct form f;
    struct textedit script;
    struct edit edit; /* of the field under the cursor */
    VEC(struct form_row) rows;
    size_t row, top;
    bool on_script, changed;
    struct rect fields_area, script_area;
    struct form_hints hints;

    /* What the controller says. */
    bool asking, again, now, refused;
    char *forecast, *cheaper;
    uint32_t cheaper_s; /* the limit that was tried */
};

static struct submit *submit_of(struct view *v)
{
    return (struct submit *)(void *)v;
}

/* --- rows --- */

static void add_fields(struct submit *s, const struct form_field *fields, size_t n, int step)
{
    for (size_t i = 0; i < n; i++) {
        if (fields[i].section)
            vec_push(&s->rows, (struct form_row){.title = fields[i].section, .step = step});
        vec_push(&s->rows, (struct form_row){.field = &fields[i], .step = step});
    }
}

static void make_rows(struct submit *s)
{
    vec_clear(&s->rows);
    add_fields(s, s->f.fields, s->f.n_fields, -1);
    size_t steps = s->f.kind == JOB_KIND_STEPS ? jobfile_count_steps(s->f.text.s) : 0;
    for (size_t i = 0; i < steps; i++)
        add_fields(s, form_step_fields, form_n_step_fields, (int)i);
    if (s->row >= s->rows.n)
        s->row = s->rows.n - 1;
}

static const struct form_row *current(const struct submit *s)
{
    return &s->rows.v[s->row];
}

static void load_edit(struct submit *s)
{
    const struct form_row *r = current(s);
    char *value = r->field ? form_get(&s->f, r->field, r->step) : NULL;
    edit_set(&s->edit, value ? value : "");
    free(value);
}

static void go_to(struct submit *s, size_t row)
{
    s->row = row;
    load_edit(s);
}

static void go_by(struct submit *s, int by)
{
    size_t row = s->row;
    do {
        if ((by < 0 && row == 0) || (by > 0 && row + 1 >= s->rows.n))
            return;
        row = by < 0 ? row - 1 : row + 1;
    } while (!s->rows.v[row].field);
    go_to(s, row);
}

/* --- changes --- */

static void ask_soon(struct submit *s)
{
    s->v.due = mono_add_ms(ui_mono(s->v.ui), ASK_MS);
}

static void after_change(struct submit *s)
{
    s->changed = true;
    make_rows(s);
    form_check(&s->f, s->v.ui, &s->hints);
    ask_soon(s);
}

/* The form has another text: the script's side shows it. */
static void show_text(struct submit *s)
{
    textedit_replace(&s->script, s->f.text.s);
}

static void set_field(struct submit *s, const char *value)
{
    const struct form_row *r = current(s);
    if (!r->field)
        return;
    form_set(&s->f, r->field, r->step, value);
    show_text(s);
    after_change(s);
}

static void take_value(struct view *v, const char *value)
{
    set_field(submit_of(v), value);
    load_edit(submit_of(v));
    ui_changed(v->ui);
}

static void script_changed(struct submit *s)
{
    str_clear(&s->f.text);
    str_append(&s->f.text, s->script.text.s);
    after_change(s);
    load_edit(s);
}

/* --- what the controller says --- */

static void set_text(char **at, char *take_text)
{
    free(*at);
    *at = take_text;
}

static void send_test(struct submit *s);

static void cheaper_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct submit *s = submit_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    char b[UNITS_TEXT_SIZE];
    if (r && !r->refusal && r->count)
        set_text(&s->cheaper,
                 xasprintf("with --time=%s it could start now", duration_format(s->cheaper_s, b)));
    ui_changed(ui);
}

/* One more question: would it start now if it were shorter? */
static void ask_cheaper(struct submit *s)
{
    struct msg_submit m;
    struct errtext err = {""};
    if (form_message(&s->f, ui_now(s->v.ui), &m, &err) < 0)
        return;
    uint32_t limit = m.req.time_limit_s;
    const struct part_spec *p = m.req.partition ? model_get_part(ui_model(s->v.ui), m.req.partition)
                                                : model_default_part(ui_model(s->v.ui));
    if (limit == DURATION_NOT_SET && p)
        limit = p->default_time_s != DURATION_NOT_SET ? p->default_time_s : p->max_time_s;
    if (limit != DURATION_UNLIMITED && limit != DURATION_NOT_SET && limit >= CHEAPER_MIN) {
        s->cheaper_s = limit / 4 / 60 * 60;
        m.req.time_limit_s = s->cheaper_s;
        m.test_only = true;
        ui_send(s->v.ui, MSG_SUBMIT, &m, &s->v, cheaper_answered, 0);
    }
    rec_fini(&msg_submit_rec, &m);
}

static void test_answered(struct ui *ui, struct view *owner, uint64_t by_hand, const struct incoming *in)
{
    struct submit *s = submit_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    s->asking = false;
    set_text(&s->cheaper, NULL);
    s->refused = !r || r->refusal;
    s->now = r && !r->refusal && r->count;
    set_text(&s->forecast, r ? xstrdup(str_is_empty(r->text) ? "it can be run" : r->text) : NULL);
    if (by_hand && s->forecast)
        ui_toast(ui, s->refused ? ROLE_ERROR : ROLE_GOOD, "%s%s", s->refused ? "would be refused: " : "",
                 s->forecast);
    ui_changed(ui);
    if (s->again)
        send_test(s);
    else if (r && !s->refused && !s->now)
        ask_cheaper(s);
}

static bool has_errors(const struct submit *s)
{
    vec_for_each (&s->hints, i)
        if (s->hints.v[i].kind == HINT_ERROR)
            return true;
    return false;
}

static void ask_controller(struct submit *s, bool by_hand)
{
    struct msg_submit m;
    struct errtext err = {""};
    if (form_message(&s->f, ui_now(s->v.ui), &m, &err) < 0) {
        set_text(&s->forecast, NULL);
        if (by_hand)
            ui_toast(s->v.ui, ROLE_ERROR, "%s", err.s);
        return;
    }
    m.test_only = true;
    s->asking = ui_send(s->v.ui, MSG_SUBMIT, &m, &s->v, test_answered, by_hand);
    rec_fini(&msg_submit_rec, &m);
}

/* One question at a time: what is typed meanwhile is asked about when the answer has come. */
static void send_test(struct submit *s)
{
    s->again = s->asking;
    if (!s->asking)
        ask_controller(s, false);
}

static void submit_timer(struct view *v)
{
    send_test(submit_of(v));
}

static void sent(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct submit *s = submit_of(owner);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    if (!r) {
        ui_toast(ui, ROLE_ERROR,
                 "the connection was lost: look whether it was queued before you send it again");
    } else if (r->refusal) {
        act_show_refusal(ui, "submit", r);
    } else {
        ui_toast(ui, ROLE_GOOD, "job %u is queued", r->job);
        ui_close(ui, &s->v);
    }
}

static void go_to_error(struct submit *s)
{
    for (size_t k = 0; k < s->hints.n; k++)
        for (size_t i = 0; i < s->rows.n && s->hints.v[k].kind == HINT_ERROR; i++)
            if (s->rows.v[i].field && s->rows.v[i].field == s->hints.v[k].field) {
                go_to(s, i);
                return;
            }
}

static void send_it(struct submit *s)
{
    struct msg_submit m;
    struct errtext err = {""};
    if (ui_read_only(s->v.ui, true))
        return;
    form_check(&s->f, s->v.ui, &s->hints);
    if (form_message(&s->f, ui_now(s->v.ui), &m, &err) < 0) {
        go_to_error(s);
        ui_toast(s->v.ui, ROLE_ERROR, "%s", err.s);
        return;
    }
    ui_send(s->v.ui, MSG_SUBMIT, &m, &s->v, sent, 0);
    rec_fini(&msg_submit_rec, &m);
}

/* --- life --- */

static struct view *view_open(struct ui *ui, const void *arg)
{
    const struct form *f = arg;
    struct submit *s = xcalloc(1, sizeof *s);
    s->v = (struct view){.ops = &submit_view, .ui = ui};
    s->f = *f;
    textedit_init(&s->script);
    edit_init(&s->edit);
    textedit_set(&s->script, s->f.text.s);
    s->script.at = s->script.text.len;
    make_rows(s);
    form_check(&s->f, ui, &s->hints);
    go_by(s, 1);
    ask_soon(s);
    return &s->v;
}

static void view_close(struct view *v)
{
    struct submit *s = submit_of(v);
    form_fini(&s->f);
    form_hints_fini(&s->hints);
    textedit_fini(&s->script);
    edit_fini(&s->edit);
    vec_fini(&s->rows);
    free(s->forecast);
    free(s->cheaper);
    free(s);
}

static void view_sync(struct view *v)
{
    struct submit *s = submit_of(v);
    form_check(&s->f, v->ui, &s->hints);
    if (!v->due.ns && !s->asking && s->forecast && !s->refused)
        v->due = mono_add_ms(ui_mono(v->ui), 10 * ASK_MS); /* the queue moves: so does the forecast */
}

void submit_open(struct ui *ui, const char *path)
{
    struct form f;
    struct errtext err = {""};
    bool dos = false;
    form_init(&f, JOB_KIND_BATCH);
    f.dir = ui_cwd(ui) ? xstrdup(ui_cwd(ui)) : NULL;
    if (path && form_load(&f, path, &dos, &err) < 0) {
        ui_toast(ui, ROLE_ERROR, "%s", err.s);
        form_fini(&f);
        return;
    }
    if (dos)
        ui_toast(ui, ROLE_WARN, "its lines ended as in DOS; here they end as they must");
    ui_push(ui, &submit_view, &f);
}

/* --- drawing --- */

static void view_title(struct view *v, struct rich *out)
{
    const struct submit *s = submit_of(v);
    rich_add(out, ROLE_TITLE,
             s->f.kind == JOB_KIND_STEPS ? "Submit a job in steps" : "Submit a batch script");
    if (s->f.path)
        rich_addf(out, ROLE_DIM, "  %s", s->f.path);
    if (s->changed)
        rich_add(out, ROLE_DIM, "  changed");
}

static const struct form_hint *hint_of(const struct submit *s, const struct form_field *field)
{
    const struct form_hint *best = NULL;
    vec_for_each (&s->hints, i)
        if (s->hints.v[i].field == field && (!best || s->hints.v[i].kind < best->kind))
            best = &s->hints.v[i];
    return best;
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
    const struct form_hint *h = hint_of(s, row->field);
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

/* The hint that matters: of this field, else the first that stops it. */
static const struct form_hint *main_hint(const struct submit *s)
{
    const struct form_row *r = current(s);
    const struct form_hint *own = r->field ? hint_of(s, r->field) : NULL;
    if (own)
        return own;
    vec_for_each (&s->hints, i)
        if (s->hints.v[i].kind == HINT_ERROR)
            return &s->hints.v[i];
    return hint_of(s, NULL);
}

static void draw_foot(const struct submit *s, struct canvas *c, struct rect r)
{
    const struct form_row *row = current(s);
    const struct form_hint *h = main_hint(s);
    if (rect_is_empty(r))
        return;
    canvas_hline(c, r.y, r.x, r.w, ROLE_RULE);
    if (row->field && r.h > 1)
        canvas_text(c, r.y + 1, r.x + 2, ROLE_DIM, row->field->help, r.w - 3);
    if (h && r.h > 2) {
        struct rich line;
        rich_init(&line);
        if (h->field && h->field != row->field)
            rich_addf(&line, ROLE_LABEL, "%s: ", h->field->label);
        rich_add(&line, hint_role(h->kind), h->text);
        rich_draw(&line, c, r.y + 2, r.x + 2, r.w - 3);
        rich_fini(&line);
    } else if (s->cheaper && r.h > 2)
        canvas_text(c, r.y + 2, r.x + 2, ROLE_GOOD, s->cheaper, r.w - 3);
    if (r.h < 4)
        return;
    struct rich f;
    rich_init(&f);
    if (s->forecast && !has_errors(s)) {
        rich_add(&f,
                 s->refused ? ROLE_ERROR
                 : s->now   ? ROLE_GOOD
                            : ROLE_WAITING,
                 s->refused ? "refused: "
                 : s->now   ? "starts now: "
                            : "waits: ");
        const char *how =
            s->now ? strstr(s->forecast, "using ") : NULL; /* that it is now is said already */
        rich_add(&f, ROLE_NORMAL, how ? how : s->forecast);
    } else if (s->asking || s->v.due.ns) {
        rich_add(&f, ROLE_DIM, "asking when it would start ...");
    }
    rich_draw(&f, c, r.y + 3, r.x + 2, r.w - 3);
    rich_fini(&f);
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

static void view_draw(struct view *v, struct canvas *c, const struct layout *l)
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

/* --- keys --- */

static void cycle(struct submit *s)
{
    const struct form_field *field = current(s)->field;
    if (field->kind == FIELD_SWITCH) {
        set_field(s, s->edit.text.len ? "" : "yes");
    } else {
        struct strv words = strv_split(field->choices, " ");
        size_t i = 0;
        while (i < words.n && !str_eq(words.v[i], s->edit.text.s))
            i++;
        set_field(s, i == words.n ? words.v[0] : i + 1 < words.n ? words.v[i + 1] : "");
        strv_fini(&words);
    }
    load_edit(s);
}

static unsigned field_key(struct submit *s, const struct input *in)
{
    const struct form_field *field = current(s)->field;
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (key == KEYNAME_UP || key == CTRL_KEY('p'))
        go_by(s, -1);
    else if (key == KEYNAME_DOWN || key == KEYNAME_ENTER || key == CTRL_KEY('n'))
        go_by(s, 1);
    else if (key == KEYNAME_PGUP || key == KEYNAME_PGDN)
        for (int i = 0; i < 10; i++)
            go_by(s, key == KEYNAME_PGUP ? -1 : 1);
    else if (field && (field->kind == FIELD_SWITCH || field->kind == FIELD_CHOICE)) {
        if (key == ' ')
            cycle(s);
        else if (!key_is_text(key) && in->kind != INPUT_PASTE)
            return 0;
    } else if (key == CTRL_KEY('s') || !field)
        return 0;
    else if (edit_input(&s->edit, in))
        set_field(s, s->edit.text.s);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static unsigned mouse_at(struct submit *s, const struct input *in)
{
    bool changed;
    if (rect_has(s->script_area, in->y, in->x)) {
        s->on_script = true;
        textedit_input(&s->script, in, &changed);
        return DID_HANDLE | DID_REDRAW;
    }
    if (!rect_has(s->fields_area, in->y, in->x))
        return 0;
    s->on_script = false;
    size_t row = s->top + (size_t)(in->y - s->fields_area.y);
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN)
        go_by(s, in->what == MOUSE_WHEEL_UP ? -1 : 1);
    else if (row < s->rows.n && s->rows.v[row].field)
        go_to(s, row);
    return DID_HANDLE | DID_REDRAW;
}

static unsigned view_input(struct view *v, const struct input *in)
{
    struct submit *s = submit_of(v);
    bool changed = false;
    if (in->kind == INPUT_MOUSE)
        return mouse_at(s, in);
    if (in->kind == INPUT_KEY &&
        (in->key == CTRL_KEY('s') || in->key == CTRL_KEY('l') || in->key == CTRL_KEY('z')))
        return 0;
    if (!s->on_script)
        return field_key(s, in);
    if (in->kind == INPUT_KEY && in->key == KEYNAME_TAB)
        return 0;
    if (!textedit_input(&s->script, in, &changed))
        return 0;
    if (changed)
        script_changed(s);
    return DID_HANDLE | DID_REDRAW;
}

static void left(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    if (outcome == DIALOG_YES)
        ui_close(ui, arg);
}

static unsigned leave(struct submit *s)
{
    if (!s->changed)
        return DID_HANDLE | DID_LEAVE;
    struct dialog *d = dialog_new(DIALOG_CONFIRM, "leave the form");
    d->verb = xstrdup("leave it");
    lines_addf(&d->body.lines, ROLE_NORMAL, "It has not been submitted. What was typed is lost.");
    ui_take_dialog(s->v.ui, d, left, &s->v, NULL);
    return DID_HANDLE | DID_REDRAW;
}

static void begin_anew(struct submit *s)
{
    s->row = s->top = 0;
    make_rows(s);
    show_text(s);
    go_by(s, 1);
    after_change(s);
    s->changed = false;
}

static void load_path(struct view *v, const char *path)
{
    struct submit *s = submit_of(v);
    struct errtext err = {""};
    bool dos = false;
    if (form_load(&s->f, path, &dos, &err) < 0)
        ui_toast(v->ui, ROLE_ERROR, "%s", err.s);
    else
        begin_anew(s);
    if (dos)
        ui_toast(v->ui, ROLE_WARN, "its lines ended as in DOS; here they end as they must");
    ui_changed(v->ui);
}

static void change_kind(struct submit *s)
{
    if (s->changed) {
        ui_toast(s->v.ui, ROLE_WARN, "that would begin anew: leave the form first, then s and F6");
        return;
    }
    form_begin(&s->f, s->f.kind == JOB_KIND_STEPS ? JOB_KIND_BATCH : JOB_KIND_STEPS);
    begin_anew(s);
}

static void change_steps(struct submit *s, bool add)
{
    int step = current(s)->step;
    if (s->f.kind != JOB_KIND_STEPS) {
        ui_toast(s->v.ui, ROLE_WARN, "only a job in steps has steps: F6");
        return;
    }
    if (add) {
        char *name = xasprintf("step%zu", jobfile_count_steps(s->f.text.s));
        jobfile_add_step(&s->f.text, name, "");
        free(name);
    } else if (step >= 0 && jobfile_count_steps(s->f.text.s) > 1) {
        jobfile_remove_step(&s->f.text, step);
    }
    show_text(s);
    after_change(s);
    for (size_t i = s->rows.n; add && i-- > 0;)
        if (s->rows.v[i].field && str_eq(s->rows.v[i].field->key, "command")) {
            s->row = i;
            break;
        }
    if (!current(s)->field)
        go_by(s, 1);
    load_edit(s);
}

static unsigned view_act(struct view *v, enum action a, const struct input *in)
{
    struct submit *s = submit_of(v);
    (void)in;
    if (a == ACTION_CLOSE || a == ACTION_BACK)
        return leave(s);
    if (a == ACTION_FORM_SEND)
        send_it(s);
    else if (a == ACTION_FORM_TRY)
        ask_controller(s, true);
    else if (a == ACTION_FORM_PANEL)
        s->on_script = !s->on_script;
    else if (a == ACTION_FORM_KIND)
        change_kind(s);
    else if (a == ACTION_FORM_ADD || a == ACTION_FORM_DROP)
        change_steps(s, a == ACTION_FORM_ADD);
    else if (a == ACTION_FORM_PICK && current(s)->field && !s->on_script)
        submit_pick(v, current(s)->field, s->edit.text.s, take_value);
    else if (a == ACTION_FORM_OPEN)
        submit_open_menu(v, load_path);
    else if (a == ACTION_FORM_SAVE)
        submit_save_template(v, &s->f);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope scopes[] = {SCOPE_FORM};

const struct view_ops submit_view = {
    .name = "submit",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .types = true,
    .open = view_open,
    .close = view_close,
    .sync = view_sync,
    .title = view_title,
    .draw = view_draw,
    .input = view_input,
    .act = view_act,
    .timer = submit_timer,
};
