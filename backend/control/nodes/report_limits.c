#include "backend/control/nodes/report_limits.h"

#include <string.h>

#include "backend/control/nodes/attempt_state.h"
#include "src/base/str.h"
#include "src/base/utf8.h"

#define NOTES_MAX      64
#define NOTE_BYTES     256
#define PATH_BYTES     4096
#define MESSAGE_BYTES  1024
#define CLOCK_SLACK_MS 60000

static void report_clip(char *s, size_t max)
{
    if (s)
        utf8_clean(s, max);
}

/* Part of a path is not a path. */
static void report_drop_long(char **path)
{
    if (*path && strlen(*path) > PATH_BYTES)
        xstrset(path, NULL);
}

static void report_clip_notes(struct strv *notes)
{
    while (notes->n > NOTES_MAX)
        free(notes->v[--notes->n]);
    for (size_t i = 0; i < notes->n; i++)
        report_clip(notes->v[i], NOTE_BYTES);
}

/* Where *v is beyond max it becomes max, and odd tells what it was. */
static void report_bound(uint64_t *v, uint64_t max, const char *what, struct str *odd)
{
    if (*v <= max)
        return;
    str_appendf(odd, "%s%llu %s", odd->len ? ", " : "it reports ", (unsigned long long)*v, what);
    *v = max;
}

/* Its figures are added up, and its texts are kept and shown: what no node has is cut and noted in odd. */
void report_limit_figures(struct msg_agent *m, struct str *odd)
{
    uint64_t cpus = m->cpus, gpus = m->gpus;
    report_bound(&cpus, CPUSET_MAX, "CPUs", odd);
    report_bound(&gpus, CPUSET_MAX, "GPUs", odd);
    report_bound(&m->mem_mib, NODE_MEM_MAX_MIB, "MiB of memory", odd);
    report_bound(&m->tmp_mib, NODE_TMP_MAX_MIB, "MiB in /tmp", odd);
    m->cpus = (uint32_t)cpus;
    m->gpus = (uint32_t)gpus;
    char *texts[] = {m->boot_id, m->arch, m->os, m->release, m->gpu_type};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        report_clip(texts[i], NOTE_BYTES);
    report_drop_long(&m->client_socket);
    report_drop_long(&m->bin_dir);
    report_clip_notes(&m->notes);
    report_clip_notes(&m->gpu_notes);
}

/* A clock of a node may be anything: whether t lies between the job's start and now, give or take. */
static bool report_is_likely(struct control *c, uint32_t job, struct wall t)
{
    const struct job *j = model_get_job(&c->model, job);
    return j && t.ms >= j->t_start.ms - CLOCK_SLACK_MS && t.ms <= loop_wall(c->loop).ms + CLOCK_SLACK_MS;
}

/* The controller's clock may have been set between the start of the job and the report. */
static struct wall report_limit_step(struct control *c, const struct launch_key *k, struct wall t)
{
    int64_t step = attempt_state_clock_step(c, k->job, k->attempt);
    bool was_set = step > CLOCK_SLACK_MS || step < -CLOCK_SLACK_MS;
    return was_set ? (struct wall){.ms = t.ms - step} : t;
}

struct wall report_limit_start(struct control *c, const struct launch_key *k, struct wall t)
{
    return report_limit_step(c, k, report_is_likely(c, k->job, t) ? t : loop_wall(c->loop));
}

/* Both times may be right by themselves, with a clock set between them: the node's, or the one that the
 * start was noted by. */
static void report_limit_length(struct control *c, const struct task *t, struct launch_end *m)
{
    struct wall start = wall_is_set(t->t_start) ? t->t_start : report_limit_step(c, &m->key, m->t_start);
    int64_t run = (int64_t)m->run_ms, off = m->t_end.ms - start.ms - run;
    if (run <= 0 || (off <= CLOCK_SLACK_MS && off >= -CLOCK_SLACK_MS))
        return;
    m->t_start = start;
    m->t_end = (struct wall){.ms = start.ms + run};
}

/* Where its clock is not believed the length of the run is: another clock measures that. */
static void report_limit_times(struct control *c, const struct task *t, struct launch_end *m)
{
    if (!wall_is_set(m->t_end))
        return;
    if (report_is_likely(c, m->key.job, m->t_end) && report_is_likely(c, m->key.job, m->t_start)) {
        report_limit_length(c, t, m);
        return;
    }
    struct wall now = loop_wall(c->loop);
    int64_t run = m->run_ms < (uint64_t)now.ms ? (int64_t)m->run_ms : 0;
    m->t_start =
        report_is_likely(c, m->key.job, t->t_start) ? t->t_start : (struct wall){.ms = now.ms - run};
    m->t_end = (struct wall){.ms = m->t_start.ms + run};
    if (m->t_end.ms > now.ms)
        m->t_end = now;
}

/* Codes as the kernel gives them, one for each process. */
static void report_limit_codes(const struct task *t, struct launch_end *m)
{
    if (m->ranks.n > t->n_ranks)
        m->ranks.n = t->n_ranks;
    report_clip(m->sampled, NOTE_BYTES);
    report_clip(m->message, MESSAGE_BYTES);
    for (size_t i = 0; i < m->ranks.n; i++) {
        struct rank_end *e = &m->ranks.v[i];
        e->code = e->code < 0 || e->code > 255 ? 255 : e->code;
        e->signal = e->signal < 0 || e->signal > 64 ? 0 : e->signal;
        e->count = 0;
    }
}

/* The samples cannot stand for more time than its GPUs had. */
static void report_limit_gpus(const struct task *t, struct launch_end *m)
{
    uint32_t gpus = cpuset_count(&t->alloc.gpus);
    struct gpu_use *u = &m->gpu_use;
    int64_t ran_ms = m->t_end.ms - m->t_start.ms + CLOCK_SLACK_MS;
    uint64_t most_s = ran_ms > 0 ? (uint64_t)ran_ms / 1000 * gpus : 0;
    u->measured_s = u->measured_s < most_s ? u->measured_s : (uint32_t)most_s;
    u->permille = u->permille < 1000 ? u->permille : 1000;
    u->unused = u->unused < gpus ? u->unused : gpus;
    if (!u->measured_s)
        *u = (struct gpu_use){0};
}

/* A script that fails after its job was told to end did not choose to: the end of a step reached it before
 * its own signal. That must not keep the job from being requeued. */
static void report_limit_kind(const struct job *j, struct launch_end *m)
{
    bool failed = m->end_kind == END_EXITED && m->ranks.n && m->ranks.v[0].code;
    if (m->key.step != STEP_BATCH || !failed || j->kill_cause == KILL_NONE ||
        m->t_end.ms < job_rare(j)->t_kill.ms)
        return;
    m->end_kind = j->kill_cause == KILL_TIMEOUT ? END_TIMEOUT : END_KILLED;
}

void report_limit_end(struct control *c, const struct job *j, const struct task *t, struct launch_end *m)
{
    report_limit_times(c, t, m);
    report_limit_codes(t, m);
    report_limit_gpus(t, m);
    report_limit_kind(j, m);
}
