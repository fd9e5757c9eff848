/* generate.c - a workload from its description. */
#include "backend/sim/generate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sim/random.h"
#include "backend/sim/simcluster.h"
#include "src/values/units.h"

#define DAY_S     86400.0
#define BUSIEST_S (14 * 3600.0) /* of the day */
#define RUN_MAX_S (60 * DAY_S)
#define PROBES    20000 /* jobs drawn to find out what one asks for on average */
#define JOBS_MAX  20000000.0

/* What people write. */
static const uint32_t round_limits[] = {300,   600,   900,    1800,   3600,   7200,   14400,   28800,
                                        43200, 86400, 172800, 259200, 432000, 604800, 1209600, 2592000};

struct maker {
    const struct made_spec *m;
    struct random random;
    double *user_sums;   /* demands up to each user */
    double **shape_sums; /* for each user: weights up to each shape; 0 before shapes of other users */
};

static double *generate_sums_of_users(const struct made_spec *m)
{
    double *sums = xcalloc(m->users.n, sizeof *sums), sum = 0;
    for (size_t i = 0; i < m->users.n; i++)
        sums[i] = sum += m->users.v[i].demand;
    return sums;
}

static double *generate_sums_of_shapes(const struct made_spec *m, const struct made_user *u)
{
    double *sums = xcalloc(m->shapes.n, sizeof *sums), sum = 0;
    for (size_t i = 0; i < m->shapes.n; i++) {
        if (!u->shapes.n || strv_has(&u->shapes, m->shapes.v[i].name))
            sum += m->shapes.v[i].weight;
        sums[i] = sum;
    }
    return sums;
}

static void generate_maker_init(struct maker *k, const struct made_spec *m, uint64_t seed)
{
    *k = (struct maker){.m = m, .random = {.state = seed}};
    k->user_sums = generate_sums_of_users(m);
    k->shape_sums = xcalloc(m->users.n, sizeof *k->shape_sums);
    for (size_t i = 0; i < m->users.n; i++)
        k->shape_sums[i] = generate_sums_of_shapes(m, &m->users.v[i]);
}

static void generate_maker_fini(struct maker *k)
{
    for (size_t i = 0; i < k->m->users.n; i++)
        free(k->shape_sums[i]);
    free(k->shape_sums);
    free(k->user_sums);
}

static uint32_t generate_draw(struct random *r, const double *sums, size_t n)
{
    double x = random_unit(r) * sums[n - 1];
    for (size_t i = 0; i < n; i++)
        if (x < sums[i])
            return (uint32_t)i;
    return (uint32_t)n - 1;
}

/* --- one job --- */

static uint32_t generate_make_limit(struct random *r, const struct made_shape *s, double run)
{
    bool overruns = random_unit(r) < s->overruns;
    double factor = random_unit(r), want = run * (1 + factor * (s->over_factor - 1));
    size_t n = sizeof round_limits / sizeof *round_limits, i = 0;
    if (s->limit_s != DURATION_NOT_SET)
        return s->limit_s;
    if (overruns) { /* the longest round value below the run */
        while (i + 1 < n && round_limits[i + 1] < run)
            i++;
        return round_limits[i];
    }
    while (i + 1 < n && round_limits[i] < want)
        i++;
    return round_limits[i] < run ? (uint32_t)ceil(run) : round_limits[i];
}

/* Who, what and for how long. A fixed number of random numbers each, so that a change of one figure does
 * not throw all others about. */
static struct sim_job generate_make_job(struct maker *k)
{
    const struct made_spec *m = k->m;
    uint32_t user = generate_draw(&k->random, k->user_sums, m->users.n);
    uint32_t shape = generate_draw(&k->random, k->shape_sums[user], m->shapes.n);
    const struct made_shape *s = &m->shapes.v[shape];
    double run = s->run_s * exp(s->spread * random_normal(&k->random));
    run = run < 1 ? 1 : run > RUN_MAX_S ? RUN_MAX_S : run;
    return (struct sim_job){.run_s = (int64_t)ceil(run),
                            .user = user,
                            .shape = shape,
                            .limit_s = generate_make_limit(&k->random, s, run),
                            .tasks = NOT_GIVEN,
                            .mem_cpu_mib = MEM_NOT_GIVEN};
}

/* --- how many --- */

struct generated_request { /* resource-seconds */
    double cpus, mem_mib, gpus;
};

static struct generated_request generate_asked_by(const struct made_shape *s, const struct sim_job *j)
{
    double run = (double)(j->run_s < j->limit_s ? j->run_s : j->limit_s) * s->burst;
    double nodes = s->nodes ? s->nodes : 1;
    return (struct generated_request){.cpus = run * s->tasks * s->cpus,
                                      .mem_mib = run * nodes * (double)s->mem_mib,
                                      .gpus = run * nodes * s->gpus};
}

static double generate_max(double a, double b)
{
    return a > b ? a : b;
}

