/* test_random_requests.c - requests of the right form with anything in them: the controller answers or
 * refuses each, lives, and what it has on disk afterwards is a state without contradictions.
 *
 * RANDOM_REQUESTS=N in the environment: how many (a few thousand otherwise).
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define WITHIN_MS 60000
#define UNREAD    32 /* requests under way */

static uint64_t seed;
static uint32_t n_submitted;
static uint32_t last_job = 1; /* that there is, as far as has been heard */

static uint32_t below(uint32_t n)
{
    return (uint32_t)(check_rand(&seed) % n);
}

static uint64_t pick_number(void)
{
    static const uint64_t numbers[] = {0,
                                       0,
                                       1,
                                       1,
                                       2,
                                       3,
                                       7,
                                       31,
                                       64,
                                       100,
                                       255,
                                       4096,
                                       10000,
                                       100000,
                                       1u << 20,
                                       1u << 31,
                                       NOT_GIVEN,
                                       NOT_GIVEN - 1,
                                       DURATION_NOT_SET,
                                       DURATION_UNLIMITED,
                                       ARRAY_NONE};
    return below(3) ? numbers[below(N_OF(numbers))] : below(last_job + 3);
}

static int64_t pick_time(void)
{
    static const int64_t far[] = {0, 0, 1, -1, INT64_C(1) << 53, -(INT64_C(1) << 53)};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return below(2) ? far[below(N_OF(far))] : (now.tv_sec + (int64_t)below(7200) - 3600) * MS_PER_S;
}

static const char *pick_word(void)
{
    static const char *const words[] = {"",           "main",          "other",          "n1",
                                        "n[1-2]",     "n[1-99999999]", "root",           "vision",
                                        "normal",     "a b",           "x\033[2J",       "\xff\xfe",
                                        "0-3",        "1-7:2%2",       "5,3,3-9",        "0-99999",
                                        "4-",         "afterok:1",     "afterany:2_1:3", "singleton",
                                        "after:1+5",  "gpu:a100:2",    "lic:2,other",    "mem|x86&!y",
                                        "ALL",        "BEGIN,END",     "%j-%A_%a.%N",    "/dev/null",
                                        "/tmp",       "relative/%x",   "sleep 1",        "-1",
                                        "4294967295", "10:00",         "UNLIMITED",      "now+1hour"};
    static char long_word[5000];
    if (!below(40)) {
        memset(long_word, 'y', sizeof long_word - 1);
        return long_word;
    }
    return words[below(N_OF(words))];
}

static char *pick_change(void)
{
    static const char *const keys[] = {
        "TimeLimit",  "Comment",  "ArrayTaskThrottle", "JobName",     "Partition",   "Account",
        "QOS",        "Priority", "NodeList",          "ExcNodeList", "Features",    "Nice",
        "NumNodes",   "NumTasks", "CpusPerTask",       "Gpus",        "GpusPerNode", "MinMemoryNode",
        "Dependency", "Licenses", "Reservation",       "Deadline",    "TimeMin",     "StartTime",
        "nonsense",   "LostNode"};
    return below(3) ? xasprintf("%s=%s", keys[below(N_OF(keys))], pick_word())
                    : xasprintf("%s=%u", keys[below(N_OF(keys))], below(20));
}

