#include "backend/slurm/slurm_poll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/slurm/host/slurm_peers.h"
#include "backend/slurm/slurm_command.h"
#include "backend/slurm/slurm_table.h"
#include "backend/slurm/slurm_word.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/log.h"

#define COST_FACTOR     50 /* pause for each millisecond of an answer: 2 % */
#define PAUSE_MOST_MS   600000
#define SLOW_MS         1000 /* an answer is slow if it took longer than this and twice the quickest one */
#define SLOW_DOUBLED    6    /* doublings at most, for slow answers in a row */
#define SERVED_HALF     2    /* of the time of an answer, slurmctld's part is one half at most */
#define LOAD_AFTER      3    /* questions for jobs: then it is a screen, not a command */
#define BUSY_THREADS    50   /* threads of slurmctld by sdiag: requests that it serves now */
#define BUSY_AGENTS     100  /* its waiting messages to nodes */
#define FAILED_MOST_MS  120000
#define LIMITED_MOST_MS 600000 /* where Slurm says that it is asked too often */
#define HURRY_MS        2000   /* an answer that young is as good as a new one */
#define ANSWER_WAIT_MS  60000
#define LOOK_AT_MAX     200    /* jobs by name; beyond, the next round tells */
#define SHARED_AGAIN_MS 300000 /* a service of the machine that did not answer is tried again */

/* X(enum member, what it is called, least pause in milliseconds) */
#define QUESTIONS(X)                                 \
    X(CONFIG, "scontrol show config", 3600000)       \
    X(PARTITIONS, "scontrol show partition", 300000) \
    X(NODES, "scontrol show node", 30000)            \
    X(WINDOWS, "scontrol show reservation", 300000)  \
    X(JOBS, "squeue", 10000)                         \
    X(ELEMENTS, "squeue --array", 60000)             \
    X(ELEMENT_ROWS, "squeue --jobs, of elements", 0) \
    X(SOME_JOBS, "squeue --jobs", 0)                 \
    X(LOAD, "sdiag", 300000)

enum slurm_question_kind {
#define X(name, text, pause) QUESTION_##name,
    QUESTIONS(X)
#undef X
        N_QUESTIONS
};

static const struct {
    const char *text;
    int64_t pause_ms;
} questions[] = {
#define X(name, text, pause) {text, pause},
    QUESTIONS(X)
#undef X
};

struct slurm_question {
    struct mono asked, answered; /* ns 0: never */
    struct wall answered_at;
    int64_t pause_ms;  /* until it is asked again */
    uint32_t failures; /* in a row */
    uint64_t calls, all_failures, bytes, ms, last_ms;
    uint64_t best_ms; /* the quickest answer; 0: none yet */
    uint32_t slow;    /* slow answers in a row */
    bool limited;     /* the last failure was a rate limit */
};

struct slurm_poll {
    struct loop *loop;
    struct slurm_mirror *mirror;
    const char *dir;
    const struct strv *env;
    const struct slurm_poll_ops *ops;
    enum slurm_need need, has; /* has: what the last answer about jobs had */
    bool hurry;
    struct slurm_question q[N_QUESTIONS];
    struct slurm_command *running;
    enum slurm_question_kind which; /* runs */
    enum slurm_scope scope;         /* of the jobs that are asked for */
    char word[SLURM_WORD_SIZE];     /* behind each column of that answer */
    VEC(uint32_t) look_at;
    char *trouble;
    unsigned readers;          /* servers of this machine that read all jobs, with this one */
    bool busy;                 /* slurmctld is busy, by the last answer of sdiag */
    char *shared;              /* socket of the machine's service; NULL: none */
    char *program_dir;         /* of this program, which asks the service */
    char *why_not_shared;      /* in its words; NULL: it answers, or was not asked */
    bool asks_shared;          /* the running command asks it */
    bool jobs_shared;          /* the last answer about jobs came from it */
    struct mono shared_failed; /* ns 0: it has not */
    uint64_t n_shared;         /* answers that came from it */
    struct loop_timer timer;
};

static void slurm_poll_next(struct slurm_poll *p);
static void slurm_poll_on_timer(void *ctx);