/* Submissions a second that make up the load. */
static int generate_rate_of_load(const struct made_spec *m, const struct cluster_spec *cluster, double *ret,
                                 struct errtext *err)
{
    struct sim_capacity have = simcluster_capacity(cluster, NULL);
    struct generated_request sum = {0};
    struct maker probe;
    generate_maker_init(&probe, m, m->seed ^ UINT64_C(0x5851f42d4c957f2d));
    for (int i = 0; i < PROBES; i++) {
        struct sim_job j = generate_make_job(&probe);
        struct generated_request a = generate_asked_by(&m->shapes.v[j.shape], &j);
        sum.cpus += a.cpus;
        sum.mem_mib += a.mem_mib;
        sum.gpus += a.gpus;
    }
    generate_maker_fini(&probe);
    if (have.cpus <= 0 || (sum.gpus > 0 && have.gpus <= 0))
        return err_set(err, -EINVAL, "no load: the jobs ask for %s and the cluster has none",
                       have.cpus <= 0 ? "CPUs" : "GPUs");
    double most = sum.cpus / have.cpus;
    most = generate_max(most, have.mem_mib > 0 ? sum.mem_mib / have.mem_mib : 0);
    most = generate_max(most, have.gpus > 0 ? sum.gpus / have.gpus : 0);
    *ret = m->load * PROBES / most;
    return 0;
}

/* --- all --- */

static char *generate_text_of(const char *a, const char *b)
{
    return xstrdup(a ? a : b);
}

static void generate_add_users(struct workload *w, const struct made_spec *m)
{
    for (size_t i = 0; i < m->users.n; i++) {
        const struct made_user *u = &m->users.v[i];
        vec_push(&w->users, (struct sim_user){.name = xstrdup(u->name),
                                              .group = xstrdup(u->group),
                                              .account = xstrdup(u->account),
                                              .qos = xstrdup(u->qos)});
    }
}

/* One for each shape and each partition that a user sends it to. */
static struct sim_shape generate_make_shape(const struct made_shape *s, const char *partition)
{
    struct sim_shape out = {.name = xstrdup(s->name), .keeps_work = s->keeps_work};
    struct job_req *r = &out.req;
    job_req_init(r);
    r->name = xstrdup(s->name);
    r->partition = generate_text_of(partition, s->partition);
    req_detail_mut(r)->qos = xstrdup(s->qos);
    r->ntasks = s->tasks;
    r->cpus_per_task = s->cpus;
    r->nodes_min = r->nodes_max = s->nodes ? s->nodes : NOT_GIVEN;
    r->mem_node_mib = s->mem_mib ? s->mem_mib : MEM_NOT_GIVEN;
    *(s->nodes ? &r->gpus_per_node : &r->gpus) = s->gpus ? s->gpus : NOT_GIVEN;
    req_detail_mut(r)->gpu_type = xstrdup(s->gpu_type);
    req_detail_mut(r)->features = s->features.n ? strv_join(&s->features, "&") : NULL;
    req_detail_mut(r)->exclusive = s->exclusive;
    return out;
}

/* Position of (user, shape): users with a partition of their own have their own copies. */
static uint32_t generate_shape_position(const struct made_spec *m, uint32_t user, uint32_t shape)
{
    uint32_t base = 0;
    for (uint32_t i = 0; i <= user; i++)
        base += i && m->users.v[i - 1].partition ? 1 : 0;
    return m->users.v[user].partition ? (uint32_t)m->shapes.n * (1 + base) + shape : shape;
}

static void generate_add_shapes(struct workload *w, const struct made_spec *m)
{
    for (size_t k = 0; k < m->shapes.n; k++)
        vec_push(&w->shapes, generate_make_shape(&m->shapes.v[k], NULL));
    for (size_t i = 0; i < m->users.n; i++)
        for (size_t k = 0; k < m->shapes.n && m->users.v[i].partition; k++)
            vec_push(&w->shapes, generate_make_shape(&m->shapes.v[k], m->users.v[i].partition));
}

/* Between 0 and 1: what this time of the day takes away. */
static double generate_thinning(const struct made_spec *m, double t)
{
    double swing = m->day_night * cos(6.283185307179586 * (t - BUSIEST_S) / DAY_S);
    return (1 + swing) / (1 + m->day_night);
}

static void generate_add_jobs(struct workload *w, const struct made_spec *m, double rate)
{
    struct maker k;
    generate_maker_init(&k, m, m->seed);
    double end = m->days * DAY_S, busiest = rate * (1 + m->day_night);
    for (double t = random_exponential(&k.random) / busiest; t < end;
         t += random_exponential(&k.random) / busiest) {
        bool comes = random_unit(&k.random) < generate_thinning(m, t);
        struct sim_job j = generate_make_job(&k);
        uint32_t burst = m->shapes.v[j.shape].burst;
        j.submit_s = (int64_t)t;
        j.shape = generate_shape_position(m, j.user, j.shape);
        for (uint32_t i = 0; i < burst && comes; i++) {
            j.id = (int64_t)w->jobs.n + 1;
            vec_push(&w->jobs, j);
        }
    }
    generate_maker_fini(&k);
}

int generate_workload(const struct made_spec *m, const char *name, const struct cluster_spec *cluster,
                      struct workload *ret, struct errtext *err)
{
    double rate = m->jobs_per_day / DAY_S;
    int rc = rate > 0 ? 0 : generate_rate_of_load(m, cluster, &rate, err);
    if (rc < 0)
        return rc;
    if (rate * m->days * DAY_S > JOBS_MAX)
        return err_set(err, -E2BIG, "%.0f jobs are too many", rate * m->days * DAY_S);
    workload_init(ret, name);
    generate_add_users(ret, m);
    generate_add_shapes(ret, m);
    generate_add_jobs(ret, m, rate);
    ret->until_s = m->drain ? 0 : (int64_t)ceil(m->days * DAY_S);
    return 0;
}
