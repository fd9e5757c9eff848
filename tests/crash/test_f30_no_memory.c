/* test_f30_no_memory.c - F30: the nth allocation of the controller fails, for many n: at its start, while
 * it serves, while it writes. It may end there (our own code does; SQLite tells, and nothing is accepted),
 * but what it has acknowledged is on disk, and the next one starts with it.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define FIRST   100
#define SERVING 9000 /* allocations after the first that its start survives: the history may fail */
#define STEP    151  /* more than the next start needs for the jobs that a life has submitted */
#define BEYOND  100000000
#define SUBMITS 4
#define WAIT_MS 60000

struct acked {
    VEC(uint32_t) jobs;
};

/* The controller whose nth allocation fails. */
static pid_t spawn(long n)
{
    char count[32];
    snprintf(count, sizeof count, "%ld", n);
    return cluster_spawn_with("nomemory", "NO_MEMORY", count);
}

/* NULL: it has ended. */
static struct client *connect_to(pid_t pid, bool *ret_ended)
{
    struct client *c = NULL;
    for (int64_t end = cluster_now_ms() + WAIT_MS; cluster_now_ms() < end; poll(NULL, 0, 5)) {
        if (client_connect("test", 0, &c, NULL) == 0)
            return c;
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            *ret_ended = true;
            return NULL;
        }
    }
    fail_msg("it neither answers nor ends");
    return NULL;
}

static unsigned submit_some(struct client *c, long n, struct acked *a)
{
    unsigned taken = 0;
    for (int i = 0; i < SUBMITS; i++) {
        struct msg_submit m = {.kind = JOB_KIND_BATCH, .hold = true};
        job_req_init(&m.req);
        m.request_id = xasprintf("memory-%ld-%d", n, i);
        m.req.name = xasprintf("n%ld", n);
        m.req.workdir = xstrdup("/");
        m.payload.workdir = xstrdup("/");
        strv_push(&m.payload.argv, "true");
        enum msg_kind kind;
        void *body;
        int r = client_call(c, MSG_SUBMIT, &m, &kind, &body, NULL);
        rec_fini(&msg_submit_rec, &m);
        if (r < 0)
            break;
        const struct msg_result *result = body;
        if (kind == MSG_RESULT && result->refusal == REFUSAL_NONE) {
            vec_push(&a->jobs, result->job);
            taken++;
        }
        msg_free(kind, body);
    }
    return taken;
}

struct sums {
    unsigned at_start, serving, untouched;
};

/* Returns whether its start was its end. */
static bool one_life(long n, struct acked *a, struct sums *sums)
{
    bool ended = false;
    pid_t pid = spawn(n);
    struct client *c = connect_to(pid, &ended);
    unsigned taken = c ? submit_some(c, n, a) : 0;
    client_free(c);
    sums->at_start += ended;
    sums->serving += !ended && taken < SUBMITS;
    sums->untouched += taken == SUBMITS;
    if (!ended)
        cluster_kill(pid);
    return ended;
}

static void test_each(void **state)
{
    (void)state;
    struct acked a = {VEC_INIT};
    struct sums sums = {0};
    long n = FIRST;
    cluster_configure(1, 1, 0);
    while (one_life(n, &a, &sums)) /* until the start is over ... */
        n += n / 6;
    for (long last = n + SERVING; n < last; n += STEP) /* ... and what comes then */
        one_life(n, &a, &sums);
    one_life(BEYOND, &a, &sums);
    printf("ended at the start %u, while it served %u, not then %u; acknowledged %zu\n", sums.at_start,
           sums.serving, sums.untouched, a.jobs.n);
    assert_true(sums.at_start > 0 && sums.serving > 0 && sums.untouched > 0);
    pid_t pid = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct model m;
    cluster_fetch(c, &m);
    vec_for_each (&a.jobs, i)
        if (!model_get_job(&m, a.jobs.v[i]))
            fail_msg("job %u was acknowledged and is not there", a.jobs.v[i]);
    model_fini(&m);
    client_free(c);
    cluster_stop(pid);
    cluster_load(&m); /* what is on disk contradicts nothing */
    model_fini(&m);
    vec_fini(&a.jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
