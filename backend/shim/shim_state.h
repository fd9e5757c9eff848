/* shim_state.h - what the modules of the shim share: one process, one thread, one struct shim. */
#ifndef STOKER_BACKEND_SHIM_SHIM_STATE_H
#define STOKER_BACKEND_SHIM_SHIM_STATE_H

#include <poll.h>

#include "backend/task/proc.h"
#include "backend/task/shim_setup.h"
#include "src/base/vec.h"
#include "src/proto/frame.h"
#include "src/proto/launch.h"
#include "src/proto/msg.h"

#define PUMP_LINE_MAX (64u << 10) /* a longer line is cut where it stands: memory is bounded */
#define MEM_POLL_MS   250
#define SPARE_FDS     4 /* a directory in /proc, a file in it, a process */

/* One distinct output of the task. */
struct sink {
    const char *path; /* as the launch names it; NULL: spooled */
    uint32_t rank;    /* of a spooled one */
    int stream;       /* 1 or 2; 1 where both go to it */
    int fd;           /* -1: the rank opens it itself, as it is the only one */
    bool queued; /* a FIFO or a device that the shim alone writes to: nothing may wait for its reader */
    struct str queue; /* what it has not taken yet */
};

/* One labelled stream on its way from a rank to its sink. */
struct pump {
    int fd; /* -1: closed */
    struct str line;
};

struct rank {
    const struct launch_rank *l;
    pid_t pid;     /* 0: not started */
    int report_fd; /* what the child could not do comes here; its end is the exec. -1: known */
    bool running;
    bool bad_start; /* it never became its program: end is set, its status says nothing more */
    struct rank_end end;
    size_t sink[2]; /* of stdout and stderr, in shim.sinks */
    struct pump pump[2];
    int in_fd;    /* of its standard input, where it is streamed. -1: closed */
    size_t in_at; /* bytes of shim.input it has got */
};

struct shim_pmi;
struct pty;

enum shim_phase { SHIM_OPENING, SHIM_RUNNING, SHIM_LEFTOVERS, SHIM_GONE };

struct shim {
    const char *dir;
    int dir_fd;
    uint64_t start; /* of this process, clock ticks after boot */
    struct launch l;
    struct shim_setup setup;
    char mark[160];
    enum shim_phase phase;

    struct rank *ranks;
    size_t n_ranks, n_starting, n_alive;
    VEC(struct sink) sinks;
    pid_t opener; /* opens the sinks as the user; 0: none */
    int opener_fd;

    int agent_fd, ctl_fd, signal_fd, timer_fd;
    int spare_fds[SPARE_FDS]; /* given back while processes are looked for: of a task with thousands of
                                 ranks all others may be taken. -1: not held */
    struct frame_reader in;
    void (*on_frame)(struct shim *s, const struct frame *f); /* what the agent says */
    struct str out;
    size_t out_at;
    bool told_running;
    int64_t tell_ms; /* until when the report that it runs may wait for the end of the task */

    struct wall t_start, t_end;
    int64_t start_ms, end_ms;      /* CLOCK_BOOTTIME */
    int64_t limit_ms, early_ms;    /* when; INT64_MAX: never */
    int64_t own_left_ms;           /* of the step's own limit while its job is suspended; 0: it is not */
    bool early_sent;               /* its early signal, at least once */
    uint32_t notice;               /* as launch_kill has it */
    int64_t lease_ms;              /* when it is to be ended unless it is renewed, where it has a lease */
    bool lease_over, lease_killed; /* acted upon; and that was why it ended */

    int64_t wait_ms; /* when the ranks that are left are ended, as the first one has; INT64_MAX: not */
    bool waited_out;

    bool launch_failed, oom, was_killed;
    bool node_fault;      /* why it failed would have failed any task here */
    uint32_t kill_cause;  /* of the first request to end: why it ends */
    uint32_t asked_cause; /* of the last one */
    char *message;

    int64_t kill_ms, kill_pause_ms; /* when the next SIGKILL is due; INT64_MAX: none asked for */
    int64_t first_kill_ms;          /* of the first SIGKILL; 0: none */
    bool stuck;                     /* it is a long time since */
    bool terminating;
    bool left_cpus;   /* it has left the group of the job's CPUs to kill */
    int64_t drain_ms; /* until when the end waits for a queue that no longer moves; 0: not yet */
    bool notes_stuck; /* notes find no reader: no further one is tried */

    int64_t mem_ms;   /* when to look at the memory next; INT64_MAX: never */
    int64_t spool_ms; /* the same of the spool */
    uint64_t peak_kib;
    uint64_t largest_kib; /* largest of its ended processes */
    uint64_t used_ms;     /* CPU time of the earlier tasks of this process */
    unsigned n_before;    /* their number */

    struct str input;
    uint64_t input_at, input_tag; /* offset of input in the whole stream; tag of the request to answer */
    bool input_waits, input_eof;

    struct shim_pmi *pmi; /* NULL: not served */
    int pmi_program;      /* stoker-pmi, opened with this program: the two are of one release; -1: none */
    pid_t pmi_pid;   /* the parent of its server, a child beside the processes of the task; waitpid(-1) does
                      * not count it; 0: none */
    struct pty *pty; /* NULL: no terminal. The first rank's input and output are its two ends */
};

/* Keeps the first message: what follows from it is noise. */
void shim_message(struct shim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The agent is another account than this process. */
static inline bool shim_is_shared(const struct shim *s)
{
    return s->setup.drop && s->setup.agent != 0;
}

#endif
