/* test_job_records.c - one user fills the controller's memory with held jobs of megabytes, with names of
 * output files that become a hundred times longer, with requests that wait for the history, and a node's
 * connection with texts for one job. */
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define MANY      60
#define KIB       1900
#define LIMIT_MIB 32
#define MOST_MIB  150 /* of the controller; the attack takes twice as much where nothing bounds it */
#define FIRST_JOB 1u
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

/* A step of 4,096 processes whose names of files are 2,000 times the job's name. */
static void makes_long_names(void)
{
    enum { RANKS = 4096, TIMES = 2000, NAME = 128 };
    struct client *c = cluster_connect();
    char *id = client_request_id(), *pattern = xcalloc(1, 2 * TIMES + 1);
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    free(m.req.name);
    m.req.name = xcalloc(1, NAME + 1);
    memset(m.req.name, 'x', NAME);
    uint32_t job = ask_submit(c, &m).job;
    await_state(c, job, 0, JOB_RUNNING);
    for (int i = 0; i < TIMES; i++)
        memcpy(pattern + 2 * i, "%x", 2);
    struct msg_step_create s = step_create(job, "true");
    s.step.n_ranks = RANKS;
    s.step.overcommit = s.step.overlap = true;
    s.step.std_out = xstrdup(pattern);
    s.step.std_err = xstrdup(pattern);
    s.step.std_in = xstrdup(pattern);
    struct answer a = ask_create(c, &s);
    attack_expect(&a, REFUSAL_NONE, "");
    await_state(c, job, a.step, JOB_N_STATES);
    a = ask_act(c, ACT_CANCEL, job);
    attack_expect(&a, REFUSAL_NONE, "");
    free(pattern);
    free(id);
}

static void names_of_output_files(void **unused)
{
    (void)unused;
    pid_t controller = attack_start("");
    struct attacker a = attack_as("nobody", makes_long_names);
    attack_await_done(&a);
    attack_end(&a);
    assert_in_range(attack_peak_mib(controller), 1, MOST_MIB);
    cluster_stop(controller);
}

/* --- requests that wait for the history --- */

static char *disk; /* of tests/lib/brokendisk.c */

static void set(const char *name, bool on)
{
    char *path = xasprintf("%s/%s", disk, name);
    FILE *f = on ? fopen(path, "w") : NULL;
    if (f)
        fclose(f);
    if (!on)
        unlink(path);
    free(path);
}

static bool is_set(void *name)
{
    char *path = xasprintf("%s/%s", disk, *(const char **)name);
    bool is = access(path, F_OK) == 0;
    free(path);
    return is;
}

static void await(const char *name)
{
    if (!cluster_eventually(WITHIN_MS, PAUSE_MS, is_set, &name))
        _exit(1);
}

static void greets(void)
{
    client_free(cluster_connect());
}

/* About a job of the first test, of which this controller knows nothing. */
static void send_dependent(struct client *c, size_t script)
{
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    struct errtext err;
    uint64_t tag;
    m.hold = true;
    m.req.dependency = xasprintf("afterany:%u", FIRST_JOB);
    m.payload.script = (struct blob){.p = xmalloc(script), .n = script};
    memset(m.payload.script.p, '#', script);
    if (client_send(c, MSG_SUBMIT, &m, &tag, &err) < 0)
        _exit(1);
    rec_fini(&msg_submit_rec, &m);
    free(id);
}

/* Of n submissions: how many were refused because too many wait. */
static int count_refused(struct client *c, int n)
{
    int refused = 0;
    for (int i = 0; i < n;) {
        struct incoming in;
        struct errtext err;
        if (client_next(c, WITHIN_MS, &in, &err) != 1)
            _exit(1);
        if (in.kind == MSG_RESULT) {
            refused += ((const struct msg_result *)in.body)->refusal == REFUSAL_RATE;
            i++;
        }
        msg_free(in.kind, in.body);
    }
    return refused;
}

static void parks_large_requests(void)
{
    enum { N = 7 };
    struct client *c = cluster_connect();
    for (int i = 0; i < N; i++) {
        send_dependent(c, (4u << 20) - 100);
        if (i == 0)
            set("sent",
                true); /* the others wait in the socket: nothing large is read while nothing is stored */
    }
    count_refused(c, N);
}

static void parks_a_small_request(void)
{
    struct client *c = cluster_connect();
    send_dependent(c, 1000);
    set("also", true);
    if (count_refused(c, 1))
        _exit(1);
}

/* Root's job: its commit hangs, and with it every question to the history. */
static void send_one_more(struct client *c)
{
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    uint64_t tag;
    struct errtext err;
    m.hold = true;
    if (client_send(c, MSG_SUBMIT, &m, &tag, &err) < 0)
        fail();
    rec_fini(&msg_submit_rec, &m);
    free(id);
}

static void requests_that_wait_for_the_history(void **unused)
{
    (void)unused;
    cluster_configure(4, 4, 0);
    disk = xasprintf("%s/disk", getenv("STOKER_HOME"));
    mkdir(disk, 0777);
    chmod(disk, 0777);
    pid_t controller = cluster_spawn_with("brokendisk", "BROKEN_DISK", disk);
    struct client *c = cluster_connect();
    let_all_reach_the_controller();
    struct attacker b = attack_as("daemon", greets), a = attack_as("nobody", greets);
    attack_await_done(&a);
    attack_await_done(&b);
    attack_end(&a);
    attack_end(&b);
    set("hang", true);
    send_one_more(c);
    await("hanging");
    a = attack_as("nobody", parks_large_requests);
    await("sent");
    b = attack_as("daemon", parks_a_small_request);
    await("also");
    set("hang", false);
    attack_await_done(&b);
    attack_await_done(&a);
    attack_end(&a);
    attack_end(&b);
    client_free(c);
    assert_in_range(attack_peak_mib(controller), 1, MOST_MIB);
    cluster_stop(controller);
    free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_jobs_of_megabytes),
        cmocka_unit_test(names_of_output_files),
        cmocka_unit_test(requests_that_wait_for_the_history),
        cmocka_unit_test(texts_for_one_job),
    };
    return cmocka_run_group_tests(tests, attack_set_up, NULL);
}
