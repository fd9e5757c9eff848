/* test_job_records.c - one user fills the controller's memory with held jobs of megabytes, and a node's
 * connection with texts for one job. */
#include <unistd.h>

#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define MANY      60
#define KIB       1900
#define LIMIT_MIB 32
#define MOST_MIB  150 /* of the controller; the attack takes twice as much where nothing bounds it */
#define FIRST_JOB 1
#define PAUSE_MS  20

static struct answer submit_one(struct client *c)
{
    char *id = client_request_id();
    struct msg_submit m = attack_large_job(id, KIB);
    struct answer a = ask_submit(c, &m);
    free(id);
    return a;
}

static void submits_large_jobs(void)
{
    struct client *c = cluster_connect();
    struct answer a = {.refusal = REFUSAL_NONE};
    for (int i = 0; i < MANY && a.refusal == REFUSAL_NONE; i++)
        a = submit_one(c);
    attack_expect(&a, REFUSAL_POLICY, "user_records");
}

static bool is_taken(void *c)
{
    return submit_one(c).refusal == REFUSAL_NONE;
}

/* What leaves the queue is given back. */
static void cancels_and_goes_on(void)
{
    struct client *c = cluster_connect();
    for (uint32_t i = 0; i < 3; i++) {
        struct answer a = ask_act(c, ACT_CANCEL, FIRST_JOB + i);
        attack_expect(&a, REFUSAL_NONE, "");
    }
    if (!cluster_eventually(WITHIN_MS, PAUSE_MS, is_taken, c))
        _exit(1);
}

static void held_jobs_of_megabytes(void **unused)
{
    (void)unused;
    char *more = NULL;
    if (asprintf(&more, "user_records = \"%dM\";\nmin_job_age = \"0s\";", LIMIT_MIB) < 0)
        fail();
    pid_t controller = attack_start(more);
    struct attacker a = attack_as("nobody", submits_large_jobs);
    attack_await_done(&a);
    attack_end(&a);
    assert_in_range(attack_rss_mib(controller), 1, MOST_MIB);
    attack_bystander_ms(20);
    a = attack_as("nobody", cancels_and_goes_on);
    attack_await_done(&a);
    attack_end(&a);
    free(more);
    cluster_stop(controller);
}

static struct answer notify(struct client *c, uint32_t job)
{
    char text[] = "hello";
    struct msg_act m = {.act = ACT_NOTIFY, .text = text};
    struct job_target *t = rec_list_push(&m.targets);
    *t = (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct answer a = ask(c, MSG_ACT, &m);
    m.text = NULL;
    rec_fini(&msg_act_rec, &m);
    return a;
}

static void tells_one_job_much(void)
{
    enum { TEXTS = 200 };
    struct client *c = cluster_connect();
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    uint32_t job = ask_submit(c, &m).job;
    int taken = 0;
    await_state(c, job, 0, JOB_RUNNING);
    int64_t start = cluster_now_ms();
    for (int i = 0; i < TEXTS; i++)
        taken += notify(c, job).refusal == REFUSAL_NONE;
    int64_t seconds = (cluster_now_ms() - start) / 1000 + 2;
    struct answer a = ask_act(c, ACT_CANCEL, job);
    attack_expect(&a, REFUSAL_NONE, "");
    if (taken > seconds)
        _exit(1);
    free(id);
}

static void texts_for_one_job(void **unused)
{
    (void)unused;
    pid_t controller = attack_start("");
    struct attacker a = attack_as("nobody", tells_one_job_much);
    attack_await_done(&a);
    attack_end(&a);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_jobs_of_megabytes),
        cmocka_unit_test(texts_for_one_job),
    };
    return cmocka_run_group_tests(tests, attack_set_up, NULL);
}
