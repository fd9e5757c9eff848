#include "backend/slurm/live/slurm_named.h"

#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_table.h"
#include "backend/slurm/slurm_word.h"
#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/tally.h"
#include "src/os/log.h"

#define FACTOR        50 /* pause for each millisecond of an answer: 2 % */
#define PAUSE_MOST_MS 10000
#define AT_ONCE       8     /* questions that need not wait for the pauses of those before */
#define IDS_MAX       200   /* of one question; the rest is for the next one */
#define KEPT_MS       60000 /* an answer is remembered for requests that wait for something else, too */

struct named_job {
    struct mono asked;     /* ns 0: never */
    bool wanted, answered; /* answered: the question of `asked` */
};

struct slurm_named {
    struct slurm_hub *hub;
    struct slurm_mirror *mirror;
    void (*on_known)(void *ctx);
    void *ctx;
    struct idmap jobs; /* id -> struct named_job */
    bool running;
    struct mono paid; /* when the pauses of all questions are over */
    char word[SLURM_WORD_SIZE];
    char *trouble;
    struct loop_timer timer;
    struct engine_calls cost;
};

static void slurm_named_next(struct slurm_named *n);

static void named_on_timer(void *ctx)
{
    slurm_named_next(ctx);
}

struct slurm_named *slurm_named_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                    void (*on_known)(void *ctx), void *ctx)
{
    struct slurm_named *n = xcalloc(1, sizeof *n);
    *n = (struct slurm_named){.hub = hub, .mirror = mirror, .on_known = on_known, .ctx = ctx};
    n->timer = (struct loop_timer){.fn = named_on_timer, .ctx = n};
    return n;
}

void slurm_named_free(struct slurm_named *n)
{
    if (!n)
        return;
    loop_timer_cancel(n->hub->loop, &n->timer);
    idmap_for_each (&n->jobs, slot)
        free(slot->value);
    idmap_fini(&n->jobs);
    free(n->trouble);
    free(n);
}

static int64_t named_pause_ms(const struct slurm_named *n)
{
    int64_t pause = (int64_t)n->cost.last_ms * FACTOR;
    return pause < PAUSE_MOST_MS ? pause : PAUSE_MOST_MS;
}

void slurm_named_report(const struct slurm_named *n, struct msg_engine *ret)
{
    if (!n->cost.calls)
        return;
    struct engine_calls *row = rec_list_push(&ret->calls);
    *row = n->cost;
    row->what = xstrdup("squeue --jobs, on demand");
}

/* --- answers --- */

static void named_pay(struct slurm_named *n)
{
    int64_t now = loop_now(n->hub->loop).ns;
    n->paid.ns = (n->paid.ns > now ? n->paid.ns : now) + named_pause_ms(n) * NS_PER_MS;
}

static bool named_says_no_job(const struct slurm_output *o)
{
    return strstr(o->says.s, "Invalid job id") != NULL;
}

static void named_note(struct slurm_named *n, const struct slurm_output *o)
{
    bool fails = o->exit_code != 0 && !named_says_no_job(o);
    n->cost.calls++;
    n->cost.failures += fails;
    n->cost.bytes += o->out.len;
    n->cost.ms += (uint64_t)o->ms;
    n->cost.last_ms = (uint64_t)o->ms;
    n->cost.read_at = loop_wall(n->hub->loop);
    named_pay(n);
    free(n->trouble);
    n->trouble = fails ? xstrdup(o->says.len ? o->says.s : "Slurm does not answer") : NULL;
    idmap_for_each (&n->jobs, slot)
        ((struct named_job *)slot->value)->answered = true;
}

static void named_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    (void)s;
    (void)tag;
    struct slurm_named *n = arg;
    struct slurm_span answer = {o->out.s, o->out.len};
    struct errtext err = {""};
    n->running = false;
    named_note(n, o);
    if (o->exit_code == 0 &&
        slurm_mirror_take_jobs(n->mirror, &answer, n->word, SLURM_SOME, loop_wall(n->hub->loop), &err) < 0)
        log_warn("squeue --jobs: %s", err.s);
    n->on_known(n->ctx);
    slurm_named_next(n);
}

/* --- asking --- */

/* What is too old for any request goes. */
static void named_forget(struct slurm_named *n)
{
    VEC(uint64_t) old = VEC_INIT;
    int64_t now = loop_now(n->hub->loop).ns;
    idmap_for_each (&n->jobs, slot) {
        const struct named_job *j = slot->value;
        if (!j->wanted && now - j->asked.ns > KEPT_MS * NS_PER_MS)
            vec_push(&old, slot->id);
    }
    vec_for_each (&old, i)
        free(idmap_remove(&n->jobs, old.v[i]));
    vec_fini(&old);
}

/* Takes the ids of the next question. NULL: none is wanted. */
static char *named_take_ids(struct slurm_named *n)
{
    struct str ids = STR_INIT;
    size_t count = 0;
    idmap_for_each (&n->jobs, slot) {
        struct named_job *j = slot->value;
        if (!j->wanted || count == IDS_MAX)
            continue;
        str_appendf(&ids, "%s%u", count++ ? "," : "", (uint32_t)slot->id);
        *j = (struct named_job){.asked = loop_now(n->hub->loop)};
    }
    return count ? str_take(&ids) : NULL;
}

static void slurm_named_next(struct slurm_named *n)
{
    struct mono now = loop_now(n->hub->loop);
    int64_t due_ms = (n->paid.ns - now.ns) / NS_PER_MS - AT_ONCE * named_pause_ms(n);
    struct strv argv = {0};
    if (n->running)
        return;
    if (due_ms > 0) {
        loop_timer_set(n->hub->loop, &n->timer, due_ms);
        return;
    }
    named_forget(n);
    char *ids = named_take_ids(n);
    if (!ids)
        return;
    n->running = true;
    slurm_word_make(n->word);
    slurm_table_ask(&argv, n->word);
    strv_push(&argv, "-j");
    strv_push_take(&argv, ids);
    slurm_hub_run(n->hub, &argv, named_on_answer, n);
    strv_fini(&argv);
}

bool slurm_named_is_known(const struct slurm_named *n, const struct job_target *t)
{
    const struct model *m = slurm_mirror_model(n->mirror);
    return t->array_index == ARRAY_NONE ? model_get_job(m, t->job) || model_get_tally(m, t->job)
                                        : model_get_element(m, t->job, t->array_index) != NULL;
}

const char *slurm_named_trouble(const struct slurm_named *n)
{
    return n->trouble;
}

bool slurm_named_must_wait(struct slurm_named *n, const struct job_target *t, struct mono since)
{
    if (slurm_named_is_known(n, t))
        return false;
    struct named_job *j = idmap_get(&n->jobs, t->job);
    if (j && j->asked.ns >= since.ns && !j->wanted)
        return !j->answered;
    if (!j) {
        j = xcalloc(1, sizeof *j);
        idmap_set(&n->jobs, t->job, j);
    }
    j->wanted = true;
    slurm_named_next(n);
    return true;
}
