/* dialog.h - a box over the screen: a text, a question, a line to type, a menu. It knows no data: its owner
 * says what stands in it and gets the outcome. */
#ifndef UI_WIDGET_DIALOG_H
#define UI_WIDGET_DIALOG_H

#include "ui/keys/input.h"
#include "ui/keys/keymap.h"
#include "ui/widget/edit.h"
#include "ui/widget/list.h"
#include "ui/widget/pane.h"

enum dialog_kind { DIALOG_TEXT, DIALOG_CONFIRM, DIALOG_PROMPT, DIALOG_MENU, DIALOG_CHECKS };
enum dialog_outcome { DIALOG_OPEN, DIALOG_YES, DIALOG_NO };

struct dialog_button { /* a key that the foot names: a click on its words is that key */
    struct rect at;
    uint32_t key;
};
#define DIALOG_BUTTONS 3

struct dialog {
    enum dialog_kind kind;
    char *title;
    bool danger;        /* frame and button say so */
    struct pane body;   /* text; above the line or the menu of the other kinds */
    struct edit edit;   /* DIALOG_PROMPT, the count of DIALOG_CONFIRM, and what is looked for in a menu */
    uint64_t must_type; /* DIALOG_CONFIRM: this number must be typed; 0: y or Enter does */
    bool wrong;         /* something else was typed; in a menu, a key that it does not know */
    char *verb;         /* what yes does: "cancel 12 jobs"; of a text: what Enter does, NULL: closes it */
    const char *no;     /* what the other key does; NULL: "no" */
    const char *needs;  /* DIALOG_PROMPT: said where nothing was typed; NULL: "type it first: " */
    struct strv items;  /* DIALOG_MENU, DIALOG_CHECKS */
    bool finds;         /* DIALOG_MENU: what is typed leaves the items that have it */
    struct dialog_found {
        size_t *v, n; /* those items */
    } found;
    bool *checked; /* DIALOG_CHECKS: of each item; the dialog frees it */
    struct list_state list;
    struct rect menu; /* where its items were drawn */
    struct dialog_button buttons[DIALOG_BUTTONS];
    size_t n_buttons;
    bool touched;      /* a press of the mouse began here: the second one of a double click may count */
    bool may_be_empty; /* DIALOG_PROMPT */
    bool kept;         /* it stays open though it was answered: the owner's, while it is told */
    bool waiting;      /* the reply to the answer is outstanding: it takes Esc alone */
    bool placed;       /* beside a place of the screen, and what is around it stays bright */
    int place_y, place_x;
    char *refused; /* what was said to the last answer, which can be mended; NULL: nothing */
};

struct dialog *dialog_new(enum dialog_kind kind, const char *title) __attribute__((warn_unused_result));
void dialog_free(struct dialog *d);
/* Every input ends here while a dialog is open. A click on an item chooses it, or turns it on or off; a
 * click on the chosen item is Enter, on a key at the foot that key, elsewhere nothing. */
enum dialog_outcome dialog_input(struct dialog *d, const struct input *in, const struct keymap *km);
/* The answer was sent off and waits for its reply; the answer was refused. */
void dialog_wait(struct dialog *d);
void dialog_refuse(struct dialog *d, const char *why);
void dialog_draw(struct dialog *d, struct canvas *c);
/* It is drawn beside that cell instead of in the middle: the menu of what lies there. */
void dialog_place(struct dialog *d, int y, int x);
/* DIALOG_MENU: the chosen item; the number of items where none has what is looked for. */
size_t dialog_choice(const struct dialog *d);
void dialog_choose(struct dialog *d, size_t item);

#endif
