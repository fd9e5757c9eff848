/* filename.h - output file patterns: %j %A %a %J %x %u %N %n %t %s %r %b %%. */
#ifndef STOKER_JOBENV_FILENAME_H
#define STOKER_JOBENV_FILENAME_H

#include "src/model/job.h"

struct filename_args {
    const struct job *job;
    int32_t step;        /* STEP_BATCH for the script's own output */
    uint32_t rank;       /* %t */
    uint32_t node_index; /* %n */
    const char *node;    /* %N; NULL: %N stays as it is */
    bool of_elements; /* of an array, not started: %a, %b, %j and %J, which are theirs, stay as they are */
};

/* Bytes of an expanded name: Linux opens no longer one (PATH_MAX), so what is cut off was never a file. */
#define FILENAME_BYTES_MAX 4096u

/* Expands pattern and makes it absolute against workdir. "%4t" pads with zeros (width at most 10); a
 * pattern with a backslash pair is taken literally. At most FILENAME_BYTES_MAX and one more, which cannot
 * be opened: 2,000 times "%x" in a pattern of 4,000 bytes would be a quarter of a million. Owns: the caller
 * frees. Source: sbatch(1), "filename pattern". */
char *filename_expand(const char *pattern, const char *workdir, const struct filename_args *a)
    __attribute__((warn_unused_result));

/* Where the batch script's standard output and error go: the request's pattern or slurm-%j.out,
 * slurm-%A_%a.out. stderr follows stdout where not given. NULL, here and below: the job is one of
 * another user whose files are hidden (job_is_masked). Owns: the caller frees. */
char *job_stdout_path(const struct job *j) __attribute__((warn_unused_result));
char *job_stderr_path(const struct job *j) __attribute__((warn_unused_result));

/* The same for people to read. Of the elements of an array that have not started each will have a path of
 * its own: "/w/slurm-4712_%a.out". Where the pattern has nothing of theirs, and of any other job, it is the
 * path. Owns: the caller frees. */
char *job_stdout_pattern(const struct job *j) __attribute__((warn_unused_result));
char *job_stderr_pattern(const struct job *j) __attribute__((warn_unused_result));

/* Of one rank of a step; NULL where that stream is not a file but streamed to srun. For a step job's task
 * without a pattern: stoker-%j-%s-%t.out. */
char *step_stdout_path(const struct job *j, const struct step *s, const struct task *t, uint32_t rank)
    __attribute__((warn_unused_result));
char *step_stderr_path(const struct job *j, const struct step *s, const struct task *t, uint32_t rank)
    __attribute__((warn_unused_result));
/* Whether several tasks of the step may write to one file: the pattern has nothing that differs from task
 * to task. stream: 1 or 2. */
bool step_output_is_shared(const struct job *j, const struct step *s, int stream);

#endif
