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

/* The connection, made where it is not yet. NULL where the controller is away: *ret_text are Slurm's words
 * for it. */
struct client *scontrol_client(struct scontrol *s, const char **ret_text);

/* argv behind the command's own name. Return exit codes. */
int scontrol_show(struct scontrol *s, size_t n, char *const *words);
int scontrol_act(struct scontrol *s, enum act act, bool admin_hold, size_t n, char *const *words);
/* top JOB...: before the user's other waiting jobs. */
int scontrol_top(struct scontrol *s, size_t n, char *const *w);
int scontrol_update(struct scontrol *s, size_t n, char *const *words);

/* Reservations (screservation.c). words: key=value; name NULL: all. */
int scontrol_create_reservation(struct scontrol *s, size_t n, char *const *words);
int scontrol_update_reservation(struct scontrol *s, const char *name, size_t n, char *const *words);
int scontrol_delete_reservation(struct scontrol *s, const char *name);
int scontrol_show_reservations(struct scontrol *s, const char *name);

/* Is word an abbreviation of name, any case, of at least min letters? */
bool scontrol_is(const char *word, const char *name, size_t min);

#endif
