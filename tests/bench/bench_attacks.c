/* bench_attacks.c - response times for another user, and the controller's memory, while one user attacks
 * the controller.
 *
 *     bench_attacks -p CONTROLLER [-s SECONDS] [-u USER] [-f ATTACKER] [NAME...]
 *
 * The attacks are those of the table of docs/TESTING.md (H1 to H5, H8), each repeated by processes of user
 * number ATTACKER for SECONDS. Beside each, USER submits as `sbatch` does (connects, submits, is answered)
 * fifty times a second, and asks once a second for what `squeue` shows. Prints the milliseconds of both,
 * and the most memory that the controller has had so far. Run it as root, with a controller for all users
 * that was started for this measurement: the peak is that of its whole life.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/proto/frame.h"
#include "src/values/units.h"
#include "tests/bench/common.h"

#define CONNECTIONS   256
#define SCRIPT_BYTES  (4u << 20)
#define ENV_BYTES     (900u << 10)
#define NAME_BYTES    4000u
#define RECORD_NAMES  480
#define RANKS         4096
#define PATTERN_TIMES 2000
#define SUBMIT_MS     20
#define QUERY_MS      1000

/* Of the attack that runs: requests that were taken and refused, shared with its parent. */
static struct counts {
    uint64_t taken, refused;
    char why[200]; /* the last refusal */
} * counts;

static void count(enum msg_kind kind, const void *body)
{
    const struct msg_result *r = kind == MSG_RESULT ? body : NULL;
    bool refused = r && r->refusal != REFUSAL_NONE;
    counts->taken += !refused;
    counts->refused += refused;
    if (refused)
        snprintf(counts->why, sizeof counts->why, "refusal %u %s", r->refusal, r->text ? r->text : "");
}

static struct client *connected(void)
{
    struct client *c = NULL;
    struct errtext err = {0};
    while (client_connect("attack", 0, &c, &err) < 0)
        sleep_until(now_ms() + 10);
    return c;
}

/* The job, or 0 where it is refused. A connection that the controller has closed is made again. */
static uint32_t said_submit(struct client **c, struct msg_submit *m)
{
    enum msg_kind kind;
    void *body = NULL;
    uint32_t job = 0;
    free(m->request_id);
    m->request_id = client_request_id();
    if (client_call(*c, MSG_SUBMIT, m, &kind, &body, NULL) < 0) {
        client_free(*c);
        *c = connected();
        return 0;
    }
    count(kind, body);
    if (kind == MSG_RESULT && ((const struct msg_result *)body)->refusal == REFUSAL_NONE)
        job = ((const struct msg_result *)body)->job;
    msg_free(kind, body);
    return job;
}

