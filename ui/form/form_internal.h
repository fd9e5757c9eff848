/* form_internal.h - the form's state, for the files of the form alone.
 *
 *      form_view.c       what it is: changes, keys
 *      form_rows.c  which fields are shown
 *      form_ask.c   what is found out: drafts, the controller's forecast, sending
 *      form_draw.c  what is seen
 *      form_pick.c  what F4 offers
 *      form_steps.c one step more, one less, and back again
 *      form_file.c  scripts and templates: opening, saving
 */
#ifndef UI_FORM_FORM_INTERNAL_H
#define UI_FORM_FORM_INTERNAL_H

#include "src/base/vec.h"
#include "ui/form/form_view.h"
#include "ui/widget/edit.h"
#include "ui/widget/textedit.h"

struct form_row {
    const struct form_field *field; /* NULL: a title, or the row that opens the rest */
    const char *title;
    bool more; /* that row */
    int step;
};

/* A step that was taken out. */
struct form_dropped {
    char *before, *after; /* the text */
    int step;
};

/* What a draft is made for. */
#define DRAFT_CHECK   1u
#define DRAFT_ASK     2u /* when would it start? */
#define DRAFT_BY_HAND 4u /* the same, and the answer is told aloud */
#define DRAFT_SEND    8u

struct form_page {
    struct view v;
    struct form f;
    struct textedit script;
    struct edit edit; /* of the field under the cursor */
    VEC(struct form_row) rows;
    size_t row, top;
    VEC(struct form_dropped) dropped; /* the newest last */
    bool more; /* all fields are shown, not the simple ones and those that say something */
    bool on_script, changed;
    struct rect fields_area, script_area;

    struct form_draft *draft; /* the newest that is finished; NULL: none yet */
    unsigned making, wanted;  /* DRAFT_*: what one is being made for, what the next one is to be for */
    struct form_hints hints;

    /* What the controller says. */
    bool asking, again, now, refused;
    bool unasked; /* there was no connection to ask over */
    char *forecast, *cheaper;
    uint32_t cheaper_s; /* the limit that was tried */

    /* What was sent last, until the answer comes. Where it does not: the same with the same number is the
     * same job to the controller, however often it is sent. */
    struct msg_submit sent;
};

static inline struct form_page *submit_of(struct view *v)
{
    return (struct form_page *)(void *)v;
}

/* form_rows.c */
/* Makes the rows again; the cursor stays on its field, and that field stays shown while it does. */
void submit_make_rows(struct form_page *s);
/* Shows all fields, or the simple page again. */
void submit_show_more(struct form_page *s, bool more);
/* The row of a field, which is shown from now on. */
size_t submit_find_row(struct form_page *s, const struct form_field *field, int step);

/* form_view.c */
const struct form_row *submit_row(const struct form_page *s); /* under the cursor */
void submit_go_to(struct form_page *s, size_t row);
/* The form has another text: everything shows it, and the cursor stands on a field. */
void submit_text_changed(struct form_page *s);
/* A value for a field, as if it had been typed there. */
void submit_set(struct form_page *s, const struct form_field *field, int step, const char *value);

/* form_ask.c */
/* Makes a draft of the form as it is now, beside the screens, and does what it is for: DRAFT_*. */
void submit_draft(struct form_page *s, unsigned what);
/* Asks the controller after a moment of quiet. */
void submit_ask_soon(struct form_page *s);
void submit_timer(struct view *v);
bool submit_has_errors(const struct form_page *s);
/* The connection is back: what could not be asked is. */
void submit_catch_up(struct form_page *s);
/* What stands before the forecast, which is there: "waits: ". */
const char *submit_forecast_begins(const struct form_page *s);
/* The hint that matters: of this field, else the first that stops it. NULL: none. */
const struct form_hint *submit_hint(const struct form_page *s);
/* The worst that is said of a field; NULL: nothing. */
const struct form_hint *submit_hint_of(const struct form_page *s, const struct form_row *row);
/* Does what the hint offers, or takes the limit with which it could start now. False where nothing is
 * offered. */
bool submit_take_fix(struct form_page *s);

/* form_steps.c */
void submit_add_step(struct form_page *s);
/* The one under the cursor; the last one stays. */
void submit_drop_step(struct form_page *s);
/* Brings back the one that was dropped last, to where it was; what has been typed since stays. */
void submit_undrop_step(struct form_page *s);
void submit_forget_dropped(struct form_page *s);

/* form_draw.c */
void submit_title(struct view *v, struct rich *out);
void submit_draw(struct view *v, struct canvas *c, const struct screen_layout *l);

/* form_file.c */
/* F2 and F3. load is called with the form that was read, whose contents it takes. */
typedef void submit_load_fn(struct view *v, struct form *take_f);
void submit_save_template(struct view *v, const struct form *f);
void submit_open_menu(struct view *v, submit_load_fn *load);

#endif
