/* form_view.c - the form.
 *
 *        command       [python train.py      ] | #!/bin/bash
 *        GPUs          [2                   v] | #SBATCH --job-name=train
 *        memory        [999G                 ] | #SBATCH --gpus=2
 *          999G requested, nodes have 64G      | #SBATCH --mem=999G
 *        name          [train                ] |
 *      > More          array, order, tasks ... | python train.py
 *      ----------------------------------------------------------
 *      starts now        14:20    15:00   16:00
 *                 gpu01  this job, until 17:20
 *      [Submit F10]  [Try F9]  [Save as template F2]
 */
#include "ui/form/form_view.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/form/form_ask.h"
#include "ui/form/form_change.h"
#include "ui/form/form_command.h"
#include "ui/form/form_default.h"
#include "ui/form/form_draw.h"
#include "ui/form/form_edit.h"
#include "ui/form/form_file.h"
#include "ui/form/form_lines.h"
#include "ui/form/form_pick.h"
#include "ui/form/form_rows.h"
#include "ui/form/form_steps.h"
#include "ui/form/form_strip.h"

#define SYNC_MS   3500 /* the forecast follows the queue */
#define LIST_MARK 4    /* cells at the end of the fields' side that stand for the mark of a list */

/* --- changes --- */

static void form_take_value(struct view *v, const char *value)
{
    form_change_field(form_page_of(v), value);
    form_page_load_edit(form_page_of(v));
    ui_changed(v->ui);
}

/* --- life --- */

/* In a new script the cursor starts at the end, in an opened one at the beginning. */
static void begin_script(struct form_page *s)
{
    textedit_set(&s->script, s->f.text.s);
    s->script.buf.at = s->f.path ? 0 : s->script.buf.text.len;
}

static struct view *form_view_open(struct ui *ui, const void *arg)
{
    const struct form *f = arg;
    struct form_page *s = xcalloc(1, sizeof *s);
    s->v = (struct view){.ops = &submit_view, .ui = ui};
    s->f = *f;
    textedit_init(&s->script);
    edit_init(&s->edit);
    begin_script(s);
    s->strip = formstrip_new(ui);
    form_rows_make(s);
    form_page_go_to(s, 0);
    form_ask_draft(s, DRAFT_CHECK);
    form_ask_soon(s);
    if (s->f.edit)
        form_ask_priority(s);
    return &s->v;
}

static void form_view_close(struct view *v)
{
    struct form_page *s = form_page_of(v);
    form_fini(&s->f);
    form_draft_free(s->draft);
    form_hints_fini(&s->hints);
    textedit_fini(&s->script);
    edit_fini(&s->edit);
    vec_fini(&s->rows);
    form_steps_forget(s);
    rec_fini(&msg_submit_rec, &s->sent);
    form_lines_fini(s);
    formenvironments_fini(&s->environments);
    formstrip_free(s->strip);
    form_page_forget_told(s);
    free(s->forecast);
    free(s);
}

static void form_view_sync(struct view *v)
{
    struct form_page *s = form_page_of(v);
    if (s->draft)
        form_check(s->draft, v->ui, &s->hints);
    formstrip_sync(s->strip);
    form_ask_catch_up(s);
    if (!v->due.ns && !s->asking && s->forecast && !s->refused)
        v->due = mono_add_ms(ui_mono(v->ui), SYNC_MS);
}

/* --- keys --- */

static void cycle(struct form_page *s)
{
    const struct form_field *field = form_page_row(s)->field;
    if (field->kind == FIELD_SWITCH) {
        form_change_field(s, s->edit.text.len ? "" : "yes");
    } else {
        struct strv words = strv_split(field->choices, " ");
        size_t i = 0;
        while (i < words.n && !str_eq(words.v[i], s->edit.text.s))
            i++;
        form_change_field(s, i == words.n ? words.v[0] : i + 1 < words.n ? words.v[i + 1] : "");
        strv_fini(&words);
    }
    form_page_load_edit(s);
}

/* Whether a whole script is pasted and none has been written yet: then the first line of the form's own
 * text gives way to that of the script, and its directives stand before the script's commands. */
