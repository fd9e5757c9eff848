#include "backend/demo/model_task.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "backend/demo/demo_output.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define BEGIN_MS      400  /* from the launch until it runs */
#define DIE_MS        1200 /* from the kill until it has ended */
#define GPU_SAMPLE_MS 5000
#define TEXTS_MAX     24 /* texts that are kept; the others are made again when needed */

/* What a task prints; it outlives the task. */
struct model_output {
    struct list link; /* those that were read last are last */
    struct launch_key key;
    struct demo_task what;
    struct model_task *task; /* NULL: it has ended */
    int64_t ran_ms;          /* then */
    char *tail;              /* its last words; NULL: none */
    struct str text;         /* as far as it was read */
    uint32_t piece;          /* the next one */
    bool has_tail;
};

void model_tasks_init(struct model_tasks *ts, struct loop *l, uint64_t seed,
                      void (*say)(void *ctx, enum msg_kind kind, const void *body), void *ctx)
{
    *ts = (struct model_tasks){.loop = l, .seed = seed, .say = say, .ctx = ctx};
    list_init(&ts->all);
    list_init(&ts->outputs);
}

static struct model_task *model_tasks_find(struct model_tasks *ts, const struct launch_key *key)
{
    list_for_each (t, &ts->all, struct model_task, link)
        if (launch_key_eq(&t->status.key, key))
            return t;
    return NULL;
}

static struct model_output *model_output_find(struct model_tasks *ts, const struct launch_key *key)
{
    list_for_each (o, &ts->outputs, struct model_output, link)
        if (launch_key_eq(&o->key, key))
            return o;
    return NULL;
}

static void model_task_free(struct model_task *t)
{
    loop_timer_cancel(t->owner->loop, &t->timer);
    list_unlink(&t->link);
    if (t->end)
        rec_fini(&launch_end_rec, t->end);
    free(t->end);
    free(t);
}

static void model_output_free(struct model_output *o)
{
    list_unlink(&o->link);
    str_fini(&o->text);
    free(o->tail);
    free(o);
}

void model_tasks_fini(struct model_tasks *ts)
{
    list_for_each (t, &ts->all, struct model_task, link)
        model_task_free(t);
    list_for_each (o, &ts->outputs, struct model_output, link)
        model_output_free(o);
}

int64_t model_task_ran_ms(const struct model_task *t)
{
    bool counts = t->status.state == LAUNCH_RUNNING && !t->paused;
    return t->ran_ms + (counts ? mono_ms() - t->since_ms : 0);
}

/* --- its life --- */

/* As the agent of a node accounts GPUs, but without the script of a job whose steps do the work. */
static struct gpu_use model_task_gpu_use(const struct model_task *t, int64_t ran_ms)
{
    uint32_t gpus = cpuset_count(&t->status.gpus), unused = t->what.leaves_gpu_idle;
    uint64_t sum = 0, n = 0, mib = (uint64_t)DEMO_GPU_MIB * t->what.gpu_mem_pct / 100;
    for (int64_t at = 0; at < ran_ms; at += GPU_SAMPLE_MS, n++)
        sum += demo_task_gpu_pct(&t->what, 0, at);
    if (!gpus || !t->what.gpu_pct || !n)
        return (struct gpu_use){0};
    return (struct gpu_use){.measured_s = (uint32_t)((uint64_t)ran_ms * gpus / 1000 + 1),
                            .permille = (uint32_t)(sum * 10 * (gpus - unused) / n / gpus),
                            .peak_mib = (uint32_t)mib * (gpus - unused),
                            .unused = unused};
}

static void model_task_end(struct model_task *t, uint32_t kind, int32_t code, int32_t sig)
{
    struct model_output *o = model_output_find(t->owner, &t->status.key);
    int64_t ran = model_task_ran_ms(t);
    t->end = xcalloc(1, sizeof *t->end);
    *t->end =
        (struct launch_end){.key = t->status.key,
                            .end_kind = kind,
                            .t_start = t->status.t_start,
                            .t_end = wall_read(),
                            .run_ms = (uint64_t)ran,
                            .peak_rss_kib = t->status.mem_mib * 1024 / 100 * t->what.mem_pct,
                            .cpu_ms = (uint64_t)ran * cpuset_count(&t->status.cpus) * t->what.cpu_pct / 100,
                            .sampled = xstrdup("RSS every 250 ms"),
                            .gpu_use = model_task_gpu_use(t, ran),
                            .was_killed = t->status.killing};
    for (uint32_t i = 0; i < t->n_ranks; i++)
        *rec_list_push(&t->end->ranks) = (struct rank_end){.code = i ? 0 : code, .signal = i ? 0 : sig};
    t->status.state = LAUNCH_ENDED;
    o->task = NULL;
    o->ran_ms = ran;
    loop_timer_cancel(t->owner->loop, &t->timer);
    t->owner->say(t->owner->ctx, MSG_TASK_END, t->end);
}

static uint32_t model_task_end_of_kill(const struct model_task *t)
{
    return t->kill_cause == KILL_TIMEOUT ? END_TIMEOUT : t->kill_cause == KILL_OOM ? END_OOM : END_KILLED;
}

static void model_task_arm(struct model_task *t)
{
    if (!t->paused)
        loop_timer_set(t->owner->loop, &t->timer, t->what.run_ms - model_task_ran_ms(t));
    else
        loop_timer_cancel(t->owner->loop, &t->timer);
}

static void model_task_begin(struct model_task *t)
{
    t->status.state = LAUNCH_RUNNING;
    t->status.pid = 2000 + t->status.key.job % 30000;
    t->since_ms = mono_ms();
    t->owner->say(t->owner->ctx, MSG_TASK_RUNNING, &t->status);
    model_task_arm(t);
}