static void said_act(struct client **c, enum act what, uint32_t job)
{
    struct msg_act m = {.act = what};
    enum msg_kind kind;
    void *body = NULL;
    *(struct job_target *)rec_list_push(&m.targets) =
        (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    if (client_call(*c, MSG_ACT, &m, &kind, &body, NULL) == 0)
        msg_free(kind, body);
    rec_fini(&msg_act_rec, &m);
}

/* H1: jobs that run at once, each with a launch of megabytes. */
static void large_launches(void)
{
    struct client *c = connected();
    struct msg_submit m;
    make_submit(&m, "/tmp");
    m.hold = false;
    m.payload.script.p = xrealloc(m.payload.script.p, SCRIPT_BYTES - 1000);
    memset(m.payload.script.p + m.payload.script.n, '#', SCRIPT_BYTES - 1000 - m.payload.script.n);
    m.payload.script.n = SCRIPT_BYTES - 1000;
    char *big = xcalloc(1, ENV_BYTES + 1);
    memset(big, 'x', ENV_BYTES);
    memcpy(big, "BIG=", 4);
    strv_push(&m.payload.env, big);
    for (;;)
        said_submit(&c, &m);
}

/* H2, H5: held jobs whose records take two megabytes each. */
static void large_records(void)
{
    struct client *c = connected();
    struct msg_submit m;
    char path[NAME_BYTES + 1];
    make_submit(&m, "/tmp");
    m.kind = JOB_KIND_STEPS;
    memset(path, 'x', NAME_BYTES);
    path[NAME_BYTES] = '\0';
    for (unsigned i = 0; i < RECORD_NAMES; i++) {
        struct step *s = rec_list_push(&m.steps);
        s->id = (int32_t)i;
        s->name = xasprintf("s%u", i);
        s->std_out = xstrdup(path);
        s->n_tasks = s->n_ranks = s->nodes = s->cpus_per_rank = 1;
        s->mem_mib = MEM_NOT_GIVEN;
        s->time_limit_s = DURATION_NOT_SET;
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->argv = strv_split("true", " ");
    }
    for (;;)
        said_submit(&c, &m);
}

static uint32_t running_job(struct client **c)
{
    static const char script[] = "#!/bin/sh\nexec sleep 1000\n";
    struct msg_submit m;
    uint32_t job = 0;
    make_submit(&m, "/tmp");
    m.hold = false;
    free(m.payload.script.p);
    m.payload.script = (struct blob){.p = xmemdup(script, sizeof script - 1), .n = sizeof script - 1};
    free(m.req.name);
    m.req.name = xcalloc(1, 129);
    memset(m.req.name, 'x', 128);
    while (!(job = said_submit(c, &m)))
        ;
    rec_fini(&msg_submit_rec, &m);
    return job;
}

static void steps_of(bool long_names)
{
    struct client *c = connected();
    uint32_t job = running_job(&c);
    struct msg_step_create s = {.job = job, .no_wait = false};
    char *pattern = xcalloc(1, 2 * PATTERN_TIMES + 1);
    for (int i = 0; i < PATTERN_TIMES; i++)
        memcpy(pattern + 2 * i, "%x", 2);
    s.step.n_ranks = RANKS;
    s.step.cpus_per_rank = 1;
    s.step.overcommit = s.step.overlap = true;
    s.step.std_out = xstrdup(long_names ? pattern : "/nonexistent/x");
    s.step.std_err = xstrdup(s.step.std_out);
    s.step.std_in = long_names ? xstrdup(pattern) : NULL;
    s.payload.argv = strv_split("true", " ");
    s.payload.workdir = xstrdup("/tmp");
    for (int i = 0;; i++) {
        enum msg_kind kind;
        void *body = NULL;
        free(s.request_id);
        s.request_id = client_request_id();
        if (client_call(c, MSG_STEP_CREATE, &s, &kind, &body, NULL) < 0) {
            client_free(c);
            c = connected();
            continue;
        }
        bool refused = kind == MSG_RESULT;
        count(kind, body);
        msg_free(kind, body);
        if (refused && i % 64 == 63) { /* it has as many steps as it may: another job */
            said_act(&c, ACT_CANCEL, s.job);
            s.job = running_job(&c);
        }
    }
}

/* H3: the ends of thousands of ranks in the record of a job. */
static void many_ends(void)
{
    steps_of(false);
}

/* H5: names that become a hundred times longer, for each rank. */
static void long_names(void)
{
    steps_of(true);
}

/* H4: short jobs, each for another account. */
static void made_up_accounts(void)
{
    struct client *c = connected();
    struct msg_submit m;
    make_submit(&m, "/tmp");
    m.hold = false;
    for (unsigned i = 0;; i++) {
        free(m.req.account);
        m.req.account = i % 2 ? xasprintf("account%u", i) : NULL;
        said_submit(&c, &m);
    }
}

/* H5: messages of the largest size without their last byte, on each connection. */
static void unfinished_messages(void)
{
    static int fd[CONNECTIONS];
    char *rest = xcalloc(1, FRAME_MAX);
    for (;;) {
        for (int i = 0; i < CONNECTIONS; i++) {
            struct client *c = NULL;
            fd[i] = client_connect("attack", 0, &c, NULL) == 0 ? dup(client_fd(c)) : -1;
            client_free(c);
            if (fd[i] >= 0)
                fcntl(fd[i], F_SETFL, O_NONBLOCK);
        }
        struct str head = STR_INIT;
        frame_append_header(&head, MSG_SUBMIT, 0, 1, FRAME_MAX);
        for (int i = 0; i < CONNECTIONS; i++)
            if (fd[i] >= 0 && write(fd[i], head.s, head.len) < 0)
                break;
        double end = now_ms() + 4000;
        for (int i = 0; now_ms() < end; i = (i + 1) % CONNECTIONS)
            if (fd[i] >= 0 && write(fd[i], rest, 1 << 20) < 0 && errno != EAGAIN)
                fd[i] = -1;
            else if (i == 0)
                sleep_until(now_ms() + 1);
        str_fini(&head);
        for (int i = 0; i < CONNECTIONS; i++)
            if (fd[i] >= 0)
                close(fd[i]);
    }
}

/* H5: follows the queue on each connection, makes events of megabytes, reads nothing. */
static void silent_followers(void)
{
    struct msg_get get = {.what = GET_JOBS, .follow = true};
    for (int i = 0; i < CONNECTIONS - 8; i++) {
        struct client *c = NULL;
        if (client_connect("attack", 0, &c, NULL) == 0 && client_send(c, MSG_GET, &get, NULL, NULL) < 0)
            client_free(c);
    }
    large_records();
}

/* H8: held jobs with scripts of megabytes. */
static void large_scripts(void)
{
    struct client *c = connected();
    struct msg_submit m;
    make_submit(&m, "/tmp");
    m.payload.script.p = xrealloc(m.payload.script.p, SCRIPT_BYTES - 1000);
    memset(m.payload.script.p + m.payload.script.n, '#', SCRIPT_BYTES - 1000 - m.payload.script.n);
    m.payload.script.n = SCRIPT_BYTES - 1000;
    for (;;)
        said_submit(&c, &m);
}

static const struct attack {
    const char *name, *what;
    void (*fn)(void);
} attacks[] = {
    {"none", "no other user", NULL},
    {"H1", "large launches", large_launches},
    {"H2", "large records", large_records},
    {"H3", "ends of many ranks", many_ends},
    {"H4", "made-up accounts", made_up_accounts},
    {"H5a", "long output names", long_names},
    {"H5b", "followers that do not read", silent_followers},
    {"H5c", "256 unfinished messages", unfinished_messages},
    {"H8", "large scripts", large_scripts},
};

static void become(uid_t uid)
{
    if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
        fail("become", "only root can become another user");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void count_row(void *ctx, const struct job *j)
{
    (void)j;
    ++*(size_t *)ctx;
}

static double query(void)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS,
                          .states = 1u << JOB_PENDING | 1u << JOB_RUNNING | 1u << JOB_COMPLETING,
                          .job_members = 0xff,
                          .req_members = 1};
    double t = now_ms();
    struct client *c = NULL;
    struct model m;
    struct errtext err = {0};
    size_t rows = 0;
    model_init(&m);
    if (client_connect("squeue", 0, &c, &err) < 0 ||
        client_each_job(c, &get, &m, count_row, &rows, &err) < 0)
        fail("squeue", err.s);
    model_fini(&m);
    client_free(c);
    return now_ms() - t;
}

