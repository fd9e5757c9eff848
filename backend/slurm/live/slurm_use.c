#include "backend/slurm/live/slurm_use.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/slurm/live/slurm_detail.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"

#define USE_PAUSE_MS  10000
#define USE_SECOND_MS 3000 /* until the second sample: there is nothing to show before it */
#define USE_FACTOR    50   /* pause for each millisecond of an answer: 2 % */
#define USE_NODES     16   /* a job on that many nodes is asked half as often, on twice as many ... */
#define USE_KEPT      16   /* jobs whose last sample is kept */

struct use_job {
    uint32_t id;       /* 0: not in use */
    struct mono asked; /* ns 0: never */
    int64_t pause_ms;
    struct slurm_use_sample last;
    struct msg_job_use told;
    struct mono told_at; /* ns 0: nothing was told yet */
};

struct slurm_uses {
    struct slurm_hub *hub;
    struct slurm_mirror *mirror;
    const struct slurm_rights *rights;
    struct use_job jobs[USE_KEPT];
    struct loop_timer timer;
    uint32_t running; /* the job that the running command is about; 0: none */
    struct engine_calls cost;
};

/* --- reading --- */

/* "5648K", "1.5G", "1024": KiB. Figures without a letter are bytes. False where it is not a size. */
static bool use_kib(const struct slurm_span *s, uint64_t *ret)
{
    static const char letters[] = "KMGT";
    char text[32], *end;
    if (!s->n || s->n >= sizeof text)
        return false;
    memcpy(text, s->p, s->n);
    text[s->n] = '\0';
    double v = strtod(text, &end);
    const char *letter = *end ? strchr(letters, *end) : NULL;
    if (end == text || v < 0 || (*end && !letter))
        return false;
    v = letter ? v : v / 1024;
    for (const char *at = letters; letter && at < letter; at++)
        v *= 1024;
    if (v >= 1e18)
        return false;
    *ret = (uint64_t)v;
    return true;
}

static void use_read_row(const struct slurm_span *id, const struct slurm_span *tres,
                         struct slurm_use_sample *ret)
{
    struct slurm_span cpu = slurm_tres(tres, "cpu"), mem = slurm_tres(tres, "mem");
    struct slurm_use_step s = {0};
    uint32_t seconds = slurm_duration(&cpu);
    bool is_none =
        cpu.n && cpu.p[0] == '0' && seconds == DURATION_UNLIMITED; /* 00:00:00: of a limit, none */
    seconds = is_none ? 0 : seconds;
    if (!slurm_detail_step_id(id, &s.step) || seconds >= DURATION_NOT_SET || !use_kib(&mem, &s.mem_kib))
        return;
    s.cpu_ms = (uint64_t)seconds * 1000;
    ret->v = xreallocarray(ret->v, ret->n + 1, sizeof *ret->v);
    ret->v[ret->n++] = s;
}

void slurm_use_read(const struct slurm_span *answer, struct slurm_use_sample *ret)
{
    const char *at = answer->p, *end = answer->p + answer->n;
    *ret = (struct slurm_use_sample){.at = ret->at};
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *bar = memchr(at, '|', (size_t)(stop - at));
        if (bar)
            use_read_row(&(struct slurm_span){at, (size_t)(bar - at)},
                         &(struct slurm_span){bar + 1, (size_t)(stop - bar - 1)}, ret);
        at = stop + 1;
    }
}

static const struct slurm_use_step *use_find_step(const struct slurm_use_sample *s, int32_t step)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].step == step)
            return &s->v[i];
    return NULL;
}

