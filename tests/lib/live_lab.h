/* live_lab.h - a real controller with models of nodes in this process, under a clock that the test moves.
 *
 *     live_open(&lab, nodes, N_OF(nodes), partitions);
 *     id = live_submit(&lab, "ann", "-c 4 -t 20");         as sbatch reads its options
 *     live_play(&lab, 600000);                             all that happens in ten minutes has happened
 *     struct msg_why *w = live_why(&lab, "ann", id);
 *     live_close(&lab);
 *
 * The users are fictitious: "root", who is an administrator, "ann", "bob" and "cas". Jobs run until their
 * time limit, or until they are ended. All requests use connections as clients do; the clock moves by some
 * milliseconds while the lab waits for an answer. A failure fails the test, unless the comment says that it
 * is returned. A program that uses it defines mono_read and wall_read by live_mono and live_wall.
 */
#ifndef STOKER_TESTS_LIB_LIVE_LAB_H
#define STOKER_TESTS_LIB_LIVE_LAB_H

#include "src/proto/msg.h"

#define LIVE_NODES 8

struct live_node {
    const char *name;
    uint32_t cpus, gpus, mem_gib;
    const char *more; /* further keys of its configuration, or NULL */
};

struct live_lab {
    char *dir, *policy; /* of the configuration, what stands behind the nodes */
    const struct live_node *nodes;
    size_t n_nodes;
    struct loop *loop;
    struct control *control;
    struct model_node *models[LIVE_NODES];
    struct live_client *clients[LIVE_NODES]; /* one for each user */
    uint32_t first_job, last_job;            /* that live_clear ends */
    struct strv windows;
    bool is_drained[LIVE_NODES];
    int log_fd;
};

/* policy: partitions, limits and so on, as stoker.cfg has them. */
void live_open(struct live_lab *l, const struct live_node *nodes, size_t n, const char *policy);
void live_close(struct live_lab *l);
/* Changes the configuration and reads it again. nodes: as many, with the same names. */
void live_policy(struct live_lab *l, const struct live_node *nodes, const char *policy);

void live_play(struct live_lab *l, int64_t ms);
struct wall live_wall(void);
struct mono live_mono(void);

/* Options as for sbatch, words separated by spaces. Returns the id. */
uint32_t live_submit(struct live_lab *l, const char *user, const char *options);
/* The same, and it may be refused. *ret: rec_fini(&msg_result_rec, ret). */
void live_try_submit(struct live_lab *l, const char *user, const char *options, struct msg_result *ret);
/* "Key=Value", as scontrol has them. The caller frees *ret. */
void live_update(struct live_lab *l, const char *user, uint32_t job, const char *change,
                 struct msg_result *ret);
void live_act(struct live_lab *l, const char *user, enum act act, uint32_t job, struct msg_result *ret);
/* reason NULL: it is resumed. */
void live_drain(struct live_lab *l, const char *node, const char *reason);
/* kind: enum window_kind; times in seconds from now; users NULL: none. nodes NULL: it is removed. */
void live_window(struct live_lab *l, uint32_t kind, const char *name, const char *nodes, int from_s,
                 int to_s, const char *users);
/* The machine goes down; it comes back. */
void live_down(struct live_lab *l, const char *node);
void live_up(struct live_lab *l, const char *node);

/* The whole answer; msg_free(MSG_WHY_CAUSES, w). NULL: there is no such job any more. */
struct msg_why *live_why(struct live_lab *l, const char *user, uint32_t job);

/* Runs one of Stoker's commands, words separated by spaces, as the administrator. Returns its output,
 * errors included; the caller frees it. */
char *live_command(struct live_lab *l, const char *line, int *ret_status);

/* Ends all jobs and windows, brings all nodes back. */
void live_clear(struct live_lab *l);

#endif
