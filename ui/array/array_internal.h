/* array_internal.h - the state of an array's page, for the files that draw it. */
#ifndef UI_ARRAY_ARRAY_INTERNAL_H
#define UI_ARRAY_ARRAY_INTERNAL_H

#include "ui/array/array_grid.h"
#include "ui/jobs/jobs_rows.h"
#include "ui/output/output_tails.h"
#include "ui/state/view.h"
#include "ui/widget/pane.h"

#define ARRAY_PANES 2

struct array_screen {
    struct view v;
    struct array_elements e;
    struct array_times times;
    struct array_failures failures;
    struct array_grid grid;
    struct output_tails *tails;
    struct pane panes[ARRAY_PANES];
    struct rect pane_areas[ARRAY_PANES];
    int n_panes, focus; /* focus: 0 the grid, else a pane, from 1 */
    uint64_t grouped;   /* output_tails_changes when failures were grouped */
    bool fetched;       /* the history has been asked for */
    bool slow;          /* that place was chosen as one of the slowest */
    size_t slow_at;
};

/* The members that tables of jobs have of an array. */
struct array_row array_screen_row(const struct array_screen *a);

/* array_status.c: above the panes */
void array_title(struct view *v, struct rich *out);
/* The bar with its counts, in width cells. */
void array_bar(const struct array_screen *a, int width, struct rich *r);
/* When it will be done, and how long an element takes. */
void array_estimate(const struct array_screen *a, struct rich *r);
/* The elements that the cursor of the grid means. */
void array_current(const struct array_screen *a, struct rich *r);

/* array_throttle.c */
/* The limit of elements at a time, 0: none; true: it is about to be sent. */
bool array_throttle_wanted(const struct array_screen *a, uint32_t *ret);
/* One more, or one less, after a delay. */
void array_throttle_change(struct array_screen *a, bool more);

/* array_sections.c: in the panes. Each adds its title and lines, for width cells. */
void array_add_running(const struct array_screen *a, struct lines *l, int width, size_t max);
void array_add_failed(const struct array_screen *a, struct lines *l, int width);
void array_add_times(const struct array_screen *a, struct lines *l, int width);
void array_add_use(const struct array_screen *a, struct lines *l, int width);
/* array_events.c */
void array_add_events(const struct array_screen *a, struct lines *l, size_t max);

#endif
