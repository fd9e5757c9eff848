/* bench_launch.c - from a launch message leaving until the task runs, on an open connection to a node over
 * SSH.
 *
 * Calls the node as the controller does (linkproc, nodeconn) and launches one task after the other. Both
 * ends of what is measured are readings of one clock: here before the frame is queued, in the task, which
 * is this program, at the beginning of main. All of it is on one machine.
 *
 * bench_launch ADDRESS PORT USER KEY KNOWN-HOSTS DIR [TASKS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/net/nodeconn.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"
#include "src/values/units.h"
#include "tests/bench/common.h"

#define BEAT_MS    5000
#define GIVE_UP_MS 60000

struct bench {
    struct loop *loop;
    struct loop_timer give_up;
    struct nodeconn *node;
    char *self, *clocks, *cluster;
    uint32_t n, at; /* tasks in all, the one that is under way */
    double *t_sent, *t_told;
};

static void launch_next(struct bench *b)
{
    struct launch l = {
        .key = {.job = ++b->at, .step = STEP_BATCH, .attempt = 1},
        .cluster = xstrdup(b->cluster),
        .epoch = 1,
        .uid = geteuid(),
        .gid = getegid(),
        .workdir = xstrdup("/"),
        .time_limit_s = DURATION_UNLIMITED,
        .kill_wait_s = 5,
        .umask = 022,
        .is_batch = true,
        .append = true,
        .job_name = xstrdup("bench"),
    };
    strv_push(&l.argv, b->self);
    strv_push(&l.argv, "--clock");
    /* About what a job's environment is. */
    for (int i = 0; i < 60; i++)
        strv_setenvf(&l.env, (char[]){'V', (char)('A' + i / 10), (char)('0' + i % 10), '\0'}, "%040d", i);
    struct launch_rank *r = rec_list_push(&l.ranks);
    r->std_out = xstrdup(b->clocks);
    r->std_err = xstrdup(b->clocks);
    b->t_sent[b->at - 1] = now_ms();
    nodeconn_send(b->node, 0, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_launch: %s: %s\n", what, why);
    exit(1);
}

static void on_agent(void *ctx, struct nodeconn *n, struct msg_agent *m)
{
    (void)n, (void)m;
    struct bench *b = ctx;
    if (!b->at)
        launch_next(b);
}

static int on_msg(void *ctx, struct nodeconn *n, enum msg_kind kind, uint64_t tag, void *body)
{
    (void)tag;
    struct bench *b = ctx;
    if (kind == MSG_TASK_RUNNING) {
        const struct launch_status *st = body;
        if (st->key.job == b->at)
            b->t_told[b->at - 1] = now_ms();
    } else if (kind == MSG_TASK_END) {
        const struct launch_end *e = body;
        if (e->end_kind != END_EXITED || e->ranks.v[0].code)
            die("a task failed", e->message ? e->message : "?");
        nodeconn_send(n, 0, MSG_END_ACK, 0, &e->key);
        if (e->key.job != b->at)
            return 0;
        if (b->at < b->n)
            launch_next(b);
        else
            nodeconn_send(n, 0, MSG_AGENT_STOP, 0, NULL);
    }
    return 0;
}

static void on_down(void *ctx, struct nodeconn *n, const char *why)
{
    (void)n;
    struct bench *b = ctx;
    if (b->at < b->n)
        die("the connection was lost", why);
    loop_stop(b->loop);
}

static void on_trouble(void *ctx, struct nodeconn *n, const char *text)
{
    (void)n;
    const struct bench *b = ctx;
    if (b->at < b->n) /* else it has been told to stop */
        die("the node cannot be reached", text);
}

static void on_give_up(void *ctx)
{
    const struct bench *b = ctx;
    loop_stop(b->loop);
}

/* The first tasks find programs and name service cold. */
static void print(const char *name, double *ms, uint32_t n)
{
    uint32_t cold = n > 50 ? 10 : 0;
    ms += cold;
    n -= cold;
    qsort(ms, n, sizeof *ms, compare);
    printf("%-58s %10.2f ms, 99 of 100 within %.2f\n", name, ms[n / 2], ms[(uint32_t)ceil(0.99 * n) - 1]);
}

static void report(const struct bench *b)
{
    FILE *f = fopen(b->clocks, "re");
    double *run = xcalloc(b->n, sizeof *run), *told = xcalloc(b->n, sizeof *told), ms;
    uint32_t n = 0;
    while (f && n < b->n && fscanf(f, "%lf", &ms) == 1) {
        run[n] = ms - b->t_sent[n];
        told[n] = b->t_told[n] - b->t_sent[n];
        n++;
    }
    if (n < b->n)
        die(b->clocks, "not every task has read its clock");
    print("a launch message until its task runs", run, n);
    print("... until its node says that it runs", told, n);
    free(run);
    free(told);
    fclose(f);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--clock") == 0) {
        printf("%.6f\n", now_ms());
        return 0;
    }
    if (argc < 7)
        die("usage", "bench_launch ADDRESS PORT USER KEY KNOWN-HOSTS DIR [TASKS]");
    char node[] = "n1", program[] = "bench";
    log_open("bench_launch", -1, LOG_LVL_ERROR);
    struct bench b = {
        .loop = loop_new(), .self = exe_path(), .n = argc > 7 ? (uint32_t)atoi(argv[7]) : 500};
    b.cluster = xasprintf("bench-%d", (int)getpid());
    b.clocks = xasprintf("%s/clocks", argv[6]);
    b.t_sent = xcalloc(b.n, sizeof *b.t_sent);
    b.t_told = xcalloc(b.n, sizeof *b.t_told);
    char *log = xasprintf("%s/link.log", argv[6]);
    struct ssh_process *ssh = ssh_process_new(b.loop, log, NULL, BEAT_MS);
    struct ssh_order to = {.node = node,
                           .address = argv[1],
                           .port = (uint32_t)atoi(argv[2]),
                           .user = argv[3],
                           .known_hosts = argv[5],
                           .cluster = b.cluster};
    strv_push(&to.identities, argv[4]);
    struct msg_hello hello = {.version = PROTO_VERSION,
                              .program = program,
                              .cluster = b.cluster,
                              .epoch = 1,
                              .node = node,
                              .kill_wait_s = 5,
                              .spec = {.name = node, .gpus = UINT32_MAX}};
    struct nodeconn_config cfg = {.dir = argv[6],
                                  .log = log,
                                  .node = node,
                                  .hello = &hello,
                                  .beat_ms = BEAT_MS,
                                  .ssh = ssh,
                                  .to = &to};
    static const struct nodeconn_ops ops = {
        .on_agent = on_agent, .on_msg = on_msg, .on_down = on_down, .on_trouble = on_trouble};
    b.give_up = (struct loop_timer){.fn = on_give_up, .ctx = &b};
    loop_timer_set(b.loop, &b.give_up, GIVE_UP_MS);
    b.node = nodeconn_new(b.loop, &cfg, 0, &ops, &b);
    loop_run(b.loop);
    nodeconn_free(b.node);
    ssh_process_free(ssh);
    report(&b);
    loop_free(b.loop);
    strv_fini(&to.identities);
    free(b.self);
    free(b.clocks);
    free(b.cluster);
    free(b.t_sent);
    free(b.t_told);
    free(log);
    return 0;
}