static bool paste_script(struct form_page *s, const struct input *in)
{
    if (in->kind != INPUT_PASTE || !str_starts(in->text, "#!") || s->f.kind == JOB_KIND_STEPS ||
        formcommand_lines(s->f.text.s))
        return false;
    bool changed;
    const char *own = s->f.text.s;
    size_t first = strcspn(in->text, "\r\n");
    own += str_starts(own, "#!") ? strcspn(own, "\n") : 0;
    own += strspn(own, "\n");
    struct str begins = STR_INIT;
    str_append_n(&begins, in->text, first);
    if (*own)
        str_appendf(&begins, "\n%s", own);
    while (*own && begins.s[begins.len - 1] == '\n')
        str_truncate(&begins, begins.len - 1);
    textedit_set(&s->script, begins.s);
    s->script.buf.at = s->script.buf.text.len;
    textedit_input(&s->script, &(struct input){.kind = INPUT_PASTE, .text = in->text + first}, &changed);
    str_fini(&begins);
    form_change_script(s);
    return true;
}

/* A text of several lines is not a command: it is appended to the script. False for a text of one line. */
static bool paste_lines(struct form_page *s, const struct input *in)
{
    size_t n = in->kind == INPUT_PASTE ? strlen(in->text) : 0;
    bool changed;
    while (n > 0 && strchr("\r\n", in->text[n - 1]))
        n--;
    if (strcspn(n ? in->text : "", "\r\n") >= n)
        return false;
    if (!paste_script(s, in)) {
        s->script.buf.at = s->script.buf.text.len;
        textedit_input(&s->script, in, &changed);
        form_change_script(s);
    }
    ui_toast(s->v.ui, ROLE_NORMAL, tr("several lines: see the script"));
    return true;
}

static bool takes_default(uint32_t key)
{
    return key == KEYNAME_RIGHT || key == KEYNAME_END || key == CTRL_KEY('e') || key == CTRL_KEY('f');
}

/* The default becomes the value, to be edited. */
static void take_default(struct form_page *s, const struct form_field *field)
{
    struct str text = STR_INIT;
    if (field->id != FORM_COMMAND)
        form_default_text(s, field, &text);
    if (text.len) {
        form_change_field(s, text.s);
        form_page_load_edit(s);
    }
    str_fini(&text);
}

static unsigned field_key(struct form_page *s, const struct input *in)
{
    const struct form_field *field = form_page_row(s)->field;
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (!field && (key == KEYNAME_ENTER || key == ' '))
        form_rows_show_more(s, !s->more);
    else if (key == KEYNAME_UP || key == CTRL_KEY('p'))
        form_page_go_by(s, -1);
    else if (key == KEYNAME_DOWN || key == KEYNAME_ENTER || key == CTRL_KEY('n'))
        form_page_go_by(s, 1);
    else if (key == KEYNAME_PGUP || key == KEYNAME_PGDN)
        for (int i = 0; i < 10; i++)
            form_page_go_by(s, key == KEYNAME_PGUP ? -1 : 1);
    else if (field && (field->kind == FIELD_SWITCH || field->kind == FIELD_CHOICE)) {
        if (key == ' ')
            cycle(s);
        else if (!key_is_text(key) && in->kind != INPUT_PASTE)
            return 0;
    } else if (!field) {
        if (!key_is_text(key) && in->kind != INPUT_PASTE)
            return 0;
    } else if (key == CTRL_KEY('s'))
        return 0;
    else if (takes_default(key) && !s->edit.text.len && form_can_set(&s->f, field))
        take_default(s, field);
    else if (field->id == FORM_COMMAND && s->f.kind != JOB_KIND_STEPS && paste_lines(s, in))
        ;
    else if (!form_can_set(&s->f, field) && (key_is_text(key) || in->kind == INPUT_PASTE))
        ui_toast(s->v.ui, ROLE_NORMAL, tr("the script has several lines: press Tab to edit them"));
    else if (edit_input(&s->edit, in))
        form_change_field(s, s->edit.text.s);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static unsigned form_view_act(struct view *v, enum action a, const struct input *in);

/* A press on a row; on the mark at the end of its box: what can be chosen. */
static void press_row(struct form_page *s, const struct input *in, size_t row)
{
    const struct form_row *r = &s->rows.v[row];
    if (!form_page_can_stand(r))
        return;
    form_page_go_to(s, row);
    if (in->what != MOUSE_CLICK)
        return;
    bool at_end = in->x >= s->fields_area.x + s->fields_area.w - LIST_MARK;
    if (r->more)
        form_rows_show_more(s, !s->more);
    else if (at_end && form_pick_has_list(r->field))
        form_view_act(&s->v, ACTION_FORM_PICK, in);
}

static unsigned mouse_at(struct form_page *s, const struct input *in)
{
    bool changed;
    for (size_t i = 0; i < FORM_BUTTONS; i++)
        if (in->what == MOUSE_CLICK && rect_has(s->buttons[i].at, in->y, in->x))
            return form_view_act(&s->v, s->buttons[i].action, in);
    if (rect_has(s->script_area, in->y, in->x) && !s->f.edit) {
        s->on_script = true;
        textedit_input(&s->script, in, &changed);
        return DID_HANDLE | DID_REDRAW;
    }
    if (!rect_has(s->fields_area, in->y, in->x))
        return 0;
    s->on_script = false;
    size_t line = s->top + (size_t)(in->y - s->fields_area.y);
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN)
        form_page_go_by(s, in->what == MOUSE_WHEEL_UP ? -1 : 1);
    else if (line < s->lines.n && s->lines.v[line].kind != LINE_BLANK && s->lines.v[line].row < s->rows.n)
        press_row(s, in, s->lines.v[line].row);
    return DID_HANDLE | DID_REDRAW;
}

