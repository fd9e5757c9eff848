#include "src/cli/stoker/show_tree.h"

#include <stdlib.h>

#include "src/cli/listing/columns.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "src/model/task_parts.h"
#include "src/text/jobtext.h"
#include "src/text/jobuse.h"
#include "src/text/state_text.h"
#include "src/text/steptext.h"
#include "src/values/units.h"

static const struct table_col columns[] = {
    {.title = N_("STEP")},
    {.title = N_("STATE"), .flex = 8},
    {.title = N_("WHERE"), .flex = 8},
    {.title = N_("TIME"), .right = true},
    {.title = N_("EXIT"), .right = true},
    {.title = N_("PEAK"), .right = true, .drop = 2},
    {.title = N_("CPU TIME"), .right = true, .drop = 3},
    {.title = N_("GPU"), .right = true, .drop = 4}, /* mean over its run time; only if GPUs were measured */
    {.title = N_("WHAT"), .flex = 8},
};
#define N_COLUMNS  (sizeof columns / sizeof columns[0])
#define COLUMN_GPU (N_COLUMNS - 2)

static void show_tree_add_duration(struct texttable *t, struct wall from, struct wall to, struct wall now)
{
    char buf[UNITS_TEXT_SIZE];
    if (wall_is_set(from))
        texttable_add(t, TONE_PLAIN,
                      duration_format((uint32_t)wall_elapsed_s(from, wall_is_set(to) ? to : now), buf));
    else
        texttable_add(t, TONE_DIM, NULL);
}

static void show_tree_add_use(struct texttable *t, uint64_t peak_kib, bool sampled, uint64_t cpu_ms)
{
    char buf[UNITS_TEXT_SIZE];
    if (peak_kib)
        texttable_addf(t, TONE_PLAIN, "%s%s", sampled ? "~" : "", mem_format_words(peak_kib, buf));
    else
        texttable_add(t, TONE_DIM, NULL);
    if (cpu_ms)
        texttable_add(t, TONE_PLAIN, duration_format((uint32_t)(cpu_ms / 1000), buf));
    else
        texttable_add(t, TONE_DIM, NULL);
}

static void show_tree_add_gpu(struct texttable *t, int percent)
{
    if (t->n_cols < N_COLUMNS)
        return;
    if (percent >= 0)
        texttable_addf(t, TONE_PLAIN, "%d%%", percent);
    else
        texttable_add(t, TONE_DIM, NULL);
}

static void show_tree_add_end(struct texttable *t, const struct job *j, const struct step *s,
                              const struct task *k)
{
    struct str end = STR_INIT;
    bool failed = task_has_failed(k);
    if (task_was_stopped(k) || k->end_kind == END_NOT_RUN)
        tasktext_stopped(&end, j, s, k);
    else
        str_append(&end, failed && k->end_kind == END_EXITED ? trc("a task", "failed")
                                                             : end_kind_text((enum end_kind)k->end_kind));
    texttable_add(t, failed ? TONE_BAD : TONE_DIM, end.s);
    str_fini(&end);
}

static void show_tree_add_task(struct texttable *t, const struct job *j, const struct step *s,
                               const struct task *k, struct wall now)
{
    struct str where = STR_INIT;
    bool over = k->state == TASK_DONE;
    char *cpus = cpuset_format(&k->alloc.cpus), *gpus = cpuset_format(&k->alloc.gpus);
    texttable_addf(t, TONE_PLAIN, "  .%u", k->index);
    if (over)
        show_tree_add_end(t, j, s, k);
    else
        texttable_add(t, k->state == TASK_RUNNING ? TONE_GOOD : TONE_WAIT,
                      k->killing ? trc("a task", "ending") : task_state_word((enum task_state)k->state));
    if (k->alloc.node && *cpus)
        str_appendf(&where, tr("%s cpus %s"), k->alloc.node, cpus);
    else if (k->alloc.node)
        str_append(&where, k->alloc.node);
    if (*gpus)
        str_appendf(&where, tr(" gpus %s"), gpus);
    texttable_add(t, TONE_PLAIN, where.s);
    show_tree_add_duration(t, k->t_start, k->t_end, now);
    if (over && k->end_kind != END_NOT_RUN)
        texttable_addf(t, task_has_failed(k) ? TONE_BAD : TONE_DIM, "%d:%d", k->code, k->signal);
    else
        texttable_add(t, TONE_DIM, NULL);
    show_tree_add_use(t, k->peak_rss_kib, k->sampled != NULL, k->cpu_ms);
    show_tree_add_gpu(t, k->gpu_use.measured_s ? (int)(k->gpu_use.permille / 10) : -1);
    str_clear(&where);
    tasktext_message(&where, k);
    texttable_add(t, TONE_PLAIN, where.len ? where.s : NULL);
    str_fini(&where);
    free(cpus);
    free(gpus);
}

