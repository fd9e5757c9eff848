/* copy_menu.h - the menu of what can be copied of the thing under the cursor: its name, a path, a reason.
 */
#ifndef UI_VIEW_COPY_MENU_H
#define UI_VIEW_COPY_MENU_H

#include "ui/state/view.h"
#include "ui/table/table.h"

struct copy_menu;

struct copy_menu *copy_menu_new(void) __attribute__((warn_unused_result));
/* An item, which copies its text; none for a text that is NULL or empty. label: a word or two. */
void copy_menu_add(struct copy_menu *m, const char *label, const char *text);
/* The same of a text that is too long for a menu: shown stands for it. */
void copy_menu_add_text(struct copy_menu *m, const char *label, const char *shown, const char *text);
/* An item whose text must be fetched: fetch is called, which copies it when it is there. arg is freed with
 * the menu. */
typedef void copy_fetch_fn(struct ui *ui, const void *arg);
void copy_menu_add_fetch(struct copy_menu *m, const char *label, const char *shown, copy_fetch_fn *fetch,
                         void *take_arg, void (*free_arg)(void *));
/* The row under the cursor, as it is shown. */
void copy_menu_add_row(struct copy_menu *m, struct table *t);
/* Opens it. With no item nothing is opened. */
void copy_menu_open(struct ui *ui, struct copy_menu *take_m);

#endif
