/* What a long history costs: a year of a million finished jobs, asked by sacct.
 *
 *     bench_history [JOBS]      default 1,000,000; takes about 2 KiB of disk for each
 */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/store/store.h"
#include "src/base/xalloc.h"
#include "tests/bench/common.h"

#define DAYS 365
#define RUNS 7

static struct store *store;
static bool committed;

static void on_commit(void *ctx, uint64_t ticket, int r, const char *text)
{
    (void)ctx;
    (void)ticket;
    if (r < 0) {
        fprintf(stderr, "%s\n", text);
        exit(1);
    }
    committed = true;
}

static void add_step(struct job *j, int32_t id, const char *name)
{
    struct step *s = rec_list_push(&j->steps);
    s->id = id;
    s->name = xstrdup(name);
    s->command = xstrdup("python train.py --epochs 100 --batch 64");
    s->n_ranks = s->nodes = s->n_tasks = 1;
    s->t_start = j->t_start;
    s->t_end = j->t_end;
    s->done = true;
    struct task *t = rec_list_push(&s->tasks);
    t->state = TASK_DONE;
    t->end_kind = END_EXITED;
    t->alloc.node = xstrdup("gpu07");
    cpuset_add(&t->alloc.cpus, 3);
    t->peak_rss_kib = 1234567;
    t->cpu_ms = 98765;
    rec_list_push(&t->ranks);
}

/* The i-th of n jobs, spread evenly over the days before now. */
static struct job *make_job(uint32_t id, uint32_t n, int64_t now)
{
    struct job *j = job_new();
    j->id = id;
    j->state = id % 7 ? JOB_COMPLETED : JOB_FAILED;
    j->user = xasprintf("%u", 990000 + id % 8); /* as those without a name are kept */
    job_origin_mut(j)->group = xstrdup("lab");
    j->uid = 990000 + id % 8;
    j->req.name = xstrdup("train-resnet");
    j->req.account = xstrdup("vision");
    j->req.workdir = xstrdup("/home/user/experiments/2026/resnet");
    j->partition = xstrdup("main");
    j->req.partition = xstrdup("main");
    job_origin_mut(j)->command = xstrdup("/home/user/experiments/2026/resnet/job.sh");
    j->t_submit.ms = now - (int64_t)DAYS * 86400000 + (int64_t)((double)id / n * DAYS * 86400000);
    j->t_start = wall_add_s(j->t_submit, id % 600);
    j->t_end = wall_add_s(j->t_start, id % 9000);
    struct alloc *a = rec_list_push(&j->alloc);
    a->node = xstrdup("gpu07");
    cpuset_add(&a->cpus, 3);
    add_step(j, STEP_BATCH, "batch");
    add_step(j, 0, "python");
    return j;
}

static void fill(const char *dir, uint32_t n)
{
    struct store_callbacks cb = {.on_commit = on_commit};
    struct errtext err;
    int64_t now = (int64_t)time(NULL) * 1000;
    if (store_open(dir, &cb, &store, &err) < 0) {
        fprintf(stderr, "%s\n", err.s);
        exit(1);
    }
    for (uint32_t id = 1; id <= n; id++) {
        struct job *j = make_job(id, n, now);
        bool kept = store_retire_job(store, j);
        (void)kept;
        job_free(j);
        if (id % 5000 && id != n)
            continue;
        committed = false;
        store_turn(store);
        while (!committed) {
            struct pollfd p = {.fd = store_fd(store), .events = POLLIN};
            poll(&p, 1, -1);
            store_dispatch(store);
        }
    }
    store_close(store);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void measure(const char *what, const char *command)
{
    double ms[RUNS];
    size_t lines = 0;
    for (int i = 0; i < RUNS; i++) {
        double t = now_ms();
        FILE *f = popen(command, "re");
        lines = 0;
        for (int c; f && (c = getc(f)) != EOF;)
            lines += c == '\n';
        if (!f || pclose(f) != 0)
            exit(1);
        ms[i] = now_ms() - t;
    }
    qsort(ms, RUNS, sizeof ms[0], by_value);
    printf("%-34s %8.1f ms (first to last %.1f to %.1f)  %zu rows\n", what, ms[RUNS / 2], ms[0],
           ms[RUNS - 1], lines);
    fflush(stdout);
}

static void run(const char *command)
{
    if (system(command) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)atol(argv[1]) : 1000000;
    const char *tmp = getenv("TMPDIR");
    char *home = xasprintf("%s/bench-history.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(home))
        return 1;
    char *state = xasprintf("%s/state", home), *config = xasprintf("%s/stoker.cfg", home);
    setenv("STOKER_HOME", home, 1);
    mkdir(state, 0700);
    FILE *f = fopen(config, "we");
    fputs("nodes = ( { name = \"n1\"; transport = \"local\"; cpus = 1; memory = \"1G\"; detect = false; } "
          ");\n",
          f);
    fclose(f);
    double t = now_ms();
    fill(state, n);
    printf("%-34s %8.0f ms\n", "filled", now_ms() - t);
    t = now_ms();
    run("stoker up >/dev/null");
    printf("%-34s %8.0f ms\n", "controller started", now_ms() - t);
    char *by_id = xasprintf("sacct -n -j %u", n / 2);
    measure("sacct -j, one", by_id);
    measure("sacct, a day half a year ago", "sacct -n -a -X -S now-180days -E now-179days");
    measure("the same by one user", "sacct -n -X -u 990003 -S now-180days -E now-179days");
    measure("sacct, a day, states and steps", "sacct -n -a -s F -S now-180days -E now-179days");
    measure("sacct, the first day", "sacct -n -a -X -S now-365days -E now-364days");
    measure("sacct, today", "sacct -n -a -X -S now-1days");
    measure("a name that no job has", "sacct -n -a -X --name nothing -S now-364days");
    run("stoker down >/dev/null");
    char *wipe = xasprintf("rm -rf -- '%s'", home);
    run(wipe);
    free(wipe);
    free(by_id);
    free(config);
    free(state);
    free(home);
    return 0;
}
