/* job_efficiency.c - what a job used of what it had asked for, and how it ended, in lines. */
#include "ui/info/job_efficiency.h"

#include <string.h>

#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/values/units.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

#define LABEL 10
#define BAR   12

static struct rich *use_line(struct lines *l, const char *label, int percent)
{
    struct rich *r = lines_pair(l, label, LABEL);
    if (percent < 0)
        return r;
    struct bar_part part = {.n = (uint64_t)(percent > 100 ? 100 : percent), .role = ROLE_BAR_USED};
    bar_add(r, &part, 1, 100, BAR);
    rich_addf(r, ROLE_NORMAL, " %3d%%  ", percent);
    return r;
}

uint64_t job_use_mem_enough(uint64_t peak_kib)
{
    return (peak_kib / 1024 * 3 / 2 + 1023) / 1024 * 1024;
}

#define SHORT_S       300  /* what ran for less than this says little about what it needs */
#define SPARE_MEM_MIB 4096 /* less is not worth a word */
#define SPARE_LIMIT_S 1800
#define WELL_SEEN     80 /* below this per cent of measured time the page says so */

static struct rich *advice_add(struct lines *l, size_t n)
{
    return lines_pair(l, l->n > n ? "" : tr("advice"), LABEL);
}

static void advise_memory(struct lines *l, size_t n, const struct job_use *u)
{
    char enough[UNITS_TEXT_SIZE], asked[UNITS_TEXT_SIZE];
    if (u->mem_percent < 0 || u->mem_percent >= 40 || u->mem_mib <= SPARE_MEM_MIB)
        return;
    mem_format_slurm(job_use_mem_enough(u->peak_kib), enough);
    mem_format_slurm(u->mem_mib, asked);
    rich_addf(advice_add(l, n), ROLE_GOOD, tr("--mem=%s would have been enough; it asked for %s."), enough,
              asked);
}

static void advise_cpus(struct lines *l, size_t n, const struct job_use *u, uint32_t cpus)
{
    double busy = u->cpu_percent * (double)cpus / 100;
    uint32_t enough = (uint32_t)busy + 1;
    if (u->cpu_percent < 0 || enough * 2 > cpus)
        return;
    rich_addf(advice_add(l, n), ROLE_GOOD,
              trn("It kept %.1f of %u CPUs busy: %u would have been enough.",
                  "It kept %.1f of %u CPUs busy: %u CPUs would have been enough.", enough),
              busy, cpus, enough);
}

static void advise_gpus(struct lines *l, size_t n, const struct job_use *u)
{
    uint32_t enough = u->gpus - u->gpus_unused;
    if (!u->gpus_unused || u->gpu_seen_percent < WELL_SEEN)
        return;
    if (!enough)
        rich_addf(advice_add(l, n), ROLE_GOOD,
                  trn("It did not use its GPU: does the program find it?",
                      "It did not use any of its %u GPUs: does the program find them?", u->gpus),
                  u->gpus);
    else
        rich_addf(advice_add(l, n), ROLE_GOOD, tr("It used %u of its %u GPUs: ask for %u."), enough,
                  u->gpus, enough);
}

static void advise_time(struct lines *l, size_t n, const struct job_use *u, const struct job *j)
{
    char ran[UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE];
    if (j->state != JOB_COMPLETED || u->limit_s < SPARE_LIMIT_S || u->time_percent >= 25)
        return;
    rich_addf(advice_add(l, n), ROLE_GOOD,
              tr("It ran for %s of %s: with a shorter limit it may start earlier."),
              duration_format(u->ran_s, ran), duration_format(u->limit_s, limit));
}

/* What would do next time: a sentence for each thing that was too little or too much. */
static void advise(struct lines *l, const struct job_use *u, const struct job *j)
{
    char b[UNITS_TEXT_SIZE], had[UNITS_TEXT_SIZE];
    size_t n = l->n;
    if (!job_state_is_final((enum job_state)j->state))
        return;
    if (j->state == JOB_TIMEOUT && u->limit_s)
        rich_addf(advice_add(l, n), ROLE_GOOD,
                  tr("It needed more than %s: ask for --time=%s, or let it save its state and resume."),
                  duration_format(u->limit_s, had), duration_format(u->limit_s * 2, b));
    if (j->state == JOB_OUT_OF_MEMORY && u->mem_mib)
        rich_addf(advice_add(l, n), ROLE_GOOD, tr("It needed more memory than %s: ask for --mem=%s."),
                  mem_format_slurm(u->mem_mib, had), mem_format_slurm(u->mem_mib * 2, b));
    if (u->ran_s < SHORT_S)
        return;
    advise_memory(l, n, u);
    advise_cpus(l, n, u, job_cpus(j));
    advise_gpus(l, n, u);
    advise_time(l, n, u, j);
    if (l->n == n && j->state == JOB_COMPLETED && u->mem_percent >= 0 && u->cpu_percent >= 0)
        rich_add(lines_pair(l, tr("verdict"), LABEL), ROLE_GOOD, tr("It used what it asked for."));
}

