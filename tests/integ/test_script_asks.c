/* test_script_asks.c - scripts that are asked for many times at once: each answer whole, none forgotten. */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define CLIENTS 5
#define ASKS    16 /* of each: as many as one may wait for */
#define OLD_N   200000

static pid_t controller;

/* Held: it never begins. */
static uint32_t submit_script(struct client *c, const char *request, size_t n)
{
    struct msg_submit m = submission(JOB_KIND_BATCH, request);
    m.hold = true;
    strv_fini(&m.payload.argv);
    strv_push(&m.payload.argv, "script");
    m.payload.script.n = n;
    m.payload.script.p = xcalloc(1, n);
    memset(m.payload.script.p, '#', n);
    return ask_submit(c, &m).job;
}

static void send_asks(struct client *c, uint32_t job, unsigned n)
{
    struct msg_job m = {.target = {.job = job, .array_index = ARRAY_NONE}};
    struct errtext err = {""};
    uint64_t tag;
    for (unsigned i = 0; i < n; i++)
        if (client_send(c, MSG_SCRIPT, &m, &tag, &err) < 0)
            fail_msg("%s", err.s);
}

/* Reads n answers; those that are no script are refused for their number. Returns the scripts. */
static unsigned read_answers(struct client *c, unsigned n, size_t size)
{
    unsigned whole = 0;
    struct errtext err = {""};
    for (unsigned i = 0; i < n; i++) {
        struct incoming in = {0};
        if (client_next(c, WITHIN_MS, &in, &err) != 1)
            fail_msg("answer %u of %u: %s", i + 1, n, err.s);
        if (in.kind == MSG_SCRIPT_TEXT) {
            assert_int_equal(((struct msg_script *)in.body)->script.n, size);
            whole++;
        } else {
            assert_int_equal(in.kind, MSG_RESULT);
            assert_int_equal(((struct msg_result *)in.body)->refusal, REFUSAL_RATE);
        }
        msg_free(in.kind, in.body);
    }
    return whole;
}

/* A client asks as often as it may, or more often than that from everywhere. */
static void ask_many(uint32_t job, size_t size)
{
    struct client *all[CLIENTS];
    for (unsigned i = 0; i < CLIENTS; i++)
        all[i] = cluster_connect();
    send_asks(all[0], job, ASKS);
    assert_int_equal(read_answers(all[0], ASKS, size), ASKS);
    for (unsigned i = 0; i < CLIENTS; i++)
        send_asks(all[i], job, ASKS);
    for (unsigned i = 0; i < CLIENTS; i++)
        read_answers(all[i], ASKS, size);
    send_asks(all[1], job, 1);
    assert_int_equal(read_answers(all[1], 1, size), 1);
    for (unsigned i = 0; i < CLIENTS; i++)
        client_free(all[i]);
}

/* Larger than what is sent at a time; a controller that has just begun has none at hand. */
static void a_large_script_goes_to_all_who_wait(void **unused)
{
    (void)unused;
    size_t size = 3u << 20;
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    uint32_t job = submit_script(c, "large", size);
    client_free(c);
    controller = cluster_restart(controller);
    ask_many(job, size);
    cluster_stop(controller);
}

static bool is_retired(void *ctx)
{
    struct model m;
    cluster_fetch(ctx, &m);
    bool gone = m.jobs.n == 0;
    model_fini(&m);
    return gone;
}

static void a_script_of_the_history_too(void **unused)
{
    (void)unused;
    char path[4096];
    snprintf(path, sizeof path, "%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs("min_job_age = \"1s\";\n", f);
    fclose(f);
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    uint32_t job = submit_script(c, "old", OLD_N);
    struct answer a = ask_act(c, ACT_CANCEL, job);
    expect_answer(&a, REFUSAL_NONE, "");
    assert_true(cluster_eventually(WITHIN_MS, 50, is_retired, c));
    client_free(c);
    ask_many(job, OLD_N);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_script_goes_to_all_who_wait),
        cmocka_unit_test(a_script_of_the_history_too),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
