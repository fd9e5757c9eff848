/* agent_driver.h - a controller in miniature: starts a real agent in a directory of its own and speaks
 * frames to it. */
#ifndef STOKER_TESTS_LIB_AGENT_DRIVER_H
#define STOKER_TESTS_LIB_AGENT_DRIVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define DRIVER_WAIT_MS 60000

struct driver_msg {
    uint16_t type;
    uint64_t tag;
    void *body;
};

struct driver {
    char dir[256]; /* everything of this test; files of tasks go into work/ */
    char agent_dir[300];
    pid_t agent; /* 0: not running */
    int fd;      /* -1: not connected */
    struct frame_reader in;
    struct driver_msg kept[4096]; /* came while something else was waited for */
    size_t n_kept;
    uint64_t epoch, incarnation;
    uint64_t nonce; /* of the next launches' jobs */
    char cluster[64];
    bool detect;
};

/* Makes the directory. Fails the test where it cannot. */
void driver_init(struct driver *d);
/* Ends the agent and removes the directory. */
void driver_fini(struct driver *d);
/* The account of an agent that stoker-launcher starts, where this variable names one and we are root; NULL:
 * agents have the rights of this process. d->agent is the launcher then. */
#define DRIVER_ACCOUNT_VARIABLE "STOKER_TEST_ACCOUNT"
const char *driver_account(void);
/* The agent itself: d->agent, or the child of that launcher. */
pid_t driver_agent(const struct driver *d);
void driver_start(struct driver *d);           /* an agent; returns once it listens */
void driver_kill(struct driver *d, int signo); /* and waits for its end */
int driver_dial(struct driver *d);             /* a bare connection; the caller closes it */
/* Connects and greets. Returns the answer, freed by the caller with msg_free(MSG_AGENT, ...). */
struct msg_agent *driver_greet(struct driver *d);
void driver_hang_up(struct driver *d);
void driver_connect(struct driver *d); /* start where needed, greet, expect to be obeyed */
/* Another agent in its place, which reads this policy. */
void driver_restart(struct driver *d, const char *policy);

void driver_send(struct driver *d, enum msg_kind kind, uint64_t tag, const void *body);
/* The next message of that kind for which match says true; NULL after the deadline. Freed by the caller. */
void *driver_wait(struct driver *d, enum msg_kind kind, bool (*match)(const void *body, const void *ctx),
                  const void *ctx, int timeout_ms);
/* A task of `sh -c command` as the agent's user in work/, output in work/JOB.out; step -1. Freed with
 * rec_fini(&launch_rec, ...). */
void driver_launch_init(struct driver *d, struct launch *l, uint32_t job, const char *command);
void driver_run(struct driver *d, uint32_t job, const char *command);
/* Its end, acknowledged where ack. Fails the test after the deadline. Freed with msg_free(MSG_TASK_END,
 * ...). */
struct launch_end *driver_end(struct driver *d, uint32_t job, bool ack);
struct launch_status *driver_running(struct driver *d, uint32_t job);
void driver_terminate(struct driver *d, uint32_t job, uint32_t cause, uint32_t grace_s, const char *note);

/* The file's text, "" where there is none; freed by the caller. */
char *driver_file(const struct driver *d, const char *name);
/* Waits until the file's text holds part. */
char *driver_await_file(const struct driver *d, const char *name, const char *part);
/* Waits until cond(ctx), or fails with what. */
void driver_await(bool (*cond)(void *ctx), void *ctx, const char *what);

#endif
