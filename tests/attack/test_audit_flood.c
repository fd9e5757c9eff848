/* test_audit_flood.c - one user makes requests until the lines of all others have left the audit log,
 * and with them what the user has done to others. */
#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/proto/audit_line.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define REQUESTS 6000 /* 300 bytes each: more than the log holds */
#define COMMENT  250

/* Changes a job of its own again and again. */
static void floods(void)
{
    struct client *c = cluster_connect();
    char *id = client_request_id(), *change = xcalloc(1, COMMENT + 32);
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    m.hold = true;
    uint32_t job = ask_submit(c, &m).job;
    struct msg_update u = {.target = {.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    memset(change, 'x', COMMENT);
    memcpy(change, "Comment=", 8);
    strv_push(&u.changes, change);
    for (int i = 0; i < REQUESTS; i++) {
        uint64_t tag;
        struct errtext err;
        if (client_send(c, MSG_UPDATE, &u, &tag, &err) < 0)
            _exit(1);
        for (int answered = 0; i % 100 == 99 && answered < 100; answered++) {
            struct incoming in;
            if (client_next(c, WITHIN_MS, &in, &err) != 1)
                _exit(1);
            msg_free(in.kind, in.body);
        }
    }
    strv_fini(&u.changes);
    free(change);
    free(id);
}

/* Of a user, as root reads them. */
static size_t count_lines(struct client *c, const char *user)
{
    struct msg_audit q = {0};
    size_t n = 0;
    strv_push(&q.users, user);
    for (bool more = true; more;) {
        enum msg_kind kind;
        void *got = NULL;
        struct errtext err = {""};
        assert_int_equal(client_call(c, MSG_AUDIT, &q, &kind, &got, &err), 0);
        assert_int_equal(kind, MSG_AUDIT_LINES);
        const struct msg_audit_lines *m = got;
        n += m->rows.n;
        q.after = m->after;
        more = m->more;
        msg_free(kind, got);
    }
    strv_fini(&q.users);
    return n;
}

static void lines_of_others_stay(void **unused)
{
    (void)unused;
    enum { BY_DAEMON = 20 };
    pid_t controller = attack_start("audit_size = \"1M\";\nuser_disk = \"100M\";\nuser_requests = 100000;");
    attack_bystander_ms(BY_DAEMON);
    struct client *c = cluster_connect();
    assert_int_equal(count_lines(c, "daemon"), BY_DAEMON);
    struct attacker a = attack_as("nobody", floods);
    attack_await_done(&a);
    attack_end(&a);
    assert_in_range(count_lines(c, "nobody"), 100, REQUESTS - 1); /* its own oldest are gone */
    assert_int_equal(count_lines(c, "daemon"), BY_DAEMON);
    client_free(c);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_others_stay)};
    return cmocka_run_group_tests_name("audit flood", tests, attack_set_up, NULL);
}
