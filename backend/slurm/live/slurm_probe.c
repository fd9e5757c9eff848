#include "backend/slurm/live/slurm_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_word.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define PROBE_PAUSE_MS  15000
#define PROBE_GOOD_MS   30000
#define PROBE_NODES_MAX 64
#define PROBE_LINE_MAX  512

/* CPU times are those of fields 14 and 15 of /proc/PID/stat, behind the name in parentheses, which may be
 * any text; field 24 is the resident memory. The step of the script itself does not count. */
const char slurm_probe_script[] =
    "own() { grep -Lsxz \"SLURM_STEP_ID=$SLURM_STEP_ID\" $(grep -lsxz \"SLURM_JOB_ID=$SLURM_JOB_ID\" "
    "/proc/[0-9]*/environ) </dev/null; }\n"
    "shot() { for f in $(own); do cat \"${f%environ}stat\" 2>/dev/null; echo; done |\n"
    "  awk '{ if (sub(/^.*\\) /, \"\")) { c += $12 + $13; m += $22; n++ } } END { printf \"%.0f %.0f %d\", "
    "c, m, n }'; }\n"
    "cpus() { awk '/^cpu / { printf \"%.0f %.0f\", $2 + $3 + $4 + $7 + $8 + $9, $2 + $3 + $4 + $5 + $6 + "
    "$7 + $8 + $9 }' "
    "/proc/stat; }\n"
    "up() { cut -d' ' -f1 /proc/uptime; }\n"
    "t0=$(up) s0=$(shot) m0=$(cpus)\n"
    "sleep 1\n"
    "t1=$(up) s1=$(shot) m1=$(cpus)\n"
    "echo \"$1 job $SLURMD_NODENAME $t0 $t1 $s0 $s1 $(getconf CLK_TCK || echo 100) $(getconf PAGESIZE || "
    "echo 4096)\"\n"
    "echo \"$1 machine $SLURMD_NODENAME $m0 $m1 $(cut -d' ' -f1 /proc/loadavg) "
    "$(awk '/^MemTotal:/ { t = $2 } /^MemAvailable:/ { a = $2 } END { print t + 0, a + 0 }' "
    "/proc/meminfo)\"\n"
    "nvidia-smi --query-gpu=utilization.gpu,memory.used,memory.total --format=csv,noheader,nounits "
    "2>/dev/null |\n"
    "  while read -r line; do echo \"$1 gpu $SLURMD_NODENAME $line\" | tr -d ,; done\n"
    "exit 0\n";

struct slurm_probes {
    struct slurm_hub *hub;
    const struct slurm_mirror *mirror;
    uint32_t running; /* the job that the running step is in; 0: none */
    struct mono last; /* the last step began; ns 0: there was none */
    char word[SLURM_WORD_SIZE];
    struct engine_calls cost;
};

/* --- reading --- */

struct probe_reading {
    VEC(struct msg_util) utils;
    const struct job *job;
    struct wall now;
};

static struct msg_util *probe_node(struct probe_reading *p, const char *node)
{
    vec_for_each (&p->utils, i)
        if (str_eq(p->utils.v[i].node, node))
            return &p->utils.v[i];
    if (!job_alloc_on(p->job, node))
        return NULL;
    vec_push(&p->utils, ((struct msg_util){.node = xstrdup(node), .t = p->now, .good_ms = PROBE_GOOD_MS}));
    return &p->utils.v[p->utils.n - 1];
}

static void probe_read_job(struct msg_util *u, uint32_t job, const char *text)
{
    double t0, t1, c0, m0, c1, m1, hz, page;
    int n0, n1;
    if (sscanf(text, "%lf %lf %lf %lf %d %lf %lf %d %lf %lf", &t0, &t1, &c0, &m0, &n0, &c1, &m1, &n1, &hz,
               &page) != 10 ||
        t1 <= t0 || hz < 1 || page < 1 || c1 < 0 || m1 < 0 || n1 < 0 || m1 * page > 1e18)
        return;
    double busy = c1 > c0 ? (c1 - c0) * 1000 / hz / (t1 - t0) : 0;
    struct task_util *t = rec_list_push(&u->tasks);
    t->key = (struct launch_key){.job = job, .step = STEP_ALL};
    t->cpu_permille = busy < 1e9 ? (uint32_t)busy : 0;
    t->rss_kib = (uint64_t)(m1 * page / 1024);
    t->procs = (uint32_t)n1;
}

