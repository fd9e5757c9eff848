/* message.h - the submission of a job as it travels: the request and everything that goes along with it.
 *
 * Every submission carries a request id of its own, so that it can be repeated over another connection and
 * still gives one job.
 */
#ifndef STOKER_JOBSPEC_MESSAGE_H
#define STOKER_JOBSPEC_MESSAGE_H

#include "src/client/client.h"
#include "src/conf/jobfile.h"
#include "src/jobspec/jobopts.h"
#include "src/jobspec/script.h"

/* Starts m from finished options, whose request is moved out; gives it a request id, this host and the
 * umask. msg_submit_rec frees it. */
void submission_init(struct msg_submit *m, struct jobopts *o, enum job_kind kind);

/* What --export makes of the caller's environment, cleaned of the calling job's variables, with
 * SLURM_SUBMIT_DIR (cwd; NULL: without). far_env: what a job begins with where the cluster is another
 * machine's, whose environment is not the caller's: of that only the variables go along that spec names.
 * NULL: it is this machine's. */
int submission_env(const char *spec, const char *cwd, const struct strv *far_env, struct strv *ret,
                   struct errtext *err) __attribute__((warn_unused_result));

/* The soft resource limits of this process, as far as --propagate lets them go along. */
void message_add_limits(const struct jobopts *o, struct step_payload *p);
/* What the options and the calling process put into a batch script's environment, and into that of salloc's
 * command. */
void message_set_env(const struct jobopts *o, struct strv *env);

/* A batch job: takes the script's text and the options' request, which are finished. args: the script's
 * arguments. Errors: texts as Slurm's. */
int message_of_script(struct jobopts *o, struct script *s, char *const *args, size_t n_args,
                      struct msg_submit *ret, struct errtext *err) __attribute__((warn_unused_result));

/* A step job. First the file's request becomes what later options go over; once these are in and finished,
 * the message takes the request and the file's steps. */
void message_take_jobfile(struct jobopts *o, struct jobfile *f);
int message_of_jobfile(struct jobopts *o, struct jobfile *f, struct msg_submit *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
