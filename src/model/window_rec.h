/* window_rec.h - a window, as it is kept and stored; window.h says what it means. */
#ifndef STOKER_MODEL_WINDOW_REC_H
#define STOKER_MODEL_WINDOW_REC_H

#include <stdbool.h>
#include <stdint.h>

#include "src/record/rec.h"

#define WINDOW_ALL_NODES "ALL"

enum window_kind { WINDOW_MAINTENANCE, WINDOW_RESERVATION };

struct window {
    uint32_t id; /* grows; of the first event that made it */
    char *name;
    struct strv nodes;      /* expanded names, or WINDOW_ALL_NODES alone */
    struct wall start, end; /* [start, end) */
    uint32_t kind;          /* enum window_kind */
    struct strv users;      /* of a reservation: who may use it, beside its accounts' users */
    struct strv accounts;
    char *reason;
    char *user; /* who made it */
    struct wall t_made;
};
#define WINDOW_FIELDS(F, G, S)                                                                       \
    F(S, U32, id) F(S, STR, name) F(S, STRV, nodes) F(S, WALL, start) F(S, WALL, end) F(S, U32, kind) \
    F(S, STRV, users) F(S, STRV, accounts) F(S, STR, reason) F(S, STR, user) F(S, WALL, t_made)

struct ev_window { /* a window is made or changed (the whole of it), or deleted (its name alone counts) */
    struct window window;
    bool remove;
};
#define EV_WINDOW_FIELDS(F, G, S) G(S, SUB, window, window) F(S, BOOL, remove)

extern const struct rec_desc window_rec, ev_window_rec;

#endif