static void probe_read_machine(struct msg_util *u, const char *text)
{
    double b0, a0, b1, a1, load, total, available;
    if (sscanf(text, "%lf %lf %lf %lf %lf %lf %lf", &b0, &a0, &b1, &a1, &load, &total, &available) != 7 ||
        total <= 0 || total > 1e15 || available > total || available < 0)
        return;
    double share = a1 > a0 && b1 >= b0 ? (b1 - b0) * 1000 / (a1 - a0) : 0;
    u->cpu_permille = share <= 1000 ? (uint32_t)share : 1000;
    u->load1 = load;
    u->mem_mib = (uint64_t)(total / 1024);
    u->mem_used_mib = (uint64_t)((total - available) / 1024);
}

/* "93 4096 81559"; "[N/A]" stands for what the device does not tell: then it is left out, and the next one
 * has its own index all the same. */
static void probe_read_gpu(struct msg_util *u, uint32_t listed, const char *text)
{
    unsigned busy;
    unsigned long long used, all;
    struct gpu_util *g = rec_list_push(&u->gpus);
    g->index = listed;
    g->busy_pct = UINT32_MAX;
    if (sscanf(text, "%u %llu %llu", &busy, &used, &all) != 3 || busy > 100)
        return;
    g->busy_pct = busy;
    g->mem_used_mib = used;
    g->mem_mib = all;
}

static uint32_t probe_nth(const struct cpuset *set, uint32_t n)
{
    for (uint32_t i = 0; i < CPUSET_MAX; i++)
        if (cpuset_has(set, i) && !n--)
            return i;
    return CPUSET_MAX;
}

/* A node that shows a job its own GPUs alone numbers them from 0: the nth of them is the nth of the job. A
 * node that shows all has their own numbers. */
static void probe_number_gpus(struct msg_util *u, const struct job *j)
{
    const struct alloc *a = job_alloc_on(j, u->node);
    uint32_t n = (uint32_t)u->gpus.n, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct gpu_util g = u->gpus.v[i];
        g.index = a && cpuset_count(&a->gpus) == n ? probe_nth(&a->gpus, i) : i;
        if (g.busy_pct != UINT32_MAX && a && cpuset_has(&a->gpus, g.index))
            u->gpus.v[kept++] = g;
    }
    u->gpus.n = kept;
}

static void probe_read_line(struct probe_reading *p, const char *line)
{
    char what[16], node[256];
    int at = 0;
    if (sscanf(line, " %15s %255s %n", what, node, &at) != 2 || !at)
        return;
    struct msg_util *u = probe_node(p, node);
    if (!u)
        return;
    if (str_eq(what, "job") && !u->tasks.n)
        probe_read_job(u, p->job->id, line + at);
    else if (str_eq(what, "machine"))
        probe_read_machine(u, line + at);
    else if (str_eq(what, "gpu") && u->gpus.n < CPUSET_MAX)
        probe_read_gpu(u, (uint32_t)u->gpus.n, line + at);
}

size_t slurm_probe_read(const struct slurm_span *answer, const char *word, const struct job *j,
                        struct wall now, struct msg_util **ret)
{
    struct probe_reading p = {.utils = VEC_INIT, .job = j, .now = now};
    const char *at = answer->p, *end = answer->p + answer->n;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        char line[PROBE_LINE_MAX];
        size_t n = (size_t)(stop - at);
        if (n < sizeof line) {
            memcpy(line, at, n);
            line[n] = '\0';
            if (str_starts(line, word))
                probe_read_line(&p, line + strlen(word));
        }
        at = stop + 1;
    }
    vec_for_each (&p.utils, i)
        probe_number_gpus(&p.utils.v[i], j);
    *ret = p.utils.v;
    return p.utils.n;
}

/* --- the step --- */

static void probe_refuse(struct slurm_session *s, uint32_t job, enum use_lack lack, const char *says)
{
    char *copy = says ? xstrdup(says) : NULL;
    slurm_session_send(s, MSG_JOB_USE, 0, &(struct msg_job_use){.job = job, .lack = lack, .says = copy});
    free(copy);
}

