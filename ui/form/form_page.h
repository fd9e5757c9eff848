/* form_page.h - the form's state, for the files of the form alone. Each file uses those above it:
 *
 *      form_page.c    the row under the cursor, and what is said about it
 *      form_rows.c    which fields are shown
 *      form_edit.c    the request of a job in the queue
 *      form_strip.c   the plan at the foot
 *      form_ask.c     drafts, the controller's forecast, sending
 *      form_change.c  changes of the text
 *      form_steps.c   add, remove and restore steps
 *      form_default.c what applies where nothing is set
 *      form_lines.c   rows and hints as lines
 *      form_draw.c    what is drawn
 *      form_pick.c    the values that F4 offers
 *      form_file.c    open and save scripts and templates
 *      form_view.c    keys, and the view
 */
#ifndef UI_FORM_FORM_PAGE_H
#define UI_FORM_FORM_PAGE_H

#include "src/base/vec.h"
#include "ui/form/form.h"
#include "ui/form/form_environments.h"
#include "ui/widget/edit.h"
#include "ui/widget/rich.h"
#include "ui/widget/textedit.h"

struct form_row {
    const struct form_field *field; /* NULL: a title, or the row that opens the rest */
    const char *title;
    bool more; /* that row */
    int step;
};

enum form_line_kind { LINE_ROW, LINE_HINT, LINE_BLANK };

/* A line of the fields' side. */
struct form_line {
    size_t row;
    enum form_line_kind kind;
    struct rich text; /* LINE_HINT */
};

struct form_button {
    struct rect at;
    enum action action;
};
#define FORM_BUTTONS 3

/* A removed step. */
struct form_dropped {
    char *before, *after; /* the text */
    int step;
};

struct form_strip;

struct form_page {
    struct view v;
    struct form f;
    struct textedit script;
    struct edit edit; /* of the field under the cursor */
    VEC(struct form_row) rows;
    size_t row;
    VEC(struct form_line) lines;      /* as last drawn: ui/form/form_lines.h */
    size_t top;                       /* the first of them that is seen */
    VEC(struct form_dropped) dropped; /* the newest last */
    bool more; /* all fields are shown, not only the simple ones and those that are set */
    bool on_script, changed;
    struct rect fields_area, script_area;
    struct form_button buttons[FORM_BUTTONS]; /* as last drawn */

    struct form_environments environments; /* what F4 offers for the set-up, once it was asked for */
    bool has_environments, wants_environments;

    struct form_draft *draft; /* the newest that is finished; NULL: none yet */
    unsigned making, wanted;  /* DRAFT_* of form_ask.h: of the draft being made, of the next one */
    struct form_hints hints;

    /* What the controller says. */
    bool asking, again, now, refused;
    bool unasked; /* there was no connection to ask over */
    char *forecast;
    struct form_hint told; /* of a field: a refusal, or the limit with which it starts; field NULL: none */
    struct form_strip *strip;
    uint32_t cheaper_s; /* the limit that is being tried */

    /* What was sent last, until the answer comes. If no answer comes: the same message with the same number
     * is the same job to the controller, however often it is sent. */
    struct msg_submit sent;
};

static inline struct form_page *form_page_of(struct view *v)
{
    return (struct form_page *)(void *)v;
}

/* Under the cursor. */
const struct form_row *form_page_row(const struct form_page *s);
/* The input line shows the value of the field under the cursor. */
void form_page_load_edit(struct form_page *s);
void form_page_go_to(struct form_page *s, size_t row);
/* Titles cannot have the cursor. */
bool form_page_can_stand(const struct form_row *r);
/* To the next row above (by < 0) or below that can have the cursor. */
void form_page_go_by(struct form_page *s, int by);

const struct form_hint *form_page_error(const struct form_page *s); /* the first; NULL: there is none */
/* The worst hint of a field; NULL: none. */
const struct form_hint *form_page_hint_of(const struct form_page *s, const struct form_row *row);
/* The word before the forecast, which must be there: "waits: ". */
const char *form_page_forecast_begins(const struct form_page *s);
void form_page_forget_told(struct form_page *s);

#endif
