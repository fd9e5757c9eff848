/* demo_cluster.c - a cluster in ordinary use. */
#include "tests/lib/demo_cluster.h"

#include "src/base/xalloc.h"
#include "src/values/units.h"

#define GIB 1024ull

static void set(char **at, const char *text)
{
    free(*at);
    *at = xstrdup(text);
}

static void build_nodes(struct lab *l)
{
    char name[16];
    for (int i = 1; i <= 4; i++) {
        snprintf(name, sizeof name, "gpu%02d", i);
        struct node_spec *n = lab_node(l, name, 48, 512 * GIB, 8, "a100");
        strv_push(&n->features, "a100");
        strv_push(&n->features, "nvlink");
    }
    for (int i = 1; i <= 6; i++) {
        snprintf(name, sizeof name, "cpu%02d", i);
        lab_node(l, name, 32, 128 * GIB, 0, NULL);
    }
    lab_part(l, "gpu", "gpu[01-04]");
    lab_part(l, "cpu", "cpu[01-06]");
    lab_configure(l);
}

static void drain(struct lab *l, const char *node, const char *reason)
{
    struct ev_drain body = {
        .node = xstrdup(node), .drain = true, .reason = xstrdup(reason), .user = xstrdup("root")};
    lab_must(l, EV_DRAIN, 0, &body);
}

static void node_state(struct lab *l, const char *node, enum node_state state)
{
    struct ev_node body = {.node = xstrdup(node), .state = state};
    lab_must(l, EV_NODE, 0, &body);
}

static struct job *new_job(struct lab *l, const char *name, uint32_t uid, const char *user,
                           const char *part, uint32_t cpus, uint32_t gpus, const char *command)
{
    struct job *j = lab_job(l, JOB_KIND_BATCH);
    set(&j->req.name, name);
    set(&j->user, user);
    j->uid = uid;
    j->req.partition = xstrdup(part);
    j->req.account = xstrdup(uid == 1002 ? "physics" : "vision");
    j->req.cpus_per_task = cpus;
    if (gpus)
        j->req.gpus = gpus;
    j->req.mem_node_mib = 4 * GIB * cpus;
    j->req.time_limit_s = 4 * 3600;
    job_origin_mut(j)->command = xstrdup(command);
    job_origin_mut(j)->submit_host = xstrdup("login1");
    char home[64];
    snprintf(home, sizeof home, "/home/%s/%s", user, name);
    set(&j->req.workdir, uid == 1002 ? "/home/chen" : home);
    return j;
}

static void start(struct lab *l, uint32_t job, uint32_t index, uint32_t new_id, const char *part,
                  struct alloc a)
{
    struct ev_start body = {.array_index = index,
                            .new_id = new_id,
                            .partition = xstrdup(part),
                            .time_limit_s = lab_get(l, job)->req.time_limit_s};
    *rec_list_push(&body.alloc) = a;
    lab_must(l, EV_START, job, &body);
    lab_running(l, new_id ? new_id : job, STEP_BATCH, 0);
}

static void later(struct lab *l, int64_t s)
{
    l->now.ms += s * MS_PER_S;
}

/* A batch job that ran and ended. */
static uint32_t ended(struct lab *l, struct job *j, const char *part, const char *node, int64_t ran_s,
                      enum end_kind kind, int32_t code, int32_t sig)
{
    uint32_t id = lab_submit(l, j);
    start(l, id, ARRAY_NONE, 0, part, lab_alloc(node, 0, 4, 0, 0, 16 * GIB));
    later(l, ran_s);
    if (kind == END_TIMEOUT)
        lab_kill(l, id, STEP_ALL, KILL_TIMEOUT, FATE_END);
    lab_end(l, id, STEP_BATCH, 0, kind, code, sig);
    return id;
}