static void probe_tell(struct slurm_probes *p, const struct slurm_output *o)
{
    const struct job *j = model_get_job(slurm_mirror_model(p->mirror), p->running);
    struct slurm_span answer = {o->out.s, o->out.len};
    struct msg_util *utils = NULL;
    size_t n = j ? slurm_probe_read(&answer, p->word, j, loop_wall(p->hub->loop), &utils) : 0;
    list_for_each (s, &p->hub->sessions, struct slurm_session, link) {
        if (s->watch_job != p->running)
            continue;
        for (size_t i = 0; i < n; i++)
            slurm_session_send(s, MSG_UTIL, 0, &utils[i]);
        if (!n)
            probe_refuse(s, p->running, USE_PROBE_REFUSED,
                         o->says.len ? o->says.s : "srun printed nothing");
    }
    for (size_t i = 0; i < n; i++)
        rec_fini(&msg_util_rec, &utils[i]);
    free(utils);
}

static void probe_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    (void)s;
    (void)tag;
    struct slurm_probes *p = arg;
    p->cost.calls++;
    p->cost.failures += o->exit_code != 0;
    p->cost.bytes += o->out.len;
    p->cost.ms += (uint64_t)o->ms;
    p->cost.last_ms = (uint64_t)o->ms;
    p->cost.read_at = loop_wall(p->hub->loop);
    probe_tell(p, o);
    p->running = 0;
}

static void probe_start(struct slurm_probes *p, const struct job *j)
{
    struct strv argv = {0};
    slurm_word_make(p->word);
    p->running = j->id;
    p->last = loop_now(p->hub->loop);
    strv_push(&argv, "srun");
    strv_push_take(&argv, xasprintf("--jobid=%u", j->id));
    strv_push(&argv, "--overlap");
    strv_push_take(&argv, xasprintf("--nodes=%zu", j->alloc.n));
    strv_push_take(&argv, xasprintf("--ntasks=%zu", j->alloc.n));
    strv_push(&argv, "--ntasks-per-node=1");
    strv_push(&argv, "--mem=0");
    strv_push(&argv, "--input=none");
    strv_push(&argv, "--quiet");
    strv_push(&argv, "--job-name=stoker-use");
    strv_push(&argv, "sh");
    strv_push(&argv, "-c");
    strv_push(&argv, slurm_probe_script);
    strv_push(&argv, "stoker-use");
    strv_push(&argv, p->word);
    slurm_hub_run(p->hub, &argv, probe_on_answer, p);
    strv_fini(&argv);
}

void slurm_probe(struct slurm_probes *p, struct slurm_session *s, uint32_t job, bool may)
{
    const struct job *j = model_get_job(slurm_mirror_model(p->mirror), job);
    int64_t since = p->last.ns ? (loop_now(p->hub->loop).ns - p->last.ns) / NS_PER_MS : INT64_MAX;
    if (!j || j->state != JOB_RUNNING || !j->alloc.n)
        probe_refuse(s, job, USE_PROBE_REFUSED, "the job is not running");
    else if (!may)
        probe_refuse(s, job, USE_NOT_YOURS, NULL);
    else if (j->alloc.n > PROBE_NODES_MAX)
        probe_refuse(s, job, USE_PROBE_REFUSED, "a job on more than 64 nodes is not measured by a step");
    else if (since < PROBE_PAUSE_MS || p->running)
        probe_refuse(s, job, USE_PROBE_REFUSED, "a job was measured within the last 15 seconds");
    else
        probe_start(p, j);
}

/* --- for the server --- */

struct slurm_probes *slurm_probes_new(struct slurm_hub *hub, const struct slurm_mirror *mirror)
{
    struct slurm_probes *p = xcalloc(1, sizeof *p);
    *p = (struct slurm_probes){.hub = hub, .mirror = mirror};
    return p;
}

void slurm_probes_free(struct slurm_probes *p)
{
    free(p);
}

void slurm_probes_report(const struct slurm_probes *p, struct msg_engine *ret)
{
    if (!p->cost.calls)
        return;
    struct engine_calls *row = rec_list_push(&ret->calls);
    *row = p->cost;
    row->what = xstrdup("srun --overlap");
}
