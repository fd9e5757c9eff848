/* jobfile.h - the file of a step job: what the job asks for, and its steps one after the other.
 *
 *     name = "train"; partition = "main"; time = "2h"; gpus = 1;
 *     steps = (
 *       { name = "prepare"; command = "./prepare.sh"; gpus = 0; },
 *       { name = "train"; tasks = 8; script = "train.sh"; mem = "8G"; on_failure = "continue"; }
 *     );
 */
#ifndef STOKER_CONF_JOBFILE_H
#define STOKER_CONF_JOBFILE_H

#include "src/base/err.h"
#include "src/model/job.h"

#define JOBFILE_MAX_STEPS  10000
#define JOBFILE_MAX_TASKS  100000     /* of all steps together, each times its nodes */
#define JOBFILE_MAX_SCRIPT (4u << 20) /* bytes */

struct jobfile_step {
    struct step step; /* declared: tasks empty, id set */
    struct strv argv; /* /bin/sh -c COMMAND; empty with a script */
    struct blob script;
    struct strv env; /* NAME=value: over the job's */
};

struct jobfile {
    struct job_req req;
    bool hold;
    struct strv env;                     /* NAME=value: over the submitter's */
    char *path;                          /* the file, for display */
    REC_LIST(struct jobfile_step) steps; /* at least one */
};

/* Reads path, and the scripts that it names relative to itself. Owns: the caller frees *ret with
 * jobfile_fini. Errors: -ENOENT and the like, -EINVAL; the text is "FILE:LINE: ...". */
int jobfile_load(const char *path, struct wall now, struct jobfile *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same of a text in memory, called path in errors; scripts count from path as well. */
int jobfile_parse(const char *path, const char *text, struct wall now, struct jobfile *ret,
                  struct errtext *err) __attribute__((warn_unused_result));
void jobfile_fini(struct jobfile *f);

/* Appends the reference of all keys, as docs/JOBFILE.md has it. */
void jobfile_reference(struct str *out);

#endif
