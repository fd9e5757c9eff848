/* stepout.h - the output of a step's ranks, fetched from the nodes' spools and written here.
 *
 * Each stream is read with long polls, by offset: what was read stays read when the controller is restarted
 * in between. That of several ranks goes out in whole lines; labels are already in it. Of a single rank
 * what has no line break yet is held for a moment where it goes to a file: standard output and error come
 * by two ways, and mostly end in one file.
 */
#ifndef STOKER_CLI_STEPOUT_H
#define STOKER_CLI_STEPOUT_H

#include "src/base/idmap.h"
#include "src/cli/follow.h"

struct stepout_stream {
    uint32_t rank, which; /* which: 1 standard output, 2 standard error */
    uint32_t task;
    uint64_t offset;
    int64_t retry_at_ms; /* not before; 0: at once */
    int64_t held_ms;     /* since then `line` waits for its end */
    bool open, eof, asked;
    struct str line; /* what of a line has come so far */
};

struct stepout {
    struct follow *f;
    int32_t step;
    uint32_t n_ranks;
    struct stepout_stream *v; /* two for each rank */
    struct idmap by_tag;
    bool by_line; /* whole lines where there are several ranks */
    bool holds;   /* unfinished lines for HOLD_MS */
    int64_t last_data_ms;
    bool pipe_broken; /* nobody reads standard output any more: what comes is dropped */
};

void stepout_init(struct stepout *o, struct follow *f, bool by_line);
void stepout_fini(struct stepout *o);

/* Opens the streams of tasks that have begun, and asks for what is not asked for yet. Call after every
 * change. */
void stepout_update(struct stepout *o, const struct step *s, int64_t now_ms);
/* The old connection's questions are void. */
void stepout_reconnected(struct stepout *o);
/* Takes in->body where in answers one of ours; returns whether it did. */
bool stepout_take(struct stepout *o, const struct incoming *in, bool task_may_live, int64_t now_ms);
/* Everything of that task, or of all tasks, has been written. */
bool stepout_task_is_done(const struct stepout *o, const struct step *s, const struct task *t);
bool stepout_is_done(const struct stepout *o, const struct step *s);
/* Milliseconds until something is to be asked again, or written; -1: nothing. */
int stepout_timeout(const struct stepout *o, int64_t now_ms);
/* Writes unfinished lines. */
void stepout_flush(struct stepout *o);

#endif
