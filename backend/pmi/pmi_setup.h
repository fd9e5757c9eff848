/* pmi_setup.h - what supervisor and PMI server say to one another.
 *
 *     shim --PMI_SETUP, MSG_PMI_ALL, PMI_ASK_PAST--> server --MSG_PMI_FENCE, PMI_TELL, PMI_END--> shim
 *
 * where MSG_PMI_ALL and MSG_PMI_FENCE have the body that travels between node and controller. The socket
 * between them is PMI_SHIM_FD of the server. Both are of one release: the shim keeps the program open.
 */
#ifndef STOKER_BACKEND_PMI_PMI_SETUP_H
#define STOKER_BACKEND_PMI_PMI_SETUP_H

#include "src/proto/launch.h"

#define PMI_PROGRAM "stoker-pmi"
#define PMI_SHIM_FD 0
#define PMI_FRAME_MAX \
    (6u << 20)            /* the part of a task, or a piece of the answer, with its strings' lengths */
#define PMI_LINE_MAX 1024 /* of the text of PMI_END */

/* Frame types. */
enum {
    PMI_SETUP = 0xf100, /* the first frame: a struct pmi_setup */
    PMI_ASK_PAST =
        0xf101,        /* the ranks have ended: are all tasks of the step past the last fence? No body */
    PMI_TELL = 0xf102, /* the tag is made of bits: */
    PMI_END = 0xf103,  /* the step is to end; the body is a line for its user, without a zero */
};

/* Bits of PMI_TELL. */
enum {
    PMI_IS_KEEPER = 1, /* keeps the answer of a fence that other tasks may lack */
    PMI_ALL_PAST = 2,  /* no task needs it any more */
};

struct pmi_setup_rank {
    uint32_t rank; /* in the step */
    int32_t fd;    /* the server's end of the rank's socket */
};
#define PMI_SETUP_RANK_FIELDS(F, G, S) F(S, U32, rank) F(S, I32, fd)

/* What the server has to know of the launch. */
struct pmi_setup {
    struct launch_key key;
    char *node;           /* NULL: not known */
    char *mapping;        /* as pmi_mapping of the launch */
    uint32_t size, tasks; /* of the step: ranks, and tasks among which they are divided */
    REC_LIST(struct pmi_setup_rank) ranks;
};
#define PMI_SETUP_FIELDS(F, G, S)                                                                     \
    G(S, SUB, key, launch_key) F(S, STR, node) F(S, STR, mapping) F(S, U32, size) F(S, U32, tasks) \
    G(S, LISTOF, ranks, pmi_setup_rank)

extern const struct rec_desc pmi_setup_rank_rec, pmi_setup_rec;

#endif