static _Noreturn void bystander(const struct attack *a, uid_t user, double seconds)
{
    struct times submits = {VEC_INIT}, queries = {VEC_INIT};
    struct msg_submit m;
    char what[80];
    become(user);
    make_submit(&m, "/tmp");
    double end = now_ms() + seconds * 1e3, next_query = now_ms();
    for (double t; (t = now_ms()) < end; sleep_until(t + SUBMIT_MS)) {
        submit(&m);
        vec_push(&submits.v, now_ms() - t);
        if (now_ms() < next_query)
            continue;
        vec_push(&queries.v, query());
        next_query = now_ms() + QUERY_MS;
    }
    snprintf(what, sizeof what, "%-4s sbatch, %s", a->name, a->what);
    print_times(what, &submits);
    snprintf(what, sizeof what, "%-4s squeue", a->name);
    print_times(what, &queries);
    exit(0);
}

/* VmHWM, MiB. */
static unsigned peak_mib(const char *pid)
{
    char path[64], line[256];
    unsigned long kib = 0;
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    FILE *f = fopen(path, "r");
    if (!f)
        fail("the controller has gone", path);
    while (fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %lu kB", &kib);
    fclose(f);
    return (unsigned)(kib >> 10);
}

static void run(const struct attack *a, const char *controller, uid_t attacker, uid_t user, double seconds)
{
    memset(counts, 0, sizeof *counts);
    pid_t attack = a->fn ? fork() : -1;
    if (attack == 0) {
        become(attacker);
        a->fn();
    }
    sleep_until(now_ms() + 500);
    pid_t one = fork();
    if (one == 0)
        bystander(a, user, seconds);
    int status = 0;
    waitpid(one, &status, 0);
    if (attack > 0) {
        kill(attack, SIGKILL);
        waitpid(attack, NULL, 0);
    }
    if (counts->taken + counts->refused)
        printf("%-50s %llu and %llu; %s\n", "     requests of the attack, taken and refused",
               (unsigned long long)counts->taken, (unsigned long long)counts->refused, counts->why);
    printf("%-50s %u MiB\n", "     memory of the controller at most", peak_mib(controller));
    fflush(stdout);
    if (status)
        fail(a->name, "the other user was not served");
}

int main(int argc, char **argv)
{
    uid_t attacker = 65534, user = 1;
    double seconds = 5;
    const char *controller = NULL;
    for (int o; (o = getopt(argc, argv, "p:s:f:u:")) != -1;)
        switch (o) {
        case 'p': controller = optarg; break;
        case 's': seconds = strtod(optarg, NULL); break;
        case 'f': attacker = (uid_t)strtoul(optarg, NULL, 10); break;
        case 'u': user = (uid_t)strtoul(optarg, NULL, 10); break;
        default: return 2;
        }
    if (!controller)
        fail("-p", "the process of the controller");
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        fail("mmap", strerror(errno));
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
        bool meant = optind == argc;
        for (int k = optind; k < argc; k++)
            meant = meant || strcmp(argv[k], attacks[i].name) == 0;
        if (meant)
            run(&attacks[i], controller, attacker, user, seconds);
    }
    return 0;
}
