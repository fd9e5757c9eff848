/* job_pane.h - the pane beside a list of jobs: what is known of the job under the cursor, in tabs. What
 * must be asked for or read (why, script, output) is fetched for the tab that is shown, when the cursor has
 * rested on the job for a moment, and nothing is read while another tab or screen is shown.
 *
 * The owner forwards fd, wake, work, timer and rest of its struct view_ops, and calls jobpane_sync in sync.
 */
#ifndef UI_JOBS_JOB_PANE_H
#define UI_JOBS_JOB_PANE_H

#include "src/answers/answer_why.h"
#include "ui/info/job_script.h"
#include "ui/output/output_peek.h"
#include "ui/widget/pane.h"

enum job_tab {
    JOB_TAB_DETAILS,
    JOB_TAB_WHY,
    JOB_TAB_EVENTS,
    JOB_TAB_SCRIPT,
    JOB_TAB_USE,
    JOB_TAB_OUTPUT,
    JOB_TABS
};
extern const char *const job_tab_names[JOB_TABS]; /* tabs of struct view_ops */

struct jobpane {
    struct view *owner;
    struct pane pane; /* its lines; the owner fills them for JOB_TAB_DETAILS */
    uint32_t job;     /* what is shown; 0: nothing */
    enum job_tab tab;
    struct mono rests; /* the cursor has rested then */
    bool asking;       /* a reply is due */
    bool stale;        /* the model has changed since why was asked */
    struct wall asked;
    struct msg_why why;
    bool has_why;
    struct jobscript script;
    bool script_asked;
    struct output_peek peek;
};

/* The owner answers replies with it: see jobpane_of. */
void jobpane_init(struct jobpane *p, struct view *owner);
void jobpane_fini(struct jobpane *p);

/* Draws a tab of j in side. details: the lines of the first tab, which the owner has made. */
void jobpane_draw(struct jobpane *p, const struct job *j, enum job_tab tab, struct canvas *c,
                  const struct screen_layout *l);
void jobpane_sync(struct jobpane *p);
void jobpane_timer(struct jobpane *p);
/* The owner is not on the screen any more. */
void jobpane_rest(struct jobpane *p);

#endif