static unsigned form_view_input(struct view *v, const struct input *in)
{
    struct form_page *s = form_page_of(v);
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
    if (paste_script(s, in))
        return DID_HANDLE | DID_REDRAW;
    if (!textedit_input(&s->script, in, &changed))
        return 0;
    if (changed)
        form_change_script(s);
    return DID_HANDLE | DID_REDRAW;
}

static void begin_anew(struct form_page *s)
{
    s->row = s->top = 0;
    s->more = false;
    vec_clear(&s->rows); /* the rows of the former text */
    form_steps_forget(s);
    form_rows_make(s);
    form_page_go_to(s, 0);
    begin_script(s);
    form_change_after(s);
    s->changed = false;
}

static void form_loaded(struct ui *ui, struct view *owner, struct form *take_f)
{
    struct form_page *s = form_page_of(owner);
    (void)ui;
    char *dir = s->f.dir;
    s->f.dir = NULL;
    form_fini(&s->f);
    s->f = *take_f;
    if (!s->f.dir)
        s->f.dir = dir;
    else
        free(dir);
    begin_anew(s);
}

static void form_left(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    if (outcome == DIALOG_YES)
        ui_close(ui, arg);
}

static void quitted(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)d;
    (void)arg;
    if (outcome == DIALOG_YES)
        ui_quit(ui);
}

static void open_another(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)ui;
    (void)d;
    if (outcome == DIALOG_YES)
        form_file_open_menu(arg, form_loaded);
}

static void ask_to_lose(struct form_page *s, const char *title, ui_done_fn *done)
{
    struct dialog *d = dialog_new(DIALOG_CONFIRM, title);
    d->verb = xstrdup(tr("discard"));
    d->no = tr("keep editing");
    lines_addf(&d->body.lines, ROLE_NORMAL,
               s->f.edit ? tr("Discard the changes?") : tr("Discard this job?"));
    ui_take_dialog(s->v.ui, d, done, &s->v, NULL);
}

/* Whether something would be lost. */
static bool form_has_input(const struct form_page *s)
{
    return s->f.edit ? formedit_n_changed(s->f.edit) > 0 : s->changed;
}

static unsigned form_leave(struct form_page *s)
{
    if (!form_has_input(s))
        return DID_HANDLE | DID_LEAVE;
    ask_to_lose(s, tr("leave the form"), form_left);
    return DID_HANDLE | DID_REDRAW;
}

static bool view_may_quit(struct view *v)
{
    struct form_page *s = form_page_of(v);
    if (form_has_input(s))
        ask_to_lose(s, tr("quit"), quitted);
    return !form_has_input(s);
}

static void change_kind(struct form_page *s)
{
    if (s->changed) {
        ui_toast(s->v.ui, ROLE_WARN, tr("this would clear the form: leave it first, then press s and F6"));
        return;
    }
    form_begin(&s->f, s->f.kind == JOB_KIND_STEPS ? JOB_KIND_BATCH : JOB_KIND_STEPS);
    begin_anew(s);
}

/* The keys for a job in the queue: it has no script, no template and no steps here. */
static bool is_of_edit(enum action a)
{
    return a == ACTION_FORM_SEND || a == ACTION_FORM_FIX || a == ACTION_FORM_MORE || a == ACTION_FORM_PICK;
}