/* Each member with a chance of one in `rare` gets something else. */
static void spoil(const struct rec_desc *d, void *rec, uint32_t rare, int depth)
{
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        void *p = rec_at_mut(f, rec);
        if (f->type == REC_SUB) {
            spoil(f->sub, p, rare, depth);
            continue;
        }
        if (below(rare))
            continue;
        switch (f->type) {
        case REC_BOOL: *(bool *)p = below(2); break;
        case REC_U8: *(uint8_t *)p = (uint8_t)pick_number(); break;
        case REC_U32: *(uint32_t *)p = (uint32_t)pick_number(); break;
        case REC_I32: *(int32_t *)p = below(2) ? (int32_t)below(12) - 6 : (int32_t)pick_number(); break;
        case REC_U64: *(uint64_t *)p = below(4) ? pick_number() : UINT64_MAX - below(3); break;
        case REC_I64: *(int64_t *)p = (int64_t)pick_number() - 100; break;
        case REC_F64: *(double *)p = (double)pick_number() - 50; break;
        case REC_WALL: ((struct wall *)p)->ms = pick_time(); break;
        case REC_STR:
            free(*(char **)p);
            *(char **)p = below(4) ? xstrdup(pick_word()) : NULL;
            break;
        case REC_STRV:
            strv_fini(p);
            for (uint32_t n = below(4); n; n--)
                strv_push_take(p, d == &msg_update_rec ? pick_change() : xstrdup(pick_word()));
            break;
        case REC_BLOB: {
            struct blob *b = p;
            free(b->p);
            b->n = below(3) ? below(200) : 0;
            b->p = b->n ? xcalloc(1, b->n) : NULL;
            break;
        }
        case REC_LISTOF:
            for (uint32_t n = depth < 3 ? below(3) : 0; n; n--)
                spoil(f->sub, rec_list_push_any(p, f->sub->size), 2, depth + 1);
            break;
        case REC_CPUSET:
        case REC_SUB: break;
        }
    }
}

static void make_submission(struct msg_submit *m)
{
    char cwd[4096];
    *m = (struct msg_submit){.kind = below(8) ? JOB_KIND_BATCH : below(3)};
    job_req_init(&m->req);
    m->request_id = xasprintf("random-%u", n_submitted++ - (below(20) == 0));
    m->req.workdir = xstrdup(getcwd(cwd, sizeof cwd) ? cwd : "/tmp");
    m->req.std_out = xstrdup("/dev/null");
    static const char *const arrays[] = {"0-3", "1-7:2%2", "5"};
    if (!below(3))
        req_detail_mut(&m->req)->array_spec = xstrdup(below(6) ? arrays[below(N_OF(arrays))] : pick_word());
    m->hold = below(3) == 0;
    strv_push(&m->payload.env, "PATH=/usr/bin:/bin");
    strv_push(&m->payload.argv, below(2) ? "true" : "sleep");
    strv_push(&m->payload.argv, "0.1");
    for (int32_t i = 0; m->kind == JOB_KIND_STEPS && i < 1 + (int32_t)below(3); i++) {
        struct step *s = rec_list_push(&m->steps);
        *s = (struct step){.id = i, .n_tasks = 1 + below(3), .n_ranks = 1, .gpus = 0, .nodes = 1};
        s->cpus_per_rank = NOT_GIVEN;
        s->mem_mib = MEM_NOT_GIVEN;
        s->time_limit_s = DURATION_NOT_SET;
        strv_push(&((struct step_payload *)rec_list_push(&m->step_payloads))->argv, "true");
    }
    spoil(&msg_submit_rec, m, below(3) ? 1000 : 8, 0);
}

static const enum msg_kind kinds[] = {
    MSG_SUBMIT,      MSG_SUBMIT, MSG_SUBMIT,     MSG_STEP_CREATE, MSG_ACT,        MSG_ACT,
    MSG_ACT,         MSG_ACT,    MSG_UPDATE,     MSG_UPDATE,      MSG_UPDATE,     MSG_DRAIN,
    MSG_NODE_NOTE,   MSG_GET,    MSG_WHY,        MSG_SCRIPT,      MSG_COMPLETE,   MSG_OWN,
    MSG_OUTPUT_READ, MSG_INPUT,  MSG_STATS,      MSG_HISTORY,     MSG_WINDOW_SET, MSG_PRIO,
    MSG_SHARES,      MSG_PLAN,   MSG_WATCH_UTIL, MSG_RELOAD,      MSG_WAITS};

/* One that there is, most likely: one of the newest. */
static uint32_t pick_job(void)
{
    uint32_t back = below(below(2) ? 5 : 40);
    return back < last_job ? last_job - back : below(last_job + 2);
}

/* Whom it is about, and which element of it. */
static void aim(struct job_target *t)
{
    t->job = below(10) ? pick_job() : t->job;
    t->array_index = below(3) ? ARRAY_NONE : below(8);
    t->step = below(3) ? STEP_ALL : t->step;
}