struct slurm_poll *slurm_poll_new(struct loop *l, struct slurm_mirror *mirror, const char *dir,
                                  const struct strv *env, const struct slurm_poll_ops *ops)
{
    struct slurm_poll *p = xcalloc(1, sizeof *p);
    *p = (struct slurm_poll){.loop = l, .mirror = mirror, .dir = dir, .env = env, .ops = ops};
    p->timer = (struct loop_timer){.fn = slurm_poll_on_timer, .ctx = p};
    return p;
}

void slurm_poll_free(struct slurm_poll *p)
{
    if (!p)
        return;
    slurm_command_free(p->running);
    loop_timer_cancel(p->loop, &p->timer);
    vec_fini(&p->look_at);
    free(p->shared);
    free(p->program_dir);
    free(p->why_not_shared);
    free(p->trouble);
    free(p);
}

/* --- which is due --- */

static int64_t ms_since(const struct slurm_poll *p, struct mono t)
{
    return t.ns ? (loop_now(p->loop).ns - t.ns) / NS_PER_MS : INT64_MAX;
}

/* Asked for by hand, it is asked again sooner, still within the share of slurmctld's time. */
static int64_t slurm_poll_hurry_ms(const struct slurm_question *q)
{
    int64_t cost = (int64_t)q->last_ms * COST_FACTOR;
    int64_t pause = cost > HURRY_MS ? cost : HURRY_MS;
    if (q->slow)
        return q->pause_ms;
    return pause < q->pause_ms || !q->pause_ms ? pause : q->pause_ms;
}

/* INT64_MAX: not by itself. */
static int64_t slurm_poll_due_in(const struct slurm_poll *p, enum slurm_question_kind k)
{
    const struct slurm_question *q = &p->q[k];
    if (k == QUESTION_SOME_JOBS)
        return p->look_at.n ? 0 : INT64_MAX;
    if (p->need == SLURM_NEED_NOTHING)
        return INT64_MAX;
    if (k == QUESTION_ELEMENT_ROWS && !slurm_mirror_splits(p->mirror)->n_wanted)
        return INT64_MAX;
    if (k == QUESTION_ELEMENTS && !slurm_mirror_hides_elements(p->mirror))
        return INT64_MAX;
    if (k == QUESTION_LOAD && p->q[QUESTION_JOBS].calls < LOAD_AFTER)
        return INT64_MAX;
    bool lacks = !q->answered.ns || (k == QUESTION_JOBS && p->has < p->need);
    int64_t since = ms_since(p, q->asked);
    int64_t pause = (lacks && !q->failures) ? 0 : q->pause_ms;
    if (p->hurry && pause && (k == QUESTION_JOBS || k == QUESTION_NODES || lacks))
        pause = slurm_poll_hurry_ms(q);
    return since >= pause ? 0 : pause - since;
}

static void slurm_poll_on_timer(void *ctx)
{
    slurm_poll_next(ctx);
}

/* --- asking --- */

/* Array elements have ids of their own, which -j does not take all of: the array's id stands for them. */
static char *slurm_poll_ids(const struct slurm_poll *p)
{
    struct str s = STR_INIT;
    vec_for_each (&p->look_at, i)
        str_appendf(&s, "%s%u", i ? "," : "", p->look_at.v[i]);
    return str_take(&s);
}

/* Of the jobs of all users in no more than what the list has: the machine's service knows nothing of
 * elements. */
static void slurm_poll_elements(struct slurm_poll *p, struct strv *argv)
{
    slurm_word_make(p->word);
    if (p->which == QUESTION_ELEMENTS)
        slurm_splits_ask(argv, p->word);
    else
        slurm_splits_ask_rows(slurm_mirror_splits(p->mirror), argv, p->word);
    if (p->has == SLURM_NEED_ALL && !p->jobs_shared)
        return;
    strv_push(argv, "-u");
    strv_push_take(argv, xasprintf("%u", (unsigned)geteuid()));
}

static void slurm_poll_squeue(struct slurm_poll *p, struct strv *argv)
{
    slurm_word_make(p->word);
    slurm_table_ask(argv, p->word);
    if (p->which == QUESTION_SOME_JOBS) {
        strv_push(argv, "-j");
        strv_push_take(argv, slurm_poll_ids(p));
        p->scope = SLURM_SOME;
        vec_clear(&p->look_at);
        return;
    }
    p->scope = p->need == SLURM_NEED_ALL ? SLURM_ALL : SLURM_OWN;
    if (p->scope == SLURM_ALL)
        return;
    strv_push(argv, "-u");
    strv_push_take(argv, xasprintf("%u", (unsigned)geteuid()));
}