static void model_task_on_timer(void *ctx)
{
    struct model_task *t = ctx;
    if (t->status.killing) {
        model_task_end(t, model_task_end_of_kill(t), 0, SIGTERM);
        return;
    }
    if (t->status.state == LAUNCH_STARTING) {
        model_task_begin(t);
        return;
    }
    struct model_output *o = model_output_find(t->owner, &t->status.key);
    o->tail = t->what.fail_text ? xstrdup(t->what.fail_text) : NULL;
    model_task_end(t, t->what.end_kind, t->what.code, t->what.signal);
}

struct model_task *model_tasks_launch(struct model_tasks *ts, const struct launch *l)
{
    struct model_task *t = model_tasks_find(ts, &l->key);
    if (t) {
        if (t->status.state != LAUNCH_STARTING)
            ts->say(ts->ctx, t->end ? MSG_TASK_END : MSG_TASK_RUNNING,
                    t->end ? (const void *)t->end : &t->status);
        return NULL;
    }
    t = xcalloc(1, sizeof *t);
    t->owner = ts;
    t->n_ranks = (uint32_t)l->ranks.n;
    t->status = (struct launch_status){.key = l->key,
                                       .state = LAUNCH_STARTING,
                                       .t_start = wall_read(),
                                       .uid = l->uid,
                                       .cpus = l->alloc.cpus,
                                       .gpus = l->alloc.gpus,
                                       .mem_mib = l->alloc.mem_mib};
    demo_task_init(&t->what, l, ts->seed);
    t->timer = (struct loop_timer){.fn = model_task_on_timer, .ctx = t};
    list_init(&t->link);
    list_append(&ts->all, &t->link);
    struct model_output *o = xcalloc(1, sizeof *o);
    *o = (struct model_output){.key = l->key, .what = t->what, .task = t, .text = STR_INIT};
    list_init(&o->link);
    list_append(&ts->outputs, &o->link);
    loop_timer_set(ts->loop, &t->timer, BEGIN_MS);
    return t;
}

static void model_task_pause(struct model_task *t, bool on)
{
    if (t->paused == on || t->status.state != LAUNCH_RUNNING)
        return;
    t->ran_ms = model_task_ran_ms(t);
    t->since_ms = mono_ms();
    t->paused = on;
    model_task_arm(t);
}

void model_tasks_kill(struct model_tasks *ts, const struct launch_kill *k)
{
    struct model_task *t = model_tasks_find(ts, &k->key);
    if (!t || t->end)
        return;
    if (k->signal == SIGSTOP || k->signal == SIGCONT)
        model_task_pause(t, k->signal == SIGSTOP);
    bool ends = k->signal == 0 || k->signal == SIGKILL || k->signal == SIGTERM || k->signal == SIGINT;
    if (!ends || t->status.killing)
        return;
    struct model_output *o = model_output_find(ts, &k->key);
    if (k->note && !o->tail)
        o->tail = xasprintf("\n%s\n", k->note);
    t->kill_cause = k->cause;
    t->status.killing = true;
    loop_timer_set(ts->loop, &t->timer, DIE_MS);
}

void model_tasks_forget(struct model_tasks *ts, const struct launch_key *key)
{
    struct model_task *t = model_tasks_find(ts, key);
    if (t && t->end)
        model_task_free(t);
}

/* --- what it prints --- */

/* Texts are long: those that were read longest ago go. */
static void model_output_trim(struct model_tasks *ts)
{
    unsigned n = 0;
    for (struct list *at = ts->outputs.prev; at != &ts->outputs; at = at->prev) {
        struct model_output *o = container_of(at, struct model_output, link);
        if (!o->text.cap || ++n <= TEXTS_MAX)
            continue;
        str_fini(&o->text);
        o->piece = 0;
        o->has_tail = false;
    }
}

static void model_output_grow(struct model_output *o)
{
    int64_t ran = o->task ? model_task_ran_ms(o->task) : o->ran_ms;
    for (; demo_output_at(&o->what, o->piece) <= ran; o->piece++)
        demo_output_append(&o->what, o->piece, &o->text);
    if (!o->task && !o->has_tail && o->tail) {
        if (o->text.len && o->text.s[o->text.len - 1] != '\n')
            str_append_char(&o->text, '\n');
        str_append(&o->text, o->tail);
        o->has_tail = true;
    }
}

static int64_t model_output_next_ms(const struct model_output *o)
{
    if (!o->task)
        return -1;
    int64_t ran = model_task_ran_ms(o->task), next = demo_output_at(&o->what, o->piece);
    int64_t end = o->what.run_ms + 1;
    next = next < end ? next : end;
    return next > ran ? next - ran : 1;
}

void model_tasks_read(struct model_tasks *ts, const struct msg_output_read *m, struct msg_output_data *ret,
                      int64_t *ret_next_ms)
{
    static char nothing[] = "the demo knows nothing of this task";
    struct model_output *o = model_output_find(ts, &m->key);
    *ret = (struct msg_output_data){.offset = m->offset, .eof = true};
    *ret_next_ms = -1;
    if (!o) {
        ret->error = nothing;
        return;
    }
    bool own_file = m->stream == 2; /* with one file for both, this stream is not asked for */
    if (!own_file) {
        model_output_grow(o);
        list_move_to_end(&ts->outputs, &o->link);
        model_output_trim(ts);
    }
    ret->size = own_file ? 0 : o->text.len;
    if (m->offset < ret->size) {
        size_t left = ret->size - m->offset;
        ret->data.n = left < m->max ? left : m->max;
        ret->data.p = xmemdup(o->text.s + m->offset, ret->data.n);
    }
    ret->eof = !o->task && m->offset + ret->data.n >= ret->size;
    *ret_next_ms = own_file ? -1 : model_output_next_ms(o);
}
