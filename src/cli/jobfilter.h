/* jobfilter.h - which of the cluster's jobs a command means: by id, user, state, partition and so on.
 *
 * What the controller can select (ids, users, states) goes into the request; all of it is checked again
 * here.
 */
#ifndef STOKER_CLI_JOBFILTER_H
#define STOKER_CLI_JOBFILTER_H

#include <sys/types.h>

#include "src/base/vec.h"
#include "src/client/client.h"
#include "src/jobspec/jobtargets.h"
#include "src/model/members.h"
#include "src/model/model.h"

#define STATES_QUEUED   (1u << JOB_PENDING | 1u << JOB_RUNNING | 1u << JOB_SUSPENDED | 1u << JOB_COMPLETING)
#define STATES_ALL      ((1u << JOB_N_STATES) - 1)
#define STATES_REQUEUED (1u << 30) /* no job is in it, but runs are: src/model/runs.h */

struct job_filter {
    struct target_list targets;
    bool by_user;      /* one of users or uids; no job where both are empty */
    bool me;           /* the caller, see filter_set_me_there */
    struct strv users; /* names */
    VEC(uid_t) uids;   /* users that have no name here */
    struct strv partitions, names, accounts, qos, nodes, licenses, reservations, wckeys; /* empty: any */
    uint32_t states;                                                                     /* mask; 0: any */
};

void job_filter_fini(struct job_filter *f);

/* A comma list that replaces what the list held. */
void filter_set_list(struct strv *list, const char *text);
/* Names and uids between commas. Unknown ones go into unknown. */
void filter_set_users(struct job_filter *f, const char *text, struct strv *unknown);
void filter_set_user_me(struct job_filter *f);
/* Behind the connection: on another machine "me" is the account that was logged in to there. */
void filter_set_me_there(struct job_filter *f, const struct client *c);
/* For requests that take names alone: the controller knows a user without a name by the number. */
void filter_name_uids(struct job_filter *f);
/* State names between commas, any form and case; "all". Slurm's other states are taken and match nothing.
 * Errors: -EINVAL; the text is the word that is not a state. */
int filter_parse_states(const char *text, uint32_t *ret_mask, struct errtext *err)
    __attribute__((warn_unused_result));
/* Nodes in bracket form. */
int filter_set_nodes(struct job_filter *f, const char *text, struct errtext *err)
    __attribute__((warn_unused_result));

/* What to ask for; get is zeroed before and to be freed with rec_fini(&msg_get_rec, get). Ids are asked for
 * whatever their state: "finished" and "unknown" are told apart here. */
void job_filter_to_get(const struct job_filter *f, uint32_t what, struct msg_get *get);
/* What job_filter_takes looks at. */
struct job_members job_filter_reads(const struct job_filter *f);
/* Everything but the ids. */
bool job_filter_takes(const struct job_filter *f, const struct job *j);
/* Is the job still in the answers: not ended, or not longer ago than MinJobAge? */
bool job_is_listed(const struct job *j, const struct model *m);

#endif
