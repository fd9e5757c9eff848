/* privacy.h - what a client is told about other users: the key `private` of the configuration.
 *
 * Every answer goes through here: rows, events, causes, plans, figures. Administrators are told everything,
 * users everything about themselves. The arguments of commands are never told to another user.
 */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_PRIVACY_H
#define STOKER_BACKEND_CONTROL_CLIENTS_PRIVACY_H

#include "backend/control/clients/session.h"
#include "src/model/private_data.h"

/* PRIVATE_* that hold for the session; 0 for an administrator. */
uint32_t privacy_of(const struct session *s);
/* Whether the session may know of the job only that it is there, and what it holds. */
bool privacy_hides_job(const struct session *s, const struct job *j);

/* The job as the session may see it, for a row that is encoded at once. commands: the client wants the
 * command lines. *room is used where j cannot be shown as it is; then privacy_end_row frees it. */
struct private_row {
    struct job job;
    struct job_rare rare; /* this and the members below are those of a hidden job */
    struct job_origin origin;
    struct job_req_detail detail;
    bool used;                   /* job owns what is in it */
    REC_LIST(struct step) steps; /* its job owns nothing */
    struct task *tasks;          /* of all those steps, one after another */
};
const struct job *privacy_row(const struct session *s, const struct job *j, bool commands,
                              struct private_row *room);
void privacy_end_row(struct private_row *room);
/* A node without what is said about users. Shallow: owns nothing. */
void privacy_mask_node(const struct node *n, struct node *ret, struct node_rare *ret_rare);

/* Whether the body of an event must be another one for the session; then *ret_masked is to be pushed. uid:
 * of the job. Caller frees. */
bool privacy_event(const struct session *s, uint32_t uid, const struct emission *e, struct str *ret_masked);

/* Answers, before they are sent. */
void privacy_mask_cause(const struct session *s, struct cause *c);
void privacy_mask_why(const struct session *s, struct msg_why *w);
void privacy_mask_plan(const struct session *s, struct plan_row *rows, size_t n);
/* Names of users that a query may name: without those of other users. False: none is left, and there were
 * some. */
bool privacy_own_users(const struct session *s, struct strv *users);

#endif
