/* prefs.h - what the screens remember by themselves: filter, sort and columns of each, views that were
 * given a name, the theme that was chosen, the lines typed behind ':'.
 *
 * They lie beside ui.cfg in a file of their own, views.cfg, so that what a person has written is never
 * written over. The file is replaced as a whole; several that are open at a time each bring in what they
 * have changed.
 */
#ifndef UI_STATE_PREFS_H
#define UI_STATE_PREFS_H

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/base/vec.h"

#define PREFS_HISTORY 200 /* lines kept */

struct pane_prefs { /* see ui/frame/side_panes.h */
    bool hidden;
    uint8_t place;          /* enum pane_place */
    uint16_t width, height; /* of PANE_WHOLE; 0: by itself */
    char *tab;              /* its name; NULL: the first one */
};

struct view_prefs {
    char *view;   /* the screen's name */
    char *filter; /* of a screen as long as the program runs; only a view with a name keeps it */
    char *sort;
    bool reverse, mine, flat;
    struct strv columns; /* that are shown, where these are not those by default; else empty */
    struct pane_prefs pane;
};

struct named_view { /* what a screen showed, kept under a name */
    char *name;
    struct view_prefs shows;
};

struct prefs {
    VEC(struct view_prefs) views;
    VEC(struct named_view) named; /* in the order of their names */
    struct strv history, filters; /* lines of ':' and of '/', oldest first */
    char *theme;                  /* chosen by :theme; NULL: none */
};

void prefs_fini(struct prefs *p);
/* The view's, made where there is none. Valid until the next call. */
struct view_prefs *prefs_of(struct prefs *p, const char *view);
/* The one of that name, or NULL. Valid until the next change. */
struct named_view *prefs_find_named(const struct prefs *p, const char *name);
/* Keeps a copy under a name, over the one that has it. */
void prefs_keep_named(struct prefs *p, const char *name, const struct view_prefs *shows);
/* Returns false where there is none. */
bool prefs_drop_named(struct prefs *p, const char *name);
/* Adds a line at the end; one that is the same as the last is not added. */
void prefs_remember(struct prefs *p, const char *line);
void prefs_remember_filter(struct prefs *p, const char *line);

/* Errors: -EINVAL with file and line: what was read before it stays. No file: nothing is remembered. */
int prefs_load(struct prefs *p, const char *path, struct errtext *err) __attribute__((warn_unused_result));
/* The same from a text. */
int prefs_parse(struct prefs *p, const char *text, struct errtext *err) __attribute__((warn_unused_result));
/* The file's text; the caller frees it. */
char *prefs_text(const struct prefs *p) __attribute__((warn_unused_result));
/* Writes that text; makes the directory where there is none. Errors: -errno, the file is what it was. */
int prefs_write(const char *text, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));

/* prefs_merge.c: applies the changes from the text `before` to the text `now` to the file, which another
 * program may have written since; a lock admits one writer at a time. If both have changed the same screen
 * or named view, this change wins. Errors: as prefs_write. */
int prefs_bring_in(const char *before, const char *now, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