/* In the same words for all its tasks if one failed or none of them has a place. */
static void show_tree_add_step_state(struct texttable *t, const struct job *j, const struct step *s)
{
    enum step_stage stage = step_stage(j, s);
    struct step_tally c = step_count(s);
    struct str words = STR_INIT;
    bool over = stage == STEP_OVER, good = !s->code && !s->signal;
    if (c.failed || stage == STEP_WAITS || stage == STEP_NOT_RUN)
        steptext_state(&words, j, s);
    else if (over)
        str_append(&words, good        ? trc("a step", "done")
                           : c.stopped ? trc("a step", "stopped")
                                       : trc("a step", "failed"));
    else
        str_append(&words, s->killing           ? trc("a step", "ending")
                           : stage == STEP_RUNS ? trc("a step", "running")
                                                : trc("a step", "waiting"));
    texttable_add(t,
                  c.failed || (over && !good && !c.stopped) ? TONE_BAD
                  : over || stage == STEP_NOT_RUN           ? TONE_DIM
                  : stage == STEP_RUNS                      ? TONE_GOOD
                                                            : TONE_WAIT,
                  words.s);
    str_fini(&words);
}

static void show_tree_add_step(struct texttable *t, const struct job *j, const struct step *s,
                               struct wall now)
{
    struct str where = STR_INIT;
    char id[16];
    uint64_t peak = 0, cpu_ms = 0;
    bool sampled = false, over = step_stage(j, s) == STEP_OVER;
    for (size_t i = 0; i < s->tasks.n; i++) {
        peak = s->tasks.v[i].peak_rss_kib > peak ? s->tasks.v[i].peak_rss_kib : peak;
        cpu_ms += s->tasks.v[i].cpu_ms;
        sampled |= s->tasks.v[i].sampled != NULL;
    }
    struct step_exit end = step_exit(j, s);
    bool good = !end.code && !end.signal;
    texttable_add(t, TONE_PLAIN, step_format_id(s->id, id));
    show_tree_add_step_state(t, j, s);
    steptext_nodes(&where, s);
    texttable_add(t, TONE_PLAIN, where.s);
    show_tree_add_duration(t, s->t_start, s->t_end, now);
    if (over)
        texttable_addf(t, good ? TONE_DIM : TONE_BAD, "%d:%d", end.code, end.signal);
    else
        texttable_add(t, TONE_DIM, NULL);
    show_tree_add_use(t, peak, sampled, cpu_ms);
    show_tree_add_gpu(t, step_gpu_percent(s));
    texttable_add(t, TONE_PLAIN, str_is_empty(s->name) ? s->command : s->name);
    str_fini(&where);
}

static bool show_tree_has_gpus(const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++)
        if (step_gpu_percent(&j->steps.v[i]) >= 0)
            return true;
    return false;
}

void show_tree(struct str *out, const struct job_lookup *l)
{
    struct table_col cols[N_COLUMNS];
    size_t n = 0;
    for (size_t i = 0; i < N_COLUMNS; i++)
        if (i != COLUMN_GPU || show_tree_has_gpus(l->job))
            cols[n++] = columns[i];
    struct texttable t = {.cols = cols, .n_cols = n, .cells = VEC_INIT};
    for (size_t i = 0; i < l->job->steps.n; i++) {
        const struct step *s = &l->job->steps.v[i];
        if (l->step && s != l->step)
            continue;
        show_tree_add_step(&t, l->job, s, l->m.now);
        for (size_t k = 0; k < s->tasks.n; k++)
            if (task_part_is_listed(&s->tasks.v[k]) &&
                (l->task == NOT_GIVEN || s->tasks.v[k].index == l->task))
                show_tree_add_task(&t, l->job, s, &s->tasks.v[k], l->m.now);
    }
    if (texttable_rows(&t)) {
        str_append_char(out, '\n');
        texttable_print(&t, out, listing_width(), color_is_welcome());
    }
    texttable_fini(&t);
}
