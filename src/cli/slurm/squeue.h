/* squeue.h - what squeue was asked for, and the listing that it makes of the jobs. */
#ifndef STOKER_CLI_SQUEUE_H
#define STOKER_CLI_SQUEUE_H

#include "src/cli/cmd.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/columns.h"
#include "src/cli/listing/lines.h"

struct squeue {
    struct job_filter filter;
    struct strv unknown_users;
    char *letters, *names; /* -o, -O: the one given last */
    char *sort, *cluster;
    bool no_header, long_form, elements, start, steps, json, noconvert, ids_given;
    struct target_list step_ids;
    uint32_t iterate_s;
};

/* --- squeuelist.c --- */

struct squeue_listing {
    const struct squeue *q;
    const struct model *m;
    struct format format;
    struct strv bad_columns;
    struct sorting sorting;
    struct errtext bad_sorting;
    struct job_cx cx;
    struct idmap starts;
    struct listing_lines lines;
    bool any_named; /* something of what -j named exists */
};

/* q and m stay the caller's and outlive it. */
void listing_init(struct squeue_listing *l, const struct squeue *q, const struct model *m);
void listing_fini(struct squeue_listing *l);

/* The members of jobs that it looks at. MEMBERS_ALL: it looks at all jobs at once. */
struct job_members listing_reads(const struct squeue_listing *l);
/* What times are printed against; once the model knows the time. No-op when it has been called. */
void listing_make_cx(struct squeue_listing *l);
/* Adds what is asked for of the job, if anything is. ctx: the listing; as client_each_job calls it. */
void listing_add_job(void *ctx, const struct job *j);
/* --start: is its estimate to be asked for? It goes into l->starts before the job is added. */
bool listing_wants_start(const struct squeue_listing *l, const struct job *j);

/* Returns the exit code; what was wrong with the format or the sorting is said. */
int listing_print(struct squeue_listing *l, const struct cli *cli);

#endif