void slurm_use_between(const struct slurm_use_sample *before, const struct slurm_use_sample *now,
                       struct msg_job_use *ret)
{
    int64_t ms = (now->at.ns - before->at.ns) / NS_PER_MS;
    for (size_t i = 0; i < now->n && ms > 0; i++) {
        const struct slurm_use_step *s = &now->v[i], *had = use_find_step(before, s->step);
        uint64_t cpu_ms = s->cpu_ms - (had && had->cpu_ms <= s->cpu_ms ? had->cpu_ms : 0);
        uint64_t permille = had && had->cpu_ms > s->cpu_ms ? 0 : cpu_ms * 1000 / (uint64_t)ms;
        *rec_list_push(&ret->steps) =
            (struct step_use){.step = s->step,
                              .cpu_permille = permille < UINT32_MAX ? (uint32_t)permille : UINT32_MAX,
                              .mem_kib = s->mem_kib};
    }
}

/* --- telling --- */

static void use_job_clear(struct use_job *j)
{
    free(j->last.v);
    rec_fini(&msg_job_use_rec, &j->told);
    *j = (struct use_job){0};
}

static void use_send(struct slurm_uses *u, const struct msg_job_use *m)
{
    list_for_each (s, &u->hub->sessions, struct slurm_session, link)
        if (s->watch_job == m->job)
            slurm_session_send(s, MSG_JOB_USE, 0, m);
}

static void use_tell(struct slurm_uses *u, struct use_job *j, struct msg_job_use *take)
{
    take->job = j->id;
    take->good_ms = (uint32_t)(j->pause_ms + USE_PAUSE_MS);
    rec_fini(&msg_job_use_rec, &j->told);
    j->told = *take;
    j->told_at = loop_now(u->hub->loop);
    use_send(u, &j->told);
}

/* --- asking --- */

static void uses_next(struct slurm_uses *u);

static struct use_job *uses_find(struct slurm_uses *u, uint32_t job)
{
    struct use_job *oldest = &u->jobs[0];
    for (size_t i = 0; i < USE_KEPT; i++) {
        if (u->jobs[i].id == job)
            return &u->jobs[i];
        if (u->jobs[i].asked.ns < oldest->asked.ns)
            oldest = &u->jobs[i];
    }
    use_job_clear(oldest);
    oldest->id = job;
    return oldest;
}

static const struct job *uses_running(const struct slurm_uses *u, uint32_t job)
{
    const struct job *j = model_get_job(slurm_mirror_model(u->mirror), job);
    return j && j->holding ? j : NULL;
}

static int64_t use_pause(const struct slurm_uses *u, const struct use_job *at, int64_t last_ms, bool first)
{
    const struct job *j = uses_running(u, at->id);
    int64_t least = first ? USE_SECOND_MS : USE_PAUSE_MS;
    if (j)
        least += least * (int64_t)j->alloc.n / USE_NODES;
    return last_ms * USE_FACTOR > least ? last_ms * USE_FACTOR : least;
}

static void use_take(struct slurm_uses *u, struct use_job *at, const struct slurm_output *o)
{
    struct slurm_span answer = {o->out.s, o->out.len};
    struct slurm_use_sample now = {.at = at->asked};
    struct msg_job_use m = {0};
    bool first = !at->last.at.ns;
    slurm_use_read(&answer, &now);
    at->pause_ms = use_pause(u, at, o->ms, first);
    if (o->exit_code != 0 || (!now.n && o->says.len)) {
        m.lack = USE_REFUSED;
        m.says = xstrdup(o->says.len ? o->says.s : "sstat failed");
        use_tell(u, at, &m);
    } else if (!first && now.n) {
        slurm_use_between(&at->last, &now, &m);
        use_tell(u, at, &m);
    }
    free(at->last.v);
    at->last = now;
}

static void use_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    (void)s;
    (void)tag;
    struct slurm_uses *u = arg;
    struct use_job *at = uses_find(u, u->running);
    u->cost.calls++;
    u->cost.failures += o->exit_code != 0;
    u->cost.bytes += o->out.len;
    u->cost.ms += (uint64_t)o->ms;
    u->cost.last_ms = (uint64_t)o->ms;
    u->cost.read_at = loop_wall(u->hub->loop);
    u->running = 0;
    use_take(u, at, o);
    u->cost.pause_ms = (uint64_t)at->pause_ms;
    uses_next(u);
}