static void build_ended(struct lab *l, struct demo_cluster *s)
{
    s->done = ended(l, new_job(l, "prepare", 1000, "alice", "cpu", 4, 0, "prepare.sh"), "cpu", "cpu01",
                    1260, END_EXITED, 0, 0);
    s->failed = ended(l, new_job(l, "convert", 1001, "bo", "cpu", 4, 0, "convert.sh"), "cpu", "cpu02", 37,
                      END_EXITED, 2, 0);
    s->oom = ended(l, new_job(l, "merge", 1000, "alice", "cpu", 4, 0, "merge.py"), "cpu", "cpu03", 2711,
                   END_OOM, 0, 9);
    struct job *relax = new_job(l, "relax", 1002, "chen", "cpu", 4, 0, "relax.sh");
    relax->req.time_limit_s = 7200;
    s->timeout = ended(l, relax, "cpu", "cpu01", 7200, END_TIMEOUT, 0, 15);
    s->cancelled = lab_submit(l, new_job(l, "mistake", 1001, "bo", "gpu", 8, 8, "oops.sh"));
    lab_kill(l, s->cancelled, STEP_ALL, KILL_CANCEL, FATE_END);
}

/* An array: 50 done, 2 failed, 8 running, the rest waits. */
static void build_array(struct lab *l, struct demo_cluster *s)
{
    struct job *j = new_job(l, "sweep", 1000, "alice", "cpu", 4, 0, "sweep.sh");
    *rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = 0, .last = 99, .step = 1};
    job_origin_mut(j)->array_count = 100;
    job_origin_mut(j)->array_max = 99;
    job_origin_mut(j)->array_step = 1;
    j->req.array_throttle = 8;
    req_detail_mut(&j->req)->array_spec = xstrdup("0-99%8");
    s->sweep = lab_submit(l, j);
    for (uint32_t i = 0; i < 42; i++) {
        char node[16];
        snprintf(node, sizeof node, "cpu%02u", 3 + i % 2);
        uint32_t id = l->m.next_job;
        start(l, s->sweep, i, id, "cpu", lab_alloc(node, i % 8 / 2 * 4, 4, 0, 0, 16 * GIB));
        if (i < 34) {
            later(l, 61);
            lab_end(l, id, STEP_BATCH, 0, END_EXITED, i == 7 || i == 21 ? 1 : 0, 0);
        }
    }
}

static void build_srun_steps(struct lab *l, uint32_t job)
{
    struct ev_step body = {.step = {.id = 0,
                                    .n_tasks = 2,
                                    .n_ranks = 4,
                                    .nodes = 2,
                                    .cpus_per_rank = 6,
                                    .mem_mib = MEM_NOT_GIVEN,
                                    .gpus = NOT_GIVEN,
                                    .time_limit_s = DURATION_NOT_SET}};
    body.step.name = xstrdup("torchrun");
    body.step.command = xstrdup("torchrun train.py");
    body.step.std_out = xstrdup("rank-%t.log");
    for (uint32_t t = 0; t < 2; t++)
        rec_list_push(&body.step.tasks)->index = t;
    lab_must(l, EV_STEP, job, &body);
    for (uint32_t t = 0; t < 2; t++) {
        struct ev_place place = {.step = 0,
                                 .task = t,
                                 .rank_base = 2 * t,
                                 .n_ranks = 2,
                                 .alloc = lab_alloc(t ? "gpu02" : "gpu01", 0, 12, 0, 2, 96 * GIB)};
        lab_must(l, EV_PLACE, job, &place);
        lab_running(l, job, 0, t);
    }
}

static void build_multi(struct lab *l, struct demo_cluster *s)
{
    struct job *j = new_job(l, "pretrain", 1000, "alice", "gpu", 24, 4, "pretrain.sbatch");
    j->req.nodes_min = j->req.nodes_max = 2;
    req_detail_mut(&j->req)->gpu_type = xstrdup("a100");
    s->multi = lab_submit(l, j);
    struct ev_start body = {
        .array_index = ARRAY_NONE, .partition = xstrdup("gpu"), .time_limit_s = 4 * 3600};
    *rec_list_push(&body.alloc) = lab_alloc("gpu01", 0, 24, 0, 2, 192 * GIB);
    *rec_list_push(&body.alloc) = lab_alloc("gpu02", 0, 24, 0, 2, 192 * GIB);
    lab_must(l, EV_START, s->multi, &body);
    lab_running(l, s->multi, STEP_BATCH, 0);
    build_srun_steps(l, s->multi);
}

