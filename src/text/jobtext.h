/* jobtext.h - what a job looks like in words: the texts that lists, pages and commands share.
 *
 * Each function appends to out; none reads a clock, an environment or a locale. User text (names, comments)
 * is appended as it is: a caller that prints to a terminal filters it with cell_text.
 */
#ifndef STOKER_TEXT_JOBTEXT_H
#define STOKER_TEXT_JOBTEXT_H

#include "src/base/str.h"
#include "src/model/model.h"
#include "src/text/amount_text.h"

#define BITSTR_LEN_DEFAULT 64 /* bytes of the bracket in 6_[1,3,5] before "..." */

/* "4711", "4711_3", "4711_[0-9,12%4]"; max as job_format_id has it. */
void jobtext_id(struct str *out, const struct job *j, size_t max);
/* What a person reads for the job's name and its user, "" where there is none; of another user's job that
 * is hidden, the words for that in the chosen language. They are j's, or live for ever. */
const char *jobtext_name(const struct job *j);
const char *jobtext_user(const struct job *j);
/* One cell: R P D ! T M X ~ ... Never two meanings for one glyph on one screen, so that no state depends on
 * colour. */
char job_state_glyph(enum job_state s);
/* The same of a job: H while it is held, ~ while it waits after another job preempted it. */
char job_glyph(const struct job *j);
/* " (preempted once)", " (restarted 3 times)": what a waiting job has behind it; nothing where it has not
 * run. */
void jobtext_restarts(struct str *out, const struct job *j);

/* The nodes that it runs on or ran on, compressed: "n[1-2,5]"; nothing while it waits. */
void jobtext_nodes(struct str *out, const struct job *j);
/* The same of one step's tasks. */
void steptext_nodes(struct str *out, const struct step *s);
/* Slurm's token: "Resources", "JobHeldUser", "RaisedSignal:9", "None". m: names those of the
 * nodes asked for that take no jobs; NULL: they are known only where it is one node. */
void jobtext_reason(struct str *out, const struct job *j, const struct model *m);
/* squeue's %R: "(Resources)" for waiting jobs and those that failed, else the nodes. */
void jobtext_nodes_or_reason(struct str *out, const struct job *j, const struct model *m);
/* One line for people: the detail that the controller gave, else what of the request is in the way
 * (requesttext.h), else the token's meaning; "" where there is nothing to say. */
void jobtext_reason_words(struct str *out, const struct job *j);

/* Slurm's %M, %l and %L. */
void jobtext_elapsed(struct str *out, const struct job *j, struct wall now);
void jobtext_limit(struct str *out, const struct job *j, const struct model *m);
void jobtext_left(struct str *out, const struct job *j, const struct model *m, struct wall now);

/* "0:0", "1:0", "0:9". */
void jobtext_exit(struct str *out, const struct job *j);
/* %m: memory for a node, else for a CPU, as asked; "0" where not said. */
void jobtext_min_memory(struct str *out, const struct job *j, bool noconvert);
/* OverSubscribe: whether other jobs may be on its nodes. */
const char *jobtext_sharing(const struct job *j);
/* Amounts as Slurm writes them: cpu=2,mem=4G,node=1,billing=2,gres/gpu=1. What is 0 is left out but the
 * CPUs; m NULL: no billing. */
struct tres_amounts {
    uint32_t cpus, gpus, nodes;
    uint64_t mem_mib;
    const char *gpu_type; /* or NULL */
};
void tres_text(struct str *out, const struct tres_amounts *t, const struct model *m);

/* "cpu=2,mem=4G,node=1,billing=2,gres/gpu=1,gres/gpu:a100=1": held, or asked for while it waits. */
void jobtext_tres(struct str *out, const struct job *j, const struct model *m);
/* %b: "gres:gpu:a100:2", "N/A". */
void jobtext_tres_per_node(struct str *out, const struct job *j);
/* What is open of its dependencies: "afterok:34(unfulfilled),singleton(unfulfilled)"; nothing appended
 * where none is. */
void jobtext_dependency(struct str *out, const struct job *j, const struct model *m);

#endif
