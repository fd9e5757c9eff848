/* shim_private.h - the parts of the shim among themselves. One process, one thread, one struct shim. */
#ifndef STOKER_BACKEND_SHIM_SHIM_PRIVATE_H
#define STOKER_BACKEND_SHIM_SHIM_PRIVATE_H

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

struct pmi;
struct pty;

enum shim_phase { SHIM_OPENING, SHIM_RUNNING, SHIM_LEFTOVERS, SHIM_GONE };

struct shim {
    const char *dir;
    int dir_fd;
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
    struct str out;
    size_t out_at;
    bool told_running;

    struct wall t_start, t_end;
    int64_t start_ms, end_ms;      /* CLOCK_BOOTTIME */
    int64_t limit_ms, early_ms;    /* when; INT64_MAX: never */
    int64_t own_left_ms;           /* of the step's own limit while its job is suspended; 0: it is not */
    bool early_sent;               /* its early signal, at least once */
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
    int64_t drain_ms; /* until when the end waits for a queue that no longer moves; 0: not yet */
    bool notes_stuck; /* nobody takes notes: no further one is tried */

    int64_t mem_ms;   /* when to look at the memory next; INT64_MAX: never */
    int64_t spool_ms; /* the same of the spool */
    uint64_t peak_kib;

    struct str input;
    uint64_t input_at, input_tag; /* offset of input in the whole stream; tag of the request to answer */
    bool input_waits, input_eof;

    struct pmi *pmi; /* NULL: not served */
    struct pty *pty; /* NULL: no terminal. The first rank's input and output are its two ends */
};

/* One of the times that must not be missed by sleep of the machine has changed. */
void shim_arm_timer(struct shim *s);
/* Its early signal is due in so many seconds; DURATION_UNLIMITED: not at all. Where it has been sent, only
 * a time that lies well ahead counts: the same limit may be told again. */
void shim_set_early(struct shim *s, uint32_t in_s);
/* The job's time limit is another now, over in in_s seconds (DURATION_UNLIMITED: never), or stands still
 * until this is called again. A limit of the step's own only stands still, and goes on. */
void shim_set_limit(struct shim *s, bool paused, uint32_t in_s);
/* Takes the ends of children. Called before anything decides how the task ends: what has ended by itself
 * has. */
void shim_reap(struct shim *s);
/* Keeps the first message: what follows from it is noise. */
void shim_message(struct shim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- shim_agent.c: the agent --- */
void link_send(struct shim *s, unsigned type, uint64_t tag, const struct rec_desc *d, const void *body);
void link_flush(struct shim *s);
/* Reads what the agent says; on its end listens for the next one. */
void link_read(struct shim *s);
/* Acts on what has been read already. */
void link_take_frames(struct shim *s);
void link_accept(struct shim *s);
void link_tell_running(struct shim *s);

/* --- shim_files.c: files as the user --- */
/* Becomes the user for good, or returns a text. Called in a child. */
const char *files_drop(const struct shim *s);
/* Enters the working directory. 0 or -errno. */
int files_enter_workdir(const struct shim *s, char *text, size_t size);
/* Opens an output as the user that the process is. Descriptor or -errno with a text. */
int files_open_output(const char *path, bool append, char *text, size_t size);
/* Whether k's file is appended to; else truncated. */
bool files_appends(const struct shim *s, const struct sink *k);
/* Makes the table of sinks and opens the spooled ones. */
int files_prepare(struct shim *s);
/* True where sinks must be opened before the ranks start. */
bool files_need_opener(const struct shim *s);
int files_start_opener(struct shim *s);
/* Takes descriptors from the opener; true when it is done. */
bool files_read_opener(struct shim *s);
/* Writes a line to the task's standard error; waits a moment at most, once in the life of a task. */
void files_note(struct shim *s, const char *line);

/* --- shim_rank.c: starting a rank --- */
int rank_spawn(struct shim *s, struct rank *r);
/* Takes what the child says of its start. */
void rank_read_report(struct shim *s, struct rank *r);

/* --- shim_io.c: labels and standard input --- */
void pump_read(struct shim *s, struct rank *r, int stream);
/* Reads what is left, a bounded piece of it, and closes. */
void pump_finish(struct shim *s, struct rank *r);
/* Whether the sink of that stream takes more now: else its rank waits, not the shim. */
bool sink_has_room(const struct shim *s, const struct rank *r, int stream);
/* Nothing may wait for the readers of k, which only the shim writes to, where it is no plain file. */
void sink_setup(struct sink *k);
/* Writes, or queues what does not leave now. */
void sink_write(struct shim *s, struct sink *k, const struct str *text);
void sink_flush(struct shim *s, struct sink *k);
/* All processes are gone: whether something queued is still worth waiting for. What a kill has cut off is
 * not, nor what nobody has taken for a while. */
bool sinks_drain(struct shim *s);
void input_take(struct shim *s, uint64_t tag, const struct msg_input *m);
void input_push(struct shim *s);

/* --- shim_pty.c: a rank on a terminal --- */
/* Before anybody speaks to the task, where its launch asks for one. */
void pty_start(struct shim *s);
/* Makes it: r reads and writes our end, given gets the rank's as its three standard ones. 0 or -errno. */
int pty_open(struct shim *s, struct rank *r, int given[3]);
/* In the rank: a session of its own on that terminal. NULL, or a text. */
const char *pty_enter(int slave);
/* Whether what it prints is taken now: else the rank waits for whoever is there. */
bool pty_has_room(const struct shim *s);
int64_t pty_next_ms(const struct shim *s);
void pty_look(struct shim *s);
/* False when there is nothing more now. */
bool pty_read(struct shim *s, struct rank *r);
/* The rank has ended: takes the rest and hangs up. */
void pty_finish(struct shim *s, struct rank *r);
void pty_input(struct shim *s, uint64_t tag, const struct msg_input *m);

/* --- shim_pmi.c: ranks that find one another --- */
void pmi_start(struct shim *s);
/* A rank's socket: ours is kept, theirs (-1: PMI is not served) is the rank's PMI_FD. 0 or -errno. */
int pmi_socket(struct shim *s, size_t rank, int *ret_theirs);
int pmi_fd(const struct shim *s, size_t rank); /* -1: closed */
void pmi_read(struct shim *s, size_t rank);
/* A fence that nobody has answered is said again. */
int64_t pmi_next_ms(const struct shim *s);
void pmi_look(struct shim *s);
/* All tasks of the step are in the fence: the others' pairs. */
void pmi_take(struct shim *s, const struct msg_pmi *m);

/* --- shim_lease.c --- */
void lease_start(struct shim *s);
/* A controller has answered what the agent sent at that time (CLOCK_BOOTTIME, milliseconds). */
void lease_renew(struct shim *s, uint64_t at_ms);
int64_t lease_next_ms(const struct shim *s);
void lease_look(struct shim *s);

/* --- shim_kill.c --- */
/* Takes the spare descriptors that are not held. */
void kill_take_spares(struct shim *s);
void kill_terminate(struct shim *s, int64_t grace_ms);
void kill_signal(struct shim *s, int signo, enum signal_target target);
void kill_round(struct shim *s);
void kill_on_request(struct shim *s, const struct launch_kill *k);

/* --- shim_spool.c --- */
void spool_start(struct shim *s);
/* Ends the task where it has written more than the spool takes. */
void spool_look(struct shim *s);

/* --- shim_mem.c --- */
void mem_start(struct shim *s);
void mem_look(struct shim *s);
/* Fills peak_rss_kib, cpu_ms and sampled. */
void mem_finish(struct shim *s, struct launch_end *end);

#endif