static int send_one(struct client *c)
{
    enum msg_kind kind = kinds[below(N_OF(kinds))];
    const struct rec_desc *d = msg_rec(kind);
    void *body = xcalloc(1, d->size);
    if (kind == MSG_SUBMIT)
        make_submission(body);
    else
        spoil(d, body, 2, 0);
    if (kind == MSG_ACT) {
        struct msg_act *m = body;
        m->act = below(3) ? ACT_CANCEL : below(30) ? below(ACT_NOTIFY + 1) : m->act;
        aim(rec_list_push(&m->targets));
    } else if (kind == MSG_UPDATE) {
        aim(&((struct msg_update *)body)->target);
        if (below(2))
            strv_fini(&((struct msg_update *)body)->changes);
        strv_push_take(&((struct msg_update *)body)->changes, pick_change());
    } else if (kind == MSG_WHY || kind == MSG_SCRIPT || kind == MSG_OWN) {
        aim(&((struct msg_job *)body)->target);
    } else if (kind == MSG_DRAIN && below(8)) { /* or nothing would start any more */
        ((struct msg_drain *)body)->drain = false;
        strv_push(&((struct msg_drain *)body)->nodes, "n1");
    } else if (kind == MSG_WINDOW_SET && below(4)) {
        ((struct msg_window_set *)body)->remove = true;
    } else if (kind == MSG_STEP_CREATE) {
        ((struct msg_step_create *)body)->job = pick_job();
        ((struct msg_step_create *)body)->step.n_ranks %= 9;
    }
    uint64_t tag;
    struct errtext err = {""};
    int r = client_send(c, kind, body, &tag, &err);
    msg_free(kind, body);
    return r;
}

/* Reads what has been answered. */
static int drain(struct client *c, int wait_ms)
{
    struct incoming in;
    struct errtext err = {""};
    int r;
    while ((r = client_next(c, wait_ms, &in, &err)) == 1) {
        const struct msg_result *a = in.body;
        if (in.kind == MSG_RESULT && a->refusal == REFUSAL_NONE && a->job > last_job &&
            a->job < n_submitted * 8)
            last_job = a->job;
        msg_free(in.kind, in.body);
    }
    return r;
}

static bool node_is_up(void *ctx)
{
    struct model m;
    cluster_fetch(ctx, &m);
    bool up = m.n_nodes == 1 && m.nodes[0]->state == NODE_UP;
    model_fini(&m);
    return up;
}

static void test_random_requests(void **unused)
{
    (void)unused;
    const char *text = getenv("RANDOM_REQUESTS");
    long n = text ? atol(text) : 3000, cut_off = 0;
    struct errtext err = {""};
    int status;
    seed = check_seed();
    cluster_configure(4, 8, 2);
    pid_t controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    assert_true(cluster_eventually(WITHIN_MS, 20, node_is_up, c)); /* so that jobs start */
    for (long i = 0; i < n; i++) {
        bool lost = send_one(c) < 0 || ((i % UNREAD) == 0 && drain(c, 5) < 0);
        if (waitpid(controller, &status, WNOHANG) != 0)
            fail_msg("the controller ended after %ld requests, status %#x", i, (unsigned)status);
        if (lost) { /* what cannot be decoded ends a connection */
            cut_off++;
            client_free(c);
            c = cluster_connect();
        }
    }
    client_free(c);
    c = cluster_connect();
    enum msg_kind kind;
    void *got = NULL;
    if (client_call(c, MSG_STATS, NULL, &kind, &got, &err) < 0)
        fail_msg("no answer in the end: %s", err.s);
    assert_int_equal(kind, MSG_STATS_DATA);
    const struct msg_stats *s = got;
    printf("%ld requests, %ld connections cut off, %llu submissions taken, %llu starts, %llu events\n", n,
           cut_off, (unsigned long long)s->submits, (unsigned long long)s->starts,
           (unsigned long long)s->events);
    assert_true(s->submits > (uint64_t)n / 100 && s->starts > 0);
    msg_free(kind, got);
    client_free(c);
    cluster_kill(controller);
    struct model m;
    cluster_load(&m); /* checks it */
    model_fini(&m);
    controller = cluster_spawn(NULL);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_requests)};
    const char *tmp = getenv("TMPDIR");
    if (!tmp || chdir(tmp) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
