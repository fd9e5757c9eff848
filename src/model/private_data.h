/* private_data.h - what users may not see of other users, as Slurm's PrivateData: a bit for each word of
 * the key `private`. */
#ifndef STOKER_MODEL_PRIVATE_DATA_H
#define STOKER_MODEL_PRIVATE_DATA_H

#include "src/model/job.h"

/* X(bit, word) */
#define PRIVATE_DATA(X) \
    X(JOBS, "jobs")     \
    X(USAGE, "usage")   \
    X(NODES, "nodes")

enum private_word {
#define X(name, word) PRIVATE_WORD_##name,
    PRIVATE_DATA(X)
#undef X
        PRIVATE_N_WORDS
};
enum private_data {
#define X(name, word) PRIVATE_##name = 1 << PRIVATE_WORD_##name,
    PRIVATE_DATA(X)
#undef X
};

/* The bits of a list of words; *ret_unknown (may be NULL): the first that is none of them, else NULL. */
uint32_t private_data_of(const struct strv *words, const char **ret_unknown);

/* In the place of a user and of a name in what another user is told. */
#define PRIVATE_USER "another user"
#define PRIVATE_NAME "another user's job"
#define UID_PRIVATE  UINT32_MAX

/* A row of another user's job, as a user is told it who may know what it holds and nothing else. */
static inline bool job_is_masked(const struct job *j)
{
    return j->uid == UID_PRIVATE;
}

/* Whether a command line in the job has arguments. */
bool job_has_arguments(const struct job *j);
/* Cuts each command line of the job after the program. */
void job_cut_arguments(struct job *j);

#endif
