#include "backend/demo/demo_task.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/base/str.h"
#include "src/values/units.h"

struct demo_kind {
    const char *name; /* how the job's name begins */
    enum demo_log log;
    uint32_t min_s, max_s;
    uint32_t fail_permille;
    uint32_t end_kind;
    int32_t code, signal;
    const char *fail_text;
    uint32_t cpu_pct, gpu_pct, mem_pct, gpu_mem_pct;
    const char *step;
    bool leaves_gpu_idle;
};

#define CUDA_OOM                                                                                        \
    "Traceback (most recent call last):\n  File \"train.py\", line 88, in <module>\n    loss.backward()\n" \
    "RuntimeError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 79.15 GiB total capacity)\n"
#define KEY_ERROR                                                                                        \
    "Traceback (most recent call last):\n  File \"convert.py\", line 31, in <module>\n    y = row['label']\n" \
    "KeyError: 'label'\n"
#define NAN_LOSS       "ERROR: loss is nan at step 1840, stopping\n"
#define NO_CONVERGENCE "ERROR: SCF did not converge within 200 iterations\n"

/* The first that fits. */
static const struct demo_kind kinds[] = {
    {"pretrain", DEMO_LOG_TRAIN, 9000, 13000, 0, 0, 0, 0, NULL, 38, 95, 71, 90, "torchrun", true},
    {"finetune", DEMO_LOG_TRAIN, 2400, 5400, 60, END_EXITED, 1, 0, NAN_LOSS, 30, 97, 52, 93, NULL, false},
    {"train", DEMO_LOG_TRAIN, 6000, 12000, 80, END_EXITED, 1, 0, CUDA_OOM, 42, 96, 48, 88, NULL, false},
    {"distill", DEMO_LOG_TRAIN, 1500, 4000, 50, END_EXITED, 1, 0, NAN_LOSS, 33, 91, 40, 76, NULL, false},
    {"ablation", DEMO_LOG_TRAIN, 1200, 3600, 80, END_EXITED, 1, 0, CUDA_OOM, 28, 88, 35, 62, NULL, false},
    {"sweep", DEMO_LOG_TRAIN, 362, 700, 45, END_EXITED, 1, 0, CUDA_OOM, 34, 81, 22, 76, NULL, false},
    {"crossval", DEMO_LOG_TRAIN, 240, 900, 90, END_EXITED, 1, 0, NAN_LOSS, 55, 84, 30, 55, NULL, false},
    {"eval", DEMO_LOG_EVAL, 70, 260, 40, END_EXITED, 1, 0, KEY_ERROR, 61, 70, 24, 41, NULL, false},
    {"scan", DEMO_LOG_STEPS, 1800, 7200, 20, END_EXITED, 1, 0, NO_CONVERGENCE, 22, 99, 12, 30, NULL, false},
    {"prepare", DEMO_LOG_FILES, 120, 700, 20, END_EXITED, 1, 0, KEY_ERROR, 88, 0, 30, 0, NULL, false},
    {"preprocess", DEMO_LOG_FILES, 90, 600, 20, END_EXITED, 1, 0, KEY_ERROR, 92, 0, 41, 0, NULL, false},
    {"convert", DEMO_LOG_FILES, 37, 90, 700, END_EXITED, 2, 0, KEY_ERROR, 70, 0, 20, 0, NULL, false},
    {"merge", DEMO_LOG_FILES, 600, 2800, 600, END_OOM, 0, SIGKILL, "Killed\n", 64, 0, 99, 0, NULL, false},
    {"relax", DEMO_LOG_STEPS, 9000, 16000, 30, END_EXITED, 1, 0, NO_CONVERGENCE, 97, 0, 55, 0, NULL, false},
    {"md-", DEMO_LOG_STEPS, 1500, 5000, 30, END_SIGNALED, 0, SIGSEGV, "Segmentation fault\n", 98, 0, 33, 0,
     NULL, false},
    {"align", DEMO_LOG_FILES, 200, 800, 15, END_EXITED, 1, 0, KEY_ERROR, 94, 0, 61, 0, NULL, false},
    {"assemble", DEMO_LOG_FILES, 1200, 5200, 60, END_OOM, 0, SIGKILL, "Killed\n", 90, 0, 92, 0, NULL,
     false},
    {"homework", DEMO_LOG_PLAIN, 15, 120, 180, END_EXITED, 1, 0, "AssertionError: expected 42\n", 50, 10,
     10, 20, NULL, false},
    {"solve", DEMO_LOG_STEPS, 2400, 5000, 10, END_EXITED, 1, 0, NO_CONVERGENCE, 85, 0, 44, 0, NULL, false},
    {"fit", DEMO_LOG_STEPS, 900, 2400, 10, END_EXITED, 1, 0, NO_CONVERGENCE, 80, 0, 30, 0, NULL, false},
    {"index", DEMO_LOG_FILES, 900, 2000, 10, END_EXITED, 1, 0, KEY_ERROR, 75, 0, 60, 0, NULL, false},
    {"report", DEMO_LOG_EVAL, 40, 160, 30, END_EXITED, 1, 0, KEY_ERROR, 40, 0, 15, 0, NULL, false},
    {"", DEMO_LOG_PLAIN, 45, 420, 60, END_EXITED, 1, 0, "error: it did not work\n", 45, 60, 25, 45, NULL,
     false},
};