static unsigned form_view_act(struct view *v, enum action a, const struct input *in)
{
    struct form_page *s = form_page_of(v);
    (void)in;
    if (a == ACTION_CLOSE || a == ACTION_BACK)
        return form_leave(s);
    if (s->f.edit && !is_of_edit(a))
        return 0;
    if (a == ACTION_FORM_SEND)
        form_ask_draft(s, DRAFT_SEND);
    else if (a == ACTION_FORM_TRY)
        form_ask_draft(s, DRAFT_BY_HAND);
    else if (a == ACTION_FORM_FIX) {
        if (!form_change_take_fix(s))
            ui_toast(v->ui, ROLE_NORMAL, tr("no suggestion for this field"));
    } else if (a == ACTION_FORM_PANEL)
        s->on_script = !s->on_script;
    else if (a == ACTION_FORM_MORE)
        form_rows_show_more(s, !s->more);
    else if (a == ACTION_FORM_KIND)
        change_kind(s);
    else if (a == ACTION_FORM_ADD)
        form_steps_add(s);
    else if (a == ACTION_FORM_DROP)
        form_steps_drop(s);
    else if (a == ACTION_FORM_UNDO)
        form_steps_restore(s);
    else if (a == ACTION_FORM_PICK && form_page_row(s)->field && !s->on_script)
        form_pick_open(v, form_page_row(s)->field, s->edit.text.s, form_take_value);
    else if (a == ACTION_FORM_OPEN && s->changed)
        ask_to_lose(s, tr("discard"), open_another);
    else if (a == ACTION_FORM_OPEN)
        form_file_open_menu(v, form_loaded);
    else if (a == ACTION_FORM_SAVE)
        form_file_save_template(v, &s->f);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static const char *form_view_label(struct view *v, enum action a)
{
    const struct form_page *s = form_page_of(v);
    bool steps = s->f.kind == JOB_KIND_STEPS;
    if (s->f.edit && a >= ACTION_FORM_SEND && a <= ACTION_FORM_DROP && !is_of_edit(a))
        return "";
    if (s->f.edit && a == ACTION_FORM_SEND && !s->buttons[0].action)
        return tr("change");
    if ((s->buttons[0].action || s->buttons[1].action) &&
        (a == ACTION_FORM_SEND || a == ACTION_FORM_TRY || a == ACTION_FORM_SAVE))
        return ""; /* it has a button */
    if (a == ACTION_FORM_PANEL && s->on_script)
        return tr("fields");
    if (a == ACTION_FORM_PICK && (s->on_script || !form_page_row(s)->field))
        return "";
    if (a == ACTION_FORM_KIND && steps)
        return tr("batch");
    if (a == ACTION_FORM_MORE && s->more)
        return tr("less");
    if (a == ACTION_FORM_UNDO && !s->dropped.n)
        return "";
    return a == ACTION_FORM_ADD && !steps ? "" : NULL;
}

static const enum scope scopes[] = {SCOPE_FORM};

const struct view_ops submit_view = {
    .name = "submit",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .types = true,
    .open = form_view_open,
    .close = form_view_close,
    .sync = form_view_sync,
    .title = form_draw_title,
    .draw = form_draw_page,
    .input = form_view_input,
    .act = form_view_act,
    .timer = form_ask_timer,
    .label = form_view_label,
    .may_quit = view_may_quit,
};

static void form_view_push(struct ui *ui, struct view *owner, struct form *take_f)
{
    (void)owner;
    ui_push(ui, &submit_view, take_f);
}

/* The job that a single target means, if its request may be changed. */
static const struct job *editable(const struct ui *ui, const struct targets *t)
{
    if (t->n != 1 || ui_why_read_only(ui))
        return NULL;
    const struct job_target *to = &t->v[0].to;
    const struct job *j = to->array_index == ARRAY_NONE
                              ? model_get_job(ui_model(ui), to->job)
                              : model_get_element(ui_model(ui), to->job, to->array_index);
    bool own = j && (ui_is_admin(ui) || j->uid == ui_uid(ui));
    return own && !job_state_is_final((enum job_state)j->state) ? j : NULL;
}

void submit_act_on_jobs(struct ui *ui, enum action a, struct targets *take_t)
{
    const struct job *j = a == ACTION_EDIT ? editable(ui, take_t) : NULL;
    if (!j) {
        act_on_jobs(ui, a, take_t);
        return;
    }
    struct form f;
    struct str label = STR_INIT;
    const struct job_target *to = &take_t->v[0].to;
    str_appendf(&label, "%u", to->job);
    if (to->array_index != ARRAY_NONE)
        str_appendf(&label, "_%u", to->array_index);
    str_appendf(&label, " %s", j->req.name ? j->req.name : "");
    form_init_edit(&f, formedit_new(ui, j, to, label.s));
    str_fini(&label);
    targets_fini(take_t);
    ui_push(ui, &submit_view, &f);
}

void submit_open(struct ui *ui, const char *path)
{
    struct form f;
    if (path) {
        form_file_open_path(ui, NULL, path, 0, form_view_push);
        return;
    }
    form_init(&f, JOB_KIND_BATCH);
    form_take_place(&f, ui);
    ui_push(ui, &submit_view, &f);
}
