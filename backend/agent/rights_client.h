/* rights_client.h - the agent asks for what needs rights over the machine: itself where it has as many as
 * it ever gets, else the launcher that has started it. Answers are waited for.
 */
#ifndef STOKER_BACKEND_AGENT_RIGHTS_CLIENT_H
#define STOKER_BACKEND_AGENT_RIGHTS_CLIENT_H

#include "backend/rights/rights.h"

struct agent;
struct rights_client;

/* fd: the socket of the launcher; -1: this process is its own. */
struct rights_client *rights_client_new(struct agent *a, int fd, const struct rights_config *cfg);
void rights_client_free(struct rights_client *c);
/* Ends the agent's loop when the launcher ends. */
void rights_client_watch(struct rights_client *c);
/* Returns ret->r; the caller owns ret->fd. -EPIPE where the launcher has ended: then the agent ends too. */
int rights_ask(struct rights_client *c, const struct rights_request *q, struct rights_answer *ret);
/* The same where only the number of the answer is of interest; 0 where it fails. */
uint64_t rights_ask_number(struct rights_client *c, const struct rights_request *q);
/* All names that a request of a list gives: RIGHTS_GROUPS_LIST, RIGHTS_PRIVATE_LIST. Caller frees with
 * strv_fini. */
void rights_list(struct rights_client *c, enum rights_kind kind, struct strv *ret);
/* Reads the policy again into a->policy. */
int rights_ask_policy(struct rights_client *c, struct errtext *err) __attribute__((warn_unused_result));
/* A child of the agent has ended. */
void rights_client_child_ended(struct rights_client *c, pid_t pid, int status);

#endif
