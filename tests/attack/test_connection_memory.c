/* test_connection_memory.c - one user's connections fill the controller's memory: messages that never end,
 * a message of small records, events that no client reads. */
#include <poll.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/proto/frame.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define CONNECTIONS      64
#define MOST_MIB         300 /* of the controller; the attack takes twice as much where nothing bounds it */
#define JOBS             8
#define MOST_DECODED_MIB 120 /* of one message of 8 MiB, with what it takes before it is decoded */

/* All but the last bytes of a message of the largest size, on each connection. */
static void sends_unfinished_messages(void)
{
    struct str b = STR_INIT;
    frame_append_header(&b, MSG_SUBMIT, 0, 1, FRAME_MAX);
    char *rest = xcalloc(1, FRAME_MAX);
    str_append_n(&b, rest, FRAME_MAX - 1);
    int fd[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++)
        fd[i] = attack_connect();
    for (int i = 0; i < CONNECTIONS; i++)
        if (attack_write(fd[i], b.s, b.len) < b.len)
            break; /* the controller takes no more of any */
}

static void messages_that_never_end(void **unused)
{
    (void)unused;
    pid_t controller = attack_start("");
    struct attacker a = attack_as("nobody", sends_unfinished_messages);
    attack_await_done(&a);
    assert_in_range(attack_rss_mib(controller), 1, MOST_MIB);
    attack_bystander_ms(20);
    attack_end(&a);
    cluster_stop(controller);
}

/* A message of the largest size: a million steps of eight bytes, each a struct of hundreds. */
static void sends_small_records(void)
{
    enum { STEPS = 1000000, BYTES = 8 };
    static const char head[] = "\x99\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xdd"; /* steps are the ninth */
    struct str b = STR_INIT;
    frame_append_header(&b, MSG_SUBMIT, 0, 1, sizeof head - 1 + 4 + STEPS * BYTES);
    str_append_n(&b, head, sizeof head - 1);
    for (int shift = 24; shift >= 0; shift -= 8)
        str_append_n(&b, &(char){(char)(STEPS >> shift & 0xff)}, 1);
    for (int i = 0; i < STEPS; i++)
        str_append_n(&b, "\x97\xc0\xc0\xc0\xc0\xc0\xc0\xc0", BYTES);
    int fd = attack_connect();
    attack_write(fd, b.s, b.len);
    struct pollfd answer = {.fd = fd, .events = POLLIN}; /* or the end of the connection */
    if (poll(&answer, 1, WITHIN_MS) != 1)
        _exit(1);
}

static void small_records(void **unused)
{
    (void)unused;
    pid_t controller = attack_start("");
    uint64_t before = attack_peak_mib(controller);
    struct attacker a = attack_as("nobody", sends_small_records);
    attack_await_done(&a);
    assert_in_range(attack_peak_mib(controller) - before, 0, MOST_DECODED_MIB);
    attack_bystander_ms(20);
    attack_end(&a);
    cluster_stop(controller);
}

/* Follows the queue on each connection, makes events of megabytes, and reads none of them. */
static void follows_and_does_not_read(void)
{
    struct client *c[CONNECTIONS];
    struct errtext err;
    struct msg_get get = {.what = GET_JOBS, .follow = true};
    for (int i = 0; i < CONNECTIONS; i++) {
        uint64_t tag;
        struct incoming in;
        c[i] = cluster_connect();
        if (client_send(c[i], MSG_GET, &get, &tag, &err) < 0)
            _exit(1);
        do {
            if (client_next(c[i], WITHIN_MS, &in, &err) != 1)
                _exit(1);
            msg_free(in.kind, in.body);
        } while (in.kind != MSG_SNAPSHOT);
    }
    struct client *own = cluster_connect();
    for (int i = 0; i < JOBS; i++) {
        char *id = client_request_id();
        struct msg_submit m = attack_large_job(id, 1900);
        ask_submit(own, &m);
        free(id);
    }
}

static void events_that_nobody_reads(void **unused)
{
    (void)unused;
    pid_t controller = attack_start("");
    struct attacker a = attack_as("nobody", follows_and_does_not_read);
    attack_await_done(&a);
    assert_in_range(attack_rss_mib(controller), 1, MOST_MIB);
    attack_bystander_ms(20);
    attack_end(&a);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_that_never_end),
        cmocka_unit_test(small_records),
        cmocka_unit_test(events_that_nobody_reads),
    };
    return cmocka_run_group_tests(tests, attack_set_up, NULL);
}
