/* import_internal.h - what the files of stoker import share: cmd_import.c reads and writes, importmap.c
 * translates, importtopology.c has the groups of nodes, importleft.c says what is left out. */
#ifndef STOKER_CLI_IMPORT_INTERNAL_H
#define STOKER_CLI_IMPORT_INTERNAL_H

#include "src/base/idmap.h"
#include "src/cli/ask.h"
#include "src/cli/import/slurmconf.h"

struct import {
    const struct cli *cli;
    char *output;
    bool force;
    struct slurmconf conf, gres, topology;
    struct conf_line node_default, part_default; /* NodeName=DEFAULT ... */
    struct str out, left;                        /* the file; what could not be carried over */
    unsigned n_left;
    const char *preempt_mode;        /* of partitions that say none; NULL: off */
    const char *preempt_exempt_time; /* of partitions whose jobs are preempted; NULL: none */
    const char *def_mem_per[3];      /* CPU, GPU, node; of partitions that say none */
    struct strv qos;                 /* that partitions name */
    struct strv groups;              /* leaf switches or blocks of the topology */
    struct idmap group_of;           /* hash of a node's name -> its place in groups, from 1 on */
};

/* Makes m->out of m->conf, m->gres and m->topology, and m->left of what has no place in it. */
void import_make(struct import *m);

/* Whether a file names switches or blocks. */
bool import_is_topology(const struct slurmconf *c);
/* Reads the groups of m->topology. */
void import_read_topology(struct import *m);
/* Writes the nodes of a line, with their groups: several entries if they are in several. rest: the settings
 * that they share. */
void import_write_nodes(struct import *m, const struct conf_line *l, const char *name, const char *rest);

/* Notes that what stands in a line has no place here (importleft.c). */
void import_leave(struct import *m, const struct conf_line *l, const char *what, const char *why);
/* Notes every pair of the file that nothing has used. */
void import_list_unused(struct import *m, struct slurmconf *c);

#endif