static struct strv slurm_poll_argv(struct slurm_poll *p)
{
    struct strv argv = {0};
    if (p->which == QUESTION_JOBS || p->which == QUESTION_SOME_JOBS) {
        slurm_poll_squeue(p, &argv);
        return argv;
    }
    if (p->which == QUESTION_ELEMENTS || p->which == QUESTION_ELEMENT_ROWS) {
        slurm_poll_elements(p, &argv);
        return argv;
    }
    if (p->which == QUESTION_LOAD) {
        strv_push(&argv, "sdiag");
        return argv;
    }
    strv_push(&argv, "scontrol");
    if (p->which == QUESTION_NODES)
        strv_push(&argv, "--details");
    strv_push(&argv, "--oneliner");
    strv_push(&argv, "--all");
    strv_push(&argv, "show");
    strv_push(&argv, p->which == QUESTION_CONFIG       ? "config"
                     : p->which == QUESTION_PARTITIONS ? "partition"
                     : p->which == QUESTION_WINDOWS    ? "reservation"
                                                       : "node");
    return argv;
}

/* --- the service of the machine --- */

void slurm_poll_share(struct slurm_poll *p, const char *socket)
{
    p->program_dir = exe_path_dir();
    p->shared = p->program_dir ? xstrdup(socket) : NULL;
}

/* It is tried where its socket is, and for what it has. */
static bool slurm_poll_may_share(const struct slurm_poll *p, enum slurm_question_kind k)
{
    bool failed = p->shared_failed.ns && ms_since(p, p->shared_failed) < SHARED_AGAIN_MS;
    return p->shared && !failed && (k == QUESTION_JOBS || k == QUESTION_NODES) &&
           access(p->shared, F_OK) == 0;
}

static struct strv slurm_poll_shared_argv(struct slurm_poll *p)
{
    struct strv argv = {0};
    bool all = p->need == SLURM_NEED_ALL;
    if (p->which == QUESTION_JOBS)
        p->scope = all ? SLURM_ALL : SLURM_OWN;
    strv_push(&argv, "stoker-slurm");
    strv_push(&argv, "--shared");
    strv_push(&argv, p->shared);
    strv_push(&argv, p->which == QUESTION_NODES ? "nodes" : all ? "jobs" : "own");
    return argv;
}

/* Takes the line "WORD AGE_MS" off the answer. False: it is another one. */
static bool slurm_poll_take_head(struct slurm_poll *p, struct slurm_span *answer, int64_t *ret_age_ms)
{
    const char *end = memchr(answer->p, '\n', answer->n);
    const char *blank = end ? memchr(answer->p, ' ', (size_t)(end - answer->p)) : NULL;
    size_t word = blank ? (size_t)(blank - answer->p) : 0;
    if (!word || word >= sizeof p->word)
        return false;
    memcpy(p->word, answer->p, word);
    p->word[word] = '\0';
    *ret_age_ms = strtoll(blank + 1, NULL, 10);
    answer->n -= (size_t)(end + 1 - answer->p);
    answer->p = end + 1;
    return *ret_age_ms >= 0;
}

static void slurm_poll_note_unshared(struct slurm_poll *p, const char *why)
{
    free(p->why_not_shared);
    p->why_not_shared = xstrdup(why);
    p->shared_failed = loop_now(p->loop);
    p->q[p->which].asked = (struct mono){0}; /* Slurm is asked at once */
    p->q[p->which].calls--;
}

static void slurm_poll_on_answer(void *ctx, const struct slurm_output *o);

static void slurm_poll_ask(struct slurm_poll *p, enum slurm_question_kind k)
{
    p->which = k;
    p->asks_shared = slurm_poll_may_share(p, k);
    struct strv argv = p->asks_shared ? slurm_poll_shared_argv(p) : slurm_poll_argv(p);
    p->q[k].asked = loop_now(p->loop);
    p->q[k].calls++;
    p->running =
        slurm_command_new(p->loop,
                          &(struct slurm_command_spec){.dir = p->asks_shared ? p->program_dir : p->dir,
                                                       .argv = &argv,
                                                       .env = p->env,
                                                       .timeout_ms = ANSWER_WAIT_MS},
                          slurm_poll_on_answer, p);
    strv_fini(&argv);
}

