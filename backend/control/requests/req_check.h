/* req_check.h - whether what a user wrote into a request can be taken in. */
#ifndef STOKER_BACKEND_CONTROL_REQUESTS_REQ_CHECK_H
#define STOKER_BACKEND_CONTROL_REQUESTS_REQ_CHECK_H

#include "backend/control/core.h"

struct request_check { /* the first refusal counts */
    enum refusal refusal;
    struct cause cause;
};

/* Names, texts, counts, sizes; one for all ways in. *why says what cannot be taken in. */
enum refusal req_check_request(const struct job_req *r, struct cause *why);
enum refusal req_check_step(const struct step *s, const struct step_payload *p, struct cause *why);
/* A submission, by itself: not whether this cluster can run it. */
void req_check_submission(struct request_check *k, const struct msg_submit *m);
/* The record is read by every client that looks at the queue: its steps are not large. */
void req_check_record(struct request_check *k, const struct job *j);
/* Takes what *why owns; the first refusal is kept. */
void req_check_refuse(struct request_check *k, enum refusal r, struct cause *why);
/* What a user wrote, as a refusal may show it: escaped and cut. Caller frees. */
char *req_check_shown(const char *s);
/* A command as it may be shown on a terminal; NULL for NULL. Caller frees. */
char *req_check_shown_command(const char *s);

#endif
