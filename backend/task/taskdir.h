/* taskdir.h - a task's directory: the only memory that agent and shim share across their deaths.
 *
 *     DIR/tasks/JOB.STEP.TASK.ATTEMPT/
 *         shim           the shim's record: made in one step, by one winner. The text of a symbolic link;
 * in a directory that is used again a file end            struct launch_end, encoded; renamed into place
 *         ctl            socket of a shim whose agent went away
 *         slurm_script   the batch script, 0500, the user's
 *         R.out R.err    spooled output of rank R
 *
 * A supervisor's next task may take over the directory of the task before it, under another name: to make
 * and remove inodes costs more than all else in it. What a new task has not written yet has names of its
 * own, shim.tmp and end.tmp; the script stays where the next one is the same.
 */
#ifndef STOKER_BACKEND_TASK_TASKDIR_H
#define STOKER_BACKEND_TASK_TASKDIR_H

#include <sys/types.h>

#include "backend/task/proc.h"
#include "src/proto/launch.h"

#define TASKDIR_NAME_SIZE 64
#define TASKDIR_SCRIPT    "slurm_script"

/* "12.-1.0.1". Returns buf. */
const char *taskdir_name(const struct launch_key *key, char buf[static TASKDIR_NAME_SIZE]);
bool taskdir_parse_name(const char *name, struct launch_key *ret);
/* The mark in the environment of each process of a task, by which they are found when their shim was lost.
 * Returns buf. */
#define TASKDIR_MARK_SIZE 160
const char *taskdir_mark(const struct launch_key *key, const char *cluster,
                         char buf[static TASKDIR_MARK_SIZE]);

/* Who supervises. version 0: a claim by an agent that found no shim, so that a late shim gives up. */
struct shim_record {
    unsigned version;
    pid_t pid;
    uint64_t start; /* clock ticks after boot */
    char boot_id[BOOT_ID_SIZE];
    struct wall t_start;
    uint64_t nonce;                /* of the launch's key; 0: a shim of an earlier release */
    char group[TASKDIR_NAME_SIZE]; /* the word of its job's control groups; "": none */
};

/* -EEXIST where another was first. */
int taskdir_claim(int dir_fd, const struct shim_record *rec) __attribute__((warn_unused_result));
/* The claim of version 0. It writes to no file, which a late shim may be writing to. */
int taskdir_claim_for_none(int dir_fd) __attribute__((warn_unused_result));
/* -ENOENT where it is not claimed, -EBADMSG where the text is not a record. */
int taskdir_read_claim(int dir_fd, struct shim_record *ret) __attribute__((warn_unused_result));

/* Temporary name, then rename: a reader sees all of it or nothing. sync: on disk before it has its name. */
int taskdir_write_end(int dir_fd, const struct launch_end *end, bool sync)
    __attribute__((warn_unused_result));
/* Room that the agent keeps in its directory for the ends of its tasks on a full disk: gives some of it
 * back to the disk, to be tried again at once. False: there is none left. */
#define TASKDIR_RESERVE "reserve"
bool taskdir_take_reserve(int dir_fd);
/* -EBADMSG where it is not whole, or its checksum is that of another record. */
int taskdir_read_end(int dir_fd, struct launch_end *ret) __attribute__((warn_unused_result));
/* Whether an error of one of these says nothing about the directory: for want of descriptors or memory it
 * could not be looked at now. */
bool taskdir_is_passing(int r);
/* Makes the record that is there durable. */
void taskdir_sync_end(int dir_fd);

/* Gives another task the directory of a task that has ended, was acknowledged and has left no process. It
 * has no claim then. Where that fails the directory `from` is to be removed. -EEXIST: there is one `to`. */
int taskdir_pass_on(int tasks_fd, const char *from, const char *to) __attribute__((warn_unused_result));
/* The script that is in the directory is this one, as it is written for this user. */
bool taskdir_has_script(int dir_fd, const struct blob *script, uid_t uid, gid_t gid);
/* Removes the directory and what is in it. A directory that holds directories stays. */
void taskdir_remove(int tasks_fd, const char *name);

#endif
