/* attack.h - one user against the controller, another one beside them: for tests/attack.
 *
 * The controller of cluster.h runs as root; the attacker is a process of the user nobody, the victim one of
 * the user daemon. Skipped where the test is not root. */
#ifndef STOKER_TESTS_LIB_ATTACK_H
#define STOKER_TESTS_LIB_ATTACK_H

#include <sys/types.h>

#include "src/client/client.h"
#include "tests/lib/asking.h"

/* Of all tests of a program: they need a second user and a third one. */
int attack_set_up(void **state);
/* Starts the controller; more: lines for stoker.cfg. */
pid_t attack_start(const char *more);

/* A process of that user runs fn. When fn has returned it tells, and keeps what it has open until it is
 * ended. */
struct attacker {
    pid_t pid;
    int told;
};
struct attacker attack_as(const char *user, void (*fn)(void));
void attack_await_done(struct attacker *a);
void attack_end(struct attacker *a);

/* expect_answer in such a process. */
void attack_expect(const struct answer *a, uint32_t refusal, const char *part);
/* A connection that has greeted, as a descriptor that does not block. */
int attack_connect(void);
/* Writes what the socket takes, until that is nothing for a second or all is written. Returns the bytes. */
size_t attack_write(int fd, const void *p, size_t n);
/* A held step job whose record takes about that much: names of 4000 bytes. */
struct msg_submit attack_large_job(const char *request_id, unsigned kib);

/* Resident memory of that process, now; at most so far. */
uint64_t attack_rss_mib(pid_t pid);
uint64_t attack_peak_mib(pid_t pid);
/* Another user's submission and question are answered; returns the milliseconds of the slowest of n. */
int64_t attack_bystander_ms(int n);

#endif