uint32_t demo_dice(uint64_t seed, uint64_t what, uint32_t n)
{
    uint64_t z = seed + what * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % n);
}

static const struct demo_kind *demo_kind_of(const char *job_name)
{
    const struct demo_kind *k = kinds;
    while (!str_starts(job_name ? job_name : "", k->name))
        k++;
    return k;
}

/* Of the numbers of the launch, and not of its nonce, which is random. */
static uint64_t demo_task_seed(const struct launch *l, uint64_t seed)
{
    struct launch_key k;
    memset(&k, 0, sizeof k);
    k.job = l->key.job;
    k.step = l->key.step;
    k.task = l->key.task;
    k.attempt = l->key.attempt;
    return seed ^ launch_key_hash(&k);
}

/* What srun starts in a batch script ends with it, a little before. */
static bool demo_task_is_step_of_batch(const struct launch *l, const struct demo_kind *k)
{
    return l->key.step >= 0 && k->step;
}

void demo_task_init(struct demo_task *t, const struct launch *l, uint64_t seed)
{
    const struct demo_kind *k = demo_kind_of(l->job_name);
    uint64_t own = demo_task_seed(l, seed);
    bool fails = demo_dice(own, 1, 1000) < k->fail_permille;
    *t = (struct demo_task){.log = k->log,
                            .seed = own,
                            .end_kind = END_EXITED,
                            .cpu_pct = k->cpu_pct,
                            .gpu_pct = k->gpu_pct,
                            .mem_pct = k->mem_pct - demo_dice(own, 2, k->mem_pct / 4 + 1),
                            .gpu_mem_pct = k->gpu_mem_pct,
                            .step = l->is_batch ? k->step : NULL,
                            .leaves_gpu_idle = k->leaves_gpu_idle && demo_task_is_step_of_batch(l, k)};
    t->run_ms = (int64_t)(k->min_s + demo_dice(own, 3, k->max_s - k->min_s)) * MS_PER_S +
                demo_dice(own, 4, MS_PER_S);
    if (demo_task_is_step_of_batch(l, k)) /* it is ended with its job, if not before */
        t->run_ms = (int64_t)k->max_s * MS_PER_S;
    t->full_ms = t->run_ms;
    if (t->step) /* the script waits for what it has started */
        t->cpu_pct = t->gpu_pct = t->mem_pct = t->gpu_mem_pct = 0;
    snprintf(t->title, sizeof t->title, "%s", l->job_name ? l->job_name : "task");
    if (!fails || t->step)
        return;
    t->end_kind = k->end_kind;
    t->code = k->code;
    t->signal = k->signal;
    t->fail_text = k->fail_text;
    t->run_ms = t->run_ms / 8 + (int64_t)demo_dice(own, 5, (uint32_t)(t->run_ms / 2));
}

/* A slow wave and some noise around a mean. */
static uint32_t demo_wave(uint64_t seed, uint32_t mean, int64_t at_ms)
{
    int64_t s = at_ms / MS_PER_S;
    int wave = (int)(s / 7 % 13) - 6, noise = (int)demo_dice(seed, (uint64_t)s, 7) - 3;
    int v = mean ? (int)mean + wave / 2 + noise : 0;
    return v < 0 ? 0 : v > 100 ? 100 : (uint32_t)v;
}

uint32_t demo_task_gpu_pct(const struct demo_task *t, unsigned gpu, int64_t at_ms)
{
    bool loads = at_ms < 20 * MS_PER_S; /* its data */
    return t->gpu_pct ? demo_wave(t->seed + gpu, loads ? 4 : t->gpu_pct, at_ms) : 0;
}

uint32_t demo_task_cpu_pct(const struct demo_task *t, int64_t at_ms)
{
    return demo_wave(t->seed, t->cpu_pct, at_ms);
}
