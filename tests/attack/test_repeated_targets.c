/* test_repeated_targets.c - one request names the user's own job a hundred thousand times. Each time caused
 * a message to the node and, for a signal, an event on the disk. The connection to the node, which all
 * users share, broke. */
#include <signal.h>

#include "src/base/xalloc.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define TARGETS 100000u
#define TEXT    4000

static struct client *own;
static uint32_t job;

/* Returns how many actions were done. */
static uint32_t act_repeatedly(enum act what, uint32_t n, uint32_t refusal)
{
    enum msg_kind kind;
    void *body = NULL;
    struct errtext err = {""};
    struct msg_act m = {.act = what, .signal = SIGCONT, .batch = true};
    if (what == ACT_NOTIFY) {
        m.text = xcalloc(1, TEXT + 1);
        memset(m.text, 'x', TEXT);
    }
    for (uint32_t i = 0; i < n; i++)
        *(struct job_target *)rec_list_push(&m.targets) =
            (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    if (client_call(own, MSG_ACT, &m, &kind, &body, &err) < 0 || kind != MSG_RESULT) {
        dprintf(2, "no answer: %s\n", err.s);
        _exit(1);
    }
    const struct msg_result *r = body;
    uint32_t count = r->count;
    if (r->refusal != refusal) {
        dprintf(2, "refusal %u, not %u\n", r->refusal, refusal);
        _exit(1);
    }
    msg_free(kind, body);
    rec_fini(&msg_act_rec, &m);
    return count;
}

/* A text goes to a task that is known to run: the node tells that up to 20 ms after the start. */
static bool runs(void *ctx)
{
    struct model m;
    (void)ctx;
    cluster_fetch(own, &m);
    const struct job *j = model_get_job(&m, job);
    const struct step *s = j ? job_find_step(j, STEP_BATCH) : NULL;
    bool so = s && s->tasks.n && s->tasks.v[0].state == TASK_RUNNING;
    model_fini(&m);
    return so;
}

static void names_one_job_often(void)
{
    own = cluster_connect();
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    job = ask_submit(own, &m).job;
    if (!cluster_eventually(WITHIN_MS, 5, runs, NULL)) {
        dprintf(2, "the job does not run\n");
        _exit(1);
    }
    uint32_t signals = act_repeatedly(ACT_SIGNAL, TARGETS, REFUSAL_NONE);
    uint32_t texts = act_repeatedly(ACT_NOTIFY, TARGETS, REFUSAL_NONE);
    act_repeatedly(ACT_SIGNAL, TARGETS + 1, REFUSAL_TOO_BIG);
    struct answer a = ask_act(own, ACT_CANCEL, job);
    attack_expect(&a, REFUSAL_NONE, "");
    if (signals != 1 || texts != 1) {
        dprintf(2, "%u signals, %u texts\n", signals, texts);
        _exit(1);
    }
    free(id);
}

static void each_target_counts_once(void **unused)
{
    (void)unused;
    pid_t controller = attack_start("");
    struct attacker a = attack_as("nobody", names_one_job_often);
    attack_await_done(&a);
    attack_bystander_ms(5);
    attack_end(&a);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_target_counts_once)};
    return cmocka_run_group_tests_name("repeated targets", tests, attack_set_up, NULL);
}
