#include "backend/slurm/live/slurm_live.h"

#include <stdlib.h>
#include <string.h>

#include "backend/slurm/live/slurm_detail.h"
#include "backend/slurm/slurm_word.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define LIVE_PAUSE_MS 10000
#define LIVE_FACTOR   50 /* pause for each millisecond of an answer: 2 % */
#define LIVE_KEPT     16 /* jobs for which the time of the last question is kept */

struct live_job {
    uint32_t id;       /* 0: not in use */
    struct mono asked; /* ns 0: never */
};

struct slurm_live {
    struct slurm_hub *hub;
    struct slurm_mirror *mirror;
    void (*on_known)(void *ctx);
    void *ctx;
    struct live_job jobs[LIVE_KEPT];
    struct loop_timer timer;
    uint32_t running; /* the job that the running command is about; 0: none */
    struct str steps; /* of it */
    char word[SLURM_WORD_SIZE];
    int64_t pause_ms;
    struct engine_calls cost;
};

static void slurm_live_next(struct slurm_live *l);

static void live_on_timer(void *ctx)
{
    slurm_live_next(ctx);
}

struct slurm_live *slurm_live_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                  void (*on_known)(void *ctx), void *ctx)
{
    struct slurm_live *l = xcalloc(1, sizeof *l);
    *l = (struct slurm_live){
        .hub = hub, .mirror = mirror, .on_known = on_known, .ctx = ctx, .pause_ms = LIVE_PAUSE_MS};
    l->timer = (struct loop_timer){.fn = live_on_timer, .ctx = l};
    str_init(&l->steps);
    return l;
}

void slurm_live_free(struct slurm_live *l)
{
    if (!l)
        return;
    loop_timer_cancel(l->hub->loop, &l->timer);
    str_fini(&l->steps);
    free(l);
}

void slurm_live_report(const struct slurm_live *l, struct msg_engine *ret)
{
    if (!l->cost.calls)
        return;
    struct engine_calls *row = rec_list_push(&ret->calls);
    *row = l->cost;
    row->what = xstrdup("squeue --steps");
    row->pause_ms = (uint64_t)l->pause_ms;
}

/* --- which is due --- */

static struct live_job *live_find(struct slurm_live *l, uint32_t job)
{
    struct live_job *oldest = &l->jobs[0];
    for (size_t i = 0; i < LIVE_KEPT; i++) {
        if (l->jobs[i].id == job)
            return &l->jobs[i];
        if (l->jobs[i].asked.ns < oldest->asked.ns)
            oldest = &l->jobs[i];
    }
    *oldest = (struct live_job){.id = job};
    return oldest;
}

static bool live_runs(const struct slurm_live *l, uint32_t job)
{
    const struct job *j = model_get_job(slurm_mirror_model(l->mirror), job);
    return j && j->holding;
}

static int64_t live_due_in(struct slurm_live *l, uint32_t job)
{
    const struct live_job *at = live_find(l, job);
    int64_t since = at->asked.ns ? (loop_now(l->hub->loop).ns - at->asked.ns) / NS_PER_MS : INT64_MAX;
    return since >= l->pause_ms ? 0 : l->pause_ms - since;
}

/* --- asking --- */

static void live_note_cost(struct slurm_live *l, const struct slurm_output *o)
{
    l->cost.calls++;
    l->cost.failures += o->exit_code != 0;
    l->cost.bytes += o->out.len;
    l->cost.ms += (uint64_t)o->ms;
    l->cost.last_ms = (uint64_t)o->ms;
    l->cost.read_at = loop_wall(l->hub->loop);
    int64_t pause = o->ms * LIVE_FACTOR;
    l->pause_ms = pause > LIVE_PAUSE_MS ? pause : LIVE_PAUSE_MS;
}

static void live_end(struct slurm_live *l, const struct slurm_span *devices)
{
    struct slurm_span steps = {l->steps.s, l->steps.len};
    struct errtext err = {""};
    if (l->running && slurm_mirror_take_detail(l->mirror, l->running, &steps, l->word, devices, &err) < 0)
        log_warn("job %u: %s", l->running, err.s);
    l->running = 0;
    str_clear(&l->steps);
    l->on_known(l->ctx);
    slurm_live_next(l);
}

static void live_on_devices(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    (void)s;
    (void)tag;
    struct slurm_live *l = arg;
    struct slurm_span devices = {o->out.s, o->exit_code == 0 ? o->out.len : 0};
    live_note_cost(l, o);
    live_end(l, &devices);
}

static void live_on_steps(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    (void)s;
    (void)tag;
    struct slurm_live *l = arg;
    struct strv argv = {0};
    live_note_cost(l, o);
    if (o->exit_code == 0)
        str_append_n(&l->steps, o->out.s, o->out.len);
    if (slurm_mirror_has_devices(l->mirror, l->running) || o->exit_code != 0) {
        live_end(l, &(struct slurm_span){"", 0});
        return;
    }
    strv_push(&argv, "scontrol");
    strv_push(&argv, "--details");
    strv_push(&argv, "--oneliner");
    strv_push(&argv, "show");
    strv_push(&argv, "job");
    strv_push_take(&argv, xasprintf("%u", l->running));
    slurm_hub_run(l->hub, &argv, live_on_devices, l);
    strv_fini(&argv);
}

static void live_ask(struct slurm_live *l, uint32_t job)
{
    struct strv argv = {0};
    l->running = job;
    live_find(l, job)->asked = loop_now(l->hub->loop);
    slurm_word_make(l->word);
    slurm_detail_ask(&argv, job, l->word);
    slurm_hub_run(l->hub, &argv, live_on_steps, l);
    strv_fini(&argv);
}

static void slurm_live_next(struct slurm_live *l)
{
    int64_t soonest = INT64_MAX;
    if (l->running)
        return;
    list_for_each (s, &l->hub->sessions, struct slurm_session, link) {
        if (!s->watch_job || !live_runs(l, s->watch_job))
            continue;
        int64_t due = live_due_in(l, s->watch_job);
        if (due == 0) {
            live_ask(l, s->watch_job);
            return;
        }
        soonest = due < soonest ? due : soonest;
    }
    if (soonest < INT64_MAX)
        loop_timer_set(l->hub->loop, &l->timer, soonest);
    else
        loop_timer_cancel(l->hub->loop, &l->timer);
}

void slurm_live_watch(struct slurm_session *s, uint32_t job)
{
    s->watch_job = job;
    slurm_live_next(s->live);
}

bool slurm_live_must_wait(struct slurm_live *l, uint32_t job)
{
    if (!live_runs(l, job))
        return false;
    if (l->running)
        return l->running == job || live_due_in(l, job) == 0;
    if (live_due_in(l, job) > 0)
        return false;
    live_ask(l, job);
    return true;
}

void slurm_live_check(struct slurm_live *l)
{
    slurm_live_next(l);
}