static void slurm_poll_next(struct slurm_poll *p)
{
    int64_t soonest = INT64_MAX;
    if (p->running)
        return;
    for (enum slurm_question_kind k = 0; k < N_QUESTIONS; k++) {
        int64_t due = slurm_poll_due_in(p, k);
        if (due == 0) {
            slurm_poll_ask(p, k);
            return;
        }
        soonest = due < soonest ? due : soonest;
    }
    if (soonest < INT64_MAX)
        loop_timer_set(p->loop, &p->timer, soonest);
    else
        loop_timer_cancel(p->loop, &p->timer);
}

/* --- answers --- */

static uint32_t slurm_poll_figure(const struct slurm_span *text, const char *label)
{
    const char *at = memmem(text->p, text->n, label, strlen(label));
    if (!at)
        return 0;
    struct slurm_span v = {at + strlen(label), 0};
    while (v.p < text->p + text->n && *v.p == ' ')
        v.p++;
    while (v.p + v.n < text->p + text->n && v.p[v.n] >= '0' && v.p[v.n] <= '9')
        v.n++;
    return slurm_u32(&v, 0);
}

bool slurm_poll_reads_busy(const struct slurm_span *sdiag)
{
    return slurm_poll_figure(sdiag, "Server thread count:") > BUSY_THREADS ||
           slurm_poll_figure(sdiag, "Agent queue size:") > BUSY_AGENTS;
}

static int slurm_poll_take(struct slurm_poll *p, const struct slurm_span *answer, struct wall now,
                           struct errtext *err)
{
    switch (p->which) {
    case QUESTION_CONFIG: return slurm_mirror_take_config(p->mirror, answer, err);
    case QUESTION_PARTITIONS: return slurm_mirror_take_partitions(p->mirror, answer, err);
    case QUESTION_WINDOWS: return slurm_mirror_take_windows(p->mirror, answer, err);
    case QUESTION_NODES: return slurm_mirror_take_nodes(p->mirror, answer, now, err);
    case QUESTION_JOBS:
    case QUESTION_SOME_JOBS: return slurm_mirror_take_jobs(p->mirror, answer, p->word, p->scope, now, err);
    case QUESTION_ELEMENTS: return slurm_mirror_take_elements(p->mirror, answer, p->word, err);
    case QUESTION_ELEMENT_ROWS: return slurm_mirror_take_element_rows(p->mirror, answer, p->word, now, err);
    case QUESTION_LOAD: p->busy = slurm_poll_reads_busy(answer); return 0;
    case N_QUESTIONS: break;
    }
    return 0;
}

static void slurm_poll_set_trouble(struct slurm_poll *p, const char *text)
{
    free(p->trouble);
    p->trouble = text ? xstrdup(text) : NULL;
}

int64_t slurm_poll_pause(uint64_t last_ms, uint64_t best_ms, uint32_t *slow, bool busy, int64_t least_ms)
{
    int64_t pause = (int64_t)last_ms * COST_FACTOR;
    *slow = last_ms > SLOW_MS && last_ms > 2 * best_ms ? *slow + 1 : 0;
    pause = pause > least_ms ? pause : least_ms;
    pause <<= *slow < SLOW_DOUBLED ? *slow : SLOW_DOUBLED;
    pause = busy ? 2 * pause : pause;
    int64_t most = least_ms > PAUSE_MOST_MS ? least_ms : PAUSE_MOST_MS;
    return pause < most ? pause : most;
}

int64_t slurm_poll_among(int64_t pause_ms, unsigned readers)
{
    int64_t pause = readers > SERVED_HALF ? pause_ms * readers / SERVED_HALF : pause_ms;
    return pause < PAUSE_MOST_MS ? pause : PAUSE_MOST_MS;
}

