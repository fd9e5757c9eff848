/* test_launching_limit.c - a time limit that is changed while a node starts the job and has not yet
 * reported that it runs. The node keeps a timer of its own for when no controller is there, so it must have
 * the new limit at once: it reports a start only after some 20 ms, and the controller may be gone by then.
 */
#include "src/proto/codec.h"
#include "src/proto/launch.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"
#include "tests/lib/fake_agent.h"

struct heard {
    bool launched;
    unsigned n; /* requests about the job's limit */
    struct launch_kill last;
};

static void hear(void *ctx, const struct frame *f)
{
    struct heard *h = ctx;
    struct launch_kill k;
    if (f->type == MSG_LAUNCH)
        h->launched = true;
    if (f->type != MSG_KILL || codec_decode(&launch_kill_rec, f->body, f->size, &k, NULL) < 0)
        return;
    if (k.signal == LAUNCH_LIMIT_AT || k.signal == LAUNCH_PAUSED) {
        h->n++;
        h->last = (struct launch_kill){.signal = k.signal, .grace_s = k.grace_s};
    }
    rec_fini(&launch_kill_rec, &k);
}

static void until_heard(const bool *launched, const unsigned *n, unsigned wanted)
{
    int64_t end = cluster_now_ms() + WITHIN_MS;
    while (!(*launched && *n >= wanted) && cluster_now_ms() < end)
        fake_agent_turn(10);
    assert_true(*launched);
    assert_int_equal(*n, wanted);
}

static void changed_before_the_node_says_that_it_runs(void **unused)
{
    (void)unused;
    struct heard h = {0};
    fake_agent_listen();
    fake_agent_on_frame(hear, &h);
    pid_t controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    free(id);
    m.req.time_limit_s = 1800;
    struct answer a = ask_submit(c, &m);
    assert_int_equal(a.refusal, REFUSAL_NONE);
    until_heard(&h.launched, &h.n, 0);

    struct answer u = ask_update(c, a.job, "TimeLimit=2");
    assert_int_equal(u.refusal, REFUSAL_NONE);
    until_heard(&h.launched, &h.n, 1);
    assert_int_equal(h.last.signal, LAUNCH_LIMIT_AT);
    assert_in_range(h.last.grace_s, 120, 240); /* the limit, and what the node adds to it */

    /* While it is suspended no limit counts. */
    u = ask_act(c, ACT_SUSPEND, a.job);
    assert_int_equal(u.refusal, REFUSAL_NONE);
    until_heard(&h.launched, &h.n, 2);
    assert_int_equal(h.last.signal, LAUNCH_PAUSED);

    client_free(c);
    fake_agent_on_frame(NULL, NULL);
    cluster_kill(controller);
    fake_agent_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_before_the_node_says_that_it_runs)};
    cluster_configure(4, 4, 4);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