static void place_task(struct lab *l, uint32_t job, int32_t step, uint32_t task, const char *node,
                       unsigned cpu, unsigned gpu)
{
    struct ev_place place = {.step = step,
                             .task = task,
                             .alloc = lab_alloc(node, cpu, 4, gpu, 1, 32 * GIB),
                             .partition = xstrdup("gpu"),
                             .time_limit_s = 4 * 3600,
                             .n_ranks = 1};
    lab_must(l, EV_PLACE, job, &place);
    lab_running(l, job, step, task);
}

/* A step job: prepare done, folds 0-5 half way with one failed, report later. */
static void build_steps(struct lab *l, struct demo_cluster *s)
{
    struct job *j = new_job(l, "crossval", 1000, "alice", "gpu", 4, 0, "crossval.job");
    j->kind = JOB_KIND_STEPS;
    lab_step(j, "prepare", 1)->keep_going = true;
    lab_step(j, "fold", 6)->keep_going = true;
    lab_step(j, "report", 1)->keep_going = true;
    s->steps = lab_submit(l, j);
    place_task(l, s->steps, 0, 0, "gpu01", 32, 6);
    later(l, 95);
    lab_end(l, s->steps, 0, 0, END_EXITED, 0, 0);
    place_task(l, s->steps, 1, 0, "gpu01", 32, 6);
    place_task(l, s->steps, 1, 1, "gpu01", 36, 7);
    place_task(l, s->steps, 1, 2, "gpu02", 32, 6);
    later(l, 640);
    lab_end(l, s->steps, 1, 1, END_EXITED, 1, 0);
    lab_end(l, s->steps, 1, 2, END_EXITED, 0, 0);
    place_task(l, s->steps, 1, 3, "gpu02", 36, 7);
}

static uint32_t waiting(struct lab *l, struct job *j, enum reason reason)
{
    uint32_t id = lab_submit(l, j);
    struct job *it = lab_get(l, id);
    it->reason = (uint8_t)reason;
    return id;
}

static void build_waiting(struct lab *l, struct demo_cluster *s)
{
    struct job *j = new_job(l, "finetune-7b", 1001, "bo", "gpu", 16, 8, "finetune.sh");
    s->big = waiting(l, j, REASON_RESOURCES);
    s->eval = waiting(l, new_job(l, "eval", 1000, "alice", "gpu", 4, 1, "eval.py"), REASON_PRIORITY);
    s->held =
        waiting(l, new_job(l, "ablation", 1000, "alice", "gpu", 8, 2, "ablation.sh"), REASON_HELD_USER);
    lab_hold(l, s->held, HOLD_USER);
    j = new_job(l, "report", 1002, "chen", "cpu", 2, 0, "report.sh");
    j->req.dependency = xstrdup("afterok:9");
    s->chained = waiting(l, j, REASON_DEPENDENCY);
    s->hostile = waiting(l, new_job(l, "a|b\n\033[31mred\t\u202egnp.exe", 1001, "bo", "cpu", 1, 0, "x"),
                         REASON_PRIORITY);
    s->wide = waiting(
        l, new_job(l, "\u5b66\u7fd2\u30b8\u30e7\u30d6 e\u0301te\u0301", 1002, "chen", "cpu", 1, 0, "x"),
        REASON_PRIORITY);
}

void demo_cluster_build(struct lab *l, struct demo_cluster *s)
{
    l->now.ms = 1795255200000; /* 2026-11-21 10:00 UTC */
    build_nodes(l);
    build_ended(l, s);
    s->train = lab_submit(l, new_job(l, "train-resnet", 1001, "bo", "gpu", 8, 4, "train.py"));
    start(l, s->train, ARRAY_NONE, 0, "gpu", lab_alloc("gpu03", 0, 8, 0, 4, 64 * GIB));
    build_multi(l, s);
    build_array(l, s);
    build_steps(l, s);
    build_waiting(l, s);
    drain(l, "gpu04", "fan 2 is loud, ticket 311");
    drain(l, "gpu03", "driver update at 18:00");
    node_state(l, "cpu06", NODE_LOST);
    later(l, 1375);
}
