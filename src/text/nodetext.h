/* nodetext.h - what a node looks like in words: Slurm's states, figures, lists. Pure, as jobtext.h. */
#ifndef STOKER_TEXT_NODETEXT_H
#define STOKER_TEXT_NODETEXT_H

#include "src/base/str.h"
#include "src/model/model.h"

/* X(enum member, Slurm's short form, long form, scontrol's) */
#define NODE_LOOKS(X)                           \
    X(IDLE, "idle", "idle", "IDLE")             \
    X(MIX, "mix", "mixed", "MIXED")             \
    X(ALLOC, "alloc", "allocated", "ALLOCATED") \
    X(COMP, "comp", "completing", "COMPLETING") \
    X(DRAIN, "drain", "drained", "IDLE+DRAIN")  \
    X(DRNG, "drng", "draining", "MIXED+DRAIN")  \
    X(DOWN, "down", "down", "DOWN")             \
    X(UNK, "unk", "unknown", "UNKNOWN")

enum node_look {
#define X(name, shrt, lng, full) NODE_LOOK_##name,
    NODE_LOOKS(X)
#undef X
        NODE_N_LOOKS
};

/* completing: a job on it is cleaning up. */
enum node_look node_look(const struct node *n, bool completing);
/* "idle", "drain*"; long_form: "idle", "drained*". */
void nodetext_state(struct str *out, const struct node *n, bool completing, bool long_form);
/* scontrol's "MIXED+DRAIN", "DOWN+NOT_RESPONDING". */
void nodetext_state_full(struct str *out, const struct node *n, bool completing);
/* Why it is out of use, with whose word and since when: an administrator's, else what keeps it from being
 * reached. NULL: nothing known. */
const char *node_reason(const struct node *n, const char **ret_user, struct wall *ret_t);
/* One cell: . free, + part, A full, c completing, # out. */
char node_glyph(const struct node *n);
/* Does text, a state in any of Slurm's forms, name what the node is? "alloc" takes mixed nodes too, as
 * sinfo -t does. */
bool node_is_in_state(const struct node *n, bool completing, const char *text);
/* True where text is such a state. */
bool node_state_is_known(const char *text);

/* What is wrong with a GPU: "lost (0000:3b:00.0)", "used by process 7 of bob (python), not of the queue".
 * NULL: nothing. */
const char *node_gpu_note(const struct node *n, unsigned gpu);

/* The same of notes that an agent has sent. */
const char *gpu_note_of(const struct strv *notes, unsigned gpu);
/* What has happened to it: "drained by root: fan is loud", "lost: it does not answer". */
void nodetext_event(struct str *out, const struct node_event *e);

/* "gpu:a100:4", "gpu:2", "(null)". */
void nodetext_gres(struct str *out, const struct node *n);
/* The same of what is in use: "gpu:a100:2(IDX:0-1)". */
void nodetext_gres_used(struct str *out, const struct node *n);
/* "cpu=8,mem=32G,billing=8,gres/gpu=4". used: what jobs hold, nothing appended where they hold nothing. */
void nodetext_tres(struct str *out, const struct node *n, const struct model *m, bool used);

#endif
