/* scontrol.h - what the files of scontrol share. */
#ifndef STOKER_CLI_SCONTROL_H
#define STOKER_CLI_SCONTROL_H

#include "src/cli/ask.h"

struct scontrol {
    const struct cli *cli;
    bool oneline, detail, quiet, json;
    struct client *client; /* connected at the first need; NULL before */
    bool quit;             /* the interactive mode is over */
};

/* --- scontrol_ask.c --- */

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

/* --- the commands: scontrol_show.c, scontrol_act.c --- */

/* argv behind the command's own name. Return exit codes. */
int scontrol_show(struct scontrol *s, size_t n, char *const *words);
int scontrol_act(struct scontrol *s, enum act act, bool admin_hold, size_t n, char *const *words);
/* top JOB...: before the user's other waiting jobs. */
int scontrol_top(struct scontrol *s, size_t n, char *const *w);
int scontrol_update(struct scontrol *s, size_t n, char *const *words);

/* Reservations (scontrol_reservation.c). words: key=value; name NULL: all. */
int scontrol_create_reservation(struct scontrol *s, size_t n, char *const *words);
int scontrol_update_reservation(struct scontrol *s, const char *name, size_t n, char *const *words);
int scontrol_delete_reservation(struct scontrol *s, const char *name);
int scontrol_show_reservations(struct scontrol *s, const char *name);

/* What becomes of jobs, and which processes are theirs (scontrol_watch.c). */
int scontrol_completing(struct scontrol *s, size_t n, char *const *w);
int scontrol_notify(struct scontrol *s, size_t n, char *const *w);
int scontrol_wait_job(struct scontrol *s, size_t n, char *const *w);
int scontrol_listpids(struct scontrol *s, size_t n, char *const *w);
int scontrol_pidinfo(struct scontrol *s, size_t n, char *const *w);
int scontrol_errnumstr(struct scontrol *s, size_t n, char *const *w);

/* Partitions are lines of stoker.cfg: says that no such partition is there, or that it is not changed here.
 * what: Slurm's name of the call; word (may be NULL): what it was called with. */
int scontrol_no_partition_change(struct scontrol *s, const char *what, const char *word, const char *name);

#endif
