/* ask.h - talking to the controller, as every asking command does it. */
#ifndef STOKER_CLI_ASK_H
#define STOKER_CLI_ASK_H

#include "src/cli/cmd.h"
#include "src/client/client.h"

#define EXIT_NOT_FOUND 3
#define EXIT_REFUSED   4
#define EXIT_AWAY      5
#define EXIT_TIMED_OUT 6

/* strerror's place for Slurm's names. */
#define SLURM_AWAY    "Unable to contact slurm controller (connect failure)"
#define SLURM_TIMEOUT "Socket timed out on send/recv operation"

/* Flags for client_connect. Slurm's names mean Stoker's own cluster: where there is a Slurm, its own
 * commands are there too. */
unsigned ask_flags(const struct cli *cli);

/* For stoker's own commands: connects, and starts nothing. Says what is wrong in one line and returns NULL;
 * the command exits with EXIT_AWAY then. */
struct client *ask_connect(const struct cli *cli) __attribute__((warn_unused_result));
/* For Slurm's names: starts nothing. *ret_text: Slurm's words for the failure; where people read them, a
 * line says what was searched and how to start it. */
const char *ask_words_slurm(int rc); /* of -ETIMEDOUT and the like */
void ask_say_away(const struct cli *cli, int rc, const struct errtext *err); /* that line alone */
struct client *ask_connect_slurm(const struct cli *cli, const char **ret_text)
    __attribute__((warn_unused_result));

/* client_fetch into m, which is initialised here. Returns 0, or EXIT_AWAY after saying why: m is empty
 * then, still to be freed. */
int ask_fetch(const struct cli *cli, struct client *c, const struct msg_get *get, struct model *m)
    __attribute__((warn_unused_result));

/* Asks for one answer of kind want. Returns its body, to be freed with msg_free(want, ...). NULL where it
 * failed: after a RESULT *refusal holds it (its text is copied into err), else refusal is NONE and the
 * connection is lost. */
void *ask_call(struct client *c, enum msg_kind kind, const void *body, enum msg_kind want,
               enum refusal *refusal, struct errtext *err) __attribute__((warn_unused_result));

/* The exit code of a refused or failed ask_call, for stoker's own commands; prints "name: error: text". */
int ask_failed(const struct cli *cli, enum refusal refusal, const struct errtext *err);

/* Does what a body asks and expects RESULT. Returns 0, or the exit code after saying why. *ret (may be
 * NULL) gets the counts. */
int ask_result(const struct cli *cli, struct client *c, enum msg_kind kind, const void *body,
               struct msg_result *ret) __attribute__((warn_unused_result));

/* Writes all of b to standard output and empties it. Returns false if the reader has gone. */
bool out_flush(struct str *b);

/* Width of the terminal at standard output; 0 where it is none. */
unsigned terminal_width(void);
/* May colour be used: a terminal at standard output, TERM not dumb, NO_COLOR unset. */
bool color_is_welcome(void);

#endif
