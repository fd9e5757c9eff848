/* cmd_import.h - what the files of stoker import share: cmd_import.c reads and writes, importmap.c
 * translates, importleft.c says what is left out. */
#ifndef STOKER_CLI_CMD_IMPORT_H
#define STOKER_CLI_CMD_IMPORT_H

#include "src/cli/ask.h"
#include "src/cli/import/slurmconf.h"

struct import {
    const struct cli *cli;
    char *output;
    bool force;
    struct slurmconf conf, gres;
    struct conf_line node_default, part_default; /* NodeName=DEFAULT ... */
    struct str out, left;                        /* the file; what could not be carried over */
    unsigned n_left;
    const char *preempt_mode;        /* of partitions that say none; NULL: off */
    const char *preempt_exempt_time; /* of partitions whose jobs are preempted; NULL: none */
    const char *def_mem_per[3];      /* CPU, GPU, node; of partitions that say none */
    struct strv qos;                 /* that partitions name */
};

/* Makes m->out of m->conf and m->gres, and m->left of what has no place in it. */
void import_make(struct import *m);

/* Notes that what stands in a line has no place here (importleft.c). */
void import_leave(struct import *m, const struct conf_line *l, const char *what, const char *why);
/* Notes every pair of the file that nothing has used. */
void import_list_unused(struct import *m, struct slurmconf *c);

#endif