static void slurm_poll_note_jobs(struct slurm_poll *p, struct slurm_question *q)
{
    enum slurm_need before = p->has;
    p->has = p->scope == SLURM_ALL ? SLURM_NEED_ALL : SLURM_NEED_OWN;
    p->jobs_shared = p->asks_shared;
    if (p->has > before) /* elements of other users are asked for again */
        p->q[QUESTION_ELEMENTS].answered = (struct mono){0};
    slurm_peers_tell(p->has == SLURM_NEED_ALL && !p->jobs_shared);
    p->readers = p->has == SLURM_NEED_ALL && !p->jobs_shared ? slurm_peers_count() : 0;
    q->pause_ms = slurm_poll_among(q->pause_ms, p->readers);
}

static void slurm_poll_note_success(struct slurm_poll *p, struct wall as_of)
{
    struct slurm_question *q = &p->q[p->which];
    q->failures = 0;
    q->answered = loop_now(p->loop);
    q->answered_at = as_of;
    q->best_ms = q->best_ms && q->best_ms < q->last_ms ? q->best_ms : q->last_ms;
    q->pause_ms = slurm_poll_pause(q->last_ms, q->best_ms, &q->slow, p->busy, questions[p->which].pause_ms);
    if (p->which == QUESTION_JOBS)
        slurm_poll_note_jobs(p, q);
    slurm_poll_set_trouble(p, NULL);
}

static void slurm_poll_note_failure(struct slurm_poll *p, const char *text)
{
    struct slurm_question *q = &p->q[p->which];
    int64_t most = strstr(text, "Rate limit") ? LIMITED_MOST_MS : FAILED_MOST_MS;
    int64_t first = questions[QUESTION_JOBS].pause_ms;
    q->all_failures++;
    if (p->which == QUESTION_ELEMENT_ROWS) /* elements that have left; the next answer about them tells */
        slurm_mirror_forget_elements(p->mirror);
    if (p->which == QUESTION_SOME_JOBS ||
        p->which == QUESTION_ELEMENT_ROWS) /* they may have left; the next round tells */
        return;
    if (p->which == QUESTION_LOAD) { /* sites may forbid sdiag to users: then only the other answers tell */
        q->pause_ms = questions[QUESTION_LOAD].pause_ms;
        return;
    }
    q->failures++;
    q->limited = most == LIMITED_MOST_MS;
    q->pause_ms = q->failures < 8 ? first << (q->failures - 1) : most;
    q->pause_ms = q->pause_ms > most ? most : q->pause_ms;
    if (!p->trouble)
        log_warn("%s failed: %s", questions[p->which].text, text);
    slurm_poll_set_trouble(p, text);
}

static void slurm_poll_end(struct slurm_poll *p)
{
    struct slurm_command *done = p->running;
    p->running = NULL;
    slurm_command_free(done);
}

static void slurm_poll_on_answer(void *ctx, const struct slurm_output *o)
{
    struct slurm_poll *p = ctx;
    struct slurm_question *q = &p->q[p->which];
    struct errtext err = {""};
    struct slurm_span answer = {o->out.s, o->out.len};
    int64_t age_ms = 0;
    if (p->asks_shared && (o->exit_code != 0 || !slurm_poll_take_head(p, &answer, &age_ms))) {
        slurm_poll_note_unshared(p, o->says.len ? o->says.s : "it answers in another form");
        slurm_poll_end(p);
        slurm_poll_next(p);
        return;
    }
    struct wall as_of = {loop_wall(p->loop).ms - age_ms};
    p->n_shared += p->asks_shared;
    q->last_ms = (uint64_t)o->ms;
    q->ms += (uint64_t)o->ms;
    q->bytes += o->out.len;
    int r = -1;
    if (o->exit_code == 0) {
        r = slurm_poll_take(p, &answer, as_of, &err);
    } else {
        err_set(&err, -1, "%s", o->says.len ? o->says.s : "Slurm does not answer");
    }
    if (r >= 0)
        slurm_poll_note_success(p, as_of);
    else
        slurm_poll_note_failure(p, err.s);
    bool config = r > 0 && (p->which == QUESTION_CONFIG || p->which == QUESTION_PARTITIONS ||
                            p->which == QUESTION_WINDOWS);
    p->hurry = p->hurry && p->which != QUESTION_JOBS;
    slurm_poll_end(p);
    p->ops->on_round(p->ops->ctx, config);
    slurm_poll_next(p);
}

/* --- for the sessions --- */