/* The mean over its run time; only if its GPUs were measured. */
static void job_use_gpus(struct lines *l, const struct job_use *u, const struct job *j)
{
    char b[UNITS_TEXT_SIZE];
    if (u->gpu_percent < 0)
        return;
    struct rich *r = use_line(l, tr("GPUs"), u->gpu_percent);
    rich_addf(r, ROLE_DIM, tr("of %u"), job_gpus(j));
    if (u->gpu_peak_mib)
        rich_addf(r, ROLE_DIM, tr(", at most %s of GPU memory"),
                  mem_format_words(u->gpu_peak_mib * 1024, b));
    if (u->gpu_seen_percent < WELL_SEEN)
        rich_addf(r, ROLE_DIM, tr(" (measured for %d%% of the time)"), u->gpu_seen_percent);
}

void job_use_lines(struct lines *l, const struct job *j, const struct model *m, struct wall now)
{
    struct job_use u;
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];
    job_use(&u, j, m, now);
    struct rich *r = use_line(l, tr("time"), u.time_percent);
    rich_addf(r, ROLE_NORMAL, "%s", duration_format(u.ran_s, a));
    if (u.limit_s)
        rich_addf(r, ROLE_DIM, tr(" of %s"), duration_format(u.limit_s, b));
    r = use_line(l, tr("memory"), u.mem_percent);
    if (u.peak_kib) {
        rich_add(r, ROLE_NORMAL, mem_format_words(u.peak_kib, a));
        if (u.mem_mib) {
            str_append(&r->text, tr(" of "));
            mem_text(&r->text, u.mem_mib);
        }
        rich_role(r, ROLE_DIM);
        if (!str_starts(u.sampled, "cgroup")) /* samples may miss the peak */
            rich_addf(r, ROLE_DIM, " (%s)", u.sampled);
    } else {
        rich_add(r, ROLE_DIM, tr("not measured"));
    }
    r = use_line(l, tr("CPUs"), u.cpu_percent);
    if (u.cpu_percent >= 0)
        rich_addf(r, ROLE_DIM, tr("of %u"), job_cpus(j));
    else
        rich_add(r, ROLE_DIM, tr("not measured"));
    job_use_gpus(l, &u, j);
    advise(l, &u, j);
}

/* --- how it ended --- */

void job_cause(struct rich *r, const struct job *j)
{
    const struct step *step = NULL;
    const struct task *t = job_first_failed(j, &step);
    char b[UNITS_TEXT_SIZE], id[16];
    job_words(r, j);
    bool measured = j->state == JOB_OUT_OF_MEMORY && t && t->peak_rss_kib && !str_is_empty(t->sampled);
    if (measured) {
        rich_addf(r, ROLE_NORMAL, ": %s", mem_format_words(t->peak_rss_kib, b));
        if (t->alloc.mem_mib)
            rich_addf(r, ROLE_NORMAL, tr(" of %s"), mem_format_slurm(t->alloc.mem_mib, b));
    }
    if (t && (t->message || t->why.n) && !measured) /* it says the same */
        task_message(r, ROLE_NORMAL, t);
    else if (j->state == JOB_CANCELLED && j->kill_cause && j->kill_cause != KILL_CANCEL)
        rich_addf(r, ROLE_NORMAL, ": %s", kill_cause_text((enum kill_cause)j->kill_cause));
    struct str nodes = STR_INIT;
    jobtext_nodes(&nodes, j);
    if (t && j->state != JOB_COMPLETED && step->id >= 0)
        rich_addf(r, ROLE_DIM, tr("  task %s.%u on %s"), step_format_id(step->id, id), t->index,
                  t->alloc.node ? t->alloc.node : "?");
    else if (nodes.len)
        rich_addf(r, ROLE_DIM, "  %s", nodes.s);
    str_fini(&nodes);
}
