/* asking.h - one request to a controller and its answer: for requests that no command of ours makes. What
 * cannot be asked fails the test. */
#ifndef STOKER_TESTS_LIB_ASKING_H
#define STOKER_TESTS_LIB_ASKING_H

#include "src/client/client.h"

#define WITHIN_MS 60000 /* beside other tests on a slow machine */

struct answer {
    enum msg_kind kind;
    uint32_t refusal, job;
    int32_t step;
    char text[512];
};

struct answer ask(struct client *c, enum msg_kind kind, const void *body);
struct answer ask_and_fini(struct client *c, enum msg_kind kind, const struct rec_desc *d, void *body);
/* part: what its text must have in it. */
void expect_answer(const struct answer *a, uint32_t refusal, const char *part);

/* A batch job that sleeps, a step job without steps yet, or a terminal's. */
struct msg_submit submission(enum job_kind kind, const char *request_id);
/* A step of one task, one rank. */
void plain_step_init(struct step *s);
struct msg_step_create step_create(uint32_t job, const char *command);

/* These free what they are given. */
struct answer ask_submit(struct client *c, struct msg_submit *m);
struct answer ask_create(struct client *c, struct msg_step_create *m);
struct answer ask_act(struct client *c, enum act what, uint32_t job);
/* change: "Key=value". */
struct answer ask_update(struct client *c, uint32_t job, const char *change);

/* Until the job is in the state; with JOB_N_STATES until its step is done. */
void await_state(struct client *c, uint32_t job, int32_t step, uint32_t state);

/* The test's directories are its owner's: others shall come to the controller's socket. */
void let_all_reach_the_controller(void);

#endif
