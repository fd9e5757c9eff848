/* output_peek.h - the last lines of a job's output in a part of a screen: it follows the output while the
 * job runs. A thread of its own reads (ui/output/output_reader.h).
 *
 * The view that owns it forwards fd, wake and work of its struct view_ops, calls peek_show in sync and
 * whenever its job may be another, and peek_draw in draw:
 *
 *     peek_init(&p->peek, &p->v);
 *     peek_show(&p->peek, j, NULL);
 *     peek_draw(&p->peek, c, r);
 *     peek_fini(&p->peek);
 */
#ifndef UI_OUTPUT_OUTPUT_PEEK_H
#define UI_OUTPUT_OUTPUT_PEEK_H

#include "ui/output/output_files.h"
#include "ui/output/output_reader.h"

struct peek_ref;

struct output_peek {
    struct view *owner;
    struct peek_ref *ref;    /* of questions to nodes, which may outlive it */
    struct output_at at;     /* what is shown; job 0: nothing */
    struct output_file file; /* where it is */
    bool has_file;
    bool live, began;                  /* as the reader was told */
    struct output_reader *reader;      /* NULL: nothing was shown yet */
    const struct reading_state *state; /* NULL: nothing yet */
    int height, width;
};

/* owner: the view that shows it. */
void peek_init(struct output_peek *p, struct view *owner);
void peek_fini(struct output_peek *p);
/* Shows the output at that place, which is copied; at NULL: the one that output_open would open. j NULL:
 * nothing. Cheap where it shows that already. */
void peek_show(struct output_peek *p, const struct job *j, const struct output_at *at);
/* Draws the last lines, or says why there are none. */
void peek_draw(struct output_peek *p, struct canvas *c, struct rect r);
/* Is there a line to be shown? Not before the first peek_draw. */
bool peek_has_lines(const struct output_peek *p);
/* "batch", "step 0 task 3": which output it is, where the job has several; nothing else. */
void peek_name(const struct output_peek *p, const struct job *j, struct str *out);

/* For struct view_ops. */
int peek_fd(const struct output_peek *p);
unsigned peek_wake(struct output_peek *p);
bool peek_work(struct output_peek *p);

#endif