void slurm_poll_need(struct slurm_poll *p, enum slurm_need need)
{
    p->need = need;
    slurm_poll_next(p);
}

/* Those that squeue hides; not waited for where the question fails. */
static bool slurm_poll_has_elements(const struct slurm_poll *p)
{
    const struct slurm_question *q = &p->q[QUESTION_ELEMENTS];
    if (!slurm_mirror_hides_elements(p->mirror) || q->failures)
        return true;
    return q->answered.ns && !slurm_mirror_splits(p->mirror)->n_wanted;
}

bool slurm_poll_has(const struct slurm_poll *p, enum slurm_need need)
{
    const struct slurm_question *jobs = &p->q[QUESTION_JOBS];
    int64_t young = jobs->pause_ms + ANSWER_WAIT_MS;
    return jobs->answered.ns && p->has >= need && ms_since(p, jobs->answered) < young &&
           p->q[QUESTION_NODES].answered.ns && p->q[QUESTION_CONFIG].answered.ns &&
           p->q[QUESTION_PARTITIONS].answered.ns && p->q[QUESTION_WINDOWS].answered.ns &&
           slurm_poll_has_elements(p);
}

bool slurm_poll_is_fresh(const struct slurm_poll *p)
{
    return ms_since(p, p->q[QUESTION_JOBS].asked) < slurm_poll_hurry_ms(&p->q[QUESTION_JOBS]);
}

void slurm_poll_hurry(struct slurm_poll *p)
{
    p->hurry = true;
    slurm_poll_next(p);
}

void slurm_poll_look_at_windows(struct slurm_poll *p)
{
    p->q[QUESTION_WINDOWS].answered = (struct mono){0};
    slurm_poll_next(p);
}

void slurm_poll_look_at(struct slurm_poll *p, const uint32_t *jobs, size_t n)
{
    for (size_t i = 0; i < n && p->look_at.n < LOOK_AT_MAX; i++)
        vec_push(&p->look_at, jobs[i]);
    p->q[QUESTION_ELEMENTS].answered = (struct mono){0}; /* one may have been split off */
    slurm_poll_next(p);
}

const char *slurm_poll_trouble(const struct slurm_poll *p)
{
    return p->trouble;
}

bool slurm_poll_has_jobs(const struct slurm_poll *p)
{
    return p->q[QUESTION_JOBS].answered.ns;
}

static const char *slurm_poll_slowed(const struct slurm_poll *p, const struct slurm_question *q)
{
    return q->failures && q->limited                               ? "Slurm limits the rate"
           : q->failures                                           ? "the last question failed"
           : q->slow                                               ? "slow answers"
           : p->busy                                               ? "slurmctld is busy"
           : p->readers > SERVED_HALF && q == &p->q[QUESTION_JOBS] ? "other users read all jobs, too"
                                                                   : NULL;
}

void slurm_poll_report(const struct slurm_poll *p, struct msg_engine *ret)
{
    const struct slurm_question *jobs = &p->q[QUESTION_JOBS];
    *ret = (struct msg_engine){.read_at = jobs->answered_at,
                               .pause_ms = (uint64_t)jobs->pause_ms,
                               .trouble = p->trouble ? xstrdup(p->trouble) : NULL};
    if (p->n_shared || p->why_not_shared)
        *rec_list_push(&ret->calls) = (struct engine_calls){
            .what = xstrdup("service of this machine"),
            .slowed = p->why_not_shared ? xasprintf("not used: %s", p->why_not_shared) : NULL,
            .calls = p->n_shared};
    for (size_t k = 0; k < N_QUESTIONS; k++) {
        const struct slurm_question *q = &p->q[k];
        if (!q->calls)
            continue;
        const char *slowed = slurm_poll_slowed(p, q);
        *rec_list_push(&ret->calls) = (struct engine_calls){.what = xstrdup(questions[k].text),
                                                            .slowed = slowed ? xstrdup(slowed) : NULL,
                                                            .calls = q->calls,
                                                            .failures = q->all_failures,
                                                            .bytes = q->bytes,
                                                            .ms = q->ms,
                                                            .last_ms = q->last_ms,
                                                            .read_at = q->answered_at,
                                                            .pause_ms = (uint64_t)q->pause_ms};
    }
}
