/* stepout.h - the output of a step's ranks, fetched from the nodes' spools and written here.
 *
 * Each stream is read with long polls, by offset: what was read stays read when the controller is restarted
 * in between. That of several ranks goes out in whole lines; labels that the step was given are in it. Of a
 * single rank what has no line break yet is held for a moment where it goes to a file: standard output and
 * error come by two ways, and mostly end in one file.
 *
 * Nothing waits in a write: what a slow reader has not taken is kept, up to a bound, then no more is
 * fetched but a byte from time to time, so that the node knows that its spool is still wanted.
 */
#ifndef STOKER_CLI_STEPOUT_H
#define STOKER_CLI_STEPOUT_H

#include "src/base/idmap.h"
#include "src/cli/step/follow.h"

struct stepout_stream {
    uint32_t rank, which; /* which: 1 standard output, 2 standard error */
    uint32_t task;
    uint64_t offset;
    int64_t retry_at_ms; /* not before; 0: at once */
    int64_t held_ms;     /* since then `line` waits for its end */
    bool open, eof, asked;
    bool early;       /* the last answer was none: its task had hardly been sent to the node */
    bool asked_early; /* the question came before the task was known to run */
    bool asked_ended; /* the question came after the task's end: an error is final */
    bool lost;        /* ended before its end was here */
    bool paused;      /* waits until what is here has been taken */
    bool within;      /* what was written last was no whole line */
    struct str line;  /* what of a line has come so far */
};

/* Standard output or standard error of this process. */
struct stepout_sink {
    int fd, own_fd;  /* own_fd: opened here, does not block; -1: none */
    bool plain;      /* a file: a write to it does not wait */
    struct str kept; /* not written yet from `at` on */
    size_t at;
};

struct stepout {
    struct follow *f;
    int32_t step;
    uint32_t n_ranks;
    struct stepout_stream *v; /* two for each rank */
    struct idmap by_tag;
    bool by_line; /* whole lines where there are several ranks */
    bool holds;   /* unfinished lines for HOLD_MS */
    struct stepout_sink sinks[2];
    bool shared;           /* both go the same way: through the first */
    uint32_t chunk;        /* bytes to ask for at once */
    int64_t keep_alive_ms; /* pause between reads while our reader takes nothing */
    int64_t hold_ms;       /* for how long what has no line break yet is held */
    int64_t last_data_ms;  /* something came, or was taken */
    bool failed;           /* some output could not be fetched, which has been said */
    char *why_not;         /* what the controller said last when it could not answer; NULL: nothing */
    bool screen;           /* a terminal's: standard error gets its carriage returns here */
    uint64_t from;         /* standard output from there on ... */
    bool whole_line;       /* ... and from the first whole line */
    bool labels;           /* each line gets its rank's number here, where it has none */
    int label_width;       /* then; 0: none are put in front */
    uint32_t only[2];      /* 1 + the rank whose standard output, error is wanted; 0: all ranks' */
    bool pipe_broken;      /* the reader of standard output has gone: output is dropped */
};

void stepout_init(struct stepout *o, struct follow *f, bool by_line);
void stepout_fini(struct stepout *o);

/* Of a task on a terminal: from byte `from` on, which may be in the middle of something. Before the first
 * stepout_update. */
void stepout_of_screen(struct stepout *o, uint64_t from);
/* Bytes of a single rank's standard output that have been written. */
uint64_t stepout_seen(const struct stepout *o);

/* Opens the streams of tasks that have begun, and asks for what is not asked for yet. Call after every
 * change. */
void stepout_update(struct stepout *o, const struct step *s, int64_t now_ms);
/* The old connection's questions are void. */
void stepout_reconnected(struct stepout *o);
/* Takes in->body where in answers one of ours; returns whether it did. */
bool stepout_take(struct stepout *o, const struct incoming *in, int64_t now_ms);
/* Writes what can be written without waiting. */
void stepout_drain(struct stepout *o, int64_t now_ms);
/* True where all that has come is written. */
bool stepout_is_drained(const struct stepout *o);
/* The descriptors that are to become writable, -1 for none. */
void stepout_fds(const struct stepout *o, int ret_fds[2]);
/* Nothing more is fetched of s: says what is missing. */
void stepout_give_up(struct stepout *o, const struct step *s);
/* Everything of that task, or of all tasks, has been written. */
bool stepout_task_is_done(const struct stepout *o, const struct step *s, const struct task *t);
bool stepout_is_done(const struct stepout *o, const struct step *s);
/* Milliseconds until something is to be asked again, or written; -1: nothing. */
int stepout_timeout(const struct stepout *o, int64_t now_ms);

#endif
