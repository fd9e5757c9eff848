/* scontrol_ask.h - requests of scontrol to the controller, and what it says when they fail. */
#ifndef STOKER_CLI_SCONTROL_ASK_H
#define STOKER_CLI_SCONTROL_ASK_H

#include "src/cli/ask.h"

struct scontrol {
    const struct cli *cli;
    bool oneline, detail, quiet, json;
    struct client *client; /* connected at the first need; NULL before */
    bool quit;             /* the interactive mode is over */
};

/* The connection, made where it is not yet. NULL where the controller is away: *ret_text are Slurm's words
 * for it. */
struct client *scontrol_client(struct scontrol *s, const char **ret_text);
/* Says it in Slurm's form, unless quiet. what: Slurm's name of the call. Returns 1. */
int scontrol_failed(const struct scontrol *s, const char *what, const char *text);
/* Where Slurm's words for a refusal would leave one guessing: a line of its own before them that says what
 * exactly is wrong. No-op when quiet. */
void scontrol_say_why(const struct scontrol *s, enum refusal refusal, const struct errtext *err);
/* A request whose answer is that it was done. Returns the exit code. */
int scontrol_request(struct scontrol *s, enum msg_kind kind, const void *body, const char *what);
/* Fetches into m, which is initialised here and to be freed in any case. Returns the exit code. */
int scontrol_fetch(struct scontrol *s, struct msg_get *get, struct model *m, const char *what);

#endif