static void use_ask(struct slurm_uses *u, struct use_job *at)
{
    struct strv argv = {0};
    u->running = at->id;
    at->asked = loop_now(u->hub->loop);
    strv_push(&argv, "sstat");
    strv_push(&argv, "--noheader");
    strv_push(&argv, "--parsable2");
    strv_push(&argv, "--allsteps");
    strv_push(&argv, "--format=" SLURM_USE_FORMAT);
    strv_push_take(&argv, xasprintf("--jobs=%u", at->id));
    slurm_hub_run(u->hub, &argv, use_on_answer, u);
    strv_fini(&argv);
}

/* Tells the clients that watch it, once, why it cannot be measured. False: it can. */
static bool use_lacks(struct slurm_uses *u, struct use_job *at, const struct job *j)
{
    enum use_lack lack = !slurm_mirror_gathers(u->mirror) ? USE_NOT_GATHERED
                         : !slurm_uses_may(u, j)          ? USE_NOT_YOURS
                                                          : USE_MEASURED;
    if (lack != USE_MEASURED && (!at->told_at.ns || at->told.lack != (uint32_t)lack))
        use_tell(u, at, &(struct msg_job_use){.lack = lack});
    return lack != USE_MEASURED;
}

static int64_t use_due_in(const struct slurm_uses *u, const struct use_job *at)
{
    int64_t since = at->asked.ns ? (loop_now(u->hub->loop).ns - at->asked.ns) / NS_PER_MS : INT64_MAX;
    return since >= at->pause_ms ? 0 : at->pause_ms - since;
}

static void uses_next(struct slurm_uses *u)
{
    int64_t soonest = INT64_MAX;
    if (u->running)
        return;
    list_for_each (s, &u->hub->sessions, struct slurm_session, link) {
        const struct job *j = s->watch_job ? uses_running(u, s->watch_job) : NULL;
        struct use_job *at = j ? uses_find(u, j->id) : NULL;
        if (!j || use_lacks(u, at, j))
            continue;
        int64_t due = use_due_in(u, at);
        if (due == 0) {
            use_ask(u, at);
            return;
        }
        soonest = due < soonest ? due : soonest;
    }
    if (soonest < INT64_MAX)
        loop_timer_set(u->hub->loop, &u->timer, soonest);
    else
        loop_timer_cancel(u->hub->loop, &u->timer);
}

static void uses_on_timer(void *ctx)
{
    uses_next(ctx);
}

/* --- for the server --- */

struct slurm_uses *slurm_uses_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                  const struct slurm_rights *rights)
{
    struct slurm_uses *u = xcalloc(1, sizeof *u);
    *u = (struct slurm_uses){.hub = hub, .mirror = mirror, .rights = rights};
    u->timer = (struct loop_timer){.fn = uses_on_timer, .ctx = u};
    return u;
}

void slurm_uses_free(struct slurm_uses *u)
{
    if (!u)
        return;
    loop_timer_cancel(u->hub->loop, &u->timer);
    for (size_t i = 0; i < USE_KEPT; i++)
        use_job_clear(&u->jobs[i]);
    free(u);
}

void slurm_uses_report(const struct slurm_uses *u, struct msg_engine *ret)
{
    if (!u->cost.calls)
        return;
    struct engine_calls *row = rec_list_push(&ret->calls);
    *row = u->cost;
    row->what = xstrdup("sstat");
}

bool slurm_uses_may(const struct slurm_uses *u, const struct job *j)
{
    return j->uid == geteuid() || slurm_rights_is_operator(u->rights);
}

void slurm_uses_check(struct slurm_uses *u)
{
    uses_next(u);
}

void slurm_uses_greet(struct slurm_uses *u, struct slurm_session *s)
{
    struct use_job *at = s->watch_job ? uses_find(u, s->watch_job) : NULL;
    if (at && at->told_at.ns &&
        loop_now(u->hub->loop).ns - at->told_at.ns < (int64_t)at->told.good_ms * NS_PER_MS)
        slurm_session_send(s, MSG_JOB_USE, 0, &at->told);
    uses_next(u);
}
