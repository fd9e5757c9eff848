/* output_internal.h - the output view's state, for output_view.c and output_draw.c. */
#ifndef UI_OUTPUT_OUTPUT_INTERNAL_H
#define UI_OUTPUT_OUTPUT_INTERNAL_H

#include "ui/output/output_files.h"
#include "ui/output/output_reader.h"
#include "ui/widget/edit.h"

struct output_screen {
    struct view v;
    struct output_at at;
    bool err;            /* standard error */
    bool all;            /* of all tasks; of all elements where at.array is set */
    struct places shown; /* what the reader reads; its streams by number */
    struct output_reader *reader;
    const struct reading_state *state; /* NULL: nothing yet */
    bool live, began;                  /* as the reader was told */
    int height, width;
    struct edit edit;
    enum output_line { LINE_NONE, LINE_SEARCH, LINE_ONLY, LINE_SAVE } typing; /* what is typed */
    bool errors;                                                              /* the search is for errors */
    struct rect area;
};

static inline struct output_screen *output_screen_of(struct view *v)
{
    return (struct output_screen *)(void *)v;
}

/* output_view.c */
const struct job *output_job(const struct output_screen *o); /* or NULL */
bool output_is_live(const struct output_screen *o);          /* can more be written to it? */
/* The shown task has no resources yet: *ret_step is its step. output_never_runs: it will never run. */
bool output_waits(const struct output_screen *o, const struct step **ret_step);
bool output_never_runs(const struct output_screen *o);

/* output_outside.c */
void output_copy(struct output_screen *o);             /* the menu of what can be copied */
char *output_save_path(const struct output_screen *o); /* the file that saving suggests */
void output_run(struct output_screen *o, bool editor); /* the file in $EDITOR, or in $PAGER */

/* output_draw.c */
void output_title(struct view *v, struct rich *out);
void output_draw_body(const struct output_screen *o, struct canvas *c, struct rect r);
void output_draw_search(struct output_screen *o, struct canvas *c, struct rect r);

#endif
