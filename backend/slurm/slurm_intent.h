/* slurm_intent.h - submissions that are on disk before sbatch is started, so that a crash neither forgets
 * one nor makes two of it.
 *
 * A directory for each, named by the number that the client has given it:
 *
 *     ROOT/NUMBER/SCRIPT   what is submitted
 *     ROOT/NUMBER/out      what sbatch prints: the job's id. Locked for as long as sbatch has it open
 *     ROOT/NUMBER/says     its errors
 *
 * sbatch writes into these files itself, so its answer is there even if its reader has ended. If it is not,
 * the job is found in Slurm by its mark: the script's path, or the comment, holds NUMBER.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_INTENT_H
#define STOKER_BACKEND_SLURM_SLURM_INTENT_H

#include "src/base/err.h"
#include "src/base/time.h"
#include "src/record/rec.h"

#define SLURM_INTENT_MARK "stoker:"        /* in a comment, in front of NUMBER */
#define SLURM_INTENT_DIR  "/stoker/slurm/" /* in the path of a script */

/* Where those of the server with this name are kept: in the user's state directory, for this host. Caller
 * frees. */
char *slurm_intent_root(const char *server) __attribute__((warn_unused_result));

/* Whether that is a number that a client may choose: it becomes a name of a directory. */
bool slurm_intent_is_number(const char *text);

struct slurm_intent {
    char *number, *dir, *script; /* script: the file's path */
    int out_fd, says_fd;         /* for sbatch; out_fd has the lock; -1: closed */
};

/* Writes it; all is on disk when it returns. It may be there from an earlier attempt, whose sbatch has
 * ended. Errors: -EBUSY, that sbatch runs; -errno. */
int slurm_intent_begin(const char *root, const char *number, const char *script_name,
                       const struct blob *script, struct slurm_intent *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* Closes its descriptors; it stays on disk. */
void slurm_intent_close(struct slurm_intent *i);
void slurm_intent_fini(struct slurm_intent *i);

struct slurm_intent_state {
    bool is_there;
    bool runs;    /* its sbatch has not ended */
    uint32_t job; /* 0: not known */
    char *says;   /* its errors; never NULL */
    struct wall begun;
};
void slurm_intent_read(const char *root, const char *number, struct slurm_intent_state *ret);
void slurm_intent_state_fini(struct slurm_intent_state *s);

/* Notes the job that was found elsewhere. */
void slurm_intent_note(const char *root, const char *number, uint32_t job);
void slurm_intent_forget(const char *root, const char *number);
/* All numbers; the caller frees. */
void slurm_intent_list(const char *root, struct strv *ret);

/* The job that sbatch --parsable has printed: the last line that is "ID" or "ID;CLUSTER". 0: none. */
uint32_t slurm_intent_job(const char *text);

#endif
