/* name_service.h - questions to the name service of the machine, asked by a thread of their own.
 *
 * Its modules speak with servers (LDAP, NIS, a domain), which may take seconds or never answer. The loop
 * hands a question over and goes on; answers come as calls in the loop, in the order of the questions.
 *
 *     loop: name_service_ask -> [questions] -> thread: getpwuid_r ... -> [answers] -> loop: on_answer
 */
#ifndef STOKER_CONTROL_USERS_NAME_SERVICE_H
#define STOKER_CONTROL_USERS_NAME_SERVICE_H

#include <stdint.h>

#include "src/base/list.h"
#include "src/base/str.h"

struct loop;
struct name_service;

enum name_result {
    NAME_FOUND,
    NAME_NONE,  /* the name service says that there is none */
    NAME_FAILED /* it cannot say */
};

struct name_answer {
    struct list link;  /* of name_service.c */
    char *asked;       /* the name that was asked about; NULL: the user uid and the group gid */
    uint32_t uid, gid; /* of the question */
    enum name_result user;
    char *name, *gid_name; /* of uid and gid; NULL: none was found */
    struct strv groups;    /* names of all groups of the user; one without a name is left out */
};

/* fn is called in the loop for each answer, which is freed after the call. */
struct name_service *name_service_new(struct loop *l, void (*fn)(void *ctx, const struct name_answer *a),
                                      void *ctx) __attribute__((warn_unused_result));
/* Does not wait for a question that is being asked: the thread ends after it. */
void name_service_free(struct name_service *s);

void name_service_ask_user(struct name_service *s, uint32_t uid, uint32_t gid);
/* Whether there is a user of that name. */
void name_service_ask_name(struct name_service *s, const char *name);
/* Questions without an answer so far. */
unsigned name_service_open(const struct name_service *s);

/* Asks and waits: for the start of a program. The answer is the caller's: name_answer_free. */
struct name_answer *name_service_ask_now(uint32_t uid, uint32_t gid) __attribute__((warn_unused_result));
void name_answer_free(struct name_answer *a);

#endif
