/* scontrol_reservation.h - scontrol create, update, delete and show of reservations. */
#ifndef STOKER_CLI_SCONTROL_RESERVATION_H
#define STOKER_CLI_SCONTROL_RESERVATION_H

#include "src/cli/scontrol/scontrol_ask.h"

/* Reservations (scontrol_reservation.c). words: key=value; name NULL: all. */
int scontrol_create_reservation(struct scontrol *s, size_t n, char *const *words);
int scontrol_update_reservation(struct scontrol *s, const char *name, size_t n, char *const *words);
int scontrol_delete_reservation(struct scontrol *s, const char *name);
int scontrol_show_reservations(struct scontrol *s, const char *name);

#endif
