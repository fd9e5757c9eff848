/* big_cluster.c - a cluster as large as the screens must support. */
#include "tests/lib/big_cluster.h"

#include <time.h>

#include "src/base/xalloc.h"

#define ARRAY 7

double big_cluster_cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* As `sbatch -J job-NNNNNN -o runs/NNNNNN/%j.out fit.sh` makes them: what can be the job's own is. */
static struct job *make_job(const struct lab *l, uint32_t id)
{
    static const char *const users[] = {"alice", "bo", "chen", "dana"};
    const char *user = users[id % N_OF(users)];
    struct job *j = lab_job(l, JOB_KIND_BATCH);
    free(j->req.name);
    free(j->user);
    j->id = id;
    j->req.name = xasprintf("job-%06u", id);
    j->req.account = xasprintf("lab%u", id % 7);
    req_detail_mut(&j->req)->qos = xstrdup("normal");
    j->req.partition = xstrdup("main");
    j->req.workdir = xasprintf("/home/%s/projects/vision", user);
    j->req.std_out = xasprintf("/home/%s/projects/vision/runs/%06u/%%j.out", user, id);
    j->req.cpus_per_task = 1 + id % 16;
    j->user = xstrdup(user);
    job_origin_mut(j)->group = xstrdup("users");
    j->partition = xstrdup("main");
    job_origin_mut(j)->submit_host = xstrdup("login1.cluster");
    job_origin_mut(j)->command = xasprintf("/home/%s/projects/vision/fit.sh", user);
    return j;
}

/* As lab_must, without its checks after each event, which look at everything. */
static void apply(struct lab *l, enum event_kind kind, uint32_t job, void *body)
{
    struct event ev = {.seq = l->m.seq + 1, .t = l->now, .kind = kind, .job = job, .body = body};
    if (model_apply(&l->m, &ev) < 0)
        fail_msg("%s was refused", event_name(kind));
    rec_fini(event_body_rec(kind), body);
}

static void make_nodes(struct lab *l)
{
    struct cluster_spec spec;
    char name[16];
    for (unsigned i = 0; i < BIG_CLUSTER_NODES; i++) {
        snprintf(name, sizeof name, "n%05u", i);
        lab_node(l, name, 64, 262144, i % 4 ? 0 : 8, i % 4 ? NULL : "a100");
    }
    lab_part(l, "main", "n[00000-09999]");
    rec_copy(&cluster_spec_rec, &spec, &l->spec);
    apply(l, EV_CONFIG, 0, &spec);
    for (unsigned i = 0; i < BIG_CLUSTER_NODES; i++) {
        struct ev_node up = {.node = xasprintf("n%05u", i), .state = NODE_UP};
        apply(l, EV_NODE, 0, &up);
    }
}

static void start_job(struct lab *l, uint32_t id)
{
    char name[16];
    snprintf(name, sizeof name, "n%05u", id - 1);
    struct ev_start start = {.array_index = ARRAY_NONE, .partition = xstrdup("main"), .time_limit_s = 3600};
    *rec_list_push(&start.alloc) = lab_alloc(name, 0, 8, 0, 0, 4096);
    apply(l, EV_START, id, &start);
    struct ev_running run = {.step = STEP_BATCH, .attempt = 1, .t = l->now, .pid = 4242};
    apply(l, EV_RUNNING, id, &run);
}

void big_cluster_build(struct lab *l)
{
    make_nodes(l);
    for (uint32_t i = 0; i < BIG_CLUSTER_JOBS; i++)
        model_take_job(&l->m, make_job(l, 1 + i));
    for (uint32_t i = 0; i < BIG_CLUSTER_RUNNING; i++)
        start_job(l, 1 + i);
    l->m.next_job = BIG_CLUSTER_JOBS + 1;
}

void big_cluster_build_array(struct lab *l)
{
    make_nodes(l);
    for (uint32_t i = 0; i < BIG_CLUSTER_JOBS; i++) {
        struct job *j = make_job(l, ARRAY + 1 + i);
        j->array_job = ARRAY;
        j->array_index = i;
        job_origin_mut(j)->array_count = BIG_CLUSTER_JOBS;
        j->state = i % 100 == 0 ? JOB_RUNNING : i % 100 == 50 ? JOB_FAILED : JOB_COMPLETED;
        j->t_start = l->now;
        if (j->state != JOB_RUNNING)
            j->t_end = l->now;
        model_take_job(&l->m, j);
    }
    l->m.next_job = ARRAY + BIG_CLUSTER_JOBS + 1;
}

void big_cluster_change(struct uilab *u, uint32_t job)
{
    struct model *m = u->app->m;
    struct ev_hold hold = {.hold = model_get_job(m, job)->hold ? HOLD_NONE : HOLD_USER};
    struct event ev = {.seq = m->seq + 1, .t = u->lab.now, .kind = EV_HOLD, .job = job, .body = &hold};
    struct msg_event msg;
    event_to_msg(&ev, &msg);
    uilab_feed(u, MSG_EVENT, 0, &msg);
    rec_fini(&msg_event_rec, &msg);
}
